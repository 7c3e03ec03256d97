//! What "verified" means: one function, the same in the server, the agent, the auditor's tool and the browser.
//!
//! Given an entry's raw bytes and the [`Material`] around it, three things are checked from the bytes alone:
//!
//! 1. **signature**: a key that the log itself introduced, and that might sign at this index, signed the statement. The
//!    portal's key is trusted; an agent's key has its history in the log (enrolment, rotations, revocation), each entry
//!    of it signed as [`crate::evidence::agent_key`] says and included under the same tree head;
//! 2. **inclusion**: the entry is the leaf at its index of the tree with the tree head's root;
//! 3. **tree head**: the log's key signed that size and root, or keys that it was handed over to, see
//!    [`crate::judge::log_key`].
//!
//! What the checker must bring itself is [`Trust`]: the log's key and the portal's key, from a source other than the
//! one it is about to check.
//!
//! # What one entry cannot tell
//!
//! The proofs show that something is in the log, never that something is not. A server could keep back the entry that
//! revoked a key, or the hand-over that retired the log's: then what is shown holds, *unless an end was kept back*. The
//! material names every event of the key's life that the server knows, so that a checker who keeps it can show later
//! what was left out; whether the log holds more is found by reading all of it, which is what an audit does.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    digest::Sha256Digest,
    dsse::Envelope,
    key::{KeyId, PublicKey},
    merkle::leaf_hash,
    note::VerifierKey,
    proof::verify_inclusion,
    statement::{Predicate as _, Statement},
    tree_head::TreeHead,
};
use crate::{
    evidence::{agent_key::AgentKey, log_key::LogKey},
    judge::{
        keyring::{KeyEnd, Keyring, SignedBy},
        log_key::LogKeys,
    },
};

/// An entry's raw bytes and its place in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoggedEntry {
    /// The entry's bytes as the log holds them now, in standard base64 (they may be damaged, so not as text).
    pub record: String,
    /// Its index.
    pub index: u64,
    /// The hashes from its sibling upward.
    pub inclusion: Vec<Sha256Digest>,
}

/// Everything that is needed to check one entry offline, but for the keys that one must trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Material {
    /// The entry.
    pub entry: LoggedEntry,
    /// Every entry about the keys of the agent that signed, in the log's order; none where the portal signed.
    #[serde(default)]
    pub key_history: Vec<LoggedEntry>,
    /// How the log's key was handed on, oldest first; none as long as it never was.
    #[serde(default)]
    pub hand_overs: Vec<HandOver>,
    /// The signed tree head that the proofs lead to.
    pub tree_head: String,
}

/// How the log's key was handed on once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandOver {
    /// The entry that says so, and its place under this tree head.
    pub statement: LoggedEntry,
    /// A tree head that both keys signed.
    pub tree_head: String,
}

/// The keys that the checker trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// A key of the log, which signs tree heads: its first, or any later one.
    pub log: VerifierKey,
    /// The portal's key, which signs enrolments and decisions.
    pub portal: PublicKey,
}

/// Which of the three things was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// The statement's signature.
    Signature,
    /// The entry's place in the tree.
    Inclusion,
    /// The tree head's signature.
    TreeHead,
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was checked.
    pub kind: CheckKind,
    /// Whether it holds.
    pub holds: bool,
    /// The fact it rests on, or why it fails.
    pub detail: String,
}

/// The outcome of all three checks, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Which entry.
    pub index: u64,
    /// The three checks.
    pub checks: Vec<Check>,
    /// Whose key signed, where that could be verified.
    pub signer: Option<Signer>,
    /// The tree's size, where the tree head could be verified.
    pub tree_size: Option<u64>,
}

/// Who signed an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signer {
    /// The key.
    pub key_id: KeyId,
    /// The agent's name, or `portal`.
    pub name: String,
    /// The entry that introduced the key; none for the portal's own.
    pub introduced_at: Option<u64>,
    /// How the key ended, where that is known; what it signed before stays valid.
    pub ended: Option<KeyEnd>,
}

