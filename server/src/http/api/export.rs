//! The tables of the portal's pages as files, by the same filters and in the same orders. What is read by its key is
//! written to its end, a group of rows at a time; what a page judges as a whole ends where the page ends.

pub mod overview;

use acta_app::{
    address::query_value,
    pages::{caches, cancels, ledger, runs::address},
    portal::PageError,
    view::{
        RunRow,
        caches::{CacheFilter, CacheRow},
        cancels::CancelRow,
        configuration::HistoryRow,
    },
};
use acta_ledger::{
    evidence::code,
    judge::restore::{Restore, restores},
};
use axum::{
    extract::{Path, State},
    http::Uri,
    response::Response,
};
use futures::stream;
use utoipa::IntoParams;

use super::{agent::parse_digest, compare::WhichCancels, run::bad_filter};
use crate::{
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    http::export::{Column, Format, Table, at, text},
    portal::{
        compare::{MAX_CANCELS, MAX_HISTORY},
        runs,
    },
    route,
    startup::AppState,
    store::{
        cache, cancel, history,
        ledger::{EntryFacts, newest},
        run::list::{self, Key},
    },
};

/// Rows that are read at once.
const GROUP: u32 = 500;

/// How the table is written.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Written {
    /// `csv` (without it), `json` or `ndjson`.
    #[param(inline, required = false)]
    pub format: Format,
}

static RUNS: Table<RunRow> = Table {
    name: "acta-runs",
    columns: &[
        Column("run", |row| text(&row.id)),
        Column("number", |row| row.number.into()),
        Column("entry", |row| row.entry.into()),
        Column("agent", |row| text(&row.agent)),
        Column("network", |row| text(&row.network)),
        Column("route", |row| row.route.clone().into()),
        Column("attempt", |row| row.attempt.into()),
        Column("builder", |row| text(&row.builder)),
        Column("outcome", |row| text(&row.outcome)),
        Column("startedAt", |row| at(row.started_at)),
        Column("totalMs", |row| row.total_ms.into()),
        Column("buildMs", |row| row.build_ms.into()),
        Column("longestSilenceMs", |row| row.silence_ms.into()),
        Column("requestToAckMs", |row| row.cancel_latency_ms.into()),
        Column("censoredAfterMs", |row| row.cancel_censored_ms.into()),
        Column("cleanupStatus", |row| text(&row.cleanup)),
        Column("validationStatus", |row| text(&row.validation)),
        Column("timingCacheMode", |row| text(&row.cache_mode)),
        Column("gpuSku", |row| text(&row.gpu_sku)),
        Column("tensorrtVersion", |row| text(&row.tensorrt_version)),
    ],
};

/// All runs that a filter lets through, in its order: the query of the page of runs, from its place on.
#[utoipa::path(get, path = "/api/v1/exports/runs", params(Written, ("q" = Option<String>, Query, description = "a filter as text"),
        ("sort" = Option<String>, Query, description = "an order")),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn runs(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let query = uri.query().unwrap_or_default();
    let format = format_of(query)?;
    // The format is the export's own field, all else is the page's.
    let rest: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("format=")).collect();
    let asked = address::parse(&rest.join("&")).map_err(bad_filter)?;
    let wanted = runs::wanted(&state, &asked.filter).await?;
    let from = runs::place(&state, &asked).await?;
    let order = asked.order;
    let groups = stream::try_unfold((state, wanted, from), move |(state, wanted, from)| async move {
        let rows = list::behind(&state.database.read, &wanted, order, from, GROUP).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        let from = Some(Key::of(last, order));
        Ok::<_, sqlx::Error>(Some((rows, (state, wanted, from))))
    });
    Ok(RUNS.answer(format, Box::pin(groups)))
}

fn format_of(query: &str) -> Answer<Format> {
    let found = query_value(query, "format").unwrap_or_else(|| "csv".to_owned());
    serde_json::from_value(found.clone().into()).map_err(|_| {
        Problem::bad_request("bad_format", "the table cannot be written so")
            .field("format")
            .found(found)
            .expected("csv, json or ndjson")
    })
}

