//! Lists of runs: every order, every page, every filter, against the same done in memory.

use std::collections::BTreeMap;

use acta_ledger::{
    evidence::build::BuildSummary,
    judge::filter::{Bounds, Filter, Measure, Order, RunKind},
};
use acta_tests::{evidence::TestAgent, seed};
use axum::http::StatusCode;
use serde_json::Value;

use crate::support::{Client, TestApp, many};

/// More than two pages.
const RUNS: u64 = 130;

/// Runs by their numbers.
async fn filled(app: &TestApp) -> BTreeMap<u64, BuildSummary> {
    let (agent, client): (TestAgent, Client) = app.agent("seed-1", 7).await;
    let mut runs = BTreeMap::new();
    let mut envelopes = Vec::new();
    for number in 1..=RUNS {
        let (mut said, _) = seed::run("seed-1", number);
        said.phase_tree = None;
        said.chain.sequence = number;
        // Several at one moment: their numbers part them.
        said.started_at = seed::run("seed-1", number / 4 + 1).0.started_at;
        envelopes.push(agent.envelope(&said));
        runs.insert(number, said);
    }
    let answer = client.post("/api/v1/entries", many(&envelopes)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    runs
}

/// What a run is ordered by, as text-free numbers.
fn measure(said: &BuildSummary, by: Measure) -> f64 {
    let cancel = said.cancel.as_ref();
    match by {
        Measure::Started => said.started_at.unix_ms() as f64,
        Measure::Duration => said.duration_ms.total,
        Measure::Silence => said.phase_tree.as_ref().map_or(-1.0, |tree| tree.longest_silence_ms),
        Measure::Latency => {
            cancel.and_then(|it| it.request_to_ack_ms.or(it.censored_after_ms)).unwrap_or(-1.0)
        }
    }
}

/// The numbers of the runs that fit, in the order.
fn expected(runs: &BTreeMap<u64, BuildSummary>, filter: &Filter, order: Order) -> Vec<u64> {
    let within = |bounds: Bounds, value: f64| {
        let (above, below) = bounds.numbers();
        above < value && value < below
    };
    let fits = |said: &BuildSummary| {
        filter.admits(&RunKind::of(said), |_| None)
            && within(filter.duration, measure(said, Measure::Duration))
            && within(filter.latency, measure(said, Measure::Latency))
            && within(filter.silence, measure(said, Measure::Silence))
    };
    let mut numbers: Vec<u64> =
        runs.iter().filter(|(_, said)| fits(said)).map(|(number, _)| *number).collect();
    numbers.sort_by(|a, b| {
        let key = |number: &u64| (measure(&runs[number], order.by), *number);
        let ascending = key(a).partial_cmp(&key(b)).unwrap();
        if order.descending { ascending.reverse() } else { ascending }
    });
    numbers
}

fn numbers(page: &Value) -> Vec<u64> {
    page["runs"].as_array().unwrap().iter().map(|run| run["number"].as_u64().unwrap()).collect()
}

/// Every page from the first on, and back again from the last.
async fn walk(client: &Client, q: &str, order: Order) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let path = format!("/api/v1/runs?q={}&sort={order}", acta_app::address::percent_encode(q));
    let mut page = client.get(&path).await.json();
    let mut there = vec![numbers(&page)];
    assert_eq!(page["before"], Value::Null);
    while let Some(after) = page["after"].as_u64() {
        page = client.get(&format!("{path}&after={after}")).await.json();
        there.push(numbers(&page));
    }
    let mut back = vec![numbers(&page)];
    while let Some(before) = page["before"].as_u64() {
        page = client.get(&format!("{path}&before={before}")).await.json();
        back.insert(0, numbers(&page));
    }
    (there, back)
}

#[tokio::test]
async fn every_order_has_the_same_pages_there_and_back() {
    let app = TestApp::start_public().await;
    let runs = filled(&app).await;
    for order in Order::all() {
        let (there, back) = walk(&app.anonymous(), "", order).await;
        assert_eq!(there.iter().map(Vec::len).collect::<Vec<_>>(), [50, 50, 30], "{order}");
        assert_eq!(there.concat(), expected(&runs, &Filter::default(), order), "{order}");
        assert_eq!(there, back, "{order}");
    }
}

#[tokio::test]
async fn a_filter_lets_through_what_the_ledger_says_in_every_order() {
    let app = TestApp::start_public().await;
    let runs = filled(&app).await;
    // Some let most runs through and are walked, some few and are taken by their kinds.
    for q in [
        "outcome:completed",
        "gpu:nvidia",
        "gpu:h200 cache:cold",
        "gpu=\"NVIDIA H200\" outcome:cancelled",
        "route:models/",
        "need:person",
        "tensorrt:1.7 net-1",
        "latency>100ms",
        "latency<500ms duration>10s",
        "duration>1h",
        "silence>0ms",
        "builder:external",
        "state:hold",
    ] {
        let filter: Filter = q.parse().unwrap();
        for order in Order::all() {
            let (there, back) = walk(&app.anonymous(), q, order).await;
            assert_eq!(there.concat(), expected(&runs, &filter, order), "{q} {order}");
            assert_eq!(there, back, "{q} {order}");
        }
        let page = app
            .anonymous()
            .get(&format!("/api/v1/runs?q={}", acta_app::address::percent_encode(q)))
            .await
            .json();
        let found = expected(&runs, &filter, Order::default()).len() as u64;
        assert_eq!((page["matching"].as_u64(), page["total"].as_u64()), (Some(found), Some(RUNS)), "{q}");
        assert_eq!((&page["q"], &page["moreMatching"]), (&filter.to_string().into(), &false.into()));
    }
}

