//! The bundles that the plans are in, beside the baseline's; by what gate 3 saw of them.

use acta_ledger::evidence::{
    bundle::{BundleDiff, SectionChange},
    code,
    number::Count64,
};
use leptos::prelude::*;
use serde_json::Value;

use super::Shown;
use crate::{
    components::{
        digest,
        layout::{note, part as section, scroll},
    },
    format::{NOTHING, bytes, short},
    i18n::Lang,
};

/// Shows the part; nothing where no two runs have a bundle on record.
pub fn part(shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let with = shown.compared.bundles.iter().enumerate();
    let with: Vec<_> = with.filter_map(|(run, diff)| Some((run, diff.as_ref()?))).collect();
    if with.is_empty() {
        return ().into_any();
    }
    let names = shown.names();
    let each = with.into_iter().map(|(run, diff)| one(diff, &names[run], lang)).collect_view();
    section("h-bundles", lang.t("compare-bundles"), note(lang.t("compare-bundles-note")), each.into_any())
}

fn one(diff: &BundleDiff, name: &str, lang: Lang) -> AnyView {
    let head = view! {
        <h3>{name.to_owned()}": "{digest::plain(&diff.before)}" → "{digest::plain(&diff.after)}</h3>
    };
    if diff.same {
        return view! { {head}<p>{lang.t("compare-bundle-same")}</p> }.into_any();
    }
    let value = |value: &Option<Value>| {
        value.as_ref().map_or_else(|| NOTHING.to_owned(), |value| short(&value.to_string(), 160))
    };
    let fields = diff.header.iter().map(|field| {
        view! {
            <tr>
                <th scope="row"><code>{short(&field.key, 80)}</code></th>
                <td>{lang.t("compare-bundle-header")}</td>
                <td><code>{value(&field.before)}</code></td>
                <td><code>{value(&field.after)}</code></td>
            </tr>
        }
    });
    let sections = diff.sections.iter().map(|change| section_row(change, lang));
    let equal = lang.tr("compare-bundle-equal", [("n", diff.equal_sections.into())]);
    let caption = lang.t("compare-bundles");
    let table = view! {
        <table>
            <caption class="vh">{caption.clone()}</caption>
            <thead><tr>
                <th scope="col">{lang.t("compare-head-fact")}</th>
                <th scope="col">{lang.t("compare-head-difference")}</th>
                <th scope="col">{lang.t("compare-head-before")}</th>
                <th scope="col">{lang.t("compare-head-after")}</th>
            </tr></thead>
            <tbody>{fields.collect_view()}{sections.collect_view()}</tbody>
        </table>
    };
    view! { {head}{scroll(&caption, lang, table.into_any())}<p class="small quiet">{equal}</p> }.into_any()
}

fn section_row(change: &SectionChange, lang: Lang) -> AnyView {
    let side = |digest: &Option<acta_ledger::log::digest::Sha256Digest>, length: Option<Count64>| {
        let digest = digest.as_ref().map(digest::plain);
        let length = length.map(|length| bytes(length.0, lang));
        match (digest, length) {
            (None, None) => NOTHING.into_any(),
            (digest, length) => view! { {digest}" "{length} }.into_any(),
        }
    };
    view! {
        <tr>
            <th scope="row"><code>{short(&change.name, 120)}</code></th>
            <td>{lang.code_text("compare-bundle-section", &code(&change.difference))}</td>
            <td>{side(&change.before, change.bytes_before)}</td>
            <td>{side(&change.after, change.bytes_after)}</td>
        </tr>
    }
    .into_any()
}
