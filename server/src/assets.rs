//! Style sheets (compiled in, addressed by their digest) and the portal's wasm (read from the site folder).

use std::{collections::HashMap, path::Path};

use acta_app::context::AssetUrls;
use acta_ledger::log::digest::Sha256Digest;
use axum::{
    body::Bytes,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

const TOKENS_CSS: &str = include_str!("../../style/tokens.css");
const MAIN_CSS: &str = include_str!("../../style/main.css");

/// What the wasm build leaves in `pkg/`, with media types; beside each the same compressed, as `NAME.gz`.
const PACKAGE: [(&str, &str); 2] =
    [("acta_app.js", "text/javascript; charset=utf-8"), ("acta_app_bg.wasm", "application/wasm")];

struct Asset {
    bytes: Bytes,
    /// The same, compressed beforehand.
    gzip: Option<Bytes>,
    media_type: &'static str,
    etag: String,
}

/// Everything that is served as a file.
pub struct Assets {
    /// Where the style sheets are.
    pub urls: AssetUrls,
    style: HashMap<&'static str, Asset>,
    package: HashMap<&'static str, Asset>,
}

impl Assets {
    /// Reads the wasm from the site folder; pages come without scripts if it is not there.
    pub fn open(site: &Path) -> Self {
        let style = [("tokens.css", TOKENS_CSS), ("main.css", MAIN_CSS)];
        let url = |name: &str, text: &str| {
            format!("/assets/{name}?v={}", Sha256Digest::of(text.as_bytes()).short())
        };
        let package: HashMap<_, _> = PACKAGE
            .into_iter()
            .filter_map(|(name, media_type)| {
                let read = |name: &str| std::fs::read(site.join("pkg").join(name)).map(Bytes::from).ok();
                Some((name, asset(read(name)?, read(&format!("{name}.gz")), media_type)))
            })
            .collect();
        if package.len() < PACKAGE.len() {
            tracing::warn!(site.dir = %site.display(), "the portal's wasm is not built; pages come without scripts");
        }
        Self {
            urls: AssetUrls {
                tokens_css: url("tokens.css", TOKENS_CSS),
                main_css: url("main.css", MAIN_CSS),
            },
            style: style
                .into_iter()
                .map(|(name, text)| {
                    (name, asset(Bytes::from_static(text.as_bytes()), None, "text/css; charset=utf-8"))
                })
                .collect(),
            package,
        }
    }

    /// Whether pages can have scripts.
    pub fn has_scripts(&self) -> bool {
        self.package.len() == PACKAGE.len()
    }

    /// Answers for a style sheet: its address holds its digest, so it may be kept for ever.
    pub fn style(&self, name: &str) -> Response {
        respond(self.style.get(name), "public, max-age=31536000, immutable")
    }

    /// Answers for a part of the wasm: asked for again each time, answered by its tag.
    pub fn package(&self, name: &str, asked: &HeaderMap) -> Response {
        let Some(asset) = self.package.get(name) else { return respond(None, "no-cache") };
        if asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == asset.etag.as_str()) {
            return (StatusCode::NOT_MODIFIED, [(header::ETAG, asset.etag.clone())]).into_response();
        }
        let mut answer = respond(Some(asset), "no-cache");
        if let Some(gzip) = asset.gzip.clone().filter(|_| takes_gzip(asked)) {
            *answer.body_mut() = gzip.into();
            let headers = answer.headers_mut();
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        answer
    }
}

/// Whether an answer may be compressed: `gzip` is named, and not with a weight of nothing.
fn takes_gzip(asked: &HeaderMap) -> bool {
    let named = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    named.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight != Some(0.0)
    })
}

fn asset(bytes: Bytes, gzip: Option<Bytes>, media_type: &'static str) -> Asset {
    let etag = format!("\"{}\"", Sha256Digest::of(&bytes).short());
    Asset { bytes, gzip, media_type, etag }
}

fn respond(asset: Option<&Asset>, caching: &'static str) -> Response {
    match asset {
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, asset.media_type.to_owned()),
                (header::CACHE_CONTROL, caching.to_owned()),
                (header::ETAG, asset.etag.clone()),
            ];
            (headers, asset.bytes.clone()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_takes_gzip_gets_what_was_compressed_and_others_the_bytes() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("pkg")).unwrap();
        for (name, _) in PACKAGE {
            std::fs::write(folder.path().join("pkg").join(name), "plain").unwrap();
        }
        std::fs::write(folder.path().join("pkg/acta_app_bg.wasm.gz"), "short").unwrap();
        let assets = Assets::open(folder.path());
        for (name, asked, compressed) in [
            ("acta_app_bg.wasm", Some("deflate, gzip, br"), true),
            ("acta_app_bg.wasm", Some("GZIP;q=0.5"), true),
            ("acta_app_bg.wasm", Some("gzip;q=0"), false),
            ("acta_app_bg.wasm", Some("x-gzip, br"), false),
            ("acta_app_bg.wasm", None, false),
            ("acta_app.js", Some("gzip"), false),
        ] {
            let asked = asked.map(|asked| (header::ACCEPT_ENCODING, asked.parse().unwrap()));
            let answer = assets.package(name, &asked.into_iter().collect());
            assert_eq!(answer.headers().contains_key(header::CONTENT_ENCODING), compressed, "{name}");
            assert_eq!(answer.status(), StatusCode::OK);
        }
    }
}
