//! What of a phase tree is shown while it grows: the open phases, and of the finished ones those that took longest.
//!
//! A build may have 200,000 phases; a state names [`MAX_PHASES`] of them and counts the others under the phase that
//! they stand in. The fold looks only at what has changed since it looked last, so that its cost does not grow with the
//! tree. A phase that is kept is kept together with the phases around it: they took at least as long.

use std::collections::{BTreeSet, HashMap};

use super::{LivePhase, MAX_NAME_BYTES, MAX_PHASES, cut};
use crate::evidence::phase_tree::{Phase, assemble::PhaseTreeBuilder};

/// Open phases that are shown at most, the outermost; deeper ones are counted.
const MAX_OPEN: usize = 60;

/// Finished phases that are shown at most.
const MAX_FINISHED: usize = MAX_PHASES - MAX_OPEN;

/// Follows one growing tree.
#[derive(Debug, Default)]
pub struct Fold {
    /// Phases that have been looked at.
    seen: usize,
    /// Those that were open then.
    open: Vec<u32>,
    /// The finished phases that took longest, the shortest of them last. Of two equal ones the outer one comes first.
    longest: BTreeSet<(std::cmp::Reverse<u64>, u32)>,
    /// How many phases stand directly in each, by id.
    children: Vec<u32>,
}

impl Fold {
    /// Looks at what has changed, and gives what is shown now, by id.
    pub fn look(&mut self, tree: &PhaseTreeBuilder) -> Vec<LivePhase> {
        let phases = tree.phases();
        let new = phases.get(self.seen..).unwrap_or_default();
        self.children.resize(phases.len(), 0);
        for parent in new.iter().filter_map(|phase| phase.parent) {
            self.children[parent as usize] += 1;
        }
        let before = std::mem::take(&mut self.open);
        let known = before.iter().filter_map(|&id| phases.get(id as usize));
        for phase in known.chain(new) {
            match phase.finished {
                Some(_) => self.keep(phase),
                None => self.open.push(phase.id),
            }
        }
        self.seen = phases.len();
        self.shown(phases)
    }

    fn keep(&mut self, phase: &Phase) {
        self.longest.insert((std::cmp::Reverse(phase.duration_ns(0)), phase.id));
        if self.longest.len() > MAX_FINISHED {
            self.longest.pop_last();
        }
    }

    fn shown(&self, phases: &[Phase]) -> Vec<LivePhase> {
        let finished = self.longest.iter().map(|&(_, id)| id);
        let mut ids: Vec<u32> = self.open.iter().copied().take(MAX_OPEN).chain(finished).collect();
        ids.sort_unstable();
        let mut shown_in: HashMap<u32, u32> = HashMap::new();
        for phase in ids.iter().filter_map(|&id| phases.get(id as usize)) {
            if let Some(parent) = phase.parent {
                *shown_in.entry(parent).or_default() += 1;
            }
        }
        let folded = |id: u32| {
            let all = self.children.get(id as usize).copied().unwrap_or(0);
            all.saturating_sub(shown_in.get(&id).copied().unwrap_or(0))
        };
        ids.iter()
            .filter_map(|&id| phases.get(id as usize))
            .map(|phase| live(phase, folded(phase.id)))
            .collect()
    }
}

fn live(phase: &Phase, folded: u32) -> LivePhase {
    LivePhase {
        id: phase.id,
        parent: phase.parent,
        name: cut(&phase.name, MAX_NAME_BYTES).to_owned(),
        occurrence: phase.occurrence,
        steps_announced: phase.steps_announced,
        steps_completed: phase.steps_completed,
        started: phase.started,
        finished: phase.finished,
        folded,
    }
}
