//! Reports of other tools: generated ones, and every file of the corpus beside the workspace.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use acta_ledger::{evidence::import::ImportRecord, log::digest::Sha256Digest};
use acta_tests::{bundle::BundleWriter, process::Ended};
use serde_json::{Value, json};

use crate::{bundle::shared, setup::Bench};

const FORMATS: [&str; 8] = [
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
    File::options().append(true).open(&long).unwrap().set_len((256 << 20) + 1).unwrap();
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

/// Copies a folder of the corpus, so that its files are writable and younger than the bundle.
fn corpus(bench: &Bench, folder: &str) -> Option<PathBuf> {
    let from = shared(folder)?;
    let to = bench.agent.home().join(folder);
    copy(&from, &to);
    Some(to)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target)
        } else {
            fs::write(target, fs::read(&path).unwrap()).unwrap()
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

const BENCH_AS: [&str; 2] = ["--bundle-as", "/work/example/bench/model.bundle"];

#[test]
fn the_benchmarks_of_the_corpus_give_the_figures_of_their_manifest() {
    let bench = Bench::new(b"x");
    let Some(corpus) = corpus(&bench, "trtmc") else { return };
    let bundle = old_bundle(&bench);
    let go = |run: &str| {
        let folder = corpus.join("bench").join(run);
        import(&bench, "trtmc-benchmark", &[folder.to_str().unwrap()], &bundle, &BENCH_AS)
    };
    let near =
        |value: &Value, expected: f64| assert!((value.as_f64().unwrap() - expected).abs() < 5e-4, "{value}");
    let p99 = |run: &str, p50: f64, p95: f64| {
        let figures = go(run).json()["figures"].clone();
        near(&figures["p50"]["value"], p50);
        near(&figures["p95"]["value"], p95);
        figures["p99"]["value"].as_f64().unwrap()
    };
    let base = p99("n1000-base", 18.012, 18.541);
    assert!(p99("n1000-regressed", 19.912, 20.494) > base);
    let tail = p99("n1000-tail", 18.010, 18.586) / base;
    assert!((2.5..3.6).contains(&tail), "{tail}");
    let n50 = document(&bench, &go("n50"));
    assert_eq!(n50["figures"]["p99"], json!({ "is": "insufficient", "found": 50, "needed": 100 }));
    assert_eq!((&n50["peakMemoryBytes"], &n50["latency"]["warmUp"]["requests"]), (&Value::Null, &json!("5")));
    let codes = |document: &Value| -> Vec<String> {
        document["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| note["code"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(codes(&n50), ["telemetry_empty", "simulated_pipeline"]);
    let n1 = document(&bench, &go("n1"));
    assert_eq!(n1["figures"]["p50"], json!({ "is": "insufficient", "found": 1, "needed": 2 }));
    for (run, words) in
        [("nan", "line 18"), ("neg", "line 18"), ("dup", "line 19"), ("zero", "all samples are zero")]
    {
        let ended = go(run);
        assert_eq!(ended.code(), 2, "{run}: {}", ended.stdout);
        assert!(ended.stderr.contains(words), "{run}: {}", ended.stderr);
    }
    for run in ["short", "crash", "trunc"] {
        let document = document(&bench, &go(run));
        assert_eq!(
            (codes(&document)[0].as_str(), &document["latency"]),
            ("run_failed", &Value::Null),
            "{run}"
        );
        assert!(document["files"].as_array().unwrap().len() > 1, "{run}: the worker's files are kept");
    }
    for run in ["nan", "zero"] {
        let result = corpus.join("bench").join(run).join("result.json");
        let ended = import(&bench, "trtmc-benchmark", &[result.to_str().unwrap()], &bundle, &BENCH_AS);
        assert_eq!(
            codes(&document(&bench, &ended)),
            ["run_failed"],
            "{run}: the failed run alone is worth a record"
        );
    }
}

#[test]
fn validations_gates_and_build_times_of_the_corpus_say_what_their_manifest_says() {
    let bench = Bench::new(b"x");
    let Some(corpus) = corpus(&bench, "trtmc") else { return };
    let bundle = old_bundle(&bench);
    let outcome = |format: &str, file: &str, more: &[&str]| {
        let path = corpus.join(file);
        let ended = import(&bench, format, &[path.to_str().unwrap()], &bundle, more);
        let document = document(&bench, &ended);
        (document["outcome"]["verdict"].as_str().unwrap_or("none").to_owned(), document)
    };
    let (verdict, both) =
        outcome("trtmc-validation", "validation/recovered-after-rebuild/comparison.json", &[]);
    assert_eq!(verdict, "pass");
    assert!(both["outcome"]["text"].as_str().unwrap().contains("recovered_after_rebuild"), "{both}");
    assert_eq!(both["notes"][0]["code"], "first_attempt");
    assert_eq!(both["report"]["bundleRevalidation"]["initial"]["metrics"]["prediction_agreement_rate"], 0.25);
    let reused = "validation/recovered-after-rebuild/comparison.reused-bundle.json";
    for (format, file, expected) in [
        ("trtmc-validation", reused, "fail"),
        ("trtmc-validation", "validation/skipped-preflight/comparison.json", "fail"),
        ("trtmc-gate", "gate-evaluation/pass.json", "pass"),
        ("trtmc-gate", "gate-evaluation/fail.json", "fail"),
        ("trtmc-gate", "gate-evaluation/observation-only.json", "not_run"),
        ("trtmc-gate", "gate-evaluation/invalid-no-samples.json", "hold"),
        ("trtmc-gate", "gate-evaluation/invalid-nan.json", "hold"),
        ("trtmc-gate", "gate-evaluation/invalid-missing-metric.json", "hold"),
        ("trtmc-gate", "gate-evaluation/invalid-empty-policy.json", "hold"),
    ] {
        assert_eq!(outcome(format, file, &[]).0, expected, "{file}");
    }
    for (build, place, finished, total) in [
        (
            "tiny-distilbert-fp32",
            "/work/example/tiny-distilbert-fp32.bundle",
            true,
            json!(0.6628605980001794),
        ),
        (
            "tiny-qwen2-split-fp32",
            "/work/example/tiny-qwen2-split-fp32.bundle",
            true,
            json!(0.8180493009999736),
        ),
        ("killed-during-write", "/work/example/killed-write.bundle", false, Value::Null),
    ] {
        let file = format!("build/{build}/build-timing.json");
        let (verdict, document) = outcome("trtmc-build-timing", &file, &["--bundle-as", place]);
        assert_eq!(
            (&document["report"]["finished"], &document["report"]["totalS"]),
            (&json!(finished), &total)
        );
        assert_eq!(verdict, if finished { "none" } else { "fail" });
    }
}

#[test]
fn the_exports_of_the_corpus_give_the_figures_of_their_manifest() {
    let bench = Bench::new(b"x");
    let Some(corpus) = corpus(&bench, "trtexec") else { return };
    let bundle = old_bundle(&bench);
    let go = |format: &str, file: &str| {
        let path = corpus.join(file);
        document(&bench, &import(&bench, format, &[path.to_str().unwrap()], &bundle, &[]))
    };
    let near = |value: &Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 6e-7, "{value} {expected}")
    };
    let times = go("trtexec-times", "resnet-a100-fp16/resnet.onnx.engine.timing.json");
    assert_eq!((&times["report"]["entries"], &times["report"]["dropped"]), (&json!("3698"), &json!("230")));
    let with = &times["report"]["withWarmUp"];
    for (figure, expected) in [("p50", 0.862183), ("p90", 0.867432), ("p95", 0.869324), ("p99", 0.870605)] {
        near(&with[figure]["value"], expected);
    }
    near(&with["minMs"], 0.842751);
    near(&with["maxMs"], 0.873472);
    let figures = &times["figures"];
    assert_eq!(
        (&figures["n"], &figures["warmUp"], &figures["rule"]),
        (&json!("3468"), &json!("excluded"), &json!("linear_interpolation"))
    );
    near(&figures["minMs"], 0.856049);
    near(&figures["maxMs"], 0.872559);
    assert!((figures["meanMs"].as_f64().unwrap() - 0.86277).abs() < 5e-6);
    near(&figures["p50"]["value"], 0.862183);
    near(&figures["p99"]["value"], 0.870847);
    near(&times["report"]["asTrtexecPrints"]["p99Ms"], 0.871338);
    near(&times["report"]["asTrtexecPrints"]["p50Ms"], 0.862183);
    assert!((times["report"]["throughputPerS"].as_f64().unwrap() - 1155.36).abs() < 0.5);

    for (folder, layers, runs) in [("resnet-a100-fp16", 36, "1"), ("resnet-rtx3090-fp32", 103, "1")] {
        let profile = go("trtexec-profile", &format!("{folder}/resnet.onnx.engine.profile.json"));
        let percent: f64 = profile["report"]["layers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["percentage"].as_f64().unwrap())
            .sum();
        assert!((percent - 100.0).abs() < 0.01, "{percent}");
        assert_eq!(profile["report"]["layers"].as_array().unwrap().len(), layers);
        assert_eq!(
            (&profile["report"]["runs"], &profile["report"]["validJson"]),
            (&json!(runs), &json!(true))
        );
        let graph = go("trtexec-layers", &format!("{folder}/resnet.onnx.engine.graph.json"));
        assert_eq!(
            (&graph["dialect"], &graph["report"]["count"]),
            (&json!("detailed"), &json!(layers.to_string()))
        );
        assert_eq!(graph["report"]["bindings"].as_array().unwrap().len(), 2);
    }
    let profile = go("trtexec-profile", "yolo-orin-int8/profile.json");
    let layers = go("trtexec-layers", "yolo-orin-int8/layer_info.json");
    assert_eq!((&profile["report"]["runs"], &layers["dialect"]), (&json!("11"), &json!("layer_names_only")));
    let names = |document: &Value| -> Vec<String> {
        document["report"]["layers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&profile).len(), 86);
    assert_eq!(names(&profile), names(&layers), "the same names in the same order");
}

#[test]
fn the_logs_of_the_corpus_are_read_as_their_manifest_says_and_prove_nothing() {
    let bench = Bench::new(b"x");
    let Some(corpus) = corpus(&bench, "trtexec") else { return };
    let bundle = old_bundle(&bench);
    let go = |file: &str| {
        let path = corpus.join(file);
        document(&bench, &import(&bench, "trtexec-log", &[path.to_str().unwrap()], &bundle, &[]))
    };
    for (file, ending, state, proven, quarantine, verdict) in [
        ("cache-reused", "passed", json!("reused"), false, false, "not_run"),
        ("cache-cold", "passed", json!("cold"), true, false, "not_run"),
        ("cache-discarded-header-mismatch", "passed", json!("discarded"), true, false, "not_run"),
        ("cache-corrupt", "passed", json!("discarded"), true, true, "not_run"),
        ("killed-mid-build", "none", json!("quarantined"), true, true, "fail"),
        ("parse-failed", "failed", Value::Null, false, false, "fail"),
        ("no-implementation", "failed", json!("cold"), true, false, "fail"),
    ] {
        let log = go(&format!("reconstructed-logs/{file}.log"));
        let cache = &log["report"]["timingCache"];
        assert_eq!((&log["report"]["ending"], &cache["state"]), (&json!(ending), &state), "{file}");
        assert_eq!(
            (&cache["proven"], &cache["quarantineFile"]),
            (&json!(proven), &json!(quarantine)),
            "{file}"
        );
        assert_eq!(log["outcome"]["verdict"], verdict, "{file}");
        assert_eq!(log["report"]["cut"], file == "killed-mid-build", "{file}");
    }
    let reused = go("reconstructed-logs/cache-reused.log");
    let cache = &reused["report"]["timingCache"];
    assert_eq!((&cache["offeredBytes"], &cache["savedBytes"]), (&json!("51322"), &json!("51322")));
    assert!(
        go("reconstructed-logs/no-implementation.log")["report"]["firstErrors"][0]
            .as_str()
            .unwrap()
            .contains("Error Code 10")
    );
    let yolo = go("yolo-orin-int8/build-and-run.verbose.log");
    let report = &yolo["report"];
    assert_eq!(
        (&report["lines"], &report["tensorrtBuild"], &report["device"]),
        (&json!("12933"), &json!("v8502"), &json!("Orin"))
    );
    assert_eq!(
        report["build"],
        json!({ "tacticsS": 309.95, "generationS": 314.751, "builtS": 320.636,
        "createdMib": null, "timingRunners": "740" })
    );
    assert_eq!((&report["saveEngine"], &report["summary"]["latency"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&report["timingCache"]["state"], &report["timingCache"]["option"]),
        (&json!("cold"), &json!("local"))
    );
}

#[test]
fn every_file_of_the_corpus_is_either_read_or_refused_with_its_reason_in_every_format() {
    let bench = Bench::new(b"x");
    let folders = ["trtmc", "trtexec"].map(|folder| corpus(&bench, folder));
    let bundle = old_bundle(&bench);
    let (mut read, mut refused) = (0, 0);
    for path in folders.iter().flatten().flat_map(|folder| files(folder)) {
        for format in FORMATS {
            let ended = import(&bench, format, &[path.to_str().unwrap()], &bundle, &[]);
            let error = &ended.json()["error"];
            match ended.code() {
                0 => read += 1,
                2 => {
                    assert!(
                        error["field"].is_string() && error["what"].is_string(),
                        "{path:?} {format}: {error}"
                    );
                    refused += 1;
                }
                code => panic!("{path:?} {format}: {code}: {}", ended.stderr),
            }
        }
    }
    assert_eq!(bench.outbox(), [read, 0, 0], "what was refused is not signed");
    if folders.iter().all(Option::is_some) {
        assert!(read > 20 && refused > 400, "{read} {refused}");
    }
}
