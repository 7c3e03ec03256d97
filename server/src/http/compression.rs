//! Which answers are compressed.
//!
//! A page holds a secret (the token of its forms) beside what its address asked for, and the length of a compressed page
//! tells whether the two are alike (the attack called BREACH). It needs another site that makes a browser ask with the
//! session's cookie and sees how long the answers are. The cookie is `SameSite=Strict`, so another site's requests carry
//! none; and requests that a browser says come from elsewhere, or that carry a session without saying where from, are
//! answered uncompressed here, also where a neighbour on the same site could send the cookie along.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, header},
    middleware::Next,
    response::Response,
};
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};

/// What is shorter than this, in bytes, is sent as it is.
const SHORT: u16 = 512;

/// Kinds of answers that gain by it: texts. Blobs and packs are hashed and random bytes, or large and read once, and a
/// stream of events must not wait for a block to fill.
pub fn worth_it() -> impl Predicate {
    SizeAbove::new(SHORT)
        .and(NotForContentType::const_new("application/octet-stream"))
        .and(NotForContentType::const_new("application/vnd.acta"))
        .and(NotForContentType::const_new("text/event-stream"))
        .and(NotForContentType::IMAGES)
}

/// Takes the wish for compression out of requests whose answers' lengths another site could be after.
pub async fn guard(mut request: Request, next: Next) -> Response {
    if !may_compress(request.headers()) {
        request.headers_mut().remove(header::ACCEPT_ENCODING);
    }
    next.run(request).await
}

fn may_compress(headers: &HeaderMap) -> bool {
    match headers.get(HeaderName::from_static("sec-fetch-site")) {
        Some(site) => site == "same-origin" || site == "none",
        None => !headers.contains_key(header::COOKIE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_elsewhere_learns_a_length() {
        for (site, cookie, may) in [
            (Some("same-origin"), true, true),
            (Some("none"), true, true),
            (Some("cross-site"), true, false),
            (Some("same-site"), true, false),
            (Some("cross-site"), false, false),
            (None, true, false),
            (None, false, true),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(site) = site {
                headers.insert("sec-fetch-site", site.parse().unwrap());
            }
            if cookie {
                headers.insert(header::COOKIE, "acta-session=x".parse().unwrap());
            }
            assert_eq!(may_compress(&headers), may, "{site:?} {cookie}");
        }
    }
}
