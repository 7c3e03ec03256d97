use std::collections::BTreeMap;

use super::{
    tree::{RootVerdict, Shown, TreeFold},
    *,
};
use crate::log::{
    digest::Sha256Digest,
    merkle::{Frontier, test_tree::numbered},
    tile::{TILE_WIDTH, TileId, full_root, width},
    tree_head::TreeHead,
};

/// A log as it shows itself: leaf hashes of its entries' bytes, and its tiles.
#[derive(Clone)]
struct Log {
    entries: Vec<Sha256Digest>,
    tiles: BTreeMap<TileId, Vec<Sha256Digest>>,
    head: TreeHead,
}

impl Log {
    fn new(size: usize) -> Self {
        let entries = numbered(size);
        let mut tiles = BTreeMap::new();
        let (mut level, mut row) = (0, entries.clone());
        while !row.is_empty() {
            for (index, tile) in (0..).zip(row.chunks(TILE_WIDTH as usize)) {
                tiles.insert(TileId { level, index }, tile.to_vec());
            }
            row = row.chunks(TILE_WIDTH as usize).filter_map(full_root).collect();
            level += 1;
        }
        let mut frontier = Frontier::default();
        entries.iter().for_each(|leaf| frontier.append(*leaf));
        let head = TreeHead { origin: "log.example".to_owned(), size: size as u64, root: frontier.root() };
        Self { entries, tiles, head }
    }

    fn frontier(&self, size: u64) -> Frontier {
        let mut frontier = Frontier::default();
        self.entries[..size as usize].iter().for_each(|leaf| frontier.append(*leaf));
        frontier
    }

    fn damage(&mut self, level: u8, index: u64, position: usize) {
        self.tiles.get_mut(&TileId { level, index }).unwrap()[position] = Sha256Digest::of(b"damage");
    }

    fn audit(&self, known: Frontier) -> (Vec<Finding>, RootVerdict) {
        let mut fold = TreeFold::new(known, &self.head);
        let mut findings = Vec::new();
        while let Some(index) = fold.next_tile() {
            let id = TileId { level: 0, index };
            let first = (index * TILE_WIDTH) as usize;
            let wide = width(id, self.head.size) as usize;
            let shown = Shown {
                entries: self.entries.get(first..first + wide),
                tile: self.tiles.get(&id).map(Vec::as_slice),
            };
            findings.extend(fold.take(shown, &mut |id| self.tiles.get(&id).cloned()));
        }
        (findings, fold.verdict())
    }
}

/// Two full tiles of level 1, so that there is a level 2, and a partial tile at each level.
const SIZE: usize = 2 * 65_536 + 3 * 256 + 40;

#[test]
fn a_sound_log_is_clean_from_wherever_the_audit_goes_on() {
    for size in [0, 1, 255, 256, 257, 512, 65_536, 65_537] {
        let log = Log::new(size);
        assert_eq!(log.audit(Frontier::default()), (Vec::new(), RootVerdict::Proven), "{size}");
    }
    let log = Log::new(SIZE);
    for known in [0, 1, 256, 300, 65_535, 65_536, 65_537, 131_000, SIZE as u64 - 41, SIZE as u64] {
        let clean = (Vec::new(), RootVerdict::Proven);
        assert_eq!(log.audit(log.frontier(known)), clean, "from {known}");
    }
}

#[test]
fn one_damaged_entry_is_named_and_everything_else_is_proven() {
    let sound = Log::new(SIZE);
    for index in [0, 255, 256, 70_000, SIZE as u64 - 41, SIZE as u64 - 40, SIZE as u64 - 1] {
        let mut log = sound.clone();
        let expected = log.entries[index as usize];
        let found = Sha256Digest::of(b"damage");
        log.entries[index as usize] = found;
        let finding = Finding::DamagedLeaf { index, found, expected };
        assert_eq!(log.audit(Frontier::default()), (vec![finding], RootVerdict::Proven));
    }
}

