//! The acceptance test on the real library: one scenario by a signal, one by an editor, one by a program, one by a change
//! of settings.

use std::time::Duration;

use acta_ledger::{
    evidence::{
        acceptance::{AcceptanceRecord, Criterion, FolderListing, Role, Scenario, Verdict},
        build::{BuilderKind, Outcome},
        cancel::CancelSource,
    },
    judge::acceptance::{AttemptEvidence, ScenarioFacts, judge},
};
use acta_tests::process::{Agent, Ended};
use rustix::process::Signal;
use serde_json::json;

use crate::setup::{Bench, Running, explain};

fn record(ended: &Ended) -> AcceptanceRecord {
    serde_json::from_value(ended.json()["predicate"].clone()).unwrap()
}

/// The evidence of a scenario, out of the agent's own statements and blobs.
fn facts(bench: &Bench, record: &AcceptanceRecord, scenario: Scenario) -> ScenarioFacts {
    let runs = record.scenarios.iter().find(|it| it.scenario == scenario).unwrap().runs.clone();
    let evidence = runs.iter().map(|run| {
        let summary = bench.summary_of(run.run, &run.entry_digest);
        let blob = |digest: acta_ledger::log::digest::Sha256Digest| bench.blob(&json!(digest));
        AttemptEvidence {
            tree: summary.phase_tree.as_ref().map(|tree| blob(tree.digest)),
            events: summary.events.as_ref().map(|events| blob(events.digest)),
            listing: blob(run.listing),
            summary,
        }
    });
    ScenarioFacts { evidence: evidence.collect(), runs }
}

#[test]
fn four_scenarios_run_and_anybody_can_judge_them_again() {
    let bench = Bench::new(b"unused");
    let chosen = [Scenario::NewGpuSku, Scenario::CtrlC, Scenario::IdeStop, Scenario::ExternalEventLoop];
    let names = ["new_gpu_sku", "ctrl_c", "ide_stop", "external_event_loop"];
    let arguments = names.iter().flat_map(|name| ["--scenario", name]);
    let arguments: Vec<&str> = ["acceptance", "--json", "--quiet"].into_iter().chain(arguments).collect();
    let ended = explain(bench.agent.run(&arguments));
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    let record = record(&ended);
    record.check().unwrap();
    let (statement, digest) = bench.newest_statement();
    assert_eq!(ended.json()["envelopeDigest"], json!(digest));
    assert_eq!(
        statement.predicate::<AcceptanceRecord>().unwrap(),
        record,
        "what is signed is what is printed"
    );
    assert_eq!(record.builder, BuilderKind::TensorrtRtx);
    assert_eq!((record.tally().ran, record.tally().passed, record.tally().failed), (4, 4, 0));

    for scenario in &record.scenarios {
        if !chosen.contains(&scenario.scenario) {
            assert_eq!(scenario.not_run.as_ref().unwrap().reason, "not_selected");
            continue;
        }
        let facts = facts(&bench, &record, scenario.scenario);
        assert_eq!(judge(scenario.scenario, &facts), scenario.criteria, "{:?}", scenario.scenario);
        // Taken away, the retry is missed.
        let mut less = facts.clone();
        less.evidence.pop();
        assert!(judge(scenario.scenario, &less).iter().all(|it| it.verdict == Verdict::NotRun));
        for (run, evidence) in scenario.runs.iter().zip(&facts.evidence) {
            let listing: FolderListing = serde_json::from_slice(&evidence.listing).unwrap();
            let made =
                run.outcome == Outcome::Completed || run.outcome == Outcome::CancelRequestedButCompleted;
            assert_eq!(listing.after.len(), usize::from(made), "{run:?} {listing:?}");
            let source = match (run.role, scenario.scenario) {
                (Role::Faulted, Scenario::CtrlC) => CancelSource::CtrlC,
                (Role::Faulted, Scenario::IdeStop) => CancelSource::Ide,
                (Role::Faulted, Scenario::ExternalEventLoop) => CancelSource::EventLoop,
                (Role::Faulted, _) => CancelSource::Api,
                _ => CancelSource::None,
            };
            assert_eq!(evidence.summary.cancel_source, source, "{run:?}");
        }
        assert_eq!(scenario.criterion(Criterion::Retryable).unwrap().reason, "completed");
    }
    let statements: u64 = record.scenarios.iter().map(|it| it.runs.len() as u64).sum();
    assert_eq!(bench.outbox(), [statements + 1, 0, 0]);
}

/// The build that runs is cancelled in order, and what was reached is signed; at whatever moment the signal comes, also
/// while the next build's process begins and does not listen yet.
#[test]
fn a_signal_stops_the_test_in_order() {
    for wait_ms in [0, 2, 5, 10, 20, 60] {
        stop_after_the_baseline(Duration::from_millis(wait_ms));
    }
}

fn stop_after_the_baseline(wait: Duration) {
    let bench = Bench::new(b"unused");
    let command =
        bench.agent.command(&["acceptance", "--scenario", "ctrl_c", "--scenario", "service_shutdown"]);
    let mut running = Running::start(command);
    running.wait_for("ctrl_c: baseline completed");
    std::thread::sleep(wait);
    running.signal(Signal::TERM);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "after {wait:?}: {}{}", ended.stdout, ended.stderr);
    let (statement, _) = bench.newest_statement();
    let record: AcceptanceRecord = statement.predicate().unwrap();
    let stopped: Vec<_> = [Scenario::CtrlC, Scenario::ServiceShutdown]
        .iter()
        .map(|wanted| record.scenarios.iter().find(|it| it.scenario == *wanted).unwrap())
        .collect();
    assert!(
        stopped.iter().all(|it| it.not_run.as_ref().is_some_and(|it| it.reason == "stopped")),
        "{stopped:?}"
    );
    assert!(!stopped[0].runs.is_empty() && stopped[1].runs.is_empty(), "{stopped:?}");
    assert!(stopped[0].runs.iter().all(|run| run.role != Role::Retry), "{stopped:?}");
    assert_eq!(bench.outbox()[0], stopped[0].runs.len() as u64 + 1, "every build is on record");
}

#[test]
fn scenarios_that_cannot_be_and_libraries_that_are_not_there_are_said() {
    let agent = Agent::init();
    let wrong = agent.run(&["acceptance", "--scenario", "sunspots"]);
    assert_eq!(wrong.code(), 2);
    assert!(
        wrong.stderr.contains("cold_timing_cache") && wrong.stderr.contains("sunspots"),
        "{}",
        wrong.stderr
    );
    let none = agent.run(&["acceptance", "--tensorrt-lib", "/nowhere", "--scenario", "ctrl_c"]);
    assert_eq!(none.code(), 3, "{}{}", none.stdout, none.stderr);
    assert!(none.stderr.contains("the test needs a TensorRT library"), "{}", none.stderr);
    assert!(none.stderr.contains("--tensorrt-lib"), "{}", none.stderr);
}
