//! No question goes through a whole table that grows with the log: each query that was checked at compile time is held
//! against the plan that SQLite makes for it.

use std::path::Path;

use serde_json::Value;
use sqlx::{AssertSqlSafe, Row as _, query};

use crate::support::TestApp;

/// Tables with a row for each entry, or for each thing in one.
const LARGE: [&str; 9] = [
    "entry",
    "entry_meta",
    "subject",
    "mention",
    "run",
    "artifact",
    "cancel",
    "cache_decision",
    "route_event",
];

/// Parts of queries that may: it is asked once, at the start, or ends at a limit.
const ONCE: [&str; 3] = [
    "select count(*) as \"rows!: i64\" from entry",
    "from entry order by idx desc limit 1",
    "from (select mode from cache_decision order by number desc limit ?)",
];

/// Every query, as it is committed for the compile-time check.
fn queries() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(".sqlx");
    let files = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let text = |bytes: Vec<u8>| {
        let query: Value = serde_json::from_slice(&bytes).unwrap();
        query["query"].as_str().unwrap().to_owned()
    };
    files.map(text).collect()
}

#[tokio::test]
async fn no_query_goes_through_a_table_that_grows_with_the_log() {
    let app = TestApp::start().await;
    let (mut looked_at, mut found) = (0, Vec::new());
    for sql in queries() {
        let word = sql.split_whitespace().next().unwrap_or_default();
        if !matches!(word, "select" | "with") {
            continue;
        }
        looked_at += 1;
        let plan = query(AssertSqlSafe(format!("explain query plan {sql}")))
            .fetch_all(&app.state().database.read)
            .await
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
        let steps: Vec<String> = plan.iter().map(|step| step.get::<String, _>("detail")).collect();
        let scans = |step: &String| LARGE.iter().any(|table| step.split(' ').take(2).eq(["SCAN", table]));
        // A page of runs comes out of its index in order; only what is taken by kinds is sorted.
        let sorts = sql.contains("from run indexed by run_")
            && sql.contains("order by")
            && !sql.contains("run_kind_idx")
            && !sql.contains("union")
            && steps.iter().any(|step| step.contains("TEMP B-TREE FOR ORDER BY"));
        if (steps.iter().any(scans) || sorts) && !ONCE.iter().any(|part| sql.contains(part)) {
            found.push(format!("{sql}\n{steps:#?}"));
        }
    }
    assert!(looked_at > 50, "{looked_at}");
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// A bundle of entries is put together in the order in which SQLite goes through them, and nothing is copied to sort it.
#[tokio::test]
async fn a_bundle_of_entries_is_read_in_the_order_of_the_log() {
    let app = TestApp::start().await;
    let bundles: Vec<String> =
        queries().into_iter().filter(|sql| sql.contains("group_concat(record")).collect();
    assert_eq!(bundles.len(), 1);
    let plan = query(AssertSqlSafe(format!("explain query plan {}", bundles[0])))
        .fetch_all(&app.state().database.read)
        .await
        .unwrap();
    let steps: Vec<String> = plan.iter().map(|step| step.get("detail")).collect();
    assert_eq!(steps, ["SEARCH entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]);
}
