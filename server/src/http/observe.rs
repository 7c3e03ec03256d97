//! Each request once: its id, a line in the log, a count. The id is the server's own and goes out with the answer, so
//! that whoever reports a failure can name it.

use std::time::Instant;

use axum::{
    extract::{ConnectInfo, MatchedPath, Request, State},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use tracing::Instrument as _;

use crate::{error::Reason, startup::AppState};

/// The header that carries the id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Runs the request inside a span of its own, and notes how it was answered. The query is not noted: a page's address
/// may hold what somebody typed.
pub async fn observe(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = uuid::Uuid::now_v7().simple().to_string();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = request.method().clone();
    let client = super::client::address(request.headers(), peer(&request), &state.trusted_proxies);
    let span = tracing::info_span!("request", request.id = %id);
    async move {
        let path = request.uri().path().to_owned();
        let mut response = next.run(request).await;
        let (took, status) = (began.elapsed(), response.status().as_u16());
        state.metrics.answered(method.as_str(), route.as_deref(), status, took);
        let reason = response.extensions().get::<Reason>().map(|reason| reason.0);
        if let Some(code) = reason {
            state.metrics.problem(code);
        }
        macro_rules! tell {
            ($level:ident) => {
                tracing::$level!(
                    http.method = %method,
                    http.path = path,
                    http.route = route.as_deref().unwrap_or("none"),
                    http.status = status,
                    problem.code = reason,
                    client.address = client.map(tracing::field::display),
                    duration_ms = took.as_secs_f64() * 1000.0,
                    "answered"
                )
            };
        }
        // Reading is everyday work; what changes something or fails is worth a line.
        if method.is_safe() && status < 500 {
            tell!(debug)
        } else {
            tell!(info)
        }
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID, value);
        }
        response
    }
    .instrument(span)
    .await
}

fn peer(request: &Request) -> Option<std::net::IpAddr> {
    request.extensions().get::<ConnectInfo<std::net::SocketAddr>>().map(|ConnectInfo(address)| address.ip())
}
