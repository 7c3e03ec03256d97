//! A log of any length, written the way agents write it: signed statements, chained, pushed in batches to a real server.
//!
//! What a run looks like follows from its agent's name and its number alone, so that the same names give the same runs.
//! The builds never took
//! place, and every summary says so (`"builder": "simulated"`).

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        build::{BuildSummary, Outcome, RetryPolicy, ValidationStatus},
        cancel::{CancelRecord, CancelSource},
        chain::ChainLink,
        number::ms,
        timing_cache::TimingCacheMode,
    },
    log::{digest::Sha256Digest, key::SigningKey, timestamp::Timestamp},
};
use serde_json::Value;
use ureq::Agent as Http;
use uuid::Uuid;

use crate::evidence::{TestAgent, phase_tree, summary};

/// Envelopes in one request: as many as the server takes.
const BATCH: u64 = 256;

/// The time between two runs of one agent, in milliseconds.
const APART_MS: i64 = 97_000;

/// One of so many runs has a phase tree as a blob: as many as there are, few enough to be pushed in a while.
const WITH_TREE: u64 = 20;

/// Deterministic choices for one run, drawn from its number.
struct Dice {
    digest: Sha256Digest,
    next: usize,
}

impl Dice {
    fn new(agent: &str, number: u64) -> Self {
        Self { digest: Sha256Digest::of(format!("run {number} of agent {agent}").as_bytes()), next: 0 }
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        let at = self.next;
        self.next += 2;
        let [high, low] = [self.digest.as_bytes()[at], self.digest.as_bytes()[at + 1]];
        (u64::from(u16::from_be_bytes([high, low])) * bound) >> 16
    }
}

/// The run of this number of an agent, and its phase tree's bytes where it has one. The chain is still to be set.
pub fn run(agent: &str, number: u64) -> (BuildSummary, Option<Vec<u8>>) {
    let mut dice = Dice::new(agent, number);
    let id =
        |number: u64| Uuid::from_slice(&Dice::new(agent, number).digest.as_bytes()[16..]).unwrap_or_default();
    let network = dice.below(40);
    // Most builds take seconds, a few take a quarter of an hour.
    let build_ms = (1 << dice.below(10)) as f64 * (900.0 + dice.below(1000) as f64);
    let mut run = summary(u128::from(network));
    run.run.id = id(number);
    run.run.route = (network < 24).then(|| format!("models/net-{}", network % 8));
    run.tensorrt_version = ["1.7.1.116", "1.6.0.43", "10.13.2.6"][dice.below(3) as usize].to_owned();
    run.gpu_sku = ["none (ahead-of-time)", "NVIDIA H200", "NVIDIA L4", "NVIDIA RTX 6000 Ada"]
        [dice.below(4) as usize]
        .to_owned();
    run.build_config_hash = Sha256Digest::of(format!("configuration {}", dice.below(12)).as_bytes());
    run.timing_cache_mode =
        [TimingCacheMode::Cold, TimingCacheMode::Reused, TimingCacheMode::Updated][dice.below(3) as usize];
    let begun = "2026-06-01T00:00:00Z".parse::<Timestamp>().expect("a moment");
    let later = |at: Timestamp, ms: f64| at.plus_ms(ms as i64).unwrap_or(at);
    run.started_at = begun.plus_ms(number as i64 % 150_000 * APART_MS).unwrap_or(begun);
    run.duration_ms.build = Some(build_ms);
    run.duration_ms.total = build_ms + 350.0;
    run.finished_at = later(run.started_at, run.duration_ms.total);
    match dice.below(20) {
        0 | 1 => cancel(&mut run, build_ms / 2.0, dice.below(4_000) as f64 / 4.0),
        2 => (run.outcome, run.retry_policy) = (Outcome::Failed, RetryPolicy::Investigate),
        _ => keep_plan(&mut run, number),
    }
    if number > 1 && dice.below(12) == 0 {
        (run.run.attempt, run.run.retry_of) = (2, Some(id(number - 1)));
    }
    let tree = number.is_multiple_of(WITH_TREE).then(|| phase_tree(run.run.id));
    let (bytes, named) = tree.unzip();
    run.phase_tree = named;
    (run, bytes)
}

fn keep_plan(run: &mut BuildSummary, number: u64) {
    run.validation_status =
        if number.is_multiple_of(3) { ValidationStatus::Pass } else { ValidationStatus::Pending };
    run.artifacts.push(Artifact {
        name: "net.plan".to_owned(),
        kind: ArtifactKind::Plan,
        bytes: 1_000_000 + number,
        digest: Some(Sha256Digest::of(run.run.id.as_bytes())),
        disposition: Disposition::Kept,
        media_type: None,
        digest_before: None,
    });
}

