//! The same words again: by many at once, by somebody who has no key, by the key's owner, after the key has ended.

use std::collections::BTreeMap;

use acta_ledger::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        gate::Gate,
    },
    log::{
        digest::Sha256Digest,
        dsse::{Envelope, PAYLOAD_TYPE},
        statement::{Statement, Subject},
        timestamp::Timestamp,
    },
};
use acta_tests::{
    evidence::{TestAgent, summary},
    route,
};
use axum::http::StatusCode;
use serde_json::Value;

use crate::support::{Answer, Client, TestApp};

const ENTRIES: &str = "/api/v1/entries";

/// Offers an envelope until the log has room for the request.
async fn offer(client: Client, envelope: Vec<u8>) -> Answer {
    loop {
        let answer = client.post(ENTRIES, envelope.clone()).await;
        if answer.status != StatusCode::SERVICE_UNAVAILABLE {
            return answer;
        }
        assert_eq!(answer.code(), "busy");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_envelope_a_thousand_times_at_once_is_one_entry() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let envelope = agent.envelope(&summary(1));
    let offers: Vec<_> = (0..1_000).map(|_| tokio::spawn(offer(client.clone(), envelope.clone()))).collect();
    let mut statuses = BTreeMap::new();
    let mut places = Vec::new();
    for offer in offers {
        let answer = offer.await.unwrap();
        *statuses.entry(answer.status.as_u16()).or_insert(0) += 1;
        let entry = answer.json()["entries"][0].clone();
        places.push((entry["index"].clone(), entry["digest"].clone(), entry["leafHash"].clone()));
    }
    assert_eq!(statuses, BTreeMap::from([(200, 999), (201, 1)]));
    places.dedup();
    assert_eq!(places.len(), 1, "{places:?}");
    assert_eq!(app.size(), 2, "the agent's key and the entry");
}

/// The agent's key handed on to `next`, as the agent says it.
fn rotation(agent: &TestAgent, next: &TestAgent) -> Vec<u8> {
    let said = AgentKey {
        agent: "a".to_owned(),
        public_key: next.public(),
        action: AgentKeyAction::Rotated,
        at: route::at(),
        authorized_by: "a".to_owned(),
        owner: None,
        previous: Some(agent.public()),
        reason: None,
    };
    let mut envelope = Statement::new(vec![said.subject()], &said).unwrap().sign(&agent.key).unwrap();
    envelope.cosign(&next.key);
    envelope.to_canonical_json()
}

/// Whoever has no key can only repeat. Its owner can sign the same words anew, with a key that followed: for a run that is
/// refused, and for everything else both entries are named, since one number of the chain cannot be two statements.
#[tokio::test]
async fn the_same_words_signed_again_are_refused_or_named() {
    let app = TestApp::start_public().await;
    let (agent, client) = app.agent("a", 1).await;
    let run = summary(1);
    let first = client.post(ENTRIES, agent.envelope(&run)).await;
    assert_eq!(first.status, StatusCode::CREATED, "{}", first.text());
    let mut gate = route::gate(Gate::Source, Sha256Digest::of(b"bundle"), 2);
    gate.chain.previous = Some(Sha256Digest::of(&agent.envelope(&run)));
    let gate =
        Statement::new(vec![Subject::new("checkpoint", Sha256Digest::of(b"checkpoint"))], &gate).unwrap();
    let second = client.post(ENTRIES, gate.sign(&agent.key).unwrap().to_canonical_json()).await;
    assert_eq!(second.status, StatusCode::CREATED, "{}", second.text());

    let signed = Envelope::parse(&agent.envelope(&run)).unwrap();
    let spaced = Envelope { payload: [&signed.payload[..], b" "].concat(), ..signed };
    let stranger = TestAgent::new(9);
    for forged in [spaced.to_canonical_json(), stranger.envelope(&run)] {
        let refused = client.post(ENTRIES, forged).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "bad_signature"));
    }

    let next = TestAgent::new(2);
    let rotated = client.post("/api/v1/agents/a/rotate", rotation(&agent, &next)).await;
    assert!(rotated.status.is_success(), "{}", rotated.text());
    let again = client.post(ENTRIES, next.envelope(&run)).await;
    assert_eq!((again.status, again.code().as_str()), (StatusCode::CONFLICT, "conflict"), "{}", again.text());
    assert!(again.json()["detail"].as_str().unwrap().contains("entry 1"), "{}", again.text());
    assert!(!app.anonymous().get("/ledger").await.text().contains("contradicts itself"));
    let again = client.post(ENTRIES, gate.sign(&next.key).unwrap().to_canonical_json()).await;
    assert_eq!(again.status, StatusCode::CREATED, "{}", again.text());
    let shown = app.anonymous().get("/ledger").await.text();
    assert!(shown.contains("contradicts itself"));
    for entry in [&second.json(), &again.json()].map(|receipt| receipt["entries"][0]["index"].clone()) {
        assert!(shown.contains(&format!("href=\"/entries/{entry}\"")), "{entry}");
    }
}

/// What a statement says of its time is no argument: a key that has ended signs nothing, however long ago it claims to.
#[tokio::test]
async fn a_backdated_statement_of_a_key_that_has_ended_is_refused() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let next = TestAgent::new(2);
    let rotated = client.post("/api/v1/agents/a/rotate", rotation(&agent, &next)).await;
    assert!(rotated.status.is_success(), "{}", rotated.text());
    let mut backdated = summary(1);
    backdated.started_at = Timestamp::from_unix_ms(0).unwrap();
    backdated.finished_at = backdated.started_at;
    let refused = client.post(ENTRIES, agent.envelope(&backdated)).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "bad_signature"));
    assert_eq!(refused.json()["found"], agent.public().id().to_string());
    assert_eq!(client.post(ENTRIES, next.envelope(&backdated)).await.status, StatusCode::CREATED);
}

/// Payloads that are signed well and are no statements.
#[tokio::test]
async fn a_signed_payload_that_is_no_statement_is_refused() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let good = Envelope::parse(&agent.envelope(&summary(1))).unwrap().payload;
    let mut other_type: Value = serde_json::from_slice(&good).unwrap();
    other_type["_type"] = "https://in-toto.io/Statement/v0.1".into();
    let text = String::from_utf8(good.clone()).unwrap();
    for payload in [
        vec![0xff, 0xfe],
        b"no JSON".to_vec(),
        Vec::new(),
        other_type.to_string().into_bytes(),
        text.replacen('{', "{\"_type\":\"x\",", 1).into_bytes(),
        [b"\xef\xbb\xbf", &good[..]].concat(),
        [&good[..], b"{}"].concat(),
        text.replace("\"layers\":3", "\"layers\":9007199254740993").into_bytes(),
    ] {
        let shown = String::from_utf8_lossy(&payload).chars().take(60).collect::<String>();
        let envelope = Envelope::sign(payload, PAYLOAD_TYPE, &agent.key).to_canonical_json();
        let refused = client.post(ENTRIES, envelope).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (400, "malformed_statement"),
            "{shown}"
        );
    }
    assert_eq!(app.size(), 1);
}
