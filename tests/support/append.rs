//! A program that appends: enrolled, with its token, over real HTTP.

use std::time::Duration;

use acta_ledger::log::digest::Sha256Digest;
use serde_json::Value;
use ureq::{
    Agent,
    http::{Response, StatusCode},
};

use crate::{api::post, evidence::TestAgent, process::Server};

/// What an acknowledged entry was answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// Its index.
    pub index: u64,
    /// Its digest.
    pub digest: String,
    /// The signed tree head that covers it.
    pub tree_head: String,
    /// Whether it was logged just now.
    pub created: bool,
}

/// Appends for one agent.
#[derive(Clone)]
pub struct Pusher {
    http: Agent,
    token: String,
}

impl Pusher {
    /// Enrols the agent under a name.
    ///
    /// # Panics
    ///
    /// If the server does not take it.
    pub fn enrol(server: &Server, agent: &TestAgent, name: &str) -> Self {
        let body = agent.enrolment(&server.token(name)).to_string();
        let facts = post(&server.url(), "/api/v1/agents", None, body.as_bytes());
        let token = facts["apiToken"].as_str().expect("a token").to_owned();
        let config = Agent::config_builder().http_status_as_error(false);
        let http = config.timeout_global(Some(Duration::from_secs(10))).build().new_agent();
        Self { http, token }
    }

    /// Offers an envelope; the status and the body of the answer, or none where none came.
    pub fn offer(&self, url: &str, envelope: &[u8]) -> Option<(StatusCode, Value)> {
        let request = self.http.post(format!("{url}/api/v1/entries"));
        let request = request.header("Authorization", format!("Bearer {}", self.token));
        let answer = request.content_type("application/json").send(envelope).ok()?;
        Some((answer.status(), json(answer)?))
    }

    /// Appends an envelope; none where it was not acknowledged.
    pub fn push(&self, url: &str, envelope: &[u8]) -> Option<Acknowledged> {
        let (status, receipt) = self.offer(url, envelope)?;
        let entry = &receipt["entries"][0];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Acknowledged {
            index: entry["index"].as_u64()?,
            digest: text(&entry["digest"])?,
            tree_head: text(&receipt["treeHead"])?,
            created: status == StatusCode::CREATED,
        })
    }

    /// Stores a blob; the status of the answer, or none where none came.
    pub fn blob(&self, url: &str, bytes: &[u8]) -> Option<StatusCode> {
        let request = self.http.put(format!("{url}/api/v1/blobs/sha256/{}", Sha256Digest::of(bytes)));
        let request = request.header("Authorization", format!("Bearer {}", self.token));
        request.content_type("application/octet-stream").send(bytes).ok().map(|answer| answer.status())
    }
}

fn json(answer: Response<ureq::Body>) -> Option<Value> {
    serde_json::from_slice(&answer.into_body().read_to_vec().ok()?).ok()
}
