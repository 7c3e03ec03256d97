//! Talking to the server. Blocking, with a limit on every wait; inside async code it runs on a blocking thread.

mod error;

use std::{fmt, fs::File, io::Read as _, path::Path, time::Duration};

use acta_ledger::{
    judge::{advice::Advice, compare::Compared},
    log::{
        blobs,
        digest::Sha256Digest,
        key::{KeyId, PublicKey},
        tile::TileRequest,
        verification::{HandOver, Material},
    },
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;
use ureq::{
    Agent, Body, BodyReader,
    http::{
        Response,
        header::{AUTHORIZATION, CONTENT_LENGTH},
    },
};
use uuid::Uuid;

pub use self::error::CallError;
use crate::{command::runs::RunPage, deploy::order::Listed, route::RouteAnswer, server::EntryName};

/// The largest answer that is read: more than a bundle of 256 of the longest entries.
const MAX_ANSWER_BYTES: u64 = 17 << 20;

/// How long a blob may take whose length is not known yet.
const SHORT_BLOB: Duration = Duration::from_secs(60);

/// A blob that comes more slowly than this does not come.
const SLOWEST_BYTES_PER_S: u64 = 1 << 20;

/// How long a pack may take: one may hold every blob of a route.
const PACK_LIMIT: Duration = Duration::from_secs(4 * 60 * 60);

/// A server, perhaps with the agent's token.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    base: String,
    token: Option<String>,
}

/// What the server answers to an enrolment.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// The agent's name.
    pub agent: String,
    /// The key's id.
    pub key_id: KeyId,
    /// The entry that says so.
    pub entry: u64,
    /// The token for everything else.
    pub api_token: String,
    /// The log's origin.
    pub origin: String,
    /// The log's key.
    pub log_key: String,
    /// The portal's key.
    pub portal_key: PublicKey,
}

/// The server's own word for its keys.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Keys {
    /// The log's key.
    pub log_key: String,
    /// The portal's key.
    pub portal_key: PublicKey,
}

/// What the server answers to entries.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Posted {
    /// Each entry's place.
    pub entries: Vec<PostedEntry>,
    /// The signed tree head that they are in.
    pub tree_head: String,
}

/// One entry's place.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostedEntry {
    /// Its index.
    pub index: u64,
    /// Its digest.
    pub digest: Sha256Digest,
    /// Its leaf's hash.
    pub leaf_hash: Sha256Digest,
    /// The hashes from its sibling upward.
    pub inclusion: Vec<Sha256Digest>,
}

#[derive(Deserialize)]
struct Consistency {
    proof: Vec<Sha256Digest>,
}

type Answer<T> = Result<T, CallError>;

