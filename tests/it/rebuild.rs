//! Rebuilds with real TensorRT: somebody else gets the same bytes, and what differs or cannot be compared is named.

use std::{path::Path, process::Command};

use acta_ledger::{evidence::build::BuildSummary, log::digest::Sha256Digest};
use acta_tests::{
    evidence::TestAgent,
    onnx,
    process::{Agent, Ended, Server, signal},
    tensorrt,
};
use serde_json::{Value, json};

/// An agent that built a network and pushed it; the run's id and the plan's path.
struct Built {
    agent: Agent,
    model: String,
    plan: String,
    run: String,
}

fn built(server: &Server, extra: &[&str]) -> Built {
    let agent = Agent::enrolled(server, "builder-7");
    let model = agent.file("net.onnx", &onnx::chain(6, 32));
    let plan = agent.home().join("net.plan").to_string_lossy().into_owned();
    let mut arguments = vec!["build", &model, "-o", &plan, "--json"];
    arguments.extend(extra);
    let summary = agent.ok(&arguments).json();
    let run = summary["predicate"]["run"]["id"].as_str().expect("a run").to_owned();
    Built { agent, model, plan, run }
}

/// Rebuilds as another agent, from a copy of the model of its own.
fn rebuild(agent: &Agent, run: &str, model: &str, extra: &[&str]) -> Ended {
    let output = agent.home().join("again.plan").to_string_lossy().into_owned();
    let mut arguments = vec!["rebuild", "--run", run, "--model", model, "-o", &output, "--json"];
    arguments.extend(extra);
    agent.run(&arguments)
}

fn standing(server: &Server, run: &str) -> Value {
    server.get(&format!("/api/v1/runs/{run}/rebuilds"))["standing"].clone()
}

#[test]
fn another_agent_reproduces_the_plan_and_the_runs_own_does_so_apart() {
    let server = Server::start(&["--public-read"]);
    let built = built(&server, &["--target", "sm86", "--threads", "2"]);
    let lab = Agent::enrolled(&server, "lab");
    let model = lab.file("copy.onnx", &std::fs::read(&built.model).expect("the model"));
    let ended = rebuild(&lab, &built.run, &model, &[]);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    let said = ended.json();
    let predicate = &said["predicate"];
    assert_eq!((&predicate["verdict"], &said["independent"]), (&json!("reproduced"), &json!(true)));
    assert_eq!(predicate["differing"], json!([]), "{predicate:#}");
    assert_eq!(said["rebuilt"]["predicate"]["settings"]["targets"], json!(["sm86"]));
    let plan = |path: &Path| Sha256Digest::of(&std::fs::read(path).expect("a plan"));
    assert_eq!(plan(Path::new(&built.plan)), plan(&lab.home().join("again.plan")));
    assert_eq!(predicate["plan"], plan(Path::new(&built.plan)).to_string());
    lab.ok(&["verify", "--entry", &said["entryIndex"].to_string()]);

    // The run's own agent, from its own statement and without a server's word.
    let own = rebuild(&built.agent, "last", &built.model, &[]);
    assert_eq!((own.code(), &own.json()["independent"]), (0, &json!(false)), "{}", own.stderr);
    let stood = standing(&server, &built.run);
    assert_eq!((&stood["reproduced"], &stood["reproducedByItself"]), (&json!(1), &json!(1)), "{stood:#}");
    assert_eq!(stood["agents"], json!(["lab"]));

    // From a pack alone, signed by a third agent's key that another folder holds.
    let third = Agent::enrolled(&server, "third");
    let pack = lab.home().join("run.acta").to_string_lossy().into_owned();
    lab.ok(&["pack", "--run", &built.run, "-o", &pack]);
    let key = third.home().join("state").to_string_lossy().into_owned();
    let ended = rebuild(&lab, &built.run, &model, &["--pack", &pack, "--key", &key]);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(standing(&server, &built.run)["agents"], json!(["lab", "third"]));
    Agent::init().ok(&["audit", "--server", &server.url()]);
}

