//! Purging: what is needed stays and says why; what goes is said in the log first, and is shown as purged.

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::route::{ROUTE, envelope, retained};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::{
    route::{BUNDLE, CONFIG, Stage},
    support::{Answer, Client},
};

const OLD: &[u8] = b"an old bundle";
const OLD_CONFIG: &[u8] = b"an old configuration";

async fn purge(client: &Client, body: Value) -> Answer {
    client.post("/api/v1/purges", body.to_string()).await
}

/// A bundle beside the route's own, retained until a day that has passed.
async fn with_old() -> (Stage, Client) {
    let stage = Stage::set(1).await;
    for bytes in [OLD, OLD_CONFIG] {
        assert_eq!(stage.builder.put_blob(bytes).await.status, StatusCode::CREATED);
    }
    let mut record = retained(OLD, OLD_CONFIG, 50);
    record.retained_until = Some("2020-01-01T00:00:00Z".parse().unwrap());
    let kept = envelope(&stage.agent, Sha256Digest::of(OLD), &record);
    assert_eq!(stage.builder.post("/api/v1/entries", kept).await.status, StatusCode::CREATED);
    let adam = stage.app.sign_in("adam").await;
    (stage, adam)
}

fn path(bytes: &[u8]) -> String {
    format!("/api/v1/blobs/sha256/{}", Sha256Digest::of(bytes))
}

#[tokio::test]
async fn what_nothing_needs_goes_and_its_entries_stay() {
    let (stage, adam) = with_old().await;
    let (before, old) = (stage.app.size(), Sha256Digest::of(OLD));
    let would = purge(&adam, json!({ "dryRun": true })).await.json();
    assert_eq!(would["purged"][0]["bundle"], json!(old), "{would:#}");
    assert_eq!(would["purged"][0]["bytes"], OLD.len() + OLD_CONFIG.len());
    assert_eq!(would["kept"][0]["because"][0]["keeps"], "until", "{would:#}");
    assert_eq!((stage.app.size(), adam.get(&path(OLD)).await.status), (before, StatusCode::OK), "only said");

    let done = purge(&adam, json!({})).await;
    assert_eq!(done.status, StatusCode::OK, "{}", done.text());
    assert_eq!(done.json()["purged"][0]["entry"], before);
    for bytes in [OLD, OLD_CONFIG] {
        let gone = adam.get(&path(bytes)).await;
        assert_eq!((gone.status, gone.code().as_str()), (StatusCode::GONE, "purged"), "{}", gone.text());
    }
    for bytes in [BUNDLE, CONFIG] {
        assert_eq!(adam.get(&path(bytes)).await.status, StatusCode::OK);
    }
    let never = adam.get(&path(b"never here")).await;
    assert_eq!((never.status, never.code().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    // The entry that retained it is there, and the one that purged it verifies like every other.
    let said = adam.get(&format!("/api/v1/entries/{before}/verification")).await.json();
    assert!(said["treeHead"].is_string(), "{said:#}");
    let page = adam.get(&format!("/bundles/{old}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("have been purged on purpose"), "{}", page.text());
    assert!(adam.get(&format!("/routes/{ROUTE}")).await.text().contains("purged"));

    assert_eq!(purge(&adam, json!({})).await.json()["purged"], json!([]), "a second time there is nothing");
    let again = stage.builder.put_blob(OLD).await;
    assert_eq!(again.status, StatusCode::CREATED, "it can be kept anew");
}

#[tokio::test]
async fn what_is_needed_is_refused_with_the_reason() {
    let (stage, adam) = with_old().await;
    let ana = stage.app.person("ana", "approver").await;
    assert_eq!(stage.decide(&ana, "approve", "k").await.status, StatusCode::CREATED);
    let kept = purge(&adam, json!({ "bundle": Sha256Digest::of(BUNDLE) })).await;
    assert_eq!(
        (kept.status, kept.code().as_str()),
        (StatusCode::CONFLICT, "still_needed"),
        "{}",
        kept.text()
    );
    assert!(kept.text().contains("approved"), "{}", kept.text());

    let order = json!({"action": "drill", "to": Sha256Digest::of(BUNDLE), "reasonCode": "other", "text": "t", "key": "k2"});
    let ordered = ana.post(&format!("/api/v1/routes/{ROUTE}/orders"), order.to_string()).await;
    assert_eq!(ordered.status, StatusCode::CREATED, "{}", ordered.text());
    assert!(purge(&adam, json!({ "dryRun": true })).await.text().contains("ordered"));
    let unknown = purge(&adam, json!({ "bundle": Sha256Digest::of(b"never") })).await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert_eq!(adam.get(&path(BUNDLE)).await.status, StatusCode::OK);
    assert_eq!(purge(&ana, json!({})).await.code(), "not_allowed");
    assert_eq!(purge(&stage.builder, json!({})).await.code(), "not_allowed");
}
