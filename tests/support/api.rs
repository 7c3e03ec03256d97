//! What an agent's program asks of a running server's API.

use acta_ledger::log::digest::Sha256Digest;
use serde_json::{Value, json};

use crate::evidence::TestAgent;

/// Envelopes that one request takes.
const ENVELOPES: usize = 256;

/// An enrolled agent that pushes what it is given.
pub struct Push {
    url: String,
    bearer: String,
}

impl Push {
    /// Enrols the agent with a one-time token.
    ///
    /// # Panics
    ///
    /// If the server does not take it.
    pub fn enrol(url: &str, token: &str, agent: &TestAgent) -> Self {
        let enrolled = post(url, "/api/v1/agents", None, agent.enrolment(token).to_string().as_bytes());
        let token = enrolled["apiToken"].as_str().expect("a token");
        Self { url: url.to_owned(), bearer: format!("Bearer {token}") }
    }

    /// Stores a blob.
    ///
    /// # Panics
    ///
    /// If the server does not take it.
    pub fn blob(&self, bytes: &[u8]) {
        let path = format!("{}/api/v1/blobs/sha256/{}", self.url, Sha256Digest::of(bytes));
        ureq::put(path).header("Authorization", &self.bearer).send(bytes).expect("the blob is stored");
    }

    /// Appends envelopes, in as many requests as it takes.
    ///
    /// # Panics
    ///
    /// If the server does not take one.
    pub fn append(&self, envelopes: &[Vec<u8>]) {
        for some in envelopes.chunks(ENVELOPES) {
            let some = some.iter().map(|envelope| serde_json::from_slice(envelope).expect("JSON"));
            let body = json!({ "envelopes": some.collect::<Vec<Value>>() }).to_string();
            post(&self.url, "/api/v1/entries", Some(("Authorization", &self.bearer)), body.as_bytes());
        }
    }
}

/// Posts JSON and reads the JSON that comes back.
///
/// # Panics
///
/// If the server refuses it.
pub fn post(url: &str, path: &str, header: Option<(&str, &str)>, body: &[u8]) -> Value {
    let mut request = ureq::post(format!("{url}{path}")).content_type("application/json");
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    let answer = request.send(body).unwrap_or_else(|error| panic!("POST {path}: {error}"));
    let bytes = answer.into_body().read_to_vec().expect("a body");
    serde_json::from_slice(&bytes).expect("JSON")
}
