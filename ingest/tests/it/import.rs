//! Reports of other tools, generated here.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use acta_ledger::{evidence::import::ImportRecord, log::digest::Sha256Digest};
use acta_tests::{bundle::BundleWriter, process::Ended};
use serde_json::{Value, json};

use crate::setup::Bench;

/// Every format by name.
pub const FORMATS: [&str; 8] = [
    "trtmc-benchmark",
    "trtmc-validation",
    "trtmc-gate",
    "trtmc-build-timing",
    "trtexec-times",
    "trtexec-profile",
    "trtexec-layers",
    "trtexec-log",
];

/// Where the generated benchmark says that its bundle was.
pub const ELSEWHERE: &str = "/mnt/models/model.bundle";

/// A bundle that is older than every report.
pub fn old_bundle(bench: &Bench) -> String {
    let path = bench.agent.file("model.bundle", &BundleWriter::a().write());
    age(&path, 1_600_000_000);
    path
}

/// Sets a file's time, in seconds since 1970.
pub fn age(path: impl AsRef<Path>, seconds: u64) {
    let file = File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
}

/// Imports into this bench.
pub fn import(bench: &Bench, format: &str, files: &[&str], bundle: &str, more: &[&str]) -> Ended {
    let arguments = [&["import", format][..], files, &["--bundle", bundle, "--json"], more].concat();
    let ended = bench.agent.run(&arguments);
    assert!(!ended.stderr.contains("panicked"), "{arguments:?}: {}", ended.stderr);
    ended
}

/// The document of an import that worked; its record and blobs are looked at on the way.
pub fn document(bench: &Bench, ended: &Ended) -> Value {
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    let json = ended.json();
    let record: ImportRecord = serde_json::from_value(json["predicate"].clone()).unwrap();
    for file in &record.files {
        assert_eq!(bench.blob(&json!(file.blob.digest)).len() as u64, file.blob.bytes);
    }
    let document: Value = serde_json::from_slice(&bench.blob(&json["document"])).unwrap();
    assert_eq!(document["schema"], format!("urn:acta:import-{}:v1", record.format));
    assert_eq!(document["bundle"], record.bundle.to_string());
    document
}

