//! The RFC 6962 Merkle tree, kept as a frontier: one hash for each set bit of the size.
//!
//! The frontier is all that appending needs, so an append costs the same at the first and at the ten-millionth entry.

use super::digest::Sha256Digest;

/// The hash of a leaf: SHA-256(0x00 || data).
pub fn leaf_hash(data: &[u8]) -> Sha256Digest {
    Sha256Digest::of_parts(&[&[0], data])
}

/// The hash of an inner node: SHA-256(0x01 || left || right).
pub fn node_hash(left: &Sha256Digest, right: &Sha256Digest) -> Sha256Digest {
    Sha256Digest::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

/// The root of the tree without leaves: SHA-256 of nothing.
pub fn empty_root() -> Sha256Digest {
    Sha256Digest::of(b"")
}

/// The roots of the complete subtrees that make up a tree, largest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    size: u64,
    hashes: Vec<Sha256Digest>,
}

impl Frontier {
    /// Takes a stored frontier back; `None` if the number of hashes does not fit the size.
    pub fn from_parts(size: u64, hashes: Vec<Sha256Digest>) -> Option<Self> {
        (hashes.len() == size.count_ones() as usize).then_some(Self { size, hashes })
    }

    /// The number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The hashes, largest subtree first.
    pub fn hashes(&self) -> &[Sha256Digest] {
        &self.hashes
    }

    /// Appends a leaf's hash.
    pub fn append(&mut self, leaf: Sha256Digest) {
        self.join(0, leaf);
    }

    /// Appends a complete subtree of 2^`level` leaves by its root; whether it fits: the size must be a multiple of that.
    #[must_use]
    pub fn append_subtree(&mut self, level: u8, root: Sha256Digest) -> bool {
        let fits = level < 64 && self.size.trailing_zeros() >= u32::from(level);
        if fits {
            self.join(level, root);
        }
        fits
    }

    fn join(&mut self, level: u8, root: Sha256Digest) {
        let mut hash = root;
        // Each trailing one bit of the old size is a complete subtree that the new one completes to a larger one.
        for _ in 0..(self.size >> level).trailing_ones() {
            let left = self.hashes.pop().expect("one hash stands for each set bit of the size");
            hash = node_hash(&left, &hash);
        }
        self.hashes.push(hash);
        self.size += 1 << level;
    }

    /// The tree's root.
    pub fn root(&self) -> Sha256Digest {
        fold_right(&self.hashes).unwrap_or_else(empty_root)
    }
}

/// Joins neighbouring subtrees, each larger than the one to its right, into one root.
pub fn fold_right(hashes: &[Sha256Digest]) -> Option<Sha256Digest> {
    let (last, larger) = hashes.split_last()?;
    Some(larger.iter().rev().fold(*last, |right, left| node_hash(left, &right)))
}

#[cfg(test)]
pub(crate) mod test_tree {
    use super::*;

    /// The eight leaves of the reference vectors.
    pub(crate) const LEAVES: [&[u8]; 8] = [
        b"",
        &[0x00],
        &[0x10],
        &[0x20, 0x21],
        &[0x30, 0x31],
        &[0x40, 0x41, 0x42, 0x43],
        &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
        &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
    ];

    pub(crate) const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    /// The tree by its recursive definition: slow, and obviously right.
    pub(crate) fn naive_root(leaves: &[Sha256Digest]) -> Sha256Digest {
        match leaves {
            [] => empty_root(),
            [leaf] => *leaf,
            _ => {
                let split = leaves.len().next_power_of_two() / 2;
                node_hash(&naive_root(&leaves[..split]), &naive_root(&leaves[split..]))
            }
        }
    }

    pub(crate) fn numbered(count: usize) -> Vec<Sha256Digest> {
        (0..count).map(|index| leaf_hash(&index.to_be_bytes())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{test_tree::*, *};

    #[test]
    fn reference_leaves_nodes_roots_and_frontiers() {
        let leaf: Vec<_> = LEAVES.iter().map(|data| leaf_hash(data)).collect();
        assert_eq!(leaf[7].to_string(), "46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1");
        let low = node_hash(&node_hash(&leaf[0], &leaf[1]), &node_hash(&leaf[2], &leaf[3]));
        let middle = node_hash(&leaf[4], &leaf[5]);
        assert_eq!(low.to_string(), "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7");
        assert_eq!(middle.to_string(), "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a");
        let mut frontier = Frontier::default();
        for (size, root) in ROOTS.iter().enumerate() {
            assert_eq!(frontier.size(), size as u64);
            assert_eq!(frontier.root().to_string(), *root, "size {size}");
            if size == 7 {
                assert_eq!(frontier.hashes(), [low, middle, leaf[6]]);
            }
            if size < 8 {
                frontier.append(leaf[size]);
            }
        }
        assert_eq!(
            leaf_hash(b"L123456").to_string(),
            "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"
        );
        assert_eq!(
            Sha256Digest::of_parts(&[&[1], b"N123", b"N456"]).to_string(),
            "aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb"
        );
    }

    #[test]
    fn the_frontier_agrees_with_the_definition() {
        let leaves = numbered(600);
        let mut frontier = Frontier::default();
        for size in 0..leaves.len() {
            assert_eq!(frontier.root(), naive_root(&leaves[..size]), "size {size}");
            let stored = Frontier::from_parts(frontier.size(), frontier.hashes().to_vec());
            assert_eq!(stored.as_ref(), Some(&frontier));
            frontier.append(leaves[size]);
        }
        assert_eq!(Frontier::from_parts(3, vec![leaves[0]]), None);
    }

    #[test]
    fn a_subtree_counts_like_its_leaves() {
        let leaves = numbered(64);
        for size in 0..=32_u64 {
            for level in 0..=5_u8 {
                let width = 1_usize << level;
                let mut by_leaves = Frontier::default();
                leaves[..size as usize].iter().for_each(|leaf| by_leaves.append(*leaf));
                let mut by_subtree = by_leaves.clone();
                let next = &leaves[size as usize..size as usize + width];
                next.iter().for_each(|leaf| by_leaves.append(*leaf));
                let fits = by_subtree.append_subtree(level, naive_root(next));
                assert_eq!(fits, size % width as u64 == 0, "{size} and 2^{level}");
                assert_eq!(by_subtree == by_leaves, fits, "{size} and 2^{level}");
            }
        }
        assert!(!Frontier::default().append_subtree(64, leaves[0]));
    }
}
