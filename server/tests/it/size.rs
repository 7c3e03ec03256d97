//! What a page costs whoever opens it: HTML and style sheets as they are sent, and scripts only where an island is.

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{route::ROUTE, seed};
use axum::http::{HeaderName, StatusCode, header};

use crate::{
    route::{BUNDLE, Stage},
    support::{Client, many},
};

/// The most that a page and its style sheets may take on the wire, in bytes.
const MOST: usize = 60_000;

/// As a browser asks for a page of a link.
fn browser(client: &Client) -> Client {
    client
        .with(header::ACCEPT_ENCODING, "gzip, deflate, br")
        .with(HeaderName::from_static("sec-fetch-site"), "same-origin")
}

async fn filled() -> Stage {
    let stage = Stage::set(1).await;
    let (agent, client) = stage.app.agent("seed-1", 9).await;
    let mut envelopes = Vec::new();
    for number in 1..=150 {
        let (mut said, tree) = seed::run("seed-1", number);
        said.chain.sequence = number;
        if let Some(tree) = tree {
            assert_eq!(client.put_blob(&tree).await.status, StatusCode::CREATED);
        }
        envelopes.push(agent.envelope(&said));
    }
    let answer = client.post("/api/v1/entries", many(&envelopes)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    stage
}

#[tokio::test]
async fn every_page_is_small_and_says_so_to_whoever_can_unpack_it() {
    let stage = filled().await;
    let admin = browser(&stage.app.sign_in("adam").await);
    let config = seed::run("seed-1", 20).0.build_config_hash;
    let (bundle, run) = (Sha256Digest::of(BUNDLE), seed::run("seed-1", 20).0.run.id);
    let mut sheets = 0;
    for url in admin.get("/sign-in").await.text().split('"').filter(|part| part.starts_with("/assets/")) {
        sheets += admin.get(url).await.body.len();
    }
    for path in [
        "/runs".to_owned(),
        "/runs?q=outcome:cancelled&sort=-latency".to_owned(),
        format!("/runs/{run}"),
        "/compare?run=1&run=2&run=3".to_owned(),
        format!("/configurations/{config}"),
        "/cancels".to_owned(),
        "/caches".to_owned(),
        "/acceptance".to_owned(),
        "/live".to_owned(),
        "/routes".to_owned(),
        format!("/routes/{ROUTE}"),
        format!("/routes/{ROUTE}/decide?kind=hold&bundle={bundle}"),
        format!("/routes/{ROUTE}/rollback"),
        format!("/routes/{ROUTE}/restores"),
        "/entries/20".to_owned(),
        "/ledger".to_owned(),
        format!("/bundles/{bundle}"),
        format!("/d/sha256/{bundle}"),
        "/search?q=nothing-of-that-name".to_owned(),
        "/account".to_owned(),
        "/people".to_owned(),
        "/people/accounts/adam".to_owned(),
        "/sign-in".to_owned(),
        "/nowhere".to_owned(),
    ] {
        let page = admin.get(&path).await;
        assert_eq!(page.header("content-encoding"), "gzip", "{path}: {}", page.status);
        let size = page.body.len() + sheets;
        assert!(size < MOST, "{path}: {size} bytes, {sheets} of them style sheets");
    }
}

#[tokio::test]
async fn what_another_site_asks_for_is_not_compressed() {
    let stage = Stage::set(1).await;
    let adam = stage.app.sign_in("adam").await.with(header::ACCEPT_ENCODING, "gzip");
    let site = HeaderName::from_static("sec-fetch-site");
    for (client, encoding) in [
        (adam.with(site.clone(), "same-origin"), "gzip"),
        (adam.with(site.clone(), "none"), "gzip"),
        (adam.with(site.clone(), "same-site"), ""),
        (adam.with(site, "cross-site"), ""),
        (adam.clone(), ""),
        (stage.app.anonymous().with(header::ACCEPT_ENCODING, "gzip"), "gzip"),
    ] {
        assert_eq!(client.get("/sign-in?name=guess").await.header("content-encoding"), encoding);
    }
    // Evidence's own bytes are sent as they are.
    let blob = browser(&adam).get(&format!("/api/v1/blobs/sha256/{}", Sha256Digest::of(BUNDLE))).await;
    assert_eq!((blob.status, blob.header("content-encoding")), (StatusCode::OK, ""));
}
