//! Runs: one row for each build summary.

use acta_ledger::{
    evidence::{artifact::Artifact, build::BuildSummary, code},
    judge::attention::need,
};
use sqlx::{query, query_scalar};

use super::{Conflict, Logged};
use crate::db::Connection;

pub(super) async fn apply(
    connection: &mut Connection,
    logged: &Logged<'_>,
    summary: &BuildSummary,
) -> sqlx::Result<Result<(), Conflict>> {
    let id = summary.run.id.to_string();
    let known =
        query_scalar!("select entry from run where id = ?", id).fetch_optional(&mut *connection).await?;
    if let Some(entry) = known {
        return Ok(Err(Conflict::RunExists { id, entry: entry as u64 }));
    }
    let index = logged.index as i64;
    let number = query_scalar!(r#"select coalesce(max(number), 0) + 1 as "number!: i64" from run"#)
        .fetch_one(&mut *connection)
        .await?;
    let network = file_name(&summary.network.source);
    let (network_digest, config) = (&summary.network.digest.0[..], &summary.build_config_hash.0[..]);
    let retry_of = summary.run.retry_of.map(|id| id.to_string());
    let (builder, outcome) = (code(&summary.builder), code(&summary.outcome));
    let build_ms =
        summary.duration_ms.build.map(|build| build + summary.duration_ms.serialize.unwrap_or(0.0));
    let tree = summary.phase_tree.as_ref();
    let silence_ms = tree.map(|tree| tree.longest_silence_ms);
    let phases = tree.map_or(0, |tree| i64::from(tree.phases));
    let tree = tree.map(|tree| tree.digest.0.to_vec());
    let cancel = summary.cancel.as_ref();
    let latency = cancel.and_then(|cancel| cancel.request_to_ack_ms);
    let censored = cancel.and_then(|cancel| cancel.censored_after_ms);
    let (cleanup, validation) = (code(&summary.cleanup_status), code(&summary.validation_status));
    let cache = code(&summary.timing_cache_mode);
    let started_at = summary.started_at.unix_ms();
    let needs_person = i64::from(need(summary.outcome, summary.cleanup_status).is_some());
    query!(
        "insert into run (id, number, entry, agent, network, network_digest, route, attempt, retry_of, builder,
            outcome, total_ms, build_ms, silence_ms, cancel_latency_ms, cancel_censored_ms, cleanup, validation,
            cache_mode, gpu_sku, tensorrt_version, build_config_hash, phase_tree, phases, started_at, needs_person)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id,
        number,
        index,
        logged.signer,
        network,
        network_digest,
        summary.run.route,
        summary.run.attempt,
        retry_of,
        builder,
        outcome,
        summary.duration_ms.total,
        build_ms,
        silence_ms,
        latency,
        censored,
        cleanup,
        validation,
        cache,
        summary.gpu_sku,
        summary.tensorrt_version,
        config,
        tree,
        phases,
        started_at,
        needs_person
    )
    .execute(&mut *connection)
    .await?;
    for (position, artifact) in summary.artifacts.iter().enumerate() {
        apply_artifact(connection, &id, position, artifact).await?;
    }
    if let Some(cancel) = &summary.cancel {
        super::cancel::apply(connection, number, summary, cancel).await?;
    }
    super::cache::apply(connection, number, logged, summary).await?;
    Ok(Ok(()))
}

async fn apply_artifact(
    connection: &mut Connection,
    run: &str,
    position: usize,
    artifact: &Artifact,
) -> sqlx::Result<()> {
    let (position, bytes) = (position as i64, artifact.bytes as i64);
    let (kind, disposition) = (code(&artifact.kind), code(&artifact.disposition));
    let digest = artifact.digest.map(|digest| digest.0.to_vec());
    query!(
        "insert into artifact (run, position, name, kind, bytes, digest, disposition) values (?, ?, ?, ?, ?, ?, ?)",
        run,
        position,
        artifact.name,
        kind,
        bytes,
        digest,
        disposition
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The last part of a path, whichever way its parts are separated.
pub(super) fn file_name(source: &str) -> &str {
    source.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(source)
}
