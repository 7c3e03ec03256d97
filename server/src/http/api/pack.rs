//! Evidence packs: one file that verifies offline.

use acta_ledger::{
    judge::pack::Topic,
    log::pack::{Blobs, EXTENSION, MEDIA_TYPE},
};
use axum::{
    body::Body,
    extract::{Query, State},
    http::header,
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::agent::parse_digest;
use crate::{
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    pack::{Wanted, archive, gather},
    startup::AppState,
    store,
};

/// What a pack is about (exactly one of `run`, `bundle` and `route`) and what goes along.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// A run, by its id or its number.
    run: Option<String>,
    /// A bundle, 64 digits, with or without `sha256:` before them.
    bundle: Option<String>,
    /// A route's name.
    route: Option<String>,
    /// Which blobs: `small` (at most 1 MiB each, where absent), `all` or `none`.
    #[serde(default)]
    #[param(value_type = Option<String>)]
    blobs: Blobs,
    /// A size of the tree that the asker knows: the proof that this tree goes on from there goes along.
    since: Option<u64>,
}

/// Makes an evidence pack: statements, proofs, tree head, keys and blobs in one tar archive that verifies offline.
#[utoipa::path(get, path = "/api/v1/packs", params(Asked), responses(
    (status = 200, content_type = "application/vnd.acta.pack+tar", description = "the archive, see its README.md"),
    (status = 400, body = Problem), (status = 401, body = Problem), (status = 404, body = Problem),
    (status = 413, body = Problem)))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let (about, name) = topic(&state, &asked).await?;
    let size = state.log.head().head.size;
    if let Some(since) = asked.since.filter(|since| !(1..=size).contains(since)) {
        return Err(Problem::bad_request("bad_size", "the log has no tree of this size to prove from")
            .field("since")
            .found(since)
            .expected(format!("1 to {size}")));
    }
    let files = gather(&state, &Wanted { about, blobs: asked.blobs, since: asked.since }).await?;
    let (length, stream) = archive(state.blobs.clone(), files);
    let headers = [
        (header::CONTENT_TYPE, MEDIA_TYPE.to_owned()),
        (header::CONTENT_LENGTH, length.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.{EXTENSION}\"")),
        (header::CONTENT_SECURITY_POLICY, "sandbox".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

/// What it is about, and how the file is called.
async fn topic(state: &AppState, asked: &Asked) -> Answer<(Topic, String)> {
    match (&asked.run, &asked.bundle, &asked.route) {
        (Some(run), None, None) => {
            let row = store::run::find(&state.database.read, run).await?;
            let row = row.ok_or_else(|| Problem::not_found("no such run").field("run").found(run))?;
            let id = row.id.parse().map_err(Problem::internal)?;
            Ok((Topic::Run(id), format!("run-{:04}", row.number)))
        }
        (None, Some(bundle), None) => {
            let digest = parse_digest("bundle", bundle.strip_prefix("sha256:").unwrap_or(bundle))?;
            Ok((Topic::Bundle(digest), format!("bundle-{}", digest.short())))
        }
        (None, None, Some(route)) => {
            // A route's name may come from an agent: only what is plain goes into a file's name.
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let name: String = route.chars().map(|c| if plain(c) { c } else { '_' }).take(100).collect();
            Ok((Topic::Route(route.clone()), format!("route-{name}")))
        }
        _ => Err(Problem::bad_request("bad_pack", "it is not clear what the pack is about")
            .field("run, bundle, route")
            .expected("exactly one of the three")),
    }
}
