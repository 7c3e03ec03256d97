//! Runs of the Stuck-Build Acceptance Test as JSON.

use acta_app::view::acceptance::AcceptanceRow;
use axum::{
    Json,
    extract::{Path, State},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    portal::acceptance::{HISTORY, read},
    startup::AppState,
    store::acceptance,
};

/// A run of the test in a list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcceptanceItem {
    /// Its id.
    id: String,
    /// Its number in the order of the log.
    number: u64,
    /// Its entry.
    entry: u64,
    /// The agent that signed it.
    agent: String,
    /// What built.
    builder: String,
    /// The GPU.
    gpu_sku: String,
    /// The library's version.
    tensorrt_version: String,
    /// When it began, by the agent's clock.
    started_at: String,
    /// When it had ended.
    finished_at: String,
    /// Scenarios that were run.
    ran: u32,
    /// Those of which every criterion holds.
    passed: u32,
    /// Those of which a criterion does not hold.
    failed: u32,
}

impl From<AcceptanceRow> for AcceptanceItem {
    fn from(row: AcceptanceRow) -> Self {
        Self {
            id: row.id,
            number: row.number,
            entry: row.entry,
            agent: row.agent,
            builder: row.builder,
            gpu_sku: row.gpu_sku,
            tensorrt_version: row.tensorrt_version,
            started_at: row.started_at.to_string(),
            finished_at: row.finished_at.to_string(),
            ran: row.ran,
            passed: row.passed,
            failed: row.failed,
        }
    }
}

/// The runs of the test.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acceptances {
    /// The newest first, at most 50.
    acceptances: Vec<AcceptanceItem>,
}

/// One run of the test.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Acceptance {
    /// What a list says of it.
    acceptance: AcceptanceItem,
    /// The matrix as it was signed (`urn:acta:stuck-build-test:v1`).
    record: Value,
}

/// Lists the runs of the acceptance test, the newest first.
#[utoipa::path(get, path = "/api/v1/acceptance", responses((status = 200, body = Acceptances), (status = 401, body = Problem)))]
pub async fn list(_: Allowed<ReadEvidence>, State(state): State<AppState>) -> Answer<Json<Acceptances>> {
    let rows = acceptance::list(&state.database.read, HISTORY).await?;
    Ok(Json(Acceptances { acceptances: rows.into_iter().map(AcceptanceItem::from).collect() }))
}

/// Reads one run of the acceptance test, by id or number, with the matrix out of its entry.
#[utoipa::path(get, path = "/api/v1/acceptance/{acceptance}", params(("acceptance" = String, Path, description = "an id or a number")),
    responses((status = 200, body = Acceptance), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Json<Acceptance>> {
    let row = acceptance::find(&state.database.read, Some(&id)).await?;
    let row = row.ok_or_else(|| {
        Problem::not_found("no such run of the acceptance test").field("acceptance").found(&id)
    })?;
    let (_, record) = read(&state, row.entry).await?;
    let record = serde_json::to_value(record).map_err(Problem::internal)?;
    Ok(Json(Acceptance { acceptance: row.into(), record }))
}
