//! The routes: whose turn is it?

use acta_ledger::evidence::route::ValidationStatus;
use leptos::prelude::*;

use super::{Ready, Room, route::way_back};
use crate::{
    components::{
        digest,
        exports::exports,
        layout::{Answer, answer, capitalised, full_part},
        moment,
        route::{
            matrix::{Matrix, Row, Rows, matrix},
            words,
        },
        state::{State, state},
    },
    context::PageContext,
    format::{age, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::route::{RouteRow, RoutesView},
};

/// What sets a route up.
const NEW: &str = "acta route new tiny-qwen2 --checkpoint acme/tiny-qwen2 --revision COMMIT --runtime-target \
                   native_cpp_task_api_on_nvidia_h200 --policy policy.json";

/// Loads the board.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.routes().await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &RoutesView) -> Ready {
    let lang = context.lang;
    let board = (!view.rows.is_empty())
        .then(|| full_part("h-board", lang.t("section-board"), lang.t("board-note"), board(view, lang)));
    let body = view! { {headline(view, lang)}{board} };
    Ready { title: lang.t("nav-routes"), room: Room::Routes, island: false, body: body.into_any() }
}

fn headline(view: &RoutesView, lang: Lang) -> AnyView {
    let count = |wanted: &dyn Fn(&RouteRow) -> bool| view.rows.iter().filter(|row| wanted(row)).count();
    let yours = count(&|row| row.yours);
    let served = count(&|row| row.record.validation_status == ValidationStatus::Pass);
    let outdated = count(&|row| row.outdated);
    let all = view.rows.len();
    if all == 0 {
        let content = Answer {
            state: State::Neutral,
            word: lang.t("routes-none-word"),
            about: Vec::new(),
            headline: lang.t("routes-none"),
            lead: vec![lang.t("routes-none-lead")],
        };
        return answer(content, view! { <pre class="command">{NEW}</pre> }.into_any());
    }
    let mut lead = vec![lang.tr("routes-served", [("n", served.into())])];
    if outdated > 0 {
        lead.push(lang.tr("routes-outdated", [("n", outdated.into())]));
    }
    let (mark, word, headline) = if yours > 0 {
        let headline = lang.tr("routes-yours", [("n", yours.into()), ("all", all.into())]);
        (State::Attention, "routes-yours-word", headline)
    } else {
        (State::Neutral, "routes-others-word", lang.tr("routes-others", [("all", all.into())]))
    };
    let content = Answer { state: mark, word: lang.t(word), about: Vec::new(), headline, lead };
    answer(content, ().into_any())
}

fn board(view: &RoutesView, lang: Lang) -> AnyView {
    let rows = |yours: bool| -> Vec<Row> {
        view.rows.iter().filter(|row| row.yours == yours).map(|row| board_row(row, lang)).collect()
    };
    let groups = [(true, "board-yours"), (false, "board-rest")]
        .map(|(yours, title)| Rows { title: lang.t(title), rows: rows(yours) });
    let content = Matrix {
        caption: lang.t("section-board"),
        first: lang.t("board-route"),
        last: Some(lang.t("board-turn")),
        detailed: false,
        groups: groups.into_iter().filter(|group| !group.rows.is_empty()).collect(),
    };
    view! { {matrix(content, lang)}<div class="tfoot no-print">{exports("routes", "", lang)}</div> }
        .into_any()
}

fn board_row(row: &RouteRow, lang: Lang) -> Row {
    let record = &row.record;
    let (mark, word) = words::verdict(record, row.outdated, lang);
    let bundle = match record.bundle_digest {
        Some(bundle) => {
            digest::linked(&bundle.0, routes::route_bundle(&record.route_name, bundle.0)).into_any()
        }
        None => lang.t("board-no-bundle").into_any(),
    };
    let facts = [
        lang.tr("board-canary", [("status", words::canary(record.canary_status, lang).1.into())]),
        lang.tr("board-rollback", [("status", words::rollback(record.rollback_status, lang).1.into())]),
    ];
    let way = row.way_back.as_ref().map(|way| {
        let kept = way.retained.map(|_| {
            view! { <span class="sub">{lang.t("board-retained")}" "{way_back::until(way, row.now, lang)}</span> }
        });
        let drill = way.drill.as_ref().map(|drill| {
            let age = age(drill.at, row.now, lang);
            view! { <span class="sub">{lang.tr("board-drill", [("age", age.into())])}</span> }
        });
        view! { {kept}{drill} }
    });
    let trace = record.bundle_digest.map(|bundle| {
        let href = routes::trace(bundle.0, &record.route_name);
        view! { <span class="sub"><a href=href>{lang.t("act-trace")}</a></span> }
    });
    let target = record.runtime_target.as_deref().map(|target| {
        view! { <span class="sub"><code>{short(target, 80)}</code></span> }
    });
    let head = view! {
        <a class="name" href=routes::route(&record.route_name)>{short(&record.route_name, 100)}</a>
        <span class="sub">{state(mark, word)}</span>
        <span class="sub">{bundle}</span>
        {target}
        <span class="sub">{facts.join(", ")}</span>
        {way}{trace}
    };
    let values =
        [("at", moment::words(row.since, lang).into()), ("age", age(row.since, row.now, lang).into())];
    let since = lang.tr("board-since", values);
    let last = view! {
        {capitalised(&words::turn(&row.turn, lang))}
        <span class="sub">{lang.tr("board-missing", [("n", row.missing.into())])}</span>
        <span class="sub">{since}</span>
    };
    Row { head: head.into_any(), gates: row.gates.clone(), last: Some(last.into_any()), past: false }
}
