use acta_ledger::log::digest::Sha256Digest;
use acta_tests::evidence::{phase_tree, summary};
use axum::http::{Method, StatusCode};

use crate::support::TestApp;

#[tokio::test]
async fn bytes_of_another_digest_are_refused_and_not_found_afterwards() {
    let app = TestApp::start().await;
    let (_, client) = app.agent("a", 1).await;
    let path = format!("/api/v1/blobs/sha256/{}", Sha256Digest::of(b"right"));
    let answer = client.send(Method::PUT, &path, "application/octet-stream", "wrong").await;
    assert_eq!((answer.status.as_u16(), answer.code().as_str()), (422, "wrong_digest"));
    assert_eq!(answer.json()["found"], Sha256Digest::of(b"wrong").to_string());
    assert_eq!(client.get(&path).await.status, StatusCode::NOT_FOUND);

    assert_eq!(client.send(Method::PUT, &path, "text/html", "right").await.status, StatusCode::CREATED);
    let head = client.send(Method::HEAD, &path, "text/plain", "").await;
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (StatusCode::OK, "5", 0));
    let answer = client.get(&path).await;
    assert_eq!(answer.body, b"right");
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.header("content-security-policy"), "sandbox");
    assert!(answer.header("content-disposition").starts_with("attachment"));
}

#[tokio::test]
async fn an_address_is_a_digest_and_nothing_else() {
    let app = TestApp::start().await;
    let (_, client) = app.agent("a", 1).await;
    for name in ["..%2f..%2fetc%2fpasswd", "%2e%2e", "abc", &"A".repeat(64), &"g".repeat(64), &"0".repeat(65)]
    {
        for method in [Method::PUT, Method::GET] {
            let answer =
                client.send(method, &format!("/api/v1/blobs/sha256/{name}"), "text/plain", "x").await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{name}");
        }
    }
    let files = std::fs::read_dir(app.folder.path().join("blobs")).unwrap().count();
    assert_eq!(files, 0, "nothing was written");
}

#[tokio::test]
async fn many_short_blobs_come_at_once_and_the_rest_is_asked_for_by_itself() {
    let app = TestApp::start().await;
    let (_, client) = app.agent("a", 1).await;
    let (short, limit, long) = (b"short".to_vec(), vec![1; 64 << 10], vec![2; (64 << 10) + 1]);
    for blob in [&short[..], &limit, &long, b""] {
        assert_eq!(client.put_blob(blob).await.status, StatusCode::CREATED);
    }
    let path = |digests: &[Sha256Digest]| {
        let digests: Vec<String> = digests.iter().map(ToString::to_string).collect();
        format!("/api/v1/blobs/sha256?digests={}", digests.join(","))
    };
    let asked = [&short[..], b"never stored", &limit, &long, b"", &short].map(Sha256Digest::of);
    let answer = client.get(&path(&asked)).await;
    let piece = |bytes: &[u8]| [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat();
    let none = u32::MAX.to_be_bytes().to_vec();
    let expected = [piece(&short), none.clone(), piece(&limit), none, piece(b""), piece(&short)].concat();
    assert_eq!((answer.status, answer.body == expected), (StatusCode::OK, true));
    assert_eq!(answer.header("content-security-policy"), "sandbox");

    for (query, code) in [
        ("?digests=abc", "bad_digest"),
        ("?digests=", "bad_digest"),
        (path(&[asked[0]; 65]).split_once("sha256").unwrap().1, "too_many"),
    ] {
        let answer = client.get(&format!("/api/v1/blobs/sha256{query}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::BAD_REQUEST, code), "{query}");
    }
    assert_eq!(client.get(&path(&[asked[0]; 64])).await.status, StatusCode::OK);
    assert_eq!(client.get("/api/v1/blobs/sha256").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(app.anonymous().get(&path(&asked)).await.status, StatusCode::UNAUTHORIZED);
}

/// More phases than an agent keeps, as somebody else's builder may have them: the evidence is kept whole, and the page says
/// why it draws no tree.
#[tokio::test]
async fn a_tree_of_a_million_phases_is_kept_and_the_page_says_that_it_is_too_long() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let mut run = summary(1);
    let (small, _) = phase_tree(run.run.id);
    let mut tree: serde_json::Value = serde_json::from_slice(&small).unwrap();
    let phase = tree["phases"][0].take();
    tree["phases"] = "here".into();
    let (around, phase) = (tree.to_string(), phase.to_string());
    let (head, tail) = around.split_once("\"here\"").expect("a place for the phases");
    let (before, behind) = phase.split_once("\"id\":0").expect("its ordinal");
    let mut text = format!("{head}[");
    for id in 0..1_000_000 {
        use std::fmt::Write as _;
        write!(text, "{}{before}\"id\":{id}{behind}", if id == 0 { "" } else { "," }).unwrap();
    }
    text.extend(["]", tail]);
    assert_eq!(client.put_blob(text.as_bytes()).await.status, StatusCode::CREATED);
    let digest = Sha256Digest::of(text.as_bytes());
    let named = run.phase_tree.insert(phase_tree(run.run.id).1);
    (named.digest, named.bytes, named.phases) = (digest, text.len() as u64, 1_000_000);
    let answer = client.post("/api/v1/entries", agent.envelope(&run)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());

    let page = app.person("rita", "reviewer").await.get(&format!("/runs/{}", run.run.id)).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("longer than"), "{}", page.text());
    let blob = client.get(&format!("/api/v1/blobs/sha256/{digest}")).await;
    assert_eq!(Sha256Digest::of(&blob.body), digest);
}
