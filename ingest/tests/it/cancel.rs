//! Builds that are asked to stop, or die.

use std::{
    fs,
    time::{Duration, Instant},
};

use acta_ledger::evidence::{
    artifact::{CleanupStatus, Disposition},
    build::{BuildSummary, FailureStage, Outcome, RetryPolicy, ValidationStatus},
    cancel::{CancelRecord, CancelSource, CancelState, NoCancelWindow},
    phase_tree::{PhaseState, PhaseTree},
};
use acta_ledger::log::digest::Sha256Digest;
use acta_tests::process::Ended;
use rustix::process::Signal;

use crate::setup::{Bench, Running, is_running, send, slow, summary, wide};

/// A cancelled build left nothing behind but evidence.
fn check_cancelled(bench: &Bench, summary: &BuildSummary, source: CancelSource) {
    assert_eq!(summary.outcome, Outcome::Cancelled, "{:?}", summary.failure);
    assert_eq!(summary.cancel_source, source);
    assert_eq!(summary.cleanup_status, CleanupStatus::Cleaned);
    assert_eq!(summary.retry_policy, RetryPolicy::RetryCold);
    assert_eq!(summary.validation_status, ValidationStatus::NotApplicable);
    assert!(summary.plan().is_none() && summary.failure.is_none());
    assert_eq!(summary.artifacts[0].disposition, Disposition::Removed);
    let cancel = summary.cancel.clone().unwrap();
    let latency = cancel.request_to_ack_ms.unwrap();
    assert_eq!(summary.cancel_latency_ms, Some(latency));
    assert!(latency > 0.0 && latency < 60_000.0, "{latency}");
    assert_eq!(cancel.censored_after_ms, None);
    assert!(cancel.request_to_delivery_ms.unwrap() <= latency);
    assert!(cancel.ack_to_return_ms.unwrap() <= cancel.ack_to_cleanup_ms.unwrap());
    let moments = [Some(cancel.requested_at), cancel.delivered_at, cancel.acknowledged_at];
    assert!(moments.is_sorted() && cancel.returned_at <= cancel.cleaned_at, "{cancel:?}");
    assert!(cancel.requested_offset_ns < cancel.acknowledged_offset_ns);
    assert!(!cancel.open_at_request.is_empty() && !cancel.open_at_acknowledgement.is_empty());
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    assert_eq!(bench.outbox(), [1, 0, 0]);
}

#[test]
fn ctrl_c_cancels_at_the_next_step() {
    let bench = Bench::new(&slow());
    let folder = bench.agent.home().join("evidence");
    let mut running = Running::start(bench.build_command(&["--evidence-dir", folder.to_str().unwrap()]));
    running.wait_for("building:").signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let summary = summary(&ended);
    check_cancelled(&bench, &summary, CancelSource::CtrlC);
    let tree: PhaseTree =
        serde_json::from_slice(&bench.blob(&ended.json()["predicate"]["phaseTree"]["digest"])).unwrap();
    let stopped: Vec<_> = tree.phases.iter().filter(|phase| phase.answered_stop).collect();
    assert!(!stopped.is_empty());
    assert_eq!(tree.phases[0].cancel_at_start, CancelState::None);
    assert_eq!(tree.phases[0].cancel_at_end, CancelState::Acknowledged);
    assert!(tree.phases.iter().all(|phase| phase.finished.is_some()), "TensorRT ends every open phase");
    let at_request: PhaseTree =
        serde_json::from_slice(&fs::read(folder.join("snapshot-at-request.json")).unwrap()).unwrap();
    let open = at_request.phases.iter().filter(|phase| phase.state == PhaseState::Running);
    assert_eq!(open.map(|phase| phase.id).collect::<Vec<_>>(), summary.cancel.unwrap().open_at_request);
    assert!(folder.join("snapshot-at-acknowledgement.json").exists());
}

#[test]
fn a_service_shutdown_and_a_timeout_are_other_sources() {
    let bench = Bench::new(&slow());
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:").signal(Signal::TERM);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    check_cancelled(&bench, &summary(&ended), CancelSource::Service);

    // On a busy machine the first of these may be over before the build call begins.
    for ms in [700, 2_000, 5_000] {
        let bench = Bench::new(&slow());
        let ended = bench.build(&["--timeout", &format!("{ms}ms")]);
        let summary = summary(&ended);
        if summary.cancel.as_ref().is_some_and(|cancel| cancel.requested_offset_ns.is_none()) {
            continue;
        }
        assert_eq!(ended.code(), 4, "{}", ended.stderr);
        check_cancelled(&bench, &summary, CancelSource::Ci);
        let cancel = summary.cancel.unwrap();
        assert!(cancel.reason.unwrap().contains("--timeout"));
        let after = cancel.requested_at.unix_ms() - summary.started_at.unix_ms();
        assert!((ms - 10..ms + 1_000).contains(&after), "the deadline's own moment counts, found {after} ms");
        return;
    }
    panic!("no timeout fell into the build call");
}

#[test]
fn a_cancel_before_the_build_call_is_obeyed_without_it() {
    let bench = Bench::new(&slow());
    let ended = bench.build(&["--timeout", "1ms"]);
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!(summary.outcome, Outcome::Cancelled);
    let cancel = summary.cancel.unwrap();
    assert_eq!((cancel.request_to_ack_ms, cancel.requested_offset_ns), (None, None));
    assert!(cancel.censored_after_ms.unwrap() > 0.0, "never dropped, never zero");
    assert!(summary.phase_tree.is_none() && bench.files().is_empty());
}

