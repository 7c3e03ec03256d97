//! Runs that were asked for the same: how long builds of one kind take.

use acta_app::view::configuration::HistoryRow;
use acta_ledger::log::{digest::Sha256Digest, timestamp::Timestamp};
use sqlx::{SqlitePool, query, query_scalar};

/// The whole times of the newest `limit` runs of a configuration that nobody asked to stop, in milliseconds; only of the
/// kinds whose ids are given.
pub async fn totals(
    pool: &SqlitePool,
    config: &Sha256Digest,
    kinds: &str,
    limit: u32,
) -> sqlx::Result<Vec<f64>> {
    let config = &config.0[..];
    query_scalar!(
        "select total_ms from run indexed by run_config_idx
         where build_config_hash = ? and kind in (select value from json_each(?))
           and not exists (select 1 from cancel where cancel.run = run.id)
         order by number desc limit ?",
        config,
        kinds,
        limit
    )
    .fetch_all(pool)
    .await
}

/// How many runs of a configuration and of these kinds there are, however they ended; at most `limit` are counted.
pub async fn count(pool: &SqlitePool, config: &Sha256Digest, kinds: &str, limit: u32) -> sqlx::Result<u64> {
    let config = &config.0[..];
    let count = query_scalar!(
        r#"select count(*) as "count!: i64" from (
               select 1 from run indexed by run_config_idx
               where build_config_hash = ? and kind in (select value from json_each(?)) limit ?)"#,
        config,
        kinds,
        limit
    )
    .fetch_one(pool)
    .await?;
    Ok(count as u64)
}

/// The newest `limit` runs of a configuration, oldest first; with `until`, none that is newer than that number.
pub async fn of_configuration(
    pool: &SqlitePool,
    config: &Sha256Digest,
    until: Option<u64>,
    limit: u32,
) -> sqlx::Result<Vec<HistoryRow>> {
    let (config, until) =
        (&config.0[..], until.and_then(|until| i64::try_from(until).ok()).unwrap_or(i64::MAX));
    let rows = query!(
        r#"select id, number, entry, network, outcome, builder, cache_mode, gpu_sku, tensorrt_version, total_ms,
                  started_at,
                  exists (select 1 from cancel where cancel.run = run.id) as "cancelled!: bool"
           from run where build_config_hash = ? and number <= ? order by number desc limit ?"#,
        config,
        until,
        limit
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter().rev().map(|row| {
        let started_at = Timestamp::from_unix_ms(row.started_at)
            .ok_or_else(|| sqlx::Error::Decode("a run's start is not a moment".into()))?;
        Ok(HistoryRow {
            id: row.id,
            number: row.number as u64,
            entry: row.entry as u64,
            network: row.network,
            outcome: row.outcome,
            disturbed: row.cancelled,
            builder: row.builder,
            cache_mode: row.cache_mode,
            gpu_sku: row.gpu_sku,
            tensorrt_version: row.tensorrt_version,
            total_ms: row.total_ms,
            started_at,
        })
    });
    rows.collect()
}
