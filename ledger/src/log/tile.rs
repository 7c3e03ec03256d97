//! Tiles (C2SP tlog-tiles): the tree in files of 256 hashes, and the entries in bundles of 256.

use std::fmt;

use super::{
    digest::Sha256Digest,
    merkle::{Frontier, node_hash},
    proof::Node,
};

/// Hashes (or entries) in a full tile.
pub const TILE_WIDTH: u64 = 256;

/// Levels of the tree inside one tile.
pub const TILE_HEIGHT: u8 = 8;

/// The longest entry a bundle can hold: its length is written in two bytes.
pub const MAX_ENTRY_BYTES: usize = 65_535;

/// Which tile holds a node's ancestors-to-be: tile `level`, tile `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId {
    /// The tile's level: 0 holds leaf hashes, 1 the roots of full level-0 tiles, ...
    pub level: u8,
    /// Which of the level's tiles, counted from the left.
    pub index: u64,
}

/// How many hashes tile `id` has in a tree of `size` leaves: 256 when full, 0 when it does not exist.
pub fn width(id: TileId, size: u64) -> u64 {
    let nodes = size.checked_shr(u32::from(id.level) * u32::from(TILE_HEIGHT)).unwrap_or(0);
    nodes.saturating_sub(id.index.saturating_mul(TILE_WIDTH)).min(TILE_WIDTH)
}

/// The tile that a node is computed from.
pub fn tile_of(node: Node) -> TileId {
    let level = node.level / TILE_HEIGHT;
    let below = node.level % TILE_HEIGHT;
    TileId { level, index: (node.index << below) / TILE_WIDTH }
}

/// Computes a node's hash from its tile's hashes; `None` if the tile is not wide enough.
pub fn node_in_tile(node: Node, hashes: &[Sha256Digest]) -> Option<Sha256Digest> {
    let below = node.level % TILE_HEIGHT;
    let start = usize::try_from((node.index << below) % TILE_WIDTH).ok()?;
    let mut row = hashes.get(start..start + (1 << below))?.to_vec();
    while row.len() > 1 {
        row = row.chunks_exact(2).map(|pair| node_hash(&pair[0], &pair[1])).collect();
    }
    row.first().copied()
}

/// Every node that a tile's hashes make: for whoever asks one tile for many, each is computed once.
#[derive(Debug, Clone)]
pub struct TileNodes {
    /// By the height above the tile's own hashes.
    rows: Vec<Vec<Sha256Digest>>,
}

impl TileNodes {
    /// Computes them from the tile's hashes.
    pub fn new(hashes: Vec<Sha256Digest>) -> Self {
        let above = |row: &Vec<Sha256Digest>| {
            let pairs = row.chunks_exact(2).map(|pair| node_hash(&pair[0], &pair[1]));
            Some(pairs.collect::<Vec<_>>()).filter(|row| !row.is_empty())
        };
        Self { rows: std::iter::successors(Some(hashes), above).collect() }
    }

    /// The hash of a node of this tile; `None` if the tile is not wide enough.
    pub fn get(&self, node: Node) -> Option<Sha256Digest> {
        let below = node.level % TILE_HEIGHT;
        let position = usize::try_from(node.index % (TILE_WIDTH >> below)).ok()?;
        self.rows.get(usize::from(below))?.get(position).copied()
    }
}

/// The root of a full tile, which stands for it one level up; none of a partial one, which is never hashed upward.
pub fn full_root(hashes: &[Sha256Digest]) -> Option<Sha256Digest> {
    let mut frontier = Frontier::default();
    hashes.iter().for_each(|hash| frontier.append(*hash));
    (hashes.len() as u64 == TILE_WIDTH).then(|| frontier.root())
}

/// Writes a tile's number the way its path holds it: groups of three digits, all but the last begun by `x`.
pub fn path(index: u64) -> String {
    let mut text = format!("{:03}", index % 1000);
    let mut rest = index / 1000;
    while rest > 0 {
        text = format!("x{:03}/{text}", rest % 1000);
        rest /= 1000;
    }
    text
}

