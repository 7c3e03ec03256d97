//! The tree's side of an audit: the bytes of the entries, the hash tiles and the signed root, each against the others.
//!
//! A damaged log contradicts itself, and the question is which side is wrong. Of every full tile of 256 entries there
//! are three witnesses: the bytes themselves, the tile of their leaf hashes, and the hash that the tile above keeps for
//! them. Two that agree convict the third. The signed root then confirms every verdict at once: if the hashes that were
//! believed lead to it, no finding is a guess.
//!
//! What is kept does not grow with the log: the frontier, and one row of at most 256 hashes for each level of tiles.

use crate::{
    judge::audit::Finding,
    log::{
        digest::Sha256Digest,
        merkle::Frontier,
        tile::{TILE_HEIGHT, TILE_WIDTH, TileId, full_root, width},
        tree_head::TreeHead,
    },
};

/// What the log shows of one tile of entries; none where it shows nothing, or nothing that can be read.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The leaf hashes of the entries' bytes.
    pub entries: Option<&'a [Sha256Digest]>,
    /// The hash tile.
    pub tile: Option<&'a [Sha256Digest]>,
}

/// Follows the tree of one tree head from a size that is known to its end.
#[derive(Debug, Clone)]
pub struct TreeFold {
    /// What the tree is to come to.
    size: u64,
    root: Sha256Digest,
    frontier: Frontier,
    /// Of each level of tiles above the entries: the roots of the tiles below that were believed, in the tile that is
    /// being filled. None stands for those before the place where this fold began.
    rows: Vec<Vec<Option<Sha256Digest>>>,
    /// Whether a part of the tree could not be known from anything the log shows.
    lost: bool,
}

/// How the tree came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootVerdict {
    /// What was believed leads to the signed root: every finding is proven.
    Proven,
    /// It leads to another root.
    Other(Sha256Digest),
    /// A part of the tree could not be read at all.
    Unknown,
}

impl TreeFold {
    /// Begins at a tree that is known, towards a tree head.
    pub fn new(known: Frontier, head: &TreeHead) -> Self {
        let mut below = known.size() / TILE_WIDTH;
        let mut rows = Vec::new();
        while below > 0 {
            rows.push(vec![None; (below % TILE_WIDTH) as usize]);
            below /= TILE_WIDTH;
        }
        Self { size: head.size, root: head.root, frontier: known, rows, lost: false }
    }

    /// The tree as far as it was followed.
    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// The root that was signed.
    pub fn signed_root(&self) -> Sha256Digest {
        self.root
    }

    /// Whether a part of the tree could not be read at all, so that nothing can be followed after it.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// The tile of entries that comes next; it may hold entries that are known already. None at the end.
    pub fn next_tile(&self) -> Option<u64> {
        (self.frontier.size() < self.size && !self.lost).then_some(self.frontier.size() / TILE_WIDTH)
    }

    /// Takes the next tile of entries; `above` brings the log's hash tiles of level 1 and more.
    pub fn take(
        &mut self,
        shown: Shown<'_>,
        above: &mut impl FnMut(TileId) -> Option<Vec<Sha256Digest>>,
    ) -> Vec<Finding> {
        let Some(index) = self.next_tile() else { return Vec::new() };
        let id = TileId { level: 0, index };
        let wide = width(id, self.size) as usize;
        let shown = Shown {
            entries: shown.entries.filter(|hashes| hashes.len() == wide),
            tile: shown.tile.filter(|hashes| hashes.len() == wide),
        };
        let mut findings = Vec::new();
        if shown.entries.is_none() {
            findings.push(Finding::MissingTile { level: None, tile: index });
        }
        if shown.tile.is_none() {
            findings.push(Finding::MissingTile { level: Some(0), tile: index });
        }
        if wide as u64 == TILE_WIDTH {
            let parent = self.parent_of(id, above, &mut findings);
            self.take_full(index, shown, parent, &mut findings);
            self.close_rows(index, above, &mut findings);
        } else {
            self.take_last(index, shown, &mut findings);
        }
        findings
    }

    /// Whether the tree that was followed is the signed one.
    pub fn verdict(&self) -> RootVerdict {
        let root = self.frontier.root();
        if self.lost || self.frontier.size() != self.size {
            RootVerdict::Unknown
        } else if root == self.root {
            RootVerdict::Proven
        } else {
            RootVerdict::Other(root)
        }
    }

    /// The hash that the tile above keeps for a full tile.
    fn parent_of(
        &self,
        id: TileId,
        above: &mut impl FnMut(TileId) -> Option<Vec<Sha256Digest>>,
        findings: &mut Vec<Finding>,
    ) -> Option<Sha256Digest> {
        let parent = TileId { level: id.level + 1, index: id.index / TILE_WIDTH };
        let position = (id.index % TILE_WIDTH) as usize;
        let wide = width(parent, self.size) as usize;
        match above(parent).filter(|hashes| hashes.len() == wide) {
            Some(hashes) => hashes.get(position).copied(),
            None => {
                // Said once for each tile, at the first of its hashes that this fold asks for.
                let asked_before = self
                    .rows
                    .get(id.level as usize)
                    .is_some_and(|row| row.last().is_some_and(Option::is_some));
                if !asked_before {
                    findings.push(Finding::MissingTile { level: Some(parent.level), tile: parent.index });
                }
                None
            }
        }
    }

