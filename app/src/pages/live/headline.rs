//! What a build's page says first, and what a person who hears the page is told when it changes.

use acta_ledger::{
    evidence::code,
    judge::{
        baseline,
        live::{Standing, verdict::LiveVerdict},
    },
    live::{LiveCancel, LiveState, Stage},
};

use super::{name, seconds};
use crate::{components::verdict::beside, i18n::Lang, view::live::LiveBuildView};

/// From this silence on, the first sentence tells of it: below, callbacks come as they should.
const SILENT_NS: u64 = 1_000_000_000;

/// The first sentence.
pub fn headline(view: &LiveBuildView, lang: Lang) -> String {
    let Some(state) = &view.state else {
        let key =
            if view.standing == Standing::Vanished { "live-head-vanished-early" } else { "live-head-begins" };
        return lang.tr(key, [("ago", seconds(view.heard_ago_ms * 1_000_000, lang).into())]);
    };
    match view.standing {
        Standing::Ended => ended(view, state, lang),
        Standing::Vanished => {
            lang.tr("live-head-vanished", [("ago", seconds(view.heard_ago_ms * 1_000_000, lang).into())])
        }
        Standing::Running => match &state.cancel {
            Some(cancel) => cancelling(view, state, cancel, lang),
            None if view.request.is_some() => lang.t("live-head-sent"),
            None => running(view, state, lang),
        },
    }
}

fn ended(view: &LiveBuildView, state: &LiveState, lang: Lang) -> String {
    let outcome = state.end.map(|end| lang.code_text("outcome", &code(&end.outcome))).unwrap_or_default();
    let key = if view.logged.is_some() { "live-head-ended" } else { "live-head-ended-unlogged" };
    lang.tr(key, [("outcome", outcome.into())])
}

fn running(view: &LiveBuildView, state: &LiveState, lang: Lang) -> String {
    let elapsed = seconds(view.elapsed_ns().unwrap_or(0), lang);
    let silence = view.silence_ns().filter(|&ns| ns >= SILENT_NS);
    match (state.stage, silence, view.inner_phase()) {
        (Stage::Building, Some(silence), Some(phase)) => lang.tr(
            "live-head-silent",
            [
                ("elapsed", elapsed.into()),
                ("silence", seconds(silence, lang).into()),
                ("phase", name(&phase.name).into()),
            ],
        ),
        (Stage::Building, None, Some(phase)) => {
            lang.tr("live-head-moves", [("elapsed", elapsed.into()), ("phase", name(&phase.name).into())])
        }
        (Stage::Serializing, ..) => {
            let silence = seconds(view.silence_ns().unwrap_or(0), lang);
            lang.tr("live-head-serializes", [("elapsed", elapsed.into()), ("silence", silence.into())])
        }
        (stage, ..) => {
            let stage = lang.code_text("live-stage", &code(&stage));
            lang.tr("live-head-stage", [("elapsed", elapsed.into()), ("stage", stage.into())])
        }
    }
}

fn cancelling(view: &LiveBuildView, state: &LiveState, cancel: &LiveCancel, lang: Lang) -> String {
    let now = state.now.0 + view.since_ns();
    let since = |at: u64| seconds(now.saturating_sub(at), lang);
    if let Some(returned) = cancel.returned {
        return lang.tr("live-head-returned", [("since", since(returned.0).into())]);
    }
    if let Some(acknowledged) = cancel.acknowledged {
        let latency = seconds(acknowledged.0.saturating_sub(cancel.requested.0), lang);
        return lang.tr("live-head-acknowledged", [("latency", latency.into())]);
    }
    if let Some(window) = cancel.held_by {
        let window = lang.code_text("live-window", &code(&window));
        return lang.tr("live-head-held", [("window", window.into())]);
    }
    let since = since(cancel.requested.0);
    match view.inner_phase() {
        Some(phase) => {
            lang.tr("live-head-waits", [("since", since.into()), ("phase", name(&phase.name).into())])
        }
        None => lang.tr("live-head-waits-unseen", [("since", since.into())]),
    }
}

/// What follows from it.
pub fn lead(view: &LiveBuildView, lang: Lang) -> Vec<String> {
    let Some(state) = view.state.as_ref().filter(|_| view.standing == Standing::Running) else {
        return match view.standing {
            Standing::Vanished => vec![lang.t("live-lead-vanished")],
            Standing::Running | Standing::Ended => Vec::new(),
        };
    };
    let silent = view.silence_ns().is_some_and(|ns| ns >= SILENT_NS);
    let usual = view
        .verdict
        .as_ref()
        .filter(|found| found.stuck.is_silent)
        .map(|found| lang.tr("reason-silence", [("found", beside(&found.stuck.silence, lang).into())]));
    let rule = match (state.cancel.is_some(), state.stage) {
        (true, _) => Some(lang.t("live-lead-cancel")),
        (false, Stage::Building) if silent => Some(lang.t("live-lead-silent")),
        _ => None,
    };
    usual.into_iter().chain(rule).collect()
}

/// What is told when it changes: where the build is, in words that stay the same while it stays there.
pub fn announcement(view: &LiveBuildView, lang: Lang) -> String {
    match (&view.state, view.standing) {
        (_, Standing::Vanished) => lang.t("live-say-vanished"),
        (Some(state), Standing::Ended) => ended(view, state, lang),
        (Some(state), Standing::Running) => match &state.cancel {
            Some(cancel) => lang.t(moment(cancel)),
            None => match view.inner_phase() {
                Some(phase) => lang.tr(said(view.verdict.as_ref()), [("phase", name(&phase.name).into())]),
                None => lang.code_text("live-stage", &code(&state.stage)),
            },
        },
        (None, _) => lang.code_text("live-stage", "starting"),
    }
}

/// What is said of the phase that the build is in: how its silence stands, where that is unusual.
fn said(verdict: Option<&LiveVerdict>) -> &'static str {
    let silence = verdict.filter(|found| found.stuck.is_silent).map(|found| found.stuck.silence.standing);
    match silence {
        Some(baseline::Standing::BeyondP95) => "live-say-unusual",
        Some(baseline::Standing::BeyondLongest) => "live-say-longest",
        Some(baseline::Standing::TooSmall | baseline::Standing::Within) | None => "live-say-phase",
    }
}

fn moment(cancel: &LiveCancel) -> &'static str {
    match cancel {
        LiveCancel { cleaned: Some(_), .. } => "live-say-cleaned",
        LiveCancel { returned: Some(_), .. } => "live-say-returned",
        LiveCancel { acknowledged: Some(_), .. } => "live-say-acknowledged",
        LiveCancel { delivered: Some(_), .. } => "live-say-delivered",
        _ => "live-say-requested",
    }
}
