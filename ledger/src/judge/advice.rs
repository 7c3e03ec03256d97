//! Advice on a build: the four questions that somebody has to answer when a terminal stops moving. Advice, not automation.
//!
//! Each answer is `yes`, `no` or `evidence_missing`, with its reasons as codes and the entries that it rests on. That
//! nothing moves is never a reason to cancel. Before a silence counts at all it must be longer than every one that was
//! seen in this phase in enough builds of the same kind; then what explains it is weighed (a changed network, a new GPU,
//! a cold cache, a deep phase, a tactic search), and something beside the silence must speak for "stuck": the phase takes
//! longer than ever, the worker uses no processor, or the attempt before stopped in this very phase. A deep phase or a
//! tactic search asks for two such facts.

mod facts;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use facts::RunFacts;

use super::{
    baseline::{Baseline, CacheClass, Comparison, EntryRef, Place, Standing},
    stuck::{StuckVerdict, Wait, verdict},
};
use crate::{
    evidence::{
        build::{BuilderKind, Outcome},
        timing_cache::TimingCacheMode,
    },
    log::digest::Sha256Digest,
};

/// From this depth on a phase is deep; a root has depth 0.
const DEEP: usize = 3;

/// How many entries of a baseline an answer lists.
const MAX_LISTED: usize = 20;

/// A worker that used less of a processor than this, in thousandths, was idle.
const IDLE_PER_MILLE: u32 = 20;

/// The four questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Should the build continue?
    Continue,
    /// Should it be cancelled?
    Cancel,
    /// Should a retry use the timing cache?
    RetryWithCache,
    /// Should the system go back to a known engine?
    GoBack,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Yes.
    Yes,
    /// No.
    No,
    /// What is on record does not say.
    EvidenceMissing,
}

/// Why. Whoever shows it has the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "code")]
pub enum Reason {
    /// The run is over.
    RunOver {
        /// How it ended.
        outcome: Outcome,
    },
    /// The run goes on.
    RunNotOver,
    /// Somebody asked already, and no step has answered yet.
    CancelPending {
        /// Since the request.
        waited_ms: f64,
    },
    /// Somebody asked, and a step answered "stop".
    CancelAcknowledged {
        /// From the request to the answer.
        after_ms: f64,
    },
    /// How long it is silent, beside what is usual.
    Silence(Comparison),
    /// How long it is in the phase, beside what is usual.
    Duration(Comparison),
    /// Where it is, is not known.
    NoSituation,
    /// No build of this kind is on record.
    NoBaseline,
    /// Nothing moves, and nothing else speaks against the build.
    SparseProgressAlone,
    /// The phase is deep.
    DeepPhase {
        /// How deep; a root has depth 0.
        depth: usize,
    },
    /// The phase times tactics.
    TacticSearch,
    /// The timing cache is cold.
    ColdCache,
    /// The network's element types are bound otherwise than before.
    TypingChanged,
    /// The network is not the one that was built before.
    NetworkChanged,
    /// No build of this network is on record for this GPU.
    NewSku {
        /// The GPU.
        gpu_sku: String,
    },
    /// The worker used next to no processor during the silence.
    WorkerIdle {
        /// Of one processor, in thousandths.
        busy_per_mille: u32,
    },
    /// The worker worked during the silence.
    WorkerBusy {
        /// Of one processor, in thousandths.
        busy_per_mille: u32,
    },
    /// The attempt before stopped in the same phase.
    SamePhaseTwice {
        /// Where.
        place: Place,
    },
    /// The cache was in use and its entries can be vouched for.
    CacheProven {
        /// What became of it.
        mode: TimingCacheMode,
    },
    /// The cache is of no use here, or must not be used.
    CacheNotUsable {
        /// What became of it.
        mode: TimingCacheMode,
    },
    /// An engine came out.
    EngineCameOut,
    /// An engine came out although a cancel was asked for: somebody has to say whether it may be used.
    CancelIgnored,
    /// It stopped once: it is tried again first.
    StoppedOnce,
    /// An engine for the same purpose is on record.
    KnownEngine {
        /// The run that built it.
        run: Uuid,
        /// The plan.
        plan: Sha256Digest,
    },
    /// No engine for the same purpose is on record.
    NoKnownEngine,
}

