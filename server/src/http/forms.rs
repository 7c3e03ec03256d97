//! What the pages' forms post to. Each answers with a redirect, so that a reload repeats nothing.

pub mod account;
pub mod agent;
mod fields;
pub mod live;
pub mod people;
pub mod route;

use acta_app::{
    address::{percent_encode, safe_next},
    context::Theme,
    i18n::Lang,
    routes::SIGN_IN,
};
use axum::{
    Form,
    extract::State,
    http::{HeaderMap, header},
    response::{AppendHeaders, IntoResponse as _, Redirect, Response},
};
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::Deserialize;

use crate::{
    auth::{extract::Asking, password, policy::Actor, session},
    clock,
    error::{Answer, Problem},
    http::client::ClientAddress,
    startup::AppState,
    store,
};

/// The sign-in form.
#[derive(Deserialize)]
pub struct SignIn {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// Signs in.
pub async fn sign_in(
    State(state): State<AppState>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Form(form): Form<SignIn>,
) -> Answer<Response> {
    let again = |error: &str| {
        let (name, next) = (percent_encode(&form.name), percent_encode(safe_next(&form.next)));
        Redirect::to(&format!("{SIGN_IN}?error={error}&name={name}&next={next}")).into_response()
    };
    if form.name.len() > 200 || form.password.len() > password::MAX_BYTES {
        return Ok(again("credentials"));
    }
    if !state.sign_in.allows(&form.name, address) {
        tracing::warn!(account.name = %form.name, client.address = %address, "too many sign-in attempts");
        state.metrics.sign_in("limited");
        return Ok(again("rate"));
    }
    let account = store::account::find(&state.database.read, &form.name).await?;
    let stored = account.as_ref().map(|account| account.password_hash.clone());
    let fits = password::verify(form.password.clone(), stored).await;
    let Some(account) = account.filter(|account| fits && account.disabled_at.is_none()) else {
        tracing::info!(account.name = %form.name, client.address = %address, "a sign-in failed");
        state.metrics.sign_in("failed");
        return Ok(again("credentials"));
    };
    // A session from before the sign-in ends here: its token may be known to somebody else.
    session::end(&state.database.write, &headers, state.tls).await?;
    let cookie = session::begin(&state.database.write, &account.name, &headers, state.tls)
        .await
        .map_err(Problem::internal)?;
    state.metrics.sign_in("succeeded");
    let set = [(header::SET_COOKIE, cookie.to_string())];
    Ok((set, Redirect::to(safe_next(&form.next))).into_response())
}

/// A form that carries just the session's token.
#[derive(Deserialize)]
pub struct SignOut {
    #[serde(default)]
    form_token: String,
    #[serde(default)]
    next: String,
}

/// Signs out.
pub async fn sign_out(
    State(state): State<AppState>,
    asking: Asking,
    headers: HeaderMap,
    Form(form): Form<SignOut>,
) -> Answer<Response> {
    check_form_token(&asking, &form.form_token)?;
    session::end(&state.database.write, &headers, state.tls).await?;
    let gone =
        Cookie::build((session::cookie_name(state.tls), "")).path("/").secure(state.tls).removal().build();
    let set = [
        (header::SET_COOKIE, gone.to_string()),
        (header::HeaderName::from_static("clear-site-data"), "\"cache\"".to_owned()),
    ];
    Ok((set, Redirect::to(safe_next(&form.next))).into_response())
}

/// Language and theme.
#[derive(Deserialize)]
pub struct Preferences {
    lang: Option<String>,
    theme: Option<String>,
    #[serde(default)]
    next: String,
}

/// Keeps language and theme in cookies for a year.
pub async fn preferences(State(state): State<AppState>, Form(form): Form<Preferences>) -> Response {
    let keep = |name: &'static str, value: &'static str| {
        let cookie = Cookie::build((name, value))
            .path("/")
            .secure(state.tls)
            .same_site(SameSite::Lax)
            .max_age(time::Duration::days(365));
        (header::SET_COOKIE, cookie.build().to_string())
    };
    let lang = form.lang.as_deref().and_then(Lang::parse).map(|lang| keep("lang", lang.code()));
    let theme = form.theme.as_deref().and_then(Theme::parse).map(|theme| keep("theme", theme.code()));
    // A language in the address would win over the cookie that was just set.
    let next = without_lang(safe_next(&form.next));
    (AppendHeaders(lang.into_iter().chain(theme).collect::<Vec<_>>().into_iter()), Redirect::to(&next))
        .into_response()
}

fn without_lang(address: &str) -> String {
    let Some((path, query)) = address.split_once('?') else { return address.to_owned() };
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("lang=")).collect();
    if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
}

/// Takes the password that a review page asked for; without one, everything stays as it is.
async fn step_up(state: &AppState, mut asking: Asking, password: Option<&str>) -> Answer<Asking> {
    let (Some(password), Some(session), Actor::Account { name, .. }) =
        (password, asking.session.as_mut(), &asking.actor)
    else {
        return Ok(asking);
    };
    // The same budget as signing in: a stolen session must not be a place to guess the password.
    if !state.sign_in.allows_name(name) {
        return Err(Problem::forbidden("rate", "too many wrong passwords: wait a minute"));
    }
    let stored = store::account::find(&state.database.read, name).await?.map(|account| account.password_hash);
    if !password::verify(password.to_owned(), stored).await {
        return Err(Problem::forbidden("wrong_password", "the password is wrong; nothing was done"));
    }
    let now = clock::now();
    store::session::authenticate(&state.database.write, &session.token_hash, now.unix_ms()).await?;
    session.authenticated_at = now;
    Ok(asking)
}

/// Refuses a form of a signed-in person that does not carry their session's token.
fn check_form_token(asking: &Asking, token: &str) -> Answer<()> {
    match &asking.session {
        Some(session) if session.form_token != token => Err(Problem::forbidden(
            "stale_form",
            "the form is from another session: go back, reload and send it again",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_leaves_the_address() {
        assert_eq!(without_lang("/runs?lang=es&q=a"), "/runs?q=a");
        assert_eq!(without_lang("/runs?lang=es"), "/runs");
        assert_eq!(without_lang("/runs"), "/runs");
    }
}
