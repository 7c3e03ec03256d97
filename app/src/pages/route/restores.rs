//! How long it takes to restore a bundle on the route: drills, rollbacks and deployments.

use acta_ledger::{
    evidence::{code, rollback::RollbackStep},
    judge::{distribution::Distribution, restore::Restore},
};
use leptos::prelude::*;

use super::super::{Ready, Room};
use crate::{
    address::percent_encode,
    components::{
        axis, digest,
        figure::figure,
        layout::{Answer, answer, full_part, scroll, trail},
        moment, spread,
        state::{State, state},
    },
    context::PageContext,
    format::{NOTHING, count, seconds, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::{
        chart::{Mark, Plot, Point},
        restores::RestoresView,
    },
};

/// Loads the restorations of a route.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let view = context.portal.restores(name).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &RestoresView) -> Ready {
    let lang = context.lang;
    let links = vec![
        (routes::ROUTES.to_owned(), lang.t("nav-routes")),
        (routes::route(&view.route), short(&view.route, 48)),
    ];
    let title = lang.t("restores-title");
    let spread = spread_of(&view.restores);
    let failed = view.restores.iter().filter(|it| matches!(it.step, RollbackStep::Failed)).count();
    let finding = finding(&spread, lang);
    let content = Answer {
        state: match (view.restores.is_empty(), failed) {
            (true, _) => State::Neutral,
            (false, 0) => State::Good,
            _ => State::Attention,
        },
        word: lang.tr("restores-word", [("n", view.restores.len().into())]),
        about: vec![short(&view.route, 60)],
        headline: finding.clone(),
        lead: vec![lang.tr("restores-lead", [("failed", failed.into())])],
    };
    let drill = view! {
        <p class="acts"><a class="btn" href=routes::rollback(&view.route)>{lang.t("act-roll-back")}</a></p>
    };
    let part = (!view.restores.is_empty()).then(|| {
        let body = view! { {picture(context, view, finding)}{table(view, &spread, lang)} };
        full_part("h-restores", title.clone(), lang.t("restores-note"), body.into_any())
    });
    let body = view! { {trail(links, title.clone(), lang)}{answer(content, drill.into_any())}{part} };
    let title = format!("{title}, {}", short(&view.route, 48));
    Ready { title, room: Room::Routes, island: false, body: body.into_any() }
}

fn spread_of(restores: &[Restore]) -> Distribution {
    let verified: Vec<f64> = restores.iter().filter_map(|it| it.verified_ms).collect();
    Distribution::of(&verified, restores.len() as u64)
}

fn finding(spread: &Distribution, lang: Lang) -> String {
    match (spread.min_ms, spread.max_ms) {
        (Some(min), Some(max)) => {
            let values = [
                ("n", spread.n.into()),
                ("min", seconds(min, lang).into()),
                ("max", seconds(max, lang).into()),
                ("p50", spread::quantile(spread.p50, lang).into()),
            ];
            lang.tr("restores-finding", values)
        }
        _ => lang.t("restores-none"),
    }
}

/// Each restoration as a point: a cross where it did not come to its end.
fn picture(context: &PageContext, view: &RestoresView, finding: String) -> AnyView {
    let lang = context.lang;
    let took = |it: &Restore| it.verified_ms.or(it.restored_ms);
    let points = view.restores.iter().enumerate().map(|(place, it)| {
        let mark = if it.verified_ms.is_some() { Mark::Plain } else { Mark::Unfinished };
        let values = [
            ("action", lang.code_text("restores-action", &code(&it.action)).into()),
            ("step", lang.code_text("restores-step", &code(&it.step)).into()),
            ("at", moment::words(it.at, lang).into()),
        ];
        let link = (routes::entry(it.entry), lang.tr("restores-point", values));
        Point { mark, at: (place as f64, took(it).unwrap_or(0.0)), link: Some(link) }
    });
    let names: Vec<String> = view.restores.iter().map(|it| it.bundle.short()[..6].to_owned()).collect();
    let longest = view.restores.iter().filter_map(took).fold(0.0, f64::max);
    let plot = Plot {
        id: "restores",
        title: lang.t("restores-title"),
        desc: finding,
        x: axis::ordinals(&names, lang.t("restores-x")),
        y: axis::durations(longest, lang.t("restores-y"), lang),
        band: None,
        curves: Vec::new(),
        points: points.collect(),
    };
    figure(
        context,
        &plot,
        lang.t("restores-legend"),
        &format!("restores/{}", percent_encode(&view.route)),
        "",
    )
}

fn table(view: &RestoresView, spread: &Distribution, lang: Lang) -> AnyView {
    let time = |ms: Option<f64>| ms.map_or_else(|| NOTHING.to_owned(), |ms| seconds(ms, lang));
    let rows = view.restores.iter().rev().map(|it| {
        let mark = match it.step {
            RollbackStep::Verified => State::Good,
            RollbackStep::Failed => State::Bad,
            RollbackStep::Refused => State::Attention,
            _ => State::Neutral,
        };
        let failure = it.failure.map(|failure| {
            view! { <span class="sub"><code>{code(&failure)}</code></span> }
        });
        view! {
            <tr>
                <th scope="row" class="stick">{digest::linked(&it.bundle, routes::route_bundle(&view.route, it.bundle))}</th>
                <td>{lang.code_text("restores-action", &code(&it.action))}</td>
                <td>{state(mark, lang.code_text("restores-step", &code(&it.step)))}{failure}</td>
                <td class="n">{time(it.restored_ms)}</td>
                <td class="n">{time(it.verified_ms)}</td>
                <td><bdi>{short(&it.runtime_target, 60)}</bdi></td>
                <td class="n">{moment::cell(it.at, lang)}</td>
                <td class="n"><a href=routes::entry(it.entry)>{count(it.entry, lang)}</a></td>
            </tr>
        }
    });
    let caption = lang.t("restores-title");
    let table = view! {
        <table>
            <caption class="vh">{caption.clone()}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("restores-head-bundle")}</th>
                <th scope="col">{lang.t("restores-head-action")}</th>
                <th scope="col">{lang.t("restores-head-step")}</th>
                <th scope="col" class="n">{lang.t("restores-head-restored")}</th>
                <th scope="col" class="n">{lang.t("restores-head-verified")}</th>
                <th scope="col">{lang.t("restores-head-target")}</th>
                <th scope="col" class="n">{lang.t("restores-head-at")}</th>
                <th scope="col" class="n">{lang.t("restores-head-entry")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let sums = view! {
        <table class="compact">
            <caption class="vh">{lang.t("restores-y")}</caption>
            <thead><tr>{spread::heads(lang)}</tr></thead>
            <tbody><tr>{spread::cells(spread, lang)}</tr></tbody>
        </table>
    };
    view! {
        {scroll(&lang.t("restores-y"), lang, sums.into_any())}
        {scroll(&caption, lang, table.into_any())}
    }
    .into_any()
}
