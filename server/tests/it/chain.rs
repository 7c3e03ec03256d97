//! What the ledger page says of an agent's chain of statements.

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::evidence::{TestAgent, summary};
use axum::http::StatusCode;

use crate::support::{Client, TestApp};

/// Logs a statement with a number, after another entry; its digest.
async fn say(
    (agent, client): &(TestAgent, Client),
    run: u128,
    sequence: u64,
    previous: Option<Sha256Digest>,
) -> Sha256Digest {
    let mut said = summary(run);
    (said.chain.sequence, said.chain.previous) = (sequence, previous);
    let answer = client.post("/api/v1/entries", agent.envelope(&said)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    answer.json()["entries"][0]["digest"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_ledger_page_names_gaps_and_contradictions() {
    let app = TestApp::start_public().await;
    let agent = app.agent("a", 1).await;
    let page = async || app.anonymous().get("/ledger").await.text();
    let first = say(&agent, 1, 1, None).await;
    assert!(page().await.contains("no gap"));
    let third = say(&agent, 3, 3, Some(Sha256Digest::of(b"withheld"))).await;
    assert!(page().await.contains("one statement missing"));
    let second = say(&agent, 2, 2, Some(first)).await;
    let shown = page().await;
    assert!(shown.contains("contradicts itself"), "the third follows another second one");
    assert!(!shown.contains("one statement missing"));
    say(&agent, 4, 4, Some(third)).await;
    say(&agent, 5, 4, Some(third)).await;
    let shown = page().await;
    for entry in [2, 4, 5] {
        assert!(shown.contains(&format!("href=\"/entries/{entry}\"")), "{entry}");
    }
    assert_ne!(second, third);
}
