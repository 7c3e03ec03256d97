//! The right edge of the tree: the hashes that proofs of the newest entries are made of, kept in memory.
//!
//! Whoever appends has just computed everything that the new entries' inclusion proofs need, but for what lies to their left
//! in the tiles that are not full. So the edge keeps, at each tile level, the hashes of the last tile, and while a group of
//! entries is appended also the tiles that the group completes.

use std::collections::HashMap;

use super::{
    digest::Sha256Digest,
    proof::{Node, Plan},
    tile::{TILE_WIDTH, TileId, full_root, node_in_tile, tile_of},
};

/// A tile that became full: its hashes and the root that stands for it one level up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullTile {
    /// Which.
    pub id: TileId,
    /// Its 256 hashes.
    pub hashes: Vec<Sha256Digest>,
    /// Their root.
    pub root: Sha256Digest,
}

/// The hashes of one tile level from a tile's beginning on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Level {
    /// The first tile that is kept.
    tile: u64,
    hashes: Vec<Sha256Digest>,
}

/// The edge of a tree of `size` leaves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edge {
    size: u64,
    levels: Vec<Level>,
}

impl Edge {
    /// The edge of a tree, from the hashes of the last tile at each level, lowest first; `None` if their number does not
    /// fit the size.
    pub fn from_parts(size: u64, tiles: Vec<Vec<Sha256Digest>>) -> Option<Self> {
        let levels: Vec<Level> = tiles
            .into_iter()
            .zip(0u32..)
            .map(|(hashes, level)| {
                let nodes = size.checked_shr(8 * level).unwrap_or(0);
                let fits = hashes.len() as u64 == nodes % TILE_WIDTH;
                fits.then_some(Level { tile: nodes / TILE_WIDTH, hashes })
            })
            .collect::<Option<_>>()?;
        (levels.len() == Self::levels(size)).then_some(Self { size, levels })
    }

    /// How many tile levels a tree of `size` leaves has.
    pub fn levels(size: u64) -> usize {
        (0..8u32).take_while(|level| size >> (8 * level) > 0).count()
    }

    /// The number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf's hash; returns the tiles that are full with it, lowest first.
    pub fn append(&mut self, leaf: Sha256Digest) -> Vec<FullTile> {
        let (mut full, mut next, mut at) = (Vec::new(), Some(leaf), 0);
        while let Some(hash) = next.take() {
            if self.levels.len() == at {
                self.levels.push(Level::default());
            }
            let level = &mut self.levels[at];
            level.hashes.push(hash);
            let kept = level.hashes.len() as u64;
            if kept.is_multiple_of(TILE_WIDTH) {
                let hashes = level.hashes[(kept - TILE_WIDTH) as usize..].to_vec();
                let root = full_root(&hashes).expect("the tile is full");
                let id = TileId { level: at as u8, index: level.tile + kept / TILE_WIDTH - 1 };
                full.push(FullTile { id, hashes, root });
                (next, at) = (Some(root), at + 1);
            }
        }
        self.size += 1;
        full
    }

    /// Lets go of full tiles: proofs are then made of entries that come later.
    pub fn trim(&mut self) {
        for level in &mut self.levels {
            let full = level.hashes.len() as u64 / TILE_WIDTH;
            level.hashes.drain(..(full * TILE_WIDTH) as usize);
            level.tile += full;
        }
    }

    /// Makes inclusion proofs in the tree as it is.
    pub fn prover(&self) -> Prover<'_> {
        Prover { edge: self, computed: HashMap::new() }
    }

    fn node(&self, node: Node) -> Option<Sha256Digest> {
        let id = tile_of(node);
        let level = self.levels.get(usize::from(id.level))?;
        let start = usize::try_from(id.index.checked_sub(level.tile)? * TILE_WIDTH).ok()?;
        let end = level.hashes.len().min(start + TILE_WIDTH as usize);
        node_in_tile(node, level.hashes.get(start..end)?)
    }
}

/// Proofs of neighbours share most of their hashes; each is computed once.
pub struct Prover<'a> {
    edge: &'a Edge,
    computed: HashMap<Node, Sha256Digest>,
}

impl Prover<'_> {
    /// The proof that leaf `index` is in the tree; `None` if it is not, or lies left of what the edge keeps.
    pub fn inclusion(&mut self, index: u64) -> Option<Vec<Sha256Digest>> {
        let (edge, computed) = (self.edge, &mut self.computed);
        Plan::inclusion(index, edge.size)?.assemble(|node| {
            if let Some(hash) = computed.get(&node) {
                return Some(*hash);
            }
            let hash = edge.node(node)?;
            computed.insert(node, hash);
            Some(hash)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            merkle::{Frontier, test_tree::numbered},
            proof::verify_inclusion,
        },
        *,
    };

    /// The hashes of the last tile at each level, by the definition.
    fn parts(leaves: &[Sha256Digest]) -> Vec<Vec<Sha256Digest>> {
        let mut parts = Vec::new();
        let mut row = leaves.to_vec();
        while !row.is_empty() {
            let full = row.len() / 256 * 256;
            parts.push(row[full..].to_vec());
            row = row[..full].chunks(256).map(|tile| full_root(tile).unwrap()).collect();
        }
        parts
    }

    #[test]
    fn proofs_of_a_group_verify_wherever_it_begins_and_ends() {
        let leaves = numbered(66_500);
        for (from, to) in [
            (0, 1),
            (0, 600),
            (1, 2),
            (200, 300),
            (255, 256),
            (256, 257),
            (256, 767),
            (511, 1023),
            (65_300, 65_536),
            (65_535, 65_537),
            (65_536, 66_047),
            (65_790, 66_300),
        ] {
            let mut edge = Edge::from_parts(from as u64, parts(&leaves[..from])).unwrap();
            let mut frontier = Frontier::default();
            leaves[..to].iter().for_each(|leaf| frontier.append(*leaf));
            let mut full = Vec::new();
            leaves[from..to].iter().for_each(|leaf| full.extend(edge.append(*leaf)));
            let mut prover = edge.prover();
            for (index, leaf) in leaves.iter().enumerate().take(to).skip(from) {
                let proof = prover.inclusion(index as u64).unwrap_or_else(|| panic!("{from} {to} {index}"));
                verify_inclusion(leaf, index as u64, to as u64, &frontier.root(), &proof).unwrap();
            }
            assert_eq!(prover.inclusion(to as u64), None);
            for tile in full {
                assert_eq!(full_root(&tile.hashes), Some(tile.root));
                let first = (tile.id.index << (8 * (u32::from(tile.id.level) + 1))) as usize;
                if tile.id.level == 0 {
                    assert_eq!(tile.hashes, leaves[first..first + 256]);
                } else {
                    assert_eq!((tile.id.level, first), (1, 0));
                }
            }
            edge.trim();
            assert_eq!(Some(edge), Edge::from_parts(to as u64, parts(&leaves[..to])), "{from} {to}");
        }
    }

    #[test]
    fn what_lies_left_of_the_edge_and_parts_that_do_not_fit_are_none() {
        let leaves = numbered(300);
        let edge = Edge::from_parts(300, parts(&leaves)).unwrap();
        assert_eq!(edge.prover().inclusion(10), None);
        assert!(edge.prover().inclusion(299).is_some());
        assert_eq!(Edge::from_parts(301, parts(&leaves)), None);
        assert_eq!(Edge::from_parts(0, parts(&leaves)), None);
        assert_eq!(Edge::from_parts(300, vec![leaves[256..].to_vec()]), None, "a level is missing");
    }
}
