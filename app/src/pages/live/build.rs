//! One build that runs: what it is doing, for how long it has said nothing, and the way to stop it.
//!
//! What changes while a person looks stands in parts of their own ([`parts`]); the page and the stream that keeps it up
//! to date are made of the same ones.

use acta_ledger::{
    judge::live::Standing,
    live::{LiveState, Stage},
};
use leptos::prelude::*;

use super::{
    super::{Ready, Room},
    cancel, headline, is_paused, name, standing, tenths, tree,
};
use crate::{
    components::{
        layout::{Answer, Figure, answer, figures, note, part, trail},
        moment,
        verdict::verdict,
    },
    context::PageContext,
    format::{NOTHING, bytes, count, number, percent, short},
    i18n::Lang,
    islands::live::{Follow, Task, Texts},
    portal::PageError,
    routes,
    view::live::LiveBuildView,
};

/// Loads a build.
pub async fn load(context: &PageContext, run: &str) -> Result<Ready, PageError> {
    let view = context.portal.live_build(run).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &LiveBuildView) -> Ready {
    let lang = context.lang;
    let model = name(&view.build.model);
    let [answer, verdict, tree, moments, ask] =
        parts(view, lang).map(|(id, content)| view! { <div id=id>{content}</div> }.into_any());
    let body = view! {
        {trail(vec![(routes::LIVE.to_owned(), lang.t("nav-live"))], model.clone(), lang)}
        {answer}
        <Follow task=task(context, view)/>
        {verdict}
        {tree}
        {moments}
        {ask}
    };
    // A build that is over is nothing to keep up with.
    let room = if view.is_over() { Room::Runs } else { Room::Live };
    let title = lang.tr("live-build-title", [("model", model.into())]);
    Ready { title, room, island: true, body: body.into_any() }
}

/// The parts of the page that change, each with the id of the element that it fills.
pub fn parts(view: &LiveBuildView, lang: Lang) -> [(&'static str, AnyView); 5] {
    [
        ("live-answer", answer_part(view, lang)),
        ("live-verdict", verdict_part(view, lang)),
        ("live-tree", tree_part(view, lang)),
        ("live-moments", moments_part(view, lang)),
        ("live-ask", ask_part(view, lang)),
    ]
}

fn answer_part(view: &LiveBuildView, lang: Lang) -> AnyView {
    let (mark, word) = standing(view, lang);
    let route = view.build.route.as_deref().map(|route| short(route, 80));
    let about = std::iter::once(name(&view.build.model)).chain(route);
    let content = Answer {
        state: mark,
        word,
        about: about.chain(moment::lines(view.build.started_at, lang)).collect(),
        headline: headline::headline(view, lang),
        lead: headline::lead(view, lang),
    };
    let signed = view.logged.as_ref().map(|run| {
        view! { <p class="acts"><a class="btn" href=routes::run(&run.id)>{lang.t("live-to-run")}</a></p> }
    });
    let key_figures = view.state.as_ref().map(|state| figures(key_figures(view, state, lang), None));
    answer(content, view! { {key_figures}{signed} }.into_any())
}

/// Silence of the library, silence of the agent and slowness are three things, and stand apart.
fn key_figures(view: &LiveBuildView, state: &LiveState, lang: Lang) -> Vec<Figure> {
    let running = view.standing == Standing::Running;
    let figure = |key: &str, value: Option<String>, unit: &'static str, note: String| Figure {
        label: lang.t(key),
        unit: if value.is_some() { unit } else { "" },
        value: value.unwrap_or_else(|| NOTHING.to_owned()),
        note,
    };
    let ago = |ns: Option<u64>| ns.filter(|_| running).map(|ns| tenths(ns, lang));
    let inner = view.inner_phase().filter(|_| running);
    let steps = inner.map(|phase| {
        let (done, all) = (phase.steps_completed, phase.steps_announced.max(0).unsigned_abs());
        lang.tr("live-figure-steps", [("done", count(done, lang).into()), ("of", count(all, lang).into())])
    });
    let rate =
        state.steps_per_s.filter(|_| running).map(|rate| number(rate, if rate < 10.0 { 1 } else { 0 }, lang));
    let cores = state.usage.cores.filter(|_| running).map(|cores| percent(cores, lang));
    let memory =
        state.usage.rss_bytes.map(|rss| lang.tr("live-figure-rss", [("rss", bytes(rss, lang).into())]));
    let heard = tenths(view.heard_ago_ms * 1_000_000, lang);
    let heard_note = lang.t(if running { "live-figure-connected" } else { "live-figure-silent" });
    vec![
        figure("live-figure-callback", ago(view.silence_ns()), "s", lang.t("live-figure-library")),
        figure("live-figure-heard", Some(heard), "s", heard_note),
        figure(
            "live-figure-phase",
            ago(inner.map(|phase| view.phase_ns(phase))),
            "s",
            steps.unwrap_or_default(),
        ),
        figure("live-figure-rate", rate, "", lang.t("live-figure-rate-note")),
        figure("live-figure-cores", cores, "", memory.unwrap_or_default()),
    ]
}

