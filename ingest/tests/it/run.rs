//! `acta run` with commands that hold no TensorRT: what any program does, and what a client may do wrong.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use acta_ledger::evidence::{
    artifact::{ArtifactKind, CleanupStatus, Disposition},
    build::{BuildSummary, BuilderKind, FailureStage, Language, Outcome, RetryPolicy, ValidationStatus},
    cancel::CancelSource,
    phase_tree::{PhaseState, PhaseTree},
    timing_cache::TimingCacheMode,
};
use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{
    bundle::{BundleWriter, PLAN},
    process::{Agent, Ended},
};
use rustix::process::Signal;
use serde_json::Value;

use crate::setup::{Running, is_running, summary};

/// An agent with a folder in which a command works.
pub struct Place {
    pub agent: Agent,
    pub folder: PathBuf,
}

impl Place {
    pub fn new() -> Self {
        let agent = Agent::init();
        let folder = agent.home().join("work");
        fs::create_dir(&folder).unwrap();
        Self { agent, folder }
    }

    /// `acta run --json OPTIONS -- COMMAND`, in the folder.
    pub fn command(&self, options: &[&str], command: &[&str]) -> Command {
        let mut acta = self.agent.command(&["run", "--json"]);
        acta.args(options).arg("--").args(command).current_dir(&self.folder);
        acta
    }

    pub fn run(&self, options: &[&str], command: &[&str]) -> Ended {
        self.command(options, command).output().unwrap().into()
    }

    fn shell(&self, options: &[&str], script: &str) -> Ended {
        self.run(options, &["sh", "-c", script])
    }

    /// Runs a client written in Python, without the library.
    fn client(&self, script: &str) -> Ended {
        self.run(&[], &["python3", "-c", &format!("{CLIENT}{script}")])
    }

    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Where the files in quarantine came from.
    pub fn set_apart(&self) -> Vec<String> {
        let listed = self.agent.ok(&["quarantine", "list", "--json"]).json();
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|item| item["from"].as_str().unwrap().to_owned()).collect()
    }

    fn blob(&self, digest: Sha256Digest) -> Vec<u8> {
        let name = digest.to_string();
        fs::read(self.agent.home().join("state/blobs/sha256").join(&name[..2]).join(name)).unwrap()
    }

    pub fn tree(&self, summary: &BuildSummary) -> PhaseTree {
        serde_json::from_slice(&self.blob(summary.phase_tree.as_ref().unwrap().digest)).unwrap()
    }

    pub fn log(&self, summary: &BuildSummary) -> String {
        String::from_utf8(self.blob(summary.log.as_ref().unwrap().digest)).unwrap()
    }
}

/// The protocol by hand.
pub const CLIENT: &str = r#"
import json, os, socket, sys, time
supervisor = socket.socket(socket.AF_UNIX)
supervisor.connect(os.environ["ACTA_EVENTS"])
def raw(data): supervisor.sendall(data)
def say(**message): raw(json.dumps(message).encode() + b"\n")
def event(kind, name, at=None, **more):
    say(type=kind, name=name, at=str(time.monotonic_ns() if at is None else at), thread=0, cancel="none", **more)
def start(name, parent=None, at=None): event("start", name, at, parent=parent, steps=1)
def hello(protocol=1): say(type="hello", protocol=protocol, pid=os.getpid(), language="python", client="by hand")
"#;

#[test]
fn a_command_without_a_monitor_is_an_honest_record() {
    let place = Place::new();
    fs::write(place.folder.join("old.plan"), "ftrt before").unwrap();
    let script =
        "echo a line; echo another >&2; printf 'vtrt plan' > model.plan; printf 'ftrt after' > old.plan";
    let ended = place.shell(&["--artifact", "*.plan", "--route", "team/route-1"], script);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.stderr.contains("a line") && ended.stderr.contains("another"), "the output goes on");
    let summary = summary(&ended);
    assert_eq!((summary.outcome, summary.builder), (Outcome::Completed, BuilderKind::External));
    assert_eq!((summary.language, summary.tensorrt_version.as_str()), (Language::Cpp, "unknown"));
    assert_eq!(summary.run.route.as_deref(), Some("team/route-1"));
    assert!(summary.phase_tree.is_none() && summary.events.is_none() && summary.library.is_none());
    assert_eq!(summary.validation_status, ValidationStatus::Pending);
    assert_eq!(summary.timing_cache_mode, TimingCacheMode::NotApplicable);
    assert!(summary.timing_cache.reasons[0].contains("not known to the agent"));
    let names: Vec<_> = summary.artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
    assert_eq!(names, ["model.plan", "old.plan"]);
    assert_eq!(summary.artifacts[0].digest, Some(Sha256Digest::of(b"vtrt plan")));
    assert_eq!(summary.artifacts[1].digest_before, Some(Sha256Digest::of(b"ftrt before")));
    assert!(summary.network.source.starts_with("command: sh -c"), "{}", summary.network.source);
    assert!(summary.resources.cpu_ms.is_some(), "also of a command that was over before the first look");
    let log = place.log(&summary);
    assert!(log.contains("a line") && log.contains("another") && log.contains("old.plan"), "{log}");
    // A retry is numbered, as a build's is.
    let run = summary.run.id.to_string();
    let again = crate::setup::summary(&place.run(&["--retry-of", &run], &["true"]));
    assert_eq!((again.run.attempt, again.run.retry_of), (2, Some(summary.run.id)));
    assert_eq!(again.outcome, Outcome::Completed, "without --artifact only the exit status speaks");
    assert_eq!(again.validation_status, ValidationStatus::NotApplicable);
}

