//! Signature, inclusion and tree head: what the server found, how to find it without the server, and the island.

use acta_ledger::log::digest::Sha256Digest;
use leptos::prelude::*;

use super::layout::{note, part};
use crate::{
    context::PageContext,
    i18n::Lang,
    islands::{
        outcome::Texts,
        verdict::{Claim, Keys},
        verify::{Task, Verify, VerifyFigure},
    },
    routes,
    view::Verification,
};

/// The part in which an entry's checks are shown.
pub fn checks(
    context: &PageContext,
    index: u64,
    digest: Sha256Digest,
    verification: &Verification,
) -> AnyView {
    let lang = context.lang;
    let task = Task {
        claim: Claim {
            index,
            digest,
            keys: Keys { log: verification.log_key.clone(), portal: verification.portal_key.clone() },
        },
        material_url: routes::verification(index),
        consistency_url: routes::CONSISTENCY.to_owned(),
        server: verification.report.checks.clone(),
        texts: texts(lang),
    };
    let body = view! {
        <Verify task=task/>
        <p class="small quiet">{lang.t("verify-without")}</p>
        <pre class="command">{verify_command(&context.base_url, index)}</pre>
    };
    part("verified", lang.t("section-verified"), note(lang.t("verified-note")), body.into_any())
}

/// The key figure that the island keeps up to date.
pub fn figure(verification: &Verification, lang: Lang) -> AnyView {
    let checks = &verification.report.checks;
    let holds = checks.iter().filter(|check| check.holds).count();
    view! {
        <div>
            <dt>{lang.t("figure-verified")}</dt>
            <dd><VerifyFigure texts=texts(lang) holds=holds of=checks.len()/></dd>
        </div>
    }
    .into_any()
}

/// What to type on a machine of one's own.
pub fn verify_command(base_url: &str, index: u64) -> String {
    format!("acta verify --server {base_url} --entry {index}")
}

fn texts(lang: Lang) -> Texts {
    // The island fills its values in by itself: Fluent gets them as their own names in braces.
    let blank = |key: &str| {
        lang.tr(
            key,
            [
                ("holds", "{holds}".into()),
                ("of", "{of}".into()),
                ("index", "{index}".into()),
                ("reason", "{reason}".into()),
                ("size", "{size}".into()),
                ("old", "{old}".into()),
                ("date", "{date}".into()),
            ],
        )
    };
    Texts {
        kinds: [lang.t("check-signature"), lang.t("check-inclusion"), lang.t("check-tree-head")],
        continuity: lang.t("check-continuity"),
        keys: lang.t("check-keys"),
        figure: blank("verify-figure"),
        by_server: lang.t("verify-by-server"),
        by_browser: lang.t("verify-by-browser"),
        by_nobody: lang.t("verify-by-nobody"),
        lead_server: lang.t("verify-lead-server"),
        lead_good: lang.t("verify-lead-good"),
        lead_bad: blank("verify-lead-bad"),
        unfetched: blank("verify-unfetched"),
        first: blank("verify-first"),
        same: blank("verify-same"),
        grown: blank("verify-grown"),
        not_continued: blank("verify-not-continued"),
        truncated: blank("verify-truncated"),
        forked: blank("verify-forked"),
        unknown: lang.t("verify-unknown"),
        keys_changed: blank("verify-keys-changed"),
        forget: lang.t("verify-forget"),
    }
}