#[test]
fn one_damaged_hash_of_any_tile_is_named() {
    let sound = Log::new(SIZE);
    // Level, tile, position: full and partial tiles of each level.
    for (level, tile, position) in [
        (0, 0, 0),
        (0, 300, 255),
        (0, 514, 7),
        (0, 515, 39),
        (1, 0, 0),
        (1, 1, 255),
        (1, 2, 2),
        (2, 0, 0),
        (2, 0, 1),
    ] {
        let mut log = sound.clone();
        log.damage(level, tile, position as usize);
        let finding = Finding::DamagedTile { level, tile, position };
        let expected = (vec![finding], RootVerdict::Proven);
        assert_eq!(log.audit(Frontier::default()), expected, "{level}/{tile} hash {position}");
    }
}

#[test]
fn several_damages_are_all_named_at_once() {
    let mut log = Log::new(SIZE);
    let expected = log.entries[5];
    let found = Sha256Digest::of(b"damage");
    log.entries[5] = found;
    log.damage(0, 9, 3);
    log.damage(1, 0, 200);
    log.damage(0, 515, 1);
    let findings = vec![
        Finding::DamagedLeaf { index: 5, found, expected },
        Finding::DamagedTile { level: 0, tile: 9, position: 3 },
        Finding::DamagedTile { level: 1, tile: 0, position: 200 },
        Finding::DamagedTile { level: 0, tile: 515, position: 1 },
    ];
    assert_eq!(log.audit(Frontier::default()), (findings, RootVerdict::Proven));
}

#[test]
fn entry_and_hash_of_one_tile_both_damaged_do_not_spread() {
    let mut log = Log::new(SIZE);
    log.entries[256] = Sha256Digest::of(b"damaged bytes");
    log.damage(0, 1, 1);
    let (findings, verdict) = log.audit(Frontier::default());
    assert_eq!(verdict, RootVerdict::Proven, "the hash above stands in for the tile");
    let names: Vec<_> = findings.iter().map(Finding::name).collect();
    assert_eq!(names, ["damaged leaf", "damaged leaf", "damaged tile"], "{findings:?}");
}

#[test]
fn missing_tiles_and_bundles_are_named_once() {
    let sound = Log::new(SIZE);
    for (level, tile) in [(0, 0), (0, 515), (1, 0), (1, 2), (2, 0)] {
        let mut log = sound.clone();
        log.tiles.remove(&TileId { level, index: tile });
        let finding = Finding::MissingTile { level: Some(level), tile };
        assert_eq!(log.audit(Frontier::default()), (vec![finding], RootVerdict::Proven), "{level}/{tile}");
    }
    let mut log = sound.clone();
    log.entries.truncate(SIZE - 1);
    let finding = Finding::MissingTile { level: None, tile: 515 };
    assert_eq!(log.audit(Frontier::default()), (vec![finding], RootVerdict::Proven));
    log.tiles.remove(&TileId { level: 0, index: 515 });
    let (findings, verdict) = log.audit(Frontier::default());
    assert_eq!((findings.len(), verdict), (2, RootVerdict::Unknown));
}

#[test]
fn a_consistent_rewrite_leads_to_another_root() {
    let mut log = Log::new(600);
    let signed = log.head.root;
    let mut other = log.entries.clone();
    other[3] = Sha256Digest::of(b"rewritten");
    let mut frontier = Frontier::default();
    other.iter().for_each(|leaf| frontier.append(*leaf));
    log.entries = other.clone();
    for (index, tile) in (0..).zip(other.chunks(256)) {
        log.tiles.insert(TileId { level: 0, index }, tile.to_vec());
    }
    log.tiles.insert(TileId { level: 1, index: 0 }, other.chunks(256).filter_map(full_root).collect());
    assert_eq!(log.audit(Frontier::default()), (Vec::new(), RootVerdict::Other(frontier.root())));
    assert_ne!(frontier.root(), signed);
}

#[test]
fn verdicts_rank() {
    let gap = Finding::ChainGap { agent: "a".to_owned(), first: 2, last: 3, index: 9 };
    let fork = Finding::Forked { earlier: String::new(), later: String::new() };
    assert_eq!(Verdict::of([]), Verdict::Clean);
    assert_eq!(Verdict::of([&gap]), Verdict::Findings);
    assert_eq!(Verdict::of([&fork, &gap]), Verdict::Forked);
    assert_eq!(gap.to_string(), "chain gap: statements 2 to 3 of agent a are not in the log before entry 9");
}
