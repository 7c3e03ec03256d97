//! Reports of other tools: every file of the corpus beside the workspace, with the figures of its manifests. Without the
//! corpus there is nothing to look at.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    bundle::shared,
    import::{FORMATS, document, import, old_bundle},
    setup::Bench,
};

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
