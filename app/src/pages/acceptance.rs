//! The Stuck-Build Acceptance Test: does a stuck build behave, in every way that it can be stuck?

mod matrix;
mod scenarios;

use acta_ledger::evidence::{
    acceptance::{AcceptanceRecord, Scenario, Tally, Verdict},
    build::NO_GPU,
    code,
};
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        digest,
        exports::exports,
        layout::{Answer, answer, full_part, note, part, scroll, trail},
        moment,
        state::{State, state},
    },
    context::PageContext,
    format::{count, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::acceptance::{AcceptanceRow, AcceptanceView, AcceptancesView},
};

/// What runs the test.
const COMMAND: &str = "acta acceptance";

/// Loads a run of the test; the newest without an id.
pub async fn load(context: &PageContext, id: Option<&str>) -> Result<Ready, PageError> {
    let view = context.portal.acceptance(id).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &AcceptancesView) -> Ready {
    let lang = context.lang;
    let title = lang.t("acceptance-title");
    let Some(shown) = &view.shown else {
        return Ready { title, room: Room::Runs, island: false, body: none_yet(lang) };
    };
    let name = number_of(&shown.row, lang);
    let links = vec![
        (routes::RUNS.to_owned(), lang.t("nav-runs")),
        (routes::ACCEPTANCE.to_owned(), lang.t("acceptance-title")),
    ];
    let matrix_note = lang.t("acceptance-matrix-note");
    let body = view! {
        {trail(links, name.clone(), lang)}
        {headline(shown, lang)}
        {full_part("h-matrix", lang.t("acceptance-matrix"), matrix_note, matrix::matrix(&shown.record, lang))}
        {scenarios::part(shown, lang)}
        {history(view, shown, lang)}
    };
    Ready { title: format!("{title}, {name}"), room: Room::Runs, island: false, body: body.into_any() }
}

fn none_yet(lang: Lang) -> AnyView {
    let content = Answer {
        state: State::Neutral,
        word: lang.t("acceptance-none-word"),
        about: Vec::new(),
        headline: lang.t("acceptance-none"),
        lead: vec![lang.t("acceptance-none-lead")],
    };
    answer(content, view! { <pre class="command">{COMMAND}</pre> }.into_any())
}

fn number_of(row: &AcceptanceRow, lang: Lang) -> String {
    lang.tr("acceptance-number", [("number", row.number.to_string().into())])
}

/// The first sentence: how many scenarios hold, and which do not.
fn headline(shown: &AcceptanceView, lang: Lang) -> AnyView {
    let record = &shown.record;
    let Tally { ran, passed, failed } = record.tally();
    let values = || [("ran", ran.into()), ("passed", passed.into()), ("failed", failed.into())];
    let (mark, word, headline) = if failed > 0 {
        (State::Bad, "fail", lang.tr("acceptance-failed", values()))
    } else if passed == ran {
        (State::Good, "pass", lang.tr("acceptance-passed", values()))
    } else {
        (State::Attention, "not-run", lang.tr("acceptance-incomplete", values()))
    };
    let named = |wanted: &dyn Fn(Verdict, bool) -> bool| -> Vec<String> {
        let wanted = record.scenarios.iter().filter(|it| wanted(it.verdict(), it.not_run.is_some()));
        wanted.map(|it| scenario_name(it.scenario, lang)).collect()
    };
    let failing = named(&|verdict, _| verdict == Verdict::Fail);
    let left_out = named(&|_, not_run| not_run);
    let mut lead = Vec::new();
    for (names, key) in [(failing, "acceptance-failing"), (left_out, "acceptance-left-out")] {
        if !names.is_empty() {
            let values = [("n", names.len().into()), ("names", names.join(", ").into())];
            lead.push(lang.tr(key, values));
        }
    }
    lead.push(built_with(record, lang));
    let row = &shown.row;
    let about = std::iter::once(number_of(row, lang)).chain(moment::lines(row.started_at, lang)).collect();
    let word = lang.code_text("acceptance-verdict", word);
    let entry = lang.tr("run-entry", [("entry", count(row.entry, lang).into())]);
    let actions = view! {
        <p class="acts">
            <a class="btn" href=routes::entry(row.entry)>{entry}</a>
            <a href="#h-scenarios">{lang.t("acceptance-scenarios")}</a>
            <a href="#h-history">{lang.t("acceptance-history")}</a>
        </p>
        <p class="small">
            {lang.t("acceptance-signed-by")}" "<bdi>{short(&row.agent, 60)}</bdi>", "
            {digest::linked(&shown.entry_digest, routes::entry(row.entry))}
        </p>
    };
    answer(Answer { state: mark, word, about, headline, lead }, actions.into_any())
}