#[test]
fn another_model_another_build_number_and_a_cancelled_run_are_not_comparable() {
    let server = Server::start(&["--public-read"]);
    let built = built(&server, &[]);
    let lab = Agent::enrolled(&server, "lab");
    let obstacle = |ended: &Ended| {
        assert_eq!(ended.code(), 8, "{}{}", ended.stdout, ended.stderr);
        let said = ended.json();
        assert_eq!(
            (&said["predicate"]["verdict"], &said["rebuilt"]),
            (&json!("not_comparable"), &Value::Null)
        );
        said["predicate"]["obstacle"].clone()
    };
    let other = lab.file("other.onnx", &onnx::chain(7, 32));
    let found = obstacle(&rebuild(&lab, &built.run, &other, &[]));
    assert_eq!((&found["kind"], &found["expected"]), (&json!("other_model"), &model_digest(&built.model)));
    assert_eq!(found["found"], model_digest(&other));

    let older = said_by(&server, 7, &built, |summary| summary["tensorrtVersion"] = json!("1.7.1.1"));
    let found = obstacle(&rebuild(&lab, &older, &built.model, &[]));
    assert_eq!(
        (&found["kind"], &found["expected"]),
        (&json!("other_library"), &json!("tensorrt_rtx 1.7.1.1"))
    );

    let deep = built.agent.file("deep.onnx", &onnx::residual(60, 48));
    let cancelled = [700, 400, 200, 100].into_iter().find_map(|wait| {
        let ended = interrupted(&built.agent, &["build", &deep, "-o", &built.plan, "--json"], wait);
        (ended.code() == 4).then(|| ended.json()["predicate"]["run"]["id"].as_str().map(str::to_owned))?
    });
    let found = obstacle(&rebuild(&lab, &cancelled.expect("one of the builds stopped"), &deep, &[]));
    assert_eq!((&found["kind"], &found["found"]), (&json!("no_plan"), &json!("cancelled")));
    assert!(!lab.home().join("again.plan").exists(), "nothing was built");
    assert_eq!(standing(&server, &built.run)["notComparable"], 1);
}

#[test]
fn another_plan_is_not_reproduced_and_the_setting_or_the_byte_is_named() {
    let server = Server::start(&["--public-read"]);
    let built = built(&server, &[]);
    let lab = Agent::enrolled(&server, "lab");
    // A run whose record names another parser, of the same build number, and whose plan has one byte more.
    let mut longer = std::fs::read(&built.plan).expect("the plan");
    longer.push(0);
    let parser = Sha256Digest::of(b"another parser").to_string();
    let with_plan = |summary: &mut Value| {
        summary["artifacts"][0]["digest"] = json!(Sha256Digest::of(&longer).to_string());
        summary["artifacts"][0]["bytes"] = json!(longer.len());
    };
    let named = said_by(&server, 7, &built, |summary| {
        with_plan(summary);
        summary["library"]["parserDigest"] = json!(parser);
    });
    let ended = rebuild(&lab, &named, &built.model, &[]);
    assert_eq!(ended.code(), 7, "{}{}", ended.stdout, ended.stderr);
    let predicate = &ended.json()["predicate"];
    assert_eq!(predicate["verdict"], "not_reproduced");
    assert_eq!(predicate["differing"][0]["name"], "library.parserDigest", "{predicate:#}");
    assert_eq!(standing(&server, &named)["firstDifference"], "library.parserDigest");

    // The same with nothing that differs but the plan: the byte is named where the run's plan is at hand.
    let silent = said_by(&server, 8, &built, with_plan);
    let plan = lab.file("recorded.plan", &longer);
    let ended = rebuild(&lab, &silent, &built.model, &["--plan", &plan]);
    assert_eq!(ended.code(), 7, "{}{}", ended.stdout, ended.stderr);
    let plans = &ended.json()["predicate"]["plans"];
    let shorter = (longer.len() - 1).to_string();
    assert_eq!((&plans["firstOffset"], &plans["foundBytes"]), (&json!(shorter), &json!(shorter)));
    let stood = standing(&server, &silent);
    assert_eq!((&stood["notReproduced"], &stood["firstDifference"]), (&json!(1), &Value::Null));
    assert_eq!(stood["rebuilds"][0]["support"], "holds");

    let wrong = rebuild(&lab, &silent, &built.model, &["--plan", &built.plan]);
    assert!(wrong.code() == 2 && wrong.stderr.contains("not the plan of the run"), "{}", wrong.stderr);
}

