//! Style sheets (compiled in, addressed by their digest) and the portal's wasm (read from the site folder).

use std::{collections::HashMap, path::Path};

use acta_app::context::AssetUrls;
use acta_ledger::log::digest::Sha256Digest;
use axum::{
    body::Bytes,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

const TOKENS_CSS: &str = include_str!("../../style/tokens.css");
const MAIN_CSS: &str = include_str!("../../style/main.css");

/// What the wasm build leaves in `pkg/`, with media types.
const PACKAGE: [(&str, &str); 2] =
    [("acta_app.js", "text/javascript; charset=utf-8"), ("acta_app_bg.wasm", "application/wasm")];

struct Asset {
    bytes: Bytes,
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
                let bytes = std::fs::read(site.join("pkg").join(name)).ok()?;
                Some((name, asset(bytes.into(), media_type)))
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
                    (name, asset(Bytes::from_static(text.as_bytes()), "text/css; charset=utf-8"))
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
    pub fn package(&self, name: &str, if_none_match: Option<&str>) -> Response {
        let found = self.package.get(name);
        match found {
            Some(asset) if if_none_match == Some(&asset.etag) => {
                (StatusCode::NOT_MODIFIED, [(header::ETAG, asset.etag.clone())]).into_response()
            }
            _ => respond(found, "no-cache"),
        }
    }
}

fn asset(bytes: Bytes, media_type: &'static str) -> Asset {
    let etag = format!("\"{}\"", Sha256Digest::of(&bytes).short());
    Asset { bytes, media_type, etag }
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