#[test]
fn how_a_command_ended_is_said_and_what_it_made_is_set_apart() {
    for (script, outcome, code, words) in [
        ("printf half > m.plan; exit 7", Outcome::Failed, 3, "status 7"),
        ("printf half > m.plan; kill -SEGV $$", Outcome::Crashed, 5, "signal 11 (SIGSEGV)"),
        (
            "printf half > m.plan; exit 139",
            Outcome::Failed,
            3,
            "a shell says that a process died of signal 11",
        ),
        ("echo the last words >&2; true", Outcome::Failed, 3, "no file that this run made matches"),
        ("touch m.plan", Outcome::Failed, 3, "0 bytes"),
    ] {
        let place = Place::new();
        let ended = place.shell(&["--artifact", "m.plan"], script);
        assert_eq!(ended.code(), code, "{script}: {}", ended.stderr);
        let summary = summary(&ended);
        assert_eq!((summary.outcome, summary.retry_policy), (outcome, RetryPolicy::Investigate), "{script}");
        let failure = summary.failure.clone().unwrap();
        assert!(failure.message.contains(words), "{script}: {failure:?}");
        assert_eq!(failure.signal, (outcome == Outcome::Crashed).then_some(11));
        assert_eq!(failure.stage == FailureStage::Worker, outcome == Outcome::Crashed);
        assert!(!script.contains("last words") || failure.records[0].contains("the last words"));
        assert!(summary.plan().is_none() && !place.files().contains(&"m.plan".to_owned()), "{script}");
        assert!(place.files().is_empty());
        if script.contains("m.plan") {
            assert_eq!(place.set_apart(), [place.folder.join("m.plan").to_str().unwrap()]);
            assert_eq!(summary.cleanup_status, CleanupStatus::Quarantined);
            assert_eq!(summary.artifacts[0].disposition, Disposition::Quarantined);
        }
    }
}

#[test]
fn a_command_without_a_monitor_is_interrupted_and_it_is_said() {
    let place = Place::new();
    let script = "trap 'exit 9' INT; printf half > m.plan; echo ready >&2; sleep 60 & wait";
    let mut running = Running::start(place.command(&["--artifact", "m.plan"], &["sh", "-c", script]));
    running.wait_for("ready").signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("no monitor is connected: SIGINT"), "{}", ended.stderr);
    let stopped = summary(&ended);
    assert_eq!((stopped.outcome, stopped.cancel_source), (Outcome::Cancelled, CancelSource::CtrlC));
    let cancel = stopped.cancel.clone().unwrap();
    assert!(cancel.delivered_at.is_some() && cancel.acknowledged_at.is_none());
    assert!(cancel.censored_after_ms.unwrap() > 0.0, "no step answered, so that nothing was measured");
    assert!(place.log(&stopped).contains("SIGINT was sent"));
    assert!(place.files().is_empty());
    assert_eq!(place.set_apart(), [place.folder.join("m.plan").to_str().unwrap()]);

    let ended = place.run(&["--timeout", "200ms"], &["sleep", "60"]);
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let stopped = summary(&ended);
    assert_eq!((stopped.outcome, stopped.cancel_source), (Outcome::Cancelled, CancelSource::Ci));
}

