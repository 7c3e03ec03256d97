//! Sessions.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query, query_as};

use crate::{db::Connection, log::reader::digest};

/// A session with its account's role.
#[derive(Debug, Clone)]
pub struct SessionRow {
    /// The account.
    pub account: String,
    /// Its role's code.
    pub role: String,
    /// Its time zone, by its name in the IANA database; none for UTC.
    pub zone: Option<String>,
    /// The token of its forms.
    pub form_token: String,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last used.
    pub last_seen_at: i64,
    /// When the password was last given.
    pub authenticated_at: i64,
}

/// Adds a session of a person who gave the password just now.
pub async fn insert(
    pool: &SqlitePool,
    hash: &Sha256Digest,
    account: &str,
    form_token: &str,
    user_agent: &str,
    now: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into session (token_hash, account, form_token, user_agent, created_at, last_seen_at, authenticated_at)
         values (?1, ?2, ?3, ?4, ?5, ?5, ?5)",
        hash,
        account,
        form_token,
        user_agent,
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
        "select session.account, account.role, account.zone, session.form_token, session.created_at,
                session.last_seen_at, session.authenticated_at
         from session join account on account.name = session.account
         where session.token_hash = ? and account.disabled_at is null",
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

/// A session as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionInfo {
    /// The token's hash: what is revoked by.
    pub hash: Sha256Digest,
    /// What the browser called itself.
    pub user_agent: String,
    /// When it began, in milliseconds since 1970.
    pub created_at: i64,
    /// When it was last used.
    pub last_seen_at: i64,
}

/// The sessions of an account, newest first.
pub async fn list(pool: &SqlitePool, account: &str) -> sqlx::Result<Vec<SessionInfo>> {
    let rows = query!(
        "select token_hash, user_agent, created_at, last_seen_at from session where account = ? order by created_at desc",
        account
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(SessionInfo {
                hash: digest(&row.token_hash)?,
                user_agent: row.user_agent,
                created_at: row.created_at,
                last_seen_at: row.last_seen_at,
            })
        })
        .collect()
}

/// Ends a session of this account; `false` if there is none.
pub async fn revoke(pool: &SqlitePool, account: &str, hash: &Sha256Digest) -> sqlx::Result<bool> {
    let hash = &hash.0[..];
    let done = query!("delete from session where token_hash = ? and account = ?", hash, account)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends every session of an account; how many there were.
pub async fn end_all(connection: &mut Connection, account: &str) -> sqlx::Result<u64> {
    let done = query!("delete from session where account = ?", account).execute(connection).await?;
    Ok(done.rows_affected())
}

/// Writes down that the person gave the password again.
pub async fn authenticate(pool: &SqlitePool, hash: &Sha256Digest, now: i64) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!("update session set authenticated_at = ? where token_hash = ?", now, hash).execute(pool).await?;
    Ok(())
}