/// Refused with these words, and nothing stored.
fn refused(bench: &Bench, ended: &Ended, words: &str) {
    assert_eq!(ended.code(), 2, "{words}: {}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    assert!(ended.json()["error"]["what"].is_string());
    assert_eq!(bench.outbox(), [0, 0, 0], "{words}");
    assert_eq!(fs::read_dir(bench.agent.home().join("state/blobs/sha256")).unwrap().count(), 0, "{words}");
}

/// A run of Model Connect's benchmark with these latencies, in its folder.
pub fn benchmark(bench: &Bench, samples: &[f64], change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |p: f64| {
        let position = (sorted.len() - 1) as f64 * p;
        let (below, above) = (sorted[position as usize], sorted[(position.ceil()) as usize]);
        below + (above - below) * position.fract()
    };
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let mut run = json!({
        "schema_version": "trtmc.benchmark-run/v1", "run_id": "r", "status": "completed",
        "started_at": "2026-11-29T20:31:29.916604+00:00", "finished_at": "2026-11-29T20:31:30.269358+00:00",
        "measurement_policy": { "warmup_excluded": true, "load_excluded": true, "timing_scope": "s" },
        "preparation": { "bundles": [{ "bundle": ELSEWHERE, "status": "reused" }] },
        "environment": { "gpus": [{ "name": "NVIDIA H200", "uuid": "GPU-1", "driver_version": "580.65.06" }],
            "worker_build": { "configuration": "Release", "source_revision": "e9132e79f" } },
        "cells": [{ "name": "default", "model": "mini", "operation": "generate", "status": "completed",
            "case_digest": "d", "artifact_dir": "001-mini", "load_ms": 412.5, "pipeline_type": "native",
            "metrics": { "sample_count": samples.len(), "latency_ms": { "min": sorted[0], "mean": mean,
                "p50": at(0.5), "p95": at(0.95), "max": sorted[sorted.len() - 1] } } }],
    });
    change(&mut run);
    let folder = bench.agent.home().join("run");
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(folder.join("001-mini")).unwrap();
    fs::write(folder.join("result.json"), run.to_string()).unwrap();
    let lines = samples.iter().enumerate().map(|(iteration, sample)| {
        format!("{{\"iteration\": {iteration}, \"output_tokens\": 16, \"runtime_e2e_wall_ms\": {sample}}}\n")
    });
    fs::write(folder.join("001-mini/observations.jsonl"), lines.collect::<String>()).unwrap();
    folder
}

fn samples(count: u32) -> Vec<f64> {
    (0..count).map(|i| 15.0 + f64::from(i * 37 % 100) / 16.0).collect()
}

#[test]
fn a_benchmark_is_bound_to_the_bundle_and_its_percentiles_computed() {
    let bench = Bench::new(b"x");
    let bundle = old_bundle(&bench);
    let folder = benchmark(&bench, &samples(200), |_| {});
    let run = folder.to_str().unwrap();
    let ended =
        import(&bench, "trtmc-benchmark", &[run], &bundle, &["--bundle-as", ELSEWHERE, "--route", "mini"]);
    let document = document(&bench, &ended);
    assert_eq!(document["boundBy"], "path_as_stated");
    assert_eq!(document["latency"]["samplesMs"].as_array().unwrap().len(), 200);
    assert_eq!(document["latency"]["warmUp"]["state"], "excluded");
    assert_eq!(
        (&document["figures"]["n"], &document["figures"]["p99"]["value"]),
        (&json!("200"), &json!(21.125625))
    );
    assert_eq!(document["environment"]["gpu"], "NVIDIA H200");
    let (statement, _) = bench.newest_statement();
    assert_eq!(statement.predicate_type, "urn:acta:import:v1");
    assert_eq!(statement.subject[0].sha256(), Some(Sha256Digest::of(&fs::read(&bundle).unwrap())));
    assert_eq!(statement.predicate["observed"]["driver"], "580.65.06");
    // The path itself binds where the report was made here.
    let here = fs::canonicalize(&bundle).unwrap();
    benchmark(&bench, &samples(20), |run| run["preparation"]["bundles"][0]["bundle"] = json!(here));
    let ended = import(&bench, "trtmc-benchmark", &[run], &bundle, &[]);
    assert_eq!(ended.json()["predicate"]["boundBy"], "path");
    assert_eq!(ended.json()["figures"]["p99"], json!({ "is": "insufficient", "found": 20, "needed": 100 }));
}

#[test]
fn a_report_for_another_bundle_or_an_older_one_is_refused() {
    let bench = Bench::new(b"x");
    let bundle = old_bundle(&bench);
    let folder = benchmark(&bench, &samples(20), |_| {});
    let run = folder.to_str().unwrap();
    let go = |more: &[&str]| import(&bench, "trtmc-benchmark", &[run], &bundle, more);
    refused(&bench, &go(&[]), "another bundle");
    refused(&bench, &go(&["--bundle-as", "/mnt/other.bundle"]), ELSEWHERE);
    age(&bundle, 4_000_000_000);
    refused(&bench, &go(&["--bundle-as", ELSEWHERE]), "older than the bundle");
    fs::remove_file(&bundle).unwrap();
    refused(&bench, &go(&["--bundle-as", ELSEWHERE]), "cannot be read");
}

#[test]
fn what_is_no_measurement_is_refused_and_leaves_nothing() {
    let bench = Bench::new(b"x");
    let bundle = old_bundle(&bench);
    let folder = benchmark(&bench, &samples(50), |_| {});
    let observations = folder.join("001-mini/observations.jsonl");
    let good = fs::read_to_string(&observations).unwrap();
    let result = fs::read_to_string(folder.join("result.json")).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let with = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line - 1] = text;
        lines.join("\n")
    };
    let mut swapped = lines.clone();
    swapped.swap(3, 4);
    for (text, words) in [
        (with(18, "{\"iteration\": 17, \"runtime_e2e_wall_ms\": NaN}"), "line 18"),
        (with(18, "{\"iteration\": 17, \"runtime_e2e_wall_ms\": -1.0}"), "runtime_e2e_wall_ms on line 18"),
        (with(18, "{\"iteration\": 17}"), "no latency"),
        (with(19, lines[17]), "iteration on line 19"),
        (with(5, "{\"iteration\": 4, \"measured_wall_ms\": 16.0}"), "measure two things"),
        (swapped.join("\n"), "iteration on line 4"),
        (lines[..47].join("\n"), "47 observations"),
        (good[..good.len() - 9].to_owned(), "line 50"),
        (String::new(), "there are no samples"),
        (good.replace("16.0", "16.5"), "not one of these observations"),
        (
            (0..50).map(|i| format!("{{\"iteration\":{i},\"runtime_e2e_wall_ms\":0}}\n")).collect(),
            "all samples are zero",
        ),
    ] {
        fs::write(&observations, text).unwrap();
        let go = import(
            &bench,
            "trtmc-benchmark",
            &[folder.to_str().unwrap()],
            &bundle,
            &["--bundle-as", ELSEWHERE],
        );
        refused(&bench, &go, words);
    }
    fs::write(&observations, &good).unwrap();
    for (from, to, words) in [
        ("trtmc.benchmark-run/v1", "trtmc.benchmark-run/v2", "benchmark-run/v2"),
        ("\"cells\"", "\"cellz\"", "missing field `cells`"),
        ("2026-11-29T20:31:29.916604+00:00", "yesterday", "started_at"),
        ("412.5", "-412.5", "load_ms"),
    ] {
        fs::write(folder.join("result.json"), result.replace(from, to)).unwrap();
        let go = import(
            &bench,
            "trtmc-benchmark",
            &[folder.to_str().unwrap()],
            &bundle,
            &["--bundle-as", ELSEWHERE],
        );
        refused(&bench, &go, words);
    }
    fs::write(folder.join("result.json"), &result).unwrap();
    fs::remove_file(&observations).unwrap();
    let go =
        import(&bench, "trtmc-benchmark", &[folder.to_str().unwrap()], &bundle, &["--bundle-as", ELSEWHERE]);
    refused(&bench, &go, "raw samples are missing");
}

