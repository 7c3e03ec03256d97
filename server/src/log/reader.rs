//! Reading the log: entries, proofs, and everything that is needed to verify an entry.

use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use acta_ledger::log::{
    digest::Sha256Digest,
    merkle::{empty_root, fold_right},
    proof::{Node, Plan, cover},
    tile::{TILE_WIDTH, TileId, TileNodes, entry_bundle, tile_of, width},
    verification::{HandOver, LoggedEntry},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use lru::LruCache;
use sqlx::SqlitePool;

use super::store;
pub use super::store::{StoredEntry, digest};

/// Tiles that are remembered: 16 KB each at most, with the nodes above their hashes.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(512).expect("not 0");

/// Tiles by what they are: of one width, a tile is the same in every tree. Only proofs are made from what is remembered;
/// what is shown of a tile is what the database holds now.
type Tiles = LruCache<(TileId, u64), Arc<TileNodes>>;

/// Reads the log from a pool of its own.
#[derive(Clone)]
pub struct LogReader {
    pool: SqlitePool,
    tiles: Arc<Mutex<Tiles>>,
}

impl LogReader {
    /// Reads through this pool.
    pub fn new(pool: SqlitePool) -> Self {
        Self { pool, tiles: Arc::new(Mutex::new(LruCache::new(REMEMBERED))) }
    }

    /// The entry at an index.
    pub async fn entry(&self, index: u64) -> sqlx::Result<Option<StoredEntry>> {
        store::entry(&self.pool, index).await
    }

    /// The index of an entry by its digest.
    pub async fn index_of(&self, digest: &Sha256Digest) -> sqlx::Result<Option<u64>> {
        store::index_of(&self.pool, digest).await
    }

    /// The proof that entry `index` is in the tree of `size` entries; `None` if it is not.
    pub async fn inclusion(&self, index: u64, size: u64) -> sqlx::Result<Option<Vec<Sha256Digest>>> {
        match Plan::inclusion(index, size) {
            Some(plan) => self.assemble(&plan, size).await,
            None => Ok(None),
        }
    }

    /// The proof that the tree of `new` entries begins with the tree of `old`; `None` if that cannot be proved.
    pub async fn consistency(&self, old: u64, new: u64) -> sqlx::Result<Option<Vec<Sha256Digest>>> {
        match Plan::consistency(old, new) {
            Some(plan) => self.assemble(&plan, new).await,
            None => Ok(None),
        }
    }

    /// The root of the tree of the first `size` entries.
    pub async fn root(&self, size: u64) -> sqlx::Result<Sha256Digest> {
        let nodes = cover(0, size);
        let tiles = self.tiles(nodes.iter().copied(), size).await?;
        let hashes: Option<Vec<_>> =
            nodes.iter().map(|node| tiles.get(&tile_of(*node))?.get(*node)).collect();
        match hashes {
            Some(hashes) => Ok(fold_right(&hashes).unwrap_or_else(empty_root)),
            None => Err(sqlx::Error::RowNotFound),
        }
    }

    /// Entries with their proofs in the tree of `size` entries, by their indexes; those that are not in it are left out.
    pub async fn logged_at(&self, indexes: &[u64], size: u64) -> sqlx::Result<BTreeMap<u64, LoggedEntry>> {
        let mut logged = BTreeMap::new();
        for entry in store::entries_at(&self.pool, indexes).await? {
            let index = entry.index;
            logged.extend(self.proven(entry, size).await?.map(|entry| (index, entry)));
        }
        Ok(logged)
    }

    /// The entry by which the log's key was handed on, under the first tree head that covers it: both keys signed that.
    pub async fn hand_over(&self, index: u64) -> sqlx::Result<Option<HandOver>> {
        let Some((size, tree_head)) = store::first_head_over(&self.pool, index).await? else {
            return Ok(None);
        };
        Ok(self.logged(index, size).await?.map(|statement| HandOver { statement, tree_head }))
    }

    /// The bundle of the entries `[from, from + count)`; none if the database has lost one of them.
    pub async fn entry_bundle(&self, from: u64, count: u64) -> sqlx::Result<Option<Vec<u8>>> {
        let Some((bytes, lengths)) = store::records(&self.pool, from, count).await? else { return Ok(None) };
        let mut rest = bytes.as_slice();
        let cut = |length| {
            let (record, behind) = rest.split_at(length);
            rest = behind;
            record
        };
        let bundle = entry_bundle(&lengths.into_iter().map(cut).collect::<Vec<_>>());
        bundle.map(Some).ok_or_else(|| sqlx::Error::Decode("an entry is longer than a leaf may be".into()))
    }

    async fn logged(&self, index: u64, size: u64) -> sqlx::Result<Option<LoggedEntry>> {
        match self.entry(index).await? {
            Some(entry) => self.proven(entry, size).await,
            None => Ok(None),
        }
    }

    async fn proven(&self, entry: StoredEntry, size: u64) -> sqlx::Result<Option<LoggedEntry>> {
        let inclusion = self.inclusion(entry.index, size).await?;
        Ok(inclusion.map(|inclusion| LoggedEntry {
            record: STANDARD.encode(&entry.record),
            index: entry.index,
            inclusion,
        }))
    }

    async fn assemble(&self, plan: &Plan, size: u64) -> sqlx::Result<Option<Vec<Sha256Digest>>> {
        let tiles = self.tiles(plan.nodes(), size).await?;
        Ok(plan.assemble(|node: Node| tiles.get(&tile_of(node))?.get(node)))
    }

    /// The tiles that hold the nodes.
    async fn tiles(
        &self,
        nodes: impl Iterator<Item = Node>,
        size: u64,
    ) -> sqlx::Result<HashMap<TileId, Arc<TileNodes>>> {
        let mut tiles = HashMap::new();
        for tile in nodes.map(tile_of) {
            if let std::collections::hash_map::Entry::Vacant(slot) = tiles.entry(tile) {
                slot.insert(self.remembered(tile, size).await?);
            }
        }
        Ok(tiles)
    }

    async fn remembered(&self, tile: TileId, size: u64) -> sqlx::Result<Arc<TileNodes>> {
        let name = (tile, width(tile, size));
        let held = self.tiles.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
        if let Some(nodes) = held {
            return Ok(nodes);
        }
        let hashes = self.tile(tile, size).await?;
        // One that lacks hashes is damaged, and may be restored.
        let is_whole = hashes.len() as u64 == name.1;
        let nodes = Arc::new(TileNodes::new(hashes));
        if is_whole {
            self.tiles.lock().unwrap_or_else(PoisonError::into_inner).put(name, Arc::clone(&nodes));
        }
        Ok(nodes)
    }

    /// A tile's hashes in the tree of `size` entries: stored where full, cut from the level below where partial.
    pub async fn tile(&self, tile: TileId, size: u64) -> sqlx::Result<Vec<Sha256Digest>> {
        let wide = width(tile, size);
        if wide == TILE_WIDTH
            && let Some(hashes) = store::tile(&self.pool, tile).await?
        {
            return Ok(hashes);
        }
        let from = tile.index * TILE_WIDTH;
        match tile.level {
            0 => store::leaf_hashes(&self.pool, from, wide).await,
            level => store::tile_roots(&self.pool, level - 1, from, wide).await,
        }
    }

    /// A tile's hashes as they are shown to everybody: none where hashes are missing, and where a full tile is not stored.
    /// That one could be made again; to show it would hide that the database lost something.
    pub async fn shown_tile(&self, tile: TileId, size: u64) -> sqlx::Result<Option<Vec<Sha256Digest>>> {
        let wide = width(tile, size);
        let hashes = match wide {
            TILE_WIDTH => store::tile(&self.pool, tile).await?,
            _ => Some(self.tile(tile, size).await?),
        };
        Ok(hashes.filter(|hashes| hashes.len() as u64 == wide))
    }
}
