//! Runs and phase trees as JSON.

use acta_app::view::RunRow;
use acta_ledger::log::{dsse::Envelope, statement::Statement};
use axum::{
    Json,
    extract::{Path, State},
    http::{Uri, header},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    portal::{self, PAGE_SIZE},
    startup::AppState,
    store::run,
};

/// The largest phase tree that is read whole.
pub const MAX_TREE_BYTES: u64 = 256 << 20;

/// A page of runs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    /// All runs.
    total: u64,
    /// Those that the filter lets through.
    matching: u64,
    /// The page, counted from 1.
    page: u32,
    /// Runs a page.
    page_size: u32,
    /// The runs.
    #[schema(value_type = Vec<Object>)]
    runs: Vec<RunRow>,
}

/// One run.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// The row of the list.
    #[schema(value_type = Object)]
    row: RunRow,
    /// The build summary as it was signed (`urn:acta:build-summary:v1`).
    summary: Value,
}

/// Lists runs. Filters: `route`, `outcome`, `builder`, `gpu`, `cache`, `tensorrt`, `q`; `sort`, `page`.
#[utoipa::path(get, path = "/api/v1/runs", responses((status = 200, body = Runs), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn list(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Json<Runs>> {
    let filter = portal::parse_filter(uri.query().unwrap_or_default())?;
    let page = filter.page.unwrap_or(1);
    let counts = run::count(&state.database.read, &filter).await?;
    let offset = u64::from(page - 1) * u64::from(PAGE_SIZE);
    let runs = run::list(&state.database.read, &filter, PAGE_SIZE, offset).await?;
    Ok(Json(Runs { total: counts.total, matching: counts.matching, page, page_size: PAGE_SIZE, runs }))
}

async fn find(state: &AppState, id: &str) -> Answer<RunRow> {
    let row = run::find(&state.database.read, id).await?;
    row.ok_or_else(|| Problem::not_found("no such run").field("run").found(id))
}

/// Reads one run, by id or number, with the summary out of its entry.
#[utoipa::path(get, path = "/api/v1/runs/{run}", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, body = Run), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Json<Run>> {
    let row = find(&state, &id).await?;
    let entry =
        state.reader.entry(row.entry).await?.ok_or_else(|| Problem::internal("a run without its entry"))?;
    let statement = Envelope::parse(&entry.record)
        .map_err(|error| error.to_string())
        .and_then(|envelope| Statement::from_envelope(&envelope).map_err(|error| error.to_string()))
        .map_err(|error| Problem::internal(format_args!("entry {} is damaged: {error}", row.entry)))?;
    Ok(Json(Run { row, summary: statement.predicate }))
}

/// Reads a run's phase tree.
#[utoipa::path(get, path = "/api/v1/runs/{run}/phase-tree", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, content_type = "application/vnd.acta.phase-tree+json"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn phase_tree(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Response> {
    let row = find(&state, &id).await?;
    let digest = run::phase_tree(&state.database.read, &row.id).await?;
    let digest =
        digest.ok_or_else(|| Problem::not_found("the run has no phase tree").field("run").found(&id))?;
    let tree = state.blobs.read_verified(&digest, MAX_TREE_BYTES).await?;
    let tree = tree.ok_or_else(|| Problem::not_found(format!("the blob {digest} is missing or damaged")))?;
    let headers = [(header::CONTENT_TYPE, acta_ledger::evidence::phase_tree::PHASE_TREE_MEDIA_TYPE)];
    Ok((headers, tree).into_response())
}
