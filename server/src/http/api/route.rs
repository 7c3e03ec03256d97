//! Routes, decisions and orders.

use acta_ledger::{
    evidence::{
        decision::{DecisionKind, HoldTerms, OverrideTerms, ReasonCode},
        rollback::OrderAction,
        route::{BundleDigest, RouteDefinition, RouteRecord},
    },
    judge::route::{LiveAt, RouteEvent, RouteState, bundles, confirmation_objections, live_at},
    log::digest::Sha256Digest,
};
use axum::{
    Json,
    body::Bytes,
    extract::{Path, Query, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::agent::{authenticated, parse_digest};
use crate::{
    auth::{
        extract::{
            Allowed, Asking, ConfirmOrder, DefineRoute, ReadEvidence, RequestOrder, TakeOrders, check,
            signatory,
        },
        policy::Action,
    },
    clock,
    error::{Answer, Problem},
    http::json::{self, Body},
    route::{
        act::{
            WantedDecision, WantedOrder, confirm, decide, define, order, parse_gates, parse_moment,
            parse_policy,
        },
        all, read, state_of,
    },
    startup::AppState,
};

/// A route that is to be set up.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRoute {
    /// Its name: lower-case letters, digits and single hyphens.
    route: String,
    /// The checkpoint's id.
    checkpoint: String,
    /// The exact revision.
    checkpoint_revision: String,
    /// Where it is to run, like `native_cpp_task_api_on_h200`.
    runtime_target: String,
    /// The policy.
    #[schema(value_type = Object)]
    policy: Value,
}

/// Which entry it became.
#[derive(Serialize, ToSchema)]
pub struct Logged {
    /// The entry's index.
    entry: u64,
}

/// Sets a route up, or changes it: its policy is part of the log.
#[utoipa::path(post, path = "/api/v1/routes", request_body = NewRoute, responses(
    (status = 201, body = Logged), (status = 401, body = Problem), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn create(
    allowed: Allowed<DefineRoute>,
    State(state): State<AppState>,
    Body(wanted): Body<NewRoute>,
) -> Answer<(StatusCode, Json<Logged>)> {
    let policy = parse_policy(&serde_json::to_vec(&wanted.policy).map_err(Problem::internal)?)?;
    let definition = RouteDefinition {
        route: wanted.route,
        checkpoint: wanted.checkpoint,
        checkpoint_revision: wanted.checkpoint_revision,
        runtime_target: wanted.runtime_target,
        policy,
        by: allowed.signatory()?,
        at: clock::now(),
    };
    let entry = define(&state, definition).await?;
    Ok((StatusCode::CREATED, Json(Logged { entry })))
}

/// All routes.
#[derive(Serialize, ToSchema)]
pub struct Routes {
    /// The record of each, for its newest bundle.
    #[schema(value_type = Vec<Object>)]
    routes: Vec<RouteRecord>,
}

/// Lists the routes by their records.
#[utoipa::path(get, path = "/api/v1/routes", responses((status = 200, body = Routes), (status = 401, body = Problem)))]
pub async fn list(_: Allowed<ReadEvidence>, State(state): State<AppState>) -> Answer<Json<Routes>> {
    let routes = all(&state).await?.into_iter().map(|(_, judged, _)| judged.record).collect();
    Ok(Json(Routes { routes }))
}

/// Which bundle is asked about.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OfBundle {
    /// Its digest; the newest where absent.
    bundle: Option<String>,
}

/// A route.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteBody {
    /// The record in its seven fixed names.
    #[schema(value_type = Object)]
    record: RouteRecord,
    /// Everything that the record rests on.
    #[schema(value_type = Object)]
    state: RouteState,
    /// Its bundles, in the order in which they appeared.
    bundles: Vec<String>,
    /// Up to which size of the log this was judged.
    log_size: u64,
}

/// Reads a route: its record, gates, what is missing, whose turn it is, history.
#[utoipa::path(get, path = "/api/v1/routes/{route}", params(("route" = String, Path), OfBundle),
    responses((status = 200, body = RouteBody), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(route): Path<String>,
    Query(of): Query<OfBundle>,
) -> Answer<Json<RouteBody>> {
    let bundle = of.bundle.as_deref().map(parse_bundle).transpose()?;
    let (judged, log, seen) = state_of(&state, &route, bundle).await?;
    let bundles = bundles(&route, &log).iter().map(ToString::to_string).collect();
    Ok(Json(RouteBody { record: judged.record.clone(), state: judged, bundles, log_size: seen.size }))
}

