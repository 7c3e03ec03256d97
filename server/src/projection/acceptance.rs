//! Runs of the acceptance test: one row each, and one for each build that it made.

use acta_ledger::evidence::{acceptance::AcceptanceRecord, code};
use sqlx::{query, query_scalar};

use super::{Conflict, Logged};
use crate::db::Connection;

pub(super) async fn apply(
    connection: &mut Connection,
    logged: &Logged<'_>,
    record: &AcceptanceRecord,
) -> sqlx::Result<Result<(), Conflict>> {
    let id = record.id.to_string();
    let known = query_scalar!("select entry from acceptance where id = ?", id)
        .fetch_optional(&mut *connection)
        .await?;
    if let Some(entry) = known {
        return Ok(Err(Conflict::AcceptanceExists { id, entry: entry as u64 }));
    }
    let number = query_scalar!(r#"select coalesce(max(number), 0) + 1 as "number!: i64" from acceptance"#)
        .fetch_one(&mut *connection)
        .await?;
    let (index, builder, tally) = (logged.index as i64, code(&record.builder), record.tally());
    let (started_at, finished_at) = (record.started_at.unix_ms(), record.finished_at.unix_ms());
    let (ran, passed, failed) = (tally.ran as i64, tally.passed as i64, tally.failed as i64);
    query!(
        "insert into acceptance (id, number, entry, agent, builder, gpu_sku, tensorrt_version, started_at,
            finished_at, ran, passed, failed) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        number,
        index,
        logged.signer,
        builder,
        record.gpu_sku,
        record.tensorrt_version,
        started_at,
        finished_at,
        ran,
        passed,
        failed
    )
    .execute(&mut *connection)
    .await?;
    for scenario in &record.scenarios {
        let name = code(&scenario.scenario);
        for run in &scenario.runs {
            let (run, role) = (run.run.to_string(), code(&run.role));
            query!(
                "insert into acceptance_run (run, acceptance, scenario, role) values (?, ?, ?, ?)
                 on conflict do nothing",
                run,
                id,
                name,
                role
            )
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(Ok(()))
}
