//! The phase tree (blob, `application/vnd.acta.phase-tree+json`): one node a phase *instance*.
//!
//! TensorRT's phase names are unique only while a phase is open, may come again, and may change between versions. A
//! node is therefore known by its ordinal, and for comparison by its path of names with its occurrence under the same
//! parent; never by its bare name. [`assemble::PhaseTreeBuilder`] makes the tree out of callbacks.

pub mod assemble;
pub mod chrome_trace;
pub mod counters;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::counters::{Counters, MAX_SAMPLES};
use super::{cancel::CancelState, number::Count64};
use crate::log::digest::Sha256Digest;

/// The media type of the blob.
pub const PHASE_TREE_MEDIA_TYPE: &str = "application/vnd.acta.phase-tree+json";

/// The value of `schema`.
pub const PHASE_TREE_SCHEMA: &str = "urn:acta:phase-tree:v1";

/// The longest display name in bytes; a longer name is cut and its digest kept.
pub const MAX_NAME_BYTES: usize = 256;

/// How many step offsets a phase keeps; further steps are counted.
pub const MAX_STEP_OFFSETS: usize = 128;

/// How many phases a tree keeps; further ones are counted.
pub const MAX_PHASES: usize = 200_000;

/// Where a phase stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseState {
    /// It is open (in a snapshot of a build that goes on).
    Running,
    /// It finished with all its steps.
    Finished,
    /// It finished before all its steps: an optimization, an error or a cancel.
    FinishedEarly,
    /// The build call returned while it was open.
    Interrupted,
    /// It was open when the worker died.
    OpenAtCrash,
}

/// One phase instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// Its ordinal in order of beginning, counted from 0.
    pub id: u32,
    /// The phase it stands under; none for a root.
    pub parent: Option<u32>,
    /// Its name, cut to [`MAX_NAME_BYTES`] and with unprintable bytes replaced.
    pub name: String,
    /// The digest of the name as it was given, where the name above is not the whole of it.
    pub name_digest: Option<Sha256Digest>,
    /// The how-manieth phase of this name under this parent, counted from 0.
    pub occurrence: u32,
    /// Steps announced.
    pub steps_announced: i64,
    /// Steps that ended.
    pub steps_completed: u64,
    /// When the first of them ended, at most [`MAX_STEP_OFFSETS`], in nanoseconds since the build call.
    pub step_offsets: Vec<Count64>,
    /// When it began, in nanoseconds since the build call.
    pub started: Count64,
    /// When it ended.
    pub finished: Option<Count64>,
    /// The longest stretch without any callback while it was open, in nanoseconds.
    pub longest_silence: Count64,
    /// The thread that began it, counted from 0 in order of appearance.
    pub thread: u32,
    /// Where it stands.
    pub state: PhaseState,
    /// The cancellation state when it began.
    pub cancel_at_start: CancelState,
    /// The cancellation state when it ended.
    pub cancel_at_end: CancelState,
    /// Whether one of its steps answered "stop".
    pub answered_stop: bool,
}

impl Phase {
    /// How long it was open, in nanoseconds; `until` where it never ended.
    pub fn duration_ns(&self, until: u64) -> u64 {
        self.finished.map_or(until, |at| at.0).saturating_sub(self.started.0)
    }
}

/// The longest stretch without a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Silence {
    /// Where it began, in nanoseconds since the build call.
    pub from: Count64,
    /// Where it ended.
    pub to: Count64,
    /// The innermost phase that was open in it.
    pub phase: Option<u32>,
}

impl Silence {
    /// Its length in nanoseconds.
    pub fn length_ns(&self) -> u64 {
        self.to.0.saturating_sub(self.from.0)
    }
}

/// How many callbacks fell into each stretch of the build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// The width of a stretch in nanoseconds.
    pub bin: Count64,
    /// Callbacks in each, from the build call on.
    pub counts: Vec<u32>,
}

/// A whole phase tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseTree {
    /// Always [`PHASE_TREE_SCHEMA`].
    pub schema: String,
    /// The run.
    pub build_id: Uuid,
    /// From the build call to its return (or to the moment of the snapshot), in nanoseconds.
    pub duration: Count64,
    /// Every callback that was made, kept or not.
    pub callbacks: u64,
    /// Events lost before they could be recorded.
    pub lost_events: u64,
    /// Events that fit no open phase.
    pub orphan_events: u64,
    /// Phases beyond the bound of [`MAX_PHASES`].
    pub phases_not_kept: u64,
    /// The longest stretch without a callback; none without any callback.
    pub silence: Option<Silence>,
    /// Callbacks over time.
    pub activity: Activity,
    /// What the builder used over time; none where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    /// The phases by id; a parent always stands before its children.
    pub phases: Vec<Phase>,
}

impl PhaseTree {
    /// How deep a phase stands; 0 for a root.
    pub fn depth(&self, id: u32) -> usize {
        let parent =
            |id: u32| self.phases.get(id as usize).and_then(|phase| phase.parent).filter(|&up| up < id);
        std::iter::successors(parent(id), |&up| parent(up)).count()
    }

    /// The names from the root down to the phase: what baselines are kept by, together with the occurrence.
    pub fn path(&self, id: u32) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(phase) = at.and_then(|id| self.phases.get(id as usize)) {
            names.push(phase.name.as_str());
            at = phase.parent.filter(|&up| up < phase.id);
        }
        names.reverse();
        names
    }

    /// The ids in the order of a walk through the tree: each phase before its children, siblings by beginning.
    pub fn walk(&self) -> Vec<u32> {
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); self.phases.len()];
        let mut stack = Vec::new();
        for phase in &self.phases {
            match phase.parent {
                Some(parent) if parent < phase.id => children[parent as usize].push(phase.id),
                _ => stack.push(phase.id),
            }
        }
        stack.reverse();
        let mut order = Vec::with_capacity(self.phases.len());
        while let Some(id) = stack.pop() {
            order.push(id);
            stack.extend(children[id as usize].iter().rev());
        }
        order
    }

    /// The phase's share of the build call's time, from 0 to 1.
    pub fn share(&self, phase: &Phase) -> f64 {
        if self.duration.0 == 0 {
            0.0
        } else {
            phase.duration_ns(self.duration.0) as f64 / self.duration.0 as f64
        }
    }

    /// Whether ids, parents and times are what the agent's assembler makes: nothing a page has to fear.
    pub fn is_well_formed(&self) -> bool {
        self.schema == PHASE_TREE_SCHEMA
            && self.phases.len() <= MAX_PHASES
            && self.counters.as_ref().is_none_or(|counters| counters.samples.len() <= MAX_SAMPLES)
            && self.phases.iter().enumerate().all(|(index, phase)| {
                phase.id as usize == index
                    && phase.parent.is_none_or(|parent| parent < phase.id)
                    && phase.finished.is_none_or(|end| end >= phase.started)
                    && phase.name.len() <= 4 * MAX_NAME_BYTES
            })
    }
}
