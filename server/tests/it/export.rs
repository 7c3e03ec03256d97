//! The tables of routes, of runs of the acceptance test, of what a search found and of accounts, as files.

use acta_ledger::log::digest::Sha256Digest;
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::{
    acceptance::tested,
    route::{BUNDLE, Stage},
    support::{Client, TestApp},
};

async fn rows(client: &Client, table: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/v1/exports/{table}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{table}: {}", answer.text());
    answer.json().as_array().unwrap().clone()
}

#[tokio::test]
async fn routes_are_given_with_their_records_and_what_was_found_with_its_kind() {
    let stage = Stage::set(1).await;
    let client = &stage.builder;
    let routes = rows(client, "routes?format=json").await;
    let record = &stage.route().await["record"];
    assert_eq!(routes.len(), 1);
    for (name, value) in record.as_object().unwrap() {
        assert_eq!(routes[0][name], *value, "{name}");
    }
    assert_eq!((&routes[0]["missing"], &routes[0]["approvalOutdated"]), (&json!(1), &json!(false)));
    assert_eq!(routes[0]["newestEntry"], stage.app.size() - 1);

    let bundle = Sha256Digest::of(BUNDLE).to_string();
    let found = rows(client, &format!("search?q={bundle}&format=json")).await;
    assert_eq!((&found[0]["kind"], &found[0]["digest"]), (&"digest".into(), &bundle.as_str().into()));
    assert_eq!((&found[0]["bytes"], &found[0]["name"]), (&json!(BUNDLE.len()), &Value::Null));
    assert!(found[0]["usedByEntries"].as_str().unwrap().contains("; "), "{found:?}");
    let entry = rows(client, "search?q=1&format=json").await;
    assert_eq!(
        (&entry[0]["kind"], &entry[0]["entry"], &entry[0]["leafHash"]),
        (&"entry".into(), &json!(1), &Value::Null)
    );
    let refused = client.get("/api/v1/exports/search?q=%20").await;
    assert_eq!((refused.status, refused.code()), (StatusCode::BAD_REQUEST, "bad_search".to_owned()));
}

#[tokio::test]
async fn runs_of_the_acceptance_test_are_given_and_accounts_only_to_whoever_may_read_them() {
    let app = TestApp::start().await;
    let (_, client, record) = tested(&app).await;
    let csv = client.get("/api/v1/exports/acceptance").await.text();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("id,number,entry,agent,"), "{csv}");
    assert!(lines[1].starts_with(&format!("{},1,3,builder-7,", record.id)), "{csv}");

    for (role, expected) in
        [("auditor", StatusCode::OK), ("admin", StatusCode::OK), ("approver", StatusCode::FORBIDDEN)]
    {
        let person = app.person(role, role).await;
        assert_eq!(person.get("/api/v1/exports/people").await.status, expected, "{role}");
        assert_eq!(
            person.get("/people").await.text().contains("/api/v1/exports/people?format=csv"),
            expected == StatusCode::OK
        );
    }
    let nobody = app.anonymous().get("/api/v1/exports/people").await;
    assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
    let auditor = app.person("ada", "auditor").await;
    let accounts = rows(&auditor, "people?format=json").await;
    let names: Vec<&str> = accounts.iter().map(|row| row["account"].as_str().unwrap()).collect();
    assert_eq!(names, ["ada", "admin", "approver", "auditor"]);
    assert!(accounts.iter().all(|row| row["disabled"] == false && row.get("password").is_none()));
}
