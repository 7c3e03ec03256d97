//! Questions about many runs: by page and by API, over a log that agents wrote.

use acta_ledger::{
    evidence::{
        build::{BuildSummary, BuilderKind, Outcome},
        cancel::{CancelRecord, CancelSource},
        timing_cache::{Changes, TimingCacheMode},
    },
    log::digest::Sha256Digest,
};
use acta_tests::evidence::{TestAgent, phase_tree, summary};
use axum::http::{StatusCode, header};
use uuid::Uuid;

use crate::support::{Client, TestApp};

/// A build of TensorRT that completed.
fn built(number: u128) -> BuildSummary {
    let mut said = summary(number);
    said.builder = BuilderKind::Tensorrt;
    said.timing_cache_mode = TimingCacheMode::Cold;
    said.network.digest = Sha256Digest::of(b"network");
    said.chain.sequence = number as u64;
    said
}

/// A cancel in a phase; without a latency it was never acknowledged.
fn cancel(latency_ms: Option<f64>) -> CancelRecord {
    CancelRecord {
        source: CancelSource::CtrlC,
        reason: None,
        who: None,
        requested_at: "2026-11-29T20:00:01Z".parse().unwrap(),
        delivered_at: None,
        acknowledged_at: None,
        returned_at: None,
        cleaned_at: None,
        request_to_delivery_ms: None,
        request_to_ack_ms: latency_ms,
        ack_to_return_ms: latency_ms.map(|_| 2.0),
        ack_to_cleanup_ms: latency_ms.map(|_| 3.0),
        censored_after_ms: latency_ms.is_none().then_some(5_000.0),
        requested_offset_ns: None,
        acknowledged_offset_ns: None,
        returned_offset_ns: None,
        cleaned_offset_ns: None,
        open_at_request: vec![0],
        open_at_acknowledgement: Vec::new(),
        phase_at_request: Some(vec!["Building engine".to_owned(), "Timing node 12".to_owned()]),
        deferrals: Vec::new(),
        escalation: None,
        request: None,
    }
}

async fn push(client: &Client, agent: &TestAgent, said: &BuildSummary) {
    let answer = client.post("/api/v1/entries", agent.envelope(said)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
}

/// Three builds that completed (the third from a warm cache that drifted) and two that were cancelled.
async fn filled(app: &TestApp) -> [BuildSummary; 5] {
    let (agent, client) = app.agent("builder-7", 7).await;
    let mut runs = [1, 2, 3, 4, 5].map(built);
    let (tree, named) = phase_tree(runs[0].run.id);
    client.put_blob(&tree).await;
    (runs[0].phase_tree, runs[1].phase_tree) = (Some(named.clone()), Some(named));
    runs[1].duration_ms.total = 3_000.0;
    runs[1].host.driver = Some("590.10".to_owned());
    runs[2].timing_cache_mode = TimingCacheMode::Updated;
    runs[2].timing_cache.changes = Some(Changes { added: 4, removed: 0, changed: 1 });
    for (run, latency) in [(3, Some(120.0)), (4, None)] {
        runs[run].outcome = if latency.is_some() { Outcome::Cancelled } else { Outcome::Killed };
        runs[run].cancel = Some(cancel(latency));
    }
    for said in &runs {
        push(&client, &agent, said).await;
    }
    runs
}

#[tokio::test]
async fn runs_are_compared_by_page_and_by_the_same_judgement_as_json() {
    let app = TestApp::start_public().await;
    let runs = filled(&app).await;
    let nobody = app.anonymous();
    let json = nobody.get(&format!("/api/v1/compare?run={}&run=2", runs[0].run.id)).await.json();
    assert_eq!(json["comparability"]["comparable"], true);
    assert_eq!(json["ranking"], serde_json::json!([0, 1]));
    assert_eq!(json["why"][0]["byMs"], 1_000.0);
    assert_eq!(json["why"][0]["causes"][0]["what"]["row"], "host.driver");
    assert_eq!(json["why"][0]["causes"][0]["restsOn"][1]["index"], 2);
    assert_eq!(json["phases"]["rows"][0]["deltas"][1]["ownMs"], 0.0, "one tree for both");
    // Two builds of this kind completed, of four that there are: the others were cancelled.
    let spread = &json["distributions"][0];
    assert_eq!((spread["n"].as_u64(), spread["of"].as_u64()), (Some(2), Some(4)));
    assert_eq!(spread["p50"]["ms"], 2_500.0);

    let refused = nobody.get("/api/v1/compare?run=1&run=3&run=4").await.json();
    let grounds: Vec<_> = refused["comparability"]["because"].as_array().unwrap().iter().collect();
    assert_eq!(
        grounds.iter().map(|it| it["ground"].as_str().unwrap()).collect::<Vec<_>>(),
        ["completed", "cache"]
    );
    assert_eq!(refused["ranking"], serde_json::json!([]));

    for (lang, words) in
        [("en", "Run 0002 took 1.00\u{a0}s longer"), ("es", "La ejecución 0002 tardó 1,00\u{a0}s más")]
    {
        let page = nobody.with(header::ACCEPT_LANGUAGE, lang).get("/compare?run=1&run=2").await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.text().contains(words), "{}", page.text());
    }
}

