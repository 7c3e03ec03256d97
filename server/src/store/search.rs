//! Search: every question is a range of an index.

use acta_app::view::search::Use;
use acta_ledger::{
    judge::search::{Prefix, RunPrefix},
    log::digest::Sha256Digest,
};
use sqlx::{SqlitePool, query, query_scalar};

use crate::log::reader::digest;

type Placed = (Sha256Digest, u64);

/// Entries below `size` whose digest begins so.
pub async fn entries(pool: &SqlitePool, prefix: &Prefix, size: u64, limit: u32) -> sqlx::Result<Vec<Placed>> {
    let (low, high) = prefix.bounds();
    let (low, high, size) = (&low.0[..], &high.0[..], size as i64);
    let rows = query!(
        "select digest, idx from entry where digest between ? and ? and idx < ? order by digest limit ?",
        low,
        high,
        size,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(|row| Ok((digest(&row.digest)?, row.idx as u64))).collect()
}

/// Entries below `size` whose leaf hash begins so.
pub async fn leaves(pool: &SqlitePool, prefix: &Prefix, size: u64, limit: u32) -> sqlx::Result<Vec<Placed>> {
    let (low, high) = prefix.bounds();
    let (low, high, size) = (&low.0[..], &high.0[..], size as i64);
    let rows = query!(
        "select leaf_hash, idx from entry where leaf_hash between ? and ? and idx < ? order by leaf_hash limit ?",
        low,
        high,
        size,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(|row| Ok((digest(&row.leaf_hash)?, row.idx as u64))).collect()
}

/// Subjects of entries below `size` whose digest begins so.
pub async fn subjects(
    pool: &SqlitePool,
    prefix: &Prefix,
    size: u64,
    limit: u32,
) -> sqlx::Result<Vec<(Sha256Digest, Use)>> {
    let (low, high) = prefix.bounds();
    let (low, high, size) = (&low.0[..], &high.0[..], size as i64);
    let rows = query!(
        "select subject.digest, subject.idx, subject.name, entry_meta.predicate_type
         from subject join entry_meta on entry_meta.idx = subject.idx
         where subject.digest between ? and ? and subject.idx < ? order by subject.digest, subject.idx limit ?",
        low,
        high,
        size,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let (entry, predicate_type) = (row.idx as u64, row.predicate_type);
            Ok((digest(&row.digest)?, Use { entry, subject: true, name: row.name, predicate_type }))
        })
        .collect()
}

/// Digests in the predicates of entries below `size` that begin so.
pub async fn mentions(
    pool: &SqlitePool,
    prefix: &Prefix,
    size: u64,
    limit: u32,
) -> sqlx::Result<Vec<(Sha256Digest, Use)>> {
    let (low, high) = prefix.bounds();
    let (low, high, size) = (&low.0[..], &high.0[..], size as i64);
    let rows = query!(
        "select mention.digest, mention.idx, entry_meta.predicate_type
         from mention join entry_meta on entry_meta.idx = mention.idx
         where mention.digest between ? and ? and mention.idx < ? order by mention.digest, mention.idx limit ?",
        low,
        high,
        size,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let (entry, predicate_type) = (row.idx as u64, row.predicate_type);
            Ok((digest(&row.digest)?, Use { entry, subject: false, name: None, predicate_type }))
        })
        .collect()
}

/// Runs whose id begins so: id and number.
pub async fn runs(pool: &SqlitePool, prefix: &RunPrefix, limit: u32) -> sqlx::Result<Vec<(String, u64)>> {
    let (low, high) = prefix.bounds();
    let rows =
        query!("select id, number from run where id >= ? and id < ? order by id limit ?", low, high, limit)
            .fetch_all(pool)
            .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.number as u64)).collect())
}

/// The run of a number.
pub async fn run_numbered(pool: &SqlitePool, number: u64) -> sqlx::Result<Option<String>> {
    let Ok(number) = i64::try_from(number) else { return Ok(None) };
    query_scalar!("select id from run where number = ?", number).fetch_optional(pool).await
}

/// Routes whose name begins so.
pub async fn routes(pool: &SqlitePool, begin: &str, limit: u32) -> sqlx::Result<Vec<String>> {
    // No text that begins so is above the beginning with the highest character behind it.
    let end = format!("{begin}\u{10ffff}");
    query_scalar!(
        "select distinct route from route_event where route >= ? and route < ? order by route limit ?",
        begin,
        end,
        limit
    )
    .fetch_all(pool)
    .await
}
