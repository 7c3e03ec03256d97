//! Hash tiles: what of them the log's writer keeps in memory, and how missing ones are made again.

use acta_ledger::log::{
    digest::Sha256Digest,
    edge::Edge,
    tile::{TILE_WIDTH, TileId, full_root, width},
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

/// Stores those of the tiles that became full at `size` that are missing; a tile that is there and differs is returned.
pub(crate) async fn restore_full(connection: &mut Connection, size: u64) -> sqlx::Result<Option<TileId>> {
    for tile in completed(size) {
        let (hashes, root) = computed(connection, tile).await?;
        match store::full_tile(&mut *connection, tile).await? {
            None => store::insert_tile(connection, tile, &hashes, &root).await?,
            Some(stored) if stored == (hashes, root) => {}
            Some(_) => return Ok(Some(tile)),
        }
    }
    Ok(None)
}

/// The tiles that the leaf at `size - 1` completes, lowest first.
fn completed(size: u64) -> impl Iterator<Item = TileId> {
    let tiles = move |level: u8| size.checked_shr(8 * (u32::from(level) + 1)).filter(|tiles| *tiles > 0);
    (0..8u8).map_while(move |level| {
        let tiles = tiles(level)?;
        size.is_multiple_of(tiles << (8 * (u32::from(level) + 1))).then(|| TileId { level, index: tiles - 1 })
    })
}

async fn computed(
    connection: &mut Connection,
    tile: TileId,
) -> sqlx::Result<(Vec<Sha256Digest>, Sha256Digest)> {
    let from = tile.index * TILE_WIDTH;
    let hashes = match tile.level {
        0 => store::leaf_hashes(&mut *connection, from, TILE_WIDTH).await?,
        level => store::tile_roots(&mut *connection, level - 1, from, TILE_WIDTH).await?,
    };
    let lacking = || sqlx::Error::Decode(format!("tile {tile:?} lacks hashes").into());
    let root = full_root(&hashes).ok_or_else(lacking)?;
    Ok((hashes, root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_completes_the_tiles_that_end_with_it() {
        let found = |size| completed(size).map(|tile| (tile.level, tile.index)).collect::<Vec<_>>();
        for (size, tiles) in [
            (0, vec![]),
            (1, vec![]),
            (255, vec![]),
            (256, vec![(0, 0)]),
            (257, vec![]),
            (512, vec![(0, 1)]),
            (65_536, vec![(0, 255), (1, 0)]),
            (65_792, vec![(0, 256)]),
            (1 << 24, vec![(0, 65_535), (1, 255), (2, 0)]),
        ] {
            assert_eq!(found(size), tiles, "size {size}");
        }
    }
}
