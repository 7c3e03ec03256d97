//! Supervisors that are killed: whatever the moment, the next start of the agent finds the run, cleans up and signs.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use acta_ledger::{
    evidence::{
        artifact::CleanupStatus,
        build::{BuildSummary, FailureStage, Outcome, RetryPolicy},
        phase_tree::{PhaseState, PhaseTree},
    },
    log::digest::Sha256Digest,
};
use acta_tests::{onnx, process::Agent};
use rustix::process::Signal;
use serde_json::Value;

use crate::setup::{Bench, Running, is_running, slow, summary};

/// How many supervisors are killed at random moments; a longer run is asked for with `ACTA_KILLS=50`.
pub fn kills() -> usize {
    std::env::var("ACTA_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(5)
}

fn state(agent: &Agent, folder: &str) -> PathBuf {
    agent.home().join("state").join(folder)
}

/// The names in a folder of the agent's.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What the agent finds at its next start, and that nothing is left that should not be there.
pub fn next_start_of(agent: &Agent) -> Value {
    let status = agent.ok(&["status", "--json"]).json();
    assert!(names(&state(agent, "journal")).is_empty(), "{:?}", names(&state(agent, "journal")));
    let unfinished: Vec<String> = names(&state(agent, "blobs/sha256"))
        .into_iter()
        .filter(|name| name.starts_with(".acta-tmp-") && name.ends_with("events"))
        .collect();
    assert!(unfinished.is_empty(), "{unfinished:?}");
    assert_eq!(status["running"], serde_json::json!([]));
    status
}

fn next_start(bench: &Bench) -> Value {
    let status = next_start_of(&bench.agent);
    assert!(bench.partial_bytes().is_none(), "{:?}", bench.files());
    status
}

/// Moments that a kill waits for, in milliseconds: any sequence that hits different ones will do; this one is the same in
/// every run.
pub fn moments(span: u64) -> impl Iterator<Item = Duration> {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    std::iter::repeat_with(move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        Duration::from_millis(random % (span + span / 8 + 1))
    })
}

#[test]
fn the_run_of_a_killed_supervisor_is_signed_as_crashed_with_its_phases() {
    let bench = Bench::new(&slow());
    fs::write(&bench.plan, "the old plan").unwrap();
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    // Until the supervisor has noted what it sees.
    std::thread::sleep(Duration::from_millis(700));
    let worker = running.worker();
    running.signal(Signal::KILL);
    running.end();
    let killed = Instant::now();
    while is_running(worker) {
        assert!(killed.elapsed() < Duration::from_secs(20), "the worker ends, in the middle of a step");
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = next_start(&bench);
    let recovered = &status["recovered"][0];
    assert_eq!((status["waiting"].as_u64(), bench.files()), (Some(1), vec!["model.plan".to_owned()]));
    assert_eq!(fs::read(&bench.plan).unwrap(), b"the old plan");

    let (statement, digest) = bench.newest_statement();
    assert_eq!(recovered["entry"], serde_json::json!(digest));
    let crashed: BuildSummary = statement.predicate().unwrap();
    assert_eq!((crashed.outcome, crashed.retry_policy), (Outcome::Crashed, RetryPolicy::Investigate));
    assert_eq!(serde_json::json!(crashed.run.id), recovered["run"]);
    let failure = crashed.failure.clone().unwrap();
    assert_eq!(failure.stage, FailureStage::Worker);
    assert!(failure.message.contains("supervisor died"), "{failure:?}");
    assert!(failure.records.join("\n").contains("Building engine"), "{failure:?}");
    assert!(crashed.tensorrt_version.starts_with("1.7."), "{}", crashed.tensorrt_version);
    assert_eq!(crashed.network.digest, Sha256Digest::of(&fs::read(&bench.model).unwrap()));
    assert!(crashed.finished_at >= crashed.started_at && crashed.log.is_some());
    let tree: PhaseTree =
        serde_json::from_slice(&bench.blob(&serde_json::json!(crashed.phase_tree.as_ref().unwrap().digest)))
            .unwrap();
    assert!(tree.is_well_formed() && tree.phases[0].name == "Building engine");
    assert_eq!(tree.phases[0].state, PhaseState::OpenAtCrash);
    assert!(tree.phases.iter().any(|phase| phase.parent.is_some()), "{:?}", tree.phases);

    let again = next_start(&bench);
    assert_eq!((again["recovered"].clone(), again["waiting"].as_u64()), (serde_json::json!([]), Some(1)));
    let advice = bench.agent.ok(&["advise", "last", "--json"]).json();
    assert_eq!(advice["run"], recovered["run"]);
}

/// A build that another one's death did not touch is no orphan.
#[test]
fn a_build_that_goes_on_is_left_alone() {
    let bench = Bench::new(&slow());
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    let status = bench.agent.ok(&["status", "--json"]).json();
    assert_eq!(status["running"].as_array().unwrap().len(), 1);
    assert_eq!(status["recovered"], serde_json::json!([]));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    next_start(&bench);
    assert_eq!(bench.outbox(), [1, 0, 0]);
}

#[test]
fn a_supervisor_killed_at_any_moment_loses_nothing() {
    let bench = Bench::new(&onnx::chain(12, 64));
    let begun = Instant::now();
    let whole = bench.build(&[]);
    assert_eq!(whole.code(), 0, "{}", whole.stderr);
    let span = begun.elapsed().as_millis() as u64;
    let plan = Sha256Digest::of(&fs::read(&bench.plan).unwrap());
    let mut signed = 1;
    let mut crashed = 0;
    for (kill, moment) in moments(span).take(kills()).enumerate() {
        let mut running = Running::start(bench.build_command(&[]));
        std::thread::sleep(moment);
        running.signal(Signal::KILL);
        let ended = running.end();
        let status = next_start(&bench);
        let waiting = status["waiting"].as_u64().unwrap();
        let recovered = status["recovered"].as_array().unwrap().len() as u64;
        // Told to the person, it is on record: exactly once, whether by the supervisor or by the next start.
        let announced = u64::from(ended.stderr.contains("acta: run "));
        assert!(waiting - signed <= 1 && waiting - signed >= recovered, "kill {kill}: {status}");
        assert!(waiting - signed >= announced.min(recovered), "kill {kill}: {}", ended.stderr);
        if waiting > signed {
            let last: BuildSummary = bench.newest_statement().0.predicate().unwrap();
            let expected = if recovered == 1 { Outcome::Crashed } else { Outcome::Completed };
            assert_eq!(last.outcome, expected, "kill {kill}");
            assert_ne!(last.cleanup_status, CleanupStatus::Failed, "kill {kill}");
            crashed += recovered;
        }
        signed = waiting;
        assert_eq!(Sha256Digest::of(&fs::read(&bench.plan).unwrap()), plan, "kill {kill}: a whole plan");
        assert_eq!(bench.files(), ["model.plan"], "kill {kill}");
    }
    assert!(crashed > 0 || kills() < 5, "no kill met a run");
    let retried = bench.build(&[]);
    assert_eq!(summary(&retried).outcome, Outcome::Completed);
}
