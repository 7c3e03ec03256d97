//! The form that revokes an agent's key. It names the key that was seen, so that a page from before a rotation revokes
//! nothing else, and leads back to the agent's page, which then says so.

use acta_app::routes;
use acta_ledger::log::key::KeyId;
use axum::{
    body::Bytes,
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};

use super::{
    fields::{Fields, received},
    step_up,
};
use crate::{
    auth::{
        extract::{Asking, check},
        policy::{Action, Actor},
    },
    error::{Answer, Problem},
    http::api::agent::parse_digest,
    keyring,
    startup::AppState,
};

/// Revokes an agent's key.
pub async fn revoke(
    State(state): State<AppState>,
    Path(name): Path<String>,
    asking: Asking,
    body: Bytes,
) -> Answer<Response> {
    let fields = received(&asking, &body)?;
    match revoke_now(&state, &name, asking, &fields).await {
        Ok(()) => Ok(Redirect::to(&routes::agent(&name)).into_response()),
        Err(problem) if problem.status >= 500 || problem.status == 404 => Err(problem),
        Err(problem) => Ok(fields.back(&routes::agent(&name), &problem)),
    }
}

async fn revoke_now(state: &AppState, name: &str, asking: Asking, fields: &Fields) -> Answer<()> {
    let asking = step_up(state, asking, fields.get("password")).await?;
    check(&asking, Action::ManageAccounts, state, "revoke")?;
    let Actor::Account { name: by, .. } = &asking.actor else { return Err(Problem::unauthorized("sign in")) };
    if fields.get("confirm") != Some("yes") {
        return Err(Problem::bad_request("not_confirmed", "the revocation was not confirmed")
            .field("confirm")
            .found(fields.get("confirm").unwrap_or_default())
            .expected("yes"));
    }
    let seen = parse_digest("key_id", fields.needed("key_id")?)?;
    keyring::revoke(state, name, Some(KeyId(seen)), by, fields.needed("reason")?).await?;
    Ok(())
}