impl Client {
    /// Prepares calls to the server; calls nobody yet.
    pub fn new(base: &str, token: Option<&str>) -> Self {
        let mut config = Agent::config_builder()
            .user_agent(concat!("acta/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            // A redirect could carry the token elsewhere: whoever moved the server enrols again.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_resolve(Some(Duration::from_secs(5)))
            .timeout_connect(Some(Duration::from_secs(5)))
            .timeout_send_request(Some(Duration::from_secs(10)))
            .timeout_send_body(Some(Duration::from_secs(300)))
            .timeout_recv_response(Some(Duration::from_secs(30)))
            .timeout_recv_body(Some(Duration::from_secs(60)));
        if is_this_machine(base) {
            config = config.proxy(None);
        }
        let agent = config.build().new_agent();
        Self { agent, base: base.to_owned(), token: token.map(str::to_owned) }
    }

    /// The server's address.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Enrols a key; the signature proves that the caller holds it.
    pub fn enrol(&self, token: &str, public_key: &PublicKey, signature: &str) -> Answer<Enrolment> {
        let body = json!({ "token": token, "publicKey": public_key, "signature": signature });
        self.post("/api/v1/agents", body.to_string().as_bytes())
    }

    /// Whether the server has a blob.
    pub fn has_blob(&self, digest: &Sha256Digest) -> Answer<bool> {
        let request = self.agent.head(self.url(&blob_path(digest)));
        let response = self.authorized(request).call().map_err(unreachable)?;
        match response.status().as_u16() {
            200 | 204 => Ok(true),
            404 => Ok(false),
            status => Err(CallError::Answered { status, problem: None, text: String::new() }),
        }
    }

    /// Sends a blob; the server has it afterwards, whether it had it before or not.
    pub fn put_blob(&self, digest: &Sha256Digest, file: &Path) -> Answer<()> {
        let file = File::open(file)
            .map_err(|error| CallError::Malformed(format!("the blob {} here: {error}", digest.short())))?;
        let request = self.agent.put(self.url(&blob_path(digest)));
        let request = self.authorized(request).content_type("application/octet-stream");
        read(request.send(&file).map_err(unreachable)?).map(|_| ())
    }

    /// Reads a blob as a stream, with its length where the server says it; none where there is no such blob.
    pub fn blob(&self, digest: &Sha256Digest) -> Answer<Option<(Option<u64>, BodyReader<'static>)>> {
        let Some((length, response)) = self.begin_blob(digest, SHORT_BLOB)? else { return Ok(None) };
        // Nearly all blobs are short. A long one is asked for again with the time that it takes.
        let limit = Duration::from_secs(length.unwrap_or(0) / SLOWEST_BYTES_PER_S);
        if limit <= SHORT_BLOB {
            return Ok(Some((length, response.into_body().into_reader())));
        }
        drop(response);
        let again = self.begin_blob(digest, SHORT_BLOB + limit)?;
        Ok(again.map(|(length, response)| (length, response.into_body().into_reader())))
    }

    /// Asks for a blob whose bytes may take so long; none where there is no such blob.
    fn begin_blob(
        &self,
        digest: &Sha256Digest,
        limit: Duration,
    ) -> Answer<Option<(Option<u64>, Response<Body>)>> {
        let request = self.agent.get(self.url(&blob_path(digest))).config();
        let request = request.timeout_recv_body(Some(limit)).build();
        let response = self.authorized(request).call().map_err(unreachable)?;
        let length =
            response.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        match response.status().as_u16() {
            200 => Ok(Some((length, response))),
            // 410: it was retained, and was purged.
            404 | 410 => Ok(None),
            _ => Err(read(response).err().unwrap_or_else(|| CallError::Malformed("no blob".to_owned()))),
        }
    }

    /// Asks for short blobs at once; what is answered, [`blobs::read`] reads.
    pub fn short_blobs(&self, digests: &[Sha256Digest]) -> Answer<Vec<u8>> {
        let names: Vec<String> = digests.iter().map(ToString::to_string).collect();
        let path = format!("/api/v1/blobs/sha256?digests={}", names.join(","));
        let response = self.authorized(self.agent.get(self.url(&path))).call().map_err(unreachable)?;
        read_at_most(response, blobs::MOST_ANSWER_BYTES as u64)
    }

    /// The newest signed tree head, verbatim.
    pub fn tree_head(&self) -> Answer<String> {
        let request = self.authorized(self.agent.get(self.url("/log/tree-head")));
        let note = read(request.call().map_err(unreachable)?)?;
        String::from_utf8(note).map_err(|_| CallError::Malformed("the tree head is not text".to_owned()))
    }

    /// A tile's bytes.
    pub fn tile(&self, tile: &TileRequest) -> Answer<Vec<u8>> {
        let request = self.authorized(self.agent.get(self.url(&format!("/log/tile/{tile}"))));
        read(request.call().map_err(unreachable)?)
    }

    /// Reads an evidence pack as a stream, with its length; `query` says what it is about.
    pub fn pack(&self, query: &str) -> Answer<(Option<u64>, BodyReader<'static>)> {
        // How long it may take is not known before its length is.
        let request = self.agent.get(self.url(&format!("/api/v1/packs?{query}"))).config();
        let request = request.timeout_recv_body(Some(PACK_LIMIT)).build();
        let response = self.authorized(request).call().map_err(unreachable)?;
        let length =
            response.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        match response.status().as_u16() {
            200 => Ok((length, response.into_body().into_reader())),
            _ => Err(read(response).err().unwrap_or_else(|| CallError::Malformed("no pack".to_owned()))),
        }
    }

    /// The orders of a route that have no last step yet.
    pub fn open_orders(&self, route: &str) -> Answer<Vec<Listed>> {
        self.get(&format!("/api/v1/routes/{route}/open-orders"))
    }

    /// Offers one envelope to the log.
    pub fn post_entry(&self, envelope: &[u8]) -> Answer<Posted> {
        self.post("/api/v1/entries", envelope)
    }

    /// Offers a rotation of the agent's own key.
    pub fn rotate(&self, agent: &str, envelope: &[u8]) -> Answer<Posted> {
        self.post(&format!("/api/v1/agents/{agent}/rotate"), envelope)
    }

    /// How the log's key was handed on, oldest first.
    pub fn hand_overs(&self) -> Answer<Vec<HandOver>> {
        self.get("/api/v1/log/hand-overs")
    }

    /// The proof that the tree of `to` entries begins with the tree of `from` entries.
    pub fn consistency(&self, from: u64, to: u64) -> Answer<Vec<Sha256Digest>> {
        let answer: Consistency = self.get(&format!("/api/v1/log/consistency?from={from}&to={to}"))?;
        Ok(answer.proof)
    }

    /// Everything that is needed to check an entry, but for the keys.
    pub fn verification(&self, entry: EntryName) -> Answer<Material> {
        self.get(&format!("/api/v1/entries/{entry}/verification"))
    }

    /// The server's own word for its keys.
    pub fn keys(&self) -> Answer<Keys> {
        self.get("/api/v1/keys")
    }

    /// Which attempt a run was, where the server knows the run.
    pub fn attempt_of(&self, run: Uuid) -> Answer<Option<u32>> {
        let answer: Answer<serde_json::Value> = self.get(&format!("/api/v1/runs/{run}"));
        match answer {
            Ok(value) => Ok(value["summary"]["run"]["attempt"].as_u64().and_then(|n| u32::try_from(n).ok())),
            Err(CallError::Answered { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A run, by id or number: where its entry stands.
    pub fn run_entry(&self, run: impl fmt::Display) -> Answer<Option<u64>> {
        let answer: Answer<serde_json::Value> = self.get(&format!("/api/v1/runs/{run}"));
        match answer {
            Ok(value) => Ok(value["run"]["entry"].as_u64()),
            Err(CallError::Answered { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A page of the runs; the fields say which.
    pub fn runs(&self, fields: &[(&str, &str)]) -> Answer<RunPage> {
        let request = self.agent.get(self.url("/api/v1/runs")).query_pairs(fields.iter().copied());
        parse(&read(self.authorized(request).call().map_err(unreachable)?)?)
    }

    /// Runs side by side, by ids or numbers, the baseline first.
    pub fn compare(&self, runs: &[String]) -> Answer<Compared> {
        let pairs: Vec<String> = runs.iter().map(|run| format!("run={run}")).collect();
        self.get(&format!("/api/v1/compare?{}", pairs.join("&")))
    }

    /// What the server advises about a run; none if it does not know the run.
    pub fn advice(&self, run: Uuid) -> Answer<Option<Advice>> {
        match self.get(&format!("/api/v1/runs/{run}/advice")) {
            Ok(advice) => Ok(Some(advice)),
            Err(CallError::Answered { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What the log says of a route.
    pub fn route(&self, name: &str) -> Answer<RouteAnswer> {
        self.get(&format!("/api/v1/routes/{name}"))
    }

    /// Sets up a route; the token is a person's.
    pub fn new_route(&self, definition: &serde_json::Value) -> Answer<serde_json::Value> {
        self.post("/api/v1/routes", definition.to_string().as_bytes())
    }

    /// Asks, as the person whose token this is, for a build that runs to stop.
    pub fn cancel(&self, run: Uuid, reason: &str) -> Answer<()> {
        let body = json!({ "reason": reason }).to_string();
        self.post::<serde_json::Value>(&format!("/api/v1/live/{run}/cancel"), body.as_bytes()).map(drop)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn authorized<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match &self.token {
            Some(token) => request.header(AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        }
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> Answer<T> {
        let request = self.authorized(self.agent.get(self.url(path)));
        parse(&read(request.call().map_err(unreachable)?)?)
    }

    fn post<T: DeserializeOwned>(&self, path: &str, body: &[u8]) -> Answer<T> {
        let request = self.authorized(self.agent.post(self.url(path))).content_type("application/json");
        parse(&read(request.send(body).map_err(unreachable)?)?)
    }
}

fn blob_path(digest: &Sha256Digest) -> String {
    format!("/api/v1/blobs/sha256/{digest}")
}

/// Whether a URL names this machine: no proxy stands before it.
fn is_this_machine(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    ["127.", "localhost:", "localhost/", "[::1]"].iter().any(|own| host.starts_with(own))
        || host == "localhost"
}

fn unreachable(error: ureq::Error) -> CallError {
    CallError::Unreachable(error.to_string())
}

fn read(response: Response<Body>) -> Answer<Vec<u8>> {
    read_at_most(response, MAX_ANSWER_BYTES)
}

fn read_at_most(mut response: Response<Body>, limit: u64) -> Answer<Vec<u8>> {
    let status = response.status();
    let announced = response.body().content_length().unwrap_or(0).min(limit);
    // One byte more, so that its end is seen without more room.
    let mut body = Vec::with_capacity(announced as usize + 1);
    let mut reader = response.body_mut().as_reader().take(limit + 1);
    reader.read_to_end(&mut body).map_err(|error| CallError::Unreachable(error.to_string()))?;
    if body.len() as u64 > limit {
        return Err(CallError::Malformed("the answer is too long".to_owned()));
    }
    if status.is_success() {
        return Ok(body);
    }
    Err(CallError::answered(status.as_u16(), &body))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Answer<T> {
    serde_json::from_slice(body).map_err(|error| CallError::Malformed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_reached_without_a_proxy() {
        for own in ["http://127.0.0.1:1", "http://localhost:1", "http://localhost", "http://[::1]:1"] {
            assert!(is_this_machine(own), "{own}");
        }
        for other in ["http://localhost.example", "http://128.0.0.1", "https://acta.example"] {
            assert!(!is_this_machine(other), "{other}");
        }
    }
}
