//! Search: one box for every digest, run, entry and route.

use acta_app::view::search::Thing;
use acta_ledger::judge::search::Refusal;
use axum::{
    Json,
    extract::{Query, State},
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    search,
    startup::AppState,
};

/// What to look for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// A digest or at least its first 8 digits, a run's id or number, an entry's index, a route's name or its beginning.
    #[serde(default)]
    q: String,
}

/// What was found.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchBody {
    /// Each with its kind (`entry`, `key`, `run`, `route`, `digest`) and the address of its page.
    #[schema(value_type = Vec<Object>)]
    things: Vec<FoundThing>,
    /// Whether there is more than is listed.
    more: bool,
    /// The tree's size up to which nothing was left out.
    tree_size: u64,
}

#[derive(Serialize)]
struct FoundThing {
    #[serde(flatten)]
    thing: Thing,
    href: String,
}

/// Looks for a digest (subject, blob, entry, leaf hash or key) by 8 or more of its first digits, and for runs, entries
/// and routes by what they are called.
#[utoipa::path(get, path = "/api/v1/search", params(Asked), responses((status = 200, body = SearchBody),
    (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn search(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Query(asked): Query<Asked>,
) -> Answer<Json<SearchBody>> {
    let view = search::search(&state, &asked.q).await?;
    let found = view.found.map_err(|refusal| refused(&view.query, refusal))?;
    let things = found.things.into_iter().map(|thing| FoundThing { href: thing.href(), thing }).collect();
    Ok(Json(SearchBody { things, more: found.more, tree_size: view.tree_size }))
}

/// Why nothing could be looked for.
pub(super) fn refused(query: &str, refusal: Refusal) -> Problem {
    let problem = Problem::bad_request("bad_search", refusal.to_string());
    problem.field("q").found(query).expected(refusal.expected())
}
