//! Facts and their differences as a reader meets them.

use acta_ledger::judge::compare::fact::{Difference, Fact, PathChange};
use leptos::prelude::*;
use serde_json::Value;

use crate::{
    components::digest,
    format::{NOTHING, bytes, count, number, seconds, short},
    i18n::Lang,
};

/// Items of a set, or places of a JSON value, that are named; more are counted.
const NAMED: usize = 24;

/// The longest text that is shown, in characters.
const MAX_TEXT: usize = 240;

/// A fact; a dash where there is none.
pub fn fact(fact: Option<&Fact>, lang: Lang) -> AnyView {
    match fact {
        None => NOTHING.into_any(),
        Some(Fact::Code(code)) => view! { <code>{short(code, MAX_TEXT)}</code> }.into_any(),
        Some(Fact::Text(text)) => view! { <bdi>{short(text, MAX_TEXT)}</bdi> }.into_any(),
        Some(Fact::Version(version)) => short(version, 60).into_any(),
        // Twelve digits to see, all of them to copy.
        Some(Fact::Digest(it)) => view! {
            <details class="more"><summary>{digest::plain(it)}</summary>{digest::full(it)}</details>
        }
        .into_any(),
        Some(Fact::Json(value)) => view! { <code>{json(Some(value))}</code> }.into_any(),
        Some(fact) => text(fact, lang).into_any(),
    }
}

/// A fact inside a sentence.
pub fn text(fact: &Fact, lang: Lang) -> String {
    match fact {
        Fact::Code(text) | Fact::Text(text) | Fact::Version(text) => short(text, 80),
        Fact::Digest(digest) => digest.short(),
        Fact::DurationMs(ms) => seconds(*ms, lang),
        Fact::LongerThanMs(ms) => format!(">\u{a0}{}", seconds(*ms, lang)),
        Fact::Bytes(length) => bytes(length.0, lang),
        Fact::Count(n) => count(n.0, lang),
        Fact::Flag(flag) => lang.t(if *flag { "compare-yes" } else { "compare-no" }),
        Fact::Set(items) if items.is_empty() => NOTHING.to_owned(),
        Fact::Set(items) => listed(items.iter().map(String::as_str), items.len(), lang),
        Fact::Json(value) => json(Some(value)),
    }
}

fn listed<'a>(items: impl Iterator<Item = &'a str>, all: usize, lang: Lang) -> String {
    let mut named: Vec<String> = items.take(NAMED).map(|item| short(item, 80)).collect();
    if all > NAMED {
        named.push(lang.tr("compare-more", [("n", (all - NAMED).into())]));
    }
    named.join(", ")
}

fn json(value: Option<&Value>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| short(&value.to_string(), MAX_TEXT))
}

/// How a fact differs from the baseline's.
pub fn difference(difference: &Difference, of: Option<&Fact>, lang: Lang) -> AnyView {
    match difference {
        Difference::Added => lang.t("compare-added").into_any(),
        Difference::Removed => lang.t("compare-removed").into_any(),
        Difference::Other => lang.t("compare-other").into_any(),
        Difference::Version { later } => lang
            .t(match later {
                Some(true) => "compare-later",
                Some(false) => "compare-earlier",
                None => "compare-other",
            })
            .into_any(),
        Difference::Amount { by, ratio } => amount(*by, *ratio, of, lang).into_any(),
        Difference::Set { added, removed } => {
            let signed = |sign: &str, items: &[String]| {
                let named = listed(items.iter().map(String::as_str), items.len(), lang);
                (!items.is_empty()).then(|| format!("{sign}\u{a0}{named}"))
            };
            let parts: Vec<String> =
                [signed("+", added), signed("−", removed)].into_iter().flatten().collect();
            parts.join("; ").into_any()
        }
        Difference::Json { changes } => paths(changes, lang),
    }
}

/// More or less, in the unit of the fact, and how many times.
fn amount(by: f64, ratio: Option<f64>, of: Option<&Fact>, lang: Lang) -> String {
    let size = match of {
        Some(Fact::Bytes(_)) => bytes(by.abs() as u64, lang),
        Some(Fact::Count(_)) => count(by.abs() as u64, lang),
        _ => seconds(by.abs(), lang),
    };
    let sign = if by < 0.0 { '−' } else { '+' };
    let times = ratio.map(|ratio| format!(" ({})", times(ratio, lang))).unwrap_or_default();
    format!("{sign}{size}{times}")
}

/// A ratio: how many times the baseline's.
pub fn times(ratio: f64, lang: Lang) -> String {
    format!("×\u{a0}{}", number(ratio, if ratio.abs() < 10.0 { 2 } else { 0 }, lang))
}

/// A duration with its sign.
pub fn signed(ms: f64, lang: Lang) -> String {
    let sign = if ms < 0.0 { '−' } else { '+' };
    format!("{sign}{}", seconds(ms.abs(), lang))
}

fn paths(changes: &[PathChange], lang: Lang) -> AnyView {
    let lines = changes.iter().take(NAMED).map(|change| {
        let path = if change.path.is_empty() { "/".to_owned() } else { short(&change.path, 120) };
        let (before, after) = (json(change.before.as_ref()), json(change.after.as_ref()));
        view! { <li><code>{path}</code>": "<code>{before}</code>" → "<code>{after}</code></li> }
    });
    let more = changes.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| view! { <li>{lang.tr("compare-more", [("n", more.into())])}</li> });
    view! { <ul>{lines.collect_view()}{more}</ul> }.into_any()
}
