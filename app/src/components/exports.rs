//! The ways to a table's rows as files.

use leptos::prelude::*;

use crate::{i18n::Lang, routes::export};

/// The formats, in the order in which they are offered.
const FORMATS: [(&str, &str); 3] = [("csv", "CSV"), ("json", "JSON"), ("ndjson", "NDJSON")];

/// Links to the rows that the page shows, by the same query: from the place of the page to the end, or, where the page looks
/// at the newest only, those.
pub fn exports(what: &str, query: &str, lang: Lang) -> AnyView {
    let links = FORMATS.map(|(format, name)| {
        view! { " "<a href=export(what, query, format) download="">{name}</a> }
    });
    view! { <span class="no-print">{lang.t("export-rows")}{links.into_iter().collect_view()}</span> }
        .into_any()
}
