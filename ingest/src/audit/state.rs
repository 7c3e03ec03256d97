//! What an auditor remembers between audits: the pinned keys, the tree heads that were seen, how far every entry is
//! checked, and an audit that was interrupted.
//!
//! The file is the auditor's own and the anchor of everything: without it, a log that was set back or rewritten as a
//! whole looks like a sound one. It is replaced as a whole and is small: it grows with the agents, not with the entries.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
};

use acta_ledger::{
    judge::{
        audit::{Finding, chain::ChainFold, entry::EntryFold, keys::KeyHistory, route::RouteMarks},
        custody::Custody,
        log_key::LogKeys,
    },
    log::{digest::Sha256Digest, key::PublicKey, merkle::Frontier, verification::Trust},
};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    durable,
    error::{CliError, Result},
    outbox,
};

/// The form of the file.
const VERSION: u32 = 1;

/// How many tree heads are kept; the oldest go first.
const MAX_TREE_HEADS: usize = 256;

/// The state of audits of one log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct State {
    version: u32,
    /// The log's key, as it was pinned at the first audit.
    pub log_key: String,
    /// The portal's key, likewise.
    pub portal_key: PublicKey,
    /// Signed tree heads that the log showed, by size.
    pub tree_heads: BTreeMap<u64, String>,
    /// The entries that are checked, all of them from the first on.
    pub checked: Option<Progress>,
    /// The audit that was interrupted.
    pub running: Option<Running>,
}

/// How far a log was followed, and what the entries up to there mean for those after them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Progress {
    /// The entries that were followed.
    pub size: u64,
    /// Their tree's frontier.
    frontier: Vec<Sha256Digest>,
    /// The keys.
    keys: KeyHistory,
    /// The agents' chains.
    chains: ChainFold,
    /// The routes' entries.
    #[serde(default)]
    routes: RouteMarks,
}

/// An audit on its way.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Running {
    /// Whether it checks every entry and blob again.
    pub deep: bool,
    /// Where it began.
    pub from: u64,
    /// How far it is.
    pub progress: Progress,
    /// What it found.
    pub findings: Vec<Finding>,
    /// What it found beyond those that are kept.
    pub left_out: u64,
    /// Blobs that were not there: a later entry may say that they were purged.
    #[serde(deserialize_with = "missing")]
    pub missing: Custody,
}

/// Blobs with what needs them. An earlier version's state has the first entry of each alone, and must not be lost for that.
fn missing<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Custody, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Missing {
        Needs(Custody),
        Entries(BTreeMap<Sha256Digest, u64>),
    }
    Ok(match Missing::deserialize(deserializer)? {
        Missing::Needs(custody) => custody,
        Missing::Entries(entries) => {
            let mut custody = Custody::default();
            entries.into_iter().for_each(|(blob, entry)| custody.need(entry, blob, None));
            custody
        }
    })
}

impl State {
    /// A state that has seen nothing yet.
    pub fn new(log_key: String, portal_key: PublicKey) -> Self {
        let (tree_heads, checked, running) = (BTreeMap::new(), None, None);
        Self { version: VERSION, log_key, portal_key, tree_heads, checked, running }
    }

    /// The same state, with an audit on its way.
    pub fn on_the_way(&self, running: &Running) -> Self {
        Self { running: Some(running.clone()), ..self.clone() }
    }

    /// Remembers a tree head that does not contradict the others.
    pub fn remember(&mut self, size: u64, note: &str) {
        self.tree_heads.entry(size).or_insert_with(|| note.to_owned());
        while self.tree_heads.len() > MAX_TREE_HEADS {
            self.tree_heads.pop_first();
        }
    }
}

impl Running {
    /// Begins where `progress` stands.
    pub fn begin(deep: bool, progress: Progress) -> Self {
        let (from, findings, left_out, missing) = (progress.size, Vec::new(), 0, Custody::default());
        Self { deep, from, progress, findings, left_out, missing }
    }
}

impl Progress {
    /// Before the first entry.
    pub fn start(trust: &Trust) -> Self {
        Self::of(&Frontier::default(), &EntryFold::new(trust.log.clone(), trust.portal))
    }

