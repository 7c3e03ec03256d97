//! Sessions.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query, query_as};

/// A session with its account's role.
#[derive(Debug, Clone)]
pub struct SessionRow {
    /// The account.
    pub account: String,
    /// Its role's code.
    pub role: String,
    /// The token of its forms.
    pub form_token: String,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last used.
    pub last_seen_at: i64,
}

/// Adds a session.
pub async fn insert(
    pool: &SqlitePool,
    hash: &Sha256Digest,
    account: &str,
    form_token: &str,
    now: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into session (token_hash, account, form_token, created_at, last_seen_at) values (?, ?, ?, ?, ?)",
        hash,
        account,
        form_token,
        now,
        now
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The session of a token.
pub async fn find(pool: &SqlitePool, hash: &Sha256Digest) -> sqlx::Result<Option<SessionRow>> {
    let hash = &hash.0[..];
    query_as!(
        SessionRow,
        "select session.account, account.role, session.form_token, session.created_at, session.last_seen_at
         from session join account on account.name = session.account
         where session.token_hash = ?",
        hash
    )
    .fetch_optional(pool)
    .await
}

/// Writes down that a session was used.
pub async fn touch(pool: &SqlitePool, hash: &Sha256Digest, now: i64) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!("update session set last_seen_at = ? where token_hash = ?", now, hash).execute(pool).await?;
    Ok(())
}

/// Ends a session.
pub async fn delete(pool: &SqlitePool, hash: &Sha256Digest) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!("delete from session where token_hash = ?", hash).execute(pool).await?;
    Ok(())
}