/// What to do before a third attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosisStep {
    /// Keep logs and configuration.
    KeepLogsAndConfiguration,
    /// Narrow the tactic search for diagnosis.
    NarrowTacticSearch,
    /// Review what is assumed of the timing cache.
    ReviewCacheAssumptions,
    /// Test on the target SKU.
    TestOnTargetSku,
}

/// The steps, in their order.
pub const DIAGNOSIS: [DiagnosisStep; 4] = [
    DiagnosisStep::KeepLogsAndConfiguration,
    DiagnosisStep::NarrowTacticSearch,
    DiagnosisStep::ReviewCacheAssumptions,
    DiagnosisStep::TestOnTargetSku,
];

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerTo {
    /// The question.
    pub question: Question,
    /// The answer.
    pub answer: Verdict,
    /// Why, the weightiest first.
    pub reasons: Vec<Reason>,
    /// The entries that it rests on.
    pub rests_on: Vec<EntryRef>,
}

/// All that can be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// The run.
    pub run: Uuid,
    /// Whether it is stuck or only silent; none where nothing is known of its phases.
    pub verdict: Option<StuckVerdict>,
    /// The four answers.
    pub answers: Vec<AnswerTo>,
    /// What to do before a third attempt, where two stopped in the same phase.
    pub diagnosis: Vec<DiagnosisStep>,
}

/// Answers the four questions about a run. `history`: other runs, oldest first; `baseline`: of builds like this one.
pub fn advise(run: &RunFacts, history: &[RunFacts], baseline: &Baseline) -> Advice {
    let case =
        Case { run, history, baseline, verdict: run.situation.as_ref().map(|it| verdict(it, baseline)) };
    let twice = case.twice();
    Advice {
        run: run.run,
        answers: vec![case.go_on(), case.cancel(), case.retry_with_cache(), case.go_back()],
        diagnosis: if twice.is_some() { DIAGNOSIS.to_vec() } else { Vec::new() },
        verdict: case.verdict,
    }
}

/// The attempt before this one that stopped in the same phase, if nothing of this kind completed in between.
pub fn stopped_before<'a>(run: &RunFacts, place: &Place, history: &'a [RunFacts]) -> Option<&'a RunFacts> {
    let kin = |other: &&RunFacts| other.run != run.run && is_kin(run, other);
    let before = history.iter().filter(kin).rfind(|other| other.outcome.is_some())?;
    (before.stopped() && before.stopped_in.as_ref() == Some(place)).then_some(before)
}

/// The newest engine that was built for the same purpose: the same route, or the same place for the plan.
pub fn known_engine<'a>(run: &RunFacts, history: &'a [RunFacts]) -> Option<&'a RunFacts> {
    let same_purpose = |other: &RunFacts| match (&run.route, &other.route) {
        (Some(a), Some(b)) => a == b,
        _ => !run.output.is_empty() && run.output == other.output,
    };
    // What a simulated builder made is no engine.
    let real = |other: &RunFacts| {
        other.key.builder != BuilderKind::Simulated || other.key.builder == run.key.builder
    };
    let usable =
        |other: &&RunFacts| other.outcome == Some(Outcome::Completed) && other.plan.is_some() && real(other);
    history.iter().filter(usable).rfind(|other| other.run != run.run && same_purpose(other))
}

/// Whether two runs are attempts at the same thing.
fn is_kin(run: &RunFacts, other: &RunFacts) -> bool {
    run.retry_of == Some(other.run)
        || other.retry_of.is_some() && run.retry_of == other.retry_of
        || run.key.build_config_hash == other.key.build_config_hash && run.key.gpu_sku == other.key.gpu_sku
}

struct Case<'a> {
    run: &'a RunFacts,
    history: &'a [RunFacts],
    baseline: &'a Baseline,
    verdict: Option<StuckVerdict>,
}

