//! The log's tables.

use std::collections::HashMap;

use acta_ledger::log::{digest::Sha256Digest, entry::Entry, merkle::Frontier, tile::TileId};
use serde::de::DeserializeOwned;
use sqlx::{QueryBuilder, Sqlite, SqliteExecutor, query, query_as, query_scalar};

use crate::db::{Connection, groups};

/// Entries that are read at once by whoever reads all of them.
pub(crate) const CHUNK: u64 = 512;

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its index.
    pub index: u64,
    /// The digest under which it was stored.
    pub digest: Sha256Digest,
    /// The leaf hash that the tree was made with.
    pub leaf_hash: Sha256Digest,
    /// Its bytes as they are now.
    pub record: Vec<u8>,
    /// When it was logged, in milliseconds since 1970.
    pub logged_at: i64,
}

struct Row {
    idx: i64,
    digest: Vec<u8>,
    leaf_hash: Vec<u8>,
    record: Vec<u8>,
    logged_at: i64,
}

impl Row {
    fn entry(self) -> sqlx::Result<StoredEntry> {
        Ok(StoredEntry {
            index: self.idx as u64,
            digest: digest(&self.digest)?,
            leaf_hash: digest(&self.leaf_hash)?,
            record: self.record,
            logged_at: self.logged_at,
        })
    }
}

/// Reads 32 stored bytes; the schema's checks guarantee the length, so anything else is damage.
pub fn digest(bytes: &[u8]) -> sqlx::Result<Sha256Digest> {
    Sha256Digest::from_slice(bytes)
        .ok_or_else(|| sqlx::Error::Decode(format!("a digest of {} bytes", bytes.len()).into()))
}

/// Inserts entries at the indexes from `first` on. Many rows a statement: the query macros know no such statement.
pub(super) async fn insert_entries(
    connection: &mut Connection,
    first: u64,
    rows: &[&Entry],
    logged_at: i64,
) -> sqlx::Result<()> {
    let numbered: Vec<_> = (first as i64..).zip(rows).collect();
    for group in groups(&numbered) {
        let mut insert =
            QueryBuilder::<Sqlite>::new("insert into entry (idx, digest, leaf_hash, record, logged_at) ");
        insert.push_values(group, |mut row, (index, entry)| {
            row.push_bind(*index)
                .push_bind(entry.digest().0.to_vec())
                .push_bind(entry.leaf_hash().0.to_vec());
            row.push_bind(entry.bytes()).push_bind(logged_at);
        });
        insert.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Which of the digests are logged, and where.
pub(super) async fn known(
    connection: &mut Connection,
    digests: &[Sha256Digest],
) -> sqlx::Result<HashMap<Sha256Digest, u64>> {
    let wanted = serde_json::json!(digests).to_string();
    let rows = query!(
        "select idx, digest from entry where digest in (select unhex(value) from json_each(?))",
        wanted
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter().map(|row| Ok((digest(&row.digest)?, row.idx as u64))).collect()
}

pub(super) async fn index_of<'e>(
    executor: impl SqliteExecutor<'e>,
    digest: &Sha256Digest,
) -> sqlx::Result<Option<u64>> {
    let digest = &digest.0[..];
    let index =
        query_scalar!("select idx from entry where digest = ?", digest).fetch_optional(executor).await?;
    Ok(index.map(|index| index as u64))
}

pub(super) async fn entry<'e>(
    executor: impl SqliteExecutor<'e>,
    index: u64,
) -> sqlx::Result<Option<StoredEntry>> {
    if i64::try_from(index).is_err() {
        return Ok(None);
    }
    Ok(entries(executor, index, 1).await?.pop())
}

/// The entries `[from, from + count)`, as far as they are there.
pub(crate) async fn entries<'e>(
    executor: impl SqliteExecutor<'e>,
    from: u64,
    count: u64,
) -> sqlx::Result<Vec<StoredEntry>> {
    let (from, to) = (from as i64, (from + count) as i64);
    let rows = query_as!(
        Row,
        "select idx, digest, leaf_hash, record, logged_at from entry where idx >= ? and idx < ? order by idx",
        from,
        to
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter().map(Row::entry).collect()
}

/// The entries at some indexes, as far as they are there, in the order of the log.
pub(super) async fn entries_at<'e>(
    executor: impl SqliteExecutor<'e>,
    indexes: &[u64],
) -> sqlx::Result<Vec<StoredEntry>> {
    let indexes = serde_json::json!(indexes).to_string();
    let rows = query_as!(
        Row,
        "select idx, digest, leaf_hash, record, logged_at from entry
         where idx in (select value from json_each(?)) order by idx",
        indexes
    )
    .fetch_all(executor)
    .await?;
    rows.into_iter().map(Row::entry).collect()
}

