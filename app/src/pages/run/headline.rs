//! The run's first sentence, and what follows from it.

use acta_ledger::{
    evidence::{
        artifact::{CleanupStatus, Disposition},
        build::{BuildSummary, BuilderKind, Outcome, ValidationStatus},
        cancel::CancelRecord,
        code,
        number::ms,
    },
    judge::{
        headline::{WaitCause, wait_cause},
        silence::share,
    },
};

use crate::{
    format::{bytes, count, percent, seconds, short},
    i18n::Lang,
    view::RunView,
};

/// The build call, serialization included; none if it was not reached.
pub fn build_ms(summary: &BuildSummary) -> Option<f64> {
    let durations = summary.duration_ms;
    durations.build.map(|build| build + durations.serialize.unwrap_or(0.0))
}

/// A part's share of the build.
pub fn share_of(part: f64, build: f64) -> Option<f64> {
    share(part, build)
}

/// What happened, the number that decides, and its cause.
pub fn headline(view: &RunView, lang: Lang) -> String {
    let summary = &view.summary;
    let total = seconds(summary.duration_ms.total, lang);
    match (summary.outcome, &summary.cancel) {
        (Outcome::Cancelled, Some(cancel)) => cancelled(view, cancel, lang),
        (Outcome::Cancelled, None) => lang.t("headline-cancelled-outside"),
        (Outcome::Completed, _) => completed(summary, lang),
        (Outcome::CancelRequestedButCompleted, cancel) => too_late(view, cancel.as_ref(), lang),
        (Outcome::Failed, _) => {
            let stage = summary.failure.as_ref().map(|failure| code(&failure.stage));
            let cause = lang.code_text("failed-because", stage.as_deref().unwrap_or("unknown"));
            lang.tr("headline-failed", [("duration", total.into()), ("cause", cause.into())])
        }
        (Outcome::Crashed, _) => {
            let signal = summary.failure.as_ref().and_then(|failure| failure.signal);
            match signal {
                Some(signal) => {
                    let values = [("duration", total.into()), ("signal", signal_name(signal).into())];
                    lang.tr("headline-crashed-signal", values)
                }
                None => lang.tr("headline-crashed", [("duration", total.into())]),
            }
        }
        (Outcome::Killed, Some(cancel)) => killed(view, cancel, lang),
        (Outcome::Killed, None) => lang.tr("headline-killed-plain", [("duration", total.into())]),
    }
}

fn cancelled(view: &RunView, cancel: &CancelRecord, lang: Lang) -> String {
    let Some(latency) = cancel.request_to_ack_ms else {
        return lang.t("headline-cancelled-outside");
    };
    let latency = seconds(latency, lang);
    match because(wait_cause(cancel, view.tree.as_ref()), lang) {
        Some(cause) => {
            lang.tr("headline-cancelled-because", [("latency", latency.into()), ("cause", cause.into())])
        }
        None => lang.tr("headline-cancelled", [("latency", latency.into())]),
    }
}

/// What may stand behind "because"; nothing where no recorded fact explains the wait.
fn because(cause: WaitCause<'_>, lang: Lang) -> Option<String> {
    match cause {
        WaitCause::Prompt | WaitCause::Unknown => None,
        WaitCause::Silence { length_ns, .. } => {
            Some(lang.tr("because-silence", [("duration", seconds(ms(length_ns), lang).into())]))
        }
        WaitCause::NoStepEnded => Some(lang.t("because-no-step")),
        WaitCause::Deferred(deferral) => {
            let values = [
                ("duration", seconds(deferral.deferred_ms, lang).into()),
                ("window", lang.code_text("window", &code(&deferral.window)).into()),
            ];
            Some(lang.tr("because-deferred", values))
        }
    }
}

