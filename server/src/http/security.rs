//! Headers that every answer carries, and the check that a browser's form comes from our own pages.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{error::Problem, startup::AppState};

/// The content security policy of a page. Without a nonce the page has no script at all.
pub fn page_policy(nonce: Option<&str>) -> String {
    let scripts = match nonce {
        Some(nonce) => format!("script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; "),
        None => String::new(),
    };
    format!(
        "default-src 'none'; {scripts}style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Adds the headers; an answer that set one itself keeps it.
pub async fn headers(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()");
    set(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'");
    set(header::CACHE_CONTROL, "no-store");
    if state.tls {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    response
}

/// Refuses changes that a browser sends on behalf of another site. Requests with a token of their own are not a
/// browser's doing; requests with neither header are not a browser's either.
pub async fn same_origin(request: Request, next: Next) -> Response {
    let safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if safe || request.headers().contains_key(header::AUTHORIZATION) || is_same_origin(request.headers()) {
        return next.run(request).await;
    }
    Problem::forbidden("cross_site", "the request comes from another site").into_response()
}

fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return matches!(site, "same-origin" | "none");
    }
    match text(header::ORIGIN) {
        Some(origin) => origin.split_once("://").map(|(_, host)| host) == text(header::HOST),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_sites_forms_are_refused() {
        let verdict = |pairs: &[(&'static str, &'static str)]| {
            let headers = pairs
                .iter()
                .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_same_origin(&headers.collect())
        };
        for (headers, same) in [
            (&[("sec-fetch-site", "same-origin")][..], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "cross-site")], false),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site"), ("origin", "http://a"), ("host", "a")], false),
            (&[("origin", "http://acta:8780"), ("host", "acta:8780")], true),
            (&[("origin", "http://evil"), ("host", "acta:8780")], false),
            (&[("origin", "null"), ("host", "acta:8780")], false),
            (&[("host", "acta:8780")], true),
        ] {
            assert_eq!(verdict(headers), same, "{headers:?}");
        }
    }

    #[test]
    fn a_page_without_nonce_runs_no_script() {
        assert!(!page_policy(None).contains("script-src"));
        assert!(page_policy(Some("abc")).contains("script-src 'self' 'nonce-abc'"));
        assert!(!page_policy(Some("abc")).contains("unsafe-inline"));
    }
}