/// A monitor that is connected answers only while the library builds.
#[test]
fn a_command_whose_build_call_is_over_is_interrupted_too() {
    let place = Place::new();
    let script = r#"
hello()
start("Building engine")
event("finish", "Building engine")
say(type="milestone", milestone="build_begins", at=str(time.monotonic_ns()))
say(type="milestone", milestone="build_returned", at=str(time.monotonic_ns()))
time.sleep(0.1)
print("ready", file=sys.stderr, flush=True)
time.sleep(60)
"#;
    let client = format!("{CLIENT}{script}");
    let mut running = Running::start(place.command(&[], &["python3", "-c", &client]));
    running.wait_for("ready").signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    assert!(ended.stderr.contains("no build call runs: SIGINT"), "{}", ended.stderr);
    assert_eq!(summary(&ended).outcome, Outcome::Cancelled);
}

/// What was left behind holds the pipes and the socket's folder; nobody waits for it.
#[test]
fn a_process_that_is_left_behind_holds_nothing_up() {
    let place = Place::new();
    let begun = Instant::now();
    let ended = place.shell(&[], "sleep 20 & echo $!");
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    let left = ended.stderr.lines().find_map(|line| line.parse().ok()).unwrap();
    crate::setup::send(left, Signal::KILL);
}

/// It ignores what it is asked; only the third Ctrl-C ends it, with whatever it started.
#[test]
fn the_third_ctrl_c_kills_the_whole_group() {
    let place = Place::new();
    let script = "trap '' INT; sleep 600 & echo child $! ready >&2; wait";
    let mut running = Running::start(place.command(&[], &["sh", "-c", script]));
    running.wait_for("ready").signal(Signal::INT).wait_for("cancel requested");
    running.signal(Signal::INT).wait_for("is not to be trusted again").signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code(), 5, "{}", ended.stderr);
    let killed = summary(&ended);
    assert_eq!((killed.outcome, killed.cancel_latency_ms), (Outcome::Killed, None));
    assert_eq!(killed.failure.unwrap().signal, Some(9));
    let child = ended.stderr.split_whitespace().skip_while(|word| *word != "child").nth(1).unwrap();
    assert!(!is_running(child.parse().unwrap()));
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let place = Place::new();
    for (options, command, words) in [
        (&["--artifact", "a["][..], &["touch", "ran"][..], "--artifact"),
        (&["--model", "missing.onnx"], &["touch", "ran"], "--model"),
        (&["--timeout", "soon"], &["touch", "ran"], "--timeout"),
        (&["--retry-of", "last"], &["touch", "ran"], "--retry-of"),
        (&["--route", "a b"], &["touch", "ran"], "--route"),
        (&[], &["acta-no-such-program"], "cannot start the command"),
    ] {
        let ended = place.run(options, command);
        assert_ne!(ended.code(), 0);
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
        assert!(ended.json()["error"].is_object(), "{}", ended.stdout);
    }
    assert!(place.files().is_empty());
    assert_eq!(place.agent.run(&["run"]).code(), 2);
}

#[test]
fn phases_that_never_finish_long_names_and_foreign_bytes_are_kept_within_bounds() {
    let place = Place::new();
    let ended = place.client(
        r#"
hello()
start("root")
start("n" * 10000, "root")
start({"base64": "/wD+"}, "root")
event("step", "root", step=0, stop=False)
event("step", "never started", step=0, stop=False)
event("finish", "never started either")
start("late", "root", at=time.monotonic_ns() + 10**12)
start("early", "root", at=5)
for n in range(3000): start(f"phase {n}", "root")
"#,
    );
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!(summary.language, Language::Python);
    let tree = place.tree(&summary);
    assert!(tree.is_well_formed());
    assert_eq!((tree.phases.len(), tree.orphan_events, tree.lost_events), (3005, 2, 0));
    assert!(tree.phases[1].name.len() <= 256);
    assert_eq!(tree.phases[1].name_digest, Some(Sha256Digest::of("n".repeat(10_000).as_bytes())));
    assert_eq!(tree.phases[2].name_digest, Some(Sha256Digest::of(b"\xff\x00\xfe")));
    assert!(tree.phases.iter().all(|phase| phase.state == PhaseState::Interrupted));
    assert!(
        tree.duration.0 < 60_000_000_000,
        "no time of the client's own clock came in: {:?}",
        tree.duration
    );
    let log = place.log(&summary);
    assert!(log.contains("without a last word") && log.contains("2 times outside"), "{log}");
}