fn built_with(record: &AcceptanceRecord, lang: Lang) -> String {
    let gpu = if record.gpu_sku == NO_GPU { lang.t("gpu-none") } else { short(&record.gpu_sku, 60) };
    let values = [
        ("builder", lang.code_text("builder", &code(&record.builder)).into()),
        ("version", short(&record.tensorrt_version, 24).into()),
        ("gpu", gpu.into()),
        ("os", short(&record.host.os, 60).into()),
    ];
    lang.tr("acceptance-built-with", values)
}

/// A scenario's name.
pub fn scenario_name(scenario: Scenario, lang: Lang) -> String {
    lang.code_text("scenario", &code(&scenario))
}

fn history(view: &AcceptancesView, shown: &AcceptanceView, lang: Lang) -> AnyView {
    let rows = view.history.iter().map(|row| {
        let current = (row.id == shown.row.id).then_some("true");
        let (mark, verdict) = match (row.failed, row.passed == row.ran) {
            (0, true) => (State::Good, "pass"),
            (0, false) => (State::Attention, "not-run"),
            _ => (State::Bad, "fail"),
        };
        let gpu = if row.gpu_sku == NO_GPU { lang.t("gpu-none") } else { short(&row.gpu_sku, 40) };
        view! {
            <tr>
                <th scope="row" class="stick">
                    <a href=routes::acceptance(&row.number.to_string()) aria-current=current>{number_of(row, lang)}</a>
                </th>
                <td>{state(mark, lang.code_text("acceptance-verdict", verdict))}</td>
                <td class="n">{count(row.ran.into(), lang)}</td>
                <td class="n">{count(row.passed.into(), lang)}</td>
                <td class="n">{count(row.failed.into(), lang)}</td>
                <td class="nowrap">{short(&row.tensorrt_version, 24)}</td>
                <td>{gpu}</td>
                <td><bdi>{short(&row.agent, 40)}</bdi></td>
                <td class="n">
                    {moment::cell(row.started_at, lang)}
                </td>
            </tr>
        }
    });
    let table = view! {
        <table class="dense">
            <caption class="vh">{lang.t("acceptance-history")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("acceptance-head-number")}</th>
                <th scope="col">{lang.t("acceptance-head-verdict")}</th>
                <th scope="col" class="n">{lang.t("acceptance-head-ran")}</th>
                <th scope="col" class="n">{lang.t("acceptance-head-passed")}</th>
                <th scope="col" class="n">{lang.t("acceptance-head-failed")}</th>
                <th scope="col">{lang.t("run-head-tensorrt")}</th>
                <th scope="col">{lang.t("run-head-gpu")}</th>
                <th scope="col">{lang.t("acceptance-head-agent")}</th>
                <th scope="col" class="n">{lang.t("run-head-started")}" "<span class="unit">"UTC"</span></th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let body = view! {
        {scroll(&lang.t("acceptance-history"), lang, table.into_any())}
        <div class="tfoot no-print">{exports("acceptance", "", lang)}</div>
    };
    let note = note(lang.t("acceptance-history-note"));
    part("h-history", lang.t("acceptance-history"), note, body.into_any())
}
