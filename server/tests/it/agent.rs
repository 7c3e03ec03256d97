//! The page of an agent: the life of its keys, and the form that revokes one.

use acta_ledger::{
    evidence::agent_key::{AgentKey, AgentKeyAction},
    log::statement::Statement,
};
use acta_tests::evidence::{TestAgent, summary};
use axum::http::StatusCode;

use crate::support::{Client, PASSWORD, TestApp};

/// Replaces an agent's key by another one.
async fn rotate(name: &str, from: &TestAgent, to: &TestAgent, client: &Client) {
    let said = AgentKey {
        agent: name.to_owned(),
        public_key: to.public(),
        action: AgentKeyAction::Rotated,
        at: "2026-11-30T10:00:00Z".parse().unwrap(),
        authorized_by: name.to_owned(),
        owner: None,
        previous: Some(from.public()),
        reason: None,
    };
    let statement = Statement::new(vec![said.subject()], &said).unwrap();
    let (mut envelope, other) = (statement.sign(&from.key).unwrap(), statement.sign(&to.key).unwrap());
    envelope.signatures.extend(other.signatures);
    let answer = client.post(&format!("/api/v1/agents/{name}/rotate"), envelope.to_canonical_json()).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
}

#[tokio::test]
async fn an_agents_page_tells_its_keys_its_chain_and_what_it_signed() {
    let app = TestApp::start_public().await;
    let (agent, client) = app.agent_of("builder-7", 1, Some("ada")).await;
    client.post("/api/v1/entries", agent.envelope(&summary(1))).await;
    let next = TestAgent::new(9);
    rotate("builder-7", &agent, &next, &client).await;
    let nobody = app.anonymous();
    let page = nobody.get("/agents/builder-7").await;
    assert_eq!(page.status, StatusCode::OK);
    let html = page.text();
    for words in ["owned by ada", "replaced", "may sign", "no gap", "href=\"/entries/2\"", "build summary"] {
        assert!(html.contains(words), "{words}: {html}");
    }
    assert!(!html.contains("/agents/builder-7/revoke"), "only an admin is offered the form");
    assert!(nobody.get("/ledger").await.text().contains("href=\"/agents/builder-7\""));
    assert_eq!(nobody.get("/agents/nobody").await.status, StatusCode::NOT_FOUND);

    // Both keys are found: the one that signs, and the one that it replaced.
    for (key, entry) in [(agent.public(), 0), (next.public(), 2)] {
        let found = nobody.get(&format!("/api/v1/search?q={}", key.id())).await.json();
        let things = found["things"].as_array().unwrap();
        let thing = things.iter().find(|thing| thing["kind"] == "key").unwrap_or_else(|| panic!("{found:#}"));
        assert_eq!((&thing["holder"], &thing["entry"]), (&"builder-7".into(), &entry.into()));
        let short = &key.id().to_string()[..12];
        assert!(nobody.get(&format!("/search?q={short}")).await.status.is_redirection(), "{short}");
    }
}

#[tokio::test]
async fn an_admin_revokes_the_key_that_was_seen_for_a_reason_and_nobody_else_does() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("builder-7", 1).await;
    let adam = app.person("adam", "admin").await;
    let seen = agent.public().id();
    let path = "/agents/builder-7/revoke";
    let form = |token: &str, rest: &str| format!("form_token={token}&{rest}");
    let good = format!("key_id={seen}&reason=the+disk+was+stolen&confirm=yes");
    for role in ["builder", "reviewer", "approver", "auditor"] {
        let person = app.person(role, role).await;
        let answer = person.form(path, &form(&person.form_token().await, &good)).await;
        assert!(
            answer.header("location").contains("error=not_allowed"),
            "{role}: {}",
            answer.header("location")
        );
        assert!(!person.get("/agents/builder-7").await.text().contains(path), "{role}");
    }
    assert_eq!(app.anonymous().form(path, &good).await.status, StatusCode::SEE_OTHER);
    let token = adam.form_token().await;
    let other = TestAgent::new(9).public().id();
    for (wrong, code) in [
        (good.replace("confirm=yes", ""), "not_confirmed"),
        (good.replace("the+disk+was+stolen", ""), "missing_field"),
        (good.replace("the+disk+was+stolen", &"x".repeat(501)), "malformed_reason"),
        (good.replace(&seen.to_string(), &other.to_string()), "not_the_key"),
        (good.replace(&seen.to_string(), "zz"), "bad_digest"),
        (format!("{good}&password=guess"), "wrong_password"),
    ] {
        let answer = adam.form(path, &form(&token, &wrong)).await;
        let place = answer.header("location");
        assert!(place.starts_with(&format!("/agents/builder-7?error={code}&")), "{code}: {place}");
        assert!(adam.get(place).await.text().contains("role=\"alert\""));
    }
    let size = app.size();
    let answer =
        adam.form(path, &form(&token, &format!("{good}&password={}", PASSWORD.replace(' ', "+")))).await;
    assert_eq!(answer.header("location"), "/agents/builder-7", "{}", answer.text());
    assert_eq!(app.size(), size + 1);
    let page = adam.get("/agents/builder-7").await.text();
    assert!(
        page.contains("by adam") && page.contains("the disk was stolen") && !page.contains(path),
        "{page}"
    );
    assert_eq!(client.post("/api/v1/entries", agent.envelope(&summary(1))).await.code(), "key_ended");
    let again = adam.form(path, &form(&token, &good)).await;
    assert!(again.header("location").contains("error=no_key"), "{}", again.header("location"));
    let missing = adam.form("/agents/nobody/revoke", &form(&token, &good)).await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}
