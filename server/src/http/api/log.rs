//! What a log shows to everybody: its tree head, consistency proofs, keys.

use acta_ledger::{
    judge::log_key::LogKeyLife,
    log::tile::{self, TILE_WIDTH, TileRequest},
};
use axum::{
    Json,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    auth::{
        extract::{Allowed, Asking, ReadLog},
        policy::{Action, allows},
    },
    error::{Answer, Problem},
    startup::AppState,
};

/// The log's name and the server's public keys.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeysBody {
    /// The log's name.
    origin: String,
    /// The log's first verifier key: the one to pin. Later ones are believed through the hand-overs.
    log_key: String,
    /// All keys of the log and the sizes whose tree heads they sign.
    log_keys: Vec<LogKeyItem>,
    /// The portal's public key, standard base64.
    portal_key: String,
}

/// A key of the log: it signs the tree heads of the sizes from `from` on, below `until`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogKeyItem {
    /// The verifier key.
    key: String,
    /// The entry that announced it; null for the first.
    announced_by: Option<u64>,
    /// The first size that it signs.
    from: u64,
    /// The first size that it signs no more; null as long as no other key follows.
    until: Option<u64>,
}

/// Names the keys. Whoever verifies should have them from elsewhere.
#[utoipa::path(get, path = "/api/v1/keys", responses((status = 200, body = KeysBody)))]
pub async fn keys(_: Allowed<ReadLog>, State(state): State<AppState>) -> Json<KeysBody> {
    Json(KeysBody {
        origin: state.keys.origin.clone(),
        log_key: state.trust.log.to_string(),
        log_keys: state.log.keyring().log().lives().map(item).collect(),
        portal_key: state.trust.portal.to_base64(),
    })
}

fn item(life: &LogKeyLife) -> LogKeyItem {
    let (key, announced_by) = (life.key.to_string(), life.announced_by);
    LogKeyItem { key, announced_by, from: life.from, until: life.until }
}

/// Two sizes of the log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// The earlier size, at least 1.
    from: u64,
    /// The later size, at most the log's.
    to: u64,
}

/// A consistency proof.
#[derive(Serialize, ToSchema)]
pub struct Consistency {
    /// The hashes.
    proof: Vec<String>,
}

/// Proves that the tree of size `to` begins with the tree of size `from`.
#[utoipa::path(get, path = "/api/v1/log/consistency", params(Sizes), responses((status = 200, body = Consistency), (status = 400, body = Problem), (status = 404, body = Problem)))]
pub async fn consistency(
    _: Allowed<ReadLog>,
    State(state): State<AppState>,
    Query(sizes): Query<Sizes>,
) -> Answer<Json<Consistency>> {
    let size = state.log.head().head.size;
    if sizes.from == 0 || sizes.from > sizes.to {
        return Err(Problem::bad_request("bad_range", "from must be at least 1 and at most to")
            .field("from")
            .found(sizes.from)
            .expected(format!("1 to {}", sizes.to)));
    }
    if sizes.to > size {
        return Err(Problem::not_found("the log is not that long")
            .field("to")
            .found(sizes.to)
            .expected(size));
    }
    let proof = state.reader.consistency(sizes.from, sizes.to).await?;
    let proof = proof.ok_or_else(|| Problem::internal("no consistency proof"))?;
    Ok(Json(Consistency { proof: proof.iter().map(ToString::to_string).collect() }))
}

/// Reads the newest signed tree head (a C2SP checkpoint).
#[utoipa::path(get, path = "/log/tree-head", responses((status = 200, content_type = "text/plain")))]
pub async fn tree_head(_: Allowed<ReadLog>, State(state): State<AppState>) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (headers, state.log.head().note).into_response()
}

/// Reads a tile by C2SP tlog-tiles: `<L>/<N>[.p/<W>]` (hashes) or `entries/<N>[.p/<W>]` (each entry behind its length in
/// two bytes). What is beyond the newest tree head is not found; what is there never changes.
#[utoipa::path(get, path = "/log/tile/{tile}", params(("tile" = String, Path, description = "may hold slashes")),
    responses((status = 200, content_type = "application/octet-stream"), (status = 401, body = Problem, description = "for entries"), (status = 404, body = Problem)))]
pub async fn tile(
    _: Allowed<ReadLog>,
    Asking { actor, .. }: Asking,
    State(state): State<AppState>,
    Path(path): Path<String>,
) -> Answer<Response> {
    let not_found = || Problem::not_found("there is no such tile under the newest tree head").found(&path);
    let request = TileRequest::parse(&path).ok_or_else(not_found)?;
    let size = state.log.head().head.size;
    if request.width > tile::width(request.tile(), size) {
        return Err(not_found());
    }
    let bytes = match request.level {
        // Entries are evidence: whoever may not read evidence may still check the tree over their hashes.
        None if !allows(&actor, Action::ReadEvidence, state.public_read) => {
            return Err(Problem::unauthorized("sign in, or send an agent's token, to read entries"));
        }
        None => {
            let bundle = state.reader.entry_bundle(request.index * TILE_WIDTH, request.width).await?;
            bundle.ok_or_else(|| damaged(&state, &request))?
        }
        Some(_) => {
            let hashes = state.reader.shown_tile(request.tile(), size).await?;
            let hashes = hashes.ok_or_else(|| damaged(&state, &request))?;
            hashes.iter().take(request.width as usize).flat_map(|hash| hash.0).collect()
        }
    };
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Ok((headers, bytes).into_response())
}

/// The log signed for a tile that its database does not hold: whoever asks is told, and so is whoever watches.
fn damaged(state: &AppState, request: &TileRequest) -> Problem {
    state.metrics.log().damage_met();
    tracing::error!(
        log.tile = %request,
        "a part of the log is missing from the database; acta-server doctor says what is lost"
    );
    Problem::new(
        StatusCode::NOT_FOUND,
        "missing_tile",
        "the log has signed for this tile, and the server's database has lost it",
    )
    .found(request)
}
