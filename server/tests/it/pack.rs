//! Evidence packs: what the server streams verifies without it, and nothing that was done to it goes unnoticed.

use std::process::Command;

use acta_ledger::{
    judge::pack::{Candidate, Topic, Why, belonging},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        pack::{
            MEDIA_TYPE,
            check::{KnownHead, PackReport, unpack},
        },
        statement::Statement,
        verification::Trust,
    },
};
use acta_tests::{
    evidence::{phase_tree, summary},
    route::ROUTE,
};
use axum::http::StatusCode;

use crate::{
    route::{BUNDLE, Stage},
    support::{Answer, Client, TestApp, many},
};

fn check(answer: &Answer, trust: &Trust) -> PackReport {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.header("content-type"), MEDIA_TYPE);
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    let pack = unpack(&answer.body[..], |_| {}).unwrap();
    assert_eq!(pack.claimed_trust().unwrap(), *trust);
    pack.check(trust, &[])
}

#[track_caller]
fn holds(report: &PackReport) {
    assert!(report.holds() && report.readme_is_ours, "{:#?}", report.findings);
}

/// What belongs by the ledger's judgement over the whole log.
async fn belongs(app: &TestApp, topic: &Topic) -> Vec<(u64, Why)> {
    let mut read = Vec::new();
    for index in 0..app.size() {
        let record = app.state().reader.entry(index).await.unwrap().unwrap().record;
        let statement = Statement::from_envelope(&Envelope::parse(&record).unwrap()).unwrap();
        let facts = acta_server::store::ledger::facts(&app.state().database.read, index).await.unwrap();
        read.push((index, facts.unwrap().signer, statement));
    }
    let candidates: Vec<_> = read
        .iter()
        .map(|(index, signer, statement)| Candidate { index: *index, signer, statement })
        .collect();
    belonging(topic, &candidates).into_iter().collect()
}

/// A run that two others retry, with its phase tree, among runs of two agents.
async fn filled() -> (TestApp, Client, Vec<u8>) {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("builder-7", 7).await;
    let (other, other_client) = app.agent("builder-8", 8).await;
    let mut said = summary(1);
    let (tree, named) = phase_tree(said.run.id);
    said.phase_tree = Some(named);
    client.put_blob(&tree).await;
    let mut envelopes = vec![agent.envelope(&said)];
    for (number, retried) in [(2, 1), (3, 2)] {
        let mut retry = summary(number);
        retry.run.retry_of = Some(summary(retried).run.id);
        envelopes.push(agent.envelope(&retry));
    }
    assert_eq!(client.post("/api/v1/entries", many(&envelopes)).await.status, StatusCode::CREATED);
    other_client.post("/api/v1/entries", other.envelope(&summary(9))).await;
    (app, client, tree)
}

#[tokio::test]
async fn a_pack_holds_what_belongs_by_the_whole_log_and_nothing_else() {
    let (app, client, tree) = filled().await;
    let run = summary(2).run.id;
    let answer = client.get(&format!("/api/v1/packs?run={run}")).await;
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"run-0002.acta\"");
    let report = check(&answer, &app.trust());
    holds(&report);
    let packed: Vec<_> = report.entries.iter().map(|entry| (entry.index, entry.why)).collect();
    assert_eq!(packed, belongs(&app, &Topic::Run(run)).await);
    assert_eq!(packed.len(), 4, "the key, and three attempts: {packed:?}");
    assert_eq!((report.blobs, report.blob_bytes), (1, tree.len() as u64));

    let again = client.get("/api/v1/packs?run=2").await;
    assert_eq!(again.body, answer.body, "by its number, and the same bytes");
    let without = check(&client.get("/api/v1/packs?run=2&blobs=none").await, &app.trust());
    holds(&without);
    assert_eq!((without.blobs, without.left_out[0].digest), (0, Sha256Digest::of(&tree)));
    let since = client.get("/api/v1/packs?run=2&since=3").await;
    let note = app.state().log.head().note;
    let known = KnownHead { source: "mine".to_owned(), note };
    let report = unpack(&since.body[..], |_| {}).unwrap().check(&app.trust(), &[known]);
    holds(&report);

    for (query, status) in [
        ("", StatusCode::BAD_REQUEST),
        ("run=2&route=x", StatusCode::BAD_REQUEST),
        ("run=99", StatusCode::NOT_FOUND),
        ("route=nowhere", StatusCode::NOT_FOUND),
        ("bundle=zz", StatusCode::BAD_REQUEST),
        ("run=2&since=0", StatusCode::BAD_REQUEST),
        ("run=2&since=99", StatusCode::BAD_REQUEST),
        ("run=2&blobs=some", StatusCode::BAD_REQUEST),
        ("run=..%2f..", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(client.get(&format!("/api/v1/packs?{query}")).await.status, status, "{query}");
    }
}

