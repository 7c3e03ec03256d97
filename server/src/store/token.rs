//! Tokens: one-time ones that enrol a key, and the ones that agents show to the API.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query, query_as};

use crate::db::Database;

/// A use of a token is written down at most this often.
const TOUCH_MS: i64 = 60 * 1000;

/// A one-time token.
#[derive(Debug, Clone)]
pub struct EnrolmentToken {
    /// The agent that it is for.
    pub agent: String,
    /// Who issued it.
    pub issued_by: String,
    /// When it ends, in milliseconds since 1970.
    pub expires_at: i64,
    /// The key that used it.
    pub used_by: Option<Vec<u8>>,
}

/// An agent's token.
#[derive(Debug, Clone)]
pub struct AgentToken {
    /// The agent.
    pub agent: String,
    /// When it ends.
    pub expires_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

/// Issues a one-time token.
pub async fn insert_enrolment(
    pool: &SqlitePool,
    hash: &Sha256Digest,
    agent: &str,
    issued_by: &str,
    now: i64,
    expires_at: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into enrolment_token (token_hash, agent, issued_by, issued_at, expires_at) values (?, ?, ?, ?, ?)",
        hash,
        agent,
        issued_by,
        now,
        expires_at
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The one-time token of a hash.
pub async fn find_enrolment(pool: &SqlitePool, hash: &Sha256Digest) -> sqlx::Result<Option<EnrolmentToken>> {
    let hash = &hash.0[..];
    query_as!(
        EnrolmentToken,
        "select agent, issued_by, expires_at, used_by from enrolment_token where token_hash = ?",
        hash
    )
    .fetch_optional(pool)
    .await
}

/// Marks a one-time token as used by a key; `false` if another key was faster.
pub async fn use_enrolment(
    pool: &SqlitePool,
    hash: &Sha256Digest,
    key_id: &Sha256Digest,
) -> sqlx::Result<bool> {
    let (hash, key_id) = (&hash.0[..], &key_id.0[..]);
    let done = query!(
        "update enrolment_token set used_by = ?1 where token_hash = ?2 and (used_by is null or used_by = ?1)",
        key_id,
        hash
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Issues an agent's token.
pub async fn insert_agent_token(
    pool: &SqlitePool,
    hash: &Sha256Digest,
    agent: &str,
    now: i64,
    expires_at: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into agent_token (token_hash, agent, issued_at, expires_at) values (?, ?, ?, ?)",
        hash,
        agent,
        now,
        expires_at
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The agent's token of a hash.
pub async fn find_agent_token(pool: &SqlitePool, hash: &Sha256Digest) -> sqlx::Result<Option<AgentToken>> {
    let hash = &hash.0[..];
    query_as!(
        AgentToken,
        "select agent, expires_at, last_used_at from agent_token where token_hash = ?",
        hash
    )
    .fetch_optional(pool)
    .await
}

/// Writes down that a token was used.
pub async fn touch_agent_token(
    database: &Database,
    hash: &Sha256Digest,
    last_used_at: Option<i64>,
    now: i64,
) -> sqlx::Result<()> {
    if last_used_at.is_some_and(|last| now - last < TOUCH_MS) {
        return Ok(());
    }
    let hash = &hash.0[..];
    query!("update agent_token set last_used_at = ? where token_hash = ?", now, hash)
        .execute(&database.write)
        .await?;
    Ok(())
}
