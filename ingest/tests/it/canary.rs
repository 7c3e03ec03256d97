//! Canaries, by the real program.

use std::fs;

use acta_ledger::{
    evidence::{
        canary::{CanaryPhase, CanaryRecord},
        gate::CheckVerdict,
    },
    log::digest::Sha256Digest,
};
use acta_tests::process::Ended;
use serde_json::json;

use crate::{
    gate::{record, verdict},
    release::{canary_samples, measured},
};

#[test]
fn a_canary_goes_from_its_plan_to_its_verdict() {
    let it = measured();
    let digest = format!("sha256:{}", Sha256Digest::of(&fs::read(&it.bundle).unwrap()));
    let plan = it.path("plan.toml");
    let push = |more: &[&str]| {
        let arguments = ["canary", "push", "--route", "mini", "--bundle", &digest, "--plan", &plan, "--json"];
        it.bench.agent.run(&[&arguments[..], more].concat())
    };
    let target = ["--runtime-target", "native_cpp_task_api_on_nvidia_h200"];
    let read = |ended: &Ended| -> CanaryRecord {
        serde_json::from_value(ended.json()["predicate"].clone())
            .unwrap_or_else(|error| panic!("{error}: {}", ended.stderr))
    };
    let phase = |more: &[&str]| {
        let ended = push(&[&target[..], more].concat());
        (read(&ended).phase, ended.code())
    };
    assert_eq!(phase(&[]), (CanaryPhase::Planned, 0));
    assert_eq!(phase(&["--running"]), (CanaryPhase::Running, 0));
    let samples = it.path("canary.json");
    canary_samples(&it.bench, 50, 0, 500.0);
    assert_eq!(phase(&["--samples", &samples]), (CanaryPhase::Running, 0), "too early");
    canary_samples(&it.bench, 200, 0, 2000.0);
    let ended = push(&[&target[..], &["--samples", &samples]].concat());
    let passed = read(&ended);
    assert_eq!((passed.phase, ended.code()), (CanaryPhase::Pass, 0));
    let measurement = passed.measurement.unwrap();
    assert_eq!((measurement.requests.0, measurement.p50_ms), (200, Some(18.0)));
    assert_eq!(it.bench.blob(&json!(measurement.samples)), fs::read(&samples).unwrap());
    canary_samples(&it.bench, 200, 50, 2000.0);
    let ended = push(&[&target[..], &["--samples", &samples]].concat());
    let failed = read(&ended);
    assert_eq!(
        (failed.phase, failed.broken, ended.code()),
        (CanaryPhase::Failed, vec!["error_rate".to_owned()], 7)
    );
    // The plan on record serves gate 5.
    let found = record(&it.run(&["--latency", &it.path("latency.json")]));
    assert_eq!(verdict(&found, "canary_plan").0, CheckVerdict::Pass);

    let waiting = it.bench.outbox();
    for (text, words) in [
        ("[1,2]", "does not have its form"),
        ("{\"samplesMs\":[1,NaN],\"errors\":\"0\",\"durationMs\":1}", "NaN and Infinity"),
        ("{\"samplesMs\":[1,-1],\"errors\":\"0\",\"durationMs\":1}", "samplesMs[1]"),
        ("{\"samplesMs\":[],\"errors\":\"0\",\"durationMs\":1}", "there are no samples"),
        ("{\"samplesMs\":[1],\"durationMs\":1}", "errors"),
    ] {
        it.bench.agent.file("canary.json", text.as_bytes());
        let ended = push(&[&target[..], &["--samples", &samples]].concat());
        assert!(ended.code() == 2 && ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    let ended = push(&[]);
    assert!(ended.code() == 2 && ended.stderr.contains("where the canary runs"), "{}", ended.stderr);
    assert_eq!(it.bench.outbox(), waiting);
}
