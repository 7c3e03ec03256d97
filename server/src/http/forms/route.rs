//! What the pages of routes post to: decisions and orders. A refusal goes back to the review page with everything that
//! was typed, so that nobody types a reason twice.

use super::{
    fields::{Fields, received},
    step_up,
};
use crate::{
    auth::{
        extract::{Asking, check, signatory},
        policy::Action,
    },
    error::{Answer, Problem},
    http::api::{
        agent::parse_digest,
        route::{action_of, parse_bundle, parse_order},
    },
    route::act::{WantedDecision, WantedOrder, confirm, decide, order, parse_gates, parse_moment},
    startup::AppState,
};
use acta_app::address::percent_encode;
use acta_ledger::evidence::{
    decision::{DecisionKind, HoldTerms, OverrideTerms, ReasonCode},
    rollback::OrderAction,
};
use axum::{
    body::Bytes,
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};

/// Leads to the signed result, or back to the review page with what was typed.
fn lead(fields: &Fields, route: &str, review: &str, done: Answer<u64>) -> Answer<Response> {
    let place = format!("/routes/{}", percent_encode(route));
    match done {
        Ok(entry) => Ok(Redirect::to(&format!("{place}/done/{entry}")).into_response()),
        Err(problem) if problem.status >= 500 => Err(problem),
        Err(problem) => Ok(fields.back(&format!("{place}/{review}"), &problem)),
    }
}

/// Decides.
pub async fn decisions(
    State(state): State<AppState>,
    Path(route): Path<String>,
    asking: Asking,
    body: Bytes,
) -> Answer<Response> {
    let fields = received(&asking, &body)?;
    let done = decision_now(&state, &route, asking, &fields).await;
    lead(&fields, &route, "decide", done)
}

async fn decision_now(state: &AppState, route: &str, asking: Asking, fields: &Fields) -> Answer<u64> {
    let kind: DecisionKind = fields.code("kind")?.ok_or_else(|| {
        Problem::bad_request("missing_field", "what is to be decided is missing").field("kind")
    })?;
    let asking = step_up(state, asking, fields.get("password")).await?;
    check(&asking, action_of(kind), state, "decisions")?;
    let by = signatory(&asking.actor, asking.session.as_ref())?;
    let moment = |name: &'static str| fields.get(name).map(|text| parse_moment(name, text)).transpose();
    let gates: Vec<u8> = fields.all("gates").filter_map(|number| number.parse().ok()).collect();
    let gates = parse_gates(&gates)?;
    let hold = fields.get("hold_owner").map(str::to_owned).zip(moment("review_at")?);
    let wanted = WantedDecision {
        bundle: parse_bundle(fields.needed("bundle")?)?,
        kind,
        reason_code: fields.code::<ReasonCode>("reason_code")?,
        text: fields.get("text").map(str::to_owned),
        hold: hold
            .filter(|_| kind == DecisionKind::Hold)
            .map(|(owner, review_at)| HoldTerms { owner, review_at }),
        overrides: moment("expires_at")?
            .filter(|_| kind == DecisionKind::Override)
            .map(|expires_at| OverrideTerms { gates, expires_at }),
        seen_size: fields.needed("seen_size")?.parse().map_err(|_| {
            Problem::bad_request("missing_field", "the size of the log that was seen is no number")
                .field("seen_size")
        })?,
        key: fields.needed("key")?.to_owned(),
    };
    decide(state, route, by, wanted).await
}

/// Orders a deployment, a rollback or a drill.
pub async fn orders(
    State(state): State<AppState>,
    Path(route): Path<String>,
    asking: Asking,
    body: Bytes,
) -> Answer<Response> {
    let fields = received(&asking, &body)?;
    let done = order_now(&state, &route, asking, &fields).await;
    lead(&fields, &route, "rollback", done)
}

async fn order_now(state: &AppState, route: &str, asking: Asking, fields: &Fields) -> Answer<u64> {
    let asking = step_up(state, asking, fields.get("password")).await?;
    check(&asking, Action::RequestOrder, state, "orders")?;
    let by = signatory(&asking.actor, asking.session.as_ref())?;
    let missing = |field| Problem::bad_request("missing_field", "a field is missing").field(field);
    let wanted = WantedOrder {
        action: fields.code::<OrderAction>("action")?.ok_or_else(|| missing("action"))?,
        to: parse_digest("to", fields.needed("to")?)?,
        reason_code: fields.code::<ReasonCode>("reason_code")?.ok_or_else(|| missing("reason_code"))?,
        text: fields.needed("text")?.to_owned(),
        key: fields.needed("key")?.to_owned(),
    };
    order(state, route, by, wanted).await
}

/// Confirms another person's order.
pub async fn confirmations(
    State(state): State<AppState>,
    Path(route): Path<String>,
    asking: Asking,
    body: Bytes,
) -> Answer<Response> {
    let fields = received(&asking, &body)?;
    let done = confirm_now(&state, &route, asking, &fields).await;
    lead(&fields, &route, "confirm", done)
}

async fn confirm_now(state: &AppState, route: &str, asking: Asking, fields: &Fields) -> Answer<u64> {
    let asking = step_up(state, asking, fields.get("password")).await?;
    check(&asking, Action::ConfirmOrder, state, "confirmations")?;
    let by = signatory(&asking.actor, asking.session.as_ref())?;
    confirm(state, route, by, parse_order(fields.needed("order")?)?, fields.needed("key")?).await
}