impl Signer {
    /// Whose signature it is, as it is shown.
    pub fn of(signed_by: SignedBy<'_>, trust: &Trust) -> Self {
        match signed_by {
            SignedBy::Portal => Self {
                key_id: trust.portal.id(),
                name: "portal".to_owned(),
                introduced_at: None,
                ended: None,
            },
            SignedBy::Agent(life) => Self {
                key_id: life.public_key.id(),
                name: life.agent.clone(),
                introduced_at: Some(life.introduced_at),
                ended: life.ended.clone(),
            },
        }
    }
}

impl Report {
    /// Whether every check holds.
    pub fn all_hold(&self) -> bool {
        self.checks.iter().all(|check| check.holds)
    }
}

impl Material {
    /// The tree head, if the trusted key of the log signed it or handed itself over to the keys that did.
    pub fn open_head(&self, trust: &Trust) -> Result<TreeHead, String> {
        log_keys(trust, &self.hand_overs)?.open(&self.tree_head).map_err(|error| error.to_string())
    }
}

/// The log's keys, from the trusted one on. Hand-overs that led to the trusted key are passed over.
pub fn log_keys(trust: &Trust, hand_overs: &[HandOver]) -> Result<LogKeys, String> {
    let read = |hand_over: &HandOver| {
        let (_, statement) = read(&hand_over.statement)?;
        statement.predicate::<LogKey>().map_err(|error| at(&hand_over.statement, error))
    };
    let said = hand_overs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let trusted = said.iter().rposition(|said| said.public_key == *trust.log.public_key());
    let begin = trusted.map_or(0, |at| at + 1);
    let mut keys = LogKeys::new(trust.log.clone());
    for (hand_over, said) in hand_overs.iter().zip(&said).skip(begin) {
        let entry = &hand_over.statement;
        // First by the key that is believed so far: it must vouch for the tree in which the next one is named.
        let head = keys.open(&hand_over.tree_head).map_err(|error| at(entry, error))?;
        let (envelope, _) = read_included(entry, &head)?;
        envelope.verified(&[trust.portal], 1).map_err(|error| at(entry, error))?;
        keys.hand_over(entry.index, said).map_err(|error| at(entry, error))?;
        keys.open(&hand_over.tree_head).map_err(|error| at(entry, error))?;
        if keys.signers(head.size).count() < 2 {
            return Err(at(entry, format!("a tree head of size {} is not signed by both keys", head.size)));
        }
    }
    Ok(keys)
}

/// Checks an entry.
pub fn verify(material: &Material, trust: &Trust) -> Report {
    Verifier::new(trust).verify(material)
}

/// Checks entries one after the other. What an entry shares with the one before it, a tree head or the history of the keys,
/// is checked once: where a page shows many entries, most of the work is that.
pub struct Verifier<'a> {
    trust: &'a Trust,
    shared: Option<Shared<'a>>,
}

/// What was checked for an entry and holds for others.
struct Shared<'a> {
    material: &'a Material,
    head: Result<TreeHead, String>,
    keyring: Result<Keyring, String>,
}

impl<'a> Verifier<'a> {
    /// Checks by what is trusted.
    pub fn new(trust: &'a Trust) -> Self {
        Self { trust, shared: None }
    }

    /// Checks an entry.
    pub fn verify(&mut self, material: &'a Material) -> Report {
        let trust = self.trust;
        let Shared { head, keyring, .. } = self.shared_by(material);
        let record =
            STANDARD.decode(&material.entry.record).map_err(|_| "the record is not base64".to_owned());
        let signer = check_signature(&material.entry, keyring, trust);
        let inclusion = match (&record, head) {
            (Err(error), _) | (_, Err(error)) => Err(error.clone()),
            (Ok(record), Ok(head)) => check_inclusion(record, &material.entry, head),
        };
        let checks = vec![
            check(CheckKind::Signature, signer.as_ref().map(signed)),
            check(CheckKind::Inclusion, inclusion.as_ref().cloned()),
            check(
                CheckKind::TreeHead,
                head.as_ref().map(|head| {
                    format!("{} of {} entries, root {}", head.origin, head.size, head.root.short())
                }),
            ),
        ];
        Report {
            index: material.entry.index,
            checks,
            signer: signer.ok(),
            tree_size: head.as_ref().ok().map(|head| head.size),
        }
    }

