//! One run: what happened, the number that decides, and its cause.

mod advice;
mod cancel;
mod facts;
mod files;
mod headline;
mod history;
mod phases;

use acta_ledger::evidence::{
    build::{BuilderKind, Outcome},
    code,
};
use leptos::prelude::*;

use super::{Ready, Room, compare};
use crate::{
    address::percent_encode,
    components::{
        checks,
        layout::{Answer, Figure, answer, capitalised, figures, note, part, raw, trail},
        moment, pack, rebuild,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, count, file_name, percent, seconds, seconds_figure, short},
    i18n::Lang,
    islands::verify::VerifyAlarm,
    portal::PageError,
    routes,
    view::{RunLink, RunView},
};

/// Loads a run.
pub async fn load(context: &PageContext, id: &str) -> Result<Ready, PageError> {
    let view = context.portal.run(id).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &RunView) -> Ready {
    let (lang, summary) = (context.lang, &view.summary);
    let network = file_name(&summary.network.source);
    let name = lang.tr("run-name", [("number", format!("{:04}", view.number).into())]);
    let (mut mark, mut word) = words::outcome(&code(&summary.outcome), lang);
    if summary.builder == BuilderKind::Simulated {
        // Whatever a simulated builder shows, it is nothing to be glad or sorry about.
        mark = if mark == State::Good { State::Neutral } else { mark };
        word = format!("{word}, {}", lang.code_text("builder", "simulated"));
    }
    let attempt = lang.tr("attempt", [("n", summary.run.attempt.to_string().into())]);
    let content = Answer {
        state: mark,
        word: word.clone(),
        about: std::iter::once(format!("{name}, {attempt}"))
            .chain(moment::lines(summary.started_at, lang))
            .collect(),
        headline: headline::headline(view, lang),
        lead: headline::lead(view, lang),
    };
    let by_network = percent_encode(network);
    let trail_links = vec![
        (routes::RUNS.to_owned(), lang.t("nav-runs")),
        (format!("{}?q={by_network}", routes::RUNS), short(network, 48)),
    ];
    let beside = view! {
        {figures(key_figures(view, lang), Some(checks::figure(&view.verification, lang)))}
        {actions(view, lang)}
    };
    let parts = [
        cancel::part(view, lang),
        facts::failure(view, lang),
        advice::part(view, lang),
        phases::part(view, lang),
        history::part(context, view),
        facts::part(view, lang),
        facts::settings(view, lang),
        files::artifacts(view, lang),
        files::timing_cache(view, lang),
        rebuilds(context, view),
        attempts(view, lang),
        acceptance(view, lang),
        checks::checks(context, view.entry, view.entry_digest, &view.verification),
        statement(view, lang),
    ];
    let title = format!("{}, {}, {word}", capitalised(&name), short(network, 48));
    let body = view! {
        {trail(trail_links, capitalised(&name), lang)}
        <VerifyAlarm/>
        {answer(content, beside.into_any())}
        {parts.collect_view()}
    };
    Ready { title, room: Room::Runs, island: true, body: body.into_any() }
}

/// Up to four figures; verification is the fifth.
fn key_figures(view: &RunView, lang: Lang) -> Vec<Figure> {
    let summary = &view.summary;
    let figure = |key: &str, ms: Option<f64>, note: String| Figure {
        label: lang.t(key),
        value: ms.map_or_else(|| NOTHING.to_owned(), |ms| seconds_figure(ms, lang)),
        unit: if ms.is_some() { "s" } else { "" },
        note,
    };
    let mut out = Vec::new();
    if let Some(cancel) = &summary.cancel {
        out.push(match (cancel.request_to_ack_ms, cancel.censored_after_ms) {
            (None, Some(ms)) => Figure {
                label: lang.t("figure-latency"),
                value: format!(">\u{a0}{}", seconds_figure(ms, lang)),
                unit: "s",
                note: lang.t("figure-censored"),
            },
            (ms, _) => figure(
                "figure-latency",
                ms,
                lang.t(if ms.is_some() { "figure-measured" } else { "figure-unmeasured" }),
            ),
        });
        if let Some(ms) = cancel.ack_to_return_ms {
            out.push(figure("figure-return", Some(ms), lang.t("figure-return-note")));
        }
        if let Some(ms) = cancel.ack_to_cleanup_ms {
            let note = words::cleanup(&code(&summary.cleanup_status), lang).1;
            out.push(figure("figure-cleanup", Some(ms), note));
        }
    }
    let build = headline::build_ms(summary);
    if summary.cancel.is_none() {
        match build {
            Some(ms) => out.push(figure("figure-build", Some(ms), parts_of_build(view, lang))),
            None => out.push(figure("figure-total", Some(summary.duration_ms.total), String::new())),
        }
    }
    if let Some(tree) = &summary.phase_tree {
        let share = build.and_then(|build| headline::share_of(tree.longest_silence_ms, build));
        let of_build = share
            .map(|share| lang.tr("figure-share", [("share", percent(share, lang).into())]))
            .unwrap_or_default();
        out.push(figure("figure-silence", Some(tree.longest_silence_ms), of_build));
        if out.len() < 4 {
            let callbacks = [("n", tree.callbacks.into()), ("shown", count(tree.callbacks, lang).into())];
            out.push(Figure {
                label: lang.t("figure-phases"),
                value: count(u64::from(tree.phases), lang),
                unit: "",
                note: lang.tr("figure-callbacks", callbacks),
            });
        }
    }
    out
}