/// A library of the same build number whose file is another: the bytes are the same, and what differs is told.
#[test]
fn a_patched_library_of_the_same_build_number_is_told_and_does_not_keep_the_plan_from_being_reproduced() {
    let server = Server::start(&["--public-read"]);
    let built = built(&server, &[]);
    let lab = Agent::enrolled(&server, "lab");
    let libraries = lab.home().join("libraries");
    let copied = Command::new("cp").arg("-aL").arg(tensorrt::libraries()).arg(&libraries).status();
    assert!(copied.is_ok_and(|status| status.success()));
    for file in std::fs::read_dir(&libraries).expect("libraries").flatten() {
        if file.file_name().to_string_lossy().contains("onnxparser") {
            let mut bytes = std::fs::read(file.path()).expect("a library");
            bytes.extend(b"patched");
            std::fs::write(file.path(), bytes).expect("it is written");
        }
    }
    let ended = rebuild(&lab, &built.run, &built.model, &["--tensorrt-lib", &libraries.to_string_lossy()]);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    let predicate = &ended.json()["predicate"];
    let names: Vec<&str> = predicate["differing"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    assert_eq!(names, ["library.parserDigest"], "{predicate:#}");
}

#[test]
fn a_rebuild_that_is_cancelled_says_nothing_about_the_run() {
    let server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let model = agent.file("deep.onnx", &onnx::residual(60, 48));
    let plan = agent.home().join("deep.plan").to_string_lossy().into_owned();
    let summary = agent.ok(&["build", &model, "-o", &plan, "--json"]).json();
    let run = summary["predicate"]["run"]["id"].as_str().expect("a run").to_owned();
    let lab = Agent::enrolled(&server, "lab");
    let output = lab.home().join("again.plan").to_string_lossy().into_owned();
    let cancelled = [900, 700, 500, 300].into_iter().find_map(|wait| {
        let arguments = ["rebuild", "--run", &run, "--model", &model, "-o", &output, "--json"];
        let ended = interrupted(&lab, &arguments, wait);
        (ended.code() == 4).then_some(ended)
    });
    let said = cancelled.expect("one of the rebuilds stopped").json();
    assert_eq!(
        (&said["predicate"], &said["rebuilt"]["predicate"]["outcome"]),
        (&Value::Null, &json!("cancelled"))
    );
    let stood = standing(&server, &run);
    let told = stood["rebuilds"].as_array().expect("a list");
    // Those that were too fast to be stopped reproduced it; the cancelled one left no word.
    assert!(told.iter().all(|it| it["record"]["verdict"] == "reproduced"), "{stood:#}");
    assert!(
        told.iter().all(|it| it["record"]["rebuilt"]["run"] != said["rebuilt"]["predicate"]["run"]["id"])
    );
}

/// Starts `acta` and sends SIGINT after so many milliseconds.
fn interrupted(agent: &Agent, arguments: &[&str], wait_ms: u64) -> Ended {
    let child = agent.command(arguments).spawn().expect("acta starts");
    std::thread::sleep(std::time::Duration::from_millis(wait_ms));
    signal(&child, "INT");
    child.wait_with_output().expect("acta ends").into()
}

fn model_digest(path: &str) -> Value {
    json!(Sha256Digest::of(&std::fs::read(path).expect("a model")).to_string())
}

/// Somebody's run that says what the built one says but for a change: signed by an agent of its own. Its id.
fn said_by(server: &Server, seed: u8, built: &Built, change: impl FnOnce(&mut Value)) -> String {
    let agent = TestAgent::new(seed);
    let body = agent.enrolment(&server.token(&format!("other-{seed}")));
    let post = |path: &str, token: Option<&str>, body: &[u8]| -> Value {
        let mut request = ureq::post(format!("{}{path}", server.url())).content_type("application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let answer = request.send(body).expect("it is taken").into_body().read_to_vec().expect("a body");
        serde_json::from_slice(&answer).expect("JSON")
    };
    let enrolled = post("/api/v1/agents", None, body.to_string().as_bytes());
    let mut summary = server.get(&format!("/api/v1/runs/{}", built.run))["summary"].clone();
    let id = format!("019ad0c6-0000-7000-8000-{seed:012}");
    summary["run"]["id"] = json!(id);
    summary["chain"] = json!({ "sequence": 1, "previous": null });
    change(&mut summary);
    let said: BuildSummary = serde_json::from_value(summary).expect("a summary");
    let envelope = agent.envelope(&said);
    post("/api/v1/entries", enrolled["apiToken"].as_str(), &envelope);
    id
}
