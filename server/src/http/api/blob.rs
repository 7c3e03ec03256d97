//! Blobs: bytes by their digest.

use acta_ledger::log::{blobs, digest::Sha256Digest};
use axum::{
    body::Body,
    extract::{Path, Query, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::agent::{authenticated, parse_digest};
use crate::{
    auth::extract::{Allowed, PushEvidence, ReadEvidence},
    error::{Answer, Problem},
    purge::purged_by_entry,
    startup::AppState,
};

/// Stores a blob: streamed, hashed as it comes, synced, and only then found under its digest.
#[utoipa::path(put, path = "/api/v1/blobs/sha256/{digest}", params(("digest" = String, Path, description = "64 hexadecimal digits")),
    request_body(content_type = "application/octet-stream"), responses(
    (status = 201, description = "stored"), (status = 200, description = "was stored before"),
    (status = 401, body = Problem), (status = 413, body = Problem), (status = 422, body = Problem)))]
pub async fn put(
    allowed: Allowed<PushEvidence>,
    State(state): State<AppState>,
    Path(digest): Path<String>,
    request: Request,
) -> Answer<StatusCode> {
    authenticated(&state, &allowed.actor)?;
    let digest = parse_digest("digest", &digest)?;
    if state.blobs.size(&digest).await?.is_some() {
        return Ok(StatusCode::OK);
    }
    let bytes = request.into_body().into_data_stream();
    let length = state.blobs.put(&digest, bytes).await?;
    state.metrics.stored(length);
    Ok(StatusCode::CREATED)
}

/// Reads a blob. Its bytes are whatever somebody pushed: always a download, never a page.
#[utoipa::path(get, path = "/api/v1/blobs/sha256/{digest}", params(("digest" = String, Path, description = "64 hexadecimal digits")),
    responses((status = 200, content_type = "application/octet-stream"), (status = 401, body = Problem), (status = 404, body = Problem),
    (status = 410, body = Problem, description = "it was retained, and was purged")))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(digest): Path<String>,
) -> Answer<Response> {
    let digest = parse_digest("digest", &digest)?;
    let found = state.blobs.get(&digest).await?;
    let Some(found) = found else { return Err(missing(&state, &digest).await?) };
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, found.meta.size.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{digest}\"")),
        (header::CONTENT_SECURITY_POLICY, "sandbox".to_owned()),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable".to_owned()),
        (header::ETAG, format!("\"{digest}\"")),
    ];
    Ok((headers, Body::from_stream(found.into_stream())).into_response())
}

/// Several blobs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Several {
    /// At most 64 digests, each 64 hexadecimal digits, with commas between them.
    digests: String,
}

/// Reads many short blobs at once, in the order of their digests: each behind its length in four bytes, big-endian. The
/// length 4294967295 has no bytes behind it: that blob is to be asked for by itself, because it is missing, cannot be read, is
/// longer than 64 KiB, or those before it have taken 1 MiB.
#[utoipa::path(get, path = "/api/v1/blobs/sha256", params(Several),
    responses((status = 200, content_type = "application/octet-stream"), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn get_short(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Query(several): Query<Several>,
) -> Answer<Response> {
    let digests = several.digests.split(',').map(|digest| parse_digest("digests", digest));
    let digests = digests.collect::<Answer<Vec<Sha256Digest>>>()?;
    if digests.len() > blobs::MOST {
        return Err(Problem::bad_request("too_many", "so many blobs are not read at once")
            .field("digests")
            .found(digests.len())
            .expected(format!("at most {}", blobs::MOST)));
    }
    let read = state.blobs.read_short(digests, blobs::SHORT_BYTES as u64).await.map_err(Problem::internal)?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"blobs\""),
        (header::CONTENT_SECURITY_POLICY, "sandbox"),
    ];
    Ok((headers, blobs::write(&read)).into_response())
}

/// Why there are no such bytes: what was purged is gone on purpose, and an entry says so.
async fn missing(state: &AppState, digest: &Sha256Digest) -> Answer<Problem> {
    Ok(match purged_by_entry(state, digest).await? {
        Some(entry) => Problem::new(
            StatusCode::GONE,
            "purged",
            format!("the bytes were retained and have been purged, as entry {entry} says"),
        )
        .found(entry),
        None => Problem::not_found(format!("no blob has the digest {digest}")),
    })
}
