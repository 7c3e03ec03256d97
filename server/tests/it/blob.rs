use acta_ledger::log::digest::Sha256Digest;
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
