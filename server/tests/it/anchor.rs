//! The anchor against old, foreign and missing databases.

use std::{fs, path::Path};

use acta_server::{config::ServeConfig, startup::Application};
use acta_tests::evidence::summary;
use axum::http::StatusCode;
use tempfile::TempDir;

use crate::support::{TestApp, data};

/// Serves the folder, enrols an agent where there is none, and logs the runs.
async fn log(folder: TempDir, agent: (&str, u8), runs: &[u128]) -> TempDir {
    let app = TestApp::start_in(folder, true).await;
    {
        let (agent, client) = app.agent(agent.0, agent.1).await;
        for run in runs {
            let answer = client.post("/api/v1/entries", agent.envelope(&summary(*run))).await;
            assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        }
    }
    app.stop().await
}

async fn refusal(folder: &TempDir) -> String {
    let started = Application::build(&data(folder), &ServeConfig::nowhere()).await;
    format!("{:#}", started.err().expect("it does not start"))
}

fn copy(from: &TempDir, to: &Path, name: &str) {
    fs::copy(from.path().join(name), to.join(name)).unwrap();
}

#[tokio::test]
async fn an_old_copy_of_the_database_is_not_written_on_and_both_sizes_are_named() {
    let old = tempfile::tempdir().unwrap();
    let folder = log(tempfile::tempdir().unwrap(), ("a", 1), &[1, 2]).await;
    copy(&folder, old.path(), "acta.db");
    let folder = log(folder, ("b", 2), &[3, 4, 5]).await;
    copy(&old, folder.path(), "acta.db");
    let said = refusal(&folder).await;
    assert!(said.contains("holds 3 entries, the anchor covers 7"), "{said}");
    // A refusal changes nothing: it is the same the next time.
    assert_eq!(refusal(&folder).await, said);
}

#[tokio::test]
async fn another_log_by_the_same_keys_is_not_written_on_and_both_roots_are_named() {
    let folder = log(tempfile::tempdir().unwrap(), ("a", 1), &[1]).await;
    let twin = tempfile::tempdir().unwrap();
    fs::create_dir(twin.path().join("keys")).unwrap();
    for name in ["acta.db", "anchor", "keys/log.pem", "keys/portal.pem"] {
        copy(&folder, twin.path(), name);
    }
    let folder = log(folder, ("b", 2), &[2]).await;
    let twin = log(twin, ("c", 3), &[3, 4]).await;
    copy(&twin, folder.path(), "acta.db");
    let said = refusal(&folder).await;
    assert!(said.contains("root at size 4 is ") && said.contains("two different logs"), "{said}");
}

/// The crash between the commit and the anchor leaves the anchor one batch behind.
#[tokio::test]
async fn a_log_ahead_of_its_anchor_goes_on() {
    let folder = log(tempfile::tempdir().unwrap(), ("a", 1), &[1]).await;
    let old = tempfile::tempdir().unwrap();
    copy(&folder, old.path(), "anchor");
    let folder = log(folder, ("b", 2), &[2, 3]).await;
    copy(&old, folder.path(), "anchor");
    let folder = log(folder, ("c", 3), &[]).await;
    let anchored = fs::read(folder.path().join("anchor")).unwrap();
    assert!(anchored.windows(3).any(|bytes| bytes == b"\n6\n"), "the anchor has caught up");
}

#[tokio::test]
async fn a_missing_anchor_is_made_again_and_a_foreign_one_is_refused() {
    let folder = log(tempfile::tempdir().unwrap(), ("a", 1), &[1]).await;
    let stranger = log(tempfile::tempdir().unwrap(), ("a", 1), &[1]).await;
    fs::remove_file(folder.path().join("anchor")).unwrap();
    let folder = log(folder, ("b", 2), &[]).await;
    copy(&stranger, folder.path(), "anchor");
    let said = refusal(&folder).await;
    assert!(said.contains("holds no tree head by the log's key"), "{said}");
}
