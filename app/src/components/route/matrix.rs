//! The gate matrix: a row for each bundle or route, a column for each gate. Under 40 rem it is a list; `data-gate` names
//! the gates there.

use acta_ledger::{evidence::gate::Gate, judge::route::GateStanding};
use leptos::prelude::*;

use super::{why, words};
use crate::{
    components::{layout::scroll, state::state},
    format::{count, date},
    i18n::Lang,
    routes,
};

/// A row.
pub struct Row {
    /// What it is of.
    pub head: AnyView,
    /// The gates.
    pub gates: Vec<GateStanding>,
    /// A last cell, where the matrix has such a column.
    pub last: Option<AnyView>,
    /// Whether it is of the past.
    pub past: bool,
}

/// Rows that have something in common.
pub struct Rows {
    /// What; nothing where there is one group only.
    pub title: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// How a matrix is shown.
pub struct Matrix {
    /// Its name.
    pub caption: String,
    /// The first column's head.
    pub first: String,
    /// A last column's head.
    pub last: Option<String>,
    /// Whether the cells say why, and the heads lead to the rules on the same page.
    pub detailed: bool,
    /// The rows.
    pub groups: Vec<Rows>,
}

/// Shows it.
pub fn matrix(matrix: Matrix, lang: Lang) -> AnyView {
    let Matrix { caption, first, last, detailed, groups } = matrix;
    let columns = 6 + usize::from(last.is_some());
    let heads = Gate::ALL.map(|gate| {
        let name = words::gate_name(gate, lang);
        let name = if detailed {
            view! { <a href=format!("#rule-{gate}")>{name}</a> }.into_any()
        } else {
            name.into_any()
        };
        view! {
            <th role="columnheader" scope="col">
                <b>{gate.to_string()}" "{name}</b>{lang.code_text("gate-about", &gate.to_string())}
            </th>
        }
    });
    let last_head = last.clone().map(|head| view! { <th role="columnheader" scope="col">{head}</th> });
    let bodies = groups.into_iter().map(|group| {
        let title = (!group.title.is_empty()).then(|| {
            view! {
                <tr role="row" class="group">
                    <th role="rowheader" scope="rowgroup" colspan=columns.to_string()>{group.title}</th>
                </tr>
            }
        });
        let rows = group.rows.into_iter().map(|row| {
            let cells = row.gates.iter().map(|gate| cell(gate, detailed, lang)).collect_view();
            let last = row.last.zip(last.clone()).map(|(cell, head)| {
                view! { <td role="cell" data-gate=head><span class="turn">{cell}</span></td> }
            });
            view! {
                <tr role="row" class=row.past.then_some("past")>
                    <th role="rowheader" scope="row" class="stick">{row.head}</th>
                    {cells}{last}
                </tr>
            }
        });
        view! { <tbody role="rowgroup">{title}{rows.collect_view()}</tbody> }
    });
    let table = view! {
        <table class="gates" role="table">
            <caption class="vh">{caption.clone()}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col" class="stick of">{first}</th>
                    {heads.collect_view()}{last_head}
                </tr>
            </thead>
            {bodies.collect_view()}
        </table>
    };
    scroll(&caption, lang, table.into_any())
}

fn cell(standing: &GateStanding, detailed: bool, lang: Lang) -> AnyView {
    let (mark, word) = words::gate_state(standing.state, lang);
    let name = format!("{} {}", standing.gate, words::gate_name(standing.gate, lang));
    let shown = match standing.entry {
        Some(entry) => view! { <a href=routes::entry(entry.index)>{state(mark, word)}</a> }.into_any(),
        None => state(mark, word).into_any(),
    };
    let sub = detailed.then(|| view! { <span class="sub">{beside(standing, lang)}</span> });
    view! { <td role="cell" data-gate=name>{shown}{sub}</td> }.into_any()
}

/// What stands below a cell's word: who overrides it, or the first thing that speaks against it.
fn beside(standing: &GateStanding, lang: Lang) -> AnyView {
    let counted = standing.overrides.iter().filter(|it| it.objections.is_empty());
    let until = counted.filter_map(|it| it.expires_at).min();
    let until = until.map(|at| format!("{}; ", lang.tr("gates-until", [("at", date(at, lang).into())])));
    let more = standing.reasons.len().saturating_sub(1);
    let why = match (&standing.reasons.first(), standing.entry) {
        (Some(first), _) => {
            let more = (more > 0).then(|| format!(", {}", lang.tr("reasons-more", [("n", more.into())])));
            let href = format!("#gate-{}", standing.gate);
            view! { <a href=href>{why::reason(first, lang)}{more}</a> }.into_any()
        }
        (None, Some(entry)) => lang.tr("gate-entry", [("index", count(entry.index, lang).into())]).into_any(),
        (None, None) => ().into_any(),
    };
    view! { {until}{why} }.into_any()
}
