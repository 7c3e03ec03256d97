use acta_ledger::log::{
    digest::Sha256Digest,
    merkle::Frontier,
    proof::{verify_consistency, verify_inclusion},
    tree_head::TreeHead,
};
use acta_server::startup::Ground;
use acta_tests::evidence::summary;
use axum::http::StatusCode;
use sqlx::{AssertSqlSafe, query};

use crate::support::{TestApp, data, many};

async fn fill(app: &TestApp, count: u128) {
    let (agent, client) = app.agent("a", 1).await;
    let envelopes: Vec<_> = (1..=count).map(|number| agent.envelope(&summary(number))).collect();
    for chunk in envelopes.chunks(200) {
        assert_eq!(client.post("/api/v1/entries", many(chunk)).await.status, StatusCode::CREATED);
    }
}

/// Past one full tile, so that proofs are cut from stored tiles, partial tiles and both.
#[tokio::test]
async fn every_entry_and_every_size_can_be_proved() {
    let app = TestApp::start().await;
    fill(&app, 599).await;
    let reader = &app.state().reader;
    let head = app.state().log.head().head;
    assert_eq!(head.size, 600);
    let mut roots = vec![Frontier::default()];
    let mut leaves = Vec::new();
    for index in 0..head.size {
        let entry = reader.entry(index).await.unwrap().unwrap();
        leaves.push(entry.leaf_hash);
        let mut grown = roots[index as usize].clone();
        grown.append(entry.leaf_hash);
        roots.push(grown);
    }
    assert_eq!(roots[600].root(), head.root);
    for index in 0..head.size {
        for size in [head.size, 512, 300, 257] {
            let proof = reader.inclusion(index, size).await.unwrap();
            assert_eq!(proof.is_some(), index < size);
            if let Some(proof) = proof {
                let (leaf, root) = (&leaves[index as usize], roots[size as usize].root());
                verify_inclusion(leaf, index, size, &root, &proof).unwrap();
            }
        }
    }
    for old in 1..=head.size {
        let proof = reader.consistency(old, head.size).await.unwrap().unwrap();
        verify_consistency(old, &roots[old as usize].root(), head.size, &head.root, &proof).unwrap();
    }
    let answer = app.anonymous().get("/api/v1/log/consistency?from=256&to=600").await.json();
    let proof: Vec<Sha256Digest> = serde_json::from_value(answer["proof"].clone()).unwrap();
    verify_consistency(256, &roots[256].root(), 600, &head.root, &proof).unwrap();
    for (query, status) in
        [("from=0&to=5", 400), ("from=6&to=5", 400), ("from=1&to=601", 404), ("from=a&to=5", 400)]
    {
        let answer = app.anonymous().get(&format!("/api/v1/log/consistency?{query}")).await;
        assert_eq!(answer.status.as_u16(), status, "{query}");
    }
}

/// Whoever audits must see damage as it is, whatever the bytes are.
#[tokio::test]
async fn a_damaged_entry_is_shown_byte_for_byte_and_leaves_the_others_whole() {
    let app = TestApp::start_public().await;
    fill(&app, 3).await;
    let pool = &app.state().database.write;
    query("drop trigger entry_refuses_update").execute(pool).await.unwrap();
    let damaged = [0x00, 0xff, b'"', 0x00, 0xc3];
    query("update entry set record = ? where idx = 2").bind(&damaged[..]).execute(pool).await.unwrap();
    let bundle = app.anonymous().get("/log/tile/entries/000.p/4").await.body;
    let entries = acta_ledger::log::tile::parse_entry_bundle(&bundle).unwrap();
    assert_eq!((entries.len(), entries[2]), (4, &damaged[..]));
    for (index, entry) in entries.iter().enumerate().filter(|(index, _)| *index != 2) {
        assert_eq!(app.anonymous().get(&format!("/api/v1/entries/{index}")).await.body, *entry);
    }
}

