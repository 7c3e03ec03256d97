//! Keeping projections and program in step: a program whose tables or rules are not those that made the projections
//! replays the log before it answers anything. So a new version needs no command and no empty start.

use acta_ledger::log::{digest::Sha256Digest, verification::Trust};
use anyhow::Context as _;
use sqlx::{query, query_scalar};

use super::{
    TABLES,
    rebuild::{Rebuilt, rebuild},
};
use crate::{
    db::{Connection, Database},
    log::store,
};

/// Counts the changes of what [`super::Projector`] writes that leave the tables as they are. A changed table counts by itself.
const RULES: u32 = 1;

/// Replays the log if the projections were made by other tables or other rules; `None` if there was nothing to do.
pub async fn catch_up(database: &Database, trust: &Trust) -> anyhow::Result<Option<Rebuilt>> {
    let mut connection = database.connect().await?;
    let wanted = fingerprint(&mut connection).await?;
    let made_by = query_scalar!("select made_by from projection_state where id = 1")
        .fetch_optional(&mut connection)
        .await?;
    if made_by.is_some_and(|made_by| made_by[..] == wanted.0[..]) {
        return Ok(None);
    }
    let size = store::size(&mut connection).await?;
    if size == 0 {
        mark(&mut connection).await?;
        return Ok(None);
    }
    drop(connection);
    tracing::info!(log.size = size, "the projections were made by another version: replaying the log");
    let rebuilt = rebuild(database, trust, |_, _| {})
        .await
        .context("the projections are another version's, and the log cannot be replayed into this one's")?;
    Ok(Some(rebuilt))
}

/// Notes that the projections are this program's, in the transaction that made them so.
pub(super) async fn mark(connection: &mut Connection) -> sqlx::Result<()> {
    let made_by = fingerprint(connection).await?;
    let made_by = &made_by.0[..];
    query!(
        "insert into projection_state (id, made_by) values (1, ?) on conflict (id) do update set made_by = excluded.made_by",
        made_by
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Tables and rules in 32 bytes.
async fn fingerprint(connection: &mut Connection) -> sqlx::Result<Sha256Digest> {
    let names = serde_json::json!(TABLES).to_string();
    let tables = query_scalar!(
        r#"select sql as "sql!: String" from sqlite_master
        where type = 'table' and name in (select value from json_each(?)) order by name"#,
        names
    )
    .fetch_all(connection)
    .await?;
    Ok(Sha256Digest::of(format!("{RULES}\n{}", tables.join("\n")).as_bytes()))
}
