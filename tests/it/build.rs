use std::time::Duration;

use acta_tests::{
    onnx,
    process::{Agent, Ended, Server, signal},
};
use serde_json::Value;

#[test]
fn a_real_build_is_seen_on_the_server_with_its_phases() {
    let server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let model = agent.file("net.onnx", &onnx::chain(20, 32));
    let plan = agent.home().join("net.plan");
    let built =
        agent.ok(&["build", &model, "-o", &plan.to_string_lossy(), "--route", "test/chain", "--json"]).json();
    let predicate = &built["predicate"];
    assert_eq!((&predicate["outcome"], &predicate["builder"]), (&"completed".into(), &"tensorrt_rtx".into()));
    assert_eq!(built["entryIndex"], 1);

    let runs = server.get("/api/v1/runs");
    assert_eq!((&runs["total"], &runs["runs"][0]["route"]), (&1.into(), &"test/chain".into()));
    let run = server.get("/api/v1/runs/1");
    let canonical = |value: &Value| acta_ledger::log::jcs::to_vec(value).expect("JSON");
    assert_eq!(canonical(&run["summary"]), canonical(predicate), "what was signed is what is shown");
    let bytes = std::fs::read(&plan).expect("the plan was written");
    let digest = acta_ledger::log::digest::Sha256Digest::of(&bytes).to_string();
    let kept = |artifact: &&Value| artifact["disposition"] == "kept";
    assert_eq!(
        predicate["artifacts"].as_array().unwrap().iter().find(kept).unwrap()["digest"],
        digest.as_str()
    );
    let tree = server.get("/api/v1/runs/1/phase-tree");
    let names: Vec<&str> =
        tree["phases"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "Building engine");
    assert!(names.contains(&"Determining refit engines"), "{names:?}");
    assert_eq!(tree["orphanEvents"], 0);

    let verified = agent.ok(&["verify", "--server", &server.url(), "--entry", "1"]);
    assert!(verified.stdout.contains("signature"), "{}", verified.stdout);
    assert_eq!(agent.ok(&["push"]).code(), 0);
    assert_eq!(server.get("/api/v1/runs")["total"], 1, "pushing again changes nothing");
}

/// Starts a build and asks it to stop after a while, like a person at the terminal.
fn cancelled_after(agent: &Agent, model: &str, plan: &str, wait: Duration) -> Ended {
    let child = agent.command(&["build", model, "-o", plan, "--json"]).spawn().expect("acta starts");
    std::thread::sleep(wait);
    signal(&child, "INT");
    child.wait_with_output().expect("acta ends").into()
}

#[test]
fn ctrl_c_cancels_measures_cleans_and_is_retried() {
    let server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let model = agent.file("deep.onnx", &onnx::residual(60, 48));
    let plan = agent.home().join("deep.plan");
    let plan_text = plan.to_string_lossy().into_owned();
    // The library ignores a request that comes after its last step: then it is asked earlier.
    let cancelled = [700, 400, 200, 100]
        .into_iter()
        .map(|ms| cancelled_after(&agent, &model, &plan_text, Duration::from_millis(ms)))
        .find(|ended| ended.code() == 4)
        .expect("one of the builds stopped");
    let predicate = &cancelled.json()["predicate"];
    assert_eq!(predicate["outcome"], "cancelled");
    assert_eq!(predicate["cancelSource"], "ctrl_c");
    assert_eq!(predicate["cleanupStatus"], "cleaned");
    assert_eq!(predicate["retryPolicy"], "retry_cold");
    assert_eq!(predicate["cancelLatencyMs"], predicate["cancel"]["requestToAckMs"]);
    let latency = predicate["cancelLatencyMs"].as_f64();
    // A request before the build call needs no acknowledgement; any other was measured.
    assert!(latency.is_some_and(|ms| ms > 0.0) || predicate["phaseTree"].is_null(), "{predicate:#}");
    let leftovers: Vec<_> = std::fs::read_dir(agent.home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("partial"))
        .collect();
    assert_eq!(leftovers, Vec::<String>::new());

    let run = predicate["run"]["id"].as_str().unwrap();
    let retried = agent.ok(&["build", &model, "-o", &plan_text, "--retry-of", run, "--json"]).json();
    assert_eq!(retried["predicate"]["run"]["attempt"], 2);
    assert_eq!(retried["predicate"]["run"]["retryOf"], run);
    assert!(plan.exists());
    let listed = server.get("/api/v1/runs?outcome=cancelled");
    assert!(listed["matching"].as_u64() >= Some(1), "{listed}");
}
