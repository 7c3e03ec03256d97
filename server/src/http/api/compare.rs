//! Questions about many runs as JSON and CSV: a comparison, a configuration over time, cancels, timing caches, restorations.

use acta_app::{
    routes::query_pairs,
    view::{
        caches::CacheFilter,
        cancels::{CancelFilter, CancelRow},
        configuration::HistoryRow,
    },
};
use acta_ledger::{
    evidence::code,
    judge::{compare::Compared, distribution::Distribution, restore::restores},
};
use axum::{
    Json,
    extract::{Path, Query, State},
    http::Uri,
    response::Response,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use super::agent::parse_digest;
use crate::{
    auth::extract::{Allowed, ReadEvidence},
    compare,
    error::{Answer, Problem},
    http::csv::Table,
    portal::compare::{CACHES_A_PAGE, MAX_CANCELS, MAX_HISTORY},
    route,
    startup::AppState,
    store::{cache, cancel, history},
};

/// Compares two to eight runs, each `run` an id or a number, the first of them the baseline: facts by section, phases by
/// path, whether times may be ranked, and why one took longer.
#[utoipa::path(get, path = "/api/v1/compare", params(("run" = Vec<String>, Query, description = "an id or a number, 2 to 8 times")),
    responses((status = 200, body = Value, description = "`runs`, `comparability`, `ranking`, `sections`, `phases`, `why`, `bundles`, `distributions`"), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn compare(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    uri: Uri,
) -> Answer<Json<Compared>> {
    let mut names = Vec::new();
    for (field, value) in query_pairs(uri.query().unwrap_or_default()) {
        if field != "run" {
            let problem = Problem::bad_request("bad_comparison", "the comparison cannot be understood");
            return Err(problem.field(field).found(value).expected("only run, 2 to 8 times"));
        }
        names.push(value);
    }
    let found = compare::find(&state, &names).await?;
    if let Some(name) = found.unknown.first() {
        return Err(Problem::not_found("no such run").field("run").found(name));
    }
    Ok(Json(compare::of(&state, &found.rows).await?.compared))
}

/// The newest runs of a configuration as CSV, oldest first.
#[utoipa::path(get, path = "/api/v1/configurations/{digest}/runs.csv", params(("digest" = String, Path, description = "64 hexadecimal digits")),
    responses((status = 200, content_type = "text/csv"), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn configuration(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(digest): Path<String>,
) -> Answer<Response> {
    let digest = parse_digest("digest", &digest)?;
    let rows = history::of_configuration(&state.database.read, &digest, None, MAX_HISTORY).await?;
    if rows.is_empty() {
        return Err(Problem::not_found("no run was asked for this configuration")
            .field("digest")
            .found(digest));
    }
    let columns = [
        "run",
        "number",
        "entry",
        "network",
        "outcome",
        "cancelRequested",
        "builder",
        "timingCacheMode",
        "gpuSku",
        "tensorrtVersion",
        "totalMs",
        "startedAt",
    ];
    let mut table = Table::new(&columns);
    for row in rows {
        let HistoryRow { id, number, entry, network, outcome, disturbed, builder, cache_mode, .. } = row;
        table.row([
            Some(id),
            Some(number.to_string()),
            Some(entry.to_string()),
            Some(network),
            Some(outcome),
            Some(disturbed.to_string()),
            Some(builder),
            Some(cache_mode),
            Some(row.gpu_sku),
            Some(row.tensorrt_version),
            Some(row.total_ms.to_string()),
            Some(row.started_at.to_string()),
        ]);
    }
    Ok(table.answer(&format!("acta-configuration-{}", &digest.to_string()[..12])))
}

/// Which cancels.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct WhichCancels {
    /// The route's exact name.
    route: Option<String>,
    /// The normalised path of the innermost phase at the request, names separated by ` > `.
    phase: Option<String>,
    /// The GPU's exact name.
    gpu: Option<String>,
    /// Where it came from, as a code.
    source: Option<String>,
}

impl From<WhichCancels> for CancelFilter {
    fn from(which: WhichCancels) -> Self {
        let WhichCancels { route, phase, gpu, source } = which;
        let some = |value: Option<String>| value.filter(|value| !value.is_empty());
        Self { route: some(route), phase: some(phase), gpu: some(gpu), source: some(source) }
    }
}

/// Cancels and how long they took.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cancels {
    /// At most so many of the newest are looked at.
    limit: u32,
    /// From the request to the acknowledgement: percentiles, in milliseconds, with what they rest on.
    #[schema(value_type = Object)]
    request_to_ack: Distribution,
    /// From the acknowledgement to the end of cleaning up.
    #[schema(value_type = Object)]
    ack_to_cleanup: Distribution,
    /// The cancels, newest first.
    cancels: Vec<Value>,
}

/// Reads how long the newest cancels took. One that was never acknowledged counts as longer than what was waited.
#[utoipa::path(get, path = "/api/v1/cancels", params(WhichCancels),
    responses((status = 200, body = Cancels), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn cancels(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Query(which): Query<WhichCancels>,
) -> Answer<Json<Cancels>> {
    let rows = cancel::list(&state.database.read, &which.into(), MAX_CANCELS).await?;
    let latencies: Vec<_> = rows.iter().filter_map(CancelRow::latency).collect();
    let cleanups: Vec<f64> = rows.iter().filter_map(|row| row.cleanup_ms).collect();
    let of = rows.len() as u64;
    let cancels = rows.iter().map(|row| {
        json!({
            "run": row.run, "number": row.number, "route": row.route, "gpuSku": row.gpu_sku, "builder": row.builder,
            "source": row.source, "outcome": row.outcome, "cleanupStatus": row.cleanup, "phase": row.phase,
            "requestedAt": row.requested_at.to_string(), "requestToAckMs": row.ack_ms,
            "censoredAfterMs": row.censored_ms, "ackToReturnMs": row.return_ms, "ackToCleanupMs": row.cleanup_ms,
        })
    });
    Ok(Json(Cancels {
        limit: MAX_CANCELS,
        request_to_ack: Distribution::of_latencies(&latencies, of),
        ack_to_cleanup: Distribution::of(&cleanups, of),
        cancels: cancels.collect(),
    }))
}

/// The same cancels as CSV.
#[utoipa::path(get, path = "/api/v1/cancels.csv", params(WhichCancels),
    responses((status = 200, content_type = "text/csv"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn cancels_csv(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Query(which): Query<WhichCancels>,
) -> Answer<Response> {
    let columns = [
        "run",
        "number",
        "route",
        "gpuSku",
        "builder",
        "source",
        "outcome",
        "cleanupStatus",
        "phase",
        "requestedAt",
        "requestToAckMs",
        "censoredAfterMs",
        "ackToReturnMs",
        "ackToCleanupMs",
    ];
    let mut table = Table::new(&columns);
    for row in cancel::list(&state.database.read, &which.into(), MAX_CANCELS).await? {
        let ms = |ms: Option<f64>| ms.map(|ms| ms.to_string());
        table.row([
            Some(row.run),
            Some(row.number.to_string()),
            row.route,
            Some(row.gpu_sku),
            Some(row.builder),
            Some(row.source),
            Some(row.outcome),
            Some(row.cleanup),
            row.phase,
            Some(row.requested_at.to_string()),
            ms(row.ack_ms),
            ms(row.censored_ms),
            ms(row.return_ms),
            ms(row.cleanup_ms),
        ]);
    }
    Ok(table.answer("acta-cancels"))
}

/// Which decisions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct WhichCaches {
    /// A mode's code; without one, all but `not_applicable`.
    mode: Option<String>,
    /// The route's exact name.
    route: Option<String>,
    /// Only runs below this number.
    before: Option<u64>,
}

impl From<WhichCaches> for CacheFilter {
    fn from(WhichCaches { mode, route, before }: WhichCaches) -> Self {
        let some = |value: Option<String>| value.filter(|value| !value.is_empty());
        Self { mode: some(mode), route: some(route), before }
    }
}

/// What was decided about timing caches, as CSV, newest first; a page of 50.
#[utoipa::path(get, path = "/api/v1/caches.csv", params(WhichCaches),
    responses((status = 200, content_type = "text/csv"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn caches_csv(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Query(which): Query<WhichCaches>,
) -> Answer<Response> {
    let columns = [
        "run",
        "number",
        "entry",
        "agent",
        "route",
        "network",
        "outcome",
        "startedAt",
        "timingCacheMode",
        "policy",
        "file",
        "digestBefore",
        "digestAfter",
        "bytesBefore",
        "bytesAfter",
        "added",
        "removed",
        "changed",
        "tensorrtVersion",
        "gpuSku",
        "driver",
        "cuda",
        "reasons",
    ];
    let mut table = Table::new(&columns);
    for row in cache::list(&state.database.read, &which.into(), CACHES_A_PAGE).await? {
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        table.row([
            Some(row.run),
            Some(row.number.to_string()),
            Some(row.entry.to_string()),
            Some(row.agent),
            row.route,
            Some(row.network),
            Some(row.outcome),
            Some(row.started_at.to_string()),
            Some(row.mode),
            Some(row.policy),
            row.file,
            row.digest_before.map(|digest| digest.to_string()),
            row.digest_after.map(|digest| digest.to_string()),
            number(row.bytes_before),
            number(row.bytes_after),
            number(row.changes.map(|it| it.added)),
            number(row.changes.map(|it| it.removed)),
            number(row.changes.map(|it| it.changed)),
            Some(row.tensorrt_version),
            Some(row.gpu_sku),
            row.driver,
            row.cuda,
            Some(row.reasons.join("; ")),
        ]);
    }
    Ok(table.answer("acta-timing-caches"))
}

/// How long it took to restore bundles on a route, as CSV, oldest first.
#[utoipa::path(get, path = "/api/v1/routes/{route}/restores.csv", params(("route" = String, Path, description = "the route's name")),
    responses((status = 200, content_type = "text/csv"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn restores_csv(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(name): Path<String>,
) -> Answer<Response> {
    let (log, _) = route::read(&state, &name).await?;
    if log.entries.is_empty() {
        return Err(Problem::not_found("no such route").field("route").found(&name));
    }
    let columns = [
        "order",
        "action",
        "bundle",
        "runtimeTarget",
        "step",
        "failure",
        "restoredMs",
        "verifiedMs",
        "entry",
        "at",
    ];
    let mut table = Table::new(&columns);
    for it in restores(&name, &log) {
        let ms = |ms: Option<f64>| ms.map(|ms| ms.to_string());
        table.row([
            Some(it.order.to_string()),
            Some(code(&it.action)),
            Some(it.bundle.to_string()),
            Some(it.runtime_target),
            Some(code(&it.step)),
            it.failure.map(|failure| code(&failure)),
            ms(it.restored_ms),
            ms(it.verified_ms),
            Some(it.entry.to_string()),
            Some(it.at.to_string()),
        ]);
    }
    Ok(table.answer("acta-restorations"))
}
