//! Proofs beside the definitions of RFC 6962 and the crate `ct-merkle`: every leaf in every tree, every tree in every
//! larger one.

use std::collections::HashMap;

use acta_ledger::log::{
    digest::Sha256Digest,
    merkle::{empty_root, node_hash},
    proof::{verify_consistency, verify_inclusion},
};
use acta_tests::tree::TestTree;
use ct_merkle::{ConsistencyProof, InclusionProof, RootHash, mem_backed_tree::MemoryBackedTree};
use proptest::prelude::*;
use sha2::Sha256;

/// The tree by its recursive definition (RFC 6962, section 2.1), each range computed once.
struct Definition<'l> {
    log: &'l TestTree,
    known: HashMap<(u64, u64), Sha256Digest>,
}

impl<'l> Definition<'l> {
    fn of(log: &'l TestTree) -> Self {
        Self { log, known: HashMap::new() }
    }

    /// The largest power of two below the number of leaves.
    fn split(from: u64, to: u64) -> u64 {
        from + (to - from).next_power_of_two() / 2
    }

    /// MTH(D[from:to]).
    fn root(&mut self, from: u64, to: u64) -> Sha256Digest {
        match to - from {
            0 => return empty_root(),
            1 => return self.log.leaf(from),
            _ => {}
        }
        if let Some(root) = self.known.get(&(from, to)) {
            return *root;
        }
        let middle = Self::split(from, to);
        let root = node_hash(&self.root(from, middle), &self.root(middle, to));
        self.known.insert((from, to), root);
        root
    }

    /// PATH(index, D[from:to]).
    fn path(&mut self, index: u64, from: u64, to: u64) -> Vec<Sha256Digest> {
        if to - from == 1 {
            return Vec::new();
        }
        let middle = Self::split(from, to);
        let (mut path, sibling) = if index < middle {
            (self.path(index, from, middle), self.root(middle, to))
        } else {
            (self.path(index, middle, to), self.root(from, middle))
        };
        path.push(sibling);
        path
    }

    /// SUBPROOF(old, D[from:to], known).
    fn subproof(&mut self, old: u64, from: u64, to: u64, known: bool) -> Vec<Sha256Digest> {
        if old == to {
            return if known { Vec::new() } else { vec![self.root(from, to)] };
        }
        let middle = Self::split(from, to);
        let (mut proof, sibling) = if old <= middle {
            (self.subproof(old, from, middle, known), self.root(middle, to))
        } else {
            (self.subproof(old, middle, to, false), self.root(from, middle))
        };
        proof.push(sibling);
        proof
    }
}

type Tree = MemoryBackedTree<Sha256, Vec<u8>>;

fn bytes(proof: &[Sha256Digest]) -> Vec<u8> {
    proof.iter().flat_map(|hash| hash.0).collect()
}

fn root_hash(root: &Sha256Digest, size: u64) -> RootHash<Sha256> {
    RootHash::new(root.0.into(), size)
}

/// Everything about the tree that the log had at one size, said by three.
fn agree_at(log: &TestTree, definition: &mut Definition<'_>, tree: &Tree) {
    let size = tree.len();
    let root = log.root(size);
    assert_eq!(root, definition.root(0, size));
    assert_eq!(tree.root().as_bytes()[..], root.0);
    for index in 0..size {
        let proof = log.inclusion(index, size);
        assert_eq!(proof, definition.path(index, 0, size), "{index} in {size}");
        assert_eq!(tree.prove_inclusion(index as usize).as_bytes(), bytes(&proof), "{index} in {size}");
        verify_inclusion(&log.leaf(index), index, size, &root, &proof).expect("we accept it");
        let theirs = InclusionProof::<Sha256>::try_from_bytes(bytes(&proof)).expect("hashes");
        let leaf = &log.leaves[index as usize];
        root_hash(&root, size).verify_inclusion(leaf, index, &theirs).expect("it accepts ours");
    }
    for old in 1..=size {
        let proof = log.consistency(old, size);
        let old_root = definition.root(0, old);
        assert_eq!(proof, definition.subproof(old, 0, size, true), "{old} in {size}");
        assert_eq!(
            tree.prove_consistency((size - old) as usize).as_bytes(),
            bytes(&proof),
            "{old} in {size}"
        );
        verify_consistency(old, &old_root, size, &root, &proof).expect("we accept it");
        let theirs = ConsistencyProof::<Sha256>::try_from_bytes(bytes(&proof)).expect("hashes");
        root_hash(&root, size)
            .verify_consistency(&root_hash(&old_root, old), &theirs)
            .expect("it accepts ours");
    }
}

fn tree_of(leaves: &[Vec<u8>]) -> Tree {
    let mut tree = Tree::new();
    leaves.iter().for_each(|leaf| tree.push(leaf.clone()));
    tree
}

#[test]
fn every_leaf_and_every_earlier_tree_of_every_tree_up_to_300() {
    let log = TestTree::numbered(300);
    let mut definition = Definition::of(&log);
    let mut tree = Tree::new();
    for leaf in &log.leaves {
        tree.push(leaf.clone());
        agree_at(&log, &mut definition, &tree);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Leaves of any content and length, the empty one and repeated ones among them.
    #[test]
    fn leaves_of_any_content(
        leaves in prop::collection::vec(prop_oneof![Just(Vec::new()), prop::collection::vec(any::<u8>(), 0..80)], 1..=300),
    ) {
        let tree = tree_of(&leaves);
        let log = TestTree::new(leaves);
        agree_at(&log, &mut Definition::of(&log), &tree);
    }
}
