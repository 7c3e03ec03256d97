//! A database of an earlier version is brought up by starting this one on it.

use acta_server::{
    db::MIGRATIONS,
    projection::{TABLES, upgrade},
    secret::Secret,
    startup::Ground,
};
use axum::http::StatusCode;
use sqlx::{
    AssertSqlSafe, Connection as _, SqliteConnection, migrate::Migrator, query, sqlite::SqliteConnectOptions,
};
use tempfile::TempDir;

use crate::{
    rebuild::{dump, filled},
    support::{TestApp, data},
};

/// Tables of the log, the same in every version.
const LOG: [&str; 4] = ["entry", "tile", "log_state", "tree_head"];

/// A folder whose database has the first `version` migrations and the log and the keys of another folder.
async fn older(version: i64, from: &TempDir) -> (TempDir, SqliteConnection) {
    let folder = tempfile::tempdir().unwrap();
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .args([from.path().join("keys"), folder.path().join("keys")])
        .status();
    assert!(copied.unwrap().success());
    let options = SqliteConnectOptions::new()
        .filename(data(&folder).database())
        .create_if_missing(true)
        .foreign_keys(true);
    let mut old = SqliteConnection::connect_with(&options).await.unwrap();
    let migrations = MIGRATIONS.iter().filter(|migration| migration.version <= version).cloned().collect();
    Migrator::with_migrations(migrations).run(&mut old).await.unwrap();
    let attach = format!("attach '{}' as newer", data(from).database().display());
    query(AssertSqlSafe(attach)).execute(&mut old).await.unwrap();
    for table in LOG {
        let copy = format!("insert or replace into {table} select * from newer.{table}");
        query(AssertSqlSafe(copy)).execute(&mut old).await.unwrap();
    }
    query("detach newer").execute(&mut old).await.unwrap();
    (folder, old)
}

#[tokio::test]
async fn each_earlier_schema_gives_the_same_root_and_the_same_projections() {
    let newest = filled().await;
    let ground = Ground::open(&data(&newest)).await.unwrap();
    let expected = dump(&ground.database.read).await;
    ground.database.close().await;
    drop(ground);
    let app = TestApp::start_in(newest, false).await;
    let head = app.state().log.head();
    let newest = app.stop().await;
    for version in MIGRATIONS.iter().map(|migration| migration.version).filter(|version| *version >= 3) {
        let (folder, old) = older(version, &newest).await;
        old.close().await.unwrap();
        let app = TestApp::start_in(folder, false).await;
        assert_eq!(app.state().log.head(), head, "from schema {version}");
        assert_eq!(dump(&app.state().database.read).await, expected, "from schema {version}");
        app.stop().await;
    }
}

#[tokio::test]
async fn tokens_that_were_issued_before_people_had_pages_go_on_working() {
    let (folder, mut old) = older(3, &filled().await).await;
    let (agent, program) = (Secret::draw("acta_agent_").unwrap(), Secret::draw("acta_api_").unwrap());
    query("insert into account (name, role, password_hash, created_at) values ('ada', 'auditor', 'x', 0)")
        .execute(&mut old)
        .await
        .unwrap();
    query("insert into agent_token (token_hash, agent, issued_at, expires_at) values (?, 'a', 0, ?)")
        .bind(&agent.hash().0[..])
        .bind(i64::MAX)
        .execute(&mut old)
        .await
        .unwrap();
    query("insert into api_token (token_hash, account, label, issued_at, expires_at) values (?, 'ada', 'ci', 0, ?)")
        .bind(&program.hash().0[..])
        .bind(i64::MAX)
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    let app = TestApp::start_in(folder, false).await;
    assert_eq!(app.anonymous().get("/api/v1/runs").await.status, StatusCode::UNAUTHORIZED);
    let runs = app.program(&program).get("/api/v1/runs").await;
    assert_eq!(runs.status, StatusCode::OK, "{}", runs.text());
    let stored = app.program(&agent).put_blob(b"from an agent of the earlier version").await;
    assert_eq!(stored.status, StatusCode::CREATED, "{}", stored.text());
    app.stop().await;
}

/// The tables are the same and what stands in them is not this version's: the replay sets it right, once.
#[tokio::test]
async fn projections_of_other_tables_or_rules_are_replayed_at_the_start() {
    let folder = filled().await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    let expected = dump(&ground.database.read).await;
    assert_eq!(upgrade::catch_up(&ground.database, &ground.keys.trust()).await.unwrap(), None);
    for damage in [
        "update projection_state set made_by = zeroblob(32)",
        "delete from projection_state",
        "alter table artifact add column of_a_later_version text",
    ] {
        for table in TABLES {
            query(AssertSqlSafe(format!("delete from {table}")))
                .execute(&ground.database.write)
                .await
                .unwrap();
        }
        query(damage).execute(&ground.database.write).await.unwrap();
        let rebuilt = upgrade::catch_up(&ground.database, &ground.keys.trust()).await.unwrap().expect(damage);
        assert_eq!(rebuilt.entries, 22, "{damage}");
        assert_eq!(
            upgrade::catch_up(&ground.database, &ground.keys.trust()).await.unwrap(),
            None,
            "{damage}"
        );
        if !damage.starts_with("alter") {
            assert_eq!(dump(&ground.database.read).await, expected, "{damage}");
        }
    }
}
