//! Every path, grouped by who asks.

use std::time::Duration;

use acta_app::routes;
use axum::{
    Router,
    extract::{DefaultBodyLimit, Path, State},
    http::{HeaderMap, StatusCode},
    middleware,
    response::Response,
    routing::{get, post},
};
use tower_http::{
    CompressionLevel, catch_panic::CatchPanicLayer, compression::CompressionLayer,
    limit::RequestBodyLimitLayer,
};

use super::{api, compression, forms, observe, pages, security};
use crate::{blob::MAX_BLOB_BYTES, startup::AppState};

/// The largest body that is not a blob: 256 envelopes of the longest entry, in JSON.
const MAX_BODY_BYTES: usize = 24 << 20;

/// How long a request may take that is not a blob.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The whole service.
pub fn router(state: AppState) -> Router {
    let (api, _) = api::router();
    let browser =
        routes::PATHS.iter().fold(Router::new(), |router, path| router.route(path, get(pages::page)));
    let forms = Router::new()
        .route(routes::SIGN_IN, post(forms::sign_in))
        .route(routes::SIGN_OUT, post(forms::sign_out))
        .route(routes::PREFERENCES, post(forms::preferences))
        .route("/routes/{route}/decisions", post(forms::route::decisions))
        .route("/routes/{route}/orders", post(forms::route::orders))
        .route("/routes/{route}/confirmations", post(forms::route::confirmations))
        .route("/agents/{name}/revoke", post(forms::agent::revoke))
        .route(routes::PEOPLE_CHANGES, post(forms::people::change))
        .route("/runs/{id}/cancel", post(forms::live::cancel))
        .route("/account/sessions/revoke", post(forms::account::session))
        .route("/account/tokens/revoke", post(forms::account::token))
        .route(routes::ZONE, post(forms::account::zone));
    let files = Router::new().route("/assets/{name}", get(style)).route("/pkg/{name}", get(package));
    Router::new()
        .merge(browser)
        .merge(forms)
        .merge(files)
        .merge(api)
        .fallback(pages::page)
        // Innermost, so that the answer to a panic carries the headers of every answer.
        .layer(CatchPanicLayer::new())
        .layer(
            CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(compression::worth_it()),
        )
        .layer(middleware::from_fn(compression::guard))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(RequestBodyLimitLayer::new(MAX_BLOB_BYTES as usize))
        .layer(middleware::from_fn(timeout))
        .layer(middleware::from_fn(security::same_origin))
        .layer(middleware::from_fn_with_state(state.clone(), security::headers))
        .layer(middleware::from_fn_with_state(state.clone(), observe::observe))
        .with_state(state)
}

async fn style(State(state): State<AppState>, Path(name): Path<String>) -> Response {
    state.assets.style(&name)
}

async fn package(State(state): State<AppState>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    state.assets.package(&name, &headers)
}

/// Ends slow requests, but for a blob, which may be long.
async fn timeout(request: axum::extract::Request, next: middleware::Next) -> Response {
    use axum::response::IntoResponse as _;
    if request.uri().path().starts_with("/api/v1/blobs/sha256/") {
        return next.run(request).await;
    }
    match tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}
