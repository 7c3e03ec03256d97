//! Digests: twelve digits, the whole one on hovering and in print, a link to what it names.

use acta_ledger::log::digest::Sha256Digest;
use leptos::prelude::*;

/// A digest with a link.
pub fn linked(digest: &Sha256Digest, href: String) -> impl IntoView + use<> {
    view! { <a class="digest" href=href title=digest.to_string()>{digest.short()}</a> }
}

/// A digest of something that is not kept here.
pub fn plain(digest: &Sha256Digest) -> impl IntoView + use<> {
    view! { <code class="digest" title=digest.to_string()>{digest.short()}</code> }
}

/// A digest in full.
pub fn full(digest: &Sha256Digest) -> impl IntoView + use<> {
    view! { <code class="whole">{digest.to_string()}</code> }
}
