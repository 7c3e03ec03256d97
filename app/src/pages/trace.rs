//! The trace of a bundle: an ordered list first, a picture of the same second, and every gap by its name.

mod graph;
mod steps;

use acta_ledger::{
    judge::trace::{Gap, StepKind},
    log::digest::Sha256Digest,
};
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::query_value,
    components::{
        checks::verify_command,
        layout::{Answer, answer, capitalised, note, part, trail},
        pack, rebuild,
        record::checked_by,
        route::{why, words},
        state::State,
    },
    context::PageContext,
    format::{bytes, count, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::trace::{Bytes, TraceView},
};

/// Loads the trace of a bundle.
pub async fn load(context: &PageContext, text: &str) -> Result<Ready, PageError> {
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    if digits.parse::<Sha256Digest>().is_err() {
        return Err(PageError::BadRequest { field: "bundle", found: text.to_owned() });
    }
    let route = query_value(&context.query, "route");
    let view = context.portal.trace(digits, route.as_deref()).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &TraceView) -> Ready {
    let (lang, trace) = (context.lang, &view.trace);
    let gaps = gaps(view, lang);
    let broken = view.checks.iter().filter(|report| !report.all_hold()).count();
    let bundle = ("bundle", trace.bundle.short().into());
    let (mark, word, headline) = match (broken, gaps.first()) {
        (1.., _) => (
            State::Bad,
            "trace-word-broken",
            lang.tr("trace-broken", [bundle, ("n", broken.into()), ("of", view.checks.len().into())]),
        ),
        (0, Some(first)) => (
            State::Attention,
            "trace-word-gaps",
            lang.tr("trace-gaps", [bundle, ("n", gaps.len().into()), ("first", first.clone().into())]),
        ),
        (0, None) => (State::Good, "trace-word-whole", lang.tr("trace-whole", [bundle])),
    };
    let content = Answer {
        state: mark,
        word: lang.t(word),
        about: vec![short(&trace.route, 60), words::verdict(&view.record, false, lang).1],
        headline,
        lead: lead(view, lang),
    };
    let title = lang.tr("trace-title", [("bundle", trace.bundle.short().into())]);
    let links = vec![
        (routes::ROUTES.to_owned(), lang.t("nav-routes")),
        (routes::route_bundle(&trace.route, trace.bundle), short(&trace.route, 100)),
    ];
    let body = view! {
        {trail(links, lang.t("trace-trail"), lang)}
        {answer(content, actions(view, lang))}
        {steps::part(view, lang)}
        {graph::part(view, lang)}
        {gap_list(&gaps, lang)}
        {view.rebuilds.as_ref().map(|it| rebuild::part(context, it, "MODEL.onnx"))}
        {record(context, view)}
    };
    Ready { title, room: Room::Routes, island: false, body: body.into_any() }
}

fn lead(view: &TraceView, lang: Lang) -> Vec<String> {
    let mut lead = Vec::new();
    if view.checks.iter().all(acta_ledger::log::verification::Report::all_hold) {
        lead.push(lang.tr("trace-verified", [("n", view.checks.len().into())]));
    }
    lead.push(match view.bytes {
        Bytes::Stored { bytes: length } => lang.tr("trace-stored", [("size", bytes(length, lang).into())]),
        Bytes::Purged { entry } => lang.tr("trace-purged", [("index", count(entry, lang).into())]),
        Bytes::NotHere => lang.t("trace-not-here"),
    });
    lead
}

fn actions(view: &TraceView, lang: Lang) -> AnyView {
    let trace = &view.trace;
    let run = view.run_number.map(|number| {
        let name = lang.tr("run-name", [("number", format!("{number:04}").into())]);
        view! { <a href=routes::run(&number.to_string())>{capitalised(&name)}</a>" " }
    });
    let others = view.routes.iter().filter(|name| **name != trace.route).map(|name| {
        let text = lang.tr("trace-other-route", [("route", short(name, 60).into())]);
        view! { <a href=routes::trace(trace.bundle, name)>{text}</a>" " }
    });
    view! {
        <p class="acts">
            <a class="btn" href=routes::route_bundle(&trace.route, trace.bundle)>{lang.t("done-to-route")}</a>
            {run}
            {others.collect_view()}
            {pack::links("bundle", &trace.bundle.to_string(), lang)}
            <a href=routes::trace_json(trace.bundle, &trace.route)>"JSON"</a>
        </p>
    }
    .into_any()
}

/// A step's name.
fn step_name(step: StepKind, lang: Lang) -> String {
    lang.code_text("trace-step", &acta_ledger::evidence::code(&step))
}

/// A gap as a clause.
fn gap(gap: &Gap, lang: Lang) -> String {
    let check = |check: &str| ("check", short(check, 80).into());
    match gap {
        Gap::NoEntry => lang.t("trace-gap-no-entry"),
        Gap::CheckMissing { check: it } => lang.tr("reason-check-missing", [check(it)]),
        Gap::CheckNotPassed { check: it, verdict } => {
            let verdict = acta_ledger::evidence::code(verdict);
            lang.tr("reason-check-not-passed", [check(it), ("verdict", verdict.into())])
        }
        Gap::VendorClaim { check: it } => lang.tr("reason-vendor-claim", [check(it)]),
        Gap::RunNotNamed => lang.t("trace-gap-run-not-named"),
        Gap::RunNotLogged { run } => lang.tr("trace-gap-run-not-logged", [("run", run.to_string().into())]),
        Gap::RunSimulated => lang.t("trace-gap-run-simulated"),
        Gap::GateClosed { gate } => lang.tr("trace-gap-gate-closed", [("gate", gate.to_string().into())]),
        Gap::CanaryWithoutVerdict => lang.t("trace-gap-canary"),
    }
}

/// Every gap and every missing tie, as clauses.
fn gaps(view: &TraceView, lang: Lang) -> Vec<String> {
    let trace = &view.trace;
    let unread = trace.unread.map(|(from, to)| {
        let (from, to) = (count(from, lang), count(to.saturating_sub(1), lang));
        lang.tr("missing-gap", [("from", from.into()), ("to", to.into())])
    });
    let of_steps = trace.gaps().map(|(step, it)| {
        lang.tr("trace-gap-at", [("step", step_name(step, lang).into()), ("why", gap(it, lang).into())])
    });
    let ties = trace.untied().map(|link| {
        let (from, to) = (step_name(link.from, lang), step_name(link.to, lang));
        lang.tr("trace-untied", [("from", from.into()), ("to", to.into())])
    });
    unread.into_iter().chain(of_steps).chain(ties).collect()
}

fn gap_list(gaps: &[String], lang: Lang) -> AnyView {
    let body = if gaps.is_empty() {
        view! { <p>{lang.t("trace-no-gaps")}</p> }.into_any()
    } else {
        let items = gaps.iter().map(|clause| view! { <li>{why::sentence(clause)}</li> });
        view! { <ul class="bullets">{items.collect_view()}</ul> }.into_any()
    };
    part("h-gaps", lang.t("section-gaps"), note(lang.t("gaps-note")), body)
}

/// What a printed trace is checked by: digests in full, the tree head, and the command for each entry.
fn record(context: &PageContext, view: &TraceView) -> AnyView {
    let commands: Vec<String> =
        view.checks.iter().map(|report| verify_command(&context.base_url, report.index)).collect();
    checked_by(context, Some(&view.trace.bundle), &view.seen, &commands)
}
