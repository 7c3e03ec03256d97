//! Tokens: one-time ones that enrol a key, and the ones that agents show to the API.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query, query_as};

use crate::{db::Database, log::reader::digest};

/// A use of a token is written down at most this often.
const TOUCH_MS: i64 = 60 * 1000;

/// A one-time token.
#[derive(Debug, Clone)]
pub struct EnrolmentToken {
    /// The agent that it is for.
    pub agent: String,
    /// Who issued it.
    pub issued_by: String,
    /// The account that will own the agent.
    pub owner: Option<String>,
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
    token: &EnrolmentToken,
    now: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into enrolment_token (token_hash, agent, issued_by, owner, issued_at, expires_at)
         values (?, ?, ?, ?, ?, ?)",
        hash,
        token.agent,
        token.issued_by,
        token.owner,
        now,
        token.expires_at
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
        "select agent, issued_by, owner, expires_at, used_by from enrolment_token where token_hash = ?",
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

/// A person's token with the account's role.
#[derive(Debug, Clone)]
pub struct ApiToken {
    /// The account.
    pub account: String,
    /// Its role's code.
    pub role: String,
    /// When it ends.
    pub expires_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

/// A person's token as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiTokenInfo {
    /// The token's hash: what is revoked by.
    pub hash: Sha256Digest,
    /// What it is for.
    pub label: String,
    /// When it was issued, in milliseconds since 1970.
    pub issued_at: i64,
    /// When it ends.
    pub expires_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

/// Issues a person's token.
pub async fn insert_api_token(
    pool: &SqlitePool,
    hash: &Sha256Digest,
    account: &str,
    label: &str,
    now: i64,
    expires_at: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into api_token (token_hash, account, label, issued_at, expires_at) values (?, ?, ?, ?, ?)",
        hash,
        account,
        label,
        now,
        expires_at
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The person's token of a hash.
pub async fn find_api_token(pool: &SqlitePool, hash: &Sha256Digest) -> sqlx::Result<Option<ApiToken>> {
    let hash = &hash.0[..];
    query_as!(
        ApiToken,
        "select api_token.account, account.role, api_token.expires_at, api_token.last_used_at
         from api_token join account on account.name = api_token.account
         where api_token.token_hash = ?",
        hash
    )
    .fetch_optional(pool)
    .await
}

/// The tokens of an account, newest first.
pub async fn list_api_tokens(pool: &SqlitePool, account: &str) -> sqlx::Result<Vec<ApiTokenInfo>> {
    let rows = query!(
        "select token_hash, label, issued_at, expires_at, last_used_at from api_token
         where account = ? order by issued_at desc",
        account
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ApiTokenInfo {
                hash: digest(&row.token_hash)?,
                label: row.label,
                issued_at: row.issued_at,
                expires_at: row.expires_at,
                last_used_at: row.last_used_at,
            })
        })
        .collect()
}

/// Revokes a token of this account; `false` if there is none.
pub async fn revoke_api_token(pool: &SqlitePool, account: &str, hash: &Sha256Digest) -> sqlx::Result<bool> {
    let hash = &hash.0[..];
    let done = query!("delete from api_token where token_hash = ? and account = ?", hash, account)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Writes down that a token was used.
pub async fn touch_api_token(
    database: &Database,
    hash: &Sha256Digest,
    last_used_at: Option<i64>,
    now: i64,
) -> sqlx::Result<()> {
    if last_used_at.is_some_and(|last| now - last < TOUCH_MS) {
        return Ok(());
    }
    let hash = &hash.0[..];
    query!("update api_token set last_used_at = ? where token_hash = ?", now, hash)
        .execute(&database.write)
        .await?;
    Ok(())
}