    fn take_full(
        &mut self,
        index: u64,
        shown: Shown<'_>,
        parent: Option<Sha256Digest>,
        findings: &mut Vec<Finding>,
    ) {
        let (by_entries, by_tile) = (shown.entries.and_then(full_root), shown.tile.and_then(full_root));
        let agree = |a: Option<Sha256Digest>, b: Option<Sha256Digest>| a.is_some() && a == b;
        let damaged_tile =
            |level: u8, tile: u64, position: u64| Finding::DamagedTile { level, tile, position };
        let believed = if agree(by_entries, by_tile) {
            if parent.is_some_and(|parent| Some(parent) != by_tile) {
                findings.push(damaged_tile(1, index / TILE_WIDTH, index % TILE_WIDTH));
            }
            shown.entries
        } else if agree(by_tile, parent) || (by_entries.is_none() && parent.is_none()) {
            name_leaves(index, shown, findings);
            shown.tile
        } else if agree(by_entries, parent) || (by_tile.is_none() && parent.is_none()) {
            name_tile(index, shown, findings);
            shown.entries
        } else {
            // No two agree. The hash above keeps the damage from spreading to the rest of the tree.
            name_leaves(index, shown, findings);
            name_tile(index, shown, findings);
            None
        };
        match (believed, parent) {
            (Some(leaves), _) => self.append(index, leaves),
            (None, Some(parent)) if self.frontier.size() == index * TILE_WIDTH => {
                let fits = self.frontier.append_subtree(TILE_HEIGHT, parent);
                debug_assert!(fits, "a full tile begins at a multiple of 256");
            }
            (None, _) => self.lost = true,
        }
        let root = believed.and_then(full_root).or(parent);
        self.row(0).push(root);
    }

    /// The last, partial tile has no hash above it: the signed root itself decides between bytes and tile.
    fn take_last(&mut self, index: u64, shown: Shown<'_>, findings: &mut Vec<Finding>) {
        let leads_home = |leaves: &[Sha256Digest]| {
            let mut copy = self.clone();
            copy.append(index, leaves);
            copy.verdict() == RootVerdict::Proven
        };
        let believed = match (shown.entries, shown.tile) {
            (Some(entries), Some(tile)) if entries == tile => Some(entries),
            (Some(entries), Some(tile)) if !leads_home(tile) && leads_home(entries) => {
                name_tile(index, shown, findings);
                Some(entries)
            }
            (Some(_), Some(tile)) => {
                name_leaves(index, shown, findings);
                if !leads_home(tile) {
                    name_tile(index, shown, findings);
                }
                Some(tile)
            }
            (entries, tile) => entries.or(tile),
        };
        match believed {
            Some(leaves) => self.append(index, leaves),
            None => self.lost = true,
        }
    }

    fn append(&mut self, index: u64, leaves: &[Sha256Digest]) {
        let known = (self.frontier.size() - index * TILE_WIDTH) as usize;
        leaves[known..].iter().for_each(|leaf| self.frontier.append(*leaf));
    }

    /// Closes the tiles above that the tile of entries `index` fills: each against the hash one level further up.
    fn close_rows(
        &mut self,
        index: u64,
        above: &mut impl FnMut(TileId) -> Option<Vec<Sha256Digest>>,
        findings: &mut Vec<Finding>,
    ) {
        let (mut level, mut below) = (1_u8, index);
        while (below + 1).is_multiple_of(TILE_WIDTH) && !self.lost {
            let id = TileId { level, index: below / TILE_WIDTH };
            let row = std::mem::take(self.row(level - 1));
            // Roots from before the place where this fold began are the log's own word, which was checked then.
            let theirs = above(id);
            let hashes: Option<Vec<_>> = row
                .iter()
                .enumerate()
                .map(|(at, own)| own.or_else(|| theirs.as_ref()?.get(at).copied()))
                .collect();
            let root = hashes.as_deref().and_then(full_root);
            let parent = self.parent_of(id, above, findings);
            if let (Some(root), Some(parent)) = (root, parent)
                && root != parent
            {
                let (tile, position) = (id.index / TILE_WIDTH, id.index % TILE_WIDTH);
                findings.push(Finding::DamagedTile { level: level + 1, tile, position });
            }
            self.row(level).push(root);
            (level, below) = (level + 1, id.index);
        }
    }

    fn row(&mut self, level: u8) -> &mut Vec<Option<Sha256Digest>> {
        let level = usize::from(level);
        if self.rows.len() <= level {
            self.rows.resize(level + 1, Vec::new());
        }
        &mut self.rows[level]
    }
}

/// Names the entries whose bytes the tile contradicts.
fn name_leaves(index: u64, shown: Shown<'_>, findings: &mut Vec<Finding>) {
    for (at, found, expected) in differences(shown) {
        findings.push(Finding::DamagedLeaf { index: index * TILE_WIDTH + at, found, expected });
    }
}

/// Names the first of the tile's hashes that the bytes contradict.
fn name_tile(index: u64, shown: Shown<'_>, findings: &mut Vec<Finding>) {
    if let Some((position, ..)) = differences(shown).next() {
        findings.push(Finding::DamagedTile { level: 0, tile: index, position });
    }
}

/// Where bytes and tile differ: the place in the tile, the hash of the bytes, the tile's hash.
fn differences(shown: Shown<'_>) -> impl Iterator<Item = (u64, Sha256Digest, Sha256Digest)> {
    let (entries, tile) = (shown.entries.unwrap_or_default(), shown.tile.unwrap_or_default());
    let pairs = (0..).zip(entries.iter().zip(tile));
    pairs
        .filter(|(_, (found, expected))| found != expected)
        .map(|(at, (found, expected))| (at, *found, *expected))
}
