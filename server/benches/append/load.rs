//! Clients over HTTP that cost as little as a client can: requests written out beforehand, answers read for status and
//! length, one connection each that stays open.

use std::time::Instant;

use acta_ledger::{
    evidence::build::BuildSummary,
    log::{digest::Sha256Digest, merkle::leaf_hash, proof::verify_inclusion, tree_head::TreeHead},
};
use acta_tests::{evidence::TestAgent, process::Server};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{Round, machine::cpu_seconds};

/// Enrols the agent and returns its token.
pub fn enrol(server: &Server, agent: &TestAgent) -> String {
    let body = agent.enrolment(&server.token("bench")).to_string();
    let request = request("/api/v1/agents", None, body.as_bytes());
    let answer = runtime().block_on(async {
        let mut connection = Connection::open(server).await;
        connection.ask(&request).await;
        connection.body()
    });
    answer["apiToken"].as_str().expect("a token").to_owned()
}

fn runtime() -> tokio::runtime::Runtime {
    // One thread: the load must not take more than its share of the cores.
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn request(path: &str, token: Option<&str>, body: &[u8]) -> Vec<u8> {
    let authorization = token.map_or_else(String::new, |token| format!("authorization: Bearer {token}\r\n"));
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{authorization}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A connection and the answer that came last.
struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
    head: usize,
}

impl Connection {
    async fn open(server: &Server) -> Self {
        let address = server.url();
        let address = address.strip_prefix("http://").expect("an address");
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        Self { stream, answer: Vec::new(), head: 0 }
    }

    /// Sends a request and reads its answer, which must be 201.
    async fn ask(&mut self, request: &[u8]) {
        self.stream.write_all(request).await.expect("sent");
        self.answer.clear();
        let mut wanted = usize::MAX;
        while self.answer.len() < wanted {
            assert_ne!(self.stream.read_buf(&mut self.answer).await.expect("an answer"), 0, "cut off");
            if wanted == usize::MAX
                && let Some(head) = self.answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")
            {
                let text = std::str::from_utf8(&self.answer[..head]).expect("a head is ASCII");
                assert!(text.starts_with("HTTP/1.1 201"), "{text}");
                let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.expect("a length").parse().expect("a number");
                (self.head, wanted) = (head + 4, head + 4 + length);
            }
        }
    }

    fn body(&self) -> Value {
        serde_json::from_slice(&self.answer[self.head..]).expect("JSON")
    }
}

/// A round of closed-loop clients, the first index that it was given, and what processor time it took.
pub fn round(
    server: &Server,
    token: &str,
    clients: usize,
    envelopes: &[(Vec<u8>, BuildSummary)],
) -> (Round, u64, String) {
    let mut shares: Vec<Vec<Vec<u8>>> = (0..clients).map(|_| Vec::new()).collect();
    for (number, (envelope, _)) in envelopes.iter().enumerate() {
        shares[number % clients].push(request("/api/v1/entries", Some(token), envelope));
    }
    let mut connections = Vec::new();
    let runtime = runtime();
    runtime.block_on(async {
        for _ in 0..clients {
            connections.push(Connection::open(server).await);
        }
    });
    let cpu = || [cpu_seconds(std::process::id()), cpu_seconds(server.pid())];
    let (before, begun) = (cpu(), Instant::now());
    let (waits, receipts) = runtime.block_on(async {
        let tasks: Vec<_> = connections
            .into_iter()
            .zip(shares)
            .map(|(connection, share)| tokio::spawn(client(connection, share)))
            .collect();
        let (mut waits, mut receipts) = (Vec::new(), Vec::new());
        for task in tasks {
            let (mine, kept) = task.await.expect("a client ends");
            waits.extend(mine);
            receipts.extend(kept);
        }
        (waits, receipts)
    });
    let seconds = begun.elapsed().as_secs_f64();
    let after = cpu();
    let first = check(server, envelopes, &receipts);
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let [load, served] = [0, 1].map(|which: usize| 100.0 * (after[which] - before[which]) / seconds / cores);
    let per_entry = 1e6 * (after[1] - before[1]) / envelopes.len() as f64;
    let cpu = format!("load cpu {load:.0} %, server cpu {served:.0} % ({per_entry:.0} us an entry)");
    (Round { rate: envelopes.len() as f64 / seconds, waits }, first, cpu)
}

async fn client(mut connection: Connection, share: Vec<Vec<u8>>) -> (Vec<f64>, Vec<Vec<u8>>) {
    let (mut waits, mut receipts) = (Vec::with_capacity(share.len()), Vec::with_capacity(share.len()));
    for request in share {
        let begun = Instant::now();
        connection.ask(&request).await;
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
        receipts.push(connection.answer[connection.head..].to_vec());
    }
    (waits, receipts)
}

/// Every envelope has an index of its own, and the proofs of a sample lead to their tree heads; gives the first index.
fn check(server: &Server, envelopes: &[(Vec<u8>, BuildSummary)], receipts: &[Vec<u8>]) -> u64 {
    let keys = server.get("/api/v1/keys");
    let key = acta_ledger::log::note::VerifierKey::parse(keys["logKey"].as_str().expect("a key"));
    let key = key.expect("a verifier key");
    let leaves: std::collections::HashMap<String, Sha256Digest> = envelopes
        .iter()
        .map(|(envelope, _)| (Sha256Digest::of(envelope).to_string(), leaf_hash(envelope)))
        .collect();
    let mut indexes = std::collections::HashSet::new();
    for (position, receipt) in receipts.iter().enumerate() {
        let receipt: Value = serde_json::from_slice(receipt).expect("JSON");
        let entry = &receipt["entries"][0];
        let index = entry["index"].as_u64().expect("an index");
        assert!(indexes.insert(index), "the index {index} was given twice");
        let leaf = &leaves[entry["digest"].as_str().expect("a digest")];
        if position % 50 == 0 {
            let head = TreeHead::open(receipt["treeHead"].as_str().expect("a note"), &key).expect("signed");
            let proof: Vec<Sha256Digest> =
                serde_json::from_value(entry["inclusion"].clone()).expect("a proof");
            verify_inclusion(leaf, index, head.size, &head.root, &proof).expect("included");
        }
    }
    assert_eq!(indexes.len(), envelopes.len());
    indexes.into_iter().min().expect("a round has entries")
}
