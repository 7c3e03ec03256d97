//! No-cancel windows that last: a request in one waits, is told of, and stands in the evidence with how long it waited.

use std::{fs, path::PathBuf};

use acta_ledger::evidence::{
    build::{Outcome, Purpose},
    cancel::{
        CancelRecord, CancelSource, EscalationCause,
        NoCancelWindow::{self, ArtifactWrite, Cleanup, EvidenceAtRisk, NoRollbackRoute},
    },
};
use acta_tests::{
    onnx,
    strace::{Fault, Strace},
};
use rustix::process::Signal;

use crate::{
    orphan_command::{number_after, wait_until},
    run::Place,
    setup::{Bench, Running, is_running, summary},
};

fn windows(cancel: &CancelRecord) -> Vec<NoCancelWindow> {
    cancel.deferrals.iter().map(|deferral| deferral.window).collect()
}

#[test]
fn production_without_a_way_back_gets_its_engine_first() {
    let bench = Bench::new(&onnx::chain(100, 64));
    let options = ["--purpose", "production", "--route", "team/route-1"];
    let mut running = Running::start(bench.build_command(&options));
    running.wait_for("building:").signal(Signal::INT).wait_for("it waits until the engine stands");
    let ended = running.end();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("no other engine for it is known and found"), "{}", ended.stderr);
    assert!(ended.stderr.contains("production would have had no way back"), "{}", ended.stderr);
    let held = summary(&ended);
    assert_eq!(
        (held.outcome, held.purpose),
        (Outcome::CancelRequestedButCompleted, Some(Purpose::Production))
    );
    let cancel = held.cancel.unwrap();
    assert_eq!(windows(&cancel)[0], NoRollbackRoute);
    assert!(cancel.deferrals[0].deferred_ms > 0.0 && cancel.acknowledged_at.is_none());
    assert!(cancel.request_to_delivery_ms.unwrap() >= cancel.deferrals[0].deferred_ms);
    assert!(bench.plan.exists());

    // That engine came out against a request: nobody has said that it may be used. A completed one is a way back.
    let whole = bench.build(&options);
    assert_eq!(summary(&whole).outcome, Outcome::Completed, "{}", whole.stderr);
    let mut command = bench.build_command(&options[2..]);
    command.env("ACTA_PURPOSE", "production");
    let mut running = Running::start(command);
    running.wait_for("building:").signal(Signal::INT);
    let stopped = summary(&running.end());
    assert_eq!((stopped.outcome, stopped.purpose), (Outcome::Cancelled, Some(Purpose::Production)));
    assert!(stopped.cancel.unwrap().deferrals.is_empty());

    // Bytes that are not those on record are none; and a person's third word counts in any window.
    fs::write(&bench.plan, "something else").unwrap();
    let mut running = Running::start(bench.build_command(&options));
    running.wait_for("building:").signal(Signal::INT).wait_for("it waits until the engine stands");
    running.signal(Signal::INT).wait_for("is not to be trusted again").signal(Signal::INT);
    let ended = running.end();
    let killed = summary(&ended);
    assert_eq!(killed.outcome, Outcome::Killed, "{}", ended.stderr);
    let cancel = killed.cancel.unwrap();
    assert_eq!(windows(&cancel)[0], NoRollbackRoute);
    assert_eq!(cancel.escalation.unwrap().cause, EscalationCause::ThirdCtrlC);
    assert!(killed.failure.unwrap().message.contains("third time"));
    assert_eq!(fs::read_to_string(&bench.plan).unwrap(), "something else");
}

/// A build for a trial is given up at once, whatever there is.
#[test]
fn a_trial_has_no_such_window() {
    let bench = Bench::new(&crate::setup::slow());
    let mut running = Running::start(bench.build_command(&["--purpose", "trial"]));
    running.wait_for("building:").signal(Signal::INT);
    let stopped = summary(&running.end());
    assert_eq!((stopped.outcome, stopped.purpose), (Outcome::Cancelled, Some(Purpose::Trial)));
    let refused = bench.build(&["--purpose", "fun"]);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains("production or trial"), "{}", refused.stderr);
}

