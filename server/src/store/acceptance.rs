//! Runs of the acceptance test.

use acta_app::view::acceptance::{AcceptanceLink, AcceptanceRow};
use acta_ledger::log::timestamp::Timestamp;
use sqlx::{SqlitePool, query, query_as};

struct Row {
    id: String,
    number: i64,
    entry: i64,
    agent: String,
    builder: String,
    gpu_sku: String,
    tensorrt_version: String,
    started_at: i64,
    finished_at: i64,
    ran: i64,
    passed: i64,
    failed: i64,
}

impl Row {
    fn view(self) -> sqlx::Result<AcceptanceRow> {
        let moment = |ms: i64| {
            Timestamp::from_unix_ms(ms)
                .ok_or_else(|| sqlx::Error::Decode(format!("{ms} is not a moment").into()))
        };
        Ok(AcceptanceRow {
            id: self.id,
            number: self.number as u64,
            entry: self.entry as u64,
            agent: self.agent,
            builder: self.builder,
            gpu_sku: self.gpu_sku,
            tensorrt_version: self.tensorrt_version,
            started_at: moment(self.started_at)?,
            finished_at: moment(self.finished_at)?,
            ran: self.ran as u32,
            passed: self.passed as u32,
            failed: self.failed as u32,
        })
    }
}

/// The newest runs of the test, by the order of the log.
pub async fn list(pool: &SqlitePool, limit: u32) -> sqlx::Result<Vec<AcceptanceRow>> {
    let rows = query_as!(
        Row,
        "select id, number, entry, agent, builder, gpu_sku, tensorrt_version, started_at, finished_at, ran, passed,
                failed
         from acceptance order by number desc limit ?",
        limit
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Row::view).collect()
}

/// One run of the test, by its id or its number; the newest without either.
pub async fn find(pool: &SqlitePool, id: Option<&str>) -> sqlx::Result<Option<AcceptanceRow>> {
    let number: Option<i64> = id.and_then(|id| id.parse().ok());
    let row = query_as!(
        Row,
        "select id, number, entry, agent, builder, gpu_sku, tensorrt_version, started_at, finished_at, ran, passed,
                failed
         from acceptance where ?1 is null or id = ?1 or number = ?2 order by number desc limit 1",
        id,
        number
    )
    .fetch_optional(pool)
    .await?;
    row.map(Row::view).transpose()
}

/// The run of the test for which a build was made; the newest, if several name it.
pub async fn of_run(pool: &SqlitePool, run: &str) -> sqlx::Result<Option<AcceptanceLink>> {
    let row = query!(
        "select acceptance.id, acceptance.number, acceptance_run.scenario, acceptance_run.role
         from acceptance_run join acceptance on acceptance.id = acceptance_run.acceptance
         where acceptance_run.run = ? order by acceptance.number desc limit 1",
        run
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| AcceptanceLink {
        id: row.id,
        number: row.number as u64,
        scenario: row.scenario,
        role: row.role,
    }))
}
