//! The runs: which of them need a person?

pub mod address;
mod answer;
mod filter;
mod table;

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::layout::full_part,
    context::PageContext,
    format::count,
    i18n::Lang,
    portal::PageError,
    routes,
    view::{RunQuery, RunsView},
};

/// Loads the runs of the address's filter.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.runs(address::parse(&context.query)?).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &RunsView) -> Ready {
    let lang = context.lang;
    let filter = (view.total > 0).then(|| {
        full_part("h-filter", lang.t("section-filter"), lang.t("filter-note"), filter::form(view, lang))
    });
    let rows = (!view.rows.is_empty()).then(|| {
        let values = [
            ("n", view.matching.into()),
            ("matching", matching(view, lang).into()),
            ("total", count(view.total, lang).into()),
            ("filtered", if view.query.filter.is_empty() { "no" } else { "yes" }.into()),
        ];
        // A year that all rows share stands once above them.
        let year = table::shared_year(view).map_or_else(|| "none".to_owned(), |year| year.to_string());
        let order = lang.code_text("order", &view.query.order.to_string());
        let note = lang.tr("runs-note", [("order", order.into()), ("year", year.into())]);
        full_part("h-runs", lang.tr("runs-count", values), note, table::table(view, lang))
    });
    // Somebody who looks for a page that is not there any more gets the way back.
    let beyond = (view.rows.is_empty() && view.matching > 0).then(|| {
        let first = RunQuery { place: None, ..view.query.clone() };
        view! { <p><a href=address::address(&first)>{lang.t("runs-first-page")}</a></p> }
    });
    let test = view! {
        <p class="acts">
            <a href=routes::CANCELS>{lang.t("cancels-link")}</a>
            <a href=routes::CACHES>{lang.t("caches-link")}</a>
            <a href=routes::ACCEPTANCE>{lang.t("acceptance-link")}</a>
        </p>
    };
    let body = view! { {answer::answer(context, view)}{filter}{rows}{beyond}{test} };
    Ready { title: lang.t("nav-runs"), room: Room::Runs, island: false, body: body.into_any() }
}

/// How many runs match, as far as they were counted.
fn matching(view: &RunsView, lang: Lang) -> String {
    let counted = count(view.matching, lang);
    if view.more { lang.tr("runs-more-than", [("n", counted.into())]) } else { counted }
}
