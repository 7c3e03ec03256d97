//! Cancels: how long the library took to listen, and cleaning up after it.

use acta_app::view::cancels::{CancelFilter, CancelRow};
use acta_ledger::log::timestamp::Timestamp;
use sqlx::{SqlitePool, query_as};

struct Row {
    run: String,
    number: i64,
    route: Option<String>,
    gpu_sku: String,
    builder: String,
    source: String,
    outcome: String,
    cleanup: String,
    phase: Option<String>,
    requested_at: i64,
    ack_ms: Option<f64>,
    censored_ms: Option<f64>,
    return_ms: Option<f64>,
    cleanup_ms: Option<f64>,
}

impl Row {
    fn view(self) -> sqlx::Result<CancelRow> {
        let requested_at = Timestamp::from_unix_ms(self.requested_at)
            .ok_or_else(|| sqlx::Error::Decode("a cancel's request is not a moment".into()))?;
        Ok(CancelRow {
            run: self.run,
            number: self.number as u64,
            route: self.route,
            gpu_sku: self.gpu_sku,
            builder: self.builder,
            source: self.source,
            outcome: self.outcome,
            cleanup: self.cleanup,
            phase: self.phase,
            requested_at,
            ack_ms: self.ack_ms,
            censored_ms: self.censored_ms,
            return_ms: self.return_ms,
            cleanup_ms: self.cleanup_ms,
        })
    }
}

/// The query whose first condition an index serves in the order of the log; the other fields are held against what it finds.
macro_rules! newest {
    ($first:tt, $filter:expr, $limit:expr, $pool:expr) => {
        query_as!(
            Row,
            "select run, number, route, gpu_sku, builder, source, outcome, cleanup, phase, requested_at, ack_ms,
                    censored_ms, return_ms, cleanup_ms
             from cancel where "
                + $first
                + " and (?1 is null or route = ?1) and (?2 is null or phase = ?2) and (?3 is null or gpu_sku = ?3)
               and (?4 is null or source = ?4)
             order by number desc limit ?5",
            $filter.route,
            $filter.phase,
            $filter.gpu,
            $filter.source,
            $limit
        )
        .fetch_all($pool)
        .await?
    };
}

/// The newest `limit` cancels that the filter lets through, newest first.
pub async fn list(pool: &SqlitePool, filter: &CancelFilter, limit: u32) -> sqlx::Result<Vec<CancelRow>> {
    let rows = match filter {
        CancelFilter { route: Some(_), .. } => newest!("route = ?1", filter, limit, pool),
        CancelFilter { phase: Some(_), .. } => newest!("phase = ?2", filter, limit, pool),
        CancelFilter { gpu: Some(_), .. } => newest!("gpu_sku = ?3", filter, limit, pool),
        _ => newest!("number > 0", filter, limit, pool),
    };
    rows.into_iter().map(Row::view).collect()
}
