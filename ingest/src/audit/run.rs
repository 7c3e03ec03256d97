//! One audit: from what is known to the tree head that is shown.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

use acta_ledger::{
    judge::audit::{
        Finding,
        entry::{EntryFold, Examined, KnownKeys, examine},
        tree::{RootVerdict, Shown, TreeFold},
    },
    log::{
        digest::Sha256Digest,
        merkle::leaf_hash,
        tile::{TILE_WIDTH, TileId, parse_entry_bundle},
        tree_head::TreeHead,
    },
};

use super::{
    blobs::{BlobState, Blobs},
    pipeline::{Spread, in_order},
    routes::{self, Routes},
    source::Source,
    state::{Progress, Running},
};
use crate::error::{CliError, Result};

/// How many findings are kept; further ones are counted.
const MAX_FINDINGS: usize = 1000;

/// How often the state is written on the way.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// What an audit reports on its way.
pub trait Watcher {
    /// So many entries are checked.
    fn at(&mut self, entries: u64);
    /// Something was found.
    fn found(&mut self, finding: &Finding);
    /// The way so far is to be kept.
    fn save(&mut self, running: &Running) -> Result<()>;
}

/// What an audit came to.
#[derive(Debug)]
pub struct Ended {
    /// Everything, the findings included.
    pub running: Running,
    /// Whether the entries lead to the signed root.
    pub root: RootVerdict,
    /// How many blobs were looked at.
    pub blobs: u64,
    /// How many of their bytes were hashed.
    pub blob_bytes: u64,
    /// What the routes came to, where the audit is a deep one.
    pub routes: Routes,
    /// How long it took.
    pub elapsed: Duration,
}

