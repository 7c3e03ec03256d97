//! What the account page posts to: ending sessions and tokens of one's own.

use acta_ledger::log::digest::Sha256Digest;
use axum::{
    Form,
    extract::State,
    response::{IntoResponse as _, Redirect, Response},
};
use serde::Deserialize;

use super::check_form_token;
use crate::{
    auth::{
        extract::{Asking, check},
        policy::{Action, Actor},
    },
    error::{Answer, Problem},
    startup::AppState,
    store,
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

fn owner_and_hash(state: &AppState, asking: &Asking, form: &Revoke) -> Answer<(String, Sha256Digest)> {
    check(asking, Action::OwnAccount, state, "account")?;
    check_form_token(asking, &form.form_token)?;
    let Actor::Account { name, .. } = &asking.actor else { return Err(Problem::unauthorized("sign in")) };
    Ok((name.clone(), crate::http::api::agent::parse_digest("id", &form.id)?))
}

fn found(ended: bool) -> Answer<Response> {
    if ended {
        Ok(Redirect::to("/account").into_response())
    } else {
        Err(Problem::not_found("there is no such session or token of yours; it may have ended"))
    }
}
