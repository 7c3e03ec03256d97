//! How values are spread, as cells of a table: percentiles with what they rest on.

use acta_ledger::judge::distribution::{Distribution, Quantile};
use leptos::prelude::*;

use crate::{
    format::{NOTHING, count, seconds},
    i18n::Lang,
};

/// A percentile.
pub fn quantile(quantile: Quantile, lang: Lang) -> String {
    match quantile {
        Quantile::Value { ms } => seconds(ms, lang),
        Quantile::LongerThan { ms } => format!(">\u{a0}{}", seconds(ms, lang)),
        Quantile::Insufficient { .. } => NOTHING.to_owned(),
    }
}

/// The heads of [`cells`].
pub fn heads(lang: Lang) -> AnyView {
    view! {
        <th scope="col" class="n">"n"</th>
        <th scope="col" class="n">"p50"</th>
        <th scope="col" class="n">"p95"</th>
        <th scope="col" class="n">"p99"</th>
        <th scope="col" class="n">{lang.t("spread-longest")}</th>
    }
    .into_any()
}

/// The number of values with that of which they were taken, three percentiles and the longest.
pub fn cells(spread: &Distribution, lang: Lang) -> AnyView {
    let n = if spread.of == spread.n as u64 {
        count(spread.of, lang)
    } else {
        let values = [("n", count(spread.n as u64, lang).into()), ("of", count(spread.of, lang).into())];
        lang.tr("spread-of", values)
    };
    let percentile = |it: Quantile| {
        let few = match it {
            Quantile::Insufficient { needed, .. } => {
                Some(view! { <span class="sub">{lang.tr("spread-needed", [("n", needed.into())])}</span> })
            }
            _ => None,
        };
        view! { <td class="n">{quantile(it, lang)}{few}</td> }
    };
    let longest = match (spread.max_ms, spread.longest_wait_ms) {
        (Some(max), Some(wait)) if wait > max => format!(">\u{a0}{}", seconds(wait, lang)),
        (Some(max), _) => seconds(max, lang),
        (None, Some(wait)) => format!(">\u{a0}{}", seconds(wait, lang)),
        (None, None) => NOTHING.to_owned(),
    };
    view! {
        <td class="n">{n}</td>
        {percentile(spread.p50)}{percentile(spread.p95)}{percentile(spread.p99)}
        <td class="n">{longest}</td>
    }
    .into_any()
}
