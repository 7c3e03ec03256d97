//! Checking a pack, offline and from its bytes alone: [`unpack`], then [`Unpacked::check`].
//!
//! 1. **archive**: its files are those that its manifest asks for, each in its one spelling; none more, none missing;
//! 2. **tree head**: the log's key signed it, or keys that it was handed over to;
//! 3. **entries**: each is under that tree head, and signed by a key that might sign at its index;
//! 4. **what belongs**: the entries are those that [`belonging`] picks among them, so none is here without a reason;
//! 5. **earlier trees**: every tree that a person saw when deciding is the beginning of this one;
//! 6. **route**: judged anew from the entries, the route's record is the one in the pack, byte for byte;
//! 7. **blobs**: each has its digest, and a statement here names it.
//!
//! What is wrong is collected, so that one report names all of it; only an archive that cannot be read on ends at once.
//! Two tree heads that the log's key signed for one size and with two roots are proof that the log lies: [`Fork`].
//!
//! The keys that are trusted come from elsewhere, see [`Trust`]. Whoever has none may take those that the pack claims
//! ([`Unpacked::claimed_trust`]); then the pack agrees with itself, and whose log it is from remains to be known.

mod checking;
mod files;
mod report;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use self::{checking::Checking, report::finding};
pub use self::{
    files::public_keys,
    report::{CheckedEntry, Finding, Fork, HeadFacts, KnownHead, PackReport},
};
use super::{
    FORMAT, MAX_ENTRIES, MAX_HELD_BYTES, Manifest, SUMS,
    archive::{ArchiveError, Reader},
};
use crate::{
    judge::pack::Topic,
    log::{
        digest::{Hasher, Sha256Digest},
        jcs,
        mention::mentioned,
        note::VerifierKey,
        statement::{Statement, Subject},
        tree_head::TreeHead,
        verification::Trust,
    },
};

/// Why a file cannot be checked at all: it is no pack, or damaged so that reading on makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It is not a pack's archive, or damaged between its files.
    #[error("this is no whole evidence pack: {0}")]
    Archive(#[from] ArchiveError),
    /// A file that no pack has, or in another order.
    #[error("this is no whole evidence pack: it holds {0:?}, which no pack has at that place")]
    Unexpected(String),
    /// Too much to be held in memory.
    #[error("the pack's files beside blobs have more than {MAX_HELD_BYTES} bytes")]
    TooLarge,
    /// The manifest is missing or not one.
    #[error("pack.json: {0}")]
    Manifest(String),
}

/// A pack, read and not yet judged.
pub struct Unpacked {
    manifest: Manifest,
    held: BTreeMap<String, Vec<u8>>,
    digests: Vec<(String, Sha256Digest)>,
    blobs: BTreeMap<Sha256Digest, u64>,
    findings: Vec<Finding>,
}

/// Reads a pack's archive; blobs are hashed as they come and not held. `progress` is told how many bytes were read.
pub fn unpack(read: impl Read, mut progress: impl FnMut(u64)) -> Result<Unpacked, PackError> {
    let mut reader = Reader::new(read);
    let (mut held, mut digests) = (BTreeMap::new(), Vec::new());
    let (mut blobs, mut findings) = (BTreeMap::new(), Vec::new());
    let (mut held_bytes, mut last) = (0_u64, None);
    while let Some(head) = reader.next_file()? {
        let place = place(&head.path).ok_or_else(|| PackError::Unexpected(head.path.clone()))?;
        let order = Some((place, head.path.clone()));
        if last >= order {
            return Err(PackError::Unexpected(head.path));
        }
        last = order;
        let mut hasher = Hasher::default();
        if let Some(named) = head.path.strip_prefix("blobs/") {
            let named: Sha256Digest = named.parse().map_err(|_| PackError::Unexpected(head.path.clone()))?;
            reader.contents(&head, |piece| hasher.update(piece))?;
            let digest = hasher.finish();
            if digest != named {
                findings.push(Finding {
                    found: Some(digest.to_string()),
                    expected: Some(named.to_string()),
                    ..finding(&head.path, None, "the blob does not have the digest that it is named by")
                });
            }
            blobs.insert(named, head.bytes);
            digests.push((head.path, digest));
        } else {
            held_bytes = held_bytes.saturating_add(head.bytes);
            if held_bytes > MAX_HELD_BYTES {
                return Err(PackError::TooLarge);
            }
            let mut contents = Vec::new();
            reader.contents(&head, |piece| contents.extend_from_slice(piece))?;
            if head.path != SUMS {
                digests.push((head.path.clone(), Sha256Digest::of(&contents)));
            }
            held.insert(head.path, contents);
        }
        progress(reader.position());
    }
    let manifest = held.get("pack.json").ok_or_else(|| PackError::Manifest("it is missing".to_owned()))?;
    let manifest = read_manifest(manifest)?;
    Ok(Unpacked { manifest, held, digests, blobs, findings })
}

