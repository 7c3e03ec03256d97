//! Python's and Go's tools ask a real server, as their users would.

use std::{
    path::Path,
    process::{Command, Output},
};

use acta_ledger::log::{digest::Sha256Digest, note::VerifierKey};
use acta_tests::{
    api::Push,
    evidence::{LISTING, TestAgent, acceptance, summary},
    process::Server,
    route,
    tensorrt::workspace,
};
use serde_json::Value;

/// Where Debian puts the sources of Go's packages; `ACTA_GOPATH` names another folder of that kind.
const GOPATH: &str = "/usr/share/gocode";

fn enrolled(server: &Server, seed: u8) -> (TestAgent, Push) {
    let agent = TestAgent::new(seed);
    let push = Push::enrol(&server.url(), &server.token(&format!("builder-{seed}")), &agent);
    (agent, push)
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// One of everything that an agent says, and an enrolment by the portal for each agent.
#[test]
fn python_verifies_our_envelopes_and_reads_our_statements() {
    let server = Server::start(&["--public-read"]);
    let (agent, push) = enrolled(&server, 1);
    let runs: Vec<_> = (1..=3).map(summary).collect();
    let envelopes: Vec<_> = runs.iter().map(|run| agent.envelope(run)).collect();
    push.append(&envelopes);
    let runs: Vec<_> = runs.into_iter().zip(envelopes.iter().map(|bytes| Sha256Digest::of(bytes))).collect();
    push.blob(LISTING);
    push.append(&[agent.acceptance(&acceptance(1, &runs))]);
    let (agent, push) = enrolled(&server, 2);
    let (bundle, config) = (b"a bundle".as_slice(), b"its configuration".as_slice());
    push.blob(bundle);
    push.blob(config);
    push.append(&route::everything(&agent, bundle, config));

    let script = workspace().join("tests/interop/python/verify.py");
    let python = workspace().join(".venv/bin/python");
    let asked = Command::new(&python).arg(script).arg(server.url()).output();
    let asked = asked.unwrap_or_else(|error| panic!("{}: {error}: run scripts/setup", python.display()));
    let found: Value = serde_json::from_str(&said(&asked)).expect("JSON");
    let kinds = found["kinds"].as_object().expect("counts by predicate type");
    assert_eq!(found["entries"], kinds.values().map(|count| count.as_u64().unwrap_or(0)).sum::<u64>());
    for (noun, count) in [("agent-key", 2), ("build-summary", 3), ("stuck-build-test", 1), ("cbat-gate", 5)] {
        assert_eq!(kinds[&format!("urn:acta:{noun}:v1")], count, "{found}");
    }
}

/// Past two full tiles, so that there are full and partial tiles on two levels.
#[test]
fn go_opens_our_tree_head_and_rebuilds_the_tree_from_our_tiles() {
    let server = Server::start(&["--public-read"]);
    let (agent, push) = enrolled(&server, 1);
    push.append(&(1..=600).map(|number| agent.envelope(&summary(number))).collect::<Vec<_>>());

    let gopath = std::env::var("ACTA_GOPATH").unwrap_or_else(|_| GOPATH.to_owned());
    let tools = Path::new(&gopath).join("src/golang.org/x/mod/sumdb/tlog");
    assert!(tools.is_dir(), "{} is not there: run scripts/setup --tests", tools.display());
    let key = server.get("/api/v1/keys")["logKey"].as_str().expect("a key").to_owned();
    let program = workspace().join("tests/interop/go/main.go");
    let go = |key: &str| {
        let mut command = Command::new("go");
        command.args(["run".as_ref(), program.as_os_str()]).args([&server.url(), key]);
        command
            .env("GO111MODULE", "off")
            .env("GOPATH", &gopath)
            .env("GOFLAGS", "")
            .env("GOTOOLCHAIN", "local");
        command.env("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go"));
        command.output().expect("Go is not installed: run scripts/setup --tests")
    };
    let found = said(&go(&key));
    assert!(found.starts_with("size 601, ") && found.contains(" 601 entries, "), "{found}");
    assert!(!found.contains(" 0 "), "everything was looked at: {found}");

    let known = VerifierKey::parse(&key).expect("a key");
    let other = VerifierKey::new(known.name(), known.kind(), agent.public()).expect("the same name");
    let refused = go(&other.to_string());
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && why.contains("tree head: "), "{why}");
}
