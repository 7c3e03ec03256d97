use acta_server::{
    projection::{TABLES, rebuild::rebuild},
    startup::Ground,
};
use acta_tests::evidence::summary;
use axum::http::StatusCode;
use sqlx::{AssertSqlSafe, Row as _, SqlitePool, query};
use tempfile::TempDir;

use crate::{
    acceptance::tested,
    support::{TestApp, data, many},
};

/// Every row of every projection, as SQLite writes it.
pub async fn dump(pool: &SqlitePool) -> Vec<String> {
    let mut rows = Vec::new();
    for table in TABLES {
        let columns =
            query("select group_concat('quote(' || name || ')', ' || '','' || ') from pragma_table_info(?)")
                .bind(table)
                .fetch_one(pool)
                .await
                .unwrap()
                .get::<String, _>(0);
        let all = query(AssertSqlSafe(format!("select {columns} from {table} order by 1")))
            .fetch_all(pool)
            .await
            .unwrap();
        rows.extend(all.iter().map(|row| format!("{table}: {}", row.get::<String, _>(0))));
    }
    rows
}

pub async fn filled() -> TempDir {
    let app = TestApp::start().await;
    for (name, seed) in [("a", 1), ("b", 2)] {
        let (agent, client) = app.agent(name, seed).await;
        let mut envelopes = Vec::new();
        for number in 0..10 {
            let mut said = summary(u128::from(seed) * 100 + number);
            said.run.route = (number % 2 == 0).then(|| format!("route/{number}"));
            said.chain.sequence = number as u64 + 1;
            envelopes.push(agent.envelope(&said));
        }
        assert_eq!(client.post("/api/v1/entries", many(&envelopes)).await.status, StatusCode::CREATED);
    }
    app.stop().await
}

#[tokio::test]
async fn replaying_the_log_gives_the_same_bytes() {
    let folder = filled().await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    let live = dump(&ground.database.read).await;
    assert!(live.len() > 60);
    query("delete from run").execute(&ground.database.write).await.unwrap();
    query("update agent set authorized_by = 'mallory'").execute(&ground.database.write).await.unwrap();
    let rebuilt = rebuild(&ground.database, &ground.keys.trust(), |_, _| {}).await.unwrap();
    assert_eq!(rebuilt.entries, 22);
    assert_eq!(dump(&ground.database.read).await, live);
}

#[tokio::test]
async fn a_matrix_is_replayed_to_the_same_rows() {
    let app = TestApp::start().await;
    tested(&app).await;
    let folder = app.stop().await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    let live = dump(&ground.database.read).await;
    assert_eq!(live.iter().filter(|row| row.starts_with("acceptance_run:")).count(), 2);
    for table in ["acceptance", "acceptance_run"] {
        query(AssertSqlSafe(format!("delete from {table}"))).execute(&ground.database.write).await.unwrap();
    }
    rebuild(&ground.database, &ground.keys.trust(), |_, _| {}).await.unwrap();
    assert_eq!(dump(&ground.database.read).await, live);
}

/// Each field of an entry in turn, and each of several entries: the error names the entry and nothing is changed.
#[tokio::test]
async fn one_flipped_byte_is_named_by_its_index() {
    for (sql, index) in [
        ("update entry set record = cast(x'7c' || substr(record, 2) as blob) where idx = 5", 5),
        (
            "update entry set record = cast(substr(record, 1, length(record) - 1) || x'7c' as blob) where idx = 21",
            21,
        ),
        ("update entry set leaf_hash = zeroblob(32) where idx = 0", 0),
        ("update entry set digest = zeroblob(32) where idx = 7", 7),
        ("delete from entry where idx = 9", 9),
    ] {
        let folder = filled().await;
        let ground = Ground::open(&data(&folder)).await.unwrap();
        let before = dump(&ground.database.read).await;
        for statement in ["drop trigger entry_refuses_update", "drop trigger entry_refuses_delete", sql] {
            query(AssertSqlSafe(statement)).execute(&ground.database.write).await.unwrap();
        }
        let error = rebuild(&ground.database, &ground.keys.trust(), |_, _| {}).await.unwrap_err();
        assert!(format!("{error:#}").contains(&format!("entry {index} ")), "{sql}: {error:#}");
        assert_eq!(dump(&ground.database.read).await, before, "nothing is changed");
    }
}

/// Bytes, digest and leaf hash made to fit each other: the signature and the signed root still tell.
#[tokio::test]
async fn a_forged_entry_is_found_by_its_signature() {
    let folder = filled().await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    let record: Vec<u8> = query("select record from entry where idx = 5")
        .fetch_one(&ground.database.read)
        .await
        .unwrap()
        .get(0);
    let forged =
        String::from_utf8(record).unwrap().replacen("\"payload\":\"e", "\"payload\":\"f", 1).into_bytes();
    query("drop trigger entry_refuses_update").execute(&ground.database.write).await.unwrap();
    query("update entry set record = ?, digest = ?, leaf_hash = ? where idx = 5")
        .bind(&forged)
        .bind(&acta_ledger::log::digest::Sha256Digest::of(&forged).0[..])
        .bind(&acta_ledger::log::merkle::leaf_hash(&forged).0[..])
        .execute(&ground.database.write)
        .await
        .unwrap();
    let error =
        format!("{:#}", rebuild(&ground.database, &ground.keys.trust(), |_, _| {}).await.unwrap_err());
    assert!(error.contains("entry 5 "), "{error}");
}

#[tokio::test]
async fn the_page_of_a_damaged_entry_says_so() {
    let folder = filled().await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    for statement in [
        "drop trigger entry_refuses_update",
        "update entry set record = cast(replace(cast(record as text), 'payloadType', 'payloadTypf') as blob) where idx = 5",
    ] {
        query(AssertSqlSafe(statement)).execute(&ground.database.write).await.unwrap();
    }
    ground.database.close().await;
    drop(ground);
    let app = TestApp::start_in(folder, true).await;
    let material = app.anonymous().get("/api/v1/entries/5/verification").await;
    let material = serde_json::from_slice(&material.body).unwrap();
    let report = acta_ledger::log::verification::verify(&material, &app.trust());
    assert_eq!(report.checks.iter().map(|check| check.holds).collect::<Vec<_>>(), [false, false, true]);
    assert!(report.checks[1].detail.contains("entry 5"));
    let page = app.anonymous().get("/entries/5").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("entry 5: the proof leads to another root"), "{}", page.text());
    let run = app.anonymous().get("/runs/5").await;
    assert_eq!(run.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(run.text().contains("Entry 5 of the log is damaged"), "{}", run.text());
    assert!(run.text().contains("/entries/5"));
}
