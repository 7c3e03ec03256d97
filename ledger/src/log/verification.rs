//! What "verified" means: one function, the same in the server, the agent, the auditor's tool and the browser.
//!
//! Given an entry's raw bytes and the [`Material`] around it, three things are checked from the bytes alone:
//!
//! 1. **signature**: a key that the log itself introduced signed the statement (the portal's key, or an agent's key
//!    whose enrolment stands in the log, signed by the portal's key and included under the same tree head);
//! 2. **inclusion**: the entry is the leaf at its index of the tree with the tree head's root;
//! 3. **tree head**: the log's key signed that size and root.
//!
//! What the checker must bring itself is [`Trust`]: the log's key and the portal's key, from a source other than the
//! one it is about to check.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    digest::Sha256Digest,
    dsse::Envelope,
    key::{KeyId, PublicKey},
    merkle::leaf_hash,
    note::VerifierKey,
    proof::verify_inclusion,
    statement::Statement,
    tree_head::TreeHead,
};
use crate::evidence::agent_key::AgentKey;

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
    /// The entry that enrolled the agent whose key signed; none where the portal signed.
    pub enrolment: Option<LoggedEntry>,
    /// The signed tree head that the proofs lead to.
    pub tree_head: String,
}

/// The keys that the checker trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// The log's key, which signs tree heads.
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
    pub enrolled_at: Option<u64>,
}

impl Report {
    /// Whether every check holds.
    pub fn all_hold(&self) -> bool {
        self.checks.iter().all(|check| check.holds)
    }
}

/// Checks an entry.
pub fn verify(material: &Material, trust: &Trust) -> Report {
    let head = TreeHead::open(&material.tree_head, &trust.log).map_err(|error| error.to_string());
    let record = STANDARD.decode(&material.entry.record).map_err(|_| "the record is not base64".to_owned());
    let signer = record.clone().and_then(|record| check_signature(&record, material, &head, trust));
    let inclusion = match (&record, &head) {
        (Err(error), _) | (_, Err(error)) => Err(error.clone()),
        (Ok(record), Ok(head)) => check_inclusion(record, &material.entry, head),
    };
    let signed = |signer: &Signer| match signer.enrolled_at {
        Some(at) => format!("{}, key {}, enrolled by entry {at}", signer.name, signer.key_id.0.short()),
        None => format!("{}, key {}", signer.name, signer.key_id.0.short()),
    };
    let checks = vec![
        check(CheckKind::Signature, signer.as_ref().map(signed)),
        check(CheckKind::Inclusion, inclusion.as_ref().cloned()),
        check(
            CheckKind::TreeHead,
            head.as_ref()
                .map(|head| format!("{} of {} entries, root {}", head.origin, head.size, head.root.short())),
        ),
    ];
    Report {
        index: material.entry.index,
        checks,
        signer: signer.ok(),
        tree_size: head.ok().map(|head| head.size),
    }
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

fn check_signature(
    record: &[u8],
    material: &Material,
    head: &Result<TreeHead, String>,
    trust: &Trust,
) -> Result<Signer, String> {
    let at = |error: String| format!("entry {}: {error}", material.entry.index);
    let envelope = Envelope::parse(record).map_err(|error| at(error.to_string()))?;
    let portal = Signer { key_id: trust.portal.id(), name: "portal".to_owned(), enrolled_at: None };
    let (key, signer) = match &material.enrolment {
        None => (trust.portal, portal),
        Some(enrolment) => check_enrolment(enrolment, head, trust)
            .map_err(|error| format!("the key's enrolment, entry {}: {error}", enrolment.index))?,
    };
    let (normal, _) = envelope.verified(&[key], 1).map_err(|error| at(error.to_string()))?;
    Statement::from_envelope(&normal).map_err(|error| at(error.to_string()))?;
    Ok(signer)
}

fn check_enrolment(
    enrolment: &LoggedEntry,
    head: &Result<TreeHead, String>,
    trust: &Trust,
) -> Result<(PublicKey, Signer), String> {
    let record = STANDARD.decode(&enrolment.record).map_err(|_| "the record is not base64".to_owned())?;
    let head = head.as_ref().map_err(Clone::clone)?;
    check_inclusion(&record, enrolment, head)?;
    let envelope = Envelope::parse(&record).map_err(|error| error.to_string())?;
    let (envelope, _) = envelope.verified(&[trust.portal], 1).map_err(|error| error.to_string())?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| error.to_string())?;
    let enrolled: AgentKey = statement.predicate().map_err(|error| error.to_string())?;
    let key = enrolled.public_key;
    Ok((key, Signer { key_id: key.id(), name: enrolled.agent, enrolled_at: Some(enrolment.index) }))
}

#[cfg(test)]
mod tests;
