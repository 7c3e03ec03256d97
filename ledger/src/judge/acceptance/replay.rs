//! The phase tree once more, out of the event log alone: what criterion 2 asks for.

use uuid::Uuid;

use crate::evidence::{
    event::{EventKind, MAX_STEP_LINES, ProgressEvent},
    phase_tree::{Phase, PhaseState, PhaseTree},
};

/// What does not fit: a fixed name, and words.
pub type Problem = (&'static str, String);

/// Rebuilds the tree from the event log and compares it, phase by phase.
pub fn check(run: Uuid, tree: &PhaseTree, events: &[u8]) -> Result<(), Problem> {
    if !tree.is_well_formed() {
        return Err(("tree_malformed", "ids, parents or times of the phase tree do not fit".to_owned()));
    }
    for (count, code, what) in [
        (tree.lost_events, "events_lost", "events were lost"),
        (tree.orphan_events, "events_orphaned", "events fit no open phase"),
        (tree.phases_not_kept, "phases_not_kept", "phases were not kept"),
    ] {
        if count > 0 {
            return Err((code, format!("{count} {what}")));
        }
    }
    let rebuilt = rebuild(run, events)?;
    if rebuilt.len() != tree.phases.len() {
        let found =
            format!("the event log tells of {} phases, the tree of {}", rebuilt.len(), tree.phases.len());
        return Err(("tree_differs", found));
    }
    let differs = rebuilt.iter().zip(&tree.phases).find(|(rebuilt, phase)| !rebuilt.is(phase));
    match differs {
        None => Ok(()),
        Some((_, phase)) => {
            Err(("tree_differs", format!("phase {} is another in the event log than in the tree", phase.id)))
        }
    }
}

/// A phase as the event log tells it.
struct Rebuilt {
    parent: Option<u32>,
    name: String,
    steps_announced: i64,
    steps: u64,
    started: u64,
    finished: Option<u64>,
    thread: u32,
    cancel: [crate::evidence::cancel::CancelState; 2],
}

impl Rebuilt {
    fn is(&self, phase: &Phase) -> bool {
        // Lines of steps are thinned to a bound; the tree counts all of them.
        let steps = self.steps == phase.steps_completed.min(MAX_STEP_LINES.into());
        let state = match (self.finished, phase.state) {
            (None, PhaseState::Running | PhaseState::Interrupted | PhaseState::OpenAtCrash) => true,
            (Some(_), PhaseState::Finished | PhaseState::FinishedEarly) => {
                let all = i64::try_from(phase.steps_completed).is_ok_and(|done| done >= self.steps_announced);
                all == (phase.state == PhaseState::Finished)
            }
            _ => false,
        };
        steps
            && state
            && self.parent == phase.parent
            && self.name == phase.name
            && self.steps_announced == phase.steps_announced
            && self.started == phase.started.0
            && self.finished == phase.finished.map(|at| at.0)
            && self.thread == phase.thread
            && self.cancel == [phase.cancel_at_start, phase.cancel_at_end]
    }
}

fn rebuild(run: Uuid, events: &[u8]) -> Result<Vec<Rebuilt>, Problem> {
    let mut phases: Vec<Rebuilt> = Vec::new();
    let mut last = 0;
    for (number, line) in events.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        let wrong =
            |what: &str| ("event_log_malformed", format!("line {} of the event log {what}", number + 1));
        let event: ProgressEvent = serde_json::from_slice(line).map_err(|_| wrong("is no event"))?;
        if event.build_id != run {
            return Err(wrong("is of another run"));
        }
        if event.at.0 < last {
            return Err(wrong("goes back in time"));
        }
        last = event.at.0;
        let id = event.phase_id.ok_or_else(|| wrong("fits no phase"))? as usize;
        if event.event == EventKind::Start {
            let progress = event.progress.ok_or_else(|| wrong("announces no steps"))?;
            if id != phases.len() || event.parent_id.is_some_and(|parent| parent as usize >= id) {
                return Err(wrong("begins a phase out of order"));
            }
            phases.push(Rebuilt {
                parent: event.parent_id,
                name: event.display_name,
                steps_announced: progress.steps,
                steps: 0,
                started: event.at.0,
                finished: None,
                thread: event.thread,
                cancel: [event.cancel_state; 2],
            });
            continue;
        }
        let phase = phases.get_mut(id).ok_or_else(|| wrong("is of a phase that did not begin"))?;
        if phase.finished.is_some() {
            return Err(wrong("is of a phase that had ended"));
        }
        if event.event == EventKind::Step {
            phase.steps += 1;
        } else {
            phase.finished = Some(event.at.0);
            phase.cancel[1] = event.cancel_state;
        }
    }
    Ok(phases)
}
