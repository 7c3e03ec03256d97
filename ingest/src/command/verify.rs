//! `acta verify`

pub mod pack;

use std::path::PathBuf;

use acta_ledger::log::{
    digest::Sha256Digest,
    verification::{CheckKind, Report, verify},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::Args;
use serde_json::json;

use crate::{
    client::{CallError, Client},
    error::{CliError, Exit, Result},
    home::Home,
    push,
    server::{EntryName, ServerFacts, parse_entry},
    trust::{KeyFlags, Source},
    ui::{Ui, harmless},
};

const EXAMPLES: &str = "\
A FILE is checked offline, without server and network: an evidence pack (x.acta) with everything in it, or a
proof file (.tlog-proof) with the entry's bytes. The keys come from --log-key and --portal-key, or from this
agent's pins; a pack is taken at its own word without either, and it is said.

--entry asks a server. Three things are checked on this machine, from the bytes alone: the statement's
signature (and that the log itself introduced the key), the entry's place in the tree, and the tree head's
signature. The keys come from this agent's pins for that server, or from --log-key and --portal-key; without
either the server's own word is taken, and it is said.

Exit code 0 if all hold, 1 if not, 2 if the log signed two roots for one size: two tree heads in the pack,
or the pack's and one of --tree-head. The number 2 is also that of a wrong command line; then nothing stands
on stdout.

Examples:
  acta verify run-42.acta
  acta verify tiny-qwen2.acta --log-key 'acta.example/log+c3a011ef+Add...' \\
      --portal-key 11qY... --tree-head seen-before
  acta verify entry-42.tlog-proof --record entry-42.json \\
      --log-key 'acta.example/log+c3a011ef+Add...' --portal-key 11qY...
  acta verify --entry 42
  acta verify --server https://acta.example --entry 42 \\
      --log-key 'acta.example/log+c3a011ef+Add...' --portal-key 11qY...
  acta verify --entry 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --json";

/// Verifies an evidence pack or a proof file offline, or an entry of a log.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Verify {
    /// An evidence pack, or a proof file.
    #[arg(value_name = "FILE", required_unless_present = "entry", conflicts_with_all = ["entry", "server"])]
    pub file: Option<PathBuf>,

    /// The entry's bytes, for a proof file.
    #[arg(long, value_name = "FILE", requires = "file")]
    pub record: Option<PathBuf>,

    /// A tree head that you have: the pack must be of the same history. May be given several times.
    #[arg(long, value_name = "FILE", requires = "file")]
    pub tree_head: Vec<PathBuf>,

    /// The server's address; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// The entry: its index or its digest.
    #[arg(long, value_name = "N")]
    pub entry: Option<String>,

    #[command(flatten)]
    keys: KeyFlags,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Verify {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let Some(entry) = &self.entry else { return self.offline(home, ui) };
        let entry = parse_entry(entry)?;
        let facts = if home.server().exists() { ServerFacts::load(home)? } else { None };
        let (url, facts) = ServerFacts::addressed(self.server.as_deref(), facts)?;
        let token = self.keys.token(facts.as_ref());
        let client = Client::new(&url, token);
        let (trust, source) = self.keys.resolve(None, facts.as_ref(), &client)?;
        let material = client.verification(entry).map_err(|error| {
            let stranger = token.is_none() && matches!(error, CallError::Answered { status: 401, .. });
            let error = error.explain("the entry cannot be fetched", &url).exit(Exit::Failure);
            if stranger {
                error.help("this server lets only those read whom it knows: give --token")
            } else {
                error
            }
        })?;
        let report = verify(&material, &trust);
        let asked = is_the_one(entry, report.index, &material.entry.record);
        // An enrolled agent has seen tree heads of this log: this one must agree with them.
        let agrees = match (
            source,
            report.checks.iter().all(|check| check.kind != CheckKind::TreeHead || check.holds),
        ) {
            (Source::Pinned, true) => Some(push::believe(home, &client, &trust, &material.tree_head)),
            _ => None,
        };
        let holds = report.all_hold() && asked && !matches!(agrees, Some(Err(_)));
        if self.json {
            let object = json!({
                "holds": holds,
                "isTheEntryAskedFor": asked,
                "agreesWithLastTreeHead": agrees.as_ref().map(Result::is_ok),
                "keysFrom": source.code(),
                "report": report,
            });
            ui.result(&object.to_string());
        } else {
            show(&report, asked, ui);
        }
        if source == Source::Server {
            ui.warning(
                "the keys are the server's own word: this proves that the log agrees with itself, not whose log it \
                 is.\n  what to do: enrol, or give --log-key and --portal-key from another source",
            );
        }
        match agrees {
            Some(Err(error)) => Err(error.exit(Exit::Failure)),
            _ if holds => Ok(Exit::Completed),
            _ => Ok(Exit::Failure),
        }
    }

    /// Checks a file by the keys that are given or pinned; neither server nor network is asked.
    fn offline(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let file = self.file.as_deref().ok_or_else(|| CliError::usage("nothing to verify"))?;
        let trust = self.keys.offline(ServerFacts::load(home)?.as_ref())?;
        if pack::is_proof(file)? {
            let missing = |field: &str, expected: &str| {
                CliError::usage("a proof file alone proves nothing").field(field).expected(expected)
            };
            let record = self.record.as_deref().ok_or_else(|| missing("--record", "the entry's bytes"))?;
            let (trust, from) =
                trust.ok_or_else(|| missing("--log-key", "the log's key: this agent has no pins"))?;
            return pack::proof(file, record, &trust, from.code(), self.json, ui);
        }
        let keys = match &trust {
            Some((trust, from)) => pack::Keys::Known(trust, from.code()),
            None => pack::Keys::Claimed,
        };
        pack::pack(file, keys, &self.tree_head, self.json, ui)
    }
}

/// Whether the server sent the entry that was asked for: another one may be just as genuine.
fn is_the_one(asked: EntryName, index: u64, record: &str) -> bool {
    match asked {
        EntryName::Index(asked) => asked == index,
        EntryName::Digest(asked) => {
            STANDARD.decode(record).is_ok_and(|record| Sha256Digest::of(&record) == asked)
        }
    }
}

fn show(report: &Report, asked: bool, ui: Ui) {
    if !asked {
        ui.error(&format!("the server sent entry {}, which is not the one that was asked for", report.index));
    }
    for check in &report.checks {
        let name = match check.kind {
            CheckKind::Signature => "signature",
            CheckKind::Inclusion => "inclusion",
            CheckKind::TreeHead => "tree head",
        };
        let verdict = if check.holds { ui.paint("holds", 32) } else { ui.paint("FAILS", 31) };
        ui.result(&format!("{name:10}  {verdict}  {}", harmless(&check.detail)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_genuine_entry_that_was_not_asked_for_is_noticed() {
        let record = STANDARD.encode(b"record");
        assert!(is_the_one(EntryName::Index(4), 4, &record));
        assert!(!is_the_one(EntryName::Index(4), 5, &record));
        assert!(is_the_one(EntryName::Digest(Sha256Digest::of(b"record")), 9, &record));
        assert!(!is_the_one(EntryName::Digest(Sha256Digest::of(b"other")), 9, &record));
        assert!(!is_the_one(EntryName::Digest(Sha256Digest::of(b"")), 9, "not base64"));
    }
}
