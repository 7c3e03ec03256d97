//! The stop of a service: it has so long, and what happened is signed within it.

use std::{fs, time::Instant};

use acta_ledger::evidence::{
    build::{BuildSummary, Outcome},
    cancel::{CancelSource, EscalationCause},
};
use acta_tests::process::Ended;
use rustix::process::Signal;

use crate::{
    orphan_command::number_after,
    run::Place,
    setup::{Bench, Running, is_running, send, slow, summary},
};

/// The end of a run that was killed by policy, and its summary.
fn killed(ended: &Ended, from: &str) -> BuildSummary {
    assert_eq!(ended.code(), 5, "{}", ended.stderr);
    assert!(ended.stderr.contains("the service is being stopped, which may take"), "{}", ended.stderr);
    let killed = summary(ended);
    assert_eq!((killed.outcome, killed.cancel_source), (Outcome::Killed, CancelSource::Service));
    let failure = killed.failure.clone().unwrap();
    assert!(failure.message.contains("killed by policy") && failure.message.contains(from), "{failure:?}");
    let cancel = killed.cancel.clone().unwrap();
    let escalation = cancel.escalation.unwrap();
    assert_eq!(escalation.cause, EscalationCause::StopDeadline);
    assert_eq!((escalation.deadline_from.as_deref(), escalation.deadline_ms), (Some(from), Some(2_000.0)));
    // A quarter of it, and no less than a second, is kept for the evidence.
    assert!(escalation.after_ms >= 1_000.0, "{escalation:?}");
    assert!(cancel.censored_after_ms.unwrap() >= 1_000.0 && cancel.acknowledged_at.is_none());
    killed
}

#[test]
fn a_command_that_does_not_stop_is_killed_before_the_services_manager_does_it() {
    let place = Place::new();
    let script = "trap '' INT TERM; printf half > m.plan; sleep 600 & echo child $! >&2; wait; wait";
    let options = ["--artifact", "m.plan", "--stop-deadline", "2s"];
    let mut running = Running::start(place.command(&options, &["sh", "-c", script]));
    running.wait_for("child");
    let asked = Instant::now();
    running.signal(Signal::TERM);
    let ended = running.end();
    let took = asked.elapsed();
    let killed = killed(&ended, "--stop-deadline");
    // On a machine that is free it is over before two seconds are; the evidence itself takes a few milliseconds.
    let after = killed.cancel.as_ref().unwrap().escalation.as_ref().unwrap().after_ms;
    assert!(took.as_secs_f64() * 1e3 >= after, "{took:?}");
    assert!(!is_running(number_after(&ended.stderr, "child")));
    assert!(place.files().is_empty() && place.set_apart().len() == 1);
}

#[test]
fn a_worker_that_does_not_answer_is_killed_in_time_by_what_the_unit_says() {
    let bench = Bench::new(&slow());
    let mut command = bench.build_command(&[]);
    command.env("ACTA_STOP_DEADLINE", "2s");
    let mut running = Running::start(command);
    running.wait_for("building:");
    // As if a step took for ever.
    send(running.worker(), Signal::STOP);
    running.signal(Signal::TERM);
    let ended = running.end();
    killed(&ended, "ACTA_STOP_DEADLINE");
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    assert_eq!(bench.outbox(), [1, 0, 0]);
}

/// Production or not: the service's manager would kill it a moment later, and nothing would be signed.
#[test]
fn the_deadline_counts_in_a_window_and_after_an_earlier_request() {
    let place = Place::new();
    let options = ["--artifact", "m.plan", "--purpose", "production", "--stop-deadline", "2s"];
    let script = "trap '' INT TERM; echo ready >&2; while :; do sleep 1; done";
    let mut running = Running::start(place.command(&options, &["sh", "-c", script]));
    running.wait_for("ready").signal(Signal::INT).wait_for("it waits until the engine stands");
    running.signal(Signal::TERM);
    let ended = running.end();
    let killed = summary(&ended);
    assert_eq!((killed.outcome, killed.cancel_source), (Outcome::Killed, CancelSource::CtrlC));
    assert_eq!(killed.cancel.unwrap().escalation.unwrap().cause, EscalationCause::StopDeadline);
}

#[test]
fn what_stops_in_time_is_not_killed() {
    let bench = Bench::new(&slow());
    let mut running = Running::start(bench.build_command(&["--stop-deadline", "10m"]));
    running.wait_for("building:").signal(Signal::TERM);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let stopped = summary(&ended);
    assert_eq!((stopped.outcome, stopped.cancel_source), (Outcome::Cancelled, CancelSource::Service));
    assert!(stopped.cancel.unwrap().escalation.is_none());
    let refused = bench.build(&["--stop-deadline", "soon"]);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains("--stop-deadline") && refused.stderr.contains("soon"));
    assert!(fs::read_dir(bench.plan.parent().unwrap()).unwrap().next().is_none());
}
