//! A small tree in memory: leaves, proofs, and the tiles that a server would serve.

use acta_ledger::log::{
    digest::Sha256Digest,
    merkle::{Frontier, leaf_hash, node_hash},
    proof::{Node, Plan},
    tile::{TILE_WIDTH, TileId, width},
};

/// The leaves' data and, level by level, the hashes of the complete subtrees over them.
pub struct TestTree {
    /// What each leaf holds.
    pub leaves: Vec<Vec<u8>>,
    levels: Vec<Vec<Sha256Digest>>,
    roots: Vec<Sha256Digest>,
}

impl TestTree {
    /// A tree of these leaves.
    pub fn new(leaves: Vec<Vec<u8>>) -> Self {
        let mut levels = vec![leaves.iter().map(|leaf| leaf_hash(leaf)).collect::<Vec<_>>()];
        while let Some(below) = levels.last().filter(|row| row.len() > 1) {
            let row = below.chunks_exact(2).map(|pair| node_hash(&pair[0], &pair[1])).collect();
            levels.push(row);
        }
        let mut frontier = Frontier::default();
        let mut roots = vec![frontier.root()];
        for leaf in &levels[0] {
            frontier.append(*leaf);
            roots.push(frontier.root());
        }
        Self { leaves, levels, roots }
    }

    /// A tree whose leaves are the numbers from 0.
    pub fn numbered(count: u32) -> Self {
        Self::new((0..count).map(|number| number.to_be_bytes().to_vec()).collect())
    }

    /// A leaf's hash.
    pub fn leaf(&self, index: u64) -> Sha256Digest {
        self.levels[0][index as usize]
    }

    /// The root over the first leaves, as the log's writer computes it.
    pub fn root(&self, size: u64) -> Sha256Digest {
        self.roots[size as usize]
    }

    /// The proof that a leaf is in the tree of that size.
    ///
    /// # Panics
    ///
    /// If it is not.
    pub fn inclusion(&self, index: u64, size: u64) -> Vec<Sha256Digest> {
        let plan = Plan::inclusion(index, size).expect("the leaf is in the tree");
        plan.assemble(|node| self.node(node)).expect("the tree holds every node")
    }

    /// The proof that the tree of the new size begins with the tree of the old one.
    ///
    /// # Panics
    ///
    /// If it does not.
    pub fn consistency(&self, old: u64, new: u64) -> Vec<Sha256Digest> {
        let plan = Plan::consistency(old, new).expect("the sizes fit");
        plan.assemble(|node| self.node(node)).expect("the tree holds every node")
    }

    /// The hashes of a tile of the tree of that size, as the server cuts them.
    pub fn tile(&self, id: TileId, size: u64) -> Vec<Sha256Digest> {
        let from = id.index * TILE_WIDTH;
        let row = &self.levels[usize::from(id.level) * 8];
        row[from as usize..(from + width(id, size)) as usize].to_vec()
    }

    /// A complete subtree's root, where it is one of this tree.
    pub fn node(&self, node: Node) -> Option<Sha256Digest> {
        self.levels.get(usize::from(node.level))?.get(usize::try_from(node.index).ok()?).copied()
    }
}
