//! What the account page posts to: ending sessions and tokens of one's own, and one's time zone.

use acta_app::routes;
use acta_ledger::log::digest::Sha256Digest;
use axum::{
    Form,
    body::Bytes,
    extract::State,
    response::{IntoResponse as _, Redirect, Response},
};
use serde::Deserialize;

use super::{check_form_token, fields::received};
use crate::{
    auth::{
        extract::{Asking, check},
        policy::{Action, Actor},
    },
    error::{Answer, Problem},
    startup::AppState,
    store, zone,
};

/// What is to be ended.
#[derive(Deserialize)]
pub struct Revoke {
    id: String,
    #[serde(default)]
    form_token: String,
}

/// Ends one of the person's own sessions.
pub async fn session(
    State(state): State<AppState>,
    asking: Asking,
    Form(form): Form<Revoke>,
) -> Answer<Response> {
    let (account, hash) = owner_and_hash(&state, &asking, &form)?;
    found(store::session::revoke(&state.database.write, &account, &hash).await?)
}

/// Revokes one of the person's own tokens.
pub async fn token(
    State(state): State<AppState>,
    asking: Asking,
    Form(form): Form<Revoke>,
) -> Answer<Response> {
    let (account, hash) = owner_and_hash(&state, &asking, &form)?;
    let mut write = state.database.write.acquire().await?;
    found(store::token::revoke(&mut write, &hash, Some(&account)).await?.is_some())
}

/// Keeps the person's time zone. What is no name of one leads back to the page, with what was typed.
pub async fn zone(State(state): State<AppState>, asking: Asking, body: Bytes) -> Answer<Response> {
    let fields = received(&asking, &body)?;
    let account = owner(&state, &asking)?;
    match zone::parse(fields.get("zone").unwrap_or_default()) {
        Ok(zone) => store::account::set_zone(&state.database.write, account, zone.as_deref()).await?,
        Err(problem) => return Ok(fields.back(routes::ACCOUNT, &problem)),
    }
    Ok(Redirect::to(routes::ACCOUNT).into_response())
}

fn owner<'a>(state: &AppState, asking: &'a Asking) -> Answer<&'a str> {
    check(asking, Action::OwnAccount, state, "account")?;
    let Actor::Account { name, .. } = &asking.actor else { return Err(Problem::unauthorized("sign in")) };
    Ok(name)
}

fn owner_and_hash(state: &AppState, asking: &Asking, form: &Revoke) -> Answer<(String, Sha256Digest)> {
    let name = owner(state, asking)?;
    check_form_token(asking, &form.form_token)?;
    Ok((name.to_owned(), crate::http::api::agent::parse_digest("id", &form.id)?))
}

fn found(ended: bool) -> Answer<Response> {
    if ended {
        Ok(Redirect::to(routes::ACCOUNT).into_response())
    } else {
        Err(Problem::not_found("there is no such session or token of yours; it may have ended"))
    }
}
