//! What a run left behind: the inventory, and what became of the timing cache.

use acta_ledger::{
    evidence::{artifact::Artifact, code},
    log::digest::Sha256Digest,
};
use leptos::prelude::*;

use crate::{
    components::{
        digest,
        facts::{Fact, Group, facts},
        layout::{self, note, scroll},
        state::state,
        words,
    },
    format::{NOTHING, bytes, count, visible},
    i18n::Lang,
    view::RunView,
};

/// Shows the inventory.
pub fn artifacts(view: &RunView, lang: Lang) -> AnyView {
    let artifacts = &view.summary.artifacts;
    let body = if artifacts.is_empty() {
        view! { <p>{lang.t("artifacts-none")}</p> }.into_any()
    } else {
        let rows = artifacts.iter().map(|artifact| row(artifact, lang));
        let table = view! {
            <table>
                <caption class="vh">{lang.t("artifacts-caption")}</caption>
                <thead><tr>
                    <th scope="col" class="stick">{lang.t("artifact-head-name")}</th>
                    <th scope="col">{lang.t("artifact-head-kind")}</th>
                    <th scope="col" class="n">{lang.t("artifact-head-size")}" "<span class="unit">"B"</span></th>
                    <th scope="col">"SHA-256"</th>
                    <th scope="col">{lang.t("artifact-head-disposition")}</th>
                </tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        };
        scroll(&lang.t("section-artifacts"), lang, table.into_any())
    };
    let status = words::cleanup(&code(&view.summary.cleanup_status), lang).1;
    let about = lang.tr("artifacts-note", [("status", status.into())]);
    layout::part("h-artifacts", lang.t("section-artifacts"), note(about), body)
}

fn row(artifact: &Artifact, lang: Lang) -> AnyView {
    let (mark, word) = words::disposition(&code(&artifact.disposition), lang);
    let unread = || view! { <span class="quiet">{lang.t("artifact-unread")}</span> }.into_any();
    let digest = artifact.digest.as_ref().map_or_else(unread, |digest| digest::plain(digest).into_any());
    view! {
        <tr>
            <th scope="row" class="stick"><code>{visible(&artifact.name)}</code></th>
            <td>{lang.code_text("artifact", &code(&artifact.kind))}</td>
            <td class="n">{count(artifact.bytes, lang)}</td>
            <td>{digest}</td>
            <td>{state(mark, word)}</td>
        </tr>
    }
    .into_any()
}

/// Shows the timing cache's record.
pub fn timing_cache(view: &RunView, lang: Lang) -> AnyView {
    let cache = &view.summary.timing_cache;
    let side = |digest: &Option<Sha256Digest>, length: Option<u64>| {
        digest.as_ref().map_or_else(
            || NOTHING.into_any(),
            |digest| {
                let length = length.map(|length| format!(", {}", bytes(length, lang)));
                view! { {digest::plain(digest)}{length} }.into_any()
            },
        )
    };
    let file = cache.file.as_deref().map_or_else(|| NOTHING.to_owned(), visible);
    let rows = vec![
        Fact::new(lang.t("cache-file"), file),
        Fact::new(lang.t("cache-before"), side(&cache.digest_before, cache.bytes_before)),
        Fact::new(lang.t("cache-after"), side(&cache.digest_after, cache.bytes_after)),
        Fact::new(lang.t("cache-policy"), visible(&cache.policy)),
    ];
    let reasons = cache.reasons.iter().map(|reason| view! { <li lang="en">{visible(reason)}</li> });
    let reasons = (!cache.reasons.is_empty()).then(|| {
        view! { <h3>{lang.t("cache-reasons")}</h3><ul class="bullets">{reasons.collect_view()}</ul> }
    });
    let group = Group { title: String::new(), note: String::new(), facts: rows };
    let mode = lang.code_text("cache", &code(&view.summary.timing_cache_mode));
    let body = view! { {facts(lang.t("section-cache"), vec![group], lang)}{reasons} };
    layout::part("h-cache", lang.t("section-cache"), note(layout::capitalised(&mode)), body.into_any())
}
