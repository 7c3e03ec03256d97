//! The API, one file a noun. Its OpenAPI document is generated from the handlers and served at `/api/v1/openapi.json`.

pub mod acceptance;
pub mod account;
pub mod agent;
pub mod blob;
pub mod bundle;
pub mod compare;
pub mod entry;
pub mod export;
pub mod key;
pub mod live;
pub mod log;
pub mod pack;
pub mod rebuild;
pub mod route;
pub mod run;
pub mod search;

use axum::{Json, Router, routing::get};
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::startup::AppState;

#[derive(OpenApi)]
#[openapi(info(
    title = "Acta",
    description = "The evidence ledger of TensorRT builds. Errors are application/problem+json with a machine-readable code.",
    license(name = "Apache-2.0", identifier = "Apache-2.0"),
))]
struct Document;

#[derive(OpenApi)]
#[openapi(paths(log::tile))]
struct Tiles;

/// The API's routes and its document.
pub fn router() -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let (router, document) = OpenApiRouter::with_openapi(Document::openapi().merge_from(Tiles::openapi()))
        // For agents
        .routes(routes!(agent::enrol))
        .routes(routes!(key::rotate))
        .routes(routes!(entry::append))
        .routes(routes!(blob::put, blob::get))
        .routes(routes!(blob::get_short))
        .routes(routes!(super::live::channel))
        // For readers
        .routes(routes!(run::list))
        .routes(routes!(run::get))
        .routes(routes!(run::tree))
        .routes(routes!(run::chrome_trace))
        .routes(routes!(run::advice))
        .routes(routes!(rebuild::rebuilds))
        .routes(routes!(compare::compare))
        .routes(routes!(compare::cancels))
        .routes(routes!(export::runs))
        .routes(routes!(export::entries))
        .routes(routes!(export::cancels))
        .routes(routes!(export::caches))
        .routes(routes!(export::configuration))
        .routes(routes!(export::restorations))
        .routes(routes!(export::overview::routes))
        .routes(routes!(export::overview::acceptances))
        .routes(routes!(export::overview::found))
        .routes(routes!(export::overview::people))
        .routes(routes!(acceptance::list))
        .routes(routes!(acceptance::get))
        .routes(routes!(live::list))
        .routes(routes!(live::get))
        .routes(routes!(live::events))
        .routes(routes!(route::create, route::list))
        .routes(routes!(route::get))
        .routes(routes!(route::live))
        .routes(routes!(bundle::trace))
        .routes(routes!(entry::get))
        .routes(routes!(entry::verification))
        .routes(routes!(entry::proof))
        .routes(routes!(search::search))
        .routes(routes!(pack::get))
        // For persons who decide, and the agent beside the runtime that does it
        .routes(routes!(live::cancel))
        .routes(routes!(route::decisions))
        .routes(routes!(route::orders))
        .routes(routes!(route::confirmation))
        .routes(routes!(route::open_orders))
        // For whoever keeps accounts and the store
        .routes(routes!(account::list))
        .routes(routes!(account::change))
        .routes(routes!(key::revoke))
        .routes(routes!(bundle::purge))
        // For everybody: what a log shows
        .routes(routes!(log::keys))
        .routes(routes!(log::consistency))
        .routes(routes!(key::hand_overs))
        .routes(routes!(log::tree_head))
        // For whoever runs the server
        .routes(routes!(super::operators::healthz))
        .routes(routes!(super::operators::readyz))
        .routes(routes!(super::operators::metrics))
        .split_for_parts();
    // By the name that C2SP's clients ask for, and a path with slashes, which OpenAPI cannot describe.
    let router =
        router.route("/log/checkpoint", get(log::tree_head)).route("/log/tile/{*tile}", get(log::tile));
    let served = document.clone();
    let openapi = get(move || async move { Json(served) });
    (router.route("/api/v1/openapi.json", openapi), document)
}
