//! The tree heads: the one that the log shows now, against those that it showed before and to others.

use std::collections::HashMap;

use acta_ledger::{
    judge::audit::{
        Finding,
        head::{Relation, relate},
    },
    log::{
        digest::Sha256Digest,
        merkle::Frontier,
        proof::{Node, cover},
        tile::{TILE_HEIGHT, TILE_WIDTH, TileId, node_in_tile, tile_of},
        tree_head::TreeHead,
    },
};

use super::source::Source;
use crate::error::Result;

/// A tree head that the log's key signed.
#[derive(Debug, Clone)]
pub struct Signed {
    /// What was signed.
    pub head: TreeHead,
    /// The note, verbatim.
    pub note: String,
}

/// Hash tiles of the tree that is shown, each read once.
pub struct Tiles<'a> {
    source: &'a Source,
    size: u64,
    read: HashMap<TileId, Option<Vec<Sha256Digest>>>,
}

impl<'a> Tiles<'a> {
    /// Of the tree of `size` entries.
    pub fn new(source: &'a Source, size: u64) -> Self {
        Self { source, size, read: HashMap::new() }
    }

    fn node(&mut self, node: Node) -> Result<Option<Sha256Digest>> {
        let id = tile_of(node);
        if !self.read.contains_key(&id) {
            let hashes = self.source.tile(id, self.size)?;
            self.read.insert(id, hashes);
        }
        Ok(self.read[&id].as_ref().and_then(|hashes| node_in_tile(node, hashes)))
    }

    /// The nodes that make up the tree of the first `size` entries, as the log shows them.
    fn of_prefix(&mut self, from: u64, to: u64) -> Result<HashMap<Node, Option<Sha256Digest>>> {
        cover(from, to).into_iter().map(|node| Ok((node, self.node(node)?))).collect()
    }

    /// How a tree head relates to the shown one, which is as large or larger.
    pub fn relate(&mut self, earlier: &TreeHead, shown: &TreeHead) -> Result<Relation> {
        let mut nodes = self.of_prefix(0, earlier.size)?;
        nodes.extend(self.of_prefix(earlier.size, shown.size)?);
        Ok(relate(earlier, shown, |node| nodes.get(&node).copied().flatten()))
    }

    /// Names the tiles that contradict a tree that is known to be right.
    pub fn against(&mut self, known: &Frontier) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for (node, expected) in cover(0, known.size()).into_iter().zip(known.hashes()) {
            let (id, found) = (tile_of(node), self.node(node)?);
            let position = (node.index << (node.level % TILE_HEIGHT)) % TILE_WIDTH;
            match found {
                Some(found) if found == *expected => {}
                Some(_) => findings.push(Finding::DamagedTile { level: id.level, tile: id.index, position }),
                None => findings.push(Finding::MissingTile { level: Some(id.level), tile: id.index }),
            }
        }
        Ok(findings)
    }
}

/// What the comparison came to.
#[derive(Debug, Default)]
pub struct Compared {
    /// A fork, or a log that became shorter.
    pub findings: Vec<Finding>,
    /// The two tree heads of a fork.
    pub fork: Option<(Signed, Signed)>,
    /// Whether the log's hash tiles did not lead to a signed root, so that damage has to be looked for.
    pub unproven: bool,
}

/// Compares the tree head that is shown with others of the same log.
pub fn compare<'s>(
    tiles: &mut Tiles<'_>,
    shown: &Signed,
    others: impl IntoIterator<Item = &'s Signed>,
) -> Result<Compared> {
    let mut compared = Compared::default();
    let mut largest = shown.head.size;
    for other in others {
        if other.head.size > shown.head.size {
            largest = largest.max(other.head.size);
            continue;
        }
        match tiles.relate(&other.head, &shown.head)? {
            Relation::Same | Relation::Grown => {}
            Relation::Unproven => compared.unproven = true,
            Relation::Forked => {
                let (earlier, later) = (other.note.clone(), shown.note.clone());
                compared.findings.push(Finding::Forked { earlier, later });
                compared.fork = Some((other.clone(), shown.clone()));
                return Ok(compared);
            }
        }
    }
    if largest > shown.head.size {
        let (signed, shown) = (largest, shown.head.size);
        compared.findings.push(Finding::Truncated { signed, shown });
    }
    Ok(compared)
}