/// Follows the log from where `running` stands to the tree head.
pub fn run(
    source: &Source,
    head: &TreeHead,
    running: Running,
    spread: Spread,
    watcher: &mut impl Watcher,
) -> Result<Ended> {
    let begun = Instant::now();
    let blobs = Blobs::new(running.deep);
    let mut fold = Fold::new(head, running)?;
    let known = RwLock::new(fold.entries.known());
    let from = fold.tree.frontier().size();
    let end = head.size.div_ceil(TILE_WIDTH);
    let numbers = from / TILE_WIDTH..if from < head.size { end } else { from / TILE_WIDTH };
    let (mut above, mut saved) = (Above { source, size: head.size, newest: BTreeMap::new() }, Instant::now());
    let work = |tile| {
        let known = known.read().unwrap_or_else(PoisonError::into_inner).clone();
        look(source, &blobs, tile, from, head.size, &known)
    };
    let ended = in_order(numbers, spread, work, |tile, looked| {
        let step = || {
            let keys = fold.take(tile, looked?, &mut above, watcher)?;
            if let Some(keys) = keys {
                *known.write().unwrap_or_else(PoisonError::into_inner) = keys;
            }
            if saved.elapsed() >= SAVE_EVERY && !fold.tree.is_lost() {
                watcher.save(&fold.so_far())?;
                saved = Instant::now();
            }
            Ok(())
        };
        match step() {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    });
    if let ControlFlow::Break(error) = ended {
        return Err(error);
    }
    let root = fold.finish(watcher);
    let mut routes = Routes::default();
    if fold.running.deep && root == RootVerdict::Proven {
        routes = routes::check(source, &fold.entries, head.size)?;
        for finding in std::mem::take(&mut routes.findings) {
            fold.found(finding, watcher);
        }
    }
    let (blobs, blob_bytes) = blobs.counts();
    Ok(Ended { running: fold.so_far(), root, blobs, blob_bytes, routes, elapsed: begun.elapsed() })
}

/// One tile of entries, read and examined.
struct Looked {
    bundle: Option<Vec<u8>>,
    /// The leaf hashes of all entries of the bundle.
    leaves: Vec<Sha256Digest>,
    /// The entries that are not checked yet, in order; they are the last ones of the bundle.
    examined: Vec<Examined>,
    tile: Option<Vec<Sha256Digest>>,
    /// Blobs that are not as they should be, in the order of the entries that name them.
    blobs: Vec<BadBlob>,
}

/// A blob that is not as it should be.
struct BadBlob {
    /// The entry that names it.
    index: u64,
    digest: Sha256Digest,
    /// The retained bundle for which it is named.
    about: Option<Sha256Digest>,
    state: BlobState,
}

fn look(
    source: &Source,
    blobs: &Blobs,
    tile: u64,
    from: u64,
    size: u64,
    known: &KnownKeys,
) -> Result<Looked> {
    let bundle = source.tile_bytes(None, tile, size)?;
    let hashes = source.tile(TileId { level: 0, index: tile }, size)?;
    let records = bundle.as_deref().and_then(parse_entry_bundle);
    let mut looked =
        Looked { bundle: None, leaves: Vec::new(), examined: Vec::new(), tile: hashes, blobs: Vec::new() };
    for (index, record) in (tile * TILE_WIDTH..).zip(records.iter().flatten()) {
        if index < from {
            looked.leaves.push(leaf_hash(record));
            continue;
        }
        let examined = examine(record, known);
        looked.leaves.push(examined.leaf);
        looked.examined.push(examined);
    }
    let first = (tile * TILE_WIDTH).max(from);
    let said =
        || (first..).zip(&looked.examined).filter_map(|(index, it)| Some((index, it.said.as_ref().ok()?)));
    let named = said().flat_map(|(_, said)| said.blobs.iter().copied()).collect();
    let states = blobs.look(source, &named)?;
    let bad = said().flat_map(|(index, said)| {
        let about = said.retained.as_ref().map(|retained| retained.bundle);
        let bad = said.blobs.iter().filter(|&digest| states[digest] != BlobState::Sound);
        bad.map(move |&digest| (index, digest, about))
    });
    let bad = bad.map(|(index, digest, about)| BadBlob { index, digest, about, state: states[&digest] });
    looked.blobs = bad.collect();
    looked.bundle = bundle.filter(|_| !looked.leaves.is_empty());
    Ok(looked)
}

/// What is followed in the order of the log.
struct Fold {
    running: Running,
    tree: TreeFold,
    entries: EntryFold,
}

impl Fold {
    fn new(head: &TreeHead, running: Running) -> Result<Self> {
        let frontier =
            running.progress.frontier().ok_or_else(|| CliError::failure("the state is damaged"))?;
        let entries = running.progress.entries();
        Ok(Self { tree: TreeFold::new(frontier, head), entries, running })
    }

    fn so_far(&self) -> Running {
        let progress = Progress::of(self.tree.frontier(), &self.entries);
        Running { progress, ..self.running.clone() }
    }

    /// Takes the next tile; gives the keys if they are others now.
    fn take(
        &mut self,
        tile: u64,
        looked: Looked,
        above: &mut Above<'_>,
        watcher: &mut impl Watcher,
    ) -> Result<Option<KnownKeys>> {
        let shown = Shown {
            entries: looked.bundle.is_some().then_some(looked.leaves.as_slice()),
            tile: looked.tile.as_deref(),
        };
        let mut failed = None;
        let findings = self.tree.take(shown, &mut |id| {
            above.tile(id).unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let damaged: Vec<u64> = findings
            .iter()
            .filter_map(|finding| match finding {
                Finding::DamagedLeaf { index, .. } => Some(*index),
                _ => None,
            })
            .collect();
        findings.into_iter().for_each(|finding| self.found(finding, watcher));
        let before = self.entries.known();
        let records = looked.bundle.as_deref().and_then(parse_entry_bundle).unwrap_or_default();
        let first = records.len() - looked.examined.len();
        let mut blobs = looked.blobs.into_iter().peekable();
        for (at, examined) in (first..).zip(looked.examined) {
            let index = tile * TILE_WIDTH + at as u64;
            if damaged.contains(&index) {
                self.entries.take_damaged(index);
            } else {
                let taken = self.entries.take(index, records[at], examined);
                taken.findings.into_iter().for_each(|finding| self.found(finding, watcher));
                taken.purged.into_iter().for_each(|bundle| self.running.missing.purge(bundle));
            }
            while let Some(BadBlob { index, digest, about, state }) =
                blobs.next_if(|blob| blob.index <= index)
            {
                match state {
                    BlobState::Sound => {}
                    BlobState::Missing => self.running.missing.need(index, digest, about),
                    BlobState::Damaged(found) => {
                        self.found(Finding::DamagedBlob { index, digest, found }, watcher)
                    }
                }
            }
        }
        watcher.at(self.tree.frontier().size());
        let now = self.entries.known();
        Ok((!Arc::ptr_eq(&before, &now)).then_some(now))
    }

    /// Says what can only be said at the end.
    fn finish(&mut self, watcher: &mut impl Watcher) -> RootVerdict {
        let root = self.tree.verdict();
        if let RootVerdict::Other(found) = root {
            let (size, expected) = (self.tree.frontier().size(), self.tree.signed_root());
            self.found(Finding::WrongRoot { size, found, expected }, watcher);
        }
        let at_end = self.entries.at_end();
        at_end.into_iter().for_each(|finding| self.found(finding, watcher));
        let missing = std::mem::take(&mut self.running.missing);
        for (digest, index) in missing.needed() {
            self.found(Finding::MissingBlob { index, digest }, watcher);
        }
        root
    }

    fn found(&mut self, finding: Finding, watcher: &mut impl Watcher) {
        watcher.found(&finding);
        if self.running.findings.len() < MAX_FINDINGS {
            self.running.findings.push(finding);
        } else {
            self.running.left_out += 1;
        }
    }
}

/// The hash tiles above the entries: the newest of each level is kept.
struct Above<'a> {
    source: &'a Source,
    size: u64,
    newest: BTreeMap<u8, (u64, Option<Vec<Sha256Digest>>)>,
}

impl Above<'_> {
    fn tile(&mut self, id: TileId) -> Result<Option<Vec<Sha256Digest>>> {
        if self.newest.get(&id.level).is_none_or(|(index, _)| *index != id.index) {
            let hashes = self.source.tile(id, self.size)?;
            self.newest.insert(id.level, (id.index, hashes));
        }
        Ok(self.newest.get(&id.level).and_then(|(_, hashes)| hashes.clone()))
    }
}
