//! Hash tiles: what of them the log's writer keeps in memory, and how missing ones are stored again.

use acta_ledger::log::{
    edge::{Edge, FullTile},
    tile::{TILE_WIDTH, TileId, width},
};

use super::store;
use crate::db::Connection;

/// The right edge of the tree of `size` entries, as it is stored.
pub(super) async fn edge(connection: &mut Connection, size: u64) -> sqlx::Result<Edge> {
    let mut tiles = Vec::new();
    for level in 0..Edge::levels(size) as u8 {
        let id = TileId { level, index: (size >> (8 * u32::from(level))) / TILE_WIDTH };
        let (from, wide) = (id.index * TILE_WIDTH, width(id, size));
        tiles.push(match level {
            0 => store::leaf_hashes(&mut *connection, from, wide).await?,
            _ => store::tile_roots(&mut *connection, level - 1, from, wide).await?,
        });
    }
    Edge::from_parts(size, tiles).ok_or_else(|| {
        sqlx::Error::Decode(format!("hashes are missing at the edge of {size} entries").into())
    })
}

/// Stores a tile that is full where it is missing; says whether what is stored is this one.
pub(crate) async fn restore(connection: &mut Connection, tile: FullTile) -> sqlx::Result<bool> {
    match store::full_tile(&mut *connection, tile.id).await? {
        Some(stored) => Ok(stored == (tile.hashes, tile.root)),
        None => {
            store::insert_tile(connection, tile.id, &tile.hashes, &tile.root).await?;
            Ok(true)
        }
    }
}