/// How many rows the log has, whatever its size says.
pub(crate) async fn count<'e>(executor: impl SqliteExecutor<'e>) -> sqlx::Result<u64> {
    let rows = query_scalar!(r#"select count(*) as "rows!: i64" from entry"#).fetch_one(executor).await?;
    Ok(rows as u64)
}

/// The leaf hashes of the entries `[from, from + count)`, as far as they are there. One row of all of them: each row takes a
/// turn of two threads, which costs more than all these hashes.
pub(super) async fn leaf_hashes<'e>(
    executor: impl SqliteExecutor<'e>,
    from: u64,
    count: u64,
) -> sqlx::Result<Vec<Sha256Digest>> {
    let (from, to) = (from as i64, (from + count) as i64);
    let hashes = query_scalar!(
        r#"select json_group_array(lower(hex(leaf_hash)) order by idx) as "hashes!: String"
           from entry where idx >= ? and idx < ?"#,
        from,
        to
    )
    .fetch_one(executor)
    .await?;
    listed(&hashes)
}

/// What one row lists as JSON.
fn listed<T: DeserializeOwned>(json: &str) -> sqlx::Result<Vec<T>> {
    serde_json::from_str(json).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// The bytes of the entries `[from, from + count)`, one behind the other, and how long each is; none if one is not there.
/// In one row, as the hashes are.
pub(super) async fn records<'e>(
    executor: impl SqliteExecutor<'e>,
    from: u64,
    count: u64,
) -> sqlx::Result<Option<(Vec<u8>, Vec<usize>)>> {
    let wanted: Vec<u64> = (from..from + count).collect();
    let (from, to) = (from as i64, (from + count) as i64);
    // SQLite goes through the rows in the order of the key without being told; told so, it copies all of them into a sorter
    // first. The indexes show in which order it went.
    let row = query!(
        r#"select cast(group_concat(record, '') as blob) as "bytes: Vec<u8>",
                  json_group_array(length(record)) as "lengths!: String",
                  json_group_array(idx) as "indexes!: String"
           from entry where idx >= ? and idx < ?"#,
        from,
        to
    )
    .fetch_one(executor)
    .await?;
    let mut indexes: Vec<u64> = listed(&row.indexes)?;
    if indexes != wanted {
        indexes.sort_unstable();
        return if indexes == wanted {
            Err(sqlx::Error::Decode("entries were read out of their order".into()))
        } else {
            Ok(None)
        };
    }
    let (bytes, lengths): (_, Vec<usize>) = (row.bytes.unwrap_or_default(), listed(&row.lengths)?);
    if lengths.iter().sum::<usize>() != bytes.len() {
        return Err(sqlx::Error::Decode("entries are not as long as they say".into()));
    }
    Ok(Some((bytes, lengths)))
}

pub(super) async fn last_logged_at<'e>(executor: impl SqliteExecutor<'e>) -> sqlx::Result<i64> {
    let last = query_scalar!("select logged_at from entry order by idx desc limit 1")
        .fetch_optional(executor)
        .await?;
    Ok(last.unwrap_or(0))
}

pub(super) async fn insert_tile(
    connection: &mut Connection,
    tile: TileId,
    hashes: &[Sha256Digest],
    root: &Sha256Digest,
) -> sqlx::Result<()> {
    let (level, index) = (i64::from(tile.level), tile.index as i64);
    let (hashes, root) = (hashes.iter().flat_map(|hash| hash.0).collect::<Vec<u8>>(), &root.0[..]);
    query!("insert into tile (level, idx, hashes, root) values (?, ?, ?, ?)", level, index, hashes, root)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn tile<'e>(
    executor: impl SqliteExecutor<'e>,
    tile: TileId,
) -> sqlx::Result<Option<Vec<Sha256Digest>>> {
    let (level, index) = (i64::from(tile.level), tile.index as i64);
    let hashes = query_scalar!("select hashes from tile where level = ? and idx = ?", level, index)
        .fetch_optional(executor)
        .await?;
    hashes.map(|hashes| hashes.chunks(32).map(digest).collect()).transpose()
}

