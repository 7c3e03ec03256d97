use serde_json::json;

use super::{super::route::script::*, *};
use crate::evidence::{
    canary::CanaryPhase,
    decision::DecisionKind,
    rollback::{OrderAction, RollbackStep},
};

fn summary(run: u128, network: Sha256Digest) -> BuildSummary {
    let durations = json!({ "parse": null, "build": 1.0, "serialize": null, "write": null, "total": 2.0 });
    serde_json::from_value(json!({
        "framework": crate::evidence::build::FRAMEWORK, "tensorrtVersion": "1.7.1.116", "language": "cpp",
        "buildConfigHash": Sha256Digest([3; 32]), "gpuSku": "NVIDIA H200", "timingCacheMode": "cold",
        "cancelSource": "none", "cancelLatencyMs": null, "cleanupStatus": "not_needed", "retryPolicy": "none",
        "validationStatus": "pending",
        "run": { "id": Uuid::from_u128(run), "route": ROUTE, "attempt": 1, "retryOf": null },
        "outcome": "completed", "builder": "tensorrt_rtx",
        "startedAt": "2026-11-29T09:00:00Z", "finishedAt": "2026-11-29T09:00:02Z", "library": null,
        "host": { "os": "a", "kernel": "b", "architecture": "c", "cpus": 2, "container": null, "driver": null,
            "cuda": null },
        "gpu": null,
        "network": { "source": "net.onnx", "digest": network, "bytes": 16, "layers": 3, "inputs": [],
            "outputs": [], "stronglyTyped": true },
        "settings": {}, "profiles": [], "commandLine": [], "durationMs": durations, "phaseTree": null,
        "events": null, "log": null,
        "resources": { "peakRssBytes": null, "cpuMs": null, "peakThreads": null }, "outputPath": "net.plan",
        "artifacts": [{ "name": "net.plan", "kind": "plan", "bytes": 9, "digest": Sha256Digest([4; 32]),
            "disposition": "kept" }],
        "timingCache": { "file": null, "digestBefore": null, "digestAfter": null, "bytesBefore": null,
            "bytesAfter": null, "policy": "strict", "reasons": [] },
        "cancel": null, "failure": null, "chain": { "sequence": 1, "previous": null },
    }))
    .unwrap()
}

const RUN: u128 = 42;

/// Gates 2 and 3 name the run; gate 1's files hold the network that it built.
fn built() -> Script {
    let mut script = Script::new();
    script.define();
    for gate in Gate::ALL {
        script.gate_with(gate, A, |record| {
            if matches!(gate, Gate::Build | Gate::Bundle) {
                record.run = Some(Uuid::from_u128(RUN));
            }
            if let Some(files) = record.checks.iter_mut().find(|it| it.name == "weight_files") {
                files.value = json!([{ "path": "net.onnx", "digest": Sha256Digest([9; 32]) }]);
            }
        });
    }
    script.canary(CanaryPhase::Planned, A).way_back(A);
    script
}

fn served() -> Script {
    let mut script = built();
    script.decide(DecisionKind::Approve, "ana", A).order(OrderAction::Deploy, 1, A);
    script.result(OrderAction::Deploy, 1, A, RollbackStep::Verified, Some(A));
    script.canary(CanaryPhase::Pass, A);
    script
}

fn of(script: &Script, summaries: &[BuildSummary]) -> Trace {
    let runs: Vec<LoggedRun<'_>> = summaries
        .iter()
        .map(|summary| LoggedRun { index: 100, leaf: Sha256Digest([5; 32]), signer: "h200-builder", summary })
        .collect();
    trace(ROUTE, A, &script.log(), &runs, now())
}

fn states(trace: &Trace) -> Vec<StepState> {
    trace.steps.iter().map(|step| step.state).collect()
}

fn untied(trace: &Trace) -> Vec<(StepKind, StepKind)> {
    trace.untied().map(|link| (link.from, link.to)).collect()
}

#[test]
fn a_bundle_that_was_traced_whole_has_ten_known_steps_and_every_tie() {
    let trace = of(&served(), &[summary(7, Sha256Digest([9; 32])), summary(RUN, Sha256Digest([9; 32]))]);
    assert_eq!(trace.steps.iter().map(|step| step.step).collect::<Vec<_>>(), StepKind::ALL);
    assert_eq!(states(&trace), [StepState::Known; 10], "{:?}", trace.gaps().collect::<Vec<_>>());
    assert_eq!((untied(&trace), trace.gaps().count(), trace.unread), (vec![], 0, None));
    assert!(trace.links.iter().all(|link| link.known && link.from < link.to), "{:?}", trace.links);
    assert_eq!(trace.run, Some(Uuid::from_u128(RUN)));
    let facts = |kind| trace.step(kind).unwrap().facts.iter().map(|it| it.name.as_str()).collect::<Vec<_>>();
    assert_eq!(facts(StepKind::Checkpoint)[..3], ["checkpoint", "checkpoint_revision", "checkpoint_id"]);
    assert_eq!(
        facts(StepKind::Files),
        ["config_files", "weight_files", "tokenizer_files", "processor_files"]
    );
    assert!(facts(StepKind::Environment).contains(&"observed_driver"));
    assert!(facts(StepKind::Recipe).contains(&"recipe") && !facts(StepKind::Recipe).contains(&"cuda"));
    assert_eq!(facts(StepKind::Live), ["deploy_ordered", "deploy_verified"]);
    let class = |kind: StepKind, at: usize| trace.step(kind).unwrap().facts[at].class;
    assert_eq!(class(StepKind::Checkpoint, 0), FactClass::StatedByPerson);
    assert_eq!(class(StepKind::Run, 0), FactClass::Measured);
    assert_eq!(class(StepKind::Decisions, 0), FactClass::StatedByPerson);
    let sources = &trace.step(StepKind::Run).unwrap().sources;
    assert_eq!((sources[0].index, sources[0].signer.as_str()), (100, "h200-builder"));
    // What is told survives being sent.
    let json = serde_json::to_string(&trace).unwrap();
    assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), trace);
}

