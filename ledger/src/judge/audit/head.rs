//! One tree head against another of the same log: does the larger tree begin with the smaller one?

use serde::{Deserialize, Serialize};

use crate::log::{
    digest::Sha256Digest,
    merkle::Frontier,
    proof::{Node, cover},
    tree_head::TreeHead,
};

/// How a tree head relates to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The same size and root.
    Same,
    /// The later tree begins with the earlier one.
    Grown,
    /// The two cannot both be of one log that only grows: it signed two histories.
    Forked,
    /// The log's hashes lead to neither root, so that they prove nothing: they are damaged, or missing.
    Unproven,
}

/// Compares two tree heads; `hash_of` brings the nodes of the larger tree.
///
/// A fork is only called one if it is proven: either two roots for one size, or hashes that lead to the later root and
/// not to the earlier one. Hashes that do not even lead to the later root are damage, and say nothing about a fork.
pub fn relate(
    earlier: &TreeHead,
    later: &TreeHead,
    mut hash_of: impl FnMut(Node) -> Option<Sha256Digest>,
) -> Relation {
    debug_assert!(earlier.size <= later.size, "the caller puts them in order");
    if earlier.size == later.size {
        return if earlier.root == later.root { Relation::Same } else { Relation::Forked };
    }
    let mut tree = Frontier::default();
    let mut grow = |tree: &mut Frontier, from: u64, to: u64| {
        cover(from, to)
            .into_iter()
            .all(|node| hash_of(node).is_some_and(|hash| tree.append_subtree(node.level, hash)))
    };
    if !grow(&mut tree, 0, earlier.size) {
        return Relation::Unproven;
    }
    let begins_alike = tree.root() == earlier.root;
    if !grow(&mut tree, earlier.size, later.size) || tree.root() != later.root {
        return Relation::Unproven;
    }
    if begins_alike { Relation::Grown } else { Relation::Forked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::merkle::test_tree::{naive_root, numbered};

    fn head(leaves: &[Sha256Digest]) -> TreeHead {
        let (origin, size) = ("log.example".to_owned(), leaves.len() as u64);
        TreeHead { origin, size, root: naive_root(leaves) }
    }

    fn node(leaves: &[Sha256Digest]) -> impl Fn(Node) -> Option<Sha256Digest> {
        |node| {
            let start = (node.index << node.level) as usize;
            Some(naive_root(leaves.get(start..start + (1 << node.level))?))
        }
    }

    #[test]
    fn every_pair_of_sizes() {
        let leaves = numbered(70);
        let mut other = leaves.clone();
        other[3] = Sha256Digest::of(b"another entry");
        for later in 1..=leaves.len() {
            for earlier in 0..=later {
                let (old, new) = (head(&leaves[..earlier]), head(&leaves[..later]));
                let expected = if earlier == later { Relation::Same } else { Relation::Grown };
                assert_eq!(relate(&old, &new, node(&leaves)), expected, "{earlier} to {later}");
                let rewritten = head(&other[..later]);
                let expected = match earlier {
                    _ if earlier > 3 => Relation::Forked,
                    _ if earlier == later => Relation::Same,
                    _ => Relation::Grown,
                };
                assert_eq!(relate(&old, &rewritten, node(&other)), expected, "{earlier} to {later}");
            }
        }
    }

    #[test]
    fn damaged_hashes_are_no_proof_of_a_fork() {
        let leaves = numbered(70);
        let (old, new) = (head(&leaves[..40]), head(&leaves));
        for damaged in [0, 39, 40, 69] {
            let mut shown = leaves.clone();
            shown[damaged] = Sha256Digest::of(b"damaged");
            assert_eq!(relate(&old, &new, node(&shown)), Relation::Unproven, "{damaged}");
        }
        assert_eq!(relate(&old, &new, node(&leaves[..60])), Relation::Unproven, "a missing tile");
        assert_eq!(relate(&old, &new, |_| None), Relation::Unproven);
    }
}
