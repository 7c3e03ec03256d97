//! `tlog_tiles` rebuilds the tree from our tiles, reads our paths, and proves and checks what we prove and check.

use std::cell::RefCell;

use acta_ledger::log::{
    digest::Sha256Digest,
    proof::{verify_consistency, verify_inclusion},
    tile::{TileId, TileRequest, path, width},
};
use acta_tests::tree::TestTree;
use proptest::prelude::*;
use tlog_tiles::{Error, Hash, Tile, TileHashReader, TileReader};

/// The other crate's client over our tiles; it remembers which of them it found to be true.
struct Client<'l> {
    log: &'l TestTree,
    size: u64,
    confirmed: RefCell<usize>,
}

impl TileReader for Client<'_> {
    fn height(&self) -> u8 {
        8
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, Error> {
        let read = |tile: &Tile| {
            let request = TileRequest::parse(&our_path(tile)).expect("its path is one of ours");
            assert_eq!(request.tile(), TileId { level: tile.level(), index: tile.level_index() });
            assert_eq!(request.width, u64::from(tile.width()));
            assert!(request.width <= width(request.tile(), self.size), "it asks for what there is");
            let hashes = self.log.tile(request.tile(), self.size);
            hashes.iter().take(tile.width() as usize).flat_map(|hash| hash.0).collect()
        };
        Ok(tiles.iter().map(read).collect())
    }

    fn save_tiles(&self, tiles: &[Tile], _: &[Vec<u8>]) {
        *self.confirmed.borrow_mut() += tiles.len();
    }
}

/// What the other crate calls `tile/8/<L>/<N>` is `<L>/<N>` below our `/log/tile/`: C2SP left out the height.
fn our_path(tile: &Tile) -> String {
    tile.path().strip_prefix("tile/8/").expect("the height is 8").to_owned()
}

fn ours(proof: &[Hash]) -> Vec<Sha256Digest> {
    proof.iter().map(|hash| Sha256Digest(hash.0)).collect()
}

fn theirs(proof: &[Sha256Digest]) -> Vec<Hash> {
    proof.iter().map(|hash| Hash(hash.0)).collect()
}

/// Sizes around a full tile and two levels of tiles.
const SIZES: [u64; 9] = [1, 2, 255, 256, 257, 511, 600, 65_536, 66_000];

#[test]
fn the_other_crate_proves_from_our_tiles_what_we_prove() {
    let log = TestTree::numbered(66_000);
    for size in SIZES {
        let root = log.root(size);
        let client = Client { log: &log, size, confirmed: RefCell::new(0) };
        let reader = TileHashReader::new(size, Hash(root.0), &client);
        assert_eq!(tlog_tiles::tree_hash(size, &reader).expect("our tiles make the tree").0, root.0);
        assert!(*client.confirmed.borrow() > 0);
        for index in [0, size / 3, size / 2, size - 1] {
            let proof = tlog_tiles::prove_record(size, index, &reader).expect("a proof");
            assert_eq!(ours(&proof), log.inclusion(index, size), "{index} in {size}");
            verify_inclusion(&log.leaf(index), index, size, &root, &ours(&proof)).expect("we accept it");
            let leaf = tlog_tiles::record_hash(&log.leaves[index as usize]);
            let mine = theirs(&log.inclusion(index, size));
            tlog_tiles::check_record(&mine, size, Hash(root.0), index, leaf).expect("it accepts ours");
        }
        for old in SIZES.into_iter().filter(|&old| old <= size) {
            let proof = tlog_tiles::prove_tree(size, old, &reader).expect("a proof");
            assert_eq!(ours(&proof), log.consistency(old, size), "{old} in {size}");
            let old_root = log.root(old);
            verify_consistency(old, &old_root, size, &root, &ours(&proof)).expect("we accept it");
            let mine = theirs(&log.consistency(old, size));
            tlog_tiles::check_tree(&mine, size, Hash(root.0), old, Hash(old_root.0))
                .expect("it accepts ours");
        }
    }
}

#[test]
fn a_tile_with_one_wrong_hash_is_refused_by_the_other_crate() {
    let (log, mut other) = (TestTree::numbered(600), TestTree::numbered(600));
    other.leaves[300][0] ^= 1;
    let other = TestTree::new(other.leaves);
    let client = Client { log: &other, size: 600, confirmed: RefCell::new(0) };
    let reader = TileHashReader::new(600, Hash(log.root(600).0), &client);
    assert!(tlog_tiles::prove_record(600, 300, &reader).is_err());
    assert_eq!(*client.confirmed.borrow(), 0, "nothing of it is kept");
}

proptest! {
    /// The spelling of a tile's number, in both directions.
    #[test]
    fn paths_are_spelt_alike(level in 0_u8..=63, index in any::<u64>(), width in 1_u32..=256) {
        let tile = Tile::new(8, level, index, width, false);
        let spelt = our_path(&tile);
        let request = TileRequest { level: Some(level), index, width: u64::from(width) };
        prop_assert_eq!(TileRequest::parse(&spelt), Some(request));
        let begins = format!("{level}/{}", path(index));
        prop_assert!(spelt.starts_with(&begins));
    }

    /// What one refuses the other refuses, up to what C2SP excludes and the other crate panics at: levels beyond 63 and
    /// tiles of width 0.
    #[test]
    fn both_read_the_same_paths(text in "[0-9]{1,2}/(x[0-9]{3}/){0,2}[0-9x]{2,4}(\\.p/[0-9]{1,3})?") {
        let ours = TileRequest::parse(&text);
        let level = text.split('/').next().and_then(|level| level.parse::<u8>().ok());
        let width = text.split_once(".p/").map(|(_, width)| width.parse::<u16>());
        if level.is_none_or(|level| level > 63) || width.is_some_and(|width| width == Ok(0)) {
            prop_assert_eq!(ours, None);
            return Ok(());
        }
        let theirs = Tile::from_path(&format!("tile/8/{text}"));
        let theirs = theirs.map(|tile| (Some(tile.level()), tile.level_index(), u64::from(tile.width())));
        prop_assert_eq!(ours.map(|request| (request.level, request.index, request.width)), theirs.ok(), "{}", text);
    }
}
