//! What a browser concludes about one entry, from the material, the keys it trusts and what it remembers. Pure: what is
//! fetched and stored stands in `browser`, what is shown in `verify`.
//!
//! Trust is on first use: the first time a browser meets a log, it believes the keys that the page names and keeps them.
//! From then on it believes only those, and only a log that goes on from the tree it has seen.

use acta_ledger::log::{
    digest::Sha256Digest,
    key::PublicKey,
    note::VerifierKey,
    proof::verify_consistency,
    verification::{CheckKind, Material, Report, Trust, verify},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

/// What a browser keeps of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    /// The log's verifier key.
    pub log_key: String,
    /// The portal's public key.
    pub portal_key: String,
    /// When it first saw them, in UTC.
    pub first_seen: String,
    /// The size of the newest tree it has verified.
    pub size: u64,
    /// That tree's root.
    pub root: Sha256Digest,
}

/// The keys that a page names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// The log's verifier key.
    pub log: String,
    /// The portal's public key, standard base64.
    pub portal: String,
}

/// What a page shows and wants to have verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The entry's index.
    pub index: u64,
    /// The digest of the bytes that the page shows.
    pub digest: Sha256Digest,
    /// The keys.
    pub keys: Keys,
}

/// How the tree stands to the one that was seen before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Continuity {
    /// No tree of this log was seen before.
    First,
    /// It is the same tree.
    Same,
    /// It is larger: a proof has to be fetched and checked.
    Grown,
    /// It is smaller: entries are gone.
    Truncated,
    /// It is of the same size and another tree.
    Forked,
    /// The tree head itself cannot be believed.
    Unknown,
}

/// What was found before any proof of consistency was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// The three checks.
    pub report: Report,
    /// Whether the page names other keys than this browser has seen before.
    pub keys_changed: bool,
    /// Why the verified bytes are not what the page shows, if they are not.
    pub mismatch: Option<String>,
    /// The tree head, where it can be believed.
    pub head: Option<(u64, Sha256Digest)>,
    /// How it stands to the one before.
    pub continuity: Continuity,
}

/// Checks the material of a claim.
pub fn examine(material: &Material, claim: &Claim, memory: Option<&Memory>) -> Result<Findings, String> {
    let known = memory.map(|memory| Keys { log: memory.log_key.clone(), portal: memory.portal_key.clone() });
    let keys_changed = known.as_ref().is_some_and(|known| *known != claim.keys);
    let keys = known.as_ref().unwrap_or(&claim.keys);
    let trust = Trust {
        log: VerifierKey::parse(&keys.log).map_err(|error| error.to_string())?,
        portal: PublicKey::from_base64(&keys.portal).map_err(|error| error.to_string())?,
    };
    let report = verify(material, &trust);
    let head = material.open_head(&trust).ok().map(|head| (head.size, head.root));
    let continuity = match (head, memory) {
        (None, _) => Continuity::Unknown,
        (Some(_), None) => Continuity::First,
        (Some((size, root)), Some(memory)) => match size.cmp(&memory.size) {
            std::cmp::Ordering::Less => Continuity::Truncated,
            std::cmp::Ordering::Greater => Continuity::Grown,
            std::cmp::Ordering::Equal if root == memory.root => Continuity::Same,
            std::cmp::Ordering::Equal => Continuity::Forked,
        },
    };
    Ok(Findings { report, keys_changed, mismatch: mismatch(material, claim), head, continuity })
}

fn mismatch(material: &Material, claim: &Claim) -> Option<String> {
    let digest = STANDARD.decode(&material.entry.record).ok().map(|record| Sha256Digest::of(&record));
    if material.entry.index != claim.index {
        Some(format!("the answer is of entry {}", material.entry.index))
    } else if digest != Some(claim.digest) {
        let found = digest.map_or_else(|| "no digest".to_owned(), |digest| digest.short());
        Some(format!("the page shows {}, the log holds {found}", claim.digest.short()))
    } else {
        None
    }
}

/// Checks the proof that a grown tree begins with the one that was seen before.
pub fn continues(
    memory: &Memory,
    (size, root): (u64, Sha256Digest),
    proof: &[Sha256Digest],
) -> Result<(), String> {
    if memory.size == 0 {
        // The empty tree is the beginning of every tree.
        return Ok(());
    }
    verify_consistency(memory.size, &memory.root, size, &root, proof).map_err(|error| error.to_string())
}

impl Findings {
    /// Whether the entry itself holds: the three checks, and that it is the one that the page shows.
    pub fn entry_holds(&self) -> bool {
        self.report.all_hold() && self.mismatch.is_none() && !self.keys_changed
    }

    /// Why it does not hold: the first reason, in the order in which it matters.
    pub fn reason(&self) -> Option<(CheckKind, String)> {
        let failed = self.report.checks.iter().find(|check| !check.holds);
        failed
            .map(|check| (check.kind, check.detail.clone()))
            .or_else(|| self.mismatch.clone().map(|mismatch| (CheckKind::Inclusion, mismatch)))
    }
}

#[cfg(test)]
mod tests;
