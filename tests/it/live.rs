//! A real build is watched and cancelled from the portal; the server comes and goes, and the build does not care.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command},
    time::{Duration, Instant},
};

use acta_tests::{
    onnx,
    portal::Person,
    process::{Agent, Ended, Server},
};
use serde_json::Value;

/// Nothing that is waited for here takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until the person sees the build like this.
fn wait(person: &Person, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let seen = person.get(&format!("/api/v1/live/{run}"));
        if let Some(view) = seen.as_ref().filter(|view| wanted(view)) {
            return view.clone();
        }
        assert!(begun.elapsed() < PATIENCE, "never seen like that: {seen:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A build that runs.
struct Building {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    run: String,
}

impl Building {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut first = String::new();
        stderr.read_line(&mut first).unwrap();
        let run = first.strip_prefix("acta: run ").unwrap_or_else(|| panic!("{first}")).trim().to_owned();
        Self { child, stderr, run }
    }

    fn end(mut self) -> Ended {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        let output = self.child.wait_with_output().unwrap();
        Ended { stderr: said, ..output.into() }
    }
}

/// A build that is silent in one phase for about a second on a fast machine.
fn slow_build(agent: &Agent) -> Building {
    let model = agent.file("slow.onnx", &onnx::chain(600, 64));
    let plan = agent.home().join("slow.plan");
    Building::start(agent.command(&["build", &model, "-o", plan.to_str().unwrap(), "--json"]))
}

fn in_build_call(view: &Value) -> bool {
    view["state"]["stage"] == "building"
        && view["state"]["phases"].as_array().is_some_and(|phases| phases.len() > 3)
}

#[test]
fn a_real_build_is_watched_and_cancelled_from_the_portal() {
    let server = Server::start(&[]);
    let agent = Agent::enrolled(&server, "builder-7");
    let rita = Person::sign_in(&server, "rita", "reviewer");
    let building = slow_build(&agent);
    let run = building.run.clone();
    let view = wait(&rita, &run, in_build_call);
    assert_eq!(
        (view["agent"].as_str(), view["build"]["model"].as_str()),
        (Some("builder-7"), Some("slow.onnx"))
    );
    assert_eq!(view["state"]["phases"][0]["name"], "Building engine");
    assert_eq!((view["standing"].as_str(), view["way"].as_str()), (Some("running"), Some("now")));
    let asked = rita.cancel(&run, "the wrong calibration data");
    assert_eq!(asked["way"], "now", "{asked}");
    let ended = building.end();
    assert_eq!(ended.code(), 4, "{}{}", ended.stdout, ended.stderr);
    let predicate = &ended.json()["predicate"];
    let cancel = &predicate["cancel"];
    assert_eq!(
        (predicate["outcome"].as_str(), predicate["cancelSource"].as_str()),
        (Some("cancelled"), Some("api"))
    );
    assert_eq!((&cancel["who"], &cancel["reason"]), (&"rita".into(), &"the wrong calibration data".into()));
    // The agent's record names the request that the log holds.
    assert_eq!(cancel["request"]["id"], asked["request"]);
    let entry = asked["entry"].as_u64().unwrap();
    let named = format!("/api/v1/entries/{}", cancel["request"]["entry"].as_str().unwrap());
    assert!(
        rita.get(&named).is_some_and(|logged| Some(logged) == rita.get(&format!("/api/v1/entries/{entry}")))
    );
    // From the person to the flag it took milliseconds, and the moments are in order on one clock.
    let delivery = cancel["requestToDeliveryMs"].as_f64().unwrap();
    assert!((0.0..1_000.0).contains(&delivery), "{cancel}");
    assert!(cancel["request"]["uncertaintyMs"].as_f64().unwrap() < 100.0, "{cancel}");
    let offset = |name: &str| cancel[name].as_str().unwrap().parse::<u64>().unwrap();
    let moments =
        ["requestedOffsetNs", "acknowledgedOffsetNs", "returnedOffsetNs", "cleanedOffsetNs"].map(offset);
    assert!(moments.is_sorted(), "{moments:?}");
    // The live page showed all five and leads to the signed run.
    let view = wait(&rita, &run, |view| !view["logged"].is_null());
    for moment in ["requested", "delivered", "acknowledged", "returned", "cleaned"] {
        assert!(view["state"]["cancel"][moment].is_string(), "{moment}: {}", view["state"]["cancel"]);
    }
    let page = rita.page(&format!("/runs/{run}"));
    assert!(
        page.contains("id=\"cancel-request\"") && page.contains(&format!("/entries/{entry}")),
        "{page:.500}"
    );
}

/// How long a phase is silent that a cancel falls into.
const LONG_SILENCE_MS: f64 = 5_000.0;

/// Builds larger and larger networks until one phase of a build is silent for so long; the model's file, and the longest
/// silence of its undisturbed build. How long a network takes depends on the machine, and far more than linearly on its
/// depth.
fn silent_model(agent: &Agent) -> (String, f64) {
    for layers in [800, 950, 1_150, 1_400, 1_700, 2_000] {
        let model = agent.file("silent.onnx", &onnx::chain(layers, 64));
        let plan = agent.home().join("silent.plan");
        let built = agent.ok(&["build", &model, "-o", plan.to_str().unwrap(), "--json", "--quiet"]).json();
        let silence = built["predicate"]["phaseTree"]["longestSilenceMs"].as_f64().unwrap();
        if silence >= LONG_SILENCE_MS {
            return (model, silence);
        }
    }
    panic!("no network is silent for {LONG_SILENCE_MS} ms on this machine");
}

/// The whole of a wait that nobody can shorten: the request meets a phase that says nothing for seconds, the page says
/// what is usual there, and the answer that comes late is taken as it is.
#[test]
fn a_cancel_in_a_silent_phase_is_judged_while_it_waits_and_answered_late() {
    let server = Server::start(&[]);
    let agent = Agent::enrolled(&server, "builder-7");
    let rita = Person::sign_in(&server, "rita", "reviewer");
    let (model, usual_ms) = silent_model(&agent);
    let plan = agent.home().join("again.plan");
    let building = Building::start(agent.command(&["build", &model, "-o", plan.to_str().unwrap(), "--json"]));
    let run = building.run.clone();
    let verdict = |view: &Value| view["verdict"]["stuck"].clone();
    let number = |value: &Value| value.as_f64().unwrap_or(-1.0);
    // Long enough in the silence that this is the long one, and seen beside the build before it.
    wait(&rita, &run, |view| number(&verdict(view)["silence"]["valueMs"]) > 1_500.0);
    rita.cancel(&run, "it takes too long for today");
    let waiting = wait(&rita, &run, |view| {
        let found = verdict(view);
        found["wait"]["code"] == "no_acknowledgement_yet" && number(&found["wait"]["waitedMs"]) > 1_000.0
    });
    let found = verdict(&waiting);
    assert_eq!(found["isSilent"], true, "{found}");
    assert_eq!(found["silence"]["standing"], "too_small", "one build is no baseline: {found}");
    assert_eq!(found["silence"]["n"], 1, "{found}");
    assert!((number(&found["silence"]["longestMs"]) - usual_ms).abs() < 1.0, "{usual_ms} {found}");
    assert!(number(&found["silence"]["valueMs"]) > number(&found["wait"]["waitedMs"]), "{found}");
    assert!(waiting["state"]["cancel"]["acknowledged"].is_null(), "{waiting}");
    // Every open phase has a word of its own, the innermost the verdict's.
    let open = waiting["verdict"]["open"].as_array().unwrap();
    assert_eq!(open.last().unwrap()[1], found["duration"], "{waiting}");
    let page = rita.page(&format!("/runs/{run}/live"));
    assert!(page.contains("the phase is silent") && page.contains("longest seen"), "{page:.800}");

    let ended = building.end();
    assert_eq!(ended.code(), 4, "{}{}", ended.stdout, ended.stderr);
    let predicate = &ended.json()["predicate"];
    let latency = number(&predicate["cancel"]["requestToAckMs"]);
    assert!(latency > number(&found["wait"]["waitedMs"]), "{latency} {found}");
    assert_eq!(number(&predicate["cancelLatencyMs"]), latency);
    // What the person waited is what the tree says: from the request to the first step after the silence.
    let silence = number(&predicate["phaseTree"]["longestSilenceMs"]);
    assert!(silence > latency, "the request fell into the silence: {silence} {latency}");
    wait(&rita, &run, |view| view["state"]["cancel"]["acknowledged"].is_string());
}

#[test]
fn a_server_that_is_killed_and_started_again_is_told_again_and_gets_the_evidence() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let rita = Person::sign_in(&server, "rita", "reviewer");
    let building = slow_build(&agent);
    let run = building.run.clone();
    wait(&rita, &run, in_build_call);
    server.restart();
    // Whatever the build is doing by now, the new process hears of it.
    wait(&rita, &run, |view| !view["state"].is_null());
    let ended = building.end();
    assert_eq!(ended.code(), 0, "the build went on: {}", ended.stderr);
    assert!(ended.json()["entryIndex"].is_u64(), "the evidence arrived: {}", ended.stderr);
    assert_eq!(server.get(&format!("/api/v1/runs/{run}"))["summary"]["outcome"], "completed");
}

#[test]
fn without_a_server_the_build_goes_on_and_the_evidence_waits() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    server.kill();
    let model = agent.file("net.onnx", &onnx::chain(20, 32));
    let plan = agent.home().join("net.plan");
    let began = Instant::now();
    let ended = agent.run(&["build", &model, "-o", plan.to_str().unwrap(), "--json"]);
    assert_eq!(ended.code(), 6, "completed and not pushed: {}", ended.stderr);
    assert!(began.elapsed() < PATIENCE && fs::metadata(&plan).is_ok());
    server.restart();
    agent.ok(&["push"]);
    assert_eq!(server.get("/api/v1/runs")["total"], 1);
}
