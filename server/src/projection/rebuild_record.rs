//! Rebuilds of runs: one row for each statement. Whether its evidence bears it is judged when it is read: a summary that
//! it names may be logged after it.

use acta_ledger::evidence::{code, rebuild::RebuildRecord};
use sqlx::query;

use super::Logged;
use crate::db::Connection;

pub(super) async fn apply(
    connection: &mut Connection,
    logged: &Logged<'_>,
    record: &RebuildRecord,
) -> sqlx::Result<()> {
    let (index, run, verdict) = (logged.index as i64, record.run.to_string(), code(&record.verdict));
    let rebuilt = record.rebuilt.map(|rebuilt| rebuilt.run.to_string());
    query!(
        "insert into rebuild (idx, run, rebuilt, verdict) values (?, ?, ?, ?)",
        index,
        run,
        rebuilt,
        verdict
    )
    .execute(connection)
    .await?;
    Ok(())
}
