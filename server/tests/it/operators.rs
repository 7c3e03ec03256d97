use acta_tests::evidence::{phase_tree, summary};
use axum::http::{StatusCode, header};
use sqlx::query;

use crate::support::{Client, TestApp};

/// The series of an exposition: name with labels, and value.
fn series(text: &str) -> Vec<(&str, f64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect()
}

fn value(text: &str, name: &str) -> f64 {
    let found = series(text).into_iter().find(|(is, _)| *is == name);
    found.unwrap_or_else(|| panic!("no {name} in\n{text}")).1
}

async fn scraped(client: &Client) -> String {
    let answer = client.get("/metrics").await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert!(answer.header("content-type").starts_with("application/openmetrics-text"));
    answer.text()
}

#[tokio::test]
async fn metrics_say_what_was_asked_appended_and_refused() {
    let app = TestApp::start().await;
    let (agent, builder) = app.agent("builder-7", 7).await;
    let admin = app.person("adam", "admin").await;
    let mut said = summary(1);
    let (tree, named) = phase_tree(said.run.id);
    said.phase_tree = Some(named);
    let refused = builder.post("/api/v1/entries", agent.envelope(&said)).await;
    assert_eq!(refused.code(), "missing_blob");
    assert_eq!(builder.put_blob(&tree).await.status, StatusCode::CREATED);
    for _ in 0..2 {
        assert!(builder.post("/api/v1/entries", agent.envelope(&said)).await.status.is_success());
    }
    assert_eq!(admin.get("/runs/1").await.status, StatusCode::OK);
    assert_eq!(admin.get("/no/such/path").await.status, StatusCode::NOT_FOUND);
    let text = scraped(&admin).await;
    for (name, expected) in [
        ("acta_log_entries", 2.0),
        ("acta_projection_lag_entries", 0.0),
        ("acta_log_writer_up", 1.0),
        ("acta_log_queue_requests", 0.0),
        ("acta_log_appends_total{outcome=\"created\"}", 2.0),
        ("acta_log_appends_total{outcome=\"known\"}", 1.0),
        ("acta_log_batch_entries_sum", 3.0),
        ("acta_log_batch_duration_seconds_count", 3.0),
        ("acta_log_failed_batches_total", 0.0),
        ("acta_http_problems_total{code=\"missing_blob\"}", 1.0),
        ("acta_blobs_stored_bytes_total", tree.len() as f64),
        ("acta_sign_ins_total{outcome=\"succeeded\"}", 1.0),
        ("acta_http_requests_total{method=\"POST\",route=\"/api/v1/entries\",status=\"201\"}", 1.0),
        ("acta_http_requests_total{method=\"GET\",route=\"/runs/{id}\",status=\"200\"}", 1.0),
        ("acta_http_requests_total{method=\"GET\",route=\"none\",status=\"404\"}", 1.0),
        ("acta_http_request_duration_seconds_count{route=\"/api/v1/entries\"}", 3.0),
        ("acta_live_channels", 0.0),
    ] {
        assert_eq!(value(&text, name), expected, "{name}");
    }
    for name in ["acta_log_tree_head_timestamp_seconds", "acta_database_size_bytes", "acta_disk_free_bytes"] {
        assert!(value(&text, name) > 0.0, "{name}");
    }
    assert!(text.contains("acta_build_info{version="), "{text}");
    assert!(text.ends_with("# EOF\n"));
}

/// A monitor keeps what it scrapes for years and shows it to many: nothing in it may be worth stealing, and nobody may
/// make it grow.
#[tokio::test]
async fn metrics_hold_nothing_that_somebody_sent() {
    let app = TestApp::start().await;
    let (_, builder) = app.agent("agent-with-a-name", 1).await;
    let admin = app.person("adam-the-admin", "admin").await;
    let before = series(&scraped(&admin).await).len();
    let nobody = app.anonymous();
    for number in 0..50 {
        nobody.get(&format!("/made-up-{number}?secret=made-up")).await;
        let method = format!("MADE-UP-{number}").parse().unwrap();
        nobody.send(method, "/runs", "text/plain", "").await;
        nobody.get(&format!("/runs/made-up-{number}")).await;
        nobody.form("/sign-in", &format!("name=made-up-{number}&password=made-up")).await;
    }
    let text = scraped(&admin).await;
    let (token, cookie) = (builder.header(header::AUTHORIZATION), admin.header(header::COOKIE));
    let (token, cookie) = (token.rsplit(' ').next().unwrap(), cookie.rsplit('=').next().unwrap());
    assert!(token.len() > 64 && cookie.len() == 64);
    for secret in [token, cookie, "made-up", "MADE-UP", "agent-with-a-name", "adam-the-admin", "127.0.0.1"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let routes = 4 * 20;
    assert!(
        series(&text).len() <= before + routes,
        "200 requests made {} series",
        series(&text).len() - before
    );
}

#[tokio::test]
async fn only_an_admin_and_a_token_for_it_read_metrics() {
    let app = TestApp::start_public().await;
    let (_, agent) = app.agent("a", 1).await;
    let admin = app.person("adam", "admin").await;
    let reviewer = app.person("rita", "reviewer").await;
    let monitor = app.program(&app.api_token("adam", "metrics").await);
    let other = app.program(&app.api_token("adam", "read define_routes").await);
    for (client, status) in [
        (&admin, StatusCode::OK),
        (&monitor, StatusCode::OK),
        (&other, StatusCode::FORBIDDEN),
        (&reviewer, StatusCode::FORBIDDEN),
        (&agent, StatusCode::FORBIDDEN),
        (&app.anonymous(), StatusCode::UNAUTHORIZED),
    ] {
        assert_eq!(client.get("/metrics").await.status, status);
    }
    let people = monitor.get("/api/v1/accounts").await;
    assert_eq!(people.status, StatusCode::FORBIDDEN, "the token is for metrics and nothing else");
}

#[tokio::test]
async fn readiness_names_what_is_not_ready() {
    let app = TestApp::start().await;
    let (_, _) = app.agent("a", 1).await;
    let nobody = app.anonymous();
    let failing = async || {
        let answer = nobody.get("/readyz").await;
        let body = answer.json();
        let failing: Vec<String> = body["checks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|check| check["ok"] == false)
            .map(|check| {
                assert!(check["problem"].is_string(), "{check}");
                check["name"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(body["ready"], failing.is_empty());
        assert_eq!(answer.status == StatusCode::OK, failing.is_empty(), "{body}");
        failing
    };
    assert_eq!(failing().await, Vec::<String>::new());
    query("delete from entry_meta").execute(&app.state().database.write).await.unwrap();
    assert_eq!(failing().await, ["projections"]);
    app.state().live.close();
    assert_eq!(failing().await, ["serving", "projections"]);
    app.state().database.read.close().await;
    assert_eq!(failing().await, ["serving", "database", "projections"]);
    assert_eq!(nobody.get("/healthz").await.status, StatusCode::OK, "it lives all the same");
}

#[tokio::test]
async fn each_answer_carries_an_id_that_the_server_chose() {
    let app = TestApp::start().await;
    let nobody = app.anonymous().with("x-request-id".parse().unwrap(), "chosen-by-the-client");
    let (first, second) = (nobody.get("/healthz").await, nobody.get("/nowhere").await);
    assert_eq!(first.header("x-request-id").len(), 32);
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
}
