use acta_tests::evidence::TestAgent;
use axum::http::StatusCode;
use serde_json::json;

use crate::support::TestApp;

const AGENTS: &str = "/api/v1/agents";

#[tokio::test]
async fn a_token_enrols_one_key_and_the_key_stands_in_the_log() {
    let app = TestApp::start().await;
    let token = app.enrolment_token("builder-7").await;
    let (agent, rival) = (TestAgent::new(1), TestAgent::new(2));
    let enrol = async |agent: &TestAgent, token: &str| {
        app.anonymous().post(AGENTS, agent.enrolment(token).to_string()).await
    };
    let first = enrol(&agent, &token).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text());
    let facts = first.json();
    assert_eq!((&facts["agent"], &facts["entry"]), (&json!("builder-7"), &json!(0)));
    assert_eq!(facts["logKey"], app.trust().log.to_string());
    assert_eq!(facts["keyId"], agent.public().id().to_string());

    let again = enrol(&agent, &token).await;
    assert_eq!((again.status, &again.json()["entry"]), (StatusCode::OK, &json!(0)));
    let answer = enrol(&rival, &token).await;
    assert_eq!((answer.status, answer.code().as_str()), (StatusCode::FORBIDDEN, "bad_token"));
    let answer = enrol(&rival, "acta_enrol_unknown").await;
    assert_eq!((answer.status, answer.code().as_str()), (StatusCode::FORBIDDEN, "bad_token"));
    let answer = enrol(&rival, &app.enrolment_token("builder-7").await).await;
    assert_eq!((answer.status, answer.code().as_str()), (StatusCode::CONFLICT, "agent_exists"));
    assert_eq!(app.size(), 1);
}

#[tokio::test]
async fn a_key_that_cannot_be_trusted_is_refused() {
    let app = TestApp::start().await;
    let token = app.enrolment_token("a").await;
    let refused = async |body: serde_json::Value, code: &str| {
        let answer = app.anonymous().post(AGENTS, body.to_string()).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (422, code), "{}", answer.text());
    };
    let good = TestAgent::new(1).enrolment(&token);
    let edited = |field: &str, value: &str| {
        let mut body = good.clone();
        body[field] = json!(value);
        body
    };
    refused(edited("publicKey", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="), "bad_key").await;
    refused(edited("publicKey", "AAAA"), "bad_key").await;
    refused(edited("signature", "AAAA"), "bad_signature").await;
    refused(edited("token", "another"), "bad_signature").await;
    let portal = TestAgent { key: app.state().keys.portal.clone() };
    refused(portal.enrolment(&token), "bad_key").await;
    assert_eq!(app.size(), 0);
    let answer = app.anonymous().post(AGENTS, good.to_string()).await;
    assert_eq!(answer.status, StatusCode::CREATED, "the token is still good");
}
