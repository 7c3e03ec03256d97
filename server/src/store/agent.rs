//! Agents, as the log enrolled them.

use acta_ledger::{
    evidence::chain::ChainLink,
    judge::chain::Linked,
    log::key::{KeyId, PublicKey},
};
use sqlx::{SqlitePool, query};

use crate::log::reader::digest;

/// An agent and its key.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its key's id.
    pub key_id: KeyId,
    /// Its public key.
    pub key: PublicKey,
    /// The entry that enrolled it.
    pub enrolled_at: u64,
    /// The account that owns it.
    pub owner: Option<String>,
}

fn agent(
    name: String,
    key_id: &[u8],
    key: Vec<u8>,
    enrolled_at: i64,
    owner: Option<String>,
) -> sqlx::Result<Agent> {
    let damaged = || sqlx::Error::Decode(format!("the stored key of agent {name} is damaged").into());
    let bytes = key.try_into().map_err(|_| damaged())?;
    let key = PublicKey::from_bytes(&bytes).map_err(|_| damaged())?;
    let key_id = KeyId(digest(key_id)?);
    Ok(Agent { name, key_id, key, enrolled_at: enrolled_at as u64, owner })
}

/// The agent of a name.
pub async fn by_name(pool: &SqlitePool, name: &str) -> sqlx::Result<Option<Agent>> {
    let row = query!("select name, key_id, public_key, enrolled_at, owner from agent where name = ?", name)
        .fetch_optional(pool)
        .await?;
    row.map(|row| agent(row.name, &row.key_id, row.public_key, row.enrolled_at, row.owner)).transpose()
}

/// All agents by name.
pub async fn list(pool: &SqlitePool) -> sqlx::Result<Vec<Agent>> {
    let rows = query!("select name, key_id, public_key, enrolled_at, owner from agent order by name")
        .fetch_all(pool)
        .await?;
    rows.into_iter()
        .map(|row| agent(row.name, &row.key_id, row.public_key, row.enrolled_at, row.owner))
        .collect()
}

/// An agent's newest entry below a tree size, and when it was logged (milliseconds since 1970).
pub async fn newest(pool: &SqlitePool, name: &str, size: u64) -> sqlx::Result<Option<(u64, i64)>> {
    let size = size as i64;
    let row = query!(
        "select entry.idx, entry.logged_at
         from (select idx from entry_meta indexed by entry_meta_newest_idx
               where signer = ? and idx < ? order by idx desc limit 1) as newest
         cross join entry on entry.idx = newest.idx",
        name,
        size
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.idx as u64, row.logged_at)))
}

/// How many entries of each predicate type an agent signed below a tree size, the most first.
pub async fn kinds(pool: &SqlitePool, name: &str, size: u64) -> sqlx::Result<Vec<(String, u64)>> {
    let size = size as i64;
    let rows = query!(
        r#"select predicate_type, count(*) as "entries!: i64" from entry_meta indexed by entry_meta_newest_idx
           where signer = ? and idx < ? group by predicate_type order by count(*) desc, predicate_type"#,
        name,
        size
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.predicate_type, row.entries as u64)).collect())
}

/// An agent's statements below a tree size with their places in its chain; the log decides which are wrong.
pub async fn chain(pool: &SqlitePool, name: &str, size: u64) -> sqlx::Result<Vec<Linked>> {
    let size = size as i64;
    let rows = query!(
        r#"select entry_meta.idx, entry.digest, entry_meta.sequence as "sequence!: i64", entry_meta.previous
           from entry_meta join entry on entry.idx = entry_meta.idx
           where entry_meta.signer = ? and entry_meta.sequence is not null and entry_meta.idx < ?
           order by entry_meta.sequence"#,
        name,
        size
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let previous = row.previous.as_deref().map(digest).transpose()?;
            let link = ChainLink::new(row.sequence as u64, previous);
            Ok(Linked { index: row.idx as u64, digest: digest(&row.digest)?, link })
        })
        .collect()
}