/// Reads a tile's number from its path; only the one spelling that [`path`] writes is read.
pub fn parse_path(text: &str) -> Option<u64> {
    let mut index: u64 = 0;
    for group in text.split('/') {
        let digits = group.strip_prefix('x').unwrap_or(group);
        if digits.len() != 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        index = index.checked_mul(1000)?.checked_add(digits.parse().ok()?)?;
    }
    (path(index) == text).then_some(index)
}

/// What a reader asks for below `/log/tile/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileRequest {
    /// The tile's level; none for a bundle of entries.
    pub level: Option<u8>,
    /// Which tile, counted from the left.
    pub index: u64,
    /// How many hashes or entries; 256 unless the path ends in `.p/<W>`.
    pub width: u64,
}

impl TileRequest {
    /// Reads `<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`; only the one spelling of each is read.
    pub fn parse(text: &str) -> Option<Self> {
        let (level, rest) = text.split_once('/')?;
        let level = match level {
            "entries" => None,
            digits => Some(plain_number(digits).filter(|&level| level <= 63)? as u8),
        };
        let (index, width) = match rest.split_once(".p/") {
            Some((index, width)) => {
                (index, plain_number(width).filter(|width| (1..TILE_WIDTH).contains(width))?)
            }
            None => (rest, TILE_WIDTH),
        };
        Some(Self { level, index: parse_path(index)?, width })
    }

    /// The tile that it is cut from.
    pub fn tile(&self) -> TileId {
        TileId { level: self.level.unwrap_or(0), index: self.index }
    }
}

/// The path below `/log/tile/`, as [`TileRequest::parse`] reads it.
impl fmt::Display for TileRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            Some(level) => write!(f, "{level}/{}", path(self.index))?,
            None => write!(f, "entries/{}", path(self.index))?,
        }
        if self.width == TILE_WIDTH { Ok(()) } else { write!(f, ".p/{}", self.width) }
    }
}

/// Reads a decimal number without sign and without leading zeros.
fn plain_number(text: &str) -> Option<u64> {
    let plain = text == "0" || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
    text.parse().ok().filter(|_| plain)
}

/// Writes entries as a bundle: each behind its length in two bytes, big-endian; `None` if one is too long.
pub fn entry_bundle(entries: &[&[u8]]) -> Option<Vec<u8>> {
    let mut bundle = Vec::with_capacity(entries.iter().map(|entry| 2 + entry.len()).sum());
    for entry in entries {
        bundle.extend(u16::try_from(entry.len()).ok()?.to_be_bytes());
        bundle.extend_from_slice(entry);
    }
    Some(bundle)
}

