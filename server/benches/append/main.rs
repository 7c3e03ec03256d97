//! How many acknowledged entries a second the log takes, over real HTTP on loopback, with 1, 8, 64 and 256 clients.
//!
//! A rate by itself says what the disk was like that day. So the same run measures what bounds it, on the same file system
//! and the same cores, each beside the number that it bounds:
//!
//! - **sync**: 1,000 writes of 4 KB, each with an `fdatasync`;
//! - **raw**: a group commit of the very rows that the log wrote, into the same tables through the same SQLite library and
//!   settings, by as many clients and with multi-row inserts, but without HTTP, JSON, signatures, Merkle tree, tree heads or
//!   anchor;
//! - **signatures**: strict Ed25519 checks of these envelopes on all cores at once, and nothing else.
//!
//! The log has to reach 0.6 of raw at 64 clients, or 0.8 of the signature checks, whichever is less: both are printed, and
//! where it does not, the exit code is 1.
//!
//! The clients run in this process, on the server's cores. Their envelopes are signed and their requests written out
//! beforehand, and they only look for the status and the length of an answer, so that they cost little; how much is printed
//! (`load cpu`, of all cores). After each round receipts are checked for real: every index once, inclusion proofs of a
//! sample.
//!
//! `ACTA_BENCH_ENTRIES` says how many entries a round has at most (20000), `ACTA_BENCH_CLIENTS` which rounds there are.

mod load;
mod machine;
mod raw;

use std::process::ExitCode;

use acta_ledger::judge::percentile::Samples;
use acta_tests::{
    evidence::{TestAgent, summary},
    process::Server,
};
use uuid::Uuid;

/// What the log should reach of the raw group commit, and of the signature checks.
const OF_RAW: f64 = 0.6;
const OF_SIGNATURES: f64 = 0.8;

/// Of how many networks the builds are.
const KINDS: u128 = 40;

/// The round that is judged.
const JUDGED: usize = 64;

/// What a round came to.
pub struct Round {
    /// Acknowledged entries a second.
    pub rate: f64,
    /// How long each waited, in milliseconds.
    pub waits: Vec<f64>,
}

impl Round {
    fn line(&self) -> String {
        let percentile = |per_mille| {
            let samples = Samples::new(&self.waits).expect("waits are numbers");
            samples.percentile(per_mille).value().map_or_else(|| "-".to_owned(), |ms| format!("{ms:.2}"))
        };
        format!("{:>8.0}/s  p50 {:>7} ms  p99 {:>7} ms", self.rate, percentile(500), percentile(990))
    }
}

fn from_environment<T>(name: &str, default: T, read: impl Fn(&str) -> Option<T>) -> T {
    std::env::var(name).ok().and_then(|text| read(&text)).unwrap_or(default)
}

fn main() -> ExitCode {
    // `cargo test --benches` and the like only ask whether it is there.
    if !std::env::args().any(|word| word == "--bench") {
        return ExitCode::SUCCESS;
    }
    let most: usize = from_environment("ACTA_BENCH_ENTRIES", 20_000, |text| text.parse().ok());
    let rounds = from_environment("ACTA_BENCH_CLIENTS", vec![1, 8, JUDGED, 256], |text| {
        text.split(',').map(|word| word.parse().ok()).collect()
    });
    let server = Server::start(&["--public-read"]);
    let agent = TestAgent::new(1);
    let token = load::enrol(&server, &agent);
    let sync = machine::syncs(&server.data_dir());
    println!("sync        {}", sync.line());
    let mut number = 0;
    let mut judged = None;
    for clients in rounds {
        // A round of a few seconds: few clients get less done.
        let count = most.min(clients * 1000);
        let mut envelopes = Vec::with_capacity(count);
        for _ in 0..count {
            number += 1;
            // Many builds of a few kinds, as agents make them.
            let mut said = summary(number % KINDS);
            said.run.id = Uuid::from_u128(number);
            said.chain.sequence = number as u64;
            envelopes.push((agent.envelope(&said), said));
        }
        let bytes: usize = envelopes.iter().map(|(envelope, _)| envelope.len()).sum();
        println!("\n{clients} clients, {count} entries of {} bytes", bytes / count);
        let signatures = machine::signatures(&agent, &envelopes);
        println!("signatures  {signatures:>8.0}/s on all cores");
        let (acta, first, cpu) = load::round(&server, &token, clients, &envelopes);
        println!("acta        {}  {cpu}", acta.line());
        let copy = raw::copy(&server.data_dir().join("acta.db"), first, count);
        let raw = raw::round(&server.data_dir().join("raw.db"), clients, copy);
        println!("raw         {}", raw.line());
        println!("acta / raw {:.2}   acta / signatures {:.2}", acta.rate / raw.rate, acta.rate / signatures);
        if clients == JUDGED {
            judged = Some((acta.rate, raw.rate, signatures));
        }
    }
    let Some((acta, raw, signatures)) = judged else { return ExitCode::SUCCESS };
    let bounds = [
        (OF_RAW * raw, "0.6 of the raw group commit"),
        (OF_SIGNATURES * signatures, "0.8 of the signature checks"),
    ];
    let [(wanted, what), (other, other_what)] =
        if bounds[0] < bounds[1] { bounds } else { [bounds[1], bounds[0]] };
    let holds = acta >= wanted;
    let verdict = if holds { "holds" } else { "DOES NOT HOLD" };
    println!(
        "\n{JUDGED} clients: {acta:.0}/s; {what} ({wanted:.0}/s) binds, not {other_what} ({other:.0}/s): {verdict}"
    );
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
