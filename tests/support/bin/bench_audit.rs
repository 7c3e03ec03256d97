//! Measures `acta audit --deep` beside what nobody can do without: one strict signature check an entry, the digests of
//! its bytes as entry and as leaf, and the digests of the blobs that it names, all in memory and on as many threads as
//! there are cores. Both run on the same entries in the same run, one after the other and three times in turn; what counts
//! is the ratio of the best of each.
//!
//! The audit fetches over HTTP from a server on this machine, so the server's own work is part of its time. People audit
//! with what a release build gives them, and so does `make bench`; in another profile the ratio says little, for what is
//! compiled slowly there is not what is measured.

use std::{
    hint::black_box,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use acta_ledger::{
    evidence::{agent_key::AgentKey, blob::named_blobs},
    log::{
        digest::Sha256Digest,
        dsse::{Envelope, pae},
        key::{KeyId, PublicKey},
        merkle::leaf_hash,
        statement::Statement,
        tile::{TILE_WIDTH, TileRequest, parse_entry_bundle},
    },
};
use acta_tests::{
    process::{Agent, Server},
    seed,
};

/// Entries where the command line says nothing else.
const ENTRIES: u64 = 100_000;

/// The audit must reach this part of the bare rate.
const LEAST: f64 = 0.7;

/// How often each side runs.
const ROUNDS: usize = 3;

/// An entry as the bare side takes it: parsed beforehand, for parsing is the audit's own cost.
struct Bare {
    record: Vec<u8>,
    message: Vec<u8>,
    signature: Vec<u8>,
    key: PublicKey,
    blobs: Vec<Vec<u8>>,
}

fn main() -> ExitCode {
    let entries = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(ENTRIES);
    let server = Server::start(&["--public-read"]);
    let tokens: Vec<String> = (1..=4).map(|number| server.token(&format!("seed-{number}"))).collect();
    let begun = Instant::now();
    // One entry for each agent's key is in the log as well.
    seed::push(&server.url(), &tokens, entries - tokens.len() as u64, &|_| {});
    let seconds = begun.elapsed().as_secs_f64();
    println!("{entries} entries pushed in {seconds:.1} s: {:.0} a second", entries as f64 / seconds);

    let auditor = Agent::init();
    let bare = read(&server, entries);
    let mut best = [0.0_f64; 2];
    for _ in 0..ROUNDS {
        best[0] = best[0].max(bare_rate(&bare));
        best[1] = best[1].max(audit_rate(&auditor, &server, entries));
    }
    let [bare, audit] = best;
    let ratio = audit / bare;
    if cfg!(debug_assertions) {
        println!("this is no release build: what follows is not what people have");
    }
    println!("bare signature checks and hashing:    {bare:.0} entries a second");
    println!("acta audit --deep, fetching included: {audit:.0} entries a second");
    println!("ratio {ratio:.2}, expected at least {LEAST}");
    if ratio >= LEAST { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All entries of the log with their blobs, ready for the bare checks.
fn read(server: &Server, entries: u64) -> Vec<Bare> {
    let http = ureq::Agent::new_with_defaults();
    let get = |path: &str| {
        let answer = http.get(format!("{}{path}", server.url())).call().expect("an answer");
        answer.into_body().with_config().limit(32 << 20).read_to_vec().expect("its bytes")
    };
    let keys = server.get("/api/v1/keys");
    let portal = PublicKey::from_base64(keys["portalKey"].as_str().expect("a key")).expect("a key");
    let mut known: Vec<(KeyId, PublicKey)> = vec![(portal.id(), portal)];
    let mut bare = Vec::new();
    for index in 0..entries.div_ceil(TILE_WIDTH) {
        let width = (entries - index * TILE_WIDTH).min(TILE_WIDTH);
        let bundle = get(&format!("/log/tile/{}", TileRequest { level: None, index, width }));
        for record in parse_entry_bundle(&bundle).expect("entries") {
            let envelope = Envelope::parse(record).expect("an envelope");
            let statement = Statement::from_envelope(&envelope).expect("a statement");
            if let Ok(said) = statement.predicate::<AgentKey>() {
                known.push((said.public_key.id(), said.public_key));
            }
            let blobs = named_blobs(&statement).expect("a predicate of ours");
            let id = envelope.hinted_keys().next().expect("a hint");
            bare.push(Bare {
                record: record.to_vec(),
                message: pae(&envelope.payload_type, &envelope.payload),
                signature: envelope.signatures[0].sig.clone(),
                key: known.iter().find(|(known, _)| *known == id).expect("a known key").1,
                blobs: blobs.iter().map(|blob| get(&format!("/api/v1/blobs/sha256/{blob}"))).collect(),
            });
        }
    }
    bare
}

fn bare_rate(entries: &[Bare]) -> f64 {
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let width = TILE_WIDTH as usize;
                loop {
                    let from = next.fetch_add(width, Ordering::Relaxed);
                    let Some(some) = entries.get(from..entries.len().min(from + width)) else { break };
                    if some.is_empty() {
                        break;
                    }
                    for entry in some {
                        assert!(entry.key.verify(&entry.message, &entry.signature), "a signature is bad");
                        black_box((leaf_hash(&entry.record), Sha256Digest::of(&entry.record)));
                        entry.blobs.iter().for_each(|blob| {
                            black_box(Sha256Digest::of(blob));
                        });
                    }
                }
            });
        }
    });
    entries.len() as f64 / begun.elapsed().as_secs_f64()
}

fn audit_rate(auditor: &Agent, server: &Server, entries: u64) -> f64 {
    let ended = auditor.ok(&["audit", "--server", &server.url(), "--deep", "--json"]).json();
    assert_eq!((&ended["verdict"], ended["checked"].as_u64()), (&"clean".into(), Some(entries)), "{ended}");
    ended["entriesPerSecond"].as_f64().expect("a rate")
}
