//! Bodies that somebody made to cost much: each is refused for the price of reading it once, and the next one is taken.

use acta_tests::evidence::summary;
use axum::{
    body::{Body, Bytes},
    http::{Method, StatusCode, header},
};
use futures::{StreamExt as _, stream};

use crate::support::TestApp;

const ENTRIES: &str = "/api/v1/entries";

/// What a compressed body holds is never unpacked: its bytes are taken as they are, and are no JSON.
#[tokio::test]
async fn a_compressed_body_is_not_unpacked() {
    // The header of gzip, and the block of ten thousand zeros that can be repeated without end.
    let bomb = [&b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"[..], &[0x63; 4096]].concat();
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let refused = client.with(header::CONTENT_ENCODING, "gzip").post(ENTRIES, bomb.clone()).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "malformed_json"));
    // A blob is whatever it is: it is hashed and kept as it came.
    assert_eq!(client.put_blob(&bomb).await.status, StatusCode::CREATED);
    assert_eq!(client.post(ENTRIES, agent.envelope(&summary(1))).await.status, StatusCode::CREATED);
}

/// Without a length in its head a body is read until it is too long, and not further.
#[tokio::test]
async fn a_body_without_a_length_is_read_until_it_is_too_long() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let pieces = stream::iter(0..).map(|number: u64| {
        assert!(number < 64, "{number} MiB were read");
        Ok::<_, std::io::Error>(Bytes::from(vec![b' '; 1 << 20]))
    });
    let answer = client.send(Method::POST, ENTRIES, "application/json", Body::from_stream(pieces)).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(client.post(ENTRIES, agent.envelope(&summary(1))).await.status, StatusCode::CREATED);
}

/// JSON whose cost could grow faster than its length: were it so, this test would take minutes.
#[tokio::test]
async fn json_of_odd_shapes_costs_what_its_length_costs() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let keys = |order: &dyn Fn(u32) -> u32| {
        let members: Vec<String> = (0..300_000).map(|at| format!("\"{:07}\":0", order(at))).collect();
        format!("{{{}}}", members.join(","))
    };
    for (body, code) in [
        (keys(&|at| at), "malformed_envelope"),
        (keys(&|at| 299_999 - at), "malformed_envelope"),
        (keys(&|at| at.wrapping_mul(7919) % 300_000), "malformed_envelope"),
        (keys(&|at| at % 299_999), "malformed_json"),
        ("[".repeat(10_000_000), "malformed_json"),
        (format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000)), "malformed_json"),
        (format!("[{}]", "1,".repeat(1_000_000)), "malformed_json"),
        (format!("\"{}", "\\u0041".repeat(3_000_000)), "malformed_json"),
        ("9".repeat(20_000_000), "malformed_json"),
        ("\"\\ud800\"".to_owned(), "malformed_json"),
        ("[1e400]".to_owned(), "malformed_json"),
        ("[9007199254740993]".to_owned(), "malformed_json"),
        ("{\"a\":\u{0}}".to_owned(), "malformed_json"),
        ("\u{feff}{}".to_owned(), "malformed_json"),
    ] {
        let shown: String = body.chars().take(40).collect();
        let refused = client.post(ENTRIES, body).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, code), "{shown}");
    }
    assert_eq!(client.post(ENTRIES, agent.envelope(&summary(1))).await.status, StatusCode::CREATED);
}
