//! Entries as a list.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query};

use crate::log::reader::digest;

/// What is known of an entry without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryFacts {
    /// Its index.
    pub index: u64,
    /// Its digest.
    pub digest: Sha256Digest,
    /// Its statement's predicate type.
    pub predicate_type: String,
    /// Who signed it.
    pub signer: String,
    /// When it was logged, in milliseconds since 1970.
    pub logged_at: i64,
}

/// Entries below `before`, newest first.
pub async fn newest(pool: &SqlitePool, before: u64, limit: u32) -> sqlx::Result<Vec<EntryFacts>> {
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    let rows = query!(
        "select entry.idx, entry.digest, entry.logged_at, entry_meta.predicate_type, entry_meta.signer
         from entry join entry_meta on entry_meta.idx = entry.idx
         where entry.idx < ? order by entry.idx desc limit ?",
        before,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(EntryFacts {
                index: row.idx as u64,
                digest: digest(&row.digest)?,
                predicate_type: row.predicate_type,
                signer: row.signer,
                logged_at: row.logged_at,
            })
        })
        .collect()
}

/// What is known of one entry.
pub async fn facts(pool: &SqlitePool, index: u64) -> sqlx::Result<Option<EntryFacts>> {
    Ok(newest(pool, index.saturating_add(1), 1).await?.into_iter().find(|facts| facts.index == index))
}