impl Case<'_> {
    fn answer(&self, question: Question, answer: Verdict, reasons: Vec<Reason>) -> AnswerTo {
        let mut rests_on: Vec<EntryRef> = self.run.entry.into_iter().collect();
        let entry_of = |run: Uuid| self.history.iter().find(|other| other.run == run)?.entry;
        for reason in &reasons {
            match reason {
                Reason::Silence(_) | Reason::Duration(_) => {
                    let newest = self.baseline.entries().iter().rev().take(MAX_LISTED);
                    rests_on.extend(newest);
                }
                Reason::KnownEngine { run, .. } => rests_on.extend(entry_of(*run)),
                Reason::SamePhaseTwice { .. } => rests_on.extend(self.twice().and_then(|other| other.entry)),
                Reason::TypingChanged | Reason::NetworkChanged => {
                    rests_on.extend(self.last_of_source().and_then(|other| other.entry));
                }
                _ => {}
            }
        }
        let mut seen = Vec::new();
        rests_on.retain(|entry| {
            let new = !seen.contains(&entry.digest);
            seen.push(entry.digest);
            new
        });
        AnswerTo { question, answer, reasons, rests_on }
    }

    /// Where the run is or stopped.
    fn place(&self) -> Option<&Place> {
        let now = || self.run.situation.as_ref().map(|situation| &situation.place);
        if self.run.outcome.is_some() { self.run.stopped_in.as_ref() } else { now() }
    }

    /// The attempt before, if it stopped in the same phase.
    fn twice(&self) -> Option<&RunFacts> {
        if self.run.has_engine() {
            return None;
        }
        stopped_before(self.run, self.place()?, self.history)
    }

    /// The last run that was built from the same file.
    fn last_of_source(&self) -> Option<&RunFacts> {
        self.history.iter().rfind(|other| other.run != self.run.run && other.source == self.run.source)
    }

    /// Should it continue? The mirror of "cancel", but for a run that is over or was asked to stop.
    fn go_on(&self) -> AnswerTo {
        let cancel = self.cancel();
        let asked = |reason: &Reason| {
            matches!(
                reason,
                Reason::RunOver { .. } | Reason::CancelPending { .. } | Reason::CancelAcknowledged { .. }
            )
        };
        let answer = match cancel.answer {
            _ if cancel.reasons.iter().any(asked) => Verdict::No,
            Verdict::Yes => Verdict::No,
            Verdict::No => Verdict::Yes,
            Verdict::EvidenceMissing => Verdict::EvidenceMissing,
        };
        AnswerTo { question: Question::Continue, answer, ..cancel }
    }

    fn cancel(&self) -> AnswerTo {
        let say = |answer, reasons| self.answer(Question::Cancel, answer, reasons);
        if let Some(outcome) = self.run.outcome {
            return say(Verdict::No, vec![Reason::RunOver { outcome }]);
        }
        let Some(verdict) = &self.verdict else {
            return say(Verdict::EvidenceMissing, vec![Reason::NoSituation]);
        };
        let (silence, duration) = (verdict.silence, verdict.duration);
        let beside = [Reason::Silence(silence), Reason::Duration(duration)];
        let asked = match verdict.wait {
            Wait::NoAcknowledgementYet { waited_ms } | Wait::NeverAcknowledged { waited_ms } => {
                Some(Reason::CancelPending { waited_ms })
            }
            Wait::Acknowledged { after_ms } => Some(Reason::CancelAcknowledged { after_ms }),
            Wait::NotAsked => None,
        };
        if let Some(asked) = asked {
            return say(Verdict::No, [vec![asked], beside.to_vec()].concat());
        }
        let explained = self.explanations();
        match silence.standing {
            Standing::Within | Standing::BeyondP95 => say(Verdict::No, [beside.to_vec(), explained].concat()),
            Standing::TooSmall => {
                let none = (self.baseline.builds() == 0).then_some(Reason::NoBaseline);
                say(
                    Verdict::EvidenceMissing,
                    [beside.to_vec(), none.into_iter().collect(), explained].concat(),
                )
            }
            Standing::BeyondLongest => {
                let against = self.corroborations(duration);
                let harder = [Reason::TacticSearch, Reason::DeepPhase { depth: verdict.place.depth() }];
                let needed = if explained.iter().any(|reason| harder.contains(reason)) { 2 } else { 1 };
                let open = explained.iter().any(|reason| {
                    matches!(reason, Reason::TypingChanged | Reason::NetworkChanged | Reason::NewSku { .. })
                });
                let enough = against.len() >= needed && !open;
                let alone = against.is_empty().then_some(Reason::SparseProgressAlone);
                let answer = if enough { Verdict::Yes } else { Verdict::EvidenceMissing };
                // Standing in for the duration is the one that is listed already.
                let others = against.into_iter().filter(|reason| !beside.contains(reason)).collect();
                say(answer, [beside.to_vec(), others, alone.into_iter().collect(), explained].concat())
            }
        }
    }

    /// What makes a long wait likely although nothing is wrong.
    fn explanations(&self) -> Vec<Reason> {
        let mut out = Vec::new();
        if let Some(before) = self.last_of_source() {
            let changed = |a: Option<bool>, b: Option<bool>| a.zip(b).is_some_and(|(a, b)| a != b);
            if changed(self.run.strongly_typed, before.strongly_typed) {
                out.push(Reason::TypingChanged);
            }
            if self.run.network.is_some() && before.network.is_some() && self.run.network != before.network {
                out.push(Reason::NetworkChanged);
            }
        }
        let same_network = |other: &&RunFacts| {
            other.run != self.run.run && other.has_engine() && other.source == self.run.source
        };
        let mut engines = self.history.iter().filter(same_network).peekable();
        if engines.peek().is_some() && engines.all(|other| other.key.gpu_sku != self.run.key.gpu_sku) {
            out.push(Reason::NewSku { gpu_sku: self.run.key.gpu_sku.clone() });
        }
        if self.run.key.cache == CacheClass::Cold {
            out.push(Reason::ColdCache);
        }
        if let Some(place) = self.place() {
            if place.depth() >= DEEP {
                out.push(Reason::DeepPhase { depth: place.depth() });
            }
            let times_tactics = |name: &String| {
                let name = name.to_ascii_lowercase();
                ["tactic", "timing", "profile costs"].iter().any(|words| name.contains(words))
            };
            if place.path.iter().any(times_tactics) {
                out.push(Reason::TacticSearch);
            }
        }
        if let Some(busy_per_mille) = self.run.busy_per_mille.filter(|&busy| busy >= IDLE_PER_MILLE) {
            out.push(Reason::WorkerBusy { busy_per_mille });
        }
        out
    }

    /// What speaks for "stuck" beside a silence.
    fn corroborations(&self, duration: Comparison) -> Vec<Reason> {
        let mut out = Vec::new();
        if duration.standing == Standing::BeyondLongest {
            out.push(Reason::Duration(duration));
        }
        if let Some(busy_per_mille) = self.run.busy_per_mille.filter(|&busy| busy < IDLE_PER_MILLE) {
            out.push(Reason::WorkerIdle { busy_per_mille });
        }
        if let Some(place) = self.place().filter(|_| self.twice().is_some()) {
            out.push(Reason::SamePhaseTwice { place: place.clone() });
        }
        out
    }

    fn retry_with_cache(&self) -> AnswerTo {
        let (answer, reason) = match self.run.cache_mode {
            None => (Verdict::EvidenceMissing, Reason::RunNotOver),
            Some(mode @ (TimingCacheMode::Reused | TimingCacheMode::Updated)) => {
                (Verdict::Yes, Reason::CacheProven { mode })
            }
            Some(mode) => (Verdict::No, Reason::CacheNotUsable { mode }),
        };
        self.answer(Question::RetryWithCache, answer, vec![reason])
    }

    fn go_back(&self) -> AnswerTo {
        let say = |answer, reasons| self.answer(Question::GoBack, answer, reasons);
        match self.run.outcome {
            None => return say(Verdict::No, vec![Reason::RunNotOver]),
            Some(Outcome::Completed) => return say(Verdict::No, vec![Reason::EngineCameOut]),
            Some(Outcome::CancelRequestedButCompleted) => {
                return say(Verdict::EvidenceMissing, vec![Reason::CancelIgnored]);
            }
            Some(_) => {}
        }
        let twice = self.place().filter(|_| self.twice().is_some());
        let again =
            twice.map_or(Reason::StoppedOnce, |place| Reason::SamePhaseTwice { place: place.clone() });
        let known = known_engine(self.run, self.history).and_then(|known| Some((known.run, known.plan?)));
        match known {
            None => say(Verdict::EvidenceMissing, vec![Reason::NoKnownEngine, again]),
            Some((run, plan)) => {
                let answer = if twice.is_some() { Verdict::Yes } else { Verdict::No };
                say(answer, vec![again, Reason::KnownEngine { run, plan }])
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
