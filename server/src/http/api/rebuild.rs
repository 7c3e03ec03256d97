//! Rebuilds of a run as JSON.

use acta_ledger::judge::rebuild::Standing;
use axum::{
    Json,
    extract::{Path, State},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::run::find;
use crate::{
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    rebuild,
    startup::AppState,
};

/// How a run stands by its rebuilds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rebuilds {
    /// How often, by which agents and owners its plan was reproduced, how often not and why; each statement with whether
    /// somebody else says it and whether its evidence bears it.
    #[schema(value_type = Object)]
    standing: Standing,
    /// Statements that were left out: older ones, and those whose entries are damaged.
    left_out: u64,
    /// The runs that this one was made to rebuild, by their ids.
    rebuild_of: Vec<String>,
}

/// Tells by whom and how often a run's plan was reproduced, judged again from the entries.
#[utoipa::path(get, path = "/api/v1/runs/{run}/rebuilds", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, body = Rebuilds), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn rebuilds(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Json<Rebuilds>> {
    let row = find(&state, &id).await?;
    let view = rebuild::view(&state, &row).await?;
    let rebuild_of = view.of.into_iter().map(|run| run.id).collect();
    Ok(Json(Rebuilds { standing: view.standing, left_out: view.left_out, rebuild_of }))
}
