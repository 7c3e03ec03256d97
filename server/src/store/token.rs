//! Tokens: one-time ones that enrol a key, and the ones that agents and persons' programs show to the API.

use std::collections::HashMap;

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query, query_as};

use crate::{db::Connection, log::reader::digest};

/// A one-time token.
#[derive(Debug, Clone)]
pub struct EnrolmentToken {
    /// The agent that it is for.
    pub agent: String,
    /// Who issued it.
    pub issued_by: String,
    /// The account that will own the agent.
    pub owner: Option<String>,
    /// What the agent's token may be used for, by codes.
    pub scopes: String,
    /// When it ends, in milliseconds since 1970.
    pub expires_at: i64,
    /// The key that used it.
    pub used_by: Option<Vec<u8>>,
}

/// Issues a one-time token.
pub async fn insert_enrolment(
    connection: &mut Connection,
    hash: &Sha256Digest,
    token: &EnrolmentToken,
    now: i64,
) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!(
        "insert into enrolment_token (token_hash, agent, issued_by, owner, scopes, issued_at, expires_at)
         values (?, ?, ?, ?, ?, ?, ?)",
        hash,
        token.agent,
        token.issued_by,
        token.owner,
        token.scopes,
        now,
        token.expires_at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The one-time token of a hash.
pub async fn find_enrolment(pool: &SqlitePool, hash: &Sha256Digest) -> sqlx::Result<Option<EnrolmentToken>> {
    let hash = &hash.0[..];
    query_as!(
        EnrolmentToken,
        "select agent, issued_by, owner, scopes, expires_at, used_by from enrolment_token where token_hash = ?",
        hash
    )
    .fetch_optional(pool)
    .await
}

/// The one-time tokens that nobody has used and that have not ended, with their hashes, the first to end first.
pub async fn open_enrolments(
    pool: &SqlitePool,
    now: i64,
) -> sqlx::Result<Vec<(Sha256Digest, EnrolmentToken)>> {
    let rows = query!(
        "select token_hash, agent, issued_by, owner, scopes, expires_at from enrolment_token
         where used_by is null and expires_at > ? order by expires_at",
        now
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let info = EnrolmentToken {
                agent: row.agent,
                issued_by: row.issued_by,
                owner: row.owner,
                scopes: row.scopes,
                expires_at: row.expires_at,
                used_by: None,
            };
            Ok((digest(&row.token_hash)?, info))
        })
        .collect()
}

/// Takes back a one-time token that nobody has used; the agent that it was for, or none.
pub async fn revoke_enrolment(
    connection: &mut Connection,
    hash: &Sha256Digest,
) -> sqlx::Result<Option<String>> {
    let hash = &hash.0[..];
    let row =
        query!("delete from enrolment_token where token_hash = ? and used_by is null returning agent", hash)
            .fetch_optional(connection)
            .await?;
    Ok(row.map(|row| row.agent))
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

/// Whose token it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An agent's.
    Agent,
    /// A person's, for their programs.
    Account,
}

impl Kind {
    fn code(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Account => "account",
        }
    }
}

/// A token that is to be issued.
#[derive(Debug, Clone)]
pub struct NewToken<'a> {
    /// Whose.
    pub kind: Kind,
    /// The agent's or the account's name.
    pub holder: &'a str,
    /// What it is for.
    pub label: &'a str,
    /// What it may be used for, by codes.
    pub scopes: &'a str,
    /// When it ends, in milliseconds since 1970.
    pub expires_at: i64,
}

/// A token as it is shown, with the role of an account that may be used.
#[derive(Debug, Clone)]
pub struct FoundToken {
    /// `agent` or `account`.
    pub kind: String,
    /// The agent's or the account's name.
    pub holder: String,
    /// The account's role; none for an agent, and for an account that is disabled.
    pub role: Option<String>,
    /// What it may be used for, by codes.
    pub scopes: String,
    /// When it ends.
    pub expires_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

/// A token as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// The token's hash: what is revoked by.
    pub hash: Sha256Digest,
    /// The agent's or the account's name.
    pub holder: String,
    /// What it is for.
    pub label: String,
    /// What it may be used for, by codes.
    pub scopes: String,
    /// When it was issued, in milliseconds since 1970.
    pub issued_at: i64,
    /// When it ends.
    pub expires_at: i64,
    /// When it was last used.
    pub last_used_at: Option<i64>,
}

/// Issues a token.
pub async fn insert(
    connection: &mut Connection,
    hash: &Sha256Digest,
    token: &NewToken<'_>,
    now: i64,
) -> sqlx::Result<()> {
    let (hash, kind) = (&hash.0[..], token.kind.code());
    query!(
        "insert into token (token_hash, kind, holder, label, scopes, issued_at, expires_at)
         values (?, ?, ?, ?, ?, ?, ?)",
        hash,
        kind,
        token.holder,
        token.label,
        token.scopes,
        now,
        token.expires_at
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The tokens of these hashes, as far as there are any.
pub async fn find(
    pool: &SqlitePool,
    hashes: &[Sha256Digest],
) -> sqlx::Result<HashMap<Sha256Digest, FoundToken>> {
    let wanted = serde_json::json!(hashes).to_string();
    let rows = query!(
        r#"select token.token_hash, token.kind, token.holder, account.role as "role?", token.scopes,
               token.expires_at, token.last_used_at
           from token left join account
           on token.kind = 'account' and account.name = token.holder and account.disabled_at is null
           where token.token_hash in (select unhex(value) from json_each(?))"#,
        wanted
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let found = FoundToken {
                kind: row.kind,
                holder: row.holder,
                role: row.role,
                scopes: row.scopes,
                expires_at: row.expires_at,
                last_used_at: row.last_used_at,
            };
            Ok((digest(&row.token_hash)?, found))
        })
        .collect()
}

/// The tokens of one kind, of one holder or of all, newest first.
pub async fn list(pool: &SqlitePool, kind: Kind, holder: Option<&str>) -> sqlx::Result<Vec<TokenInfo>> {
    let kind = kind.code();
    let rows = query!(
        "select token_hash, holder, label, scopes, issued_at, expires_at, last_used_at from token
         where kind = ?1 and (?2 is null or holder = ?2) order by issued_at desc, token_hash",
        kind,
        holder
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(TokenInfo {
                hash: digest(&row.token_hash)?,
                holder: row.holder,
                label: row.label,
                scopes: row.scopes,
                issued_at: row.issued_at,
                expires_at: row.expires_at,
                last_used_at: row.last_used_at,
            })
        })
        .collect()
}

/// Revokes a token, of this holder if one is named; whose it was, or none.
pub async fn revoke(
    connection: &mut Connection,
    hash: &Sha256Digest,
    holder: Option<&str>,
) -> sqlx::Result<Option<String>> {
    let hash = &hash.0[..];
    let row = query!(
        "delete from token where token_hash = ?1 and (?2 is null or (kind = 'account' and holder = ?2)) returning holder",
        hash,
        holder
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| row.holder))
}

/// Writes down that a token was used.
pub async fn touch(pool: &SqlitePool, hash: &Sha256Digest, now: i64) -> sqlx::Result<()> {
    let hash = &hash.0[..];
    query!("update token set last_used_at = ? where token_hash = ?", now, hash).execute(pool).await?;
    Ok(())
}
