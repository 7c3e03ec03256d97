//! A tiny server with a real log: for what a real server cannot be made to do on demand.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use acta_ledger::{
    evidence::agent_key::{AgentKey, AgentKeyAction},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        entry::Entry,
        key::{PublicKey, SigningKey},
        merkle::{Frontier, leaf_hash},
        note::{NoteKeyType, VerifierKey},
        proof::{Node, Plan},
        statement::Statement,
        tree_head::TreeHead,
    },
};
use serde_json::{Value, json};

/// What the server does with entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// Takes them.
    Good,
    /// Answers 503.
    Busy,
    /// Answers 401.
    Stranger,
    /// Answers 404 as some other program would.
    Foreign,
    /// Refuses the next one, then is good.
    RefuseOne,
    /// Takes them and lies about the inclusion.
    Lying,
}

/// The state that a test may change.
pub struct State {
    pub mood: Mood,
    pub leaves: Vec<Sha256Digest>,
    pub digests: Vec<Sha256Digest>,
    /// The entries' bytes.
    pub records: Vec<Vec<u8>>,
    /// The entry that enrolled the agent whose entries are verified.
    pub enrolment: Option<usize>,
    pub blobs: BTreeSet<String>,
    pub requests: Vec<String>,
    /// What it answers about any route; none is "not found".
    pub route: Option<Value>,
    /// The routes that were set up, each with the token.
    pub routes: Vec<(String, Value)>,
    /// What it gives to whoever asks for exactly this path, before anything else.
    pub offers: BTreeMap<String, Vec<u8>>,
}

/// The server; its thread ends with the process.
pub struct Fake {
    pub url: String,
    pub state: Arc<Mutex<State>>,
}

const ORIGIN: &str = "fake.example/log";

fn log_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn portal_key() -> SigningKey {
    SigningKey::from_bytes(&[8; 32])
}

impl Fake {
    /// Starts it on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            mood: Mood::Good,
            leaves: Vec::new(),
            digests: Vec::new(),
            records: Vec::new(),
            enrolment: None,
            blobs: BTreeSet::new(),
            requests: Vec::new(),
            route: None,
            routes: Vec::new(),
            offers: BTreeMap::new(),
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &shared);
            }
        });
        Self { url, state }
    }

    /// Puts a statement of the portal into the log; its index.
    pub fn log(&self, statement: &Statement) -> u64 {
        let envelope = statement.sign(&portal_key()).unwrap();
        let mut state = self.state.lock().unwrap();
        let posted = post(&mut state, Entry::of(&envelope).unwrap().bytes());
        posted["entries"][0]["index"].as_u64().unwrap()
    }

    /// Puts the enrolment of a key into the log, so that what the key signed can be verified.
    pub fn log_enrolment(&self, key: &str) {
        let noun = AgentKey {
            agent: "builder-1".to_owned(),
            public_key: PublicKey::from_base64(key).unwrap(),
            action: AgentKeyAction::Enrolled,
            at: "2026-11-29T10:00:00Z".parse().unwrap(),
            authorized_by: "admin".to_owned(),
            owner: None,
            previous: None,
            reason: None,
        };
        let index = self.log(&Statement::new(vec![noun.subject()], &noun).unwrap());
        self.state.lock().unwrap().enrolment = usize::try_from(index).ok();
    }

    /// Changes what it does.
    pub fn mood(&self, mood: Mood) {
        self.state.lock().unwrap().mood = mood;
    }
}

