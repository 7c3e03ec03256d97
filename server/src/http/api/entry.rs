//! Entries: appending and reading.

use std::collections::{BTreeMap, HashMap};

use acta_ledger::log::{
    jcs, proof_file,
    proof_file::ProofFile,
    timestamp::Timestamp,
    verification::{LoggedEntry, Material},
};
use axum::{
    Json,
    body::Bytes,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{agent::authenticated, key::all_hand_overs};
use crate::{
    auth::extract::{Allowed, PushEvidence, ReadEvidence, check_part},
    error::{Answer, Problem, disk_full},
    intake,
    log::{
        reader::StoredEntry,
        writer::{AppendError, Appended},
    },
    startup::AppState,
    store::{key, ledger},
};

/// Where an entry stands, and the proof of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacedEntry {
    /// Its index.
    index: u64,
    /// Its digest.
    digest: String,
    /// Its leaf hash.
    leaf_hash: String,
    /// `created`, or `exists` where the same bytes were logged before.
    status: &'static str,
    /// The inclusion proof under the tree head, from the leaf's sibling upward.
    inclusion: Vec<String>,
}

/// The answer to an append: it is sent after everything is on disk under a signed tree head.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// An item for each envelope, in order.
    entries: Vec<PlacedEntry>,
    /// The signed tree head that covers them.
    tree_head: String,
}

/// Appends one envelope, or all of `{"envelopes": [...]}` or none.
#[utoipa::path(post, path = "/api/v1/entries", request_body(content_type = "application/json", description = "a DSSE envelope, or {\"envelopes\": [...]}"),
    responses((status = 201, body = Receipt), (status = 200, body = Receipt, description = "all of them were logged before"),
    (status = 400, body = Problem), (status = 401, body = Problem), (status = 409, body = Problem),
    (status = 413, body = Problem), (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn append(
    allowed: Allowed<PushEvidence>,
    State(state): State<AppState>,
    body: Bytes,
) -> Answer<(StatusCode, Json<Receipt>)> {
    let agent = authenticated(&state, &allowed.actor)?;
    // From looking for the blobs until the entries that name them are logged, none of them may be purged.
    let _kept = state.retention.read().await;
    let mut candidates = Vec::new();
    for (position, envelope) in envelopes(&body)?.iter().enumerate() {
        let checked = intake::check(envelope, &agent, &state.keys.origin, &state.blobs).await;
        let candidate = checked.and_then(|candidate| {
            check_part(&allowed.actor, intake::action_of(&candidate.statement))
                .map_err(|problem| problem.field("predicateType"))?;
            Ok(candidate)
        });
        candidates.push(candidate.map_err(|mut problem| {
            problem.field = problem.field.map(|field| format!("envelopes[{position}].{field}"));
            problem
        })?);
    }
    let appended = state.log.append(candidates).await?;
    let created = appended.places.iter().any(|place| place.created);
    let receipt = receipt(&state, appended).await?;
    Ok((if created { StatusCode::CREATED } else { StatusCode::OK }, Json(receipt)))
}

/// The envelopes of a request, each as JSON that was read strictly.
fn envelopes(body: &[u8]) -> Answer<Vec<Value>> {
    let mut value = jcs::parse(body)
        .map_err(|error| Problem::bad_request("malformed_json", error.to_string()).field("body"))?;
    match value.get_mut("envelopes").map(Value::take) {
        None => Ok(vec![value]),
        Some(Value::Array(items)) if (1..=intake::MAX_ENVELOPES).contains(&items.len()) => Ok(items),
        Some(other) => {
            Err(Problem::bad_request("malformed_envelope", "envelopes is not a list of a fitting length")
                .field("envelopes")
                .found(other.as_array().map_or_else(|| "no list".to_owned(), |items| items.len().to_string()))
                .expected(format!("1 to {} envelopes", intake::MAX_ENVELOPES)))
        }
    }
}

pub(super) async fn receipt(state: &AppState, appended: Appended) -> Answer<Receipt> {
    let size = appended.head.head.size;
    let mut entries = Vec::with_capacity(appended.places.len());
    for place in appended.places {
        let proof = match place.inclusion {
            Some(proof) => Some(proof),
            None => state.reader.inclusion(place.index, size).await?,
        };
        let proof =
            proof.ok_or_else(|| Problem::internal(format_args!("no proof for entry {}", place.index)))?;
        entries.push(PlacedEntry {
            index: place.index,
            digest: place.digest.to_string(),
            leaf_hash: place.leaf_hash.to_string(),
            status: if place.created { "created" } else { "exists" },
            inclusion: proof.iter().map(ToString::to_string).collect(),
        });
    }
    Ok(Receipt { entries, tree_head: appended.head.note })
}

impl From<AppendError> for Problem {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Busy => {
                Self::unavailable("busy", "too many requests wait for the log; nothing was stored")
            }
            AppendError::Conflict { position, conflict } => {
                Self::new(StatusCode::CONFLICT, "conflict", format!("{conflict}; nothing was stored"))
                    .field(format!("envelopes[{position}]"))
            }
            AppendError::DiskFull => disk_full(),
            AppendError::Unwritable => Self::unavailable(
                "log_unwritable",
                "an earlier write failed and the log cannot be read back yet; nothing was stored, and the server tries \
                 again with each request",
            ),
            AppendError::OutcomeUnknown | AppendError::Stopped => Self::unavailable(
                "outcome_unknown",
                "the write failed and it is not known whether it took place; offering the same entry again is safe",
            ),
        }
    }
}

