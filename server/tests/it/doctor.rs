//! `doctor` on a sound folder, and on each kind of damage.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use acta_server::{
    blob,
    doctor::{Depth, Finding, Health, examine},
    startup::Ground,
};
use acta_tests::evidence::{phase_tree, summary};
use axum::http::StatusCode;
use sqlx::{AssertSqlSafe, query};
use tempfile::TempDir;

use crate::support::{TestApp, data, many};

/// More entries than a tile has, one of them with a blob.
async fn filled() -> TempDir {
    let app = TestApp::start().await;
    {
        let (agent, client) = app.agent("a", 1).await;
        let mut said: Vec<_> = (1..=260).map(summary).collect();
        let (tree, named) = phase_tree(said[0].run.id);
        said[0].phase_tree = Some(named);
        assert_eq!(client.put_blob(&tree).await.status, StatusCode::CREATED);
        let envelopes: Vec<_> = said.iter().map(|said| agent.envelope(said)).collect();
        for chunk in envelopes.chunks(200) {
            assert_eq!(client.post("/api/v1/entries", many(chunk)).await.status, StatusCode::CREATED);
        }
    }
    app.stop().await
}

async fn deep(folder: &TempDir) -> Vec<Finding> {
    examine(&data(folder), Depth { deep: true }, &mut |_, _, _| {}).await.unwrap()
}

fn wrong(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().filter(|finding| finding.health == Health::Wrong).collect()
}

fn only_blob(folder: &Path) -> std::path::PathBuf {
    let blobs = blob::list(&folder.join("blobs")).unwrap();
    assert_eq!(blobs.len(), 1);
    blob::file(&folder.join("blobs"), &blobs[0])
}

#[tokio::test]
async fn a_sound_folder_is_well_beside_a_server_and_without_one() {
    let folder = filled().await;
    let findings = deep(&folder).await;
    assert_eq!(wrong(&findings), Vec::<&Finding>::new());
    let checks: Vec<&str> = findings.iter().map(|finding| finding.check).collect();
    let expected = [
        "modes",
        "keys",
        "sqlite",
        "database",
        "schema",
        "entries",
        "state",
        "tree heads",
        "tiles",
        "anchor",
        "blobs",
        "projections",
        "space",
    ];
    assert_eq!(checks, expected);
    let app = TestApp::start_in(folder, true).await;
    let findings = deep(&app.folder).await;
    assert_eq!(wrong(&findings), Vec::<&Finding>::new(), "beside a server");
}

/// Changes the database behind the server's back.
async fn edit(folder: &TempDir, sql: &[&str]) {
    let ground = Ground::open(&data(folder)).await.unwrap();
    for statement in sql {
        query(AssertSqlSafe((*statement).to_owned())).execute(&ground.database.write).await.unwrap();
    }
    ground.database.close().await;
}

#[tokio::test]
async fn each_damage_is_named_where_it_is() {
    let unguard = ["drop trigger entry_refuses_update", "drop trigger tile_refuses_delete"];
    let cases: [(&[&str], &str, &str); 9] = [
        (
            &[
                "drop trigger entry_refuses_update",
                "update entry set record = cast(replace(cast(record as text), 'payloadType', 'payloadTypf') as blob) where idx = 7",
                "create trigger entry_refuses_update before update on entry begin select raise(abort, 'x'); end",
            ],
            "entries",
            "entry 7: its leaf hash is not the hash of its bytes",
        ),
        (
            &[
                "drop trigger entry_refuses_update",
                "update entry set leaf_hash = zeroblob(32) where idx = 259",
                "create trigger entry_refuses_update before update on entry begin select raise(abort, 'x'); end",
            ],
            "entries",
            "entry 259: its leaf hash is not the hash of its bytes",
        ),
        (
            &[
                "drop trigger entry_refuses_delete",
                "delete from entry where idx = 9",
                "create trigger entry_refuses_delete before delete on entry begin select raise(abort, 'x'); end",
            ],
            "entries",
            "entry 9 is missing",
        ),
        (
            &[
                "drop trigger tile_refuses_update",
                "update tile set hashes = zeroblob(8192)",
                "create trigger tile_refuses_update before update on tile begin select raise(abort, 'x'); end",
            ],
            "tiles",
            "tile 0/0 differs",
        ),
        (
            &[
                "drop trigger tile_refuses_delete",
                "delete from tile",
                "create trigger tile_refuses_delete before delete on tile begin select raise(abort, 'x'); end",
            ],
            "tiles",
            "tile 0/0 is missing",
        ),
        (
            &[
                "drop trigger tree_head_refuses_update",
                "update tree_head set note = replace(note, char(10) || '201' || char(10), char(10) || '202' || char(10))",
                "create trigger tree_head_refuses_update before update on tree_head begin select raise(abort, 'x'); end",
            ],
            "tree heads",
            "the tree head of size 201",
        ),
        (&["update log_state set frontier = zeroblob(length(frontier))"], "state", "frontier differs"),
        (
            &["update run set outcome = 'failed' where number = 5"],
            "projections",
            "rows of run are not what the log says",
        ),
        (&unguard, "schema", "entry_refuses_update, tile_refuses_delete"),
    ];
    let sound = filled().await;
    for (sql, check, said) in cases {
        let folder = copy_of(&sound);
        edit(&folder, sql).await;
        let findings = deep(&folder).await;
        let found = findings.iter().find(|finding| finding.check == check && finding.health == Health::Wrong);
        let found = found.unwrap_or_else(|| panic!("{check}: {findings:#?}"));
        assert!(found.detail.contains(said), "{check}: {}", found.detail);
        assert!(found.advice.is_some());
    }
}

