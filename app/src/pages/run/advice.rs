//! The four questions about a run, and what each answer rests on. The judgement is the ledger's; here are only its words.

use acta_ledger::{
    evidence::code,
    judge::{
        advice::{Advice, AnswerTo, Reason, Verdict},
        baseline::EntryRef,
    },
};
use leptos::prelude::*;

use crate::{
    components::{
        layout::{self, note},
        state::{State, state},
        verdict::{beside, place, verdict},
    },
    format::{count, seconds, short},
    i18n::Lang,
    routes,
    view::RunView,
};

/// How many entries an answer links to; more are counted.
const LINKED: usize = 8;

/// Shows the part; nothing where the server could not judge.
pub fn part(view: &RunView, lang: Lang) -> AnyView {
    let Some(advice) = &view.advice else { return ().into_any() };
    let answers = advice.answers.iter().map(|it| answer(it, lang)).collect_view();
    let body = view! {
        {advice.verdict.as_ref().map(|it| verdict(it, lang.t("section-advice"), lang))}
        <ul class="checks">{answers}</ul>
        {diagnosis(advice, lang)}
    };
    layout::part("h-advice", lang.t("section-advice"), note(lang.t("advice-note")), body.into_any())
}

fn answer(it: &AnswerTo, lang: Lang) -> AnyView {
    let mark = match it.answer {
        Verdict::Yes => State::Good,
        Verdict::No => State::Neutral,
        Verdict::EvidenceMissing => State::Attention,
    };
    let reasons = it.reasons.iter().map(|it| view! { <li>{reason(it, lang)}</li> }).collect_view();
    view! {
        <li>
            {state(mark, lang.code_text("answer", &code(&it.answer)))}
            <div>
                <p><strong>{lang.code_text("question", &code(&it.question))}</strong></p>
                <ul class="bullets">{reasons}</ul>
                {rests_on(&it.rests_on, lang)}
            </div>
        </li>
    }
    .into_any()
}

fn rests_on(entries: &[EntryRef], lang: Lang) -> AnyView {
    let known = entries.iter().filter_map(|entry| entry.index);
    let links = known.take(LINKED).enumerate().map(|(at, index)| {
        let comma = (at > 0).then_some(", ");
        view! { {comma}<a href=routes::entry(index)>{count(index, lang)}</a> }
    });
    let more = entries.len().saturating_sub(LINKED) as u64;
    let more = (more > 0).then(|| format!(" {}", lang.tr("advice-more", [("n", more.into())])));
    (!entries.is_empty())
        .then(|| {
            view! { <p class="small quiet">{lang.t("advice-rests-on")}" "{links.collect_view()}{more}"."</p> }
        })
        .into_any()
}

fn diagnosis(advice: &Advice, lang: Lang) -> AnyView {
    let steps =
        advice.diagnosis.iter().map(|step| view! { <li>{lang.code_text("diagnosis", &code(step))}</li> });
    let steps = steps.collect_view();
    (!advice.diagnosis.is_empty())
        .then(|| view! { <h3>{lang.t("diagnosis-title")}</h3><ul class="bullets">{steps}</ul> })
        .into_any()
}

fn reason(reason: &Reason, lang: Lang) -> String {
    let timed = |key: &str, ms: f64| lang.tr(key, [("duration", seconds(ms, lang).into())]);
    let busy = |key: &str, per_mille: u32| lang.tr(key, [("percent", (per_mille / 10).to_string().into())]);
    match reason {
        Reason::RunOver { outcome } => {
            lang.tr("reason-run-over", [("outcome", lang.code_text("outcome", &code(outcome)).into())])
        }
        Reason::CancelPending { waited_ms } => timed("reason-cancel-pending", *waited_ms),
        Reason::CancelAcknowledged { after_ms } => timed("reason-cancel-acknowledged", *after_ms),
        Reason::Silence(found) => lang.tr("reason-silence", [("found", beside(found, lang).into())]),
        Reason::Duration(found) => lang.tr("reason-duration", [("found", beside(found, lang).into())]),
        Reason::DeepPhase { depth } => lang.tr("reason-deep-phase", [("depth", (*depth).into())]),
        Reason::NewSku { gpu_sku } => lang.tr("reason-new-sku", [("gpu", short(gpu_sku, 80).into())]),
        Reason::WorkerIdle { busy_per_mille } => busy("reason-worker-idle", *busy_per_mille),
        Reason::WorkerBusy { busy_per_mille } => busy("reason-worker-busy", *busy_per_mille),
        Reason::SamePhaseTwice { place: at } => {
            lang.tr("reason-same-phase-twice", [("place", place(at, lang).into())])
        }
        Reason::CacheProven { mode } | Reason::CacheNotUsable { mode } => {
            let proven = matches!(reason, Reason::CacheProven { .. });
            let key = if proven { "reason-cache-proven" } else { "reason-cache-not-usable" };
            lang.tr(key, [("mode", lang.code_text("cache", &code(mode)).into())])
        }
        Reason::KnownEngine { plan, .. } => lang.tr("reason-known-engine", [("digest", plan.short().into())]),
        Reason::RunNotOver => lang.t("reason-run-not-over"),
        Reason::NoSituation => lang.t("reason-no-situation"),
        Reason::NoBaseline => lang.t("reason-no-baseline"),
        Reason::SparseProgressAlone => lang.t("reason-sparse-progress-alone"),
        Reason::TacticSearch => lang.t("reason-tactic-search"),
        Reason::ColdCache => lang.t("reason-cold-cache"),
        Reason::TypingChanged => lang.t("reason-typing-changed"),
        Reason::NetworkChanged => lang.t("reason-network-changed"),
        Reason::EngineCameOut => lang.t("reason-engine-came-out"),
        Reason::CancelIgnored => lang.t("reason-cancel-ignored"),
        Reason::StoppedOnce => lang.t("reason-stopped-once"),
        Reason::NoKnownEngine => lang.t("reason-no-known-engine"),
    }
}
