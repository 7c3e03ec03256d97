//! Evidence packs: the entries that may belong to one.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query, query_scalar};

/// One attempt at a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its run's id.
    pub id: String,
    /// Its entry.
    pub entry: u64,
    /// The run that it retries.
    pub retry_of: Option<String>,
}

/// A run and those that retry it.
pub async fn attempts(pool: &SqlitePool, run: &str) -> sqlx::Result<Vec<Attempt>> {
    let rows = query!("select id, entry, retry_of from run where id = ?1 or retry_of = ?1 order by id", run)
        .fetch_all(pool)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| Attempt { id: row.id, entry: row.entry as u64, retry_of: row.retry_of })
        .collect())
}

/// The entries of the acceptance test that made a run.
pub async fn acceptance_of(pool: &SqlitePool, run: &str) -> sqlx::Result<Vec<u64>> {
    let entries = query_scalar!(
        "select acceptance.entry from acceptance_run join acceptance on acceptance.id = acceptance_run.acceptance
         where acceptance_run.run = ?",
        run
    )
    .fetch_all(pool)
    .await?;
    Ok(entries.into_iter().map(|entry| entry as u64).collect())
}

/// The entries that speak of a digest or mention it.
pub async fn about(pool: &SqlitePool, digest: &Sha256Digest) -> sqlx::Result<Vec<u64>> {
    let digest = &digest.0[..];
    let mut entries =
        query_scalar!("select idx from subject where digest = ?", digest).fetch_all(pool).await?;
    entries.extend(query_scalar!("select idx from mention where digest = ?", digest).fetch_all(pool).await?);
    Ok(entries.into_iter().map(|entry| entry as u64).collect())
}

/// The entries of a predicate type.
pub async fn of_type(pool: &SqlitePool, predicate_type: &str) -> sqlx::Result<Vec<u64>> {
    let entries =
        query_scalar!("select idx from entry_meta where predicate_type = ? order by idx", predicate_type)
            .fetch_all(pool)
            .await?;
    Ok(entries.into_iter().map(|entry| entry as u64).collect())
}
