//! Getting evidence into a log, and not losing it where that fails.

use std::{fs, os::unix::fs::PermissionsExt as _};

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::onnx;

use crate::{
    fake::{Fake, Mood},
    setup::Bench,
};

/// An agent that is enrolled with a fake server.
fn enrolled() -> (Bench, Fake) {
    let (bench, fake) = (Bench::new(&onnx::gemm()), Fake::start());
    let ended = bench.agent.ok(&["enrol", "--server", &format!("{}/", fake.url), "--token", "t"]);
    assert!(ended.stdout.contains("builder-1") && !ended.stdout.contains("secret-token"), "{}", ended.stdout);
    (bench, fake)
}

#[test]
fn a_build_pushes_blobs_first_then_the_entry_and_keeps_the_receipt() {
    let (bench, fake) = enrolled();
    let server = bench.agent.home().join("state/server.json");
    assert_eq!(fs::metadata(&server).unwrap().permissions().mode() & 0o777, 0o600);
    let ended = bench.build(&[]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert_eq!(ended.json()["entryIndex"], 0);
    assert_eq!(bench.outbox(), [0, 1, 0]);
    {
        let state = fake.state.lock().unwrap();
        assert_eq!(state.blobs.len(), 3, "phase tree, events, log");
        let posted = state.requests.iter().position(|request| request.contains("/entries")).unwrap();
        assert!(state.requests[posted + 1..].iter().all(|request| !request.contains("/blobs/")));
    }
    let again = bench.agent.ok(&["push", "--json"]).json();
    assert_eq!((again["sent"].as_array().unwrap().len(), again["waiting"].as_u64()), (0, Some(0)));
    // A second build: the tree grew, and the consistency with the first tree head is asked for.
    bench.build(&[]);
    bench.build(&[]);
    let state = fake.state.lock().unwrap();
    assert_eq!(state.leaves.len(), 3);
    assert!(state.requests.iter().any(|request| request.ends_with("/consistency?from=1&to=2")));
    drop(state);
    let status = bench.agent.ok(&["status", "--json"]).json();
    assert_eq!(status["treeHead"]["size"], 3);
    assert!(!status.to_string().contains("secret-token"));
}

#[test]
fn a_lost_answer_is_pushed_again_and_changes_nothing() {
    let (bench, fake) = enrolled();
    bench.build(&[]);
    // As if the agent had died between the answer and the move: the item waits again.
    let state = bench.agent.home().join("state");
    for entry in fs::read_dir(state.join("sent")).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".receipt.json") {
            fs::rename(&path, state.join("outbox").join(path.file_name().unwrap())).unwrap();
        }
    }
    assert_eq!(bench.outbox(), [1, 0, 0]);
    let sent = bench.agent.ok(&["push", "--json"]).json();
    assert_eq!(sent["sent"][0]["entryIndex"], 0);
    assert_eq!((bench.outbox(), fake.state.lock().unwrap().leaves.len()), ([0, 1, 0], 1));
}

#[test]
fn a_server_that_does_not_take_it_loses_nothing() {
    let (bench, fake) = enrolled();
    for (mood, words) in [
        (Mood::Busy, "503"),
        (Mood::Stranger, "enrol again"),
        (Mood::Foreign, "404"),
        (Mood::Lying, "cannot be believed"),
    ] {
        fake.mood(mood);
        let ended = bench.build(&[]);
        assert_eq!(ended.code(), 6, "{mood:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{mood:?}: {}", ended.stderr);
        assert!(ended.json().get("entryIndex").is_none());
    }
    assert_eq!(bench.outbox(), [4, 0, 0]);
    assert_eq!(bench.agent.run(&["push"]).code(), 6);
    fake.mood(Mood::Good);
    let sent = bench.agent.ok(&["push", "--json"]).json();
    let indices: Vec<u64> =
        sent["sent"].as_array().unwrap().iter().map(|sent| sent["entryIndex"].as_u64().unwrap()).collect();
    assert_eq!(indices, [0, 1, 2, 3], "in the order of the chain");
    assert_eq!(bench.outbox(), [0, 4, 0]);
}

#[test]
fn a_dead_server_loses_nothing_and_a_failed_build_stays_a_failed_build() {
    let (bench, fake) = enrolled();
    let server = bench.agent.home().join("state/server.json");
    let facts = fs::read_to_string(&server).unwrap();
    fs::write(&server, facts.replace(&fake.url, "http://127.0.0.1:1")).unwrap();
    let ended = bench.build(&[]);
    assert_eq!(ended.code(), 6, "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot be reached"), "{}", ended.stderr);
    assert_eq!(bench.build(&["--no-push"]).code(), 0, "nobody asked for a push");
    assert_eq!(bench.build(&["--target", "sm90"]).code(), 3);
    assert_eq!(bench.outbox(), [3, 0, 0]);
    fs::write(&server, facts).unwrap();
    bench.agent.ok(&["push"]);
    assert_eq!(bench.outbox(), [0, 3, 0]);
}

#[test]
fn a_refused_statement_is_set_apart_and_the_rest_goes_on() {
    let (bench, fake) = enrolled();
    bench.build(&["--no-push"]);
    bench.build(&["--no-push"]);
    fake.mood(Mood::RefuseOne);
    let ended = bench.agent.run(&["push", "--json"]);
    assert_eq!(ended.code(), 1, "{}", ended.stderr);
    assert!(ended.stderr.contains("statement 1 was refused"), "{}", ended.stderr);
    assert_eq!(bench.outbox(), [0, 1, 1]);
    assert_eq!(bench.agent.ok(&["push"]).code(), 0);
    let next = bench.build(&[]).json();
    assert_eq!(next["predicate"]["chain"]["sequence"], 3);
    assert_eq!(next["entryIndex"], 1);
}

#[test]
fn a_log_that_changes_its_history_is_not_believed() {
    let (bench, fake) = enrolled();
    bench.build(&[]);
    bench.build(&[]);
    {
        let mut state = fake.state.lock().unwrap();
        let other = Sha256Digest::of(b"another history");
        state.leaves[0] = other;
        state.digests[0] = other;
    }
    let ended = bench.build(&[]);
    assert_eq!(ended.code(), 6, "{}", ended.stderr);
    assert!(ended.stderr.contains("does not agree with what it showed before"), "{}", ended.stderr);
    assert_eq!(bench.outbox(), [1, 2, 0]);
}

#[test]
fn an_agent_stays_with_its_server_and_its_keys() {
    let (bench, fake) = enrolled();
    bench.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
    let other = Fake::start();
    let ended = bench.agent.run(&["enrol", "--server", &other.url, "--token", "t"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("another --home"), "{}", ended.stderr);
    let server = bench.agent.home().join("state/server.json");
    let facts = fs::read_to_string(&server).unwrap();
    let key: serde_json::Value = serde_json::from_str(&facts).unwrap();
    let portal = key["portalKey"].as_str().unwrap();
    fs::write(&server, facts.replace(portal, "Qbv1lo6SmlkqmIc7Q+A9J/sKLFUk+CgD1XSLyqc+zfA=")).unwrap();
    let ended = bench.agent.run(&["enrol", "--server", &fake.url, "--token", "t"]);
    assert_eq!(ended.code(), 1);
    assert!(ended.stderr.contains("not the pinned ones"), "{}", ended.stderr);
}
