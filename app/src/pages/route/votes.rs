//! Approvals and holds: who said what, and whether it counts.

use acta_ledger::judge::route::{Objection, OpenHold, Vote};
use leptos::prelude::*;

use crate::{
    components::{
        layout::{note, part as section, scroll},
        route::why::{self, Who},
        state::{State, state},
    },
    format::{count, date, short},
    i18n::Lang,
    routes,
    view::route::RouteView,
};

/// Shows them.
pub fn part(view: &RouteView, lang: Lang) -> AnyView {
    let of = &view.state;
    let holds = of.holds.iter().map(|hold| hold_item(hold, lang));
    let outdated = of.outdated.iter().map(|cause| {
        view! {
            <li>
                {state(State::Superseded, lang.t("outdated-line"))}
                <div><p>{why::sentence(&why::cause(cause, lang))}</p></div>
            </li>
        }
    });
    let said = (!of.holds.is_empty() || !of.outdated.is_empty())
        .then(|| view! { <ul class="checks">{holds.collect_view()}{outdated.collect_view()}</ul> });
    let votes = if of.votes.is_empty() {
        view! { <p>{lang.t("votes-none")}</p> }.into_any()
    } else {
        votes_table(&of.votes, lang)
    };
    let body = view! { {said}{votes} };
    section("h-votes", lang.t("section-votes"), note(lang.t("votes-note")), body.into_any())
}

fn hold_item(hold: &OpenHold, lang: Lang) -> AnyView {
    let by = hold.by.as_ref().map(|by| {
        let text = lang.tr("hold-by", [("who", short(by, 64).into())]);
        view! { " "{text} }
    });
    let code = hold.reason_code.map(|code| {
        let code = acta_ledger::evidence::code(&code);
        let word = why::sentence(&lang.code_text("reason-code", &code));
        view! { <p>{word}</p> }
    });
    let text = hold.text.as_ref().map(|text| {
        let text = lang.tr("hold-text", [("text", short(text, 4_000).into())]);
        view! { <p><bdi>{text}</bdi></p> }
    });
    let terms = hold.terms.as_ref().map(|terms| {
        let owner = ("owner", short(&terms.owner, 64).into());
        let text = lang.tr("hold-terms", [owner, ("at", date(terms.review_at, lang).into())]);
        view! { <p>{text}</p> }
    });
    let wide = hold.route_wide.then(|| view! { <p>{lang.t("hold-wide")}</p> });
    let entry = lang.tr("gate-entry", [("index", count(hold.entry.index, lang).into())]);
    view! {
        <li>
            {state(State::Attention, lang.t("hold-line"))}
            <div>
                <p><a href=routes::entry(hold.entry.index)>{crate::components::layout::capitalised(&entry)}</a>"."{by}</p>
                {code}{text}{terms}{wide}
            </div>
        </li>
    }
    .into_any()
}

fn votes_table(votes: &[Vote], lang: Lang) -> AnyView {
    let rows = votes.iter().map(|vote| {
        let only_outdated = vote.objections.iter().all(|it| matches!(it, Objection::Outdated { .. }));
        let (mark, key) = match (vote.objections.is_empty(), only_outdated) {
            (true, _) => (State::Good, "vote-counts"),
            (false, true) => (State::Superseded, "vote-outdated"),
            (false, false) => (State::Attention, "vote-not"),
        };
        let objections: Vec<String> =
            vote.objections.iter().map(|it| why::objection(it, Who::They, lang)).collect();
        let why = (!objections.is_empty())
            .then(|| view! { <span class="sub">{why::sentence(&why::listed(&objections, lang))}</span> });
        view! {
            <tr>
                <th scope="row"><bdi>{short(&vote.account, 64)}</bdi></th>
                <td class="n"><a href=routes::entry(vote.entry.index)>{count(vote.entry.index, lang)}</a></td>
                <td>{state(mark, lang.t(key))}{why}</td>
            </tr>
        }
    });
    let table = view! {
        <table class="compact">
            <caption class="vh">{lang.t("section-votes")}</caption>
            <thead><tr>
                <th scope="col">{lang.t("vote-head-who")}</th>
                <th scope="col" class="n">{lang.t("vote-head-entry")}</th>
                <th scope="col">{lang.t("vote-head-counts")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("section-votes"), lang, table.into_any())
}