/// How it stands beside earlier builds; where that cannot be said, why not.
fn verdict_part(view: &LiveBuildView, lang: Lang) -> AnyView {
    let building = view.state.as_ref().is_some_and(|state| state.stage == Stage::Building);
    let body = match &view.verdict {
        Some(found) => verdict(&found.stuck, lang.t("section-live-verdict"), lang),
        None if building && view.standing == Standing::Running => {
            view! { <p class="quiet">{lang.t("live-verdict-unknown")}</p> }.into_any()
        }
        None => return ().into_any(),
    };
    part("h-verdict", lang.t("section-live-verdict"), note(lang.t("live-verdict-note")), body)
}

fn tree_part(view: &LiveBuildView, lang: Lang) -> AnyView {
    let Some(tree) = tree::tree(view, lang) else {
        return ().into_any();
    };
    let all = view.state.as_ref().map_or(0, |state| state.phase_count);
    let shown = view.state.as_ref().map_or(0, |state| state.phases.len() as u64);
    let text = if shown < all {
        lang.tr("live-tree-some", [("shown", count(shown, lang).into()), ("all", count(all, lang).into())])
    } else {
        lang.t("live-tree-all")
    };
    part("h-tree", lang.t("section-live-tree"), note(text), tree)
}

fn moments_part(view: &LiveBuildView, lang: Lang) -> AnyView {
    match cancel::moments(view, lang) {
        Some(moments) => {
            part("h-moments", lang.t("section-cancel"), note(lang.t("live-moments-note")), moments)
        }
        None => ().into_any(),
    }
}

fn ask_part(view: &LiveBuildView, lang: Lang) -> AnyView {
    if view.standing == Standing::Ended {
        return ().into_any();
    }
    let may = lang.t(if view.may_cancel { "cancel-you-may" } else { "cancel-you-may-not" });
    part("h-ask", lang.t("section-ask"), note(may), cancel::ask(view, lang))
}

fn task(context: &PageContext, view: &LiveBuildView) -> Task {
    let lang = context.lang;
    let run = view.build.run;
    Task {
        events: routes::live_events(run, "page", lang.code()),
        page: routes::live_build(run),
        paused: is_paused(context),
        over: view.is_over(),
        announce: headline::announcement(view, lang),
        texts: Texts {
            pause: lang.t("live-pause"),
            resume: lang.t("live-resume"),
            refresh: lang.t("live-refresh"),
            plain: lang.t(if is_paused(context) { "live-paused" } else { "live-plain" }),
            following: lang.t("live-following"),
            paused: lang.t("live-paused"),
            lost: lang.t("live-lost"),
            over: lang.t("live-over"),
        },
    }
}
