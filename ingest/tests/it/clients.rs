//! Parity: the same network built by `acta build`, and under `acta run` by Python and by C++ with the clients of this
//! project, is the same evidence.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use acta_ledger::evidence::{
    artifact::CleanupStatus,
    build::{BuildSummary, BuilderKind, Language, Outcome, RetryPolicy, ValidationStatus},
    cancel::{CancelSource, CancelState},
    phase_tree::PhaseTree,
};
use acta_tests::{onnx, process::Ended, tensorrt};
use rustix::process::Signal;
use serde_json::Value;

use crate::{
    run::python_module,
    setup::{Bench, Running, explain, slow, summary},
};

/// What may differ between the three. Everything else is the same.
///
/// Who called (`language`, `builder`, `settings.client`, `commandLine`, `commandDigest`), which run and when, how long and how much, the
/// blobs that hold times, the names of the outputs, and who was responsible for the timing cache.
const MAY_DIFFER: [&str; 22] = [
    "artifacts.name",
    "builder",
    "chain",
    "commandDigest",
    "commandLine",
    "durationMs",
    "events.bytes",
    "events.digest",
    "finishedAt",
    "language",
    "log.bytes",
    "log.digest",
    "outputPath",
    "phaseTree.bytes",
    "phaseTree.digest",
    "phaseTree.longestSilenceIn",
    "phaseTree.longestSilenceMs",
    "resources",
    "run.id",
    "settings.client",
    "startedAt",
    "timingCache.policy",
];

/// Who calls the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surface {
    Python,
    Cpp,
}

/// The C++ program, compiled once, with every warning an error.
fn cpp_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("client-{}", std::process::id()));
        let room = Path::new(env!("CARGO_MANIFEST_DIR"));
        let clients = room.join("clients/cpp");
        tensorrt::compile(
            &room.join("tests/clients/build.cpp"),
            &program,
            &["-O1", "-I", clients.to_str().unwrap()],
        );
        program
    })
}

/// The words that build with a client.
fn client(bench: &Bench, surface: Surface) -> Vec<String> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let program = match surface {
        Surface::Python => {
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/build.py");
            vec![text(&tensorrt::workspace().join(".venv/bin/python")), text(&script)]
        }
        Surface::Cpp => vec![text(cpp_program())],
    };
    let files = [bench.model.clone(), text(&bench.plan)];
    // Python finds the libraries in its own environment.
    let libraries = (surface == Surface::Cpp).then(|| text(&tensorrt::libraries()));
    program.into_iter().chain(files).chain(libraries).collect()
}

/// `acta run --artifact PLAN --json -- CLIENT`.
fn run_command(bench: &Bench, surface: Surface, environment: &[(&str, &str)]) -> Command {
    let plan = bench.plan.to_str().unwrap();
    let mut command = bench.agent.command(&["run", "--artifact", plan, "--json", "--"]);
    command.args(client(bench, surface)).env("PYTHONPATH", python_module()).envs(environment.iter().copied());
    command
}

fn run(bench: &Bench, surface: Surface, environment: &[(&str, &str)]) -> Ended {
    explain(run_command(bench, surface, environment).output().unwrap().into())
}

/// Leaves and their paths, list positions left out.
fn leaves(value: &Value, path: &str, into: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let dot = if path.is_empty() { "" } else { "." };
                leaves(member, &format!("{path}{dot}{name}"), into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, path, into)),
        leaf => into.push((path.to_owned(), leaf.to_string())),
    }
}

fn differences(one: &Value, other: &Value) -> BTreeSet<String> {
    let all = |value: &Value| {
        let mut all = Vec::new();
        leaves(value, "", &mut all);
        all
    };
    let (one, other) = (all(one), all(other));
    let only = |these: &[(String, String)], those: &[(String, String)]| -> Vec<String> {
        these.iter().filter(|leaf| !those.contains(leaf)).map(|(path, _)| path.clone()).collect()
    };
    only(&one, &other).into_iter().chain(only(&other, &one)).collect()
}

fn tree(bench: &Bench, ended: &Ended) -> PhaseTree {
    serde_json::from_slice(&bench.blob(&ended.json()["predicate"]["phaseTree"]["digest"])).unwrap()
}

/// Paths with occurrences, steps, states and threads: everything of a tree but its times.
fn shape(tree: &PhaseTree) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut shapes = Vec::new();
    for phase in &tree.phases {
        let above = phase.parent.map_or("", |parent| &paths[parent as usize]);
        let path = format!("{above} > {} #{}", phase.name, phase.occurrence);
        let (done, announced) = (phase.steps_completed, phase.steps_announced);
        shapes.push(format!("{path}: {done} of {announced}, {:?}, thread {}", phase.state, phase.thread));
        paths.push(path);
    }
    shapes
}

