//! Questions about many runs as JSON: a comparison, and how long cancels took.

use acta_app::{address::query_pairs, view::cancels::CancelFilter};
use acta_ledger::judge::{compare::Compared, distribution::Distribution};
use axum::{
    Json,
    extract::{Query, State},
    http::Uri,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::{
    auth::extract::{Allowed, ReadEvidence},
    compare,
    error::{Answer, Problem},
    portal::{self, compare::MAX_CANCELS},
    startup::AppState,
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

/// Which cancels.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
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
    let judged = portal::compare::cancels(&state, &which.into()).await?;
    let cancels = judged.rows.iter().map(|row| {
        json!({
            "run": row.run, "number": row.number, "route": row.route, "gpuSku": row.gpu_sku, "builder": row.builder,
            "source": row.source, "outcome": row.outcome, "cleanupStatus": row.cleanup, "phase": row.phase,
            "requestedAt": row.requested_at.to_string(), "requestToAckMs": row.ack_ms,
            "censoredAfterMs": row.censored_ms, "ackToReturnMs": row.return_ms, "ackToCleanupMs": row.cleanup_ms,
        })
    });
    Ok(Json(Cancels {
        limit: MAX_CANCELS,
        request_to_ack: judged.spread.ack,
        ack_to_cleanup: judged.spread.cleanup,
        cancels: cancels.collect(),
    }))
}
