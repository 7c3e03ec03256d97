//! Runs.

pub mod kind;
pub mod list;

use std::collections::HashMap;

use acta_app::view::{RunLink, RunRow};
use acta_ledger::log::{digest::Sha256Digest, timestamp::Timestamp};
use sqlx::{SqlitePool, query, query_as, query_scalar};

use crate::log::reader::digest;

struct Row {
    id: String,
    number: i64,
    entry: i64,
    agent: String,
    network: String,
    route: Option<String>,
    attempt: i64,
    builder: String,
    outcome: String,
    total_ms: f64,
    build_ms: Option<f64>,
    silence_ms: Option<f64>,
    cancel_latency_ms: Option<f64>,
    cancel_censored_ms: Option<f64>,
    cleanup: String,
    validation: String,
    cache_mode: String,
    gpu_sku: String,
    tensorrt_version: String,
    started_at: i64,
}

impl Row {
    fn view(self) -> sqlx::Result<RunRow> {
        let started_at = Timestamp::from_unix_ms(self.started_at)
            .ok_or_else(|| sqlx::Error::Decode("a run's start is not a moment".into()))?;
        Ok(RunRow {
            id: self.id,
            number: self.number as u64,
            network: self.network,
            route: self.route,
            attempt: u32::try_from(self.attempt).unwrap_or(u32::MAX),
            builder: self.builder,
            outcome: self.outcome,
            total_ms: self.total_ms,
            build_ms: self.build_ms,
            silence_ms: self.silence_ms,
            cancel_latency_ms: self.cancel_latency_ms,
            cancel_censored_ms: self.cancel_censored_ms,
            cleanup: self.cleanup,
            validation: self.validation,
            cache_mode: self.cache_mode,
            gpu_sku: self.gpu_sku,
            tensorrt_version: self.tensorrt_version,
            started_at,
            entry: self.entry as u64,
            agent: self.agent,
        })
    }
}

/// One run by its id or its number.
pub async fn find(pool: &SqlitePool, id: &str) -> sqlx::Result<Option<RunRow>> {
    let number: Option<i64> = id.parse().ok();
    let row = query_as!(
        Row,
        r#"select id, number, entry, agent, network, route, attempt, builder, outcome, total_ms, build_ms, silence_ms,
                  cancel_latency_ms, cancel_censored_ms, cleanup, validation, cache_mode, gpu_sku, tensorrt_version,
                  started_at
           from run where id = ?1 or number = ?2 limit 1"#,
        id,
        number
    )
    .fetch_optional(pool)
    .await?;
    row.map(Row::view).transpose()
}

/// A file of a run's inventory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactRow {
    /// The file's name.
    pub name: String,
    /// Its kind's code.
    pub kind: String,
    /// Its length.
    pub bytes: u64,
    /// Its digest, where it was read.
    pub digest: Option<Sha256Digest>,
    /// Its disposition's code.
    pub disposition: String,
}

/// The inventories of runs, by their ids.
pub async fn artifacts(pool: &SqlitePool, ids: &[&str]) -> sqlx::Result<HashMap<String, Vec<ArtifactRow>>> {
    let ids = serde_json::json!(ids).to_string();
    let rows = query!(
        "select run, name, kind, bytes, digest, disposition from artifact
         where run in (select value from json_each(?)) order by run, position",
        ids
    )
    .fetch_all(pool)
    .await?;
    let mut inventories: HashMap<String, Vec<ArtifactRow>> = HashMap::new();
    for row in rows {
        inventories.entry(row.run).or_default().push(ArtifactRow {
            name: row.name,
            kind: row.kind,
            bytes: row.bytes as u64,
            digest: row.digest.map(|bytes| digest(&bytes)).transpose()?,
            disposition: row.disposition,
        });
    }
    Ok(inventories)
}

/// The phase trees of runs and how many phases each has, by the runs' ids.
pub async fn trees(
    pool: &SqlitePool,
    ids: &[&str],
) -> sqlx::Result<HashMap<String, (Option<Sha256Digest>, u64)>> {
    let ids = serde_json::json!(ids).to_string();
    let rows =
        query!("select id, phase_tree, phases from run where id in (select value from json_each(?))", ids)
            .fetch_all(pool)
            .await?;
    let tree = |bytes: Option<Vec<u8>>| bytes.map(|bytes| digest(&bytes)).transpose();
    rows.into_iter().map(|row| Ok((row.id, (tree(row.phase_tree)?, row.phases as u64)))).collect()
}

