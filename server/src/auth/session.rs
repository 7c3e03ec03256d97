//! Sessions: an opaque token in a cookie, stored hashed, with two separate limits (OWASP session management).

use axum::http::HeaderMap;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use sqlx::SqlitePool;

use super::policy::{Actor, Role};
use crate::{
    clock,
    secret::{self, Secret},
    store::session as store,
};

/// A session ends when it was not used for this long.
pub const IDLE_MS: i64 = 60 * 60 * 1000;

/// A session ends this long after it began, used or not.
pub const ABSOLUTE_MS: i64 = 12 * 60 * 60 * 1000;

/// A session that is in use is written down at most this often.
const TOUCH_MS: i64 = 60 * 1000;

/// A signed-in person's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Who it is.
    pub actor: Actor,
    /// The token that the session's forms carry.
    pub form_token: String,
}

/// The cookie's name; the prefix binds it to host, path and TLS where there is TLS.
pub fn cookie_name(tls: bool) -> &'static str {
    if tls { "__Host-acta-session" } else { "acta-session" }
}

/// Begins a session and returns its cookie.
pub async fn begin(pool: &SqlitePool, account: &str, tls: bool) -> anyhow::Result<Cookie<'static>> {
    let (token, form_token) = (Secret::draw("")?, Secret::draw("")?);
    store::insert(pool, &token.hash(), account, form_token.reveal(), clock::now().unix_ms()).await?;
    let cookie = Cookie::build((cookie_name(tls), token.reveal().to_owned()))
        .path("/")
        .http_only(true)
        .secure(tls)
        .same_site(SameSite::Strict);
    Ok(cookie.build())
}

/// The session that the request's cookie names, if it still is one.
pub async fn find(
    read: &SqlitePool,
    write: &SqlitePool,
    headers: &HeaderMap,
    tls: bool,
) -> sqlx::Result<Option<Session>> {
    let jar = CookieJar::from_headers(headers);
    let Some(cookie) = jar.get(cookie_name(tls)) else { return Ok(None) };
    let hash = secret::hash(cookie.value());
    let Some(row) = store::find(read, &hash).await? else { return Ok(None) };
    let now = clock::now().unix_ms();
    let over = now - row.last_seen_at > IDLE_MS || now - row.created_at > ABSOLUTE_MS;
    let role = Role::parse(&row.role).filter(|_| !over);
    let Some(role) = role else {
        store::delete(write, &hash).await?;
        return Ok(None);
    };
    if now - row.last_seen_at > TOUCH_MS {
        store::touch(write, &hash, now).await?;
    }
    Ok(Some(Session { actor: Actor::Account { name: row.account, role }, form_token: row.form_token }))
}

/// Ends the session that the request's cookie names.
pub async fn end(pool: &SqlitePool, headers: &HeaderMap, tls: bool) -> sqlx::Result<()> {
    match CookieJar::from_headers(headers).get(cookie_name(tls)) {
        Some(cookie) => store::delete(pool, &secret::hash(cookie.value())).await,
        None => Ok(()),
    }
}
