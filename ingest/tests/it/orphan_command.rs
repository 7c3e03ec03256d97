//! Supervisors of commands that are killed: what they started is stopped, what it made is set apart, and it is signed.

use std::{
    fs,
    time::{Duration, Instant},
};

use acta_ledger::{
    evidence::{
        artifact::{ArtifactKind, CleanupStatus, Disposition},
        build::{BuildSummary, BuilderKind, FailureStage, Language, Outcome, RetryPolicy},
        phase_tree::PhaseState,
    },
    log::digest::Sha256Digest,
};
use rustix::process::Signal;

use crate::{
    orphan::{kills, moments, next_start_of},
    run::{CLIENT, Place},
    setup::{Running, is_running, newest_statement, send, summary},
};

/// The number behind a word in what was said.
pub fn number_after(said: &str, word: &str) -> u32 {
    let mut words = said.split_whitespace().skip_while(|other| *other != word);
    words.nth(1).unwrap().parse().unwrap()
}

pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_command_of_a_killed_supervisor_is_stopped_and_signed_as_crashed() {
    let place = Place::new();
    fs::write(place.folder.join("old.plan"), "ftrt before").unwrap();
    fs::write(place.folder.join("mine.plan"), "ftrt mine").unwrap();
    // It ignores to be asked, has a child, and goes on without its supervisor.
    let script = r#"
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
hello()
start("Building engine")
start("Timing", "Building engine")
open("half.plan", "w").write("vtrt half")
open("old.plan", "w").write("ftrt changed")
child = subprocess.Popen(["sleep", "600"])
print("parent", os.getpid(), "child", child.pid, flush=True)
supervisor.settimeout(0.2)
time.sleep(600)
"#;
    let client = format!("{CLIENT}{script}");
    let mut running = Running::start(place.command(&["--artifact", "*.plan"], &["python3", "-c", &client]));
    running.wait_for("child");
    // Until the supervisor has noted what it sees.
    std::thread::sleep(Duration::from_millis(700));
    running.signal(Signal::KILL);
    let said = running.end().stderr;
    let (parent, child) = (number_after(&said, "parent"), number_after(&said, "child"));
    assert!(is_running(parent) && is_running(child), "nobody stops it but the next start");

    let status = next_start_of(&place.agent);
    assert!(!is_running(parent) && !is_running(child));
    let recovered = &status["recovered"][0];
    assert_eq!(status["waiting"].as_u64(), Some(1));
    assert_eq!(place.files(), ["mine.plan"], "what it made is set apart, what it did not touch stays");
    let mut apart = place.set_apart();
    apart.sort();
    let path = |name: &str| place.folder.join(name).to_str().unwrap().to_owned();
    assert_eq!(apart, [path("half.plan"), path("old.plan")]);

    let (statement, digest) = newest_statement(&place.agent);
    assert_eq!(recovered["entry"], serde_json::json!(digest));
    let crashed: BuildSummary = statement.predicate().unwrap();
    assert_eq!((crashed.outcome, crashed.builder), (Outcome::Crashed, BuilderKind::External));
    assert_eq!((crashed.language, crashed.retry_policy), (Language::Python, RetryPolicy::Investigate));
    assert_eq!(crashed.cleanup_status, CleanupStatus::Quarantined);
    let names: Vec<_> = crashed.artifacts.iter().map(|made| (made.name.as_str(), made.kind)).collect();
    assert_eq!(names, [("half.plan", ArtifactKind::Plan), ("old.plan", ArtifactKind::Plan)]);
    assert!(crashed.artifacts.iter().all(|made| made.disposition == Disposition::Quarantined));
    assert_eq!(crashed.artifacts[1].digest_before, Some(Sha256Digest::of(b"ftrt before")));
    let failure = crashed.failure.clone().unwrap();
    assert_eq!(failure.stage, FailureStage::Worker);
    assert!(failure.message.contains("supervisor died"), "{failure:?}");
    let records = failure.records.join("\n");
    assert!(records.contains("Building engine > Timing"), "{records}");
    assert!(records.contains(&format!("sleep ({child})")), "{records}");
    let tree = place.tree(&crashed);
    assert!(tree.is_well_formed() && tree.phases.len() == 2, "{tree:?}");
    assert!(tree.phases.iter().all(|phase| phase.state == PhaseState::OpenAtCrash));
    assert!(place.log(&crashed).contains("set apart as"));

    let again = next_start_of(&place.agent);
    assert_eq!((again["recovered"].clone(), again["waiting"].as_u64()), (serde_json::json!([]), Some(1)));
}