/// Finds an entry by index or digest.
pub async fn find(state: &AppState, which: &str) -> Answer<StoredEntry> {
    let index = match which.parse::<u64>() {
        Ok(index) => Some(index),
        Err(_) => match which.parse() {
            Ok(digest) => state.reader.index_of(&digest).await?,
            Err(_) => None,
        },
    };
    let entry = match index {
        Some(index) => state.reader.entry(index).await?,
        None => None,
    };
    entry.ok_or_else(|| Problem::not_found("no such entry").field("entry").found(which))
}

/// Everything that is needed to verify an entry offline, but for the keys that one must trust.
pub async fn material(state: &AppState, index: u64) -> Answer<Material> {
    let material = materials(state, &[index]).await?.pop();
    material.ok_or_else(|| Problem::not_found(format!("entry {index} is not under a signed tree head yet")))
}

/// The same for several entries, in the order of the log; those that are under no signed tree head yet are left out.
pub async fn materials(state: &AppState, indexes: &[u64]) -> Answer<Vec<Material>> {
    let (pool, head) = (&state.database.read, state.log.head());
    // By the agent, none for the portal.
    let (mut signers, mut histories) = (BTreeMap::new(), HashMap::new());
    for facts in ledger::facts_of(pool, indexes).await? {
        let agent = Some(facts.signer).filter(|signer| signer != "portal");
        if let Some(agent) = agent.as_ref().filter(|agent| !histories.contains_key(*agent)) {
            histories.insert(agent.clone(), key::of_agent(pool, agent).await?);
        }
        signers.insert(facts.index, agent);
    }
    let mut wanted: Vec<u64> = indexes.iter().chain(histories.values().flatten()).copied().collect();
    wanted.sort_unstable();
    wanted.dedup();
    let logged = state.reader.logged_at(&wanted, head.head.size).await?;
    let hand_overs = all_hand_overs(state).await?;
    let in_order = logged.iter().filter(|(index, _)| indexes.contains(index));
    let material = |(index, entry): (&u64, &LoggedEntry)| {
        let history = signers.get(index).and_then(Option::as_ref).and_then(|agent| histories.get(agent));
        let history = history.into_iter().flatten().filter_map(|index| logged.get(index));
        Material {
            entry: entry.clone(),
            key_history: history.cloned().collect(),
            hand_overs: hand_overs.clone(),
            tree_head: head.note.clone(),
        }
    };
    Ok(in_order.map(material).collect())
}

/// Reads an entry's bytes as they are stored.
#[utoipa::path(get, path = "/api/v1/entries/{entry}", params(("entry" = String, Path, description = "an index or a digest")),
    responses((status = 200, content_type = "application/json", description = "the envelope's canonical bytes"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(which): Path<String>,
) -> Answer<Response> {
    let entry = find(&state, &which).await?;
    let logged_at = Timestamp::from_unix_ms(entry.logged_at).map(|at| at.to_string()).unwrap_or_default();
    let headers = [
        (header::CONTENT_TYPE.as_str(), "application/json".to_owned()),
        ("acta-entry-index", entry.index.to_string()),
        ("acta-entry-digest", entry.digest.to_string()),
        ("acta-logged-at", logged_at),
    ];
    Ok((headers, entry.record).into_response())
}

/// Reads what is needed to verify an entry: its bytes, the history of its agent's keys, proofs, the tree head.
#[utoipa::path(get, path = "/api/v1/entries/{entry}/verification", params(("entry" = String, Path, description = "an index or a digest")),
    responses((status = 200, content_type = "application/json"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn verification(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(which): Path<String>,
) -> Answer<Json<Material>> {
    let entry = find(&state, &which).await?;
    Ok(Json(material(&state, entry.index).await?))
}

/// Reads an entry's proof file: its place under the newest tree head, as C2SP's tlog-proof writes it. The entry's bytes
/// and the log's key are all that verifying it needs.
#[utoipa::path(get, path = "/api/v1/entries/{entry}/proof", params(("entry" = String, Path, description = "an index or a digest")),
    responses((status = 200, content_type = "text/plain", description = "c2sp.org/tlog-proof@v1"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn proof(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(which): Path<String>,
) -> Answer<Response> {
    let index = find(&state, &which).await?.index;
    let head = state.log.head();
    let inclusion = state.reader.inclusion(index, head.head.size).await?;
    let inclusion = inclusion
        .ok_or_else(|| Problem::not_found(format!("entry {index} is not under a signed tree head yet")))?;
    let file = ProofFile { extra: None, index, inclusion, tree_head: head.note };
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"entry-{index}.{}\"", proof_file::EXTENSION),
        ),
    ];
    Ok((headers, file.to_string()).into_response())
}
