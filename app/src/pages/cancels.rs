//! Cancels: how long does the library take to listen, and cleaning up after it?

pub mod address;
mod field;

use acta_ledger::{
    evidence::build::NO_GPU,
    judge::{
        cancels::{Group, Spread},
        distribution::{Distribution, Latency, Quantile, Step},
    },
};
use leptos::prelude::*;

use self::address::{address, parse};
use super::{Ready, Room};
use crate::{
    components::{
        axis,
        figure::figure,
        layout::{Answer, Figure, answer, figures, full_part, scroll, trail},
        moment, spread,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, count, seconds, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::{
        cancels::{CancelFilter, CancelRow, CancelsView, Field},
        chart::{Curve as Drawn, MOST_CURVES, Plot},
    },
};

/// Cancels that are listed one by one.
const LISTED: usize = 50;

/// Loads the cancels of the address's filter.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.cancels(parse(&context.query)).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &CancelsView) -> Ready {
    let lang = context.lang;
    let links = vec![(routes::RUNS.to_owned(), lang.t("nav-runs"))];
    let title = lang.t("cancels-title");
    let spread = &view.cancels.spread;
    let found = finding(&spread.ack, lang);
    let rest = (!view.cancels.rows.is_empty()).then(|| {
        view! {
            {by(context, view, Field::Route, &found)}
            {by(context, view, Field::Phase, &found)}
            {by(context, view, Field::Gpu, &found)}
            {listed(view, lang)}
        }
    });
    let body = view! { {trail(links, title.clone(), lang)}{headline(view, spread, &found, lang)}{rest} };
    Ready { title, room: Room::Runs, island: false, body: body.into_any() }
}

/// The finding in words: the median, the 95th percentile, and how many never were acknowledged.
fn finding(spread: &Distribution, lang: Lang) -> String {
    let values = |p95: String| {
        [
            ("n", spread.n.into()),
            ("p50", spread::quantile(spread.p50, lang).into()),
            ("p95", p95.into()),
            ("never", spread.censored.into()),
            ("shown", count(spread.censored as u64, lang).into()),
        ]
    };
    match (spread.p50, spread.p95) {
        (Quantile::Insufficient { .. }, _) => {
            lang.tr("cancels-finding-few", [("n", spread.n.into()), ("never", spread.censored.into())])
        }
        (Quantile::LongerThan { .. }, _) => lang.tr("cancels-finding-never", values(String::new())),
        (_, Quantile::Value { ms }) => lang.tr("cancels-finding", values(seconds(ms, lang))),
        (_, Quantile::LongerThan { .. }) => lang.tr("cancels-finding-tail", values(String::new())),
        (_, Quantile::Insufficient { .. }) => lang.tr("cancels-finding-half", values(String::new())),
    }
}

fn headline(view: &CancelsView, spread: &Spread, found: &str, lang: Lang) -> AnyView {
    let (rows, Spread { ack, cleanup }) = (&view.cancels.rows, spread);
    let filtered = view.filter != CancelFilter::default();
    let drops = drops(&view.filter, lang);
    if rows.is_empty() {
        let content = Answer {
            state: State::Neutral,
            word: lang.t("cancels-none-word"),
            about: Vec::new(),
            headline: lang.t(if filtered { "cancels-none-match" } else { "cancels-none" }),
            lead: vec![lang.t(if filtered { "cancels-none-match-lead" } else { "cancels-none-lead" })],
        };
        return answer(content, drops);
    }
    let n = rows.len();
    let whole = n < view.limit as usize;
    let about = lang.tr(if whole { "cancels-all" } else { "cancels-newest" }, [("n", n.into())]);
    let content = Answer {
        state: if ack.censored > 0 { State::Attention } else { State::Good },
        word: lang.tr("cancels-word", [("n", ack.censored.into())]),
        about: vec![about],
        headline: found.to_owned(),
        lead: vec![lang.t("cancels-lead")],
    };
    let figure = |key: &str, it: Quantile, note: &str| Figure {
        label: lang.t(key),
        value: spread::quantile(it, lang),
        unit: "",
        note: note.to_owned(),
    };
    let of = |spread: &Distribution| format!("n = {}", count(spread.n as u64, lang));
    let shown = vec![
        figure("cancels-figure-p50", ack.p50, &of(ack)),
        figure("cancels-figure-p95", ack.p95, &of(ack)),
        figure("cancels-figure-cleanup-p50", cleanup.p50, &of(cleanup)),
        figure("cancels-figure-cleanup-p95", cleanup.p95, &of(cleanup)),
    ];
    let acceptance = view! {
        <p class="acts"><a href=routes::ACCEPTANCE>{lang.t("acceptance-link")}</a></p>
    };
    answer(content, view! { {figures(shown, None)}{drops}{acceptance} }.into_any())
}

/// The ways out of the filter.
fn drops(filter: &CancelFilter, lang: Lang) -> AnyView {
    let each = Field::ALL.into_iter().filter_map(|field| {
        let value = field.asked(filter)?;
        let values = [("field", lang.t(field.key()).into()), ("value", short(value, 80).into())];
        let href = address(&field.set(filter, None));
        Some(view! { <a class="btn" href=href>{lang.tr("runs-drop", values)}</a>" " })
    });
    let each: Vec<_> = each.collect();
    if each.is_empty() {
        ().into_any()
    } else {
        view! { <p class="acts">{each.collect_view()}</p> }.into_any()
    }
}