#[tokio::test]
async fn a_comparison_that_cannot_be_made_says_which_field() {
    let app = TestApp::start_public().await;
    filled(&app).await;
    let nobody = app.anonymous();
    let nine: String = (1..=9).map(|run| format!("&run={run}")).collect();
    for (query, status, field, found) in [
        ("run=1", 400, "run", "1"),
        ("", 400, "run", "0"),
        (&nine[1..], 400, "run", "9"),
        ("run=1&run=2&colour=red", 400, "colour", "red"),
        ("run=1&run=77", 404, "run", "77"),
    ] {
        let answer = nobody.get(&format!("/api/v1/compare?{query}")).await;
        let problem = answer.json();
        assert_eq!(answer.status.as_u16(), status, "{query}");
        assert_eq!(
            (problem["field"].as_str(), problem["found"].as_str()),
            (Some(field), Some(found)),
            "{query}"
        );
    }
    for (path, status) in [("/compare", 200), ("/compare?run=1&run=77", 404), ("/compare?all=x", 400)] {
        assert_eq!(nobody.get(path).await.status.as_u16(), status, "{path}");
    }
}

#[tokio::test]
async fn cancels_are_found_by_route_phase_and_gpu_and_never_dropped() {
    let app = TestApp::start_public().await;
    let runs = filled(&app).await;
    let nobody = app.anonymous();
    let all = nobody.get("/api/v1/cancels").await.json();
    let spread = &all["requestToAck"];
    assert_eq!((spread["n"].as_u64(), spread["censored"].as_u64()), (Some(2), Some(1)));
    assert_eq!(spread["p50"], serde_json::json!({ "is": "value", "ms": 120.0 }));
    assert_eq!(all["ackToCleanup"]["of"], 2);
    assert_eq!(all["cancels"][0]["number"], 5, "newest first");
    let phase = "Building%20engine%20%3E%20Timing%20node%20%23";
    for (query, expected) in [
        ("route=test%2Froute", 2),
        ("route=other", 0),
        (&format!("phase={phase}"), 2),
        ("gpu=none%20(ahead-of-time)", 2),
        ("gpu=H200&route=test%2Froute", 0),
        ("source=ctrl_c", 2),
        ("source=api", 0),
    ] {
        let found = nobody.get(&format!("/api/v1/cancels?{query}")).await.json();
        assert_eq!(found["cancels"].as_array().unwrap().len(), expected, "{query}");
    }
    assert_eq!(nobody.get("/api/v1/cancels?colour=red").await.status, StatusCode::BAD_REQUEST);
    let csv = nobody.get("/api/v1/exports/cancels").await;
    assert!(csv.header("content-type").starts_with("text/csv"));
    assert!(csv.header("content-disposition").starts_with("attachment"));
    assert_eq!(csv.text().lines().count(), 3);
    assert!(csv.text().contains(&runs[4].run.id.to_string()));
    let page = nobody.get("/cancels").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("class=\"chart plot full\"") && page.text().contains("Timing node #"));
}

#[tokio::test]
async fn decisions_about_caches_are_listed_with_what_they_rest_on() {
    let app = TestApp::start_public().await;
    filled(&app).await;
    let nobody = app.anonymous();
    let page = nobody.get("/caches").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("4 new, 0 gone, 1 with another tactic"), "{}", page.text());
    let csv = nobody.get("/api/v1/exports/caches?mode=updated").await.text();
    assert_eq!(csv.lines().count(), 2);
    assert!(csv.contains(",4,0,1,"), "{csv}");
    assert_eq!(nobody.get("/api/v1/exports/caches?before=3").await.text().lines().count(), 3);
    assert_eq!(nobody.get("/caches?mode=lukewarm").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_configuration_is_shown_over_time_with_a_picture_and_its_numbers() {
    let app = TestApp::start_public().await;
    let runs = filled(&app).await;
    let nobody = app.anonymous();
    let config = runs[0].build_config_hash;
    let page = nobody.get(&format!("/configurations/{config}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("class=\"chart plot slim\""), "the server drew it");
    assert!(!page.text().contains(" style=\""));
    let csv = nobody.get(&format!("/api/v1/exports/configurations/{config}")).await;
    assert_eq!(csv.text().lines().count(), 6);
    let unknown = Sha256Digest::of(b"unknown");
    for (path, status) in [
        (format!("/configurations/{unknown}"), 404),
        ("/configurations/zz".to_owned(), 404),
        (format!("/api/v1/exports/configurations/{unknown}"), 404),
        ("/api/v1/exports/configurations/zz".to_owned(), 400),
    ] {
        assert_eq!(nobody.get(&path).await.status.as_u16(), status, "{path}");
    }
    let run = nobody.get(&format!("/runs/{}", Uuid::from_u128(1))).await.text();
    assert!(run.contains("id=\"h-history\""));
}

#[tokio::test]
async fn restorations_of_a_route_nobody_knows_are_not_found() {
    let app = TestApp::start_public().await;
    assert_eq!(app.anonymous().get("/routes/nobody/restores").await.status, StatusCode::NOT_FOUND);
    let csv = app.anonymous().get("/api/v1/exports/restores/nobody").await;
    assert_eq!(csv.status, StatusCode::NOT_FOUND);
}
