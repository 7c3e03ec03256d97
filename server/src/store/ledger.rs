//! Entries as a list.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query_as, query_scalar};

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

struct Row {
    idx: i64,
    digest: Vec<u8>,
    logged_at: i64,
    predicate_type: String,
    signer: String,
}

impl Row {
    fn facts(self) -> sqlx::Result<EntryFacts> {
        Ok(EntryFacts {
            index: self.idx as u64,
            digest: digest(&self.digest)?,
            predicate_type: self.predicate_type,
            signer: self.signer,
            logged_at: self.logged_at,
        })
    }
}

/// Entries below `before`, newest first.
pub async fn newest(pool: &SqlitePool, before: u64, limit: u32) -> sqlx::Result<Vec<EntryFacts>> {
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    let rows = query_as!(
        Row,
        "select entry.idx, entry.digest, entry.logged_at, entry_meta.predicate_type, entry_meta.signer
         from entry join entry_meta on entry_meta.idx = entry.idx
         where entry.idx < ? order by entry.idx desc limit ?",
        before,
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Row::facts).collect()
}

/// What is known of one entry.
pub async fn facts(pool: &SqlitePool, index: u64) -> sqlx::Result<Option<EntryFacts>> {
    Ok(facts_of(pool, &[index]).await?.pop())
}

/// What is known of some entries, in the order of the log.
pub async fn facts_of(pool: &SqlitePool, indexes: &[u64]) -> sqlx::Result<Vec<EntryFacts>> {
    let indexes = serde_json::json!(indexes).to_string();
    let rows = query_as!(
        Row,
        "select entry.idx, entry.digest, entry.logged_at, entry_meta.predicate_type, entry_meta.signer
         from entry join entry_meta on entry_meta.idx = entry.idx
         where entry.idx in (select value from json_each(?)) order by entry.idx",
        indexes
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Row::facts).collect()
}

/// The first entry of a predicate type about a subject.
pub async fn first_about(
    pool: &SqlitePool,
    subject: &Sha256Digest,
    predicate_type: &str,
) -> sqlx::Result<Option<u64>> {
    let subject = &subject.0[..];
    let index = query_scalar!(
        r#"select min(subject.idx) as "idx: i64" from subject join entry_meta on entry_meta.idx = subject.idx
           where subject.digest = ? and entry_meta.predicate_type = ?"#,
        subject,
        predicate_type
    )
    .fetch_one(pool)
    .await?;
    Ok(index.map(|index| index as u64))
}
