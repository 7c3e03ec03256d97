//! Sessions: an opaque token in a cookie, stored hashed, with two separate limits (OWASP session management).

use acta_ledger::log::{digest::Sha256Digest, timestamp::Timestamp};
use axum::http::{HeaderMap, header};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use sqlx::SqlitePool;

use super::policy::{Actor, parse_role};
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
    /// The person's time zone, by its name in the IANA database; none for UTC.
    pub zone: Option<String>,
    /// The hash of its token: what it is stored and revoked by.
    pub token_hash: Sha256Digest,
    /// The token that the session's forms carry.
    pub form_token: String,
    /// When it began.
    pub signed_in_at: Timestamp,
    /// When the password was last given.
    pub authenticated_at: Timestamp,
}

/// The cookie's name; the prefix binds it to host, path and TLS where there is TLS.
pub fn cookie_name(tls: bool) -> &'static str {
    if tls { "__Host-acta-session" } else { "acta-session" }
}

/// Begins a session and returns its cookie.
pub async fn begin(
    pool: &SqlitePool,
    account: &str,
    headers: &HeaderMap,
    tls: bool,
) -> anyhow::Result<Cookie<'static>> {
    let (token, form_token) = (Secret::draw("")?, Secret::draw("")?);
    let user_agent =
        headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let user_agent: String = user_agent.chars().take(200).collect();
    let now = clock::now().unix_ms();
    store::insert(pool, &token.hash(), account, form_token.reveal(), &user_agent, now).await?;
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
    let role = parse_role(&row.role).filter(|_| !over);
    let Some(role) = role else {
        store::delete(write, &hash).await?;
        return Ok(None);
    };
    if now - row.last_seen_at > TOUCH_MS {
        store::touch(write, &hash, now).await?;
    }
    let moment =
        |ms| Timestamp::from_unix_ms(ms).ok_or_else(|| sqlx::Error::Decode("a session's time".into()));
    Ok(Some(Session {
        actor: Actor::Account { name: row.account, role, token: None },
        zone: row.zone,
        token_hash: hash,
        form_token: row.form_token,
        signed_in_at: moment(row.created_at)?,
        authenticated_at: moment(row.authenticated_at)?,
    }))
}

/// Ends the session that the request's cookie names.
pub async fn end(pool: &SqlitePool, headers: &HeaderMap, tls: bool) -> sqlx::Result<()> {
    match CookieJar::from_headers(headers).get(cookie_name(tls)) {
        Some(cookie) => store::delete(pool, &secret::hash(cookie.value())).await,
        None => Ok(()),
    }
}