#[test]
fn what_no_entry_says_is_unknown_or_has_not_come_yet() {
    use StepState::{NotYet, Unknown};
    let mut empty = Script::new();
    empty.skip();
    let trace = of(&empty, &[]);
    let mut expected = vec![Unknown; 8];
    expected.extend([NotYet; 2]);
    assert_eq!(states(&trace), expected);
    assert!(trace.links.iter().all(|link| !link.known));
    assert_eq!(untied(&trace), [], "between steps of which nothing is known there is no tie to miss");
    assert_eq!(trace.step(StepKind::Run).unwrap().gaps, [Gap::RunNotNamed]);
    assert_eq!(trace.step(StepKind::Files).unwrap().gaps, [Gap::NoEntry]);
    // An order that no agent answered has not put anything into service.
    let mut script = built();
    script.order(OrderAction::Deploy, 1, A);
    assert_eq!(of(&script, &[]).step(StepKind::Decisions).unwrap().state, NotYet);
}

#[test]
fn each_gap_is_named_where_it_is() {
    type Change = fn(&mut GateRecord);
    let missing: Change = |record| record.checks.retain(|check| check.name != "recipe");
    let failed: Change = |record| {
        record
            .checks
            .iter_mut()
            .filter(|it| it.name == "cuda")
            .for_each(|it| it.verdict = CheckVerdict::Hold);
    };
    let vendor: Change = |record| {
        let recipe = record.checks.iter_mut().filter(|it| it.name == "recipe");
        recipe.for_each(|it| it.class = FactClass::VendorClaim);
    };
    let recipe = || "recipe".to_owned();
    for (change, kind, gap) in [
        (missing, StepKind::Recipe, Gap::CheckMissing { check: recipe() }),
        (vendor, StepKind::Recipe, Gap::VendorClaim { check: recipe() }),
        (
            failed,
            StepKind::Environment,
            Gap::CheckNotPassed { check: "cuda".to_owned(), verdict: CheckVerdict::Hold },
        ),
    ] {
        let mut script = served();
        script.gate_with(Gate::Build, A, |record| {
            record.run = Some(Uuid::from_u128(RUN));
            change(record);
        });
        let trace = of(&script, &[summary(RUN, Sha256Digest([9; 32]))]);
        let step = trace.step(kind).unwrap();
        assert_eq!((&step.gaps[..], step.state), (&[gap][..], StepState::Incomplete), "{kind:?}");
    }
    let mut elsewhere = served();
    elsewhere.gate_with(Gate::Parity, A, |record| record.runtime_target = Some("another".to_owned()));
    let trace = of(&elsewhere, &[]);
    assert_eq!(trace.step(StepKind::Parity).unwrap().gaps, [Gap::GateClosed { gate: Gate::Parity }]);
    assert_eq!(trace.step(StepKind::Run).unwrap().gaps, [Gap::RunNotLogged { run: Uuid::from_u128(RUN) }]);
    let planned = of(&built(), &[]);
    assert_eq!(planned.step(StepKind::Canary).unwrap().gaps, [Gap::CanaryWithoutVerdict]);
    let mut simulated = summary(RUN, Sha256Digest([9; 32]));
    simulated.builder = crate::evidence::build::BuilderKind::Simulated;
    assert_eq!(of(&served(), &[simulated]).step(StepKind::Run).unwrap().gaps, [Gap::RunSimulated]);
}

#[test]
fn a_tie_that_no_entry_makes_is_not_drawn() {
    use StepKind::{Bundle, Canary, Decisions, Files, Live, Parity, Run};
    let other_network = of(&served(), &[summary(RUN, Sha256Digest([8; 32]))]);
    assert_eq!(untied(&other_network), [(Files, Run)]);
    let mut stated = served();
    stated.gate_with(Gate::Bundle, A, |record| {
        record.run = Some(Uuid::from_u128(RUN));
        let provenance = record.checks.iter_mut().filter(|it| it.name == "provenance");
        provenance.for_each(|it| it.class = FactClass::StatedByBundle);
    });
    assert_eq!(untied(&of(&stated, &[summary(RUN, Sha256Digest([9; 32]))])), [(Run, Bundle)]);
    let mut rolled_back_to = built();
    rolled_back_to.result(OrderAction::Rollback, 1, A, RollbackStep::Verified, Some(A));
    rolled_back_to.decide_with(DecisionKind::Approve, "ana", A, |it| it.evidence.clear());
    assert_eq!(
        untied(&of(&rolled_back_to, &[summary(RUN, Sha256Digest([9; 32]))])),
        [(Parity, Decisions), (Canary, Decisions), (Decisions, Live)]
    );
}

#[test]
fn a_log_with_a_gap_says_so() {
    let script = served();
    let log = script.log().without(3);
    let trace = trace(ROUTE, A, &log, &[], now());
    assert_eq!(trace.unread, Some((3, 4)));
    assert!(run_of("another", A, &script.log(), now()).is_none());
}
