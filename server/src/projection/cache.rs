//! Timing caches: one row for each run, what was decided about its cache and on which facts.

use acta_ledger::evidence::{build::BuildSummary, code};
use sqlx::query;

use super::{Logged, run::file_name};
use crate::db::Connection;

pub(super) async fn apply(
    connection: &mut Connection,
    number: i64,
    logged: &Logged<'_>,
    summary: &BuildSummary,
) -> sqlx::Result<()> {
    let cache = &summary.timing_cache;
    let (id, index) = (summary.run.id.to_string(), logged.index as i64);
    let (mode, outcome) = (code(&summary.timing_cache_mode), code(&summary.outcome));
    let (network, started_at) = (file_name(&summary.network.source), summary.started_at.unix_ms());
    let digest = |digest: Option<acta_ledger::log::digest::Sha256Digest>| digest.map(|it| it.0.to_vec());
    let (digest_before, digest_after) = (digest(cache.digest_before), digest(cache.digest_after));
    let length = |bytes: Option<u64>| bytes.and_then(|bytes| i64::try_from(bytes).ok());
    let (bytes_before, bytes_after) = (length(cache.bytes_before), length(cache.bytes_after));
    let reasons = serde_json::Value::from(cache.reasons.clone()).to_string();
    let entries = |of: fn(&acta_ledger::evidence::timing_cache::Changes) -> u64| {
        cache.changes.as_ref().and_then(|changes| i64::try_from(of(changes)).ok())
    };
    let (added, removed, changed) =
        (entries(|it| it.added), entries(|it| it.removed), entries(|it| it.changed));
    query!(
        "insert into cache_decision (run, number, entry, agent, route, network, outcome, started_at, mode, policy, file,
            digest_before, digest_after, bytes_before, bytes_after, reasons, added, removed, changed, tensorrt_version,
            gpu_sku, driver, cuda)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        number,
        index,
        logged.signer,
        summary.run.route,
        network,
        outcome,
        started_at,
        mode,
        cache.policy,
        cache.file,
        digest_before,
        digest_after,
        bytes_before,
        bytes_after,
        reasons,
        added,
        removed,
        changed,
        summary.tensorrt_version,
        summary.gpu_sku,
        summary.host.driver,
        summary.host.cuda
    )
    .execute(connection)
    .await?;
    Ok(())
}