/// A full tile: its hashes and the root that stands for it one level up.
pub(crate) async fn full_tile<'e>(
    executor: impl SqliteExecutor<'e>,
    tile: TileId,
) -> sqlx::Result<Option<(Vec<Sha256Digest>, Sha256Digest)>> {
    let (level, index) = (i64::from(tile.level), tile.index as i64);
    let row = query!("select hashes, root from tile where level = ? and idx = ?", level, index)
        .fetch_optional(executor)
        .await?;
    row.map(|row| Ok((row.hashes.chunks(32).map(digest).collect::<sqlx::Result<_>>()?, digest(&row.root)?)))
        .transpose()
}

pub(super) async fn tile_roots<'e>(
    executor: impl SqliteExecutor<'e>,
    level: u8,
    from: u64,
    count: u64,
) -> sqlx::Result<Vec<Sha256Digest>> {
    let (level, from, to) = (i64::from(level), from as i64, (from + count) as i64);
    let roots = query_scalar!(
        r#"select json_group_array(lower(hex(root)) order by idx) as "roots!: String"
           from tile where level = ? and idx >= ? and idx < ?"#,
        level,
        from,
        to
    )
    .fetch_one(executor)
    .await?;
    listed(&roots)
}

/// The log's size.
pub(crate) async fn size<'e>(executor: impl SqliteExecutor<'e>) -> sqlx::Result<u64> {
    let size = query_scalar!("select size from log_state where id = 1").fetch_one(executor).await?;
    Ok(size as u64)
}

/// The size and the frontier that belongs to it.
pub(crate) async fn frontier<'e>(executor: impl SqliteExecutor<'e>) -> sqlx::Result<Frontier> {
    let row = query!("select size, frontier from log_state where id = 1").fetch_one(executor).await?;
    let hashes = row.frontier.chunks(32).map(digest).collect::<sqlx::Result<_>>()?;
    Frontier::from_parts(row.size as u64, hashes)
        .ok_or_else(|| sqlx::Error::Decode("the frontier does not fit the log's size".into()))
}

pub(super) async fn set_frontier(connection: &mut Connection, frontier: &Frontier) -> sqlx::Result<()> {
    let size = frontier.size() as i64;
    let hashes: Vec<u8> = frontier.hashes().iter().flat_map(|hash| hash.0).collect();
    query!("update log_state set size = ?, frontier = ? where id = 1", size, hashes)
        .execute(connection)
        .await?;
    Ok(())
}

/// A stored tree head: size, note, time.
pub(super) async fn newest_head<'e>(
    executor: impl SqliteExecutor<'e>,
) -> sqlx::Result<Option<(u64, String, i64)>> {
    let row = query!("select size, note, signed_at from tree_head order by size desc limit 1")
        .fetch_optional(executor)
        .await?;
    Ok(row.map(|row| (row.size as u64, row.note, row.signed_at)))
}

/// The first signed tree head that covers an entry: size, note.
pub(crate) async fn first_head_over<'e>(
    executor: impl SqliteExecutor<'e>,
    index: u64,
) -> sqlx::Result<Option<(u64, String)>> {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let row = query!("select size, note from tree_head where size > ? order by size limit 1", index)
        .fetch_optional(executor)
        .await?;
    Ok(row.map(|row| (row.size as u64, row.note)))
}

/// The stored tree heads of the sizes `[from, from + count)`: size, note.
pub(crate) async fn heads<'e>(
    executor: impl SqliteExecutor<'e>,
    from: u64,
    count: u64,
) -> sqlx::Result<Vec<(u64, String)>> {
    let (from, to) = (from as i64, (from + count) as i64);
    let rows =
        query!("select size, note from tree_head where size >= ? and size < ? order by size", from, to)
            .fetch_all(executor)
            .await?;
    Ok(rows.into_iter().map(|row| (row.size as u64, row.note)).collect())
}

/// Stores a signed tree head; fails if there is one for this size already.
pub(super) async fn insert_head(
    connection: &mut Connection,
    size: u64,
    note: &str,
    signed_at: i64,
) -> sqlx::Result<()> {
    let size = size as i64;
    query!("insert into tree_head (size, note, signed_at) values (?, ?, ?)", size, note, signed_at)
        .execute(connection)
        .await?;
    Ok(())
}