#[tokio::test]
async fn a_run_that_comes_meanwhile_moves_no_page() {
    let app = TestApp::start_public().await;
    filled(&app).await;
    let nobody = app.anonymous();
    let first = nobody.get("/api/v1/runs").await.json();
    let second = format!("/api/v1/runs?after={}", first["after"]);
    let before = numbers(&nobody.get(&second).await.json());
    let (agent, client) = app.agent("seed-2", 8).await;
    for number in 1..=5 {
        let (mut said, _) = seed::run("seed-2", number);
        (said.phase_tree, said.chain.sequence) = (None, number);
        said.started_at = "2026-08-01T00:00:00Z".parse().unwrap();
        said.finished_at = "2026-08-02T00:00:00Z".parse().unwrap();
        assert_eq!(client.post("/api/v1/entries", agent.envelope(&said)).await.status, StatusCode::CREATED);
    }
    assert_eq!(numbers(&nobody.get(&second).await.json()), before);
    assert_eq!(nobody.get("/api/v1/runs").await.json()["total"], RUNS + 5);
    let ages = nobody.get("/api/v1/runs?q=age%3C3650d").await.json();
    assert_eq!(ages["matching"], RUNS + 5, "{ages}");
}

#[tokio::test]
async fn what_the_api_cannot_understand_it_names() {
    let app = TestApp::start_public().await;
    for (query, field, found) in [
        ("q=gpu:", "gpu", "gpu:"),
        ("q=outcome:lost", "outcome", "outcome:lost"),
        ("outcome=lost", "outcome", "outcome:lost"),
        ("sort=name", "sort", "name"),
        ("after=7", "after", "7"),
        ("page=2", "query", "page=2"),
    ] {
        let answer = app.anonymous().get(&format!("/api/v1/runs?{query}")).await;
        let problem = answer.json();
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!((&problem["field"], &problem["found"]), (&field.into(), &found.into()), "{query}");
        assert!(problem["expected"].as_str().is_some_and(|it| !it.is_empty()), "{problem}");
    }
}

#[tokio::test]
async fn an_export_holds_all_rows_of_the_view_in_its_order() {
    let app = TestApp::start_public().await;
    let runs = filled(&app).await;
    let nobody = app.anonymous();
    let (q, order): (&str, Order) = ("outcome:completed", "-duration".parse().unwrap());
    let wanted = expected(&runs, &q.parse().unwrap(), order);
    assert!(wanted.len() > 50, "more than a page");
    let path = |format: &str| format!("/api/v1/exports/runs?format={format}&q={q}&sort={order}");
    let json = nobody.get(&path("json")).await;
    assert_eq!(json.header("content-disposition"), "attachment; filename=\"acta-runs.json\"");
    let of = |rows: &[Value]| rows.iter().map(|row| row["number"].as_u64().unwrap()).collect::<Vec<_>>();
    let rows = json.json();
    let rows = rows.as_array().unwrap();
    assert_eq!(of(rows), wanted);
    let lines = nobody.get(&path("ndjson")).await.text();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(&lines, rows);
    let csv = nobody.get(&path("csv")).await.text();
    let mut csv = csv.split("\r\n").filter(|line| !line.is_empty());
    let at = csv.next().unwrap().split(',').position(|name| name == "number").unwrap();
    let numbers: Vec<u64> = csv.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, wanted);
    // From a place on, as the page there shows them.
    let rest = nobody.get(&format!("{}&after={}", path("json"), wanted[9])).await.json();
    assert_eq!(of(rest.as_array().unwrap()), wanted[10..]);

    let entries = nobody.get("/api/v1/exports/entries?format=json").await.json();
    assert_eq!((entries.as_array().unwrap().len() as u64, &entries[0]["entry"]), (RUNS + 1, &RUNS.into()));
    for (query, field) in [("format=xml", "format"), ("q=colour:red", "q"), ("after=9999", "after")] {
        let refused = nobody.get(&format!("/api/v1/exports/runs?{query}")).await;
        assert_eq!(
            (refused.status, &refused.json()["field"]),
            (StatusCode::BAD_REQUEST, &field.into()),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_phase_tree_is_a_trace_that_a_viewer_opens() {
    let app = TestApp::start_public().await;
    let (agent, client) = app.agent("seed-1", 7).await;
    let (mut said, tree) = seed::run("seed-1", 20);
    said.chain.sequence = 1;
    client.put_blob(&tree.unwrap()).await;
    assert_eq!(client.post("/api/v1/entries", agent.envelope(&said)).await.status, StatusCode::CREATED);
    let answer = app.anonymous().get("/api/v1/runs/1/trace.json").await;
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"acta-run-1.trace.json\"");
    let trace = answer.json();
    let events = trace["traceEvents"].as_array().unwrap();
    let phases: Vec<_> =
        events.iter().filter(|event| event["ph"] == "X").map(|event| &event["name"]).collect();
    assert_eq!(phases, ["Building engine", "Optimizing graph"]);
    let page = app.anonymous().get("/runs/1").await.text();
    assert!(page.contains(&format!("/api/v1/runs/{}/trace.json", said.run.id)));
    let (mut without, _) = seed::run("seed-1", 21);
    without.chain.sequence = 2;
    assert_eq!(client.post("/api/v1/entries", agent.envelope(&without)).await.status, StatusCode::CREATED);
    assert_eq!(app.anonymous().get("/api/v1/runs/2/trace.json").await.status, StatusCode::NOT_FOUND);
}