/// The cancels by one field: a curve for each of the largest groups, a row for each group.
fn by(context: &PageContext, view: &CancelsView, field: Field, found: &str) -> AnyView {
    let lang = context.lang;
    let groups = view.cancels.by(field);
    let drawn = groups.iter().filter(|group| group.name.is_some() || groups.len() == 1).take(MOST_CURVES);
    let curves: Vec<Drawn> = drawn
        .map(|group| {
            let at = |step: &Step| (axis::logarithm(step.ms), step.share);
            let name = field.name(group.name.as_deref(), lang);
            // Of a path the innermost phase tells most; the table has all of it.
            let name = name.rsplit(" > ").next().unwrap_or_default();
            Drawn {
                name: format!("{} (n = {})", short(name, 32), group.count),
                steps: group.curve.steps().iter().map(at).collect(),
                marks: group.curve.marks().iter().map(at).collect(),
            }
        })
        .collect();
    let times = view.cancels.rows.iter().filter_map(CancelRow::latency).map(Latency::ms);
    let title = lang.t(field.title());
    let plot = Plot {
        id: field.id(),
        title: title.clone(),
        desc: found.to_owned(),
        x: axis::logarithmic(times, lang.t("cancels-x"), lang),
        y: axis::shares(lang.t("cancels-y"), lang),
        band: None,
        curves,
        points: Vec::new(),
    };
    let picture = figure(context, &plot, lang.t("cancels-legend"), "cancels", &address::query(&view.filter));
    let body = view! { {picture}{table(groups, view, field, lang)} };
    full_part(field.id(), title, lang.tr("cancels-groups", [("n", groups.len().into())]), body.into_any())
}

fn table(groups: &[Group], view: &CancelsView, field: Field, lang: Lang) -> AnyView {
    let rows = groups.iter().map(|group| {
        let Spread { ack, cleanup } = &group.spread;
        let name = field.name(group.name.as_deref(), lang);
        // A group of what is not on record cannot be asked for.
        let name = match group.name.as_deref() {
            Some(value) if field.asked(&view.filter).is_none() => {
                let href = address(&field.set(&view.filter, Some(value)));
                view! { <a href=href><bdi>{short(&name, 100)}</bdi></a> }.into_any()
            }
            _ => view! { <bdi>{short(&name, 100)}</bdi> }.into_any(),
        };
        let never = if ack.censored == 0 { "0".to_owned() } else { count(ack.censored as u64, lang) };
        view! {
            <tr>
                <th scope="row" class="stick">{name}</th>
                {spread::cells(ack, lang)}
                <td class="n">{never}</td>
                {spread::cells(cleanup, lang)}
            </tr>
        }
    });
    let caption = lang.t(field.title());
    let table = view! {
        <table class="dense">
            <caption class="vh">{caption.clone()}</caption>
            <thead>
                <tr>
                    <td class="stick"></td>
                    <th scope="colgroup" colspan="6" class="n">{lang.t("cancels-head-ack")}</th>
                    <th scope="colgroup" colspan="5" class="n">{lang.t("cancels-head-cleanup")}</th>
                </tr>
                <tr>
                    <th scope="col" class="stick">{lang.t(field.key())}</th>
                    {spread::heads(lang)}
                    <th scope="col" class="n">{lang.t("cancels-head-never")}</th>
                    {spread::heads(lang)}
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&caption, lang, table.into_any())
}

/// The newest cancels one by one.
fn listed(view: &CancelsView, lang: Lang) -> AnyView {
    let rows = view.cancels.rows.iter().take(LISTED).map(|row| {
        let (mark, word) = words::outcome(&row.outcome, lang);
        let latency = match row.latency() {
            Some(Latency::Measured(ms)) => seconds(ms, lang),
            Some(Latency::LongerThan(ms)) => format!(">\u{a0}{}", seconds(ms, lang)),
            None => NOTHING.to_owned(),
        };
        let cleanup = row.cleanup_ms.map_or_else(|| NOTHING.to_owned(), |ms| seconds(ms, lang));
        let gpu = if row.gpu_sku == NO_GPU { lang.t("gpu-none") } else { short(&row.gpu_sku, 40) };
        view! {
            <tr>
                <th scope="row" class="stick"><a href=routes::run(&row.run)>{format!("{:04}", row.number)}</a></th>
                <td>{state(mark, word)}</td>
                <td class="n">{latency}</td>
                <td class="n">{cleanup}</td>
                <td>{lang.code_text("cancel-source", &row.source)}</td>
                <td><bdi>{short(&Field::Phase.name(row.phase.as_deref(), lang), 80)}</bdi></td>
                <td>{gpu}</td>
                <td><bdi>{row.route.as_ref().map_or_else(|| NOTHING.to_owned(), |route| short(route, 40))}</bdi></td>
                <td class="n">{moment::cell(row.requested_at, lang)}</td>
            </tr>
        }
    });
    let caption = lang.t("cancels-listed");
    let table = view! {
        <table class="cancels">
            <caption class="vh">{caption.clone()}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("run-head-run")}</th>
                <th scope="col">{lang.t("run-head-outcome")}</th>
                <th scope="col" class="n">{lang.t("cancels-head-ack")}</th>
                <th scope="col" class="n">{lang.t("cancels-head-cleanup")}</th>
                <th scope="col">{lang.t("cancels-source")}</th>
                <th scope="col">{lang.t("cancels-phase")}</th>
                <th scope="col">{lang.t("run-head-gpu")}</th>
                <th scope="col">{lang.t("run-head-route")}</th>
                <th scope="col" class="n">{lang.t("cancels-head-requested")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let note = lang.tr("cancels-listed-note", [("n", view.cancels.rows.len().min(LISTED).into())]);
    full_part("h-cancels", caption.clone(), note, scroll(&caption, lang, table.into_any()))
}
