//! The life of keys across processes: an agent's key rotated and revoked, the log's own handed on.

use std::{thread, time::Duration};

use acta_tests::{
    onnx,
    process::{Agent, Server},
};

fn plan(agent: &Agent) -> String {
    agent.home().join("model.plan").to_string_lossy().into_owned()
}

/// Builds something small and pushes it; the run's entry.
fn build(agent: &Agent) -> u64 {
    let ended = agent.ok(&["build", &agent.file("gemm.onnx", &onnx::gemm()), "-o", &plan(agent), "--json"]);
    ended.json()["entryIndex"].as_u64().expect("it was pushed")
}

fn key_id(agent: &Agent) -> String {
    agent.ok(&["status", "--json"]).json()["key"]["keyId"].as_str().expect("a key").to_owned()
}

fn verify(agent: &Agent, entry: u64) {
    agent.ok(&["verify", "--entry", &entry.to_string()]);
}

/// The audit of an agent that knows nothing but what the server says of its keys finds nothing.
fn audit(server: &Server) {
    Agent::init().ok(&["audit", "--server", &server.url()]);
}

#[test]
fn a_rotation_goes_on_with_the_same_chain_and_leaves_what_the_old_key_signed() {
    let server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let (before, old) = (build(&agent), key_id(&agent));
    agent.ok(&["key", "rotate"]);
    let (after, new) = (build(&agent), key_id(&agent));
    assert_ne!(old, new);
    [before, after].into_iter().for_each(|entry| verify(&agent, entry));
    let signers: Vec<_> = [before, after]
        .map(|entry| server.get(&format!("/api/v1/entries/{entry}"))["signatures"][0]["keyid"].clone())
        .into();
    assert_eq!(signers, [old, new]);
    audit(&server);
}

/// However far it came: the next push finishes it, and the agent is never without a key that the log knows.
#[test]
fn a_rotation_that_is_killed_at_any_moment_is_finished_by_the_next_push() {
    let server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let mut rotated = 0;
    for wait_ms in [0, 1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60] {
        let before = key_id(&agent);
        let mut child = agent.command(&["key", "rotate"]).spawn().expect("acta starts");
        thread::sleep(Duration::from_millis(wait_ms));
        child.kill().expect("killed, or over already");
        child.wait().expect("it ended");
        agent.ok(&["push"]);
        assert!(!agent.home().join("rotation.json").exists(), "after {wait_ms} ms");
        rotated += usize::from(key_id(&agent) != before);
    }
    let entry = build(&agent);
    verify(&agent, entry);
    // Its enrolment, each rotation once, and the build.
    assert_eq!(server.get("/api/v1/runs")["runs"].as_array().expect("runs").len(), 1);
    assert_eq!(entry, 1 + rotated as u64, "{rotated} rotations");
    audit(&server);
}

#[test]
fn a_revoked_key_signs_nothing_more_and_what_it_signed_stays_valid() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let before = build(&agent);
    server.stop();
    let revoked = server.run(&["agent", "revoke", "builder-7", "--reason", "the disk was stolen"], "");
    assert!(revoked.status.success(), "{}", String::from_utf8_lossy(&revoked.stderr));
    server.restart();
    let model = agent.file("gemm.onnx", &onnx::gemm());
    let refused = agent.run(&["build", &model, "-o", &plan(&agent)]);
    assert_ne!(refused.code(), 0);
    assert!(refused.stderr.contains("the disk was stolen"), "{}", refused.stderr);
    verify(&agent, before);
    assert_eq!(server.get("/api/v1/runs")["runs"].as_array().expect("runs").len(), 1);
    audit(&server);
}

/// Both keys sign during the overlap and the new one alone after it; who pinned the first key follows.
#[test]
fn the_log_is_handed_on_to_a_new_key_and_who_pinned_the_first_one_follows() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let before = build(&agent);
    let signatures = |server: &Server| {
        let note = ureq::get(format!("{}/log/tree-head", server.url())).call().expect("an answer");
        let note = note.into_body().read_to_string().expect("a note");
        note.lines().filter(|line| line.starts_with('\u{2014}')).count()
    };
    assert_eq!(signatures(&server), 1);
    server.stop();
    let rotated = server.run(&["log-key", "rotate", "--overlap", "2", "--reason", "a yearly change"], "");
    assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
    server.restart();
    assert_eq!(signatures(&server), 2);
    for _ in 0..3 {
        verify(&agent, build(&agent));
    }
    assert_eq!(signatures(&server), 1, "the first key has ended");
    verify(&agent, before);
    assert!(
        agent.ok(&["status", "--json"]).json()["treeHead"]["size"].as_u64().expect("a tree head") > before
    );
    audit(&server);
    // Who heard of the log later pins its second key: that the first one was handed on is then no finding.
    let keys = server.get("/api/v1/keys");
    let newest = keys["logKeys"][1]["key"].as_str().expect("a second key");
    let portal = keys["portalKey"].as_str().expect("a key");
    let pinned = ["audit", "--server", &server.url(), "--log-key", newest, "--portal-key", portal, "--deep"];
    Agent::init().ok(&pinned);
}
