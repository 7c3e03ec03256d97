//! The matrix: a row for each scenario, a column for each criterion. Where the page is narrow it is a list.

use acta_ledger::evidence::{
    acceptance::{AcceptanceRecord, Criterion, ScenarioRecord},
    code,
};
use leptos::prelude::*;

use super::scenario_name;
use crate::{
    components::{layout::scroll, state::state, words},
    i18n::Lang,
};

/// Shows it.
pub fn matrix(record: &AcceptanceRecord, lang: Lang) -> AnyView {
    let heads = Criterion::ALL.into_iter().enumerate().map(|(index, criterion)| {
        view! {
            <th role="columnheader" scope="col"><b>{format!("{} {}", index + 1, criterion_name(criterion, lang))}</b></th>
        }
    });
    let rows = record.scenarios.iter().map(|scenario| row(scenario, lang));
    let caption = lang.t("acceptance-matrix");
    let table = view! {
        <table class="gates criteria" role="table">
            <caption class="vh">{caption.clone()}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col" class="stick of">{lang.t("acceptance-head-scenario")}</th>
                    {heads.collect_view()}
                </tr>
            </thead>
            <tbody role="rowgroup">{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&caption, lang, table.into_any())
}

fn row(scenario: &ScenarioRecord, lang: Lang) -> AnyView {
    let href = format!("#scenario-{}", code(&scenario.scenario));
    let cells = match &scenario.not_run {
        Some(not_run) => {
            let why = lang.code_text("acceptance-not-run", &not_run.reason);
            let columns = Criterion::ALL.len().to_string();
            view! {
                <td role="cell" colspan=columns data-gate=lang.code_text("acceptance-verdict", "not-run")>
                    <span class="quiet">{why}</span>
                </td>
            }
            .into_any()
        }
        None => {
            let cells = scenario.criteria.iter().map(|criterion| {
                let (mark, word) = words::acceptance_verdict(criterion.verdict, lang);
                let name = criterion_name(criterion.criterion, lang);
                view! { <td role="cell" data-gate=name>{state(mark, word)}</td> }
            });
            cells.collect_view().into_any()
        }
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row" class="stick">
                <a class="name" href=href>{scenario_name(scenario.scenario, lang)}</a>
            </th>
            {cells}
        </tr>
    }
    .into_any()
}

/// A criterion's name.
pub fn criterion_name(criterion: Criterion, lang: Lang) -> String {
    lang.code_text("criterion", &code(&criterion))
}