fn serve(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (mut length, mut token) = (0, String::new());
    loop {
        let mut header = String::new();
        // A client that was killed says no more.
        if reader.read_line(&mut header).is_err() {
            return;
        }
        if let Some(value) = header.trim().strip_prefix("authorization: Bearer ") {
            value.clone_into(&mut token);
        }
        let header = header.trim().to_ascii_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let mut state = state.lock().unwrap();
    state.requests.push(format!("{method} {path}"));
    if let Some(offer) = state.offers.get(&path).cloned() {
        drop(state);
        let head = format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", offer.len());
        let mut stream = reader.into_inner();
        stream.write_all(head.as_bytes()).ok();
        if method == "GET" {
            stream.write_all(&offer).ok();
        }
        return;
    }
    if (method.as_str(), path.as_str()) == ("POST", "/api/v1/routes") {
        state.routes.push((token, serde_json::from_slice(&body).unwrap()));
    }
    let (status, answer) = answer(&mut state, &method, &path, &body);
    let body = if method == "HEAD" { String::new() } else { answer };
    let response = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    reader.into_inner().write_all(response.as_bytes()).ok();
}

fn answer(state: &mut State, method: &str, path: &str, body: &[u8]) -> (u16, String) {
    let problem = |status: u16, code: &str| {
        let kind = format!("urn:acta:problem:{code}");
        (status, json!({ "type": kind, "title": code, "status": status, "code": code }).to_string())
    };
    if let Some(digest) = path.strip_prefix("/api/v1/blobs/sha256/") {
        return match method {
            "HEAD" if state.blobs.contains(digest) => (200, String::new()),
            "PUT" => {
                assert_eq!(Sha256Digest::of(body).to_string(), digest);
                state.blobs.insert(digest.to_owned());
                (201, "{}".to_owned())
            }
            _ => problem(404, "not_found"),
        };
    }
    match (method, path.split('?').next().unwrap_or_default()) {
        ("POST", "/api/v1/agents") => (201, enrol(body).to_string()),
        ("POST", "/api/v1/entries") => match state.mood {
            Mood::Busy => (503, "busy".to_owned()),
            Mood::Stranger => problem(401, "unauthorized"),
            Mood::Foreign => (404, "<h1>nothing here</h1>".to_owned()),
            Mood::RefuseOne => {
                state.mood = Mood::Good;
                problem(422, "entry_refused")
            }
            Mood::Good | Mood::Lying => (200, post(state, body).to_string()),
        },
        ("POST", "/api/v1/routes") => (201, json!({ "entry": 1 }).to_string()),
        ("GET", path) if path.starts_with("/api/v1/routes/") => match &state.route {
            Some(route) => (200, route.to_string()),
            None => problem(404, "not_found"),
        },
        ("GET", path) if path.starts_with("/api/v1/runs/") => match entry_of_run(state, &path[13..]) {
            Some(entry) => (200, json!({ "run": { "entry": entry } }).to_string()),
            None => problem(404, "not_found"),
        },
        ("GET", path) if path.ends_with("/verification") => {
            let index = path.split('/').nth(4).unwrap().parse::<usize>().unwrap();
            (200, verification(state, index).to_string())
        }
        ("GET", "/api/v1/log/consistency") => {
            let numbers: Vec<u64> = path.split(['=', '&']).filter_map(|part| part.parse().ok()).collect();
            match Plan::consistency(numbers[0], numbers[1]).and_then(|plan| plan.assemble(|n| node(state, n)))
            {
                Some(proof) => (200, json!({ "proof": proof }).to_string()),
                None => problem(404, "no_such_tree"),
            }
        }
        _ => problem(404, "not_found"),
    }
}

fn enrol(body: &[u8]) -> Value {
    let body: Value = serde_json::from_slice(body).unwrap();
    let public = PublicKey::from_base64(body["publicKey"].as_str().unwrap()).unwrap();
    let message = format!("acta-enrol-v1\n{}\n{}", body["token"].as_str().unwrap(), public.to_base64());
    let signature = base64::Engine::decode(
        &base64::engine::general_purpose::STANDARD,
        body["signature"].as_str().unwrap(),
    );
    assert!(public.verify(message.as_bytes(), &signature.unwrap()), "the agent holds its key");
    let key = VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&log_key())).unwrap();
    json!({
        "agent": "builder-1",
        "keyId": public.id(),
        "entry": 0,
        "apiToken": "secret-token",
        "origin": ORIGIN,
        "logKey": key.to_string(),
        "portalKey": PublicKey::of(&portal_key()),
    })
}

fn post(state: &mut State, body: &[u8]) -> Value {
    let digest = Sha256Digest::of(body);
    let known = state.digests.iter().position(|other| *other == digest);
    let index = known.unwrap_or_else(|| {
        state.digests.push(digest);
        state.records.push(body.to_vec());
        state.leaves.push(leaf_hash(body));
        state.leaves.len() - 1
    });
    let size = state.leaves.len() as u64;
    let mut inclusion =
        Plan::inclusion(index as u64, size).unwrap().assemble(|wanted| node(state, wanted)).unwrap();
    if state.mood == Mood::Lying {
        inclusion.push(digest);
    }
    let root = root(&state.leaves);
    let head = TreeHead { origin: ORIGIN.to_owned(), size, root }.sign(&log_key()).unwrap();
    json!({
        "entries": [{
            "index": index,
            "digest": digest,
            "leafHash": state.leaves[index],
            "status": if known.is_some() { "exists" } else { "created" },
            "inclusion": inclusion,
        }],
        "treeHead": head.to_string(),
    })
}

/// The entry whose statement is about a run.
fn entry_of_run(state: &State, run: &str) -> Option<usize> {
    state.records.iter().position(|record| {
        let statement = Envelope::parse(record).map(|it| Statement::from_envelope(&it));
        matches!(statement, Ok(Ok(statement)) if statement.predicate["run"]["id"] == run)
    })
}

/// Everything that is needed to verify an entry.
fn verification(state: &State, index: usize) -> Value {
    let size = state.leaves.len() as u64;
    let logged = |index: usize| {
        let plan = Plan::inclusion(index as u64, size).unwrap();
        json!({
            "record": base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &state.records[index]),
            "index": index,
            "inclusion": plan.assemble(|wanted| node(state, wanted)).unwrap(),
        })
    };
    let head =
        TreeHead { origin: ORIGIN.to_owned(), size, root: root(&state.leaves) }.sign(&log_key()).unwrap();
    let by_portal = Envelope::parse(&state.records[index])
        .is_ok_and(|it| it.verified(&[PublicKey::of(&portal_key())], 1).is_ok());
    let enrolment = state.enrolment.filter(|_| !by_portal).map(logged);
    let history: Vec<_> = enrolment.into_iter().collect();
    json!({ "entry": logged(index), "keyHistory": history, "treeHead": head.to_string() })
}

fn root(leaves: &[Sha256Digest]) -> Sha256Digest {
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.append(*leaf));
    frontier.root()
}

fn node(state: &State, node: Node) -> Option<Sha256Digest> {
    let start = usize::try_from(node.index << node.level).ok()?;
    Some(root(state.leaves.get(start..start + (1 << node.level))?))
}