#[test]
fn long_files_folders_and_wrong_formats_are_refused() {
    let bench = Bench::new(b"x");
    let bundle = old_bundle(&bench);
    let long = bench.agent.file("long.json", b"[");
    File::options().append(true).open(&long).unwrap().set_len((64 << 20) + 1).unwrap();
    refused(&bench, &import(&bench, "trtexec-times", &[&long], &bundle, &[]), "too long");
    fs::remove_file(&long).unwrap();
    let folder = bench.agent.home().to_str().unwrap();
    refused(&bench, &import(&bench, "trtexec-times", &[folder], &bundle, &[]), "this is a folder");
    refused(&bench, &import(&bench, "trtexec-times", &["/gone.json"], &bundle, &[]), "cannot be read");
    let two = bench.agent.file("a.json", b"[]");
    refused(&bench, &import(&bench, "trtexec-times", &[&two, &two], &bundle, &[]), "2 files");
    let ended = bench.agent.run(&["import", "onnx", &two, "--bundle", &bundle]);
    assert_eq!(ended.code(), 2, "{}", ended.stderr);
    let deep = bench.agent.file("deep.json", "[".repeat(100_000).as_bytes());
    for format in FORMATS {
        let ended = import(&bench, format, &[&deep], &bundle, &[]);
        assert_eq!(ended.code(), 2, "{format}: {}", ended.stderr);
    }
}
