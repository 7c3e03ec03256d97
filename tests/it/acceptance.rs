//! The acceptance test asks over the portal, where a reviewer lent a token for it.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use acta_ledger::evidence::{
    acceptance::{AcceptanceRecord, Criterion, Role, Scenario, Verdict},
    cancel::CancelSource,
};
use acta_tests::{
    portal::Person,
    process::{Agent, Ended, Server},
};

/// A token of the reviewer for a scope, in a file that only its owner may read.
fn token(server: &Server, agent: &Agent, scope: &str) -> String {
    let issued = server.run(&["user", "token", "rita", "--label", scope, "--scope", scope], "");
    assert!(issued.status.success(), "{}", String::from_utf8_lossy(&issued.stderr));
    let path = agent.file(scope, &issued.stdout);
    fs::set_permissions(Path::new(&path), fs::Permissions::from_mode(0o600)).unwrap();
    path
}

fn run(agent: &Agent, token: &str) -> Ended {
    let scenario = ["acceptance", "--scenario", "programmatic_cancel", "--json", "--quiet"];
    agent.run(&[&scenario[..], &["--cancel-token", token]].concat())
}

#[test]
fn a_programmatic_cancel_goes_over_the_portal_and_the_matrix_says_so() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let _rita = Person::sign_in(&server, "rita", "reviewer");
    let cancel = token(&server, &agent, "cancel");
    let ended = run(&agent, &cancel);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    let record = |ended: &Ended| -> AcceptanceRecord {
        serde_json::from_value(ended.json()["predicate"].clone()).unwrap()
    };
    let of = |record: &AcceptanceRecord| {
        record.scenarios.iter().find(|it| it.scenario == Scenario::ProgrammaticCancel).unwrap().clone()
    };
    let scenario = of(&record(&ended));
    assert_eq!(scenario.verdict(), Verdict::Pass, "{scenario:?}");
    let found = scenario.criterion(Criterion::Interruptible).unwrap();
    assert!(found.sentence.contains("api reached the builder over the portal"), "{}", found.sentence);
    // The cancelled run names the request that the portal signed, and whose token asked.
    let faulted = scenario.runs.iter().rfind(|run| run.role == Role::Faulted).unwrap();
    let stored = server.get(&format!("/api/v1/runs/{}", faulted.run));
    let cancel_record = &stored["summary"]["cancel"];
    assert_eq!(cancel_record["who"], "rita", "{stored}");
    assert!(cancel_record["request"]["id"].is_string(), "{stored}");
    assert_eq!(
        serde_json::from_value::<CancelSource>(cancel_record["source"].clone()).unwrap(),
        CancelSource::Api
    );

    // A token that may only read stops nothing, and the test says so.
    let refused = run(&agent, &token(&server, &agent, "read"));
    assert_eq!(refused.code(), 2, "{}{}", refused.stdout, refused.stderr);

    // Without the server it is asked in this process.
    server.stop();
    let alone = run(&agent, &cancel);
    let scenario = of(&record(&alone));
    let found = scenario.criterion(Criterion::Interruptible).unwrap();
    assert_eq!(found.sentence, "api reached the builder, and a step answered it");
}
