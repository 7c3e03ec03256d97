//! The tables of what there is now as files: routes, runs of the acceptance test, what a search found, accounts.

use acta_app::{
    address::query_value,
    view::{
        acceptance::AcceptanceRow,
        people::PersonRow,
        search::{EntryBy, Thing},
    },
};
use acta_ledger::{
    evidence::code,
    judge::route::{RouteLog, RouteState},
};
use axum::{extract::State, http::Uri, response::Response};
use serde_json::Value;

use super::{Written, format_of};
use crate::{
    auth::extract::{Allowed, ReadAccounts, ReadEvidence},
    error::{Answer, Problem},
    http::{
        api::search::refused,
        export::{Column, Table, at, text},
    },
    portal::{acceptance::HISTORY, people},
    route, search,
    startup::AppState,
    store::acceptance,
};

/// The record's seven columns have its fixed names.
static ROUTES: Table<(RouteState, RouteLog)> = Table {
    name: "acta-routes",
    columns: &[
        Column("route_name", |(state, _)| text(&state.record.route_name)),
        Column("checkpoint_revision", |(state, _)| state.record.checkpoint_revision.clone().into()),
        Column("bundle_digest", |(state, _)| state.record.bundle_digest.map(text).into()),
        Column("runtime_target", |(state, _)| state.record.runtime_target.clone().into()),
        Column("validation_status", |(state, _)| code(&state.record.validation_status).into()),
        Column("canary_status", |(state, _)| code(&state.record.canary_status).into()),
        Column("rollback_status", |(state, _)| code(&state.record.rollback_status).into()),
        Column("missing", |(state, _)| state.missing.len().into()),
        Column("approvalOutdated", |(state, _)| (!state.outdated.is_empty()).into()),
        Column("newestEntry", |(_, log)| log.entries.iter().map(|entry| entry.index).max().into()),
    ],
};

/// Every route with its record for its newest bundle, by name.
#[utoipa::path(get, path = "/api/v1/exports/routes", params(Written),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn routes(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let format = format_of(uri.query().unwrap_or_default())?;
    let rows = route::all(&state).await?.into_iter().map(|(_, judged, log)| (judged, log));
    Ok(ROUTES.answer_with(format, rows.collect()))
}

static ACCEPTANCE: Table<AcceptanceRow> = Table {
    name: "acta-acceptance",
    columns: &[
        Column("id", |row| text(&row.id)),
        Column("number", |row| row.number.into()),
        Column("entry", |row| row.entry.into()),
        Column("agent", |row| text(&row.agent)),
        Column("builder", |row| text(&row.builder)),
        Column("gpuSku", |row| text(&row.gpu_sku)),
        Column("tensorrtVersion", |row| text(&row.tensorrt_version)),
        Column("startedAt", |row| at(row.started_at)),
        Column("finishedAt", |row| at(row.finished_at)),
        Column("scenariosRun", |row| row.ran.into()),
        Column("scenariosPassed", |row| row.passed.into()),
        Column("scenariosFailed", |row| row.failed.into()),
    ],
};

/// The newest runs of the Stuck-Build Acceptance Test, at most 50: its page lists no more.
#[utoipa::path(get, path = "/api/v1/exports/acceptance", params(Written),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn acceptances(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    uri: Uri,
) -> Answer<Response> {
    let format = format_of(uri.query().unwrap_or_default())?;
    Ok(ACCEPTANCE.answer_with(format, acceptance::list(&state.database.read, HISTORY).await?))
}

static FOUND: Table<Thing> = Table {
    name: "acta-search",
    columns: &[
        Column("kind", |thing| {
            text(match thing {
                Thing::Entry { .. } => "entry",
                Thing::Key { .. } => "key",
                Thing::Run { .. } => "run",
                Thing::Route { .. } => "route",
                Thing::Digest { .. } => "digest",
            })
        }),
        Column("name", |thing| match thing {
            Thing::Entry { .. } | Thing::Digest { .. } => Value::Null,
            Thing::Key { holder, .. } => text(holder),
            Thing::Run { id, .. } => text(id),
            Thing::Route { name } => text(name),
        }),
        Column("number", |thing| match thing {
            Thing::Run { number, .. } => (*number).into(),
            _ => Value::Null,
        }),
        Column("entry", |thing| match thing {
            Thing::Entry { index, .. } => (*index).into(),
            Thing::Key { entry, .. } => (*entry).into(),
            _ => Value::Null,
        }),
        Column("digest", |thing| match thing {
            // An entry's leaf hash is no digest under which anything is kept.
            Thing::Entry { by: EntryBy::LeafHash, .. } => Value::Null,
            thing => thing.digest().map(text).into(),
        }),
        Column("leafHash", |thing| match thing {
            Thing::Entry { by: EntryBy::LeafHash, digest, .. } => text(digest),
            _ => Value::Null,
        }),
        Column("bytes", |thing| match thing {
            Thing::Digest { bytes, .. } => (*bytes).into(),
            _ => Value::Null,
        }),
        Column("usedByEntries", |thing| match thing {
            Thing::Digest { uses, .. } => listed(uses.iter().map(|it| it.entry.to_string())),
            _ => Value::Null,
        }),
        Column("routes", |thing| match thing {
            Thing::Digest { routes, .. } => listed(routes.iter().cloned()),
            _ => Value::Null,
        }),
    ],
};

/// Several values in one cell.
fn listed(values: impl Iterator<Item = String>) -> Value {
    values.collect::<Vec<_>>().join("; ").into()
}

/// What a search finds, as many things of a kind as its page lists and by the page's query.
#[utoipa::path(get, path = "/api/v1/exports/search", params(Written, ("q" = String, Query, description = "a digest or its beginning, an index, a run, a route")),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn found(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let query = uri.query().unwrap_or_default();
    let (format, asked) = (format_of(query)?, query_value(query, "q").unwrap_or_default());
    let found = search::search(&state, &asked).await?.found;
    let found = found.map_err(|refusal| refused(&asked, refusal))?;
    Ok(FOUND.answer_with(format, found.things))
}

static PEOPLE: Table<PersonRow> = Table {
    name: "acta-accounts",
    columns: &[
        Column("account", |row| text(&row.name)),
        Column("role", |row| text(&row.role)),
        Column("disabled", |row| row.disabled.into()),
        Column("createdAt", |row| at(row.created_at)),
        Column("sessions", |row| row.sessions.into()),
        Column("agents", |row| listed(row.agents.iter().cloned())),
    ],
};

/// The accounts by name, for whoever may read them.
#[utoipa::path(get, path = "/api/v1/exports/people", params(Written),
    responses((status = 200, description = "the table"), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn people(_: Allowed<ReadAccounts>, State(state): State<AppState>, uri: Uri) -> Answer<Response> {
    let format = format_of(uri.query().unwrap_or_default())?;
    Ok(PEOPLE.answer_with(format, people::everything(&state).await?.people))
}