/// Where a file stands among the others; none for a file that no pack has.
fn place(path: &str) -> Option<usize> {
    const FIRST: [&str; 6] =
        ["pack.json", "README.md", SUMS, "tree-head", "consistency.json", "route-record.json"];
    const THEN: [&str; 5] = ["hand-overs/", "keys/", "entries/", "proofs/", "blobs/"];
    let then = || THEN.iter().position(|folder| path.starts_with(folder)).map(|at| FIRST.len() + at);
    FIRST.iter().position(|name| *name == path).or_else(then)
}

fn read_manifest(bytes: &[u8]) -> Result<Manifest, PackError> {
    let wrong = |what: String| PackError::Manifest(what);
    let (value, canonical) = jcs::parse_canonical(bytes).map_err(|error| wrong(error.to_string()))?;
    let format = value["format"].as_str().unwrap_or_default();
    if format != FORMAT {
        return Err(wrong(format!("the format is {format:?}, this version reads {FORMAT:?}")));
    }
    if !canonical {
        return Err(wrong("it is not in canonical form".to_owned()));
    }
    let manifest: Manifest = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    if manifest.entries.len() > MAX_ENTRIES {
        return Err(wrong(format!("it names more than {MAX_ENTRIES} entries")));
    }
    if manifest.judged_at.is_some() != matches!(manifest.about, Topic::Route(_)) {
        return Err(wrong("judgedAt stands where a route is judged, and nowhere else".to_owned()));
    }
    let sorted = manifest.entries.is_sorted_by(|a, b| a.index < b.index);
    if !sorted || !manifest.hand_overs.is_sorted_by(|a, b| a < b) {
        return Err(wrong("its entries are not in their order".to_owned()));
    }
    Ok(manifest)
}

impl Unpacked {
    /// What the pack says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The bytes of an entry as the pack has them, unchecked; none if it has no such entry.
    pub fn record(&self, index: u64) -> Option<&[u8]> {
        self.held.get(&super::entry_path(index)).map(Vec::as_slice)
    }

    /// The keys that the pack claims.
    pub fn claimed_trust(&self) -> Result<Trust, PackError> {
        let log = VerifierKey::parse(&self.manifest.log_key)
            .map_err(|error| PackError::Manifest(format!("logKey: {error}")))?;
        Ok(Trust { log, portal: self.manifest.portal_key })
    }

    /// Judges the pack by the keys that are trusted and the tree heads that are known.
    pub fn check(self, trust: &Trust, known: &[KnownHead]) -> PackReport {
        let mut checking = Checking::begin(self, trust);
        checking.entries(trust);
        checking.what_belongs();
        checking.earlier_trees();
        checking.known_heads(known);
        let record = checking.route();
        checking.named_blobs();
        let readme_is_ours = checking.files(trust, record.as_ref().map(|(_, bytes)| bytes.clone()));
        let pack = checking.pack;
        PackReport {
            about: pack.manifest.about,
            tree_head: checking.head.map(|TreeHead { origin, size, root }| HeadFacts { origin, size, root }),
            entries: checking.checked,
            blobs: pack.blobs.len() as u64,
            blob_bytes: pack.blobs.values().sum(),
            left_out: pack.manifest.left_out,
            route_record: record.map(|(record, _)| record),
            readme_is_ours,
            findings: pack.findings,
            forks: checking.forks,
        }
    }

    fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.held.get(path)?.clone()).ok()
    }
}

/// The digests that statements speak of or mention: a pack holds no other blob.
pub fn named_digests<'a>(statements: impl Iterator<Item = &'a Statement>) -> BTreeSet<Sha256Digest> {
    let mut named = BTreeSet::new();
    for statement in statements {
        named.extend(statement.subject.iter().filter_map(Subject::sha256));
        named.extend(mentioned(&statement.predicate));
    }
    named
}

#[cfg(test)]
mod tests;