/// Reads a bundle back; `None` if it ends inside an entry or holds more than a tile may.
pub fn parse_entry_bundle(mut bundle: &[u8]) -> Option<Vec<&[u8]>> {
    let mut entries = Vec::with_capacity(TILE_WIDTH as usize);
    while let Some((length, rest)) = bundle.split_first_chunk::<2>() {
        let (entry, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        entries.push(entry);
        bundle = rest;
    }
    (bundle.is_empty() && entries.len() as u64 <= TILE_WIDTH).then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::{
        super::merkle::test_tree::{naive_root, numbered},
        *,
    };

    #[test]
    fn paths() {
        for (index, text) in
            [(0, "000"), (999, "999"), (1000, "x001/000"), (1_234_067, "x001/x234/067"), (39_062, "x039/062")]
        {
            assert_eq!(path(index), text);
            assert_eq!(parse_path(text), Some(index));
        }
        assert_eq!(parse_path(&path(u64::MAX)), Some(u64::MAX));
        for wrong in [
            "",
            "0",
            "0000",
            "x000/001",
            "001/000",
            "x1/000",
            "x001/x000",
            "x001",
            "-01",
            "../000",
            "x001//000",
            "x099/x446/x744/x073/x709/x551/616",
        ] {
            assert_eq!(parse_path(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn requests() {
        let request = |level, index, width| Some(TileRequest { level, index, width });
        for (text, expected) in [
            ("0/000", request(Some(0), 0, 256)),
            ("63/x001/000", request(Some(63), 1000, 256)),
            ("1/001.p/17", request(Some(1), 1, 17)),
            ("entries/x001/x234/067", request(None, 1_234_067, 256)),
            ("entries/000.p/255", request(None, 0, 255)),
        ] {
            assert_eq!(TileRequest::parse(text), expected, "{text}");
            assert_eq!(expected.map(|request| request.to_string()).as_deref(), Some(text));
        }
        for wrong in [
            "",
            "0",
            "64/000",
            "00/000",
            "-1/000",
            "+1/000",
            "0/0",
            "0/x1",
            "0/000.p/0",
            "0/000.p/256",
            "0/000.p/01",
            "0/000.p/",
            "0/000.p",
            "0/000/",
            "0/x000/001",
            "entries",
            "entries/",
            "Entries/000",
            "0/../000",
        ] {
            assert_eq!(TileRequest::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn widths_at_70000() {
        let width = |level, index| width(TileId { level, index }, 70_000);
        assert_eq!([width(0, 0), width(0, 272), width(0, 273), width(0, 274)], [256, 256, 112, 0]);
        assert_eq!([width(1, 0), width(1, 1), width(1, 2)], [256, 17, 0]);
        assert_eq!([width(2, 0), width(2, 1), width(3, 0), width(8, 0), width(63, 0)], [1, 0, 0, 0, 0]);
    }

    #[test]
    fn nodes_come_out_of_their_tiles() {
        let leaves = numbered(256 * 3 + 40);
        let tile = |id: TileId| -> Vec<Sha256Digest> {
            match id.level {
                0 => leaves[id.index as usize * 256..].iter().copied().take(256).collect(),
                _ => leaves.chunks_exact(256).map(naive_root).collect(),
            }
        };
        for level in 0..=9 {
            for index in 0..leaves.len() as u64 >> level {
                let node = Node { level, index };
                let start = (index << level) as usize;
                let expected = naive_root(&leaves[start..start + (1 << level)]);
                assert_eq!(node_in_tile(node, &tile(tile_of(node))), Some(expected), "{node:?}");
            }
        }
        assert_eq!(node_in_tile(Node { level: 3, index: 0 }, &leaves[..7]), None);
    }

    #[test]
    fn bundles() {
        let bundle = entry_bundle(&[b"", &[0], b"hello"]).unwrap();
        assert_eq!(bundle, [0, 0, 0, 1, 0, 0, 5, b'h', b'e', b'l', b'l', b'o']);
        assert_eq!(parse_entry_bundle(&bundle), Some(vec![&b""[..], &[0], b"hello"]));
        assert_eq!(parse_entry_bundle(&bundle[..11]), None);
        assert_eq!(parse_entry_bundle(&bundle[..6]), None);
        assert_eq!(parse_entry_bundle(&vec![0; 2 * 257]), None);
        assert!(entry_bundle(&[&[0; MAX_ENTRY_BYTES]]).is_some());
        assert!(entry_bundle(&[&[0; MAX_ENTRY_BYTES + 1]]).is_none());
    }

    #[test]
    fn a_tiles_nodes_are_what_each_is_computed_to_be() {
        for wide in [0, 1, 2, 3, 5, 8, 100, 255, 256] {
            let hashes = numbered(wide);
            let nodes = TileNodes::new(hashes.clone());
            for (level, tile) in [(0, 0), (0, 7), (8, 0), (8, 300)] {
                for below in 0..TILE_HEIGHT {
                    let across = TILE_WIDTH >> below;
                    for index in tile * across..(tile + 1) * across {
                        let node = Node { level: level + below, index };
                        assert_eq!(tile_of(node), TileId { level: level / TILE_HEIGHT, index: tile });
                        assert_eq!(nodes.get(node), node_in_tile(node, &hashes), "{wide} {node:?}");
                    }
                }
            }
        }
    }
}