/// At which moment.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// RFC 3339; now where absent.
    at: Option<String>,
}

/// Says what was live on the route at a moment.
#[utoipa::path(get, path = "/api/v1/routes/{route}/live", params(("route" = String, Path), At),
    responses((status = 200, content_type = "application/json"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn live(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(route): Path<String>,
    Query(at): Query<At>,
) -> Answer<Json<LiveAt>> {
    let at = at.at.as_deref().map(|text| parse_moment("at", text)).transpose()?.unwrap_or_else(clock::now);
    let (log, _) = read(&state, &route).await?;
    Ok(Json(live_at(&route, &log, at)))
}

/// A decision that somebody wants made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewDecision {
    /// `approve`, `hold`, `reject`, `override` or `lift_hold`.
    #[schema(value_type = String)]
    decision: DecisionKind,
    /// `sha256:` and 64 digits.
    bundle_digest: String,
    /// Why, as a code.
    #[schema(value_type = Option<String>)]
    reason_code: Option<ReasonCode>,
    /// Why, in words.
    text: Option<String>,
    /// A hold's owner.
    hold_owner: Option<String>,
    /// When a hold is looked at again.
    review_at: Option<String>,
    /// The gates of an override.
    #[serde(default)]
    gates: Vec<u8>,
    /// When an override ends.
    expires_at: Option<String>,
    /// The size of the log that was looked at.
    seen_size: u64,
    /// Sent twice, it is decided once.
    key: String,
}

/// The action that a decision is, in the table of who may do what.
pub fn action_of(kind: DecisionKind) -> Action {
    match kind {
        DecisionKind::Hold => Action::Hold,
        DecisionKind::Override => Action::Override,
        DecisionKind::Approve | DecisionKind::Reject | DecisionKind::LiftHold => Action::Decide,
    }
}

/// Decides on a bundle of a route. Refused where the fold would not count it; the answer says why.
#[utoipa::path(post, path = "/api/v1/routes/{route}/decisions", params(("route" = String, Path)), request_body = NewDecision,
    responses((status = 201, body = Logged), (status = 401, body = Problem), (status = 403, body = Problem),
    (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn decisions(
    asking: Asking,
    State(state): State<AppState>,
    Path(route): Path<String>,
    body: Bytes,
) -> Answer<(StatusCode, Json<Logged>)> {
    // Nobody learns from a refusal of the body what they may not ask in the first place.
    check(&asking, Action::Hold, &state, "decisions")?;
    let wanted: NewDecision = json::parse(&body)?;
    check(&asking, action_of(wanted.decision), &state, "decisions")?;
    let by = signatory(&asking.actor, asking.session.as_ref())?;
    let review_at = wanted.review_at.as_deref().map(|text| parse_moment("reviewAt", text)).transpose()?;
    let expires_at = wanted.expires_at.as_deref().map(|text| parse_moment("expiresAt", text)).transpose()?;
    let hold = wanted.hold_owner.zip(review_at).map(|(owner, review_at)| HoldTerms { owner, review_at });
    let gates = parse_gates(&wanted.gates)?;
    let overrides = expires_at.map(|expires_at| OverrideTerms { gates, expires_at });
    let decision = WantedDecision {
        bundle: parse_bundle(&wanted.bundle_digest)?,
        kind: wanted.decision,
        reason_code: wanted.reason_code,
        text: wanted.text,
        hold,
        overrides,
        seen_size: wanted.seen_size,
        key: wanted.key,
    };
    let entry = decide(&state, &route, by, decision).await?;
    Ok((StatusCode::CREATED, Json(Logged { entry })))
}

/// An order that somebody wants given.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewOrder {
    /// `deploy`, `rollback` or `drill`.
    #[schema(value_type = String)]
    action: OrderAction,
    /// Which retained bundle, 64 digits.
    to: String,
    /// Why, as a code.
    #[schema(value_type = String)]
    reason_code: ReasonCode,
    /// Why, in words.
    text: String,
    /// Sent twice, it is ordered once.
    key: String,
}

/// Orders a deployment, a rollback or a drill. Refused before anything changes where the way is not known to work.
#[utoipa::path(post, path = "/api/v1/routes/{route}/orders", params(("route" = String, Path)), request_body = NewOrder,
    responses((status = 201, body = Logged), (status = 401, body = Problem), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn orders(
    allowed: Allowed<RequestOrder>,
    State(state): State<AppState>,
    Path(route): Path<String>,
    Body(wanted): Body<NewOrder>,
) -> Answer<(StatusCode, Json<Logged>)> {
    let by = allowed.signatory()?;
    let order_wanted = WantedOrder {
        action: wanted.action,
        to: parse_digest("to", &wanted.to)?,
        reason_code: wanted.reason_code,
        text: wanted.text,
        key: wanted.key,
    };
    let entry = order(&state, &route, by, order_wanted).await?;
    Ok((StatusCode::CREATED, Json(Logged { entry })))
}

/// A confirmation of another person's order.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewConfirmation {
    /// Sent twice, it is confirmed once.
    key: String,
}

/// Confirms another person's order, as the policy asks for it. Refused where the order is no longer the one that waits.
#[utoipa::path(post, path = "/api/v1/routes/{route}/orders/{order}/confirmation",
    params(("route" = String, Path), ("order" = String, Path, description = "the order's id")), request_body = NewConfirmation,
    responses((status = 201, body = Logged), (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn confirmation(
    allowed: Allowed<ConfirmOrder>,
    State(state): State<AppState>,
    Path((route, order)): Path<(String, String)>,
    Body(wanted): Body<NewConfirmation>,
) -> Answer<(StatusCode, Json<Logged>)> {
    let entry = confirm(&state, &route, allowed.signatory()?, parse_order(&order)?, &wanted.key).await?;
    Ok((StatusCode::CREATED, Json(Logged { entry })))
}

/// Reads an order's id.
pub fn parse_order(text: &str) -> Answer<Uuid> {
    text.parse().map_err(|_| {
        Problem::bad_request("bad_order", "not the id of an order")
            .field("order")
            .found(text)
            .expected("a UUID")
    })
}

/// An order that waits for an agent, or is being carried out.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenOrder {
    /// The entry.
    entry: u64,
    /// The order as it was signed (`urn:acta:rollback-order:v1`).
    order: Value,
    /// The steps that were reported so far.
    steps: Vec<Value>,
}

/// Lists the orders of a route that have no last step yet, oldest first: what the agent beside the runtime asks for. An
/// order that waits for a second person is not among them.
#[utoipa::path(get, path = "/api/v1/routes/{route}/open-orders", params(("route" = String, Path)),
    responses((status = 200, body = Vec<OpenOrder>), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn open_orders(
    allowed: Allowed<TakeOrders>,
    State(state): State<AppState>,
    Path(route): Path<String>,
) -> Answer<Json<Vec<OpenOrder>>> {
    authenticated(&state, &allowed.actor)?;
    let (log, _) = read(&state, &route).await?;
    let mut open = Vec::new();
    for entry in &log.entries {
        let RouteEvent::Order(order) = &entry.event else { continue };
        if !confirmation_objections(order).is_empty() {
            continue;
        }
        let results = log.entries.iter().filter_map(|entry| match &entry.event {
            RouteEvent::Result(result) if result.order == order.order => Some(result),
            _ => None,
        });
        if results.clone().any(|result| result.step.is_last()) {
            continue;
        }
        let steps = results.map(|result| serde_json::to_value(result).map_err(Problem::internal));
        open.push(OpenOrder {
            entry: entry.index,
            order: serde_json::to_value(order).map_err(Problem::internal)?,
            steps: steps.collect::<Answer<_>>()?,
        });
    }
    Ok(Json(open))
}

/// Reads a bundle's digest, with or without `sha256:`.
pub fn parse_bundle(text: &str) -> Answer<BundleDigest> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    parse_digest("bundle", digits).map(|digest: Sha256Digest| BundleDigest(digest))
}