fn completed(summary: &BuildSummary, lang: Lang) -> String {
    let build = build_ms(summary).unwrap_or(summary.duration_ms.total);
    let duration = seconds(build, lang);
    let silence = summary.phase_tree.as_ref().map(|tree| tree.longest_silence_ms);
    match silence.and_then(|silence| Some((silence, share(silence, build)?))) {
        Some((silence, share)) => {
            let values = [
                ("duration", duration.into()),
                ("silence", seconds(silence, lang).into()),
                ("share", percent(share, lang).into()),
            ];
            lang.tr("headline-completed-silence", values)
        }
        None => lang.tr("headline-completed", [("duration", duration.into())]),
    }
}

fn too_late(view: &RunView, cancel: Option<&CancelRecord>, lang: Lang) -> String {
    let acknowledged = cancel.and_then(|cancel| cancel.request_to_ack_ms);
    let took = cancel.and_then(|cancel| {
        let (from, to) = (cancel.requested_offset_ns?, cancel.returned_offset_ns?);
        Some(ms(to.0.checked_sub(from.0)?))
    });
    match (acknowledged, took.or(cancel.and_then(|cancel| cancel.censored_after_ms))) {
        (Some(latency), _) => {
            lang.tr("headline-too-late-answered", [("latency", seconds(latency, lang).into())])
        }
        (None, Some(took)) => {
            let took = seconds(took, lang);
            match cancel.and_then(|cancel| because(wait_cause(cancel, view.tree.as_ref()), lang)) {
                Some(cause) => {
                    let values = [("duration", took.into()), ("cause", cause.into())];
                    lang.tr("headline-too-late-because", values)
                }
                None => lang.tr("headline-too-late", [("duration", took.into())]),
            }
        }
        (None, None) => lang.t("headline-too-late-plain"),
    }
}

fn killed(view: &RunView, cancel: &CancelRecord, lang: Lang) -> String {
    let waited = cancel.censored_after_ms.or(cancel.request_to_ack_ms);
    let waited = waited.unwrap_or(view.summary.duration_ms.total);
    let values = [("duration", seconds(waited, lang).into())];
    lang.tr(
        if cancel.request_to_ack_ms.is_some() { "headline-killed-answered" } else { "headline-killed" },
        values,
    )
}

/// What stands below the headline: what is left, what it is worth, what the record lacks.
pub fn lead(view: &RunView, lang: Lang) -> Vec<String> {
    let summary = &view.summary;
    let mut out = Vec::new();
    if summary.builder == BuilderKind::Simulated {
        out.push(lang.t("lead-simulated"));
    }
    if let Some(failure) = &summary.failure {
        out.push(lang.tr("lead-message", [("message", short(&failure.message, 240).into())]));
    }
    match summary.plan() {
        Some(plan) => {
            out.push(lang.tr("lead-plan", [("bytes", bytes(plan.bytes, lang).into())]));
            out.push(lang.t(match summary.validation_status {
                ValidationStatus::Pass => "lead-validation-pass",
                ValidationStatus::Fail => "lead-validation-fail",
                ValidationStatus::Pending | ValidationStatus::NotApplicable => "lead-validation-pending",
            }));
        }
        None => out.push(left_behind(summary, lang)),
    }
    if let Some(tree) = summary.phase_tree.as_ref().filter(|tree| tree.lost_events > 0) {
        let values = [("n", tree.lost_events.into()), ("shown", count(tree.lost_events, lang).into())];
        out.push(lang.tr("lead-lost", values));
    }
    out
}

fn left_behind(summary: &BuildSummary, lang: Lang) -> String {
    let of = |disposition: Disposition| {
        summary.artifacts.iter().filter(|artifact| artifact.disposition == disposition).count()
    };
    let (removed, quarantined) = (of(Disposition::Removed), of(Disposition::Quarantined));
    let key = match summary.cleanup_status {
        CleanupStatus::Failed => "lead-cleanup-failed",
        CleanupStatus::NotNeeded if removed + quarantined == 0 => "lead-nothing-left",
        _ if quarantined > 0 => "lead-quarantined",
        _ => "lead-cleaned",
    };
    lang.tr(key, [("removed", removed.into()), ("quarantined", quarantined.into())])
}

/// A signal as people write it.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        _ => return signal.to_string(),
    };
    format!("{signal} ({name})")
}