/// What calls the agent may be what is left of a run itself: it is not stopped by its own child.
#[test]
fn a_command_that_calls_the_agent_after_its_supervisor_died_is_left_alone() {
    let place = Place::new();
    let acta = acta_tests::process::program("acta");
    let script = format!(
        "parent=$PPID; echo ready $$ >&2; while kill -0 $parent 2>/dev/null; do sleep 0.02; done; \
         {} status --json > status.json 2> said; touch over; sleep 600",
        acta.display()
    );
    let mut running = Running::start(place.command(&[], &["sh", "-c", &script]));
    running.wait_for("ready").signal(Signal::KILL);
    running.child.wait().unwrap();
    wait_until("it calls the agent", || place.folder.join("over").exists());
    let said = fs::read_to_string(place.folder.join("said")).unwrap();
    assert!(said.contains("looked at next time"), "{said}");
    let status = next_start_of(&place.agent);
    assert_eq!(status["recovered"].as_array().unwrap().len(), 1);
}

#[test]
fn a_supervisor_of_a_command_killed_at_any_moment_loses_nothing() {
    let place = Place::new();
    // It writes its plan in pieces under its own name, as careless builders do, and takes long enough to be met anywhere.
    let script = "for n in 1 2 3 4; do printf vtrt >> m.plan; sleep 0.05; done; echo built";
    let command = || place.command(&["--artifact", "m.plan"], &["sh", "-c", script]);
    let begun = Instant::now();
    let whole = command().output().unwrap();
    assert_eq!(whole.status.code(), Some(0), "{}", String::from_utf8_lossy(&whole.stderr));
    let span = begun.elapsed().as_millis() as u64;
    fs::remove_file(place.folder.join("m.plan")).unwrap();
    let (mut signed, mut crashed) = (1, 0);
    for (kill, moment) in moments(span).take(kills()).enumerate() {
        let mut running = Running::start(command());
        std::thread::sleep(moment);
        running.signal(Signal::KILL);
        let ended = running.end();
        let status = next_start_of(&place.agent);
        let waiting = status["waiting"].as_u64().unwrap();
        let recovered = status["recovered"].as_array().unwrap().len() as u64;
        assert!(waiting - signed <= 1 && waiting - signed >= recovered, "kill {kill}: {status}");
        // Nothing is left that a consumer could take for whole, unless it is: then its statement says so.
        let left = fs::read_to_string(place.folder.join("m.plan")).ok();
        if waiting > signed {
            let last: BuildSummary = newest_statement(&place.agent).0.predicate().unwrap();
            let expected = if recovered == 1 { Outcome::Crashed } else { Outcome::Completed };
            assert_eq!(last.outcome, expected, "kill {kill}: {}", ended.stderr);
            assert_ne!(last.cleanup_status, CleanupStatus::Failed, "kill {kill}");
            assert_eq!(left.is_some(), expected == Outcome::Completed, "kill {kill}");
            crashed += recovered;
        }
        assert!(left.is_none_or(|left| left == "vtrt".repeat(4)), "kill {kill}: a whole plan or none");
        signed = waiting;
        fs::remove_file(place.folder.join("m.plan")).ok();
    }
    assert!(crashed > 0 || kills() < 5, "no kill met a run");
}