#[test]
fn an_existing_plan_survives_a_cancel() {
    let bench = Bench::new(&slow());
    fs::write(&bench.plan, "the old plan").unwrap();
    let ended = bench.build(&["--timeout", "600ms"]);
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    assert_eq!(fs::read(&bench.plan).unwrap(), b"the old plan");
    assert_eq!(bench.files(), ["model.plan"]);
}

/// The second request says what a third would break; the third kills, and nothing is measured.
#[test]
fn the_third_ctrl_c_kills() {
    let bench = Bench::new(&slow());
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    let worker = running.worker();
    // A worker that cannot answer: as in a step that never ends.
    send(worker, Signal::STOP);
    running
        .signal(Signal::INT)
        .wait_for("cancel requested")
        .signal(Signal::INT)
        .wait_for("is not to be trusted again");
    let ended = {
        running.signal(Signal::INT);
        running.end()
    };
    assert_eq!(ended.code(), 5, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!((summary.outcome, summary.cancel_source), (Outcome::Killed, CancelSource::CtrlC));
    assert_eq!(summary.cancel_latency_ms, None);
    assert!(summary.cancel.unwrap().censored_after_ms.unwrap() > 0.0);
    assert_eq!(summary.failure.unwrap().signal, Some(9));
    assert!(bench.files().is_empty() && !is_running(worker));
}

#[test]
fn a_worker_that_dies_is_evidence_and_leaves_nothing() {
    let bench = Bench::new(&slow());
    fs::write(&bench.plan, "the old plan").unwrap();
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    send(running.worker(), Signal::KILL);
    let ended = running.end();
    assert_eq!(ended.code(), 5, "{}", ended.stderr);
    let crashed = summary(&ended);
    assert_eq!(crashed.outcome, Outcome::Crashed);
    assert_eq!(crashed.cancel_source, CancelSource::None);
    let failure = crashed.failure.unwrap();
    assert_eq!((failure.stage, failure.signal), (FailureStage::Worker, Some(9)));
    assert_eq!(
        (crashed.retry_policy, crashed.cleanup_status),
        (RetryPolicy::Investigate, CleanupStatus::Cleaned)
    );
    let tree: PhaseTree =
        serde_json::from_slice(&bench.blob(&ended.json()["predicate"]["phaseTree"]["digest"])).unwrap();
    assert!(tree.phases.iter().any(|phase| phase.state == PhaseState::OpenAtCrash));
    assert_eq!(fs::read(&bench.plan).unwrap(), b"the old plan");
    assert_eq!(bench.files(), ["model.plan"]);
    assert_eq!(bench.outbox(), [1, 0, 0]);
}

/// Nobody is left who could sign now: the worker ends at once and removes what it would leave; the next start signs.
#[test]
fn a_supervisor_that_dies_leaves_no_partial_file() {
    let bench = Bench::new(&slow());
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    let worker = running.worker();
    running.signal(Signal::KILL);
    running.end();
    let mut rounds = 0;
    while is_running(worker) {
        std::thread::sleep(Duration::from_millis(50));
        rounds += 1;
        assert!(rounds < 600, "the worker does not end");
    }
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    assert_eq!(bench.outbox(), [1, 0, 0]);
}

fn check_too_late(bench: &Bench, ended: &Ended) -> CancelRecord {
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("although a cancel was requested"), "{}", ended.stderr);
    let summary = summary(ended);
    assert_eq!(summary.validation_status, ValidationStatus::Pending);
    let plan = fs::read(&bench.plan).unwrap();
    assert_eq!(summary.plan().unwrap().digest, Some(Sha256Digest::of(&plan)));
    let cancel = summary.cancel.unwrap();
    assert_eq!((summary.cancel_latency_ms, cancel.request_to_ack_ms), (None, None));
    assert!(cancel.censored_after_ms.unwrap() > 0.0, "never dropped, never zero: {cancel:?}");
    cancel
}

/// TensorRT makes no callback while it serializes: a request in that time is not seen, and a whole plan comes out.
#[test]
fn a_cancel_in_the_silent_end_is_ignored_by_the_library_and_said() {
    for _ in 0..10 {
        let bench = Bench::new(&wide());
        let mut running = Running::start(bench.build_command(&[]));
        running.wait_for("serializing").signal(Signal::INT);
        let ended = running.end();
        let offset = summary(&ended).cancel.and_then(|cancel| cancel.requested_offset_ns);
        if offset.is_some() {
            let cancel = check_too_late(&bench, &ended);
            assert!(cancel.deferrals.is_empty() && cancel.returned_offset_ns > offset);
            assert!(cancel.open_at_request.is_empty(), "no phase was open any more");
            return;
        }
    }
    panic!("no request fell into the silent end");
}

/// The write of the plan is not interrupted: a request in it waits, and the wait is on record.
#[test]
fn a_cancel_during_the_write_is_deferred_and_said() {
    for _ in 0..20 {
        let bench = Bench::new(&wide());
        let mut running = Running::start(bench.build_command(&[]));
        running.wait_for("building:");
        let begun = Instant::now();
        while bench.partial_bytes() == Some(0) && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        running.signal(Signal::INT);
        let ended = running.end();
        let deferred = summary(&ended).cancel.is_some_and(|cancel| !cancel.deferrals.is_empty());
        if deferred {
            let cancel = check_too_late(&bench, &ended);
            assert_eq!(cancel.deferrals[0].window, NoCancelWindow::ArtifactWrite);
            assert!(cancel.deferrals[0].deferred_ms > 0.0);
            return;
        }
    }
    panic!("no request met the write");
}
