//! What checking a pack came to.

use serde::{Deserialize, Serialize};

use super::super::LeftOut;
use crate::{
    evidence::route::RouteRecord,
    judge::pack::{Topic, Why},
    log::{digest::Sha256Digest, verification::Signer},
};

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The pack's file that it is about.
    pub file: String,
    /// The entry that it is about, where it is about one.
    pub entry: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What was found.
    pub found: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
}

/// Two tree heads of one size and with two roots, both signed by the log's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fork {
    /// The size.
    pub size: u64,
    /// The pack's root for it.
    pub in_pack: Sha256Digest,
    /// The other root.
    pub elsewhere: Sha256Digest,
    /// Where the other tree head is from.
    pub source: String,
    /// Both signed notes, or the pack's and the one that its consistency proof leads to.
    pub notes: [String; 2],
}

/// One entry of the pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedEntry {
    /// Its index.
    pub index: u64,
    /// Why it belongs.
    pub why: Why,
    /// What kind of statement it is, where it could be read.
    pub predicate_type: Option<String>,
    /// Who signed it, where that could be verified.
    pub signer: Option<Signer>,
    /// Whether it is under the tree head and signed by a key that might sign it.
    pub holds: bool,
}

/// What checking a pack came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PackReport {
    /// What it is about.
    pub about: Topic,
    /// The tree head, where it could be verified: log, size and root.
    pub tree_head: Option<HeadFacts>,
    /// The entries.
    pub entries: Vec<CheckedEntry>,
    /// How many blobs it holds.
    pub blobs: u64,
    /// How many bytes they have.
    pub blob_bytes: u64,
    /// Blobs that the server keeps and did not take along.
    pub left_out: Vec<LeftOut>,
    /// The route's record as it was judged anew, where the pack is about a route.
    pub route_record: Option<RouteRecord>,
    /// Whether its README is the one that this version writes; another may hold commands that nobody reviewed.
    pub readme_is_ours: bool,
    /// Everything that does not hold.
    pub findings: Vec<Finding>,
    /// Two roots for one size.
    pub forks: Vec<Fork>,
}

/// A verified tree head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadFacts {
    /// Which log.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The root over them.
    pub root: Sha256Digest,
}

impl PackReport {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.findings.is_empty() && self.forks.is_empty()
    }
}

/// A tree head that the checker has from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHead {
    /// Where it is from: a file's name.
    pub source: String,
    /// The signed note.
    pub note: String,
}

/// A finding with nothing found or expected.
pub(super) fn finding(file: &str, entry: Option<u64>, what: impl Into<String>) -> Finding {
    Finding { file: file.to_owned(), entry, what: what.into(), found: None, expected: None }
}
