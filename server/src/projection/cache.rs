//! Timing caches: one row for each run, what was decided about its cache and on which facts.

use acta_ledger::{
    evidence::{code, timing_cache::Changes},
    judge::filter::file_name,
};
use sqlx::{QueryBuilder, Sqlite, query_builder::Separated};

use super::run::Run;
use crate::db::{Connection, groups};

/// Many rows a statement: the query macros know no such statement.
pub(super) async fn write(connection: &mut Connection, runs: &[Run]) -> sqlx::Result<()> {
    for group in groups(runs) {
        let mut insert = QueryBuilder::<Sqlite>::new(
            "insert into cache_decision (run, number, entry, agent, route, network, outcome, started_at, mode, policy,
                file, digest_before, digest_after, bytes_before, bytes_after, reasons, added, removed, changed,
                tensorrt_version, gpu_sku, driver, cuda) ",
        );
        insert.push_values(group, bind);
        insert.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// The values in the order of the columns.
fn bind(mut row: Separated<'_, Sqlite, &'static str>, run: &Run) {
    let (said, cache) = (&run.summary, &run.summary.timing_cache);
    row.push_bind(&run.id[..]).push_bind(run.number).push_bind(run.entry).push_bind(&run.agent[..]);
    row.push_bind(said.run.route.as_deref()).push_bind(file_name(&said.network.source));
    row.push_bind(code(&said.outcome)).push_bind(said.started_at.unix_ms());
    row.push_bind(code(&said.timing_cache_mode))
        .push_bind(&cache.policy[..])
        .push_bind(cache.file.as_deref());
    row.push_bind(cache.digest_before.map(|it| it.0.to_vec()));
    row.push_bind(cache.digest_after.map(|it| it.0.to_vec()));
    let length = |bytes: Option<u64>| bytes.and_then(|bytes| i64::try_from(bytes).ok());
    row.push_bind(length(cache.bytes_before)).push_bind(length(cache.bytes_after));
    row.push_bind(serde_json::Value::from(cache.reasons.clone()).to_string());
    let entries = |of: fn(&Changes) -> u64| length(cache.changes.as_ref().map(of));
    row.push_bind(entries(|it| it.added))
        .push_bind(entries(|it| it.removed))
        .push_bind(entries(|it| it.changed));
    row.push_bind(&said.tensorrt_version[..]).push_bind(&said.gpu_sku[..]);
    row.push_bind(said.host.driver.as_deref()).push_bind(said.host.cuda.as_deref());
}