/// What a page's own query cannot be, as an answer.
fn bad_query(error: PageError) -> Problem {
    match error {
        PageError::BadRequest { field, found } => {
            Problem::bad_request("bad_filter", "the filter cannot be understood").field(field).found(found)
        }
        // Whoever reads a query finds nothing else.
        error => Problem::internal(format_args!("{error:?}")),
    }
}

static ENTRIES: Table<EntryFacts> = Table {
    name: "acta-entries",
    columns: &[
        Column("entry", |row| row.index.into()),
        Column("digest", |row| text(row.digest)),
        Column("predicateType", |row| text(&row.predicate_type)),
        Column("signer", |row| text(&row.signer)),
        Column("loggedAtUnixMs", |row| row.logged_at.into()),
    ],
};

/// Which entries.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichEntries {
    /// Only entries below this index.
    pub before: Option<u64>,
}

/// The entries of the log, the newest first: the query of the ledger's page.
#[utoipa::path(get, path = "/api/v1/exports/entries", params(Written, WhichEntries),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn entries(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let query = uri.query().unwrap_or_default();
    let (format, before) = (format_of(query)?, ledger::parse(query).map_err(bad_query)?);
    let before = before.unwrap_or(u64::MAX).min(state.log.head().head.size);
    let groups = stream::try_unfold((state, before), |(state, before)| async move {
        let rows = newest(&state.database.read, before, GROUP).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        let before = last.index;
        Ok::<_, sqlx::Error>(Some((rows, (state, before))))
    });
    Ok(ENTRIES.answer(format, Box::pin(groups)))
}

static CANCELS: Table<CancelRow> = Table {
    name: "acta-cancels",
    columns: &[
        Column("run", |row| text(&row.run)),
        Column("number", |row| row.number.into()),
        Column("route", |row| row.route.clone().into()),
        Column("gpuSku", |row| text(&row.gpu_sku)),
        Column("builder", |row| text(&row.builder)),
        Column("source", |row| text(&row.source)),
        Column("outcome", |row| text(&row.outcome)),
        Column("cleanupStatus", |row| text(&row.cleanup)),
        Column("phase", |row| row.phase.clone().into()),
        Column("requestedAt", |row| at(row.requested_at)),
        Column("requestToAckMs", |row| row.ack_ms.into()),
        Column("censoredAfterMs", |row| row.censored_ms.into()),
        Column("ackToReturnMs", |row| row.return_ms.into()),
        Column("ackToCleanupMs", |row| row.cleanup_ms.into()),
    ],
};

/// The newest cancels, at most 1,000, by the filter of their page, which looks at no more.
#[utoipa::path(get, path = "/api/v1/exports/cancels", params(Written, WhichCancels),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn cancels(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let query = uri.query().unwrap_or_default();
    let (format, filter) = (format_of(query)?, cancels::address::parse(query));
    let rows = cancel::list(&state.database.read, &filter, MAX_CANCELS).await?;
    Ok(CANCELS.answer_with(format, rows))
}

static CACHES: Table<CacheRow> = Table {
    name: "acta-timing-caches",
    columns: &[
        Column("run", |row| text(&row.run)),
        Column("number", |row| row.number.into()),
        Column("entry", |row| row.entry.into()),
        Column("agent", |row| text(&row.agent)),
        Column("route", |row| row.route.clone().into()),
        Column("network", |row| text(&row.network)),
        Column("outcome", |row| text(&row.outcome)),
        Column("startedAt", |row| at(row.started_at)),
        Column("timingCacheMode", |row| text(&row.mode)),
        Column("policy", |row| text(&row.policy)),
        Column("file", |row| row.file.clone().into()),
        Column("digestBefore", |row| row.digest_before.map(text).into()),
        Column("digestAfter", |row| row.digest_after.map(text).into()),
        Column("bytesBefore", |row| row.bytes_before.into()),
        Column("bytesAfter", |row| row.bytes_after.into()),
        Column("added", |row| row.changes.map(|it| it.added).into()),
        Column("removed", |row| row.changes.map(|it| it.removed).into()),
        Column("changed", |row| row.changes.map(|it| it.changed).into()),
        Column("tensorrtVersion", |row| text(&row.tensorrt_version)),
        Column("gpuSku", |row| text(&row.gpu_sku)),
        Column("driver", |row| row.driver.clone().into()),
        Column("cuda", |row| row.cuda.clone().into()),
        Column("reasons", |row| row.reasons.join("; ").into()),
    ],
};

