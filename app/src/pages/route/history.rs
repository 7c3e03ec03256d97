//! The history: what each entry of the route did.

use acta_ledger::judge::route::{Effect, HistoryItem, RouteState};
use leptos::prelude::*;

use crate::{
    components::{
        digest,
        layout::{capitalised, note, part as section, scroll},
        moment,
        route::{
            why::{self, Who},
            words,
        },
        state::state,
    },
    format::{NOTHING, count, short},
    i18n::Lang,
    routes,
    view::route::RouteView,
};

/// Shows it, newest first.
pub fn part(view: &RouteView, lang: Lang) -> AnyView {
    if view.state.history.is_empty() {
        return ().into_any();
    }
    let items: Vec<&HistoryItem> = view.state.history.iter().rev().collect();
    let body = table(&items, &view.state, lang);
    section("h-history", lang.t("section-history"), note(lang.t("history-note")), body)
}

/// Entries of a history as a table.
pub fn table(items: &[&HistoryItem], of: &RouteState, lang: Lang) -> AnyView {
    let rows = items.iter().map(|item| row(item, of, lang)).collect_view();
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-history")}</caption>
            <thead><tr>
                <th scope="col" class="n">{lang.t("history-head-entry")}</th>
                <th scope="col">{lang.t("history-head-when")}</th>
                <th scope="col">{lang.t("history-head-what")}</th>
                <th scope="col">{lang.t("history-head-effect")}</th>
                <th scope="col">{lang.t("history-head-bundle")}</th>
                <th scope="col">{lang.t("history-head-who")}</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroll(&lang.t("section-history"), lang, table.into_any())
}

fn row(item: &HistoryItem, of: &RouteState, lang: Lang) -> AnyView {
    let name = &of.record.route_name;
    let holds = of.holds.iter().any(|hold| hold.entry.index == item.entry.index);
    let (mark, word) = words::effect(&item.effect, holds, lang);
    let why = match &item.effect {
        Effect::NotCounted { objections } => {
            let objections: Vec<String> =
                objections.iter().map(|it| why::objection(it, Who::They, lang)).collect();
            view! { <span class="sub">{why::sentence(&why::listed(&objections, lang))}</span> }.into_any()
        }
        _ => ().into_any(),
    };
    let past = matches!(item.effect, Effect::Superseded | Effect::EndedBy { .. } | Effect::OtherBundle);
    let bundle = item.bundle.map_or_else(
        || NOTHING.into_any(),
        |bundle| digest::linked(&bundle, routes::route_bundle(name, bundle)).into_any(),
    );
    let who = if item.who == "portal" { lang.t("signer-portal") } else { short(&item.who, 64) };
    view! {
        <tr class=past.then_some("past")>
            <th scope="row" class="n"><a href=routes::entry(item.entry.index)>{count(item.entry.index, lang)}</a></th>
            <td class="nowrap">{moment::cell(item.at, lang)}</td>
            <td>{capitalised(&words::kind(&item.kind, lang))}</td>
            <td>{state(mark, word)}{why}</td>
            <td>{bundle}</td>
            <td class="nowrap"><bdi>{who}</bdi></td>
        </tr>
    }
    .into_any()
}
