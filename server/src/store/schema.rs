//! What SQLite and the migrations know of the file itself.

use sqlx::{Row as _, SqlitePool, query, query_scalar};

/// What SQLite finds wrong with the file's pages; `whole` also compares every index with its table.
pub async fn integrity(pool: &SqlitePool, whole: bool) -> sqlx::Result<Vec<String>> {
    let said: Vec<String> = match whole {
        true => query_scalar("pragma integrity_check").fetch_all(pool).await?,
        false => query_scalar("pragma quick_check").fetch_all(pool).await?,
    };
    Ok(said.into_iter().filter(|line| line != "ok").collect())
}

/// The migrations that were applied: version and checksum, oldest first.
pub async fn applied(pool: &SqlitePool) -> sqlx::Result<Vec<(i64, Vec<u8>)>> {
    // The table is sqlx's own, so its macros do not know it.
    let rows = query("select version, checksum from _sqlx_migrations where success order by version");
    rows.fetch_all(pool).await?.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// The names of all triggers.
pub async fn triggers(pool: &SqlitePool) -> sqlx::Result<Vec<String>> {
    query_scalar("select name from sqlite_master where type = 'trigger'").fetch_all(pool).await
}
