//! Stuck, or only silent? Where a build is, how long it is silent there and how long it is in there, each beside what is
//! usual, and what became of a cancel.
//!
//! Silence and slowness are two things. A phase may take long and speak all the time; another makes no callback for
//! most of a healthy build. Neither says alone that a build is stuck: [`super::advice`] weighs them.

use serde::{Deserialize, Serialize};

use super::baseline::{Baseline, Comparison, Place, exact_ms};
use crate::evidence::{
    build::{BuildSummary, Outcome},
    phase_tree::{Phase, PhaseState, PhaseTree},
};

/// A silence shorter than this, in milliseconds, is none.
pub const SILENT_MS: f64 = 1_000.0;

/// What became of a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "code")]
pub enum Wait {
    /// Nobody asked.
    NotAsked,
    /// Asked, and no step has answered yet.
    NoAcknowledgementYet {
        /// Since the request.
        waited_ms: f64,
    },
    /// A step answered "stop".
    Acknowledged {
        /// From the request to the answer.
        after_ms: f64,
    },
    /// No step ever answered: the latency is longer than this.
    NeverAcknowledged {
        /// From the request to the end of the build.
        waited_ms: f64,
    },
}

impl Wait {
    /// The wait of a build that is over.
    pub fn of(summary: &BuildSummary) -> Self {
        match &summary.cancel {
            None => Self::NotAsked,
            Some(cancel) => match cancel.request_to_ack_ms {
                Some(after_ms) => Self::Acknowledged { after_ms },
                None => Self::NeverAcknowledged { waited_ms: cancel.censored_after_ms.unwrap_or_default() },
            },
        }
    }
}

/// Where a build is (or was when it mattered), and for how long. Milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Situation {
    /// The innermost open phase.
    pub place: Place,
    /// How long it is open.
    pub open_ms: f64,
    /// How long the library makes no callback.
    pub silent_ms: f64,
    /// What became of a cancel.
    pub wait: Wait,
}

impl Situation {
    /// The situation that decided over a build that is over: where it stopped; where it completed, its longest silence.
    pub fn of(summary: &BuildSummary, tree: &PhaseTree) -> Option<Self> {
        let wait = Wait::of(summary);
        let end = tree.duration.0;
        let silence = tree.silence?;
        let at = match stopped_in(summary, tree) {
            Some(id) => Some(id),
            None if summary.outcome == Outcome::Completed => silence.phase,
            None => None,
        };
        let Some(phase) = at.and_then(|id| tree.phases.get(id as usize)) else {
            let last = tree.phases.iter().filter_map(|phase| phase.finished).max()?;
            let tail = exact_ms(end.saturating_sub(last.0));
            return Some(Self { place: Place::outside(), open_ms: tail, silent_ms: tail, wait });
        };
        Some(Self {
            place: Place::of(tree, phase.id),
            open_ms: exact_ms(phase.duration_ns(end)),
            silent_ms: exact_ms(phase.longest_silence.0),
            wait,
        })
    }
}

/// The phase in which a build stopped; none where it completed, or stopped in no phase.
pub fn stopped_in(summary: &BuildSummary, tree: &PhaseTree) -> Option<u32> {
    if matches!(summary.outcome, Outcome::Completed | Outcome::CancelRequestedButCompleted) {
        // A cancel that came too late still waited somewhere.
        return summary.cancel.as_ref().and_then(|cancel| cancel.open_at_request.last().copied());
    }
    let named = summary.cancel.as_ref().and_then(|cancel| {
        let at = cancel.open_at_acknowledgement.last().or_else(|| cancel.open_at_request.last());
        at.copied()
    });
    named.or_else(|| innermost_at_the_end(tree))
}