fn copy_of(folder: &TempDir) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("cp");
    let copied = command.arg("-a").arg(folder.path().join(".")).arg(copy.path()).status();
    assert!(copied.unwrap().success());
    copy
}

/// What is wrong with a folder after this was done to its files.
async fn after(sound: &TempDir, damage: impl FnOnce(&Path)) -> String {
    let folder = copy_of(sound);
    damage(folder.path());
    let findings = deep(&folder).await;
    wrong(&findings).iter().map(|finding| format!("{}: {}\n", finding.check, finding.detail)).collect()
}

#[tokio::test]
async fn damaged_files_are_named() {
    let sound = filled().await;
    let said = after(&sound, |folder| fs::remove_file(only_blob(folder)).unwrap()).await;
    assert!(said.starts_with("blobs: missing: ") && said.contains("(entry 1)"), "{said}");
    let flip = |folder: &Path| {
        let path = only_blob(folder);
        let mut bytes = fs::read(&path).unwrap();
        bytes[5] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    let said = after(&sound, flip).await;
    assert!(said.starts_with("blobs: damaged: ") && said.contains("now has the digest"), "{said}");
    let open = fs::Permissions::from_mode(0o644);
    let said = after(&sound, |folder| fs::set_permissions(folder.join("keys/log.pem"), open).unwrap()).await;
    assert!(said.contains("modes: ") && said.contains("mode 0644, expected 0600"), "{said}");
    let said = after(&sound, |folder| fs::remove_file(folder.join("anchor")).unwrap()).await;
    assert!(said.starts_with("anchor: there is no anchor "), "{said}");
    let said = after(&sound, |folder| fs::remove_dir_all(folder.join("keys")).unwrap()).await;
    assert!(said.starts_with("keys: there are no keys in "), "{said}");
    let said = after(&sound, |folder| fs::remove_file(folder.join("acta.db")).unwrap()).await;
    assert!(said.starts_with("database: there is no database "), "{said}");
    let said = after(&sound, |folder| fs::write(folder.join("acta.db"), [7; 9000]).unwrap()).await;
    assert!(said.contains("database: "), "{said}");
}

#[tokio::test]
async fn missing_tiles_are_computed_again_to_the_same_bytes() {
    let folder = filled().await;
    let tiles = async || {
        let ground = Ground::open(&data(&folder)).await.unwrap();
        let bytes: Vec<Vec<u8>> = sqlx::query_scalar("select hashes || root from tile")
            .fetch_all(&ground.database.read)
            .await
            .unwrap();
        ground.database.close().await;
        bytes
    };
    let before = tiles().await;
    edit(&folder, &["drop trigger tile_refuses_delete", "delete from tile"]).await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    let trust = ground.keys.trust();
    acta_server::projection::rebuild::rebuild(&ground.database, &trust, |_, _| {}).await.unwrap();
    ground.database.close().await;
    drop(ground);
    assert_eq!(tiles().await, before);
    assert_eq!(before.len(), 1);
}