/// The run that an entry tells of.
pub async fn of_entry(pool: &SqlitePool, entry: u64) -> sqlx::Result<Option<RunLink>> {
    Ok(of_entries(pool, &[entry]).await?.remove(&entry))
}

/// The runs that entries tell of, by the entries.
pub async fn of_entries(pool: &SqlitePool, entries: &[u64]) -> sqlx::Result<HashMap<u64, RunLink>> {
    let entries = serde_json::json!(entries).to_string();
    let rows = query!(
        r#"select entry as "entry!: i64", run.id as "id!", number as "number!", outcome as "outcome!", attempt as "attempt!"
           from json_each(?) as wanted cross join run on run.entry = wanted.value"#,
        entries
    )
    .fetch_all(pool)
    .await?;
    let linked =
        rows.into_iter().map(|row| (row.entry as u64, link(row.id, row.number, row.outcome, row.attempt)));
    Ok(linked.collect())
}

/// The attempt of an id, if it is logged.
pub async fn link_to(pool: &SqlitePool, id: &str) -> sqlx::Result<Option<RunLink>> {
    let row =
        query!("select id, number, outcome, attempt from run where id = ?", id).fetch_optional(pool).await?;
    Ok(row.map(|row| link(row.id, row.number, row.outcome, row.attempt)))
}

/// The attempts that retried a run.
pub async fn retries_of(pool: &SqlitePool, id: &str) -> sqlx::Result<Vec<RunLink>> {
    let rows = query!("select id, number, outcome, attempt from run where retry_of = ? order by number", id)
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(|row| link(row.id, row.number, row.outcome, row.attempt)).collect())
}

fn link(id: String, number: i64, outcome: String, attempt: i64) -> RunLink {
    RunLink { id, number: number as u64, outcome, attempt: u32::try_from(attempt).unwrap_or(u32::MAX) }
}

/// The entries of earlier runs that advice on a run can rest on, oldest first: of the same configuration, route or
/// network, or of the same chain of attempts; the newest `limit` of them.
pub async fn kin(
    pool: &SqlitePool,
    row: &RunRow,
    config: &Sha256Digest,
    limit: u32,
) -> sqlx::Result<Vec<u64>> {
    let (number, config) = (i64::try_from(row.number).unwrap_or(i64::MAX), &config.as_bytes()[..]);
    // The newest of each kinship by its own index; together they hold the newest of all.
    let mut entries = query_scalar!(
        r#"select entry as "entry!: i64" from (
               select * from (select number, entry from run indexed by run_config_idx
                              where build_config_hash = ?2 and number < ?1 order by number desc limit ?6)
               union select * from (select number, entry from run indexed by run_route_idx
                                    where route = ?3 and number < ?1 order by number desc limit ?6)
               union select * from (select number, entry from run indexed by run_network_idx
                                    where network = ?4 and number < ?1 order by number desc limit ?6)
               union select number, entry from run
                     where number < ?1 and id = (select retry_of from run where id = ?5)
               union select number, entry from run
                     where number < ?1 and retry_of = (select retry_of from run where id = ?5))
           order by number desc limit ?6"#,
        number,
        config,
        row.route,
        row.network,
        row.id,
        limit
    )
    .fetch_all(pool)
    .await?;
    entries.reverse();
    Ok(entries.into_iter().map(|entry| entry as u64).collect())
}

/// The entries of runs of one configuration, oldest first: the newest `limit` of them.
pub async fn of_config(pool: &SqlitePool, config: &Sha256Digest, limit: u32) -> sqlx::Result<Vec<u64>> {
    let config = &config.as_bytes()[..];
    let mut entries = query_scalar!(
        "select entry from run where build_config_hash = ?1 order by number desc limit ?2",
        config,
        limit
    )
    .fetch_all(pool)
    .await?;
    entries.reverse();
    Ok(entries.into_iter().map(|entry| entry as u64).collect())
}
