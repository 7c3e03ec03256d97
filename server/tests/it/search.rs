//! Search by digest, run, entry and route; and an entry's proof file.

use acta_ledger::log::{digest::Sha256Digest, merkle::leaf_hash, proof_file::ProofFile};
use acta_tests::{
    evidence::{phase_tree, summary},
    route::ROUTE,
};
use axum::http::StatusCode;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Row as _, query};

use crate::{
    route::{BUNDLE, Stage},
    support::{Client, TestApp},
};

async fn things(client: &Client, text: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/v1/search?q={text}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{text}: {}", answer.text());
    answer.json()["things"].as_array().unwrap().clone()
}

fn kinds(things: &[Value]) -> Vec<&str> {
    things.iter().map(|thing| thing["kind"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn one_box_finds_every_kind_of_digest_by_its_beginning() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("builder-7", 7).await;
    let mut said = summary(1);
    let (tree, named) = phase_tree(said.run.id);
    said.phase_tree = Some(named);
    client.put_blob(&tree).await;
    let envelope = agent.envelope(&said);
    client.post("/api/v1/entries", envelope.clone()).await;

    let begin = |digest: Sha256Digest| digest.to_string()[..12].to_owned();
    let entry = things(&client, &begin(Sha256Digest::of(&envelope))).await;
    assert_eq!((kinds(&entry), entry[0]["index"].as_u64()), (vec!["entry"], Some(1)));
    let leaf = things(&client, &begin(leaf_hash(&envelope)).to_uppercase()).await;
    assert_eq!((kinds(&leaf), leaf[0]["by"].as_str()), (vec!["entry"], Some("leaf_hash")));
    let key = things(&client, &begin(agent.public().id().0)).await;
    assert_eq!((kinds(&key)[0], key[0]["holder"].as_str()), ("key", Some("builder-7")));
    let portal = things(&client, &begin(app.trust().portal.id().0)).await;
    assert_eq!((kinds(&portal)[0], portal[0]["holder"].as_str()), ("key", Some("portal")));

    let network = things(&client, &begin(said.network.digest)).await;
    assert_eq!(kinds(&network), ["digest"]);
    assert_eq!(
        network[0]["uses"][0]["subject"], true,
        "a subject that the predicate names too is listed once"
    );
    assert_eq!(network[0]["uses"].as_array().unwrap().len(), 1);
    assert_eq!(network[0]["bytes"], Value::Null);
    let blob = things(&client, &begin(Sha256Digest::of(&tree))).await;
    assert_eq!(
        (blob[0]["bytes"].as_u64(), blob[0]["uses"][0]["subject"].as_bool()),
        (Some(tree.len() as u64), Some(false))
    );
    assert_eq!(blob[0]["href"], format!("/d/sha256/{}", Sha256Digest::of(&tree)));

    let id = said.run.id.to_string();
    assert_eq!(kinds(&things(&client, &id).await), ["run"]);
    assert_eq!(kinds(&things(&client, "1").await), ["run", "entry"]);
    assert_eq!(kinds(&things(&client, "0").await), ["entry"]);
    assert!(things(&client, &Sha256Digest::of(b"nothing").to_string()).await.is_empty());
    let orphan = Sha256Digest::of(b"not named by an entry");
    client.put_blob(b"not named by an entry").await;
    assert_eq!(things(&client, &orphan.to_string()).await[0]["bytes"], 21);

    let answer = client.get("/api/v1/search?q=1").await.json();
    assert_eq!((answer["treeSize"].as_u64(), answer["more"].as_bool()), (Some(2), Some(false)));
}

#[tokio::test]
async fn what_cannot_be_a_digest_is_told_what_is_expected() {
    let app = TestApp::start().await;
    let (_, client) = app.agent("a", 1).await;
    for (text, expected) in [
        ("", "a digest or its first 8 digits"),
        ("e3b0c4", "at least 8"),
        ("sha256:e3b0c4", "at least 8"),
        ("sha256:..%2F..%2Fetc%2Fpasswd", "8 to 64 hexadecimal"),
        (&"f".repeat(65), "at most 64"),
        (&"x".repeat(201), "at most 64"),
    ] {
        let answer = client.get(&format!("/api/v1/search?q={text}")).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (StatusCode::BAD_REQUEST, "bad_search"),
            "{text}"
        );
        assert!(answer.json()["expected"].as_str().unwrap().contains(expected), "{text}: {}", answer.text());
    }
    for path in ["/d/sha256/..%2f..", "/d/sha256/%2e%2e", "/d/sha256/ＡＢ", "/d/sha256/e3b0"] {
        let status = client.get(path).await.status;
        assert!(matches!(status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND), "{path}: {status}");
    }
}

#[tokio::test]
async fn one_thing_is_gone_to_and_several_are_listed() {
    let stage = Stage::set(1).await;
    let ana = stage.app.person("ana", "reviewer").await;
    let to = async |text: &str| {
        let answer = ana.get(&format!("/search?q={text}")).await;
        (answer.status, answer.header("location").to_owned())
    };
    let bundle = Sha256Digest::of(BUNDLE);
    let short = &bundle.to_string()[..8];
    assert_eq!(to(short).await, (StatusCode::SEE_OTHER, format!("/d/sha256/{bundle}")));
    assert_eq!(to(&ROUTE[..4]).await, (StatusCode::SEE_OTHER, format!("/routes/{ROUTE}")));
    assert_eq!(to("%230").await.1, "/entries/0");
    assert_eq!(to("nothing-like-it").await.0, StatusCode::OK);
    assert_eq!(to("abc").await.0, StatusCode::BAD_REQUEST);
    let page = ana.get(&format!("/d/sha256/{bundle}")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains(&format!("/bundles/{bundle}?route={ROUTE}")), "{}", page.text());
    let nobody = stage.app.anonymous();
    assert_eq!(nobody.get("/search?q=1").await.status, StatusCode::SEE_OTHER);
    assert!(nobody.get("/search?q=1").await.header("location").starts_with("/sign-in"));
}

/// A search must not get slower with the log: every question is a range of an index.
#[tokio::test]
async fn no_question_goes_through_a_whole_table() {
    let app = TestApp::start().await;
    let source = include_str!("../../src/store/search.rs");
    let mut plans = 0;
    for statement in source.split('"').filter(|text| text.trim_start().starts_with("select")) {
        let plan = query(AssertSqlSafe(format!("explain query plan {statement}")))
            .fetch_all(&app.state().database.read)
            .await
            .unwrap();
        for row in plan {
            let step: String = row.get("detail");
            assert!(!step.starts_with("SCAN"), "{statement}\n{step}");
            plans += 1;
        }
    }
    assert!(plans >= 8, "{plans}");
}

#[tokio::test]
async fn a_proof_file_verifies_with_the_entrys_bytes_and_the_logs_key() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    for number in 0..5 {
        client.post("/api/v1/entries", agent.envelope(&summary(number))).await;
    }
    for index in 0..6 {
        let record = client.get(&format!("/api/v1/entries/{index}")).await.body;
        let answer = client.get(&format!("/api/v1/entries/{index}/proof")).await;
        assert!(answer.header("content-disposition").contains(&format!("entry-{index}.tlog-proof")));
        let proof = ProofFile::parse(&answer.text()).unwrap();
        assert_eq!((proof.index, proof.verify(&record, &app.trust().log).unwrap().size), (index, 6));
        assert!(proof.verify(b"another", &app.trust().log).is_err());
    }
    assert_eq!(client.get("/api/v1/entries/6/proof").await.status, StatusCode::NOT_FOUND);
    let page = client.get("/entries/2").await.text();
    assert!(page.contains("/api/v1/entries/2/proof") && page.contains("--record entry-2.json"), "{page}");
}