/// The whole tree again from nothing but tiles, as a C2SP client reads it.
#[tokio::test]
async fn tiles_and_entry_bundles_rebuild_the_tree() {
    let app = TestApp::start_public().await;
    fill(&app, 599).await;
    let head = app.state().log.head().head;
    let nobody = app.anonymous();
    let note = nobody.get("/log/checkpoint").await;
    assert_eq!(note.body, nobody.get("/log/tree-head").await.body);
    let mut frontier = Frontier::default();
    for name in ["000", "001", "002.p/88"] {
        let tile = nobody.get(&format!("/log/tile/0/{name}")).await;
        assert!(tile.header("cache-control").contains("immutable"));
        let bundle = nobody.get(&format!("/log/tile/entries/{name}")).await.body;
        let entries = acta_ledger::log::tile::parse_entry_bundle(&bundle).unwrap();
        assert_eq!(tile.body.len(), 32 * entries.len());
        for (hash, entry) in tile.body.chunks(32).zip(entries) {
            let leaf = acta_ledger::log::merkle::leaf_hash(entry);
            assert_eq!(hash, leaf.0);
            frontier.append(leaf);
        }
    }
    assert_eq!((frontier.size(), frontier.root()), (head.size, head.root));
    assert_eq!(nobody.get("/log/tile/1/000.p/2").await.body.len(), 64);
    assert_eq!(nobody.get("/log/tile/0/001.p/9").await.body.len(), 9 * 32, "cut from the full tile");
    for missing in
        ["0/002", "0/002.p/89", "0/003.p/1", "1/000", "1/000.p/3", "2/000.p/1", "0/1", "64/000", "0/000.p/0"]
    {
        assert_eq!(
            nobody.get(&format!("/log/tile/{missing}")).await.status,
            StatusCode::NOT_FOUND,
            "{missing}"
        );
    }
    let closed = TestApp::start().await;
    fill(&closed, 2).await;
    assert_eq!(closed.anonymous().get("/log/tile/0/000.p/3").await.status, StatusCode::OK);
    assert_eq!(closed.anonymous().get("/log/tile/entries/000.p/3").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_empty_log_has_a_signed_tree_head() {
    let app = TestApp::start().await;
    let note = app.anonymous().get("/log/tree-head").await.text();
    let head = TreeHead::open(&note, &app.trust().log).unwrap();
    assert_eq!((head.size, head.root), (0, Sha256Digest::of(b"")));
}

#[tokio::test]
async fn a_restart_goes_on_with_the_same_tree() {
    let app = TestApp::start().await;
    fill(&app, 3).await;
    let before = app.state().log.head();
    let app = TestApp::start_in(app.stop().await, false).await;
    assert_eq!(app.state().log.head(), before);
    let (agent, client) = app.agent("b", 2).await;
    let answer = client.post("/api/v1/entries", agent.envelope(&summary(50))).await;
    assert_eq!(answer.json()["entries"][0]["index"], 5);
}

async fn edit(app: TestApp, sql: &[&str]) -> tempfile::TempDir {
    let folder = app.stop().await;
    let ground = Ground::open(&data(&folder)).await.unwrap();
    for statement in sql {
        query(AssertSqlSafe(*statement)).execute(&ground.database.write).await.unwrap();
    }
    ground.database.close().await;
    folder
}

/// A crash between COMMIT and the tree head's signature: the next start signs the same root for that size.
#[tokio::test]
async fn a_tree_that_was_committed_and_not_signed_is_signed_at_the_next_start() {
    let app = TestApp::start().await;
    fill(&app, 3).await;
    let head = app.state().log.head().head;
    let folder =
        edit(app, &["drop trigger tree_head_refuses_delete", "delete from tree_head where size = 4"]).await;
    let app = TestApp::start_in(folder, false).await;
    assert_eq!(app.state().log.head().head, head);
}

/// An old copy of the database under a newer tree head: signing on would be a fork.
#[tokio::test]
async fn a_database_behind_its_tree_head_is_refused() {
    let app = TestApp::start().await;
    fill(&app, 3).await;
    let folder = edit(
        app,
        &[
            "drop trigger entry_refuses_delete",
            "delete from entry where idx = 3",
            "update log_state set size = 0, frontier = x''",
        ],
    )
    .await;
    let error = TestApp::build(&folder, false).await.err().unwrap().to_string();
    assert!(error.contains("size 4") && error.contains("only 0 entries"), "{error}");
}

#[tokio::test]
async fn a_root_that_differs_from_the_signed_one_is_refused() {
    let app = TestApp::start().await;
    fill(&app, 3).await;
    let folder = edit(app, &["update log_state set frontier = zeroblob(32)"]).await;
    let error = TestApp::build(&folder, false).await.err().unwrap().to_string();
    assert!(error.contains("root at size 4"), "{error}");
}

#[tokio::test]
async fn entries_cannot_be_changed_through_sql() {
    let app = TestApp::start().await;
    fill(&app, 1).await;
    let write = &app.state().database.write;
    for statement in [
        "update entry set record = x'00'",
        "delete from entry",
        "update tree_head set note = ''",
        "delete from tree_head",
        "insert into entry (idx, digest, leaf_hash, record, logged_at) values (9, x'00', x'00', x'00', 0)",
    ] {
        assert!(query(AssertSqlSafe(statement)).execute(write).await.is_err(), "{statement}");
    }
}

#[tokio::test]
async fn two_servers_on_one_folder_are_refused() {
    let app = TestApp::start().await;
    let error = TestApp::build(&app.folder, false).await.err().unwrap().to_string();
    assert!(error.contains("another acta-server"), "{error}");
    let error = Ground::open(&data(&app.folder)).await.err().unwrap().to_string();
    assert!(error.contains("another acta-server"), "{error}");
}

/// A server that starts for the first time, and whoever makes tokens and accounts beside it: one of them makes keys and
/// tables, and all find the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_folder_can_be_opened_by_several_at_once() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let data = data(&folder);
            tokio::spawn(async move { Ground::open_beside(&data).await.unwrap().keys.trust() })
        };
        let opened = [open(), open(), open(), open()];
        let mut found = Vec::new();
        for trust in opened {
            found.push(trust.await.unwrap());
        }
        assert!(found.iter().all(|trust| *trust == found[0]));
    }
}

