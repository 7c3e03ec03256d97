//! The runs as a table.

use acta_ledger::{
    evidence::build::NO_GPU,
    judge::{
        filter::{Filter, Measure, Order, Text},
        silence::share,
    },
};
use leptos::prelude::*;

use super::{
    address::{self, address},
    answer::need_of,
};
use crate::{
    components::{exports::exports, layout::scroll, moment, state::state, words},
    format::{NOTHING, date_time, day_time, number, seconds_cell, short},
    i18n::Lang,
    routes,
    view::{Place, RunQuery, RunRow, RunsView},
};

/// Shows the table with its pages.
pub fn table(view: &RunsView, lang: Lang) -> AnyView {
    let with_year = shared_year(view).is_none();
    let rows = view.rows.iter().map(|row| run_row(row, with_year, lang));
    let sorted = |key: &str, unit: &'static str, by: Measure| head(view, lang.t(key), unit, by);
    let table = view! {
        <table class="dense">
            <caption class="vh">{lang.t("runs-caption")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("run-head-run")}</th>
                <th scope="col" class="no-print">{lang.t("compare-pick-head")}</th>
                <th scope="col">{lang.t("run-head-outcome")}</th>
                {sorted("run-head-build", "s", Measure::Duration)}
                {sorted("run-head-silence", "s", Measure::Silence)}
                <th scope="col" class="n">{lang.t("run-head-silent")}" "<span class="unit">"%"</span></th>
                {sorted("run-head-cancel", "s", Measure::Latency)}
                <th scope="col">{lang.t("run-head-cleanup")}</th>
                <th scope="col">{lang.t("run-head-cache")}</th>
                <th scope="col">{lang.t("run-head-tensorrt")}</th>
                <th scope="col">{lang.t("run-head-gpu")}</th>
                {sorted("run-head-started", "UTC", Measure::Started)}
                <th scope="col">{lang.t("run-head-route")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    // The whole list, whichever of its pages is shown.
    let all = RunQuery { place: None, ..view.query.clone() };
    let files = exports("runs", &address::query(&all), lang);
    view! {
        // A plain GET: the runs that are ticked make the address of their comparison.
        <form action=routes::COMPARE method="get">
            {scroll(&lang.t("nav-runs"), lang, table.into_any())}
            <div class="tfoot">
                <button class="btn no-print">{lang.t("compare-submit")}</button>
                <span>{lang.t("runs-legend")}</span>{files}{pager(view, lang)}
            </div>
        </form>
    }
    .into_any()
}

/// The year that all rows began in.
pub fn shared_year(view: &RunsView) -> Option<i32> {
    let mut years = view.rows.iter().map(|row| row.started_at.date_time().year());
    let first = years.next()?;
    years.all(|year| year == first).then_some(first)
}

/// A column's head that sorts by it, the largest first; once sorted, it turns the order.
fn head(view: &RunsView, text: String, unit: &'static str, by: Measure) -> AnyView {
    let now = view.query.order;
    let active = now.by == by;
    let order = if active { now.turned() } else { Order::falling(by) };
    let href = address(&RunQuery { order, place: None, ..view.query.clone() });
    let direction = active.then_some(if now.descending { "descending" } else { "ascending" });
    let arrow = active.then_some(if now.descending { " ↓" } else { " ↑" });
    view! {
        <th scope="col" class="n" aria-sort=direction>
            <a href=href>{text}" "<span class="unit">{unit}</span>{arrow}</a>
        </th>
    }
    .into_any()
}

fn run_row(row: &RunRow, with_year: bool, lang: Lang) -> AnyView {
    let (outcome, word) = words::outcome(&row.outcome, lang);
    let (cleanup, cleanup_word) = words::cleanup(&row.cleanup, lang);
    let simulated = (row.builder == "simulated").then(|| {
        view! { <span class="sub">{lang.code_text("builder", "simulated")}</span> }
    });
    let seconds = |ms: Option<f64>| ms.map_or_else(|| NOTHING.to_owned(), |ms| seconds_cell(ms, lang));
    let silent = row.silence_ms.zip(row.build_ms).and_then(|(silence, build)| share(silence, build));
    let silent = silent.map_or_else(|| NOTHING.to_owned(), |share| number(share * 100.0, 0, lang));
    let latency = match (row.cancel_latency_ms, row.cancel_censored_ms) {
        (Some(ms), _) => number(ms / 1e3, 3, lang),
        (None, Some(ms)) => format!(">\u{a0}{}", number(ms / 1e3, 1, lang)),
        (None, None) => NOTHING.to_owned(),
    };
    let gpu = if row.gpu_sku == NO_GPU { lang.t("gpu-none") } else { short(&row.gpu_sku, 40) };
    let route = row.route.as_ref().map_or_else(
        || NOTHING.into_any(),
        |route| {
            let filter = Filter { route: Some(Text::Exactly(route.clone())), ..Filter::default() };
            let asked = RunQuery { filter, ..RunQuery::default() };
            view! { <a href=address(&asked)><bdi>{short(route, 40)}</bdi></a> }.into_any()
        },
    );
    let again = (row.attempt > 1).then(|| {
        view! { <span class="sub">{lang.tr("attempt", [("n", row.attempt.to_string().into())])}</span> }
    });
    let name = lang.tr("run-name", [("number", format!("{:04}", row.number).into())]);
    let pick = lang.tr("compare-pick", [("run", name.into())]);
    let started = if with_year { date_time(row.started_at, lang) } else { day_time(row.started_at, lang) };
    view! {
        <tr class=need_of(row).map(|_| "needs-person")>
            <th scope="row" class="stick">
                <a href=routes::run(&row.id)>{format!("{:04}", row.number)}</a>" "
                <bdi>{short(row.network.strip_suffix(".onnx").unwrap_or(&row.network), 48)}</bdi>{again}
            </th>
            <td class="pick no-print">
                <label class="tick"><input type="checkbox" name="run" value=row.id.clone() aria-label=pick/></label>
            </td>
            <td>{state(outcome, word)}{simulated}</td>
            <td class="n">{seconds(row.build_ms)}</td>
            <td class="n">{seconds(row.silence_ms)}</td>
            <td class="n">{silent}</td>
            <td class="n">{latency}</td>
            <td>{state(cleanup, cleanup_word)}</td>
            <td>{lang.code_text("cache", &row.cache_mode)}</td>
            <td class="nowrap">{short(&row.tensorrt_version, 24)}</td>
            <td>{gpu}</td>
            <td class="n">{moment::written(row.started_at, started, lang)}</td>
            <td>{route}</td>
        </tr>
    }
    .into_any()
}

fn pager(view: &RunsView, lang: Lang) -> AnyView {
    let to = |place: Place| address(&RunQuery { place: Some(place), ..view.query.clone() });
    let first = view.previous.map(|_| {
        let first = address(&RunQuery { place: None, ..view.query.clone() });
        view! { <a href=first>{lang.t("page-first")}</a>" " }
    });
    let previous =
        view.previous.map(|place| view! { <a href=to(place) rel="prev">{lang.t("page-before")}</a>" " });
    let next = view.next.map(|place| view! { <a href=to(place) rel="next">{lang.t("page-next")}</a> });
    view! { <nav aria-label=lang.t("pages-label")>{first}{previous}{next}</nav> }.into_any()
}
