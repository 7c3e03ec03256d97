//! Each scenario: what it does, which builds it made, and why each criterion holds or not.

use acta_ledger::evidence::{
    acceptance::{CriterionRecord, ScenarioRecord, ScenarioRun, Verdict},
    code,
};
use leptos::prelude::*;

use super::{matrix::criterion_name, scenario_name};
use crate::{
    components::{
        digest,
        layout::{full_part, scroll},
        state::state,
        words,
    },
    format::visible,
    i18n::Lang,
    routes,
    view::acceptance::AcceptanceView,
};

/// Shows them.
pub fn part(shown: &AcceptanceView, lang: Lang) -> AnyView {
    let scenarios = shown.record.scenarios.iter().map(|scenario| one(scenario, shown, lang));
    let body = scenarios.collect_view().into_any();
    full_part("h-scenarios", lang.t("acceptance-scenarios"), lang.t("acceptance-scenarios-note"), body)
}

fn one(scenario: &ScenarioRecord, shown: &AcceptanceView, lang: Lang) -> AnyView {
    let name = code(&scenario.scenario);
    let what = lang.code_text("scenario-about", &name);
    let verdict = match &scenario.not_run {
        Some(not_run) => view! {
            <p>{lang.code_text("acceptance-not-run", &not_run.reason)}</p>
        }
        .into_any(),
        None => {
            let (mark, word) = words::acceptance_verdict(scenario.verdict(), lang);
            view! { <p>{state(mark, word)}</p> }.into_any()
        }
    };
    let runs = (!scenario.runs.is_empty()).then(|| {
        let runs = scenario.runs.iter().map(|run| made(run, shown, lang));
        view! { <ul class="checks">{runs.collect_view()}</ul> }
    });
    let criteria = (!scenario.criteria.is_empty()).then(|| {
        let open = scenario.verdict() != Verdict::Pass;
        let table = criteria(scenario, lang);
        view! { <details open=open><summary>{lang.t("acceptance-why")}</summary>{table}</details> }
    });
    view! {
        <section class="scenario" aria-labelledby=format!("scenario-{name}")>
            <h3 id=format!("scenario-{name}")>{scenario_name(scenario.scenario, lang)}</h3>
            <p class="small quiet">{what}</p>
            {verdict}{runs}{criteria}
        </section>
    }
    .into_any()
}

/// A build that the scenario made: a link where the log holds it.
fn made(run: &ScenarioRun, shown: &AcceptanceView, lang: Lang) -> AnyView {
    let role = lang.code_text("acceptance-role", &code(&run.role));
    let (mark, word) = words::outcome(&code(&run.outcome), lang);
    let known = shown.runs.iter().find(|link| link.id == run.run.to_string());
    let link = match known {
        Some(link) => {
            let name = lang.tr("run-name", [("number", format!("{:04}", link.number).into())]);
            view! { <a href=routes::run(&link.id)>{name}</a> }.into_any()
        }
        None => view! {
            <span>{digest::plain(&run.entry_digest)}" "{lang.t("acceptance-not-logged")}</span>
        }
        .into_any(),
    };
    view! { <li>{state(mark, word)}<div><p>{role}": "{link}</p></div></li> }.into_any()
}

fn criteria(scenario: &ScenarioRecord, lang: Lang) -> AnyView {
    let rows = scenario.criteria.iter().map(|it| criterion(it, scenario, lang));
    let name = scenario_name(scenario.scenario, lang);
    let table = view! {
        <table>
            <caption class="vh">{name.clone()}</caption>
            <thead><tr>
                <th scope="col">{lang.t("acceptance-head-criterion")}</th>
                <th scope="col">{lang.t("acceptance-head-verdict")}</th>
                <th scope="col">{lang.t("acceptance-head-reason")}</th>
                <th scope="col">{lang.t("acceptance-head-evidence")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&name, lang, table.into_any())
}

fn criterion(record: &CriterionRecord, scenario: &ScenarioRecord, lang: Lang) -> AnyView {
    let (mark, word) = words::acceptance_verdict(record.verdict, lang);
    let roles: Vec<String> = record
        .evidence
        .iter()
        .filter_map(|&place| scenario.runs.get(usize::from(place)))
        .map(|run| lang.code_text("acceptance-role", &code(&run.role)))
        .collect();
    view! {
        <tr>
            <th scope="row">{criterion_name(record.criterion, lang)}</th>
            <td>{state(mark, word)}</td>
            <td>
                {lang.code_text("acceptance-reason", &record.reason)}
                <span class="sub" lang="en"><bdi>{visible(&record.sentence)}</bdi></span>
            </td>
            <td>{roles.join(", ")}</td>
        </tr>
    }
    .into_any()
}