fn parts_of_build(view: &RunView, lang: Lang) -> String {
    let durations = view.summary.duration_ms;
    durations
        .serialize
        .map_or_else(String::new, |ms| lang.tr("figure-serialize", [("duration", seconds(ms, lang).into())]))
}

fn bundle_link(view: &RunView, lang: Lang) -> AnyView {
    let route = view.summary.run.route.as_deref();
    let Some((bundle, route)) = view.bundle.zip(route) else { return ().into_any() };
    view! { <a href=routes::trace(bundle, route)>{lang.t("act-trace")}</a>" " }.into_any()
}

fn actions(view: &RunView, lang: Lang) -> AnyView {
    let entry = lang.tr("run-entry", [("entry", count(view.entry, lang).into())]);
    view! {
        <p class="acts">
            <a class="btn" href=routes::entry(view.entry)>{entry}</a>
            {bundle_link(view, lang)}
            {pack::links("run", &view.summary.run.id.to_string(), lang)}
            <a href=compare::address([view.summary.run.id.to_string().as_str()], false)>{lang.t("compare-link")}</a>
            <a href="#verified">{lang.t("run-how-verified")}</a>
            <a href="#h-statement">{lang.t("section-statement")}</a>
        </p>
    }
    .into_any()
}

/// Who built it again; nothing where the server could not tell.
fn rebuilds(context: &PageContext, view: &RunView) -> AnyView {
    let network = file_name(&view.summary.network.source);
    view.rebuilds.as_ref().map_or_else(|| ().into_any(), |it| rebuild::part(context, it, network))
}

/// The attempts before and after; a first and only attempt has none.
fn attempts(view: &RunView, lang: Lang) -> AnyView {
    if view.retry_of.is_none() && view.retried_by.is_empty() {
        return ().into_any();
    }
    let link = |link: &RunLink, key: &str| {
        let (mark, word) = words::outcome(&link.outcome, lang);
        let name = lang.tr("run-name", [("number", format!("{:04}", link.number).into())]);
        let attempt = lang.tr("attempt", [("n", link.attempt.to_string().into())]);
        view! {
            <li>
                {state(mark, word)}
                <div><p><a href=routes::run(&link.id)>{capitalised(&name)}</a>", "{attempt}", "{lang.t(key)}</p></div>
            </li>
        }
    };
    let before = view.retry_of.iter().map(|run| link(run, "attempt-before"));
    let after = view.retried_by.iter().map(|run| link(run, "attempt-after"));
    let body = view! { <ul class="checks">{before.chain(after).collect_view()}</ul> };
    let next = policy(view, lang);
    part("h-attempts", lang.t("section-attempts"), note(next), body.into_any())
}

/// Which scenario of the acceptance test made it.
fn acceptance(view: &RunView, lang: Lang) -> AnyView {
    let Some(link) = &view.acceptance else { return ().into_any() };
    let values = [
        ("role", lang.code_text("acceptance-role", &link.role).into()),
        ("scenario", lang.code_text("scenario", &link.scenario).into()),
    ];
    let to = lang.tr("acceptance-to-test", [("number", link.number.to_string().into())]);
    let body = view! {
        <p>{lang.tr("acceptance-of-run", values)}" "<a href=routes::acceptance(&link.id)>{to}</a></p>
    };
    part("h-acceptance", lang.t("acceptance-title"), note(String::new()), body.into_any())
}

/// What the recorded policy says should be done next.
fn policy(view: &RunView, lang: Lang) -> String {
    let policy = code(&view.summary.retry_policy);
    if view.summary.outcome == Outcome::Completed { String::new() } else { lang.code_text("policy", &policy) }
}

fn statement(view: &RunView, lang: Lang) -> AnyView {
    let body = view! {
        <details>
            <summary>{lang.t("statement-show")}</summary>
            {raw(lang.t("section-statement"), &view.statement, lang)}
        </details>
    };
    part("h-statement", lang.t("section-statement"), note(lang.t("statement-note")), body.into_any())
}
