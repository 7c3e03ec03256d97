//! Runs that were asked for the same: how long builds of one kind take.

use acta_app::view::configuration::HistoryRow;
use acta_ledger::{
    evidence::code,
    judge::baseline::BaselineKey,
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use sqlx::{SqlitePool, query, query_scalar};

/// The codes of a kind's cache modes, as many as the queries take.
fn modes(key: &BaselineKey) -> [String; 3] {
    let modes = key.cache.modes();
    std::array::from_fn(|index| code(&modes[index.min(modes.len() - 1)]))
}

/// The whole times of the newest `limit` builds of a kind that completed undisturbed, in milliseconds.
pub async fn totals(pool: &SqlitePool, key: &BaselineKey, limit: u32) -> sqlx::Result<Vec<f64>> {
    let (config, builder, [one, two, three]) = (&key.build_config_hash.0[..], code(&key.builder), modes(key));
    query_scalar!(
        "select total_ms from run
         where build_config_hash = ? and builder = ? and tensorrt_version = ? and gpu_sku = ?
           and cache_mode in (?, ?, ?) and outcome = 'completed'
           and not exists (select 1 from cancel where cancel.run = run.id)
         order by number desc limit ?",
        config,
        builder,
        key.tensorrt_version,
        key.gpu_sku,
        one,
        two,
        three,
        limit
    )
    .fetch_all(pool)
    .await
}

/// How many builds of a kind there are, however they ended; at most `limit` are counted.
pub async fn count(pool: &SqlitePool, key: &BaselineKey, limit: u32) -> sqlx::Result<u64> {
    let (config, builder, [one, two, three]) = (&key.build_config_hash.0[..], code(&key.builder), modes(key));
    let count = query_scalar!(
        r#"select count(*) as "count!: i64" from (
               select 1 from run
               where build_config_hash = ? and builder = ? and tensorrt_version = ? and gpu_sku = ?
                 and cache_mode in (?, ?, ?)
               limit ?)"#,
        config,
        builder,
        key.tensorrt_version,
        key.gpu_sku,
        one,
        two,
        three,
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