/// A command under watch that waits for a word, and the word.
fn waiting(place: &Place, end: &str) -> (Running, PathBuf, u32) {
    let script =
        format!("printf half > m.plan; echo ready $$ >&2; until test -e go; do sleep 0.02; done; {end}");
    let mut running = Running::start(place.command(&["--artifact", "m.plan"], &["sh", "-c", &script]));
    running.wait_for("ready");
    let said = running.said().to_owned();
    (running, place.folder.join("go"), number_after(&said, "ready"))
}

#[test]
fn a_request_while_files_are_set_apart_waits_and_is_recorded() {
    let place = Place::new();
    let (mut running, go, command) = waiting(&place, "exit 3");
    // The call by which a file moves into the quarantine.
    let slow = Strace::attach(running.child.id(), "renameat2", &[], Fault::Delays(2_000));
    fs::write(&go, "").unwrap();
    wait_until("the command ends", || !is_running(command));
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal(Signal::TERM).wait_for("cancel requested (SIGTERM) while files are being cleaned up");
    running.signal(Signal::INT);
    let ended = running.end();
    assert!(slow.detach().contains("DELAYED"), "the disk was slow");
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("that is not interrupted"), "{}", ended.stderr);
    let failed = summary(&ended);
    assert_eq!((failed.outcome, failed.cancel_source), (Outcome::Failed, CancelSource::Service));
    let cancel = failed.cancel.unwrap();
    assert_eq!(windows(&cancel), [Cleanup, EvidenceAtRisk]);
    assert!(cancel.deferrals[0].deferred_ms > 500.0, "{:?}", cancel.deferrals);
    assert!(cancel.acknowledged_at.is_none() && cancel.censored_after_ms.unwrap() > 500.0);
    assert_eq!(place.set_apart().len(), 1, "what was begun was finished");
}

#[test]
fn a_request_while_the_evidence_is_written_stands_in_it() {
    let place = Place::new();
    let (mut running, go, command) = waiting(&place, "exit 0");
    let slow = Strace::attach(running.child.id(), "fsync,fdatasync", &[], Fault::Delays(800));
    fs::write(&go, "").unwrap();
    wait_until("the command ends", || !is_running(command));
    std::thread::sleep(std::time::Duration::from_millis(400));
    running.signal(Signal::INT).wait_for("it waits until the evidence is on disk");
    let ended = running.end();
    assert!(slow.detach().contains("DELAYED"), "the disk was slow");
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let done = summary(&ended);
    assert_eq!(
        (done.outcome, done.cancel_source),
        (Outcome::CancelRequestedButCompleted, CancelSource::CtrlC)
    );
    let cancel = done.cancel.unwrap();
    assert_eq!(windows(&cancel).last(), Some(&EvidenceAtRisk), "{:?}", cancel.deferrals);
    assert!(cancel.deferrals.iter().all(|deferral| deferral.deferred_ms > 0.0), "{:?}", cancel.deferrals);
    assert!(cancel.delivered_at.is_none(), "the window was open when this was signed");
    assert!(place.files().contains(&"m.plan".to_owned()));
    assert_eq!(place.agent.ok(&["status", "--json"]).json()["waiting"], 1, "it was signed once");
}

/// The worker itself holds a request back while it writes, so that no half of a plan is left.
#[test]
fn a_request_while_the_plan_is_written_waits_for_its_name() {
    let bench = Bench::new(&onnx::chain(12, 64));
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    let worker = running.worker();
    let slow = Strace::attach(worker, "fsync", &[], Fault::Delays(2_000));
    running.wait_for("writing the plan").signal(Signal::INT);
    let ended = running.end();
    let injected = slow.detach();
    let done = summary(&ended);
    assert!(injected.contains("DELAYED"), "{injected}");
    assert_eq!(done.outcome, Outcome::CancelRequestedButCompleted, "{}", ended.stderr);
    let cancel = done.cancel.unwrap();
    assert_eq!(windows(&cancel), [ArtifactWrite]);
    assert!(cancel.deferrals[0].deferred_ms > 500.0, "{:?}", cancel.deferrals);
    assert_eq!(bench.files(), ["model.plan"]);
}
