//! The advice in words; the judgement has only codes.

use acta_ledger::{
    evidence::{cancel::NoCancelWindow, code},
    judge::{
        advice::{DiagnosisStep, Question, Reason},
        baseline::{Comparison, Standing},
        stuck::{StuckVerdict, Wait},
    },
};

use crate::format::time;

/// What a no-cancel window held a request back for.
pub fn window(window: NoCancelWindow) -> &'static str {
    match window {
        NoCancelWindow::ArtifactWrite => "the artifact was being written",
        NoCancelWindow::Cleanup => "files were being cleaned up",
        NoCancelWindow::EvidenceAtRisk => "the evidence was not on disk yet",
        NoCancelWindow::NoRollbackRoute => "production would have had no way back",
    }
}

/// How a silence stands beside those of earlier builds, in half a sentence.
pub fn silence(found: &Comparison) -> String {
    let seen = found.longest_ms.map_or_else(
        || "none of its kind is on record".to_owned(),
        |longest| format!("longest seen {} in {} builds", time(longest), found.n),
    );
    match found.standing {
        Standing::TooSmall if found.n == 0 => seen,
        Standing::TooSmall => format!("{seen}, too few to judge by"),
        Standing::Within => format!("as usual ({seen})"),
        Standing::BeyondP95 => format!("unusual, and seen before ({seen})"),
        Standing::BeyondLongest => format!("longer than ever ({seen})"),
    }
}

/// A value beside what is usual.
fn beside(found: &Comparison) -> String {
    let value = time(found.value_ms);
    let seen = found.longest_ms.map_or_else(
        || "never seen before".to_owned(),
        |longest| format!("longest seen {} in {} builds", time(longest), found.n),
    );
    let p95 = found.p95_ms.map_or_else(String::new, |p95| format!("95th percentile {}, ", time(p95)));
    match found.standing {
        Standing::TooSmall => {
            format!("{value}; {seen}; {} builds are needed before that says anything", found.needed)
        }
        Standing::Within => format!("{value}, as usual ({p95}{seen})"),
        Standing::BeyondP95 => format!("{value}, unusual and seen before ({p95}{seen})"),
        Standing::BeyondLongest => format!("{value}, longer than ever ({p95}{seen})"),
    }
}

/// A verdict in up to four lines.
pub fn verdict(verdict: &StuckVerdict) -> Vec<String> {
    let place = if verdict.place.path.is_empty() {
        "in no phase: the library serializes, or has not begun".to_owned()
    } else {
        verdict.place.path.join(" > ")
    };
    let waiting = match (verdict.wait, verdict.is_silent) {
        (Wait::NotAsked, _) => None,
        (Wait::NoAcknowledgementYet { waited_ms }, true) => {
            Some(format!("no acknowledgement yet after {}, the phase is silent", time(waited_ms)))
        }
        (Wait::NoAcknowledgementYet { waited_ms }, false) => {
            Some(format!("no acknowledgement yet after {}", time(waited_ms)))
        }
        (Wait::Acknowledged { after_ms }, _) => Some(format!("acknowledged after {}", time(after_ms))),
        (Wait::NeverAcknowledged { waited_ms }, _) => {
            Some(format!("never acknowledged, more than {}", time(waited_ms)))
        }
    };
    let mut lines = vec![
        format!("where     {place}"),
        format!("silent    {}", beside(&verdict.silence)),
        format!("in phase  {}", beside(&verdict.duration)),
    ];
    lines.extend(waiting.map(|waiting| format!("cancel    {waiting}")));
    lines
}

/// A question.
pub fn question(question: Question) -> &'static str {
    match question {
        Question::Continue => "Should it continue?",
        Question::Cancel => "Should it be cancelled?",
        Question::RetryWithCache => "Should a retry use the timing cache?",
        Question::GoBack => "Should the system go back to a known engine?",
    }
}

/// A reason.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::RunOver { outcome } => format!("the run is over: {}", code(outcome).replace('_', " ")),
        Reason::RunNotOver => "the run goes on".to_owned(),
        Reason::CancelPending { waited_ms } => {
            format!("a cancel is on its way for {}; no step has answered yet", time(*waited_ms))
        }
        Reason::CancelAcknowledged { after_ms } => {
            format!("a cancel was acknowledged after {}", time(*after_ms))
        }
        Reason::Silence(found) => format!("silent for {}", beside(found)),
        Reason::Duration(found) => format!("in this phase for {}", beside(found)),
        Reason::NoSituation => "no callback is on record: where it is, is not known".to_owned(),
        Reason::NoBaseline => "no completed build of this kind is on record".to_owned(),
        Reason::SparseProgressAlone => {
            "nothing moves, and nothing else speaks against the build: that alone is no reason".to_owned()
        }
        Reason::DeepPhase { depth } => format!("the phase is deep (level {depth})"),
        Reason::TacticSearch => "the phase times tactics, which can take long".to_owned(),
        Reason::ColdCache => "the timing cache is cold".to_owned(),
        Reason::TypingChanged => "the network is typed otherwise than the last one from this file".to_owned(),
        Reason::NetworkChanged => "the network differs from the last one from this file".to_owned(),
        Reason::NewSku { gpu_sku } => format!("this network was never built for this GPU ({gpu_sku})"),
        Reason::WorkerIdle { busy_per_mille } => format!(
            "the worker used next to no processor during the silence ({:.1} %)",
            f64::from(*busy_per_mille) / 10.0
        ),
        Reason::WorkerBusy { busy_per_mille } => {
            format!("the worker works ({:.0} % of one processor)", f64::from(*busy_per_mille) / 10.0)
        }
        Reason::SamePhaseTwice { place } => {
            format!("the attempt before stopped in the same phase: {}", place.path.join(" > "))
        }
        Reason::CacheProven { mode } => {
            format!("the cache was in use and its entries are proven ({})", code(mode))
        }
        Reason::CacheNotUsable { mode } => {
            format!("the cache is not to be used ({})", code(mode).replace('_', " "))
        }
        Reason::EngineCameOut => "an engine came out".to_owned(),
        Reason::CancelIgnored => {
            "an engine came out although a cancel was asked for: somebody has to say whether it may be used"
                .to_owned()
        }
        Reason::StoppedOnce => "it stopped once: it is tried again first".to_owned(),
        Reason::KnownEngine { run, plan } => {
            format!("a known engine is on record: sha256 {} of run {run}", plan.short())
        }
        Reason::NoKnownEngine => "no engine for the same purpose is on record".to_owned(),
    }
}

/// A step of the diagnosis.
pub fn step(step: DiagnosisStep) -> &'static str {
    match step {
        DiagnosisStep::KeepLogsAndConfiguration => {
            "keep logs and configuration (they are in the evidence; --evidence-dir writes them as files)"
        }
        DiagnosisStep::NarrowTacticSearch => {
            "narrow the tactic search for diagnosis: a lower --opt-level, fewer --target, a smaller --profile"
        }
        DiagnosisStep::ReviewCacheAssumptions => {
            "review what is assumed of the timing cache: acta cache list, --timing-cache-policy off"
        }
        DiagnosisStep::TestOnTargetSku => "test on the GPU that the engine is for",
    }
}