#[test]
fn what_is_no_report_is_counted_and_ends_nothing_but_its_connection() {
    let place = Place::new();
    let ended = place.client(
        r#"
hello()
start("root")
for n in range(500): raw(b"garbage \xff\n")
say(type="unheard of")
say(type="plan", digest="00" * 32, bytes=1, at="0")
say(type="lost", events=2**63, logLines=2**63)
say(type="lost", events=2**63, logLines=2**63)
event("finish", "root")
raw(b"x" * 70000)
time.sleep(0.2)
"#,
    );
    let summary = summary(&ended);
    assert_eq!((ended.code(), summary.outcome), (0, Outcome::Completed), "{}", ended.stderr);
    let tree = place.tree(&summary);
    assert_eq!(tree.phases.len(), 1);
    assert!(tree.lost_events > 2 * (1 << 48), "{}", tree.lost_events);
    let log = place.log(&summary);
    let said = log.lines().filter(|line| line.contains("sent something that is no report")).count();
    assert!((9..=12).contains(&said), "{log}");
    assert!(log.contains("503 messages in all") && log.contains("longer than 65536 bytes"), "{log}");

    for (first, words) in [("hello(2)", "protocol 2"), (r#"start("root")"#, "no hello"), ("", "")] {
        let ended = place.client(&format!("{first}\ntime.sleep(0.1)\n"));
        let summary = crate::setup::summary(&ended);
        assert_eq!(summary.outcome, Outcome::Completed, "{}", ended.stderr);
        assert!(summary.phase_tree.is_none());
        assert!(words.is_empty() || place.log(&summary).contains(words));
    }
}

/// Two processes at once, and builds one after another, are roots of one tree.
#[test]
fn several_clients_and_several_builds_are_kept_apart() {
    let place = Place::new();
    let ended = place.client(
        r#"
child = os.fork()
if child == 0:
    supervisor = socket.socket(socket.AF_UNIX)
    supervisor.connect(os.environ["ACTA_EVENTS"])
hello()
for n in range(2):
    start("Building engine")
    for step in range(50):
        start("inner", "Building engine")
        event("step", "inner", step=0, stop=False)
        event("finish", "inner")
    event("finish", "Building engine")
say(type="done")
if child: os.waitpid(child, 0)
"#,
    );
    let summary = summary(&ended);
    assert_eq!(summary.outcome, Outcome::Completed, "{}", ended.stderr);
    let tree = place.tree(&summary);
    let roots: Vec<_> = tree.phases.iter().filter(|phase| phase.parent.is_none()).collect();
    assert_eq!((roots.len(), tree.phases.len(), tree.orphan_events), (4, 204, 0));
    assert!(roots.iter().all(|root| root.name == "Building engine" && root.finished.is_some()));
    let inner_of = |root: u32| tree.phases.iter().filter(move |phase| phase.parent == Some(root)).count();
    assert!(roots.iter().all(|root| inner_of(root.id) == 50));
    assert_eq!(summary.settings["clients"], 2);
}

/// The order reaches a client that connects after the request, too.
#[test]
fn a_cancel_reaches_every_client_and_its_answer_is_measured() {
    let place = Place::new();
    let script = r#"
hello()
start("Building engine")
print("ready", file=sys.stderr, flush=True)
order = json.loads(supervisor.makefile().readline())
say(type="delivered", at=str(time.monotonic_ns()))
event("step", "Building engine", step=0, stop=True)
event("finish", "Building engine")
late = socket.socket(socket.AF_UNIX)
late.connect(os.environ["ACTA_EVENTS"])
again = json.loads(late.makefile().readline())
sys.exit(5 if order == again == {"type": "cancel", "source": "service"} else 6)
"#;
    let client = format!("{CLIENT}{script}");
    let mut running = Running::start(place.command(&[], &["python3", "-c", &client]));
    running.wait_for("ready").signal(Signal::TERM);
    let ended = running.end();
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!((summary.outcome, summary.cancel_source), (Outcome::Cancelled, CancelSource::Service));
    let cancel = summary.cancel.unwrap();
    assert!(cancel.request_to_delivery_ms <= cancel.request_to_ack_ms && cancel.request_to_ack_ms.is_some());
    assert_eq!(cancel.open_at_acknowledgement, [0]);
    assert!(ended.stderr.contains("answers at its next step") && !ended.stderr.contains("SIGINT"));
}

/// Model Connect's builder, as far as `acta run` sees it: times written again after every phase, and a bundle.
#[test]
fn build_times_become_phases_and_a_bundle_is_recognised() {
    let place = Place::new();
    fs::write(place.folder.join("prepared"), BundleWriter::a().section("engine", PLAN).write()).unwrap();
    let script = r#"
sleep 0.2; echo '{"schema_version":1,"phases":{"weights_loading_s":0.15}}' > t.json
sleep 0.3; echo '{"schema_version":1,"phases":{"weights_loading_s":0.15,"trt_compile_s":0.2}}' > t.json
cp prepared llm.bundle
sleep 0.1; echo '{"schema_version":1,"output_path":"llm.bundle","phases":{"weights_loading_s":0.15,"trt_compile_s":0.2,"bundle_write_s":0.05},"total_s":0.6}' > t.json"#;
    let options = ["--artifact", "llm.bundle", "--build-timing", "t.json"];
    let ended = place.shell(&options, script);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let built = summary(&ended);
    let bundle = &built.artifacts[0];
    assert_eq!((bundle.kind, bundle.disposition), (ArtifactKind::Bundle, Disposition::Kept));
    assert!(bundle.media_type.as_deref().unwrap().contains("model-connect.bundle"));
    assert_eq!(bundle.digest, Some(Sha256Digest::of(&fs::read(place.folder.join("llm.bundle")).unwrap())));
    assert_eq!(built.validation_status, ValidationStatus::Pending);
    assert_eq!(built.settings["buildTiming"]["totalS"], 0.6);
    let tree = place.tree(&built);
    let names: Vec<_> = tree.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["Model Connect build", "weights_loading", "trt_compile", "bundle_write"]);
    let ms = |id: usize| tree.phases[id].duration_ns(0) as f64 / 1e6;
    assert!((ms(1) - 150.0).abs() < 1.0 && (ms(2) - 200.0).abs() < 1.0, "{} {}", ms(1), ms(2));
    let between = tree.phases[2].finished.unwrap().0 - tree.phases[1].finished.unwrap().0;
    assert!(between > 250_000_000, "the end of a phase is when the file was written: {between}");

    // A bundle that was cut off is no result, whatever the command says.
    let script = format!("{script}\nhead -c 100 prepared > llm.bundle");
    let ended = place.shell(&options, &script);
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    assert!(summary(&ended).failure.unwrap().message.contains("is not whole"));
    assert!(!place.files().contains(&"llm.bundle".to_owned()));
}

