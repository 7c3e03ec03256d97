//! Inclusion and consistency proofs (RFC 6962 section 2.1, verification loops of RFC 9162).
//!
//! A proof is planned without the tree: the plan says which nodes are needed, the caller brings them from wherever it
//! keeps them (tiles in a database, a slice in a test), and [`Plan::assemble`] folds them into the proof.

use super::{
    digest::Sha256Digest,
    merkle::{fold_right, node_hash},
};

/// The longest proof that is looked at; a tree of 2^63 entries needs no more.
pub const MAX_HASHES: usize = 63;

/// A complete subtree: the leaves `[index << level, (index + 1) << level)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The height above the leaves.
    pub level: u8,
    /// Which of the level's nodes, counted from the left.
    pub index: u64,
}

/// Which nodes make up each hash of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    elements: Vec<Vec<Node>>,
}

impl Plan {
    /// Plans the proof that leaf `index` is in the tree of `size` leaves; `None` if it is not.
    pub fn inclusion(index: u64, size: u64) -> Option<Self> {
        (index < size).then(|| {
            let mut elements = Vec::new();
            descend_to_leaf(index, 0, size, &mut elements);
            Self { elements }
        })
    }

    /// Plans the proof that the tree of `new` leaves begins with the tree of `old` leaves.
    ///
    /// `None` if it cannot: the old tree is empty (nothing to prove) or larger than the new one.
    pub fn consistency(old: u64, new: u64) -> Option<Self> {
        (old >= 1 && old <= new).then(|| {
            let mut elements = Vec::new();
            if old < new {
                descend_to_prefix(old, 0, new, true, &mut elements);
            }
            Self { elements }
        })
    }

    /// Every node that the proof needs.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.elements.iter().flatten().copied()
    }

    /// Folds the nodes into the proof; `None` if one cannot be had.
    pub fn assemble(
        &self,
        mut hash_of: impl FnMut(Node) -> Option<Sha256Digest>,
    ) -> Option<Vec<Sha256Digest>> {
        self.elements
            .iter()
            .map(|nodes| {
                let hashes = nodes.iter().map(|&node| hash_of(node)).collect::<Option<Vec<_>>>()?;
                fold_right(&hashes)
            })
            .collect()
    }
}

/// The complete subtrees that make up the leaves `[start, end)` of a tree; `start` must be where a split may fall.
pub fn cover(start: u64, end: u64) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut at = start;
    while at < end {
        let fits = (end - at).ilog2();
        let aligned = if at == 0 { 63 } else { at.trailing_zeros() };
        let level = fits.min(aligned);
        nodes.push(Node { level: level as u8, index: at >> level });
        at += 1 << level;
    }
    nodes
}

fn split(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

fn descend_to_leaf(index: u64, start: u64, end: u64, out: &mut Vec<Vec<Node>>) {
    if end - start == 1 {
        return;
    }
    let middle = start + split(end - start);
    if index < middle {
        descend_to_leaf(index, start, middle, out);
        out.push(cover(middle, end));
    } else {
        descend_to_leaf(index, middle, end, out);
        out.push(cover(start, middle));
    }
}

/// `whole` is true as long as the prefix is the whole left side, whose root the verifier already has.
fn descend_to_prefix(old: u64, start: u64, end: u64, whole: bool, out: &mut Vec<Vec<Node>>) {
    if old == end {
        if !whole {
            out.push(cover(start, end));
        }
        return;
    }
    let middle = start + split(end - start);
    if old <= middle {
        descend_to_prefix(old, start, middle, whole, out);
        out.push(cover(middle, end));
    } else {
        descend_to_prefix(old, middle, end, false, out);
        out.push(cover(start, middle));
    }
}

/// Why a proof does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The leaf lies outside the tree.
    #[error("index {index} lies outside a tree of {size} entries")]
    Outside {
        /// The leaf's index.
        index: u64,
        /// The tree's size.
        size: u64,
    },
    /// A smaller tree cannot hold a larger one.
    #[error("a tree of {new} entries cannot hold one of {old}")]
    Shrunk {
        /// The earlier size.
        old: u64,
        /// The later size.
        new: u64,
    },
    /// Nothing can be proved about the empty tree.
    #[error("nothing can be proved about the empty tree")]
    Empty,
    /// The proof has too few or too many hashes.
    #[error("the proof has a wrong number of hashes")]
    Length,
    /// The hashes lead to another root.
    #[error("the proof leads to another root")]
    Root,
}