/// Where an attempt stopped that gave no engine: what two attempts are compared by.
pub fn stop_place(summary: &BuildSummary, tree: Option<&PhaseTree>) -> Option<Place> {
    let completed = matches!(summary.outcome, Outcome::Completed | Outcome::CancelRequestedButCompleted);
    let tree = tree.filter(|tree| !completed && tree.is_well_formed())?;
    stopped_in(summary, tree).map(|id| Place::of(tree, id))
}

/// The innermost of the phases that were open at the last sign of work: TensorRT ends every open phase when it gives up.
fn innermost_at_the_end(tree: &PhaseTree) -> Option<u32> {
    let last = |phase: &Phase| phase.step_offsets.last().copied().unwrap_or(phase.started).max(phase.started);
    let last_work = tree.phases.iter().map(last).max()?;
    let died = tree.phases.iter().any(|phase| phase.finished.is_none());
    let open = |phase: &&Phase| match phase.finished {
        None => true,
        // Where some are still open, one that ended had ended by itself; so has one that made all its steps.
        Some(end) => !died && phase.state != PhaseState::Finished && end >= last_work,
    };
    tree.phases.iter().filter(open).max_by_key(|phase| (tree.depth(phase.id), phase.id)).map(|phase| phase.id)
}

/// What can be said of a build's progress. All of it codes and numbers: whoever shows it has the words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StuckVerdict {
    /// Where.
    pub place: Place,
    /// Whether it is silent at all.
    pub is_silent: bool,
    /// The silence beside the silences of this phase.
    pub silence: Comparison,
    /// The time in the phase beside the times in this phase.
    pub duration: Comparison,
    /// What became of a cancel.
    pub wait: Wait,
}

