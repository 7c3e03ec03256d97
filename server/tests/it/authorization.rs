use acta_tests::evidence::summary;
use axum::http::{Method, StatusCode, header};

use crate::support::{Client, TestApp};

/// Paths that anybody may read: what a log shows, what a browser needs to show the sign-in page, and health.
const PUBLIC: [&str; 12] = [
    "POST /api/v1/agents",
    "GET /api/v1/keys",
    "GET /api/v1/log/consistency",
    "GET /api/v1/log/hand-overs",
    "GET /log/tree-head",
    "GET /log/tile/{tile}",
    "GET /api/v1/openapi.json",
    "GET /healthz",
    "GET /readyz",
    "GET /sign-in",
    "POST /sign-in",
    "GET /assets/main.css",
];

async fn operations(client: &Client) -> Vec<(Method, String)> {
    let document = client.get("/api/v1/openapi.json").await.json();
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            operations.push((method.to_uppercase().parse().unwrap(), path.clone()));
        }
    }
    operations
}

fn concrete(path: &str) -> String {
    path.replace("{digest}", &"0".repeat(64))
        .replace("{agent}", "a")
        .replace("{entry}", "0")
        .replace("{run}", "1")
        .replace("{acceptance}", "1")
        .replace("{route}", "mini")
        .replace("{order}", "00000000-0000-0000-0000-000000000000")
}

#[tokio::test]
async fn nobody_gets_in_without_being_known_but_where_a_log_is_public() {
    let app = TestApp::start().await;
    app.agent("a", 1).await;
    let nobody = app.anonymous();
    let operations = operations(&nobody).await;
    assert!(operations.len() > 8);
    for (method, path) in operations {
        let answer = nobody.send(method.clone(), &concrete(&path), "application/json", "{}").await;
        let public = PUBLIC.contains(&format!("{method} {path}").as_str());
        assert_eq!(answer.status == StatusCode::UNAUTHORIZED, !public, "{method} {path}: {}", answer.status);
    }
    for page in [
        "/",
        "/runs",
        "/runs/1",
        "/compare",
        "/cancels",
        "/caches",
        "/acceptance",
        "/acceptance/1",
        "/entries/0",
        "/ledger",
        "/agents/a",
        "/nowhere",
    ] {
        let answer = nobody.get(page).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{page}");
        assert!(answer.header("location").starts_with("/sign-in"), "{page}");
    }
}

#[tokio::test]
async fn people_read_and_only_agents_push() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let envelope = agent.envelope(&summary(1));
    for role in ["reviewer", "approver", "auditor", "admin"] {
        let person = app.person(role, role).await;
        let answer = person.post("/api/v1/entries", envelope.clone()).await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::FORBIDDEN, "not_allowed"), "{role}");
        assert_eq!(person.put_blob(b"x").await.status, StatusCode::FORBIDDEN);
        assert_eq!(person.get("/api/v1/runs").await.status, StatusCode::OK);
    }
    assert_eq!(app.size(), 1);
    assert_eq!(client.get("/api/v1/runs").await.status, StatusCode::OK);
    let forged = app.anonymous().with(header::AUTHORIZATION, "Bearer acta_agent_00");
    assert_eq!(forged.post("/api/v1/entries", envelope).await.status, StatusCode::UNAUTHORIZED);
    let strange = app.anonymous().with(header::AUTHORIZATION, "Basic YTpi");
    assert_eq!(strange.get("/api/v1/runs").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_public_server_lets_everybody_read_and_nobody_write() {
    let app = TestApp::start_public().await;
    app.agent("a", 1).await;
    let nobody = app.anonymous();
    for path in ["/api/v1/runs", "/api/v1/entries/0", "/runs", "/ledger", "/entries/0"] {
        assert_eq!(nobody.get(path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(nobody.post("/api/v1/entries", "{}").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(nobody.put_blob(b"x").await.status, StatusCode::UNAUTHORIZED);
}
