//! For whoever runs the server: does it live, can it work, what does it do.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};

use crate::{
    auth::extract::{Allowed, ReadMetrics},
    error::{Answer, Problem},
    health::{self, Readiness},
    metrics,
    startup::AppState,
};

/// Says that the process answers, and nothing else: whoever restarts on this must not restart for a full disk.
#[utoipa::path(get, path = "/healthz", responses((status = 200, content_type = "text/plain")))]
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Says whether requests should be sent here, and names what is not ready. Anybody may ask: it holds no evidence.
#[utoipa::path(get, path = "/readyz", responses((status = 200, body = Readiness), (status = 503, body = Readiness)))]
pub async fn readyz(State(state): State<AppState>) -> Response {
    let readiness = health::readiness(&state).await;
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

/// Shows what the server counts, for an admin or a program with a token of scope `metrics`.
#[utoipa::path(get, path = "/metrics", responses((status = 200, content_type = "application/openmetrics-text"),
    (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn metrics(_: Allowed<ReadMetrics>, State(state): State<AppState>) -> Answer<Response> {
    let text =
        state.metrics.render(&state).await.map_err(|error| Problem::internal(format_args!("{error:#}")))?;
    Ok(([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response())
}
