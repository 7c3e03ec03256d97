//! Reading the log: entries, proofs, and everything that is needed to verify an entry.

use std::collections::HashMap;

use acta_ledger::log::{
    digest::Sha256Digest,
    merkle::{empty_root, fold_right},
    proof::{Node, Plan, cover},
    tile::{TILE_WIDTH, TileId, node_in_tile, tile_of, width},
    verification::{HandOver, LoggedEntry, Material},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sqlx::SqlitePool;

pub use super::store::{StoredEntry, digest};
use super::{SignedHead, store};

/// Reads the log from a pool of its own.
#[derive(Clone)]
pub struct LogReader {
    pool: SqlitePool,
}

impl LogReader {
    /// Reads through this pool.
    pub fn new(pool: SqlitePool) -> Self {
        Self { pool }
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
            nodes.iter().map(|node| node_in_tile(*node, tiles.get(&tile_of(*node))?)).collect();
        match hashes {
            Some(hashes) => Ok(fold_right(&hashes).unwrap_or_else(empty_root)),
            None => Err(sqlx::Error::RowNotFound),
        }
    }

    /// The entry, the history of its agent's keys and the proofs under the tree head.
    ///
    /// `history` are the entries about the agent's keys, in the log's order; `hand_overs` those of the log's key.
    pub async fn material(
        &self,
        index: u64,
        history: &[u64],
        hand_overs: Vec<HandOver>,
        head: &SignedHead,
    ) -> sqlx::Result<Option<Material>> {
        let Some(entry) = self.logged(index, head.head.size).await? else { return Ok(None) };
        let mut key_history = Vec::with_capacity(history.len());
        for index in history {
            key_history.extend(self.logged(*index, head.head.size).await?);
        }
        Ok(Some(Material { entry, key_history, hand_overs, tree_head: head.note.clone() }))
    }

    /// The entry by which the log's key was handed on, under the first tree head that covers it: both keys signed that.
    pub async fn hand_over(&self, index: u64) -> sqlx::Result<Option<HandOver>> {
        let Some((size, tree_head)) = store::first_head_over(&self.pool, index).await? else {
            return Ok(None);
        };
        Ok(self.logged(index, size).await?.map(|statement| HandOver { statement, tree_head }))
    }

    /// The entries `[from, from + count)`.
    pub async fn records(&self, from: u64, count: u64) -> sqlx::Result<Vec<Vec<u8>>> {
        store::records(&self.pool, from, count).await
    }

    async fn logged(&self, index: u64, size: u64) -> sqlx::Result<Option<LoggedEntry>> {
        let (Some(entry), Some(inclusion)) = (self.entry(index).await?, self.inclusion(index, size).await?)
        else {
            return Ok(None);
        };
        Ok(Some(LoggedEntry { record: STANDARD.encode(&entry.record), index, inclusion }))
    }

    async fn assemble(&self, plan: &Plan, size: u64) -> sqlx::Result<Option<Vec<Sha256Digest>>> {
        let tiles = self.tiles(plan.nodes(), size).await?;
        Ok(plan.assemble(|node: Node| node_in_tile(node, tiles.get(&tile_of(node))?)))
    }

    /// The tiles that hold the nodes.
    async fn tiles(
        &self,
        nodes: impl Iterator<Item = Node>,
        size: u64,
    ) -> sqlx::Result<HashMap<TileId, Vec<Sha256Digest>>> {
        let mut tiles = HashMap::new();
        for tile in nodes.map(tile_of) {
            if let std::collections::hash_map::Entry::Vacant(slot) = tiles.entry(tile) {
                slot.insert(self.tile(tile, size).await?);
            }
        }
        Ok(tiles)
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
