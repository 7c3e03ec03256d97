use acta_ledger::{
    evidence::acceptance::{AcceptanceRecord, Scenario},
    log::digest::Sha256Digest,
};
use acta_tests::evidence::{LISTING, TestAgent, acceptance, summary};
use axum::http::{StatusCode, header};
use uuid::Uuid;

use crate::support::{Client, TestApp};

/// An agent that pushed two builds and a matrix that names them.
pub async fn tested(app: &TestApp) -> (TestAgent, Client, AcceptanceRecord) {
    let (agent, client) = app.agent("builder-7", 7).await;
    let mut made = Vec::new();
    for number in 1..=2 {
        let mut said = summary(number);
        said.chain.sequence = number as u64;
        let envelope = agent.envelope(&said);
        made.push((said, Sha256Digest::of(&envelope)));
        assert_eq!(client.post("/api/v1/entries", envelope).await.status, StatusCode::CREATED);
    }
    client.put_blob(LISTING).await;
    let mut record = acceptance(77, &made);
    record.chain.sequence = 3;
    let answer = client.post("/api/v1/entries", agent.acceptance(&record)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    (agent, client, record)
}

#[tokio::test]
async fn a_matrix_is_listed_read_and_shown_and_its_builds_lead_to_it() {
    let app = TestApp::start_public().await;
    let nobody = app.anonymous();
    let empty = nobody.get("/acceptance").await;
    assert_eq!(empty.status, StatusCode::OK);
    assert!(empty.text().contains("Nobody has run the acceptance test"), "{}", empty.text());
    assert_eq!(nobody.get("/acceptance/1").await.status, StatusCode::NOT_FOUND);
    assert_eq!(nobody.get("/api/v1/acceptance").await.json()["acceptances"], serde_json::json!([]));

    let (_, _, record) = tested(&app).await;
    let listed = nobody.get("/api/v1/acceptance").await.json();
    let item = &listed["acceptances"][0];
    assert_eq!((item["number"].as_u64(), item["entry"].as_u64()), (Some(1), Some(3)));
    assert_eq!(
        (item["ran"].as_u64(), item["passed"].as_u64(), item["failed"].as_u64()),
        (Some(1), Some(0), Some(0))
    );
    for which in ["1".to_owned(), record.id.to_string()] {
        let one = nobody.get(&format!("/api/v1/acceptance/{which}")).await.json();
        assert_eq!(one["acceptance"], *item);
        let read: AcceptanceRecord = serde_json::from_value(one["record"].clone()).unwrap();
        assert_eq!(read, record);
    }
    assert_eq!(nobody.get("/api/v1/acceptance/2").await.status, StatusCode::NOT_FOUND);

    for (lang, words) in [("en", "0 of the 1 scenarios"), ("es", "0 de los 1 escenarios")] {
        let page = nobody.with(header::ACCEPT_LANGUAGE, lang).get("/acceptance").await;
        assert_eq!(page.status, StatusCode::OK);
        let text = page.text();
        assert!(text.contains(words) && text.contains("Ctrl-C"), "{text}");
        let run = format!("/runs/{}", record.scenarios[5].runs[0].run);
        assert!(text.contains(&run), "the builds that the log holds are links");
    }
    let run = nobody.get("/runs/2").await.text();
    assert!(run.contains(&format!("/acceptance/{}", record.id)), "{run}");
    let ledger = nobody.get("/ledger").await.text();
    assert!(ledger.contains("acceptance test"));
}

#[tokio::test]
async fn a_matrix_that_is_none_is_refused_by_field() {
    let app = TestApp::start().await;
    let (agent, client, record) = tested(&app).await;
    let size = app.size();
    let refused = async |change: &dyn Fn(&mut AcceptanceRecord)| {
        let mut record = AcceptanceRecord { id: Uuid::from_u128(9), ..record.clone() };
        record.chain.sequence = 4;
        change(&mut record);
        let answer = client.post("/api/v1/entries", agent.acceptance(&record)).await;
        (answer.status, answer.text())
    };
    type Change = fn(&mut AcceptanceRecord);
    let cases: [(Change, &str); 6] = [
        (|it| it.scenarios.swap(0, 1), "in order"),
        (|it| drop(it.scenarios.pop()), "the ten of the test"),
        (|it| it.scenarios[5].criteria.truncate(7), "ctrl_c"),
        (|it| it.scenarios[5].criteria[0].evidence = vec![9], "expected runs of the scenario"),
        (|it| it.framework = "another".to_owned(), "framework"),
        (|it| it.scenarios[5].runs[0].listing = Sha256Digest::of(b"nobody has this"), "missing_blob"),
    ];
    for (change, words) in cases {
        let (status, text) = refused(&change).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{words}: {text}");
        assert!(text.contains(words), "{words}: {text}");
    }
    // The same test a second time, in other bytes.
    let (status, text) = refused(&|it| it.id = record.id).await;
    assert_eq!(status, StatusCode::CONFLICT, "{text}");
    assert_eq!(app.size(), size);
    assert_eq!(record.scenarios.len(), Scenario::ALL.len());
}