/// Checks that `leaf` is entry `index` of the tree of `size` entries with this root.
pub fn verify_inclusion(
    leaf: &Sha256Digest,
    index: u64,
    size: u64,
    root: &Sha256Digest,
    proof: &[Sha256Digest],
) -> Result<(), ProofError> {
    if index >= size {
        return Err(ProofError::Outside { index, size });
    }
    if proof.len() > MAX_HASHES {
        return Err(ProofError::Length);
    }
    let (mut node, mut last) = (index, size - 1);
    let mut hash = *leaf;
    for sibling in proof {
        if last == 0 {
            return Err(ProofError::Length);
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        Err(ProofError::Length)
    } else if hash != *root {
        Err(ProofError::Root)
    } else {
        Ok(())
    }
}

/// Checks that the tree (`new`, `new_root`) begins with the tree (`old`, `old_root`).
///
/// The empty tree is a prefix of every tree and needs no proof; callers handle it before they ask.
pub fn verify_consistency(
    old: u64,
    old_root: &Sha256Digest,
    new: u64,
    new_root: &Sha256Digest,
    proof: &[Sha256Digest],
) -> Result<(), ProofError> {
    if old == 0 {
        return Err(ProofError::Empty);
    }
    if old > new {
        return Err(ProofError::Shrunk { old, new });
    }
    if proof.len() > MAX_HASHES + 1 {
        return Err(ProofError::Length);
    }
    if old == new {
        return match (proof.is_empty(), old_root == new_root) {
            (false, _) => Err(ProofError::Length),
            (true, false) => Err(ProofError::Root),
            (true, true) => Ok(()),
        };
    }
    let mut hashes = proof.iter();
    let first = if old.is_power_of_two() { old_root } else { hashes.next().ok_or(ProofError::Length)? };
    let (mut node, mut last) = (old - 1, new - 1);
    while node & 1 == 1 {
        node >>= 1;
        last >>= 1;
    }
    let (mut old_hash, mut new_hash) = (*first, *first);
    for sibling in hashes {
        if last == 0 {
            return Err(ProofError::Length);
        }
        if node & 1 == 1 || node == last {
            old_hash = node_hash(sibling, &old_hash);
            new_hash = node_hash(sibling, &new_hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            new_hash = node_hash(&new_hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last != 0 {
        Err(ProofError::Length)
    } else if old_hash != *old_root || new_hash != *new_root {
        Err(ProofError::Root)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::merkle::{leaf_hash, test_tree::*},
        *,
    };

    fn subtree(leaves: &[Sha256Digest], node: Node) -> Option<Sha256Digest> {
        let start = usize::try_from(node.index << node.level).ok()?;
        Some(naive_root(leaves.get(start..start + (1 << node.level))?))
    }

    fn inclusion(leaves: &[Sha256Digest], index: usize, size: usize) -> Vec<Sha256Digest> {
        Plan::inclusion(index as u64, size as u64).unwrap().assemble(|node| subtree(leaves, node)).unwrap()
    }

    fn consistency(leaves: &[Sha256Digest], old: usize, new: usize) -> Vec<Sha256Digest> {
        Plan::consistency(old as u64, new as u64).unwrap().assemble(|node| subtree(leaves, node)).unwrap()
    }

    #[test]
    fn reference_proofs() {
        let l: Vec<_> = LEAVES.iter().map(|data| leaf_hash(data)).collect();
        let n = |start: usize, end: usize| naive_root(&l[start..end]);
        assert_eq!(inclusion(&l, 0, 8), [l[1], n(2, 4), n(4, 8)]);
        assert_eq!(inclusion(&l, 5, 8), [l[4], n(6, 8), n(0, 4)]);
        assert_eq!(inclusion(&l, 2, 3), [n(0, 2)]);
        assert_eq!(inclusion(&l, 6, 7), [n(4, 6), n(0, 4)]);
        assert_eq!(inclusion(&l, 1, 5), [l[0], n(2, 4), l[4]]);
        assert_eq!(inclusion(&l, 0, 1), []);
        assert_eq!(consistency(&l, 1, 8), [l[1], n(2, 4), n(4, 8)]);
        assert_eq!(consistency(&l, 6, 8), [n(4, 6), n(6, 8), n(0, 4)]);
        assert_eq!(consistency(&l, 2, 5), [n(2, 4), l[4]]);
        assert_eq!(consistency(&l, 6, 7), [n(4, 6), l[6], n(0, 4)]);
        assert_eq!(consistency(&l, 3, 7), [l[2], l[3], n(0, 2), n(4, 7)]);
        assert!(n(4, 7).to_string().starts_with("837dbb15"));
        assert_eq!(consistency(&l, 4, 8), [n(4, 8)]);
        assert_eq!((Plan::inclusion(8, 8), Plan::inclusion(0, 0)), (None, None));
        assert_eq!((Plan::consistency(0, 5), Plan::consistency(6, 5)), (None, None));
    }

    #[test]
    fn every_pair_up_to_130_verifies() {
        let leaves = numbered(130);
        let roots: Vec<_> = (0..=leaves.len()).map(|size| naive_root(&leaves[..size])).collect();
        for size in 1..=leaves.len() {
            let n = size as u64;
            for index in 0..size {
                let proof = inclusion(&leaves, index, size);
                assert_eq!(verify_inclusion(&leaves[index], index as u64, n, &roots[size], &proof), Ok(()));
            }
            for old in 1..=size {
                let proof = consistency(&leaves, old, size);
                assert_eq!(verify_consistency(old as u64, &roots[old], n, &roots[size], &proof), Ok(()));
            }
        }
    }

    /// The kinds of damage that the reference suite of transparency-dev/merkle does to its probes.
    #[test]
    fn every_mutation_is_refused() {
        let leaves = numbered(33);
        let garbage = leaf_hash(b"garbage");
        let roots: Vec<_> = (0..=leaves.len()).map(|size| naive_root(&leaves[..size])).collect();
        let mutations = |proof: &[Sha256Digest]| {
            let mut all = vec![vec![], [proof, &[garbage]].concat(), [&[garbage], proof].concat()];
            for at in 0..proof.len() {
                let mut removed = proof.to_vec();
                removed.remove(at);
                let mut inserted = proof.to_vec();
                inserted.insert(at, garbage);
                let mut flipped = proof.to_vec();
                flipped[at].0[3] ^= 0b1000;
                all.extend([removed, inserted, flipped, proof[..at].to_vec()]);
            }
            all.retain(|mutated| mutated != proof);
            all
        };
        for size in 1..=leaves.len() {
            let (n, root) = (size as u64, &roots[size]);
            for index in 0..size {
                let (i, leaf) = (index as u64, &leaves[index]);
                let proof = inclusion(&leaves, index, size);
                for mutated in mutations(&proof) {
                    assert!(verify_inclusion(leaf, i, n, root, &mutated).is_err());
                }
                for (i, n) in [(i + 1, n), (i.wrapping_sub(1), n), (i ^ 2, n), (i, n * 2), (i, n / 2)] {
                    // Another size can leave the path unchanged; then size and root differ, which the tree head binds.
                    let same_path =
                        Plan::inclusion(i, n).map(|plan| plan.elements.len()) == Some(proof.len());
                    let verdict = verify_inclusion(leaf, i, n, root, &proof);
                    assert!(verdict.is_err() || same_path, "{index}/{size} as {i}/{n}");
                }
                assert!(verify_inclusion(&garbage, i, n, root, &proof).is_err());
                assert!(verify_inclusion(leaf, i, n, &garbage, &proof).is_err());
            }
            for (old, old_root) in roots.iter().enumerate().take(size).skip(1) {
                let m = old as u64;
                let proof = consistency(&leaves, old, size);
                for mutated in mutations(&proof) {
                    assert!(verify_consistency(m, old_root, n, root, &mutated).is_err());
                }
                assert!(verify_consistency(m, root, n, old_root, &proof).is_err());
                assert!(verify_consistency(m, &garbage, n, root, &proof).is_err());
                assert!(verify_consistency(m, old_root, n, &garbage, &proof).is_err());
                assert!(verify_consistency(n, old_root, m, root, &proof).is_err());
            }
            assert!(verify_consistency(0, &roots[0], n, root, &[]).is_err());
            assert!(verify_consistency(n, root, n, root, &[garbage]).is_err());
            assert!(verify_consistency(n, &garbage, n, root, &[]).is_err());
        }
        assert!(verify_consistency(0, &roots[0], 0, &roots[0], &[]).is_err());
        assert!(verify_inclusion(&garbage, 0, u64::MAX, &garbage, &[garbage; 80]).is_err());
    }
}
