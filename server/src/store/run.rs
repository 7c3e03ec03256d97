//! Runs.

use acta_app::view::{FilterChoices, RunFilter, RunLink, RunRow};
use acta_ledger::log::{digest::Sha256Digest, timestamp::Timestamp};
use sqlx::{SqlitePool, query, query_as, query_scalar};

use crate::log::reader::digest;

/// How many of the runs there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub total: u64,
    /// Those that the filter lets through.
    pub matching: u64,
    /// Of those, the ones that need a person.
    pub need_a_person: u64,
}

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

/// The orders in which runs can be asked for.
pub const SORTS: [&str; 5] = ["-started", "started", "-duration", "-silence", "-latency"];

/// Runs that the filter lets through, in its order.
pub async fn list(
    pool: &SqlitePool,
    filter: &RunFilter,
    limit: u32,
    offset: u64,
) -> sqlx::Result<Vec<RunRow>> {
    let like = filter.q.as_deref().map(contains);
    let sort = filter.sort.as_deref().unwrap_or(SORTS[0]);
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let rows = query_as!(
        Row,
        r#"select id, number, entry, agent, network, route, attempt, builder, outcome, total_ms, build_ms, silence_ms,
                  cancel_latency_ms, cancel_censored_ms, cleanup, validation, cache_mode, gpu_sku, tensorrt_version,
                  started_at
           from run
           where (?1 is null or route = ?1) and (?2 is null or outcome = ?2) and (?3 is null or builder = ?3)
             and (?4 is null or gpu_sku = ?4) and (?5 is null or cache_mode = ?5)
             and (?6 is null or tensorrt_version = ?6) and (?7 is null or network like ?7 escape '\')
           order by case when ?8 = '-started' then started_at end desc,
                    case when ?8 = 'started' then started_at end asc,
                    case when ?8 = '-duration' then total_ms end desc,
                    case when ?8 = '-silence' then silence_ms end desc,
                    case when ?8 = '-latency' then coalesce(cancel_latency_ms, cancel_censored_ms) end desc,
                    number desc
           limit ?9 offset ?10"#,
        filter.route,
        filter.outcome,
        filter.builder,
        filter.gpu,
        filter.cache,
        filter.tensorrt,
        like,
        sort,
        limit,
        offset
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Row::view).collect()
}

/// How many runs there are, and how many the filter lets through.
pub async fn count(pool: &SqlitePool, filter: &RunFilter) -> sqlx::Result<Counts> {
    let like = filter.q.as_deref().map(contains);
    let row = query!(
        r#"select count(*) as "matching!: i64", coalesce(sum(needs_person), 0) as "need!: i64",
                  (select count(*) from run) as "total!: i64"
           from run
           where (?1 is null or route = ?1) and (?2 is null or outcome = ?2) and (?3 is null or builder = ?3)
             and (?4 is null or gpu_sku = ?4) and (?5 is null or cache_mode = ?5)
             and (?6 is null or tensorrt_version = ?6) and (?7 is null or network like ?7 escape '\')"#,
        filter.route,
        filter.outcome,
        filter.builder,
        filter.gpu,
        filter.cache,
        filter.tensorrt,
        like
    )
    .fetch_one(pool)
    .await?;
    Ok(Counts { total: row.total as u64, matching: row.matching as u64, need_a_person: row.need as u64 })
}

/// What the filter's fields can be.
pub async fn choices(pool: &SqlitePool) -> sqlx::Result<FilterChoices> {
    let routes =
        query_scalar!(r#"select distinct route as "route!" from run where route is not null order by route"#)
            .fetch_all(pool)
            .await?;
    let gpus = query_scalar!("select distinct gpu_sku from run order by gpu_sku").fetch_all(pool).await?;
    let tensorrt = query_scalar!("select distinct tensorrt_version from run order by tensorrt_version")
        .fetch_all(pool)
        .await?;
    Ok(FilterChoices { routes, gpus, tensorrt })
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

/// A run's inventory.
pub async fn artifacts(pool: &SqlitePool, id: &str) -> sqlx::Result<Vec<ArtifactRow>> {
    let rows = query!(
        "select name, kind, bytes, digest, disposition from artifact where run = ? order by position",
        id
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(ArtifactRow {
                name: row.name,
                kind: row.kind,
                bytes: row.bytes as u64,
                digest: row.digest.map(|bytes| digest(&bytes)).transpose()?,
                disposition: row.disposition,
            })
        })
        .collect()
}

/// The phase tree of a run and how many phases it has.
pub async fn phases(pool: &SqlitePool, id: &str) -> sqlx::Result<(Option<Sha256Digest>, u64)> {
    let row = query!("select phase_tree, phases from run where id = ?", id).fetch_one(pool).await?;
    Ok((row.phase_tree.map(|bytes| digest(&bytes)).transpose()?, row.phases as u64))
}

/// The run that an entry tells of.
pub async fn of_entry(pool: &SqlitePool, entry: u64) -> sqlx::Result<Option<RunLink>> {
    let entry = i64::try_from(entry).unwrap_or(i64::MAX);
    let row = query!("select id, number, outcome, attempt from run where entry = ?", entry)
        .fetch_optional(pool)
        .await?;
    Ok(row.map(|row| link(row.id, row.number, row.outcome, row.attempt)))
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
    let mut entries = query_scalar!(
        "select entry from run
         where number < ?1
           and (build_config_hash = ?2 or route = ?3 or network = ?4
                or id = (select retry_of from run where id = ?5)
                or retry_of = (select retry_of from run where id = ?5))
         order by number desc
         limit ?6",
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

/// A pattern for texts that hold the part, whatever characters stand in it.
fn contains(part: &str) -> String {
    let escaped = part.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}