fn cancel(run: &mut BuildSummary, after_ms: f64, latency_ms: f64) {
    let requested_at = run.started_at.plus_ms(after_ms as i64).unwrap_or(run.started_at);
    let latency_ms = ms((latency_ms * 1e6) as u64);
    run.outcome = Outcome::Cancelled;
    run.cancel_source = CancelSource::CtrlC;
    run.cancel_latency_ms = Some(latency_ms);
    run.cleanup_status = CleanupStatus::Cleaned;
    run.retry_policy = RetryPolicy::RetryWithCache;
    run.cancel = Some(CancelRecord {
        source: CancelSource::CtrlC,
        reason: None,
        who: None,
        requested_at,
        phase_at_request: None,
        delivered_at: Some(requested_at),
        acknowledged_at: requested_at.plus_ms(latency_ms as i64),
        returned_at: None,
        cleaned_at: None,
        request_to_delivery_ms: Some(0.1),
        request_to_ack_ms: Some(latency_ms),
        ack_to_return_ms: None,
        ack_to_cleanup_ms: None,
        censored_after_ms: None,
        requested_offset_ns: None,
        acknowledged_offset_ns: None,
        returned_offset_ns: None,
        cleaned_offset_ns: None,
        open_at_request: Vec::new(),
        open_at_acknowledgement: Vec::new(),
        deferrals: Vec::new(),
        escalation: None,
        request: None,
    });
}

/// Enrols an agent for each token and has them push `runs` runs together, each its own chain. `pushed` hears how many
/// are acknowledged.
///
/// # Panics
///
/// If the server refuses anything.
pub fn push(url: &str, tokens: &[String], runs: u64, pushed: &(impl Fn(u64) + Sync)) {
    let acknowledged = AtomicU64::new(0);
    thread::scope(|scope| {
        for (number, token) in tokens.iter().enumerate() {
            let share = runs / tokens.len() as u64 + u64::from((number as u64) < runs % tokens.len() as u64);
            let acknowledged = &acknowledged;
            scope.spawn(move || {
                let pusher = Pusher::enrol(url, token);
                let mut previous = None;
                for first in (1..=share).step_by(BATCH as usize) {
                    let last = (first + BATCH - 1).min(share);
                    previous = pusher.batch(first, last, previous);
                    let count = last - first + 1;
                    pushed(acknowledged.fetch_add(count, Ordering::Relaxed) + count);
                }
            });
        }
    });
}

struct Pusher<'a> {
    http: Http,
    url: &'a str,
    bearer: String,
    agent: TestAgent,
    name: String,
}

impl<'a> Pusher<'a> {
    fn enrol(url: &'a str, token: &str) -> Self {
        let agent = TestAgent { key: SigningKey::from_bytes(Sha256Digest::of(token.as_bytes()).as_bytes()) };
        let (bearer, name) = (String::new(), String::new());
        let mut pusher = Self { http: Http::new_with_defaults(), url, bearer, agent, name };
        let facts = pusher.post("/api/v1/agents", pusher.agent.enrolment(token).to_string().as_bytes());
        pusher.name = facts["agent"].as_str().expect("a name").to_owned();
        pusher.bearer = format!("Bearer {}", facts["apiToken"].as_str().expect("a token"));
        pusher
    }

    /// Pushes the runs `first` to `last`, and gives the digest of the last one's entry.
    fn batch(&self, first: u64, last: u64, mut previous: Option<Sha256Digest>) -> Option<Sha256Digest> {
        let mut body = br#"{"envelopes":["#.to_vec();
        for sequence in first..=last {
            let (mut summary, tree) = run(&self.name, sequence);
            summary.chain = ChainLink::new(sequence, previous);
            let envelope = self.agent.envelope(&summary);
            if let Some(tree) = tree {
                self.put(&tree);
            }
            previous = Some(Sha256Digest::of(&envelope));
            body.extend(envelope);
            body.push(b',');
        }
        body.pop();
        body.extend(b"]}");
        self.post("/api/v1/entries", &body);
        previous
    }

    fn put(&self, blob: &[u8]) {
        let path = format!("{}/api/v1/blobs/sha256/{}", self.url, Sha256Digest::of(blob));
        let put = self.http.put(path).header("Authorization", &self.bearer).send(blob);
        put.unwrap_or_else(|error| panic!("a blob is refused: {error}"));
    }

    fn post(&self, path: &str, body: &[u8]) -> Value {
        let mut request = self.http.post(format!("{}{path}", self.url)).content_type("application/json");
        if !self.bearer.is_empty() {
            request = request.header("Authorization", &self.bearer);
        }
        let answer = request.send(body).unwrap_or_else(|error| panic!("POST {path}: {error}"));
        serde_json::from_slice(&answer.into_body().read_to_vec().expect("a body")).expect("JSON")
    }
}