#[test]
fn the_same_network_is_the_same_evidence_on_three_surfaces() {
    let bench = Bench::new(&onnx::chain(40, 16));
    let ours = bench.build(&["--tensorrt-lib", tensorrt::libraries().to_str().unwrap()]);
    let plan = fs::read(&bench.plan).unwrap();
    let (our_summary, our_tree) = (summary(&ours), tree(&bench, &ours));
    for (surface, language) in [(Surface::Python, Language::Python), (Surface::Cpp, Language::Cpp)] {
        let theirs = run(&bench, surface, &[]);
        assert_eq!(theirs.code(), 0, "{}", theirs.stderr);
        let their_summary = summary(&theirs);
        assert_eq!((their_summary.language, their_summary.builder), (language, BuilderKind::External));
        assert_eq!((their_summary.outcome, our_summary.outcome), (Outcome::Completed, Outcome::Completed));
        assert_eq!(fs::read(&bench.plan).unwrap(), plan, "{surface:?}: the plan is the same, byte by byte");
        // The plan of the run before stands under the name, and the record says so.
        let mut theirs_json = theirs.json()["predicate"].clone();
        let artifact = theirs_json["artifacts"][0].as_object_mut().unwrap();
        assert!(artifact.remove("digestBefore").is_some());
        let differ = differences(&ours.json()["predicate"], &theirs_json);
        let allowed = |path: &&String| {
            MAY_DIFFER.iter().any(|may| path.as_str() == *may || path.starts_with(&format!("{may}.")))
        };
        let not_allowed: Vec<_> = differ.iter().filter(|path| !allowed(path)).collect();
        assert!(not_allowed.is_empty(), "{surface:?}: {not_allowed:?}");
        assert!(differ.contains("builder") && differ.contains("run.id"), "{differ:?}");
        let their_tree = tree(&bench, &theirs);
        assert_eq!(shape(&our_tree), shape(&their_tree), "{surface:?}");
        assert_eq!((their_tree.lost_events, their_tree.orphan_events), (0, 0));
        let log = bench.blob(&theirs.json()["predicate"]["log"]["digest"]);
        assert!(
            String::from_utf8(log).unwrap().contains("Engine generation completed"),
            "the library's lines"
        );
        let durations = their_summary.duration_ms;
        let parts = [durations.parse, durations.build, durations.serialize, durations.write];
        assert!(parts.iter().all(Option::is_some), "{durations:?}");
    }
}

/// A cancelled build left nothing but evidence.
fn check_cancelled(bench: &Bench, ended: &Ended, source: CancelSource) -> BuildSummary {
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let stopped = summary(ended);
    assert_eq!((stopped.outcome, stopped.cancel_source), (Outcome::Cancelled, source));
    assert_eq!((stopped.retry_policy, stopped.failure.is_none()), (RetryPolicy::RetryCold, true));
    assert_eq!(stopped.validation_status, ValidationStatus::NotApplicable);
    assert_eq!(stopped.cleanup_status, CleanupStatus::NotNeeded);
    assert!(stopped.plan().is_none() && bench.files().is_empty(), "{:?}", bench.files());
    let cancel = stopped.cancel.clone().unwrap();
    assert_eq!((cancel.censored_after_ms, stopped.cancel_latency_ms), (None, cancel.request_to_ack_ms));
    assert!(cancel.request_to_delivery_ms <= cancel.request_to_ack_ms && cancel.acknowledged_at.is_some());
    let tree = tree(bench, ended);
    assert!(tree.phases.iter().any(|phase| phase.answered_stop));
    assert_eq!(tree.phases[0].cancel_at_end, CancelState::Acknowledged);
    assert!(tree.phases.iter().all(|phase| phase.finished.is_some()), "TensorRT ends every open phase");
    stopped
}

#[test]
fn ctrl_c_at_the_terminal_reaches_the_monitor_of_either_language() {
    for surface in [Surface::Python, Surface::Cpp] {
        let bench = Bench::new(&slow());
        let mut running = Running::start(run_command(&bench, surface, &[]));
        running.wait_for("building:").signal(Signal::INT);
        let ended = running.end();
        let stopped = check_cancelled(&bench, &ended, CancelSource::CtrlC);
        assert!(stopped.cancel.unwrap().ack_to_return_ms.is_some(), "{surface:?}");
    }
}

/// NVIDIA's sample loses a Ctrl-C in two of the three callbacks.
#[test]
fn sigint_inside_any_callback_is_never_lost_in_python() {
    for callback in ["start", "step", "finish"] {
        for style in ["managed", "attached"] {
            let bench = Bench::new(&onnx::chain(40, 16));
            let environment = [("ACTA_TEST_SIGINT", callback), ("ACTA_TEST_STYLE", style)];
            let ended = run(&bench, Surface::Python, &environment);
            check_cancelled(&bench, &ended, CancelSource::CtrlC);
        }
    }
}

#[test]
fn sigint_inside_any_callback_is_never_lost_in_cpp() {
    for callback in ["start", "step", "finish"] {
        let bench = Bench::new(&onnx::chain(40, 16));
        let ended = run(&bench, Surface::Cpp, &[("ACTA_TEST_SIGINT", callback)]);
        check_cancelled(&bench, &ended, CancelSource::CtrlC);
    }
}

#[test]
fn a_cancelled_asyncio_task_is_a_request_of_the_event_loop() {
    let bench = Bench::new(&slow());
    let ended = run(&bench, Surface::Python, &[("ACTA_TEST_STYLE", "asyncio")]);
    check_cancelled(&bench, &ended, CancelSource::EventLoop);
}

/// Without `acta run` the monitors report to nobody, and cancel all the same.
#[test]
fn without_a_supervisor_the_monitors_still_cancel() {
    for surface in [Surface::Python, Surface::Cpp] {
        for (callback, code) in [("finish", 9), ("", 0)] {
            let bench = Bench::new(&onnx::chain(40, 16));
            let words = client(&bench, surface);
            // Whoever started the tests in the background may have let them ignore SIGINT, which programs inherit.
            let output = Command::new("env")
                .arg("--default-signal=INT")
                .args(&words)
                .env("PYTHONPATH", python_module())
                .env("ACTA_TEST_SIGINT", callback)
                .env_remove("ACTA_EVENTS")
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(code), "{surface:?} {callback}: {said}");
            assert_eq!(bench.plan.exists(), code == 0);
        }
    }
}
