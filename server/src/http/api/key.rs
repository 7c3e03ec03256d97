//! The life of keys: an agent rotates its own, an admin revokes one, and everybody may read how the log's was handed on.

use acta_ledger::{
    evidence::agent_key::{AgentKey, AgentKeyAction},
    log::{dsse::Envelope, entry::Entry, statement::Statement, verification::HandOver},
};
use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entry::{Receipt, receipt};
use crate::{
    auth::{
        extract::{Allowed, ManageAccounts, PushEvidence, ReadLog},
        policy::Actor,
    },
    error::{Answer, Problem},
    http::json::Body,
    keyring::{self, may_sign},
    log::writer::Candidate,
    startup::AppState,
    store::key,
};

/// Puts a rotation of the agent's own key on record. The body is the envelope of a `urn:acta:agent-key:v1` with the
/// action `rotated`, signed by the old key and by the new one; sending the same again is safe.
#[utoipa::path(post, path = "/api/v1/agents/{agent}/rotate", params(("agent" = String, Path, description = "the agent's own name")),
    request_body(content_type = "application/json", description = "a DSSE envelope with two signatures"),
    responses((status = 201, body = Receipt), (status = 200, body = Receipt, description = "it was logged before"),
    (status = 400, body = Problem), (status = 401, body = Problem), (status = 403, body = Problem),
    (status = 409, body = Problem), (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn rotate(
    allowed: Allowed<PushEvidence>,
    State(state): State<AppState>,
    Path(name): Path<String>,
    body: Bytes,
) -> Answer<(StatusCode, Json<Receipt>)> {
    if !matches!(&allowed.actor, Actor::Agent { name: own, .. } if *own == name) {
        return Err(Problem::forbidden("not_allowed", "an agent rotates its own key and no other")
            .field("agent")
            .found(&name));
    }
    let (said, envelope, statement) = read_rotation(&body, &name, &state)?;
    let entry = Entry::of(&envelope).map_err(|error| {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "entry_too_long", error.to_string()).field("envelope")
    })?;
    // The same bytes again are no second rotation: whoever lost the answer must be able to ask for it.
    if state.reader.index_of(&entry.digest()).await?.is_none() {
        let agent = may_sign(&state, &name)?;
        if said.previous != Some(agent.key) {
            return Err(Problem::new(
                StatusCode::CONFLICT,
                "not_the_key",
                "the rotation replaces a key that is not the agent's",
            )
            .field("predicate.previous")
            .found(said.previous.map(|key| key.id().to_string()).unwrap_or_default())
            .expected(agent.key_id));
        }
        if let Some(purpose) = state.log.keyring().purpose_of(&said.public_key) {
            let detail = format!(
                "the new key is or was {purpose}: one key never serves two purposes, and none comes back"
            );
            return Err(Problem::refused("bad_key", detail).field("predicate.publicKey"));
        }
    }
    let previous = said.previous.map(|key| key.id());
    let candidate = Candidate { entry, statement, summary: None, signer: name.clone(), key: previous };
    let appended = state.log.append(vec![candidate]).await?;
    let created = appended.places.iter().any(|place| place.created);
    if created {
        tracing::info!(agent.name = name, key.id = %said.public_key.id(), "an agent's key was rotated");
    }
    let receipt = receipt(&state, appended).await?;
    Ok((if created { StatusCode::CREATED } else { StatusCode::OK }, Json(receipt)))
}

/// Reads a rotation of the agent's key and checks both signatures.
fn read_rotation(body: &[u8], name: &str, state: &AppState) -> Answer<(AgentKey, Envelope, Statement)> {
    let envelope = Envelope::parse(body)
        .map_err(|error| Problem::bad_request("malformed_envelope", error.to_string()).field("envelope"))?;
    let statement = Statement::from_envelope(&envelope)
        .map_err(|error| Problem::bad_request("malformed_statement", error.to_string()).field("payload"))?;
    let malformed = |detail: String| Problem::refused("malformed_predicate", detail).field("predicate");
    let said: AgentKey = statement.predicate().map_err(|error| malformed(error.to_string()))?;
    if said.action != AgentKeyAction::Rotated || said.previous.is_none() {
        return Err(malformed("this is no rotation of a key".to_owned())
            .field("predicate.action")
            .expected("rotated, with the previous key"));
    }
    if said.agent != name || said.authorized_by != name {
        return Err(malformed("the rotation is another agent's".to_owned())
            .field("predicate.agent")
            .found(&said.agent)
            .expected(name));
    }
    let envelope = said.signed(&envelope, &state.trust.portal).map_err(|error| {
        Problem::refused(
            "bad_signature",
            format!("a rotation is signed by the old key and the new one: {error}"),
        )
        .field("signatures")
    })?;
    Ok((said, envelope, statement))
}

/// Why a key is revoked.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// In words, 1 to 500 characters; it stands in the log and on the agent's page.
    reason: String,
}

/// Where the revocation stands.
#[derive(Serialize, ToSchema)]
pub struct Revoked {
    /// The entry: what the key signed before it stays valid.
    entry: u64,
}

/// Revokes the key that signs for an agent now. The agent signs nothing more until it is enrolled anew.
#[utoipa::path(post, path = "/api/v1/agents/{agent}/revoke", params(("agent" = String, Path, description = "the agent's name")),
    request_body = Revocation, responses((status = 201, body = Revoked), (status = 400, body = Problem),
    (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem),
    (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn revoke(
    allowed: Allowed<ManageAccounts>,
    State(state): State<AppState>,
    Path(name): Path<String>,
    Body(revocation): Body<Revocation>,
) -> Answer<(StatusCode, Json<Revoked>)> {
    let Actor::Account { name: by, .. } = &allowed.actor else {
        return Err(Problem::unauthorized("sign in"));
    };
    let entry = keyring::revoke(&state, &name, None, by, &revocation.reason).await?;
    Ok((StatusCode::CREATED, Json(Revoked { entry })))
}

/// How the log's key was handed on, oldest first: each entry with its place under a tree head that both keys signed.
/// Whoever trusts the first key believes the later ones through it.
#[utoipa::path(get, path = "/api/v1/log/hand-overs", responses((status = 200, content_type = "application/json")))]
pub async fn hand_overs(_: Allowed<ReadLog>, State(state): State<AppState>) -> Answer<Json<Vec<HandOver>>> {
    Ok(Json(all_hand_overs(&state).await?))
}

/// All hand-overs of the log's key.
pub async fn all_hand_overs(state: &AppState) -> Answer<Vec<HandOver>> {
    if state.log.keyring().log().newest().announced_by.is_none() {
        return Ok(Vec::new());
    }
    let mut hand_overs = Vec::new();
    for index in key::of_log(&state.database.read).await? {
        hand_overs.extend(state.reader.hand_over(index).await?);
    }
    Ok(hand_overs)
}
