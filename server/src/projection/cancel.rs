//! Cancels: one row for each run that somebody asked to stop.

use acta_ledger::{
    evidence::{build::BuildSummary, cancel::CancelRecord, code},
    judge::baseline::normalised,
};
use sqlx::query;

use crate::db::Connection;

/// Between the names of a path.
const SEPARATOR: &str = " > ";

pub(super) async fn apply(
    connection: &mut Connection,
    number: i64,
    summary: &BuildSummary,
    cancel: &CancelRecord,
) -> sqlx::Result<()> {
    let id = summary.run.id.to_string();
    let (builder, source) = (code(&summary.builder), code(&cancel.source));
    let (outcome, cleanup) = (code(&summary.outcome), code(&summary.cleanup_status));
    let phase = cancel.phase_at_request.as_ref().map(|path| {
        let names: Vec<String> = path.iter().map(|name| normalised(name)).collect();
        names.join(SEPARATOR)
    });
    let requested_at = cancel.requested_at.unix_ms();
    query!(
        "insert into cancel (run, number, route, gpu_sku, builder, source, outcome, cleanup, phase, requested_at, ack_ms,
            censored_ms, return_ms, cleanup_ms)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        number,
        summary.run.route,
        summary.gpu_sku,
        builder,
        source,
        outcome,
        cleanup,
        phase,
        requested_at,
        cancel.request_to_ack_ms,
        cancel.censored_after_ms,
        cancel.ack_to_return_ms,
        cancel.ack_to_cleanup_ms
    )
    .execute(connection)
    .await?;
    Ok(())
}