/// What the database has lost is not made up again for whoever asks, and whoever watches the server hears of it.
#[tokio::test]
async fn a_part_of_the_log_that_is_gone_is_not_found_and_raises_an_alarm() {
    let app = TestApp::start_public().await;
    fill(&app, 300).await;
    let admin = app.person("adam", "admin").await;
    let alarms = async || {
        let text = admin.get("/metrics").await.text();
        let line = text.lines().find_map(|line| line.strip_prefix("acta_log_damage_met_total ")).unwrap();
        line.parse::<u64>().unwrap()
    };
    let (whole, hashes, entries) = ("/log/tile/0/000", "/log/tile/0/001.p/45", "/log/tile/entries/000");
    for tile in [whole, hashes, entries] {
        assert_eq!(app.anonymous().get(tile).await.status, StatusCode::OK, "{tile}");
    }
    assert_eq!(
        app.anonymous().get("/log/tile/0/002").await.code(),
        "not_found",
        "there never was such a tile"
    );
    assert_eq!(alarms().await, 0);
    let write = &app.state().database.write;
    for statement in [
        "drop trigger tile_refuses_delete",
        "drop trigger entry_refuses_delete",
        "delete from tile where level = 0 and idx = 0",
        "delete from entry where idx in (7, 260)",
    ] {
        query(AssertSqlSafe(statement)).execute(write).await.unwrap();
    }
    for tile in [whole, hashes, entries] {
        let answer = app.anonymous().get(tile).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (StatusCode::NOT_FOUND, "missing_tile"),
            "{tile}"
        );
        assert!(!answer.header("cache-control").contains("immutable"), "{tile}");
    }
    assert_eq!(alarms().await, 3);
}