/// The supervisor dies: the Python module says so to nobody, and the program goes on to its end.
#[test]
fn a_client_whose_supervisor_is_gone_goes_on() {
    let place = Place::new();
    let script = r#"
import os, sys, time, types
import acta_monitor
trt = types.SimpleNamespace(IProgressMonitor=type("IProgressMonitor", (), {"__init__": lambda self: None}))
monitor = acta_monitor.ActaMonitor(trt)
monitor.phase_start("Building engine", None, 2)
parent = os.getppid()
print("ready", file=sys.stderr, flush=True)
while os.getppid() == parent: time.sleep(0.01)
for step in range(70000): assert monitor.step_complete("Building engine", step)
monitor.phase_finish("Building engine")
monitor.request_cancel()
assert not monitor.step_complete("Building engine", 1)
monitor.close()
open("went-on", "w").close()
"#;
    let mut command = place.command(&[], &["python3", "-c", script]);
    command.env("PYTHONPATH", python_module());
    let mut running = Running::start(command);
    running.wait_for("ready").signal(Signal::KILL);
    let begun = Instant::now();
    while !place.folder.join("went-on").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the client does not go on");
        std::thread::sleep(Duration::from_millis(10));
    }
    running.child.wait().unwrap();
    // Without a socket, and with one where nobody listens.
    for variable in ["", "/nowhere/events"] {
        let script = script.replace("while os.getppid() == parent: time.sleep(0.01)", "");
        let output = Command::new("python3")
            .args(["-c", &script])
            .env("PYTHONPATH", python_module())
            .env("ACTA_EVENTS", variable)
            .current_dir(&place.folder)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        assert_eq!(said.contains("no supervisor at /nowhere/events"), !variable.is_empty(), "{said}");
    }
}

/// Where the Python client lies.
pub fn python_module() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("clients/python/src")
}

#[test]
fn the_only_object_on_stdout_is_the_result() {
    let place = Place::new();
    let ended = place.shell(&[], "echo '{\"not\": \"ours\"}'");
    let object: Value = serde_json::from_str(ended.stdout.trim()).unwrap();
    assert!(object["predicate"].is_object());
    let output = place.agent.ok(&["run", "--", "echo", "passed on"]);
    assert_eq!(output.stdout, "passed on\n");
}