#[tokio::test]
async fn a_routes_record_is_judged_anew_and_is_the_servers() {
    let stage = Stage::set(1).await;
    let ana = stage.app.person("ana", "approver").await;
    assert_eq!(stage.decide(&ana, "approve", "k").await.status, StatusCode::CREATED);
    let trust = stage.app.trust();
    let report = check(&ana.get(&format!("/api/v1/packs?route={ROUTE}")).await, &trust);
    holds(&report);
    let record = serde_json::to_value(report.route_record.as_ref().unwrap()).unwrap();
    assert_eq!(record, stage.route().await["record"]);
    assert_eq!(record["validation_status"], "pass", "{record:#}");
    let packed: Vec<_> = report.entries.iter().map(|entry| (entry.index, entry.why)).collect();
    assert_eq!(packed, belongs(&stage.app, &Topic::Route(ROUTE.to_owned())).await);

    let bundle = Sha256Digest::of(BUNDLE);
    let report = check(&ana.get(&format!("/api/v1/packs?bundle=sha256:{bundle}&blobs=all")).await, &trust);
    holds(&report);
    let packed: Vec<_> = report.entries.iter().map(|entry| (entry.index, entry.why)).collect();
    assert_eq!(packed, belongs(&stage.app, &Topic::Bundle(bundle)).await);
    assert!(report.blobs >= 2, "the bundle itself and its configuration");

    for page in [format!("/routes/{ROUTE}"), format!("/bundles/{bundle}")] {
        let html = ana.get(&page).await.text();
        assert!(html.contains("/api/v1/packs?"), "{page}");
    }
}

#[tokio::test]
async fn a_damaged_blob_ends_the_stream_and_never_looks_whole() {
    let (app, client, tree) = filled().await;
    let digest = Sha256Digest::of(&tree).to_string();
    let file = app.folder.path().join("blobs/sha256").join(&digest[..2]).join(&digest);
    let mut damaged = tree.clone();
    damaged[0] ^= 1;
    std::fs::write(&file, &damaged).unwrap();
    let state = app.state().clone();
    let wanted = acta_server::pack::Wanted {
        about: Topic::Run(summary(1).run.id),
        blobs: acta_ledger::log::pack::Blobs::Small,
        since: None,
    };
    let files = acta_server::pack::gather(&state, &wanted).await.unwrap();
    let (_, stream) = acta_server::pack::archive(state.blobs.clone(), files);
    let pieces: Vec<_> = futures::StreamExt::collect(stream).await;
    let error = pieces.into_iter().find_map(Result::err).unwrap();
    assert!(error.to_string().contains(&digest), "{error}");
    assert_eq!(client.get("/api/v1/packs?run=1&blobs=none").await.status, StatusCode::OK);
}

/// The commands of a pack's own README, run as they stand: tar, sha256sum, openssl and a shell, nothing of ours.
#[tokio::test]
async fn the_readme_verifies_a_pack_with_openssl_and_a_shell() {
    let stage = Stage::set(1).await;
    let ana = stage.app.person("ana", "approver").await;
    assert_eq!(stage.decide(&ana, "approve", "k").await.status, StatusCode::CREATED);
    let answer = ana.get(&format!("/api/v1/packs?route={ROUTE}&blobs=all")).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.acta"), &answer.body).unwrap();
    let unpacked = Command::new("tar").args(["-xf", "x.acta"]).current_dir(&folder).status().unwrap();
    assert!(unpacked.success(), "the tar program reads it");
    let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 5);
    let run = |script: &str| {
        let output = Command::new("sh").args(["-eu", "-c", script]).current_dir(&folder).output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    for block in &blocks {
        let (good, said) = run(block);
        assert!(good, "{block}\n{said}");
    }
    let (_, said) = run(blocks[1]);
    assert!(said.contains(&stage.app.trust().portal.id().to_string()), "{said}");
    // Each of them can fail: a changed byte of what it looks at.
    let entry = std::fs::read_dir(folder.path().join("entries")).unwrap().next().unwrap().unwrap().path();
    let damage = |file: &std::path::Path, from: &str, to: &str, failing: &[usize]| {
        let good = std::fs::read_to_string(file).unwrap();
        let bad = good.replacen(from, to, 1);
        assert_ne!(good, bad);
        std::fs::write(file, bad).unwrap();
        for at in failing {
            assert!(!run(blocks[*at]).0, "{}: {}", file.display(), blocks[*at]);
        }
        std::fs::write(file, good).unwrap();
    };
    damage(&entry, "\"payload\":\"ey", "\"payload\":\"ez", &[0, 3, 4]);
    damage(&folder.path().join("tree-head"), "acta.test/log\n", "acta.test/lox\n", &[0, 2]);
    let (_, clean) = run(blocks[0]);
    assert!(run(blocks[0]).0, "{clean}");
}
