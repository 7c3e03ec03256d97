//! Decisions about timing caches.

use acta_app::view::caches::{CacheFilter, CacheRow};
use acta_ledger::{evidence::timing_cache::Changes, log::timestamp::Timestamp};
use sqlx::{SqlitePool, query, query_as};

use crate::log::reader::digest;

struct Row {
    run: String,
    number: i64,
    entry: i64,
    agent: String,
    route: Option<String>,
    network: String,
    outcome: String,
    started_at: i64,
    mode: String,
    policy: String,
    file: Option<String>,
    digest_before: Option<Vec<u8>>,
    digest_after: Option<Vec<u8>>,
    bytes_before: Option<i64>,
    bytes_after: Option<i64>,
    reasons: String,
    added: Option<i64>,
    removed: Option<i64>,
    changed: Option<i64>,
    tensorrt_version: String,
    gpu_sku: String,
    driver: Option<String>,
    cuda: Option<String>,
}

impl Row {
    fn view(self) -> sqlx::Result<CacheRow> {
        let started_at = Timestamp::from_unix_ms(self.started_at)
            .ok_or_else(|| sqlx::Error::Decode("a run's start is not a moment".into()))?;
        let changes = self.added.zip(self.removed).zip(self.changed);
        let changes = changes.map(|((added, removed), changed)| Changes {
            added: added as u64,
            removed: removed as u64,
            changed: changed as u64,
        });
        Ok(CacheRow {
            run: self.run,
            number: self.number as u64,
            entry: self.entry as u64,
            agent: self.agent,
            route: self.route,
            network: self.network,
            outcome: self.outcome,
            started_at,
            mode: self.mode,
            policy: self.policy,
            file: self.file,
            digest_before: self.digest_before.map(|bytes| digest(&bytes)).transpose()?,
            digest_after: self.digest_after.map(|bytes| digest(&bytes)).transpose()?,
            bytes_before: self.bytes_before.map(|bytes| bytes as u64),
            bytes_after: self.bytes_after.map(|bytes| bytes as u64),
            reasons: serde_json::from_str(&self.reasons)
                .map_err(|error| sqlx::Error::Decode(error.into()))?,
            changes,
            tensorrt_version: self.tensorrt_version,
            gpu_sku: self.gpu_sku,
            driver: self.driver,
            cuda: self.cuda,
        })
    }
}

/// The query whose first condition an index serves in the order of the log.
macro_rules! newest {
    ($first:tt, $filter:expr, $before:expr, $limit:expr, $pool:expr) => {
        query_as!(
            Row,
            "select run, number, entry, agent, route, network, outcome, started_at, mode, policy, file, digest_before,
                    digest_after, bytes_before, bytes_after, reasons, added, removed, changed, tensorrt_version, gpu_sku,
                    driver, cuda
             from cache_decision where "
                + $first
                + " and number < ?1 and (?2 is null or mode = ?2) and (?3 is null or route = ?3)
             order by number desc limit ?4",
            $before,
            $filter.mode,
            $filter.route,
            $limit
        )
        .fetch_all($pool)
        .await?
    };
}

/// Decisions below a run's number, the newest first. Without a mode, those where the library has a use for a cache.
pub async fn list(pool: &SqlitePool, filter: &CacheFilter, limit: u32) -> sqlx::Result<Vec<CacheRow>> {
    let before = filter.before.and_then(|number| i64::try_from(number).ok()).unwrap_or(i64::MAX);
    let rows = match filter {
        CacheFilter { mode: Some(_), .. } => newest!("mode = ?2", filter, before, limit, pool),
        _ => newest!("mode <> 'not_applicable'", filter, before, limit, pool),
    };
    rows.into_iter().map(Row::view).collect()
}

/// How many of the newest `limit` runs there are of each mode.
pub async fn modes(pool: &SqlitePool, limit: u32) -> sqlx::Result<Vec<(String, u64)>> {
    let rows = query!(
        r#"select mode, count(*) as "count!: i64"
           from (select mode from cache_decision order by number desc limit ?) group by mode order by mode"#,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.mode, row.count as u64)).collect())
}
