//! The ordered list: each step with its entries, its facts and how each is known, and what it lacks.

use acta_ledger::{
    evidence::code,
    judge::trace::{Fact, Source, Step, StepState},
    log::verification::Report,
};
use leptos::prelude::*;
use serde_json::Value;

use super::{gap, step_name};
use crate::{
    components::{
        digest,
        layout::{capitalised, full_part, scroll},
        moment,
        route::why,
        state::{State, state},
    },
    format::{NOTHING, count, short},
    i18n::Lang,
    routes,
    view::trace::TraceView,
};

/// The longest value that is shown; the entry has it whole.
const MOST: usize = 240;

/// Shows the steps.
pub fn part(view: &TraceView, lang: Lang) -> AnyView {
    let steps = view.trace.steps.iter().map(|step| step_item(view, step, lang));
    let body = view! { <ol class="trace">{steps.collect_view()}</ol> };
    full_part("h-steps", lang.t("section-steps"), lang.t("steps-note"), body.into_any())
}

/// How much is known, as a mark and a word.
pub fn known(step: StepState, lang: Lang) -> (State, String) {
    let mark = match step {
        StepState::Known => State::Good,
        StepState::Incomplete => State::Attention,
        StepState::Unknown => State::Neutral,
        StepState::NotYet => State::None,
    };
    (mark, lang.code_text("trace-state", &code(&step)))
}

/// The id of a step on the page.
pub fn anchor(step: &Step) -> String {
    format!("step-{}", code(&step.step).replace('_', "-"))
}

fn step_item(view: &TraceView, step: &Step, lang: Lang) -> AnyView {
    let (mark, word) = known(step.state, lang);
    let sources = step.sources.iter().map(|source| source_item(view, source, lang));
    let sources =
        (!step.sources.is_empty()).then(|| view! { <ul class="sources">{sources.collect_view()}</ul> });
    let gaps = step.gaps.iter().map(|it| {
        view! { <li>{state(State::Attention, lang.t("trace-gap-word"))}<div>{why::sentence(&gap(it, lang))}</div></li> }
    });
    let gaps = (!step.gaps.is_empty()).then(|| view! { <ul class="checks gaps">{gaps.collect_view()}</ul> });
    let facts = (!step.facts.is_empty()).then(|| facts(step, lang));
    view! {
        <li id=anchor(step)>
            <h3>{capitalised(&step_name(step.step, lang))}" "{state(mark, word)}</h3>
            {sources}{gaps}{facts}
        </li>
    }
    .into_any()
}

/// An entry with the state of its signature.
fn source_item(view: &TraceView, source: &Source, lang: Lang) -> AnyView {
    let report = view.checks.iter().find(|report| report.index == source.index);
    let (mark, word) = match report {
        None => (State::Neutral, lang.t("trace-unverified")),
        Some(report) if report.all_hold() => (State::Good, lang.t("trace-signature-valid")),
        Some(_) => (State::Bad, lang.t("trace-signature-bad")),
    };
    let who = if source.signer == "portal" { lang.t("signer-portal") } else { short(&source.signer, 64) };
    let entry = lang.tr("gate-entry", [("index", count(source.index, lang).into())]);
    let key = report.and_then(|report| report.signer.as_ref()).map(|signer| {
        let id = signer.key_id.to_string();
        view! { ", "{lang.t("trace-key")}" "<code class="digest" title=id.clone()>{short(&id, 12)}</code> }
    });
    let failed = report.and_then(failed);
    view! {
        <li>
            <a href=routes::entry(source.index)>{entry}</a>", "<bdi>{who}</bdi>", "
            {moment::inline(source.at, lang)}{key}" "
            {state(mark, word)}
            {failed.map(|why| view! { <span class="sub"><bdi>{short(&why, 200)}</bdi></span> })}
            <span class="print-only">" "{digest::full(&source.leaf)}</span>
        </li>
    }
    .into_any()
}

fn failed(report: &Report) -> Option<String> {
    report.checks.iter().find(|check| !check.holds).map(|check| check.detail.clone())
}

fn facts(step: &Step, lang: Lang) -> AnyView {
    let rows = step.facts.iter().map(|fact| fact_row(fact, lang));
    let caption = lang.tr("trace-facts", [("step", step_name(step.step, lang).into())]);
    let table = view! {
        <table>
            <caption class="vh">{caption.clone()}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("trace-head-fact")}</th>
                <th scope="col">{lang.t("trace-head-value")}</th>
                <th scope="col">{lang.t("trace-head-class")}</th>
                <th scope="col">{lang.t("trace-head-found")}</th>
                <th scope="col" class="n">{lang.t("evidence-head-entry")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&caption, lang, table.into_any())
}

fn fact_row(fact: &Fact, lang: Lang) -> AnyView {
    let by = fact.stated_by.as_ref().map(|by| {
        view! { <span class="sub"><bdi>{short(by, 64)}</bdi></span> }
    });
    let found = fact.verdict.map_or_else(
        || NOTHING.into_any(),
        |verdict| {
            use acta_ledger::evidence::gate::CheckVerdict;
            let mark = match verdict {
                CheckVerdict::Pass => State::Good,
                CheckVerdict::NotApplicable => State::None,
                CheckVerdict::NotRun => State::Neutral,
                CheckVerdict::Hold => State::Attention,
                CheckVerdict::Fail => State::Bad,
                CheckVerdict::Error => State::Error,
            };
            state(mark, lang.code_text("check-verdict", &code(&verdict))).into_any()
        },
    );
    view! {
        <tr>
            <th scope="row" class="stick"><code>{short(&fact.name, 80)}</code></th>
            <td class="value">{value(&fact.value)}</td>
            <td>{lang.code_text("class", &code(&fact.class))}{by}</td>
            <td>{found}</td>
            <td class="n"><a href=routes::entry(fact.entry)>{count(fact.entry, lang)}</a></td>
        </tr>
    }
    .into_any()
}

/// A value on one line, bounded; what is empty is a dash.
fn value(value: &Value) -> AnyView {
    let text = match value {
        Value::Null => return NOTHING.into_any(),
        Value::String(text) => short(text, MOST),
        other => short(&other.to_string(), MOST),
    };
    view! { <code><bdi>{text}</bdi></code> }.into_any()
}
