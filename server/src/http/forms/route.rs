//! What the pages of routes post to: decisions and orders. A refusal goes back to the review page with everything that
//! was typed, so that nobody types a reason twice.

use acta_app::routes::percent_encode;
use acta_ledger::evidence::{
    decision::{DecisionKind, HoldTerms, OverrideTerms, ReasonCode},
    rollback::OrderAction,
};
use axum::{
    body::Bytes,
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use serde::de::DeserializeOwned;

use super::{check_form_token, step_up};
use crate::{
    auth::{
        extract::{Asking, check, signatory},
        policy::Action,
    },
    error::{Answer, Problem},
    http::api::{
        agent::parse_digest,
        route::{action_of, parse_bundle},
    },
    route::act::{WantedDecision, WantedOrder, decide, order, parse_gates, parse_moment},
    startup::AppState,
};

/// A form's fields in the order in which they were sent; a field may come several times.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn parse(body: &[u8]) -> Answer<Self> {
        let text = std::str::from_utf8(body)
            .map_err(|_| Problem::bad_request("malformed_form", "the form is not text").field("body"))?;
        Ok(Self(acta_app::routes::query_pairs(text).collect()))
    }

    fn get(&self, name: &str) -> Option<&str> {
        let given = |(key, value): &&(String, String)| key == name && !value.trim().is_empty();
        self.0.iter().find(given).map(|(_, value)| value.as_str())
    }

    fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    fn needed(&self, name: &'static str) -> Answer<&str> {
        self.get(name).ok_or_else(|| Problem::bad_request("missing_field", "a field is missing").field(name))
    }

    /// A code of one of the evidence's enums.
    fn code<T: DeserializeOwned>(&self, name: &'static str) -> Answer<Option<T>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        serde_json::from_value(serde_json::Value::String(text.to_owned()))
            .map(Some)
            .map_err(|error| Problem::bad_request("bad_code", error.to_string()).field(name).found(text))
    }

    /// Back to a page with everything that was typed but secrets, and what was wrong.
    fn back(&self, page: &str, problem: &Problem) -> Response {
        let kept = self.0.iter().filter(|(name, _)| !["password", "form_token"].contains(&name.as_str()));
        let mut address = format!("{page}?error={}", percent_encode(problem.code));
        for (name, value) in kept.chain([&("detail".to_owned(), problem.detail.clone())]) {
            address.push_str(&format!("&{}={}", percent_encode(name), percent_encode(value)));
        }
        Redirect::to(&address).into_response()
    }
}

/// Reads a form and refuses it if it is not of this person's session.
fn received(asking: &Asking, body: &[u8]) -> Answer<Fields> {
    let fields = Fields::parse(body)?;
    check_form_token(asking, fields.get("form_token").unwrap_or_default())?;
    Ok(fields)
}

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
    order(state, route, by, None, wanted).await
}
