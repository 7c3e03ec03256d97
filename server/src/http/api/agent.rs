//! Enrolling an agent's key.

use acta_ledger::{
    evidence::agent_key::{AgentKey, AgentKeyAction},
    log::{digest::Sha256Digest, entry::Entry, key::PublicKey, statement::Statement},
};
use axum::{Json, extract::State, http::StatusCode};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    auth::{
        extract::{Allowed, Enrol},
        policy::Actor,
    },
    clock,
    error::{Answer, Problem},
    http::json::Body,
    keyring::{Signer, may_sign},
    log::writer::{AppendError, Candidate},
    projection::Conflict,
    secret::{self, Secret},
    startup::AppState,
    store::token,
};

/// How long an agent's API token is valid: a year.
const AGENT_TOKEN_MS: i64 = 365 * 24 * 60 * 60 * 1000;

/// A key that wants to be an agent's.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Enrolment {
    /// The one-time token that `acta-server agent token` printed.
    token: String,
    /// The Ed25519 public key, standard base64 of 32 bytes.
    public_key: String,
    /// That key's signature over `acta-enrol-v1\n<token>\n<publicKey>`, standard base64: the sender really has the key.
    signature: String,
}

/// An enrolled agent, and what it should trust.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Enrolled {
    /// The agent's name.
    agent: String,
    /// Its key's id.
    key_id: String,
    /// The entry that enrolled it.
    entry: u64,
    /// What to show to the API. Shown once.
    api_token: String,
    /// The log's name.
    origin: String,
    /// The log's verifier key.
    log_key: String,
    /// The portal's public key, standard base64.
    portal_key: String,
}

/// Enrols a key with a one-time token; the same key may ask again with the same token.
#[utoipa::path(post, path = "/api/v1/agents", request_body = Enrolment, responses(
    (status = 201, body = Enrolled), (status = 200, body = Enrolled, description = "the key was enrolled before"),
    (status = 400, body = Problem), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn enrol(
    _: Allowed<Enrol>,
    State(state): State<AppState>,
    Body(enrolment): Body<Enrolment>,
) -> Answer<(StatusCode, Json<Enrolled>)> {
    let key = PublicKey::from_base64(&enrolment.public_key).map_err(|error| {
        Problem::refused("bad_key", error.to_string()).field("publicKey").found(&enrolment.public_key)
    })?;
    let message = format!("acta-enrol-v1\n{}\n{}", enrolment.token, enrolment.public_key);
    let signature = STANDARD.decode(&enrolment.signature).unwrap_or_default();
    if !key.verify(message.as_bytes(), &signature) {
        return Err(Problem::refused("bad_signature", "the key did not sign this request").field("signature"));
    }
    let (hash, now) = (secret::hash(&enrolment.token), clock::now());
    let issued = token::find_enrolment(&state.database.read, &hash)
        .await?
        .ok_or_else(|| Problem::forbidden("bad_token", "the one-time token is not known").field("token"))?;
    if issued.expires_at <= now.unix_ms() {
        return Err(Problem::forbidden("bad_token", "the one-time token has expired: ask for a new one")
            .field("token"));
    }
    let known = check_purpose(&state, &issued.agent, &key)?;
    if !token::use_enrolment(&state.database.write, &hash, &key.id().0).await? {
        return Err(
            Problem::forbidden("bad_token", "the one-time token was used by another key").field("token")
        );
    }
    let (entry, created) = match known {
        Some(entry) => (entry, false),
        None => (log_key(&state, &issued, key).await?, true),
    };
    let api_token = Secret::draw("acta_agent_").map_err(Problem::internal)?;
    let expires_at = now.unix_ms() + AGENT_TOKEN_MS;
    let issued_token = token::NewToken {
        kind: token::Kind::Agent,
        holder: &issued.agent,
        label: "enrolled",
        scopes: &issued.scopes,
        expires_at,
    };
    let mut write = state.database.write.acquire().await?;
    token::insert(&mut write, &api_token.hash(), &issued_token, now.unix_ms()).await?;
    drop(write);
    let enrolled = Enrolled {
        agent: issued.agent,
        key_id: key.id().to_string(),
        entry,
        api_token: api_token.reveal().to_owned(),
        origin: state.keys.origin.clone(),
        log_key: state.trust.log.to_string(),
        portal_key: state.trust.portal.to_base64(),
    };
    Ok((if created { StatusCode::CREATED } else { StatusCode::OK }, Json(enrolled)))
}

/// The entry that introduced the key for this agent before, if it did; refuses a key that serves or served anything else.
fn check_purpose(state: &AppState, agent: &str, key: &PublicKey) -> Answer<Option<u64>> {
    let keyring = state.log.keyring();
    let Some(purpose) = keyring.purpose_of(key) else { return Ok(None) };
    match keyring.active(agent) {
        Some(life) if life.public_key == *key => Ok(Some(life.introduced_at)),
        _ => Err(Problem::refused(
            "bad_key",
            format!(
                "the key is or was {purpose}: one key never serves two purposes, and one that ended never comes back"
            ),
        )
        .field("publicKey")
        .found(key.id())
        .expected("a new key")),
    }
}

async fn log_key(state: &AppState, issued: &token::EnrolmentToken, key: PublicKey) -> Answer<u64> {
    let statement = AgentKey {
        agent: issued.agent.clone(),
        public_key: key,
        action: AgentKeyAction::Enrolled,
        at: clock::now(),
        authorized_by: issued.issued_by.clone(),
        owner: issued.owner.clone(),
        previous: None,
        reason: None,
    };
    let statement = Statement::new(vec![statement.subject()], &statement).map_err(Problem::internal)?;
    let envelope = statement.sign(&state.keys.portal).map_err(Problem::internal)?;
    let entry = Entry::of(&envelope).map_err(Problem::internal)?;
    let candidate = Candidate::by_portal(entry, statement);
    let appended = state.log.append(vec![candidate]).await.map_err(|error| match error {
        AppendError::Conflict { conflict: conflict @ Conflict::AgentExists { .. }, .. } => Problem::new(
            StatusCode::CONFLICT,
            "agent_exists",
            format!("{conflict}; enrol under another name, or have that key revoked first"),
        ),
        other => other.into(),
    })?;
    appended
        .places
        .first()
        .map(|place| place.index)
        .ok_or_else(|| Problem::internal("no place for the key's entry"))
}

/// The agent whose token was shown, if its key may sign.
pub fn authenticated(state: &AppState, actor: &Actor) -> Answer<Signer> {
    match actor {
        Actor::Agent { name, .. } => may_sign(state, name),
        Actor::Anonymous | Actor::Account { .. } => Err(Problem::unauthorized("an agent's token is needed")),
    }
}

/// Reads a key id or says what is expected.
pub fn parse_digest(field: &'static str, text: &str) -> Answer<Sha256Digest> {
    text.parse().map_err(|_| {
        Problem::bad_request("bad_digest", "not a SHA-256 digest")
            .field(field)
            .found(text)
            .expected("64 lower-case hexadecimal digits")
    })
}
