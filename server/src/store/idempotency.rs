//! Keys of forms: a form that is sent twice makes one entry.

use sqlx::{SqlitePool, query, query_scalar};

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Nobody had it: go on.
    Now,
    /// It made this entry.
    Before(u64),
    /// Somebody is at it right now.
    InProgress,
}

/// Takes a key.
pub async fn take(pool: &SqlitePool, account: &str, key: &str, now: i64) -> sqlx::Result<Taken> {
    let done = query!(
        "insert into idempotency (account, key, taken_at) values (?, ?, ?) on conflict do nothing",
        account,
        key,
        now
    )
    .execute(pool)
    .await?;
    if done.rows_affected() == 1 {
        return Ok(Taken::Now);
    }
    let entry = query_scalar!("select entry from idempotency where account = ? and key = ?", account, key)
        .fetch_optional(pool)
        .await?
        .flatten();
    Ok(entry.map_or(Taken::InProgress, |entry| Taken::Before(entry as u64)))
}

/// Notes which entry a key made.
pub async fn settle(pool: &SqlitePool, account: &str, key: &str, entry: u64) -> sqlx::Result<()> {
    let entry = entry as i64;
    query!("update idempotency set entry = ? where account = ? and key = ?", entry, account, key)
        .execute(pool)
        .await?;
    Ok(())
}

/// Gives a key back: nothing was logged under it.
pub async fn release(pool: &SqlitePool, account: &str, key: &str) -> sqlx::Result<()> {
    query!("delete from idempotency where account = ? and key = ? and entry is null", account, key)
        .execute(pool)
        .await?;
    Ok(())
}