/// Judges a situation by a baseline of the same kind of build.
pub fn verdict(situation: &Situation, baseline: &Baseline) -> StuckVerdict {
    let since_request = match situation.wait {
        Wait::NoAcknowledgementYet { waited_ms } => situation.silent_ms >= waited_ms,
        _ => false,
    };
    StuckVerdict {
        place: situation.place.clone(),
        is_silent: situation.silent_ms >= SILENT_MS || since_request,
        silence: baseline.silence(&situation.place, situation.silent_ms),
        duration: baseline.duration(&situation.place, situation.open_ms),
        wait: situation.wait,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{
        super::{
            advice::tests::summary,
            baseline::{
                BaselineKey, EntryRef, Standing,
                tests::{MS, inner, tree},
            },
        },
        *,
    };
    use crate::{
        evidence::{
            cancel::CancelState,
            phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
        },
        log::digest::Sha256Digest,
    };

    fn baseline(silences: impl IntoIterator<Item = u64>) -> Baseline {
        let done = summary(Outcome::Completed);
        let mut baseline = Baseline::new(BaselineKey::of(&done));
        for silent in silences {
            let entry = EntryRef { run: Uuid::nil(), digest: Sha256Digest::of(b""), index: None };
            assert!(baseline.take(&done, &tree(silent), entry));
        }
        baseline
    }

    fn silent(ms: f64, wait: Wait) -> Situation {
        Situation { place: inner(), open_ms: ms, silent_ms: ms, wait }
    }

    /// The design's own example: "no acknowledgement yet, phase silent, longest seen X".
    #[test]
    fn a_cancel_in_a_silent_phase_names_the_longest_silence_seen() {
        let waiting = Wait::NoAcknowledgementYet { waited_ms: 5_000.0 };
        let found = verdict(&silent(6_000.0, waiting), &baseline([4_000, 7_500, 5_000]));
        assert_eq!(found.wait, waiting);
        assert!(found.is_silent);
        let Comparison { standing, n, longest_ms, .. } = found.silence;
        assert_eq!((standing, n, longest_ms), (Standing::TooSmall, 3, Some(7_500.0)));
        let enough = baseline(5_001..=5_020);
        assert_eq!(verdict(&silent(5_010.0, waiting), &enough).silence.standing, Standing::Within);
        assert_eq!(verdict(&silent(5_020.0, waiting), &enough).silence.standing, Standing::BeyondP95);
        assert_eq!(verdict(&silent(9_000.0, waiting), &enough).silence.standing, Standing::BeyondLongest);
    }

    #[test]
    fn silence_and_slowness_are_kept_apart() {
        let usual = baseline((0..20).map(|_| 4_000));
        let slow = Situation { open_ms: 60_000.0, ..silent(100.0, Wait::NotAsked) };
        let found = verdict(&slow, &usual);
        assert!(!found.is_silent);
        assert_eq!(
            (found.silence.standing, found.duration.standing),
            (Standing::Within, Standing::BeyondLongest)
        );
        let quiet = Situation { open_ms: 4_000.0, ..silent(4_001.5, Wait::NotAsked) };
        let found = verdict(&quiet, &usual);
        assert_eq!(
            (found.silence.standing, found.duration.standing),
            (Standing::BeyondLongest, Standing::Within)
        );
    }

    #[test]
    fn only_undisturbed_builds_of_the_same_kind_count() {
        let done = summary(Outcome::Completed);
        let entry = EntryRef { run: Uuid::nil(), digest: Sha256Digest::of(b""), index: None };
        let mut baseline = Baseline::new(BaselineKey::of(&done));
        let mut lossy = tree(1);
        lossy.lost_events = 1;
        assert!(!baseline.take(&done, &lossy, entry));
        assert!(!baseline.take(&summary(Outcome::Cancelled), &tree(1), entry));
        let mut other = done.clone();
        "GPU 2".clone_into(&mut other.gpu_sku);
        assert!(!baseline.take(&other, &tree(1), entry));
        other = done.clone();
        other.build_config_hash = Sha256Digest::of(b"other");
        assert!(!baseline.take(&other, &tree(1), entry));
        assert!(baseline.take(&done, &tree(1), entry));
        assert_eq!((baseline.builds(), baseline.entries().len()), (1, 1));
    }

    #[test]
    fn where_a_build_stopped_is_found_without_a_cancel_too() {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        let mut say = |at: u64, name: &str, kind: RawKind<'_>| {
            let cancel = CancelState::None;
            builder.record(RawEvent { at: at * MS, thread: 0, name: name.into(), kind, cancel });
        };
        let under = |parent: &'static str| RawKind::Start { parent: Some(parent.into()), steps: 2 };
        say(0, "root", RawKind::Start { parent: None, steps: 3 });
        say(1, "first", under("root"));
        say(2, "first", RawKind::Step { step: 0, answered_stop: false });
        say(3, "first", RawKind::Finish);
        say(4, "second", under("root"));
        say(5, "deep", under("second"));
        let crashed = builder.clone().finish(9 * MS, Ending::Crashed);
        // A failure: everything that is open ends, in reverse order and without a step.
        let mut say = |at: u64, name: &str| {
            let (kind, cancel) = (RawKind::Finish, CancelState::None);
            builder.record(RawEvent { at: at * MS, thread: 0, name: name.into(), kind, cancel });
        };
        say(8, "deep");
        say(8, "second");
        say(8, "root");
        let failed = builder.finish(9 * MS, Ending::Returned);
        let expected = Place::of_names(["root", "second", "deep"], 0);
        for (outcome, tree) in [(Outcome::Crashed, &crashed), (Outcome::Failed, &failed)] {
            let stopped = summary(outcome);
            assert_eq!(stop_place(&stopped, Some(tree)), Some(expected.clone()), "{outcome:?}");
            assert_eq!(Situation::of(&stopped, tree).unwrap().place, expected, "{outcome:?}");
        }
        let done = summary(Outcome::Completed);
        assert_eq!(stop_place(&done, Some(&failed)), None);
        assert_eq!(stop_place(&summary(Outcome::Failed), None), None);
        assert_eq!(Situation::of(&done, &tree(40)).unwrap().place, inner());
    }
}