/// Which decisions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichCaches {
    /// A mode's code; without one, all but `not_applicable`.
    pub mode: Option<String>,
    /// The route's exact name.
    pub route: Option<String>,
    /// Only runs below this number.
    pub before: Option<u64>,
}

/// What was decided about timing caches, the newest first: the query of their page.
#[utoipa::path(get, path = "/api/v1/exports/caches", params(Written, WhichCaches),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn caches(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let query = uri.query().unwrap_or_default();
    let (format, filter) = (format_of(query)?, caches::parse(query).map_err(bad_query)?);
    let groups = stream::try_unfold((state, filter), |(state, filter)| async move {
        let rows = cache::list(&state.database.read, &filter, GROUP).await?;
        let Some(last) = rows.last() else { return Ok(None) };
        let filter = CacheFilter { before: Some(last.number), ..filter };
        Ok::<_, sqlx::Error>(Some((rows, (state, filter))))
    });
    Ok(CACHES.answer(format, Box::pin(groups)))
}

static CONFIGURATION: Table<HistoryRow> = Table {
    name: "acta-configuration",
    columns: &[
        Column("run", |row| text(&row.id)),
        Column("number", |row| row.number.into()),
        Column("entry", |row| row.entry.into()),
        Column("network", |row| text(&row.network)),
        Column("outcome", |row| text(&row.outcome)),
        Column("cancelRequested", |row| row.disturbed.into()),
        Column("builder", |row| text(&row.builder)),
        Column("timingCacheMode", |row| text(&row.cache_mode)),
        Column("gpuSku", |row| text(&row.gpu_sku)),
        Column("tensorrtVersion", |row| text(&row.tensorrt_version)),
        Column("totalMs", |row| row.total_ms.into()),
        Column("startedAt", |row| at(row.started_at)),
    ],
};

/// The newest runs of a configuration, at most 100, oldest first: its page looks at no more.
#[utoipa::path(get, path = "/api/v1/exports/configurations/{digest}", params(Written, ("digest" = String, Path, description = "64 hexadecimal digits")),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn configuration(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(digest): Path<String>,
    uri: Uri,
) -> Answer<Response> {
    let format = format_of(uri.query().unwrap_or_default())?;
    let digest = parse_digest("digest", &digest)?;
    let rows = history::of_configuration(&state.database.read, &digest, None, MAX_HISTORY).await?;
    if rows.is_empty() {
        let problem = Problem::not_found("no run was asked for this configuration");
        return Err(problem.field("digest").found(digest));
    }
    Ok(CONFIGURATION.answer_with(format, rows))
}

static RESTORES: Table<Restore> = Table {
    name: "acta-restorations",
    columns: &[
        Column("order", |row| text(row.order)),
        Column("action", |row| code(&row.action).into()),
        Column("bundle", |row| text(row.bundle)),
        Column("runtimeTarget", |row| text(&row.runtime_target)),
        Column("step", |row| code(&row.step).into()),
        Column("failure", |row| row.failure.as_ref().map(code).into()),
        Column("restoredMs", |row| row.restored_ms.into()),
        Column("verifiedMs", |row| row.verified_ms.into()),
        Column("entry", |row| row.entry.into()),
        Column("at", |row| at(row.at)),
    ],
};

/// How long it took to restore bundles on a route, oldest first.
#[utoipa::path(get, path = "/api/v1/exports/restores/{route}", params(Written, ("route" = String, Path, description = "the route's name")),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn restorations(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(name): Path<String>,
    uri: Uri,
) -> Answer<Response> {
    let format = format_of(uri.query().unwrap_or_default())?;
    let (log, _) = route::read(&state, &name).await?;
    if log.entries.is_empty() {
        return Err(Problem::not_found("no such route").field("route").found(&name));
    }
    Ok(RESTORES.answer_with(format, restores(&name, &log)))
}
