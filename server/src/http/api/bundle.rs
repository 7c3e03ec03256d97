//! Bundles: their trace, and purging what nothing needs.

use acta_ledger::{
    judge::{rebuild::Standing, trace::Trace},
    log::digest::Sha256Digest,
};
use axum::{
    Json,
    extract::{Path, Query, State},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::agent::parse_digest;
use crate::{
    auth::{
        extract::{Allowed, Purge as MayPurge, ReadEvidence},
        policy::Actor,
    },
    error::{Answer, Problem},
    http::json::Body,
    purge::{Purge, Wanted, purge as purge_now},
    rebuild,
    startup::AppState,
    trace,
};

/// On which route.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OnRoute {
    /// The route's name; the first that the bundle is on where absent.
    route: Option<String>,
}

/// A bundle's trace.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceBody {
    /// Steps, facts with their class, gaps and ties.
    #[schema(value_type = Object)]
    trace: Trace,
    /// Every route that the bundle is on.
    routes: Vec<String>,
    /// How the run that built it stands by its rebuilds, where the log has that run.
    #[schema(value_type = Option<Object>)]
    rebuilds: Option<Standing>,
    /// Up to which size of the log this was judged.
    log_size: u64,
}

/// Traces a bundle from its checkpoint to what is live: each step, how each fact is known, and what is unknown.
#[utoipa::path(get, path = "/api/v1/bundles/{digest}/trace", params(("digest" = String, Path, description = "64 hexadecimal digits"), OnRoute),
    responses((status = 200, body = TraceBody), (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn trace(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(digest): Path<String>,
    Query(on): Query<OnRoute>,
) -> Answer<Json<TraceBody>> {
    let bundle = parse_digest("digest", &digest)?;
    let traced = trace::of(&state, bundle, on.route.as_deref()).await?;
    let rebuilds = match &traced.run {
        Some(row) => Some(rebuild::of(&state, row).await?.standing),
        None => None,
    };
    Ok(Json(TraceBody { trace: traced.trace, routes: traced.routes, rebuilds, log_size: traced.seen.size }))
}

/// What is to be purged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPurge {
    /// Only this bundle, 64 digits; every bundle that nothing needs where absent.
    #[schema(value_type = Option<String>)]
    bundle: Option<Sha256Digest>,
    /// Says what would go, and does nothing.
    #[serde(default)]
    dry_run: bool,
}

/// Removes the bytes of retained bundles that no route needs. The log says so first, and no entry ever goes. A bundle
/// that is named and still needed is refused with what needs it.
#[utoipa::path(post, path = "/api/v1/purges", request_body = NewPurge,
    responses((status = 200, body = Purge), (status = 401, body = Problem), (status = 403, body = Problem),
    (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn purge(
    allowed: Allowed<MayPurge>,
    State(state): State<AppState>,
    Body(wanted): Body<NewPurge>,
) -> Answer<Json<Purge>> {
    let Actor::Account { name: by, .. } = &allowed.actor else {
        return Err(Problem::unauthorized("sign in"));
    };
    let wanted = Wanted { bundle: wanted.bundle, by, dry_run: wanted.dry_run };
    Ok(Json(purge_now(&state, wanted).await?))
}
