//! The trace of a bundle, as a page and as JSON.

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::route::ROUTE;
use axum::http::StatusCode;

use crate::route::{BUNDLE, Stage};

#[tokio::test]
async fn a_bundle_is_traced_with_its_gaps_and_every_entry_verifies() {
    let stage = Stage::set(1).await;
    let ana = stage.app.person("ana", "approver").await;
    assert_eq!(stage.decide(&ana, "approve", "k").await.status, StatusCode::CREATED);
    let bundle = Sha256Digest::of(BUNDLE);
    let body = ana.get(&format!("/api/v1/bundles/{bundle}/trace")).await.json();
    assert_eq!(body["routes"][0], ROUTE, "{body:#}");
    let steps = body["trace"]["steps"].as_array().unwrap();
    let state = |at: usize| steps[at]["state"].as_str().unwrap();
    assert_eq!(steps.len(), 10);
    assert_eq!((steps[0]["step"].as_str().unwrap(), state(0)), ("checkpoint", "known"));
    assert_eq!((steps[4]["step"].as_str().unwrap(), state(4)), ("run", "unknown"));
    assert_eq!(steps[4]["gaps"][0]["gap"], "run_not_named");
    assert_eq!((state(8), state(9)), ("known", "not_yet"));
    assert_eq!(steps[1]["facts"][0]["class"], "measured");
    assert_eq!(steps[0]["facts"][0]["class"], "stated_by_person");

    let page = ana.get(&format!("/bundles/{bundle}?route={ROUTE}")).await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text());
    let html = page.text();
    assert!(html.contains("entries that it rests on were verified"), "{html}");
    assert!(html.contains("id=\"step-decisions\"") && html.contains("href=\"#step-decisions\""));
    assert!(html.contains("no entry says which run built the bundle"));
    assert!(html.contains(&bundle.to_string()) && html.contains("acta verify --server"));
    let route = ana.get(&format!("/routes/{ROUTE}")).await.text();
    assert!(route.contains(&format!("/bundles/{bundle}?route={ROUTE}")));
    assert!(ana.get("/routes").await.text().contains(&format!("/bundles/{bundle}?route={ROUTE}")));

    let other = Sha256Digest::of(b"another");
    for (path, status) in [
        (format!("/api/v1/bundles/{other}/trace"), StatusCode::NOT_FOUND),
        (format!("/api/v1/bundles/{bundle}/trace?route=other"), StatusCode::NOT_FOUND),
        ("/api/v1/bundles/zz/trace".to_owned(), StatusCode::BAD_REQUEST),
        (format!("/bundles/{other}"), StatusCode::NOT_FOUND),
        ("/bundles/zz".to_owned(), StatusCode::BAD_REQUEST),
    ] {
        assert_eq!(ana.get(&path).await.status, status, "{path}");
    }
    let nobody = stage.app.anonymous();
    assert_eq!(nobody.get(&format!("/bundles/{bundle}")).await.status, StatusCode::SEE_OTHER);
    assert_eq!(nobody.get(&format!("/api/v1/bundles/{bundle}/trace")).await.status, StatusCode::UNAUTHORIZED);
}