    /// The log's keys, as far as its entries were followed.
    pub fn log_keys(&self) -> &LogKeys {
        self.keys.log()
    }

    /// What was followed so far.
    pub fn of(frontier: &Frontier, entries: &EntryFold) -> Self {
        Self {
            size: frontier.size(),
            frontier: frontier.hashes().to_vec(),
            keys: entries.keys().clone(),
            chains: entries.chains().clone(),
            routes: entries.routes().clone(),
        }
    }

    /// The tree; none where the file was changed by hand so that it is none.
    pub fn frontier(&self) -> Option<Frontier> {
        Frontier::from_parts(self.size, self.frontier.clone())
    }

    /// The entries' side.
    pub fn entries(&self) -> EntryFold {
        EntryFold::resume(self.keys.clone(), self.chains.clone(), self.routes.clone())
    }
}

/// The state's file, which no other audit uses meanwhile.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    _lock: File,
}

impl StateFile {
    /// Locks the file's name; the file itself need not exist.
    pub fn open(path: &Path) -> Result<Self> {
        let lock = PathBuf::from(format!("{}.lock", path.display()));
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&lock);
        let file = file.map_err(|error| CliError::io("lock", &lock, &error).field("--state"))?;
        file.try_lock().map_err(|error| {
            CliError::failure("the state is in use").field(lock.display().to_string()).found(error.to_string()).help(
                "another audit with this state is running: wait for it, or give this one a state of its own",
            )
        })?;
        Ok(Self { path: path.to_owned(), _lock: file })
    }

    /// Reads the state; none before the first audit.
    pub fn load(&self) -> Result<Option<State>> {
        if !self.path.exists() {
            return Ok(None);
        }
        let state: State = outbox::read_json(&self.path)?;
        let known = state.version == VERSION;
        let whole = |progress: &Progress| progress.frontier().is_some();
        let sound = state.checked.iter().all(whole) && state.running.iter().all(|it| whole(&it.progress));
        if known && sound {
            return Ok(Some(state));
        }
        Err(CliError::usage("the state cannot be used")
            .field(self.path.display().to_string())
            .found(if known {
                "a frontier that does not fit its size".to_owned()
            } else {
                format!("version {}", state.version)
            })
            .expected(format!("version {VERSION}, as this program writes it"))
            .help("restore it from a backup; without it an audit cannot see that the log was set back"))
    }

    /// Replaces the state.
    pub fn save(&self, state: &State) -> Result<()> {
        let bytes = outbox::to_json(state)?;
        durable::write(&self.path, &bytes, 0o600).map_err(|error| CliError::io("write", &self.path, &error))
    }

    /// Keeps a tree head beside the state, as evidence of a fork, and says where.
    pub fn keep_evidence(&self, size: u64, root: &Sha256Digest, note: &str) -> Result<PathBuf> {
        let path = PathBuf::from(format!("{}.forked-{size}-{}.note", self.path.display(), root.short()));
        let written = durable::write(&path, note.as_bytes(), 0o600);
        written.map_err(|error| CliError::io("write", &path, &error))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use acta_ledger::log::{
        key::SigningKey,
        note::{NoteKeyType, VerifierKey},
    };
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_audit_that_an_earlier_version_began_is_gone_on_with() {
        let key = PublicKey::of(&SigningKey::from_bytes(&[7; 32]));
        let fold = EntryFold::new(VerifierKey::new("log.example", NoteKeyType::Ed25519, key).unwrap(), key);
        let running = Running::begin(true, Progress::of(&Frontier::default(), &fold));
        let mut written = serde_json::to_value(&running).unwrap();
        let blob = Sha256Digest::of(b"blob");
        let entries = |written: Value| {
            let running: Running = serde_json::from_value(written).unwrap();
            running.missing.needed().collect::<Vec<_>>()
        };
        assert_eq!(entries(written.clone()), []);
        for missing in [json!({ blob.to_string(): 5 }), json!([{ "blob": blob, "entry": 5 }])] {
            written["missing"] = missing;
            assert_eq!(entries(written.clone()), [(blob, 5)]);
        }
    }
}