    fn shared_by(&mut self, material: &'a Material) -> &Shared<'a> {
        let trust = self.trust;
        let same_log =
            |it: &Material| it.tree_head == material.tree_head && it.hand_overs == material.hand_overs;
        let before = self.shared.take().filter(|shared| same_log(shared.material));
        self.shared.insert(match before {
            Some(shared) if shared.material.key_history == material.key_history => shared,
            before => {
                let head = before.map_or_else(|| material.open_head(trust), |shared| shared.head);
                let keyring = keyring(material, &head, trust);
                Shared { material, head, keyring }
            }
        })
    }
}

/// Who signed, and how the key stood to the entry.
fn signed(signer: &Signer) -> String {
    let (name, key) = (&signer.name, signer.key_id.0.short());
    let introduced =
        signer.introduced_at.map_or_else(String::new, |at| format!(", introduced by entry {at}"));
    let ended = match &signer.ended {
        None => String::new(),
        Some(KeyEnd { at, reason: None, .. }) => format!("; replaced later, by entry {at}"),
        Some(KeyEnd { at, reason: Some(reason), .. }) => format!("; revoked later, by entry {at}: {reason}"),
    };
    format!("{name}, key {key}{introduced}{ended}")
}

fn check<E: ToString>(kind: CheckKind, result: Result<String, E>) -> Check {
    match result {
        Ok(detail) => Check { kind, holds: true, detail },
        Err(error) => Check { kind, holds: false, detail: error.to_string() },
    }
}

fn check_inclusion(record: &[u8], entry: &LoggedEntry, head: &TreeHead) -> Result<String, String> {
    let leaf = leaf_hash(record);
    verify_inclusion(&leaf, entry.index, head.size, &head.root, &entry.inclusion)
        .map(|()| format!("leaf {} is entry {} of {}", leaf.short(), entry.index, head.size))
        .map_err(|error| format!("entry {}: {error}", entry.index))
}

/// The keys that may have signed, by their history; every entry of it must be in the tree.
fn keyring(material: &Material, head: &Result<TreeHead, String>, trust: &Trust) -> Result<Keyring, String> {
    let keys = log_keys(trust, &material.hand_overs).unwrap_or_else(|_| LogKeys::new(trust.log.clone()));
    let mut keyring = Keyring::new(trust.portal, keys);
    for event in &material.key_history {
        let head = head.as_ref().map_err(Clone::clone)?;
        read_included(event, head)
            .and_then(|(envelope, statement)| {
                keyring.apply(event.index, &envelope, &statement).map_err(|error| at(event, error))
            })
            .map_err(|error| format!("the key's history, {error}"))?;
    }
    Ok(keyring)
}

fn check_signature(
    entry: &LoggedEntry,
    keyring: &Result<Keyring, String>,
    trust: &Trust,
) -> Result<Signer, String> {
    let (envelope, statement) = read(entry)?;
    let keyring = keyring.as_ref().map_err(Clone::clone)?;
    let (_, signer) = keyring.signer(entry.index, &envelope).map_err(|error| at(entry, error))?;
    if statement.predicate_type == AgentKey::TYPE {
        let said: AgentKey = statement.predicate().map_err(|error| at(entry, error))?;
        said.signed(&envelope, &trust.portal).map_err(|error| at(entry, error))?;
    }
    Ok(Signer::of(signer, trust))
}

fn at(entry: &LoggedEntry, error: impl std::fmt::Display) -> String {
    format!("entry {}: {error}", entry.index)
}

/// Reads an entry; verifies nothing.
fn read(entry: &LoggedEntry) -> Result<(Envelope, Statement), String> {
    let record = STANDARD.decode(&entry.record).map_err(|_| at(entry, "the record is not base64"))?;
    let envelope = Envelope::parse(&record).map_err(|error| at(entry, error))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| at(entry, error))?;
    Ok((envelope, statement))
}

/// Reads an entry that must be in the tree.
fn read_included(entry: &LoggedEntry, head: &TreeHead) -> Result<(Envelope, Statement), String> {
    let record = STANDARD.decode(&entry.record).map_err(|_| at(entry, "the record is not base64"))?;
    check_inclusion(&record, entry, head)?;
    read(entry)
}

#[cfg(test)]
mod tests;
