//! What changes: the bundle that is live beside the one that comes.

use acta_ledger::{
    evidence::{gate::Gate, rollback::OrderAction, route::ValidationStatus},
    log::digest::Sha256Digest,
};
use leptos::prelude::*;

use crate::{
    components::{
        layout::{note, part as section, scroll},
        route::words,
        state::{State, state},
    },
    format::NOTHING,
    i18n::Lang,
    view::route::RouteView,
};

/// A fact, now and after.
struct Row {
    fact: String,
    now: String,
    after: String,
}

/// Shows it.
pub fn part(
    view: &RouteView,
    now: Option<&RouteView>,
    after: Option<&RouteView>,
    action: OrderAction,
    to: Sha256Digest,
    lang: Lang,
) -> AnyView {
    let rows = rows(view, now, after, action, to, lang);
    let differ = rows.iter().filter(|row| row.now != row.after).count();
    let values = [("differ", differ.into()), ("equal", (rows.len() - differ).into())];
    let heads =
        ["diff-fact", "diff-now", "diff-after", "diff-change"].into_iter().enumerate().map(|(at, key)| {
            view! { <th scope="col" class=(at == 0).then_some("stick")>{lang.t(key)}</th> }
        });
    let shown = rows.iter().map(|row| {
        let differs = row.now != row.after;
        let change = if differs {
            state(State::Attention, lang.t("diff-differs")).into_any()
        } else {
            view! { <span class="quiet">{lang.t("diff-equal")}</span> }.into_any()
        };
        view! {
            <tr class=(!differs).then_some("past")>
                <th scope="row" class="stick">{row.fact.clone()}</th>
                <td>{row.now.clone()}</td>
                <td>{row.after.clone()}</td>
                <td>{change}</td>
            </tr>
        }
    });
    let table = view! {
        <table class="compact">
            <caption class="vh">{lang.t("diff-caption")}</caption>
            <thead><tr>{heads.collect_view()}</tr></thead>
            <tbody>{shown.collect_view()}</tbody>
        </table>
    };
    let body = scroll(&lang.t("diff-caption"), lang, table.into_any());
    section("h-diff", lang.t("section-diff"), note(lang.tr("diff-note", values)), body)
}

fn rows(
    view: &RouteView,
    now: Option<&RouteView>,
    after: Option<&RouteView>,
    action: OrderAction,
    to: Sha256Digest,
    lang: Lang,
) -> Vec<Row> {
    let live = view.state.live.as_ref().and_then(|live| live.bundle);
    let config = |bundle: Option<Sha256Digest>| {
        let row = bundle.and_then(|bundle| view.retained.iter().find(|row| row.bundle == bundle));
        row.and_then(|row| row.way_back.runtime_config).map_or_else(|| NOTHING.to_owned(), |it| it.short())
    };
    let mut rows = vec![
        Row {
            fact: lang.t("diff-bundle"),
            now: live.map_or_else(|| NOTHING.to_owned(), |live| live.short()),
            after: to.short(),
        },
        Row { fact: lang.t("diff-config"), now: config(live), after: config(Some(to)) },
    ];
    let told = |of: Option<&RouteView>, tell: &dyn Fn(&RouteView) -> String| match of {
        Some(of) => tell(of),
        None if live.is_none() => NOTHING.to_owned(),
        None => lang.t("diff-unknown"),
    };
    let mut row = |fact: String, tell: &dyn Fn(&RouteView) -> String| {
        rows.push(Row { fact, now: told(now, tell), after: told(after, tell) });
    };
    for gate in Gate::ALL {
        let name = [("gate", gate.to_string().into()), ("name", words::gate_name(gate, lang).into())];
        row(lang.tr("evidence-gate", name), &|of| {
            let standing = of.state.gates.iter().find(|standing| standing.gate == gate);
            standing.map_or_else(|| NOTHING.to_owned(), |it| words::gate_state(it.state, lang).1)
        });
    }
    row(lang.t("diff-approvals"), &|of| {
        of.state.votes.iter().filter(|vote| vote.objections.is_empty()).count().to_string()
    });
    row(lang.t("diff-status"), &|of| {
        let served = of.state.record.validation_status == ValidationStatus::Pass;
        lang.t(if served { "diff-yes" } else { "diff-no" })
    });
    if action == OrderAction::Rollback {
        let held = !view.state.holds.is_empty();
        rows.push(Row {
            fact: lang.t("diff-hold"),
            now: lang.t(if held { "diff-yes" } else { "diff-no" }),
            after: lang.t("diff-hold-after"),
        });
    }
    rows
}
