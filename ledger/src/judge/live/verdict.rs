//! Where a build that runs stands beside earlier builds of its kind: each open phase by how long it is open, the
//! innermost one also by its silence and by what became of a cancel.

use serde::{Deserialize, Serialize};

use crate::{
    judge::{
        baseline::{Baseline, Comparison, Place, exact_ms},
        stuck::{self, Situation, StuckVerdict, Wait},
    },
    live::{LiveCancel, LivePhase, LiveState, Stage},
};

/// What can be said of a build that runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveVerdict {
    /// Where it is, and how that stands beside earlier builds.
    pub stuck: StuckVerdict,
    /// Each open phase by its id, outermost first, with the time in it beside the times in it before.
    pub open: Vec<(u32, Comparison)>,
}

/// Where a build is, so many nanoseconds after its state was made; none before the first callback, and none once the
/// build call has returned.
pub fn situation(state: &LiveState, since_ns: u64) -> Option<Situation> {
    if !matches!(state.stage, Stage::Building | Stage::Serializing) {
        return None;
    }
    let silent = state.silence()?.saturating_add(since_ns);
    let inner = state.open_phases().next_back();
    Some(Situation {
        place: inner.map_or_else(Place::outside, |phase| place(state, phase)),
        open_ms: inner.map_or(exact_ms(silent), |phase| open_ms(state, phase, since_ns)),
        silent_ms: exact_ms(silent),
        wait: state
            .cancel
            .as_ref()
            .map_or(Wait::NotAsked, |cancel| wait(cancel, state.now.0.saturating_add(since_ns))),
    })
}

/// Judges it by earlier builds of its kind.
pub fn verdict(state: &LiveState, since_ns: u64, baseline: &Baseline) -> Option<LiveVerdict> {
    let stuck = stuck::verdict(&situation(state, since_ns)?, baseline);
    let open = state
        .open_phases()
        .map(|phase| (phase.id, baseline.duration(&place(state, phase), open_ms(state, phase, since_ns))));
    Some(LiveVerdict { stuck, open: open.collect() })
}

fn wait(cancel: &LiveCancel, now: u64) -> Wait {
    let since = |at: u64| exact_ms(at.saturating_sub(cancel.requested.0));
    match cancel.acknowledged {
        Some(at) => Wait::Acknowledged { after_ms: since(at.0) },
        None => Wait::NoAcknowledgementYet { waited_ms: since(now) },
    }
}

/// The place of a phase. Of open phases the outermost are shown, so that nothing above a shown one is missing.
fn place(state: &LiveState, phase: &LivePhase) -> Place {
    let above = |of: &LivePhase| state.phases.iter().find(|other| Some(other.id) == of.parent);
    let mut names: Vec<&str> =
        std::iter::successors(Some(phase), |phase| above(phase)).map(|phase| phase.name.as_str()).collect();
    names.reverse();
    Place::of_names(names, phase.occurrence)
}

fn open_ms(state: &LiveState, phase: &LivePhase, since_ns: u64) -> f64 {
    let now = state.build_began.map_or(0, |began| state.now.0.saturating_sub(began.0));
    exact_ms(now.saturating_add(since_ns).saturating_sub(phase.started.0))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        evidence::{build::Outcome, cancel::CancelSource, number::Count64},
        judge::{
            advice::tests::summary,
            baseline::{
                BaselineKey, EntryRef, Standing,
                tests::{inner, tree},
            },
        },
        live::tests::state,
        log::digest::Sha256Digest,
    };

    const S: u64 = 1_000_000_000;

    fn phase(id: u32, parent: Option<u32>, name: &str, started: u64) -> LivePhase {
        LivePhase {
            id,
            parent,
            name: name.to_owned(),
            occurrence: 0,
            steps_announced: 2,
            steps_completed: 0,
            started: Count64(started),
            finished: None,
            folded: 0,
        }
    }

    /// Six seconds into the build call, silent for five of them.
    fn building() -> LiveState {
        let mut state = state(Stage::Building);
        state.build_began = Some(Count64(10 * S));
        state.now = Count64(16 * S);
        state.last_callback = Some(Count64(11 * S));
        state.phases = vec![phase(0, None, "Building engine", 0), phase(1, Some(0), "Optimizing graph", S)];
        state
    }

    fn asked(acknowledged: Option<u64>) -> LiveCancel {
        LiveCancel {
            source: CancelSource::Api,
            reason: None,
            who: None,
            request: None,
            requested: Count64(13 * S),
            delivered: Some(Count64(13 * S)),
            acknowledged: acknowledged.map(Count64),
            returned: None,
            cleaned: None,
            held_by: None,
            open_at_request: Vec::new(),
        }
    }

    #[test]
    fn where_it_is_and_since_when() {
        let found = situation(&building(), S / 2).unwrap();
        assert_eq!(found.place, inner());
        assert_eq!((found.open_ms, found.silent_ms, found.wait), (5_500.0, 5_500.0, Wait::NotAsked));
        for (change, expected) in [
            (asked(None), Wait::NoAcknowledgementYet { waited_ms: 3_000.0 }),
            (asked(Some(15 * S)), Wait::Acknowledged { after_ms: 2_000.0 }),
        ] {
            let state = LiveState { cancel: Some(change), ..building() };
            assert_eq!(situation(&state, 0).unwrap().wait, expected);
        }
    }

    #[test]
    fn outside_the_call_there_is_nothing_to_judge() {
        for stage in [
            Stage::Starting,
            Stage::Parsing,
            Stage::SettingUp,
            Stage::Returned,
            Stage::Writing,
            Stage::Cleaning,
            Stage::Ended,
        ] {
            assert_eq!(situation(&LiveState { stage, ..building() }, 0), None, "{stage:?}");
        }
        assert_eq!(situation(&LiveState { last_callback: None, ..building() }, 0), None);
        // It serializes: no phase is open, and the silence has a place of its own.
        let mut state = LiveState { stage: Stage::Serializing, ..building() };
        state.phases.iter_mut().for_each(|phase| phase.finished = Some(Count64(S)));
        let found = situation(&state, 0).unwrap();
        assert_eq!((found.place, found.open_ms, found.silent_ms), (Place::outside(), 5_000.0, 5_000.0));
    }

    #[test]
    fn every_open_phase_stands_beside_earlier_builds() {
        let done = summary(Outcome::Completed);
        let mut baseline = Baseline::new(BaselineKey::of(&done));
        let entry = EntryRef { run: Uuid::nil(), digest: Sha256Digest::of(b""), index: None };
        for silent in 4_000..4_020 {
            assert!(baseline.take(&done, &tree(silent), entry));
        }
        let state = LiveState { cancel: Some(asked(None)), ..building() };
        let found = verdict(&state, 0, &baseline).unwrap();
        assert_eq!(found.open.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [0, 1]);
        assert!(found.stuck.is_silent);
        assert_eq!(found.open[1].1, found.stuck.duration);
        assert_eq!(found.stuck.wait, Wait::NoAcknowledgementYet { waited_ms: 3_000.0 });
        assert_eq!(found.stuck.silence.standing, Standing::BeyondLongest);
        assert_eq!((found.stuck.silence.n, found.stuck.silence.value_ms), (20, 5_000.0));
    }
}