#[test]
fn a_run_is_retried_with_the_same_command_in_the_same_folder() {
    let place = Place::new();
    let model = place.folder.join("m.onnx");
    fs::write(&model, "a model").unwrap();
    let script = "trap 'exit 9' INT; printf vtrt > m.plan; echo ready >&2; \
                  test -e go || { sleep 60 & wait; }; echo \"$WORD\" > said";
    let options = ["--artifact", "m.plan", "--model", "m.onnx", "--route", "team/route-1"];
    let mut running = Running::start(place.command(&options, &["sh", "-c", script]));
    running.wait_for("ready").signal(Signal::INT);
    let first = summary(&running.end());
    assert_eq!((first.outcome, first.retry_policy), (Outcome::Cancelled, RetryPolicy::RetryCold));
    assert!(!place.files().contains(&"m.plan".to_owned()));
    fs::write(place.folder.join("go"), "").unwrap();

    // Elsewhere, and with the environment of this call.
    let retry = |options: &[&str]| {
        let mut command = place.agent.command(&["retry", "last", "--json"]);
        command.args(options).env("WORD", "again").current_dir("/");
        acta_tests::process::Ended::from(command.output().unwrap())
    };
    fs::write(&model, "another model").unwrap();
    let refused = retry(&[]);
    assert_eq!(refused.code(), 2);
    assert!(
        refused.stderr.contains("--model") && refused.stderr.contains("not what it was"),
        "{}",
        refused.stderr
    );
    fs::write(&model, "a model").unwrap();
    assert!(retry(&["--on-partial", "remove"]).stderr.contains("--on-partial"));
    let note = place.agent.home().join(format!("state/runs/{}.json", first.run.id));
    let noted = fs::read_to_string(&note).unwrap();
    fs::write(&note, noted.replace("sleep 60", "sleep 61")).unwrap();
    let refused = retry(&[]);
    assert!(refused.stderr.contains("commandDigest"), "{}", refused.stderr);
    fs::write(&note, noted).unwrap();

    let ended = retry(&[]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let second = summary(&ended);
    assert_eq!((second.run.attempt, second.run.retry_of), (2, Some(first.run.id)));
    assert_eq!((second.outcome, second.run.route.clone()), (Outcome::Completed, first.run.route.clone()));
    assert_eq!(second.command_digest, first.command_digest);
    assert_eq!(second.build_config_hash, first.build_config_hash);
    assert_eq!(second.artifacts[0].name, "m.plan");
    assert_eq!(fs::read_to_string(place.folder.join("said")).unwrap(), "again\n");
    // Nothing is left to be retried, and a person may all the same.
    assert_eq!(retry(&[]).code(), 2);
    assert_eq!(summary(&retry(&["--anyway"])).run.attempt, 3);
}

/// A run that lost its supervisor is retried as any other, once somebody has looked at it.
#[test]
fn an_orphaned_command_is_retried() {
    let place = Place::new();
    let script = "test -e go || { echo ready >&2; sleep 600; }; printf vtrt > m.plan";
    let mut running = Running::start(place.command(&["--artifact", "m.plan"], &["sh", "-c", script]));
    running.wait_for("ready").signal(Signal::KILL);
    running.end();
    let status = next_start_of(&place.agent);
    let run = status["recovered"][0]["run"].as_str().unwrap().to_owned();
    fs::write(place.folder.join("go"), "").unwrap();
    assert_eq!(place.agent.run(&["retry", "last"]).code(), 2, "the evidence asks for a person to look");
    let second = summary(&place.agent.run(&["retry", &run, "--anyway", "--json"]));
    assert_eq!((second.outcome, second.run.attempt), (Outcome::Completed, 2));
    assert_eq!(second.run.retry_of.map(|run| run.to_string()), Some(run));
}

/// A process that moved to a session of its own meant to outlive the command.
#[test]
fn a_daemon_of_a_command_is_named_and_left_alone() {
    let place = Place::new();
    let script = "setsid sh -c 'echo daemon $$ >&2; exec sleep 600' & sleep 600";
    let mut running = Running::start(place.command(&[], &["sh", "-c", script]));
    running.wait_for("daemon").signal(Signal::KILL);
    running.child.wait().unwrap();
    let status = next_start_of(&place.agent);
    assert_eq!(status["recovered"].as_array().unwrap().len(), 1);
    let crashed: BuildSummary = newest_statement(&place.agent).0.predicate().unwrap();
    let records = crashed.failure.unwrap().records.join("\n");
    let named = records.lines().find(|line| line.starts_with("left in a session of its own")).unwrap();
    let daemon = named.split(['(', ')']).nth(1).unwrap().parse().unwrap();
    assert!(is_running(daemon), "{records}");
    send(daemon, Signal::KILL);
}
