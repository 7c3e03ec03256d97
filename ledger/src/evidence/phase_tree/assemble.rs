//! Making the tree out of callbacks: names are resolved to instances while the phases they name are open.

use std::collections::{BTreeSet, HashMap};

use uuid::Uuid;

use super::{
    Activity, Count64, MAX_NAME_BYTES, MAX_PHASES, MAX_STEP_OFFSETS, PHASE_TREE_SCHEMA, Phase, PhaseState,
    PhaseTree, Silence,
};
use crate::{
    evidence::{
        cancel::CancelState,
        event::{EventKind, Progress, ProgressEvent},
    },
    log::digest::Sha256Digest,
};

/// How many stretches the activity is counted in at most.
const MAX_BINS: usize = 512;

/// The first stretch's width: one millisecond. It doubles as the build goes on.
const FIRST_BIN_NS: u64 = 1_000_000;

/// A callback's name: bounded bytes, with the digest of the whole where they are not the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawName<'a> {
    /// The name's bytes, or the first of them.
    pub bytes: &'a [u8],
    /// The digest of the whole name, where `bytes` was cut.
    pub digest: Option<Sha256Digest>,
}

impl<'a> From<&'a [u8]> for RawName<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self { bytes, digest: None }
    }
}

impl<'a> From<&'a str> for RawName<'a> {
    fn from(text: &'a str) -> Self {
        text.as_bytes().into()
    }
}

/// What a callback said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawKind<'a> {
    /// `phaseStart`.
    Start {
        /// The parent's name; none for a root.
        parent: Option<RawName<'a>>,
        /// Steps announced.
        steps: i64,
    },
    /// `stepComplete`.
    Step {
        /// The step that ended.
        step: i64,
        /// Whether it was answered with "stop".
        answered_stop: bool,
    },
    /// `phaseFinish`.
    Finish,
}

/// One callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawEvent<'a> {
    /// Nanoseconds since the build call.
    pub at: u64,
    /// The calling thread.
    pub thread: u32,
    /// The phase's name.
    pub name: RawName<'a>,
    /// What it said.
    pub kind: RawKind<'a>,
    /// The cancellation state as the callback saw it.
    pub cancel: CancelState,
}

/// How the build call ended, for the phases that were open then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It goes on: a snapshot.
    Running,
    /// It returned.
    Returned,
    /// The worker died.
    Crashed,
}

/// Assembles a phase tree event by event.
#[derive(Debug, Clone)]
pub struct PhaseTreeBuilder {
    tree: PhaseTree,
    /// Open phases in order of beginning, which is the order of their ids.
    open: BTreeSet<u32>,
    /// Open phases by the whole names by which callbacks find them, in order of beginning.
    open_by_name: HashMap<Vec<u8>, Vec<u32>>,
    /// Stretches without a callback since the oldest open phase began: each longer than all that follow.
    silences: SuffixMaxima,
    /// How many phases of a name (by digest) each parent has had.
    occurrences: HashMap<(Option<u32>, Sha256Digest), u32>,
    last_event: u64,
    /// Steps that ended, in all phases together.
    steps: u64,
}

impl PhaseTreeBuilder {
    /// Begins with no phase.
    pub fn new(build_id: Uuid) -> Self {
        let tree = PhaseTree {
            schema: PHASE_TREE_SCHEMA.to_owned(),
            build_id,
            duration: Count64(0),
            callbacks: 0,
            lost_events: 0,
            orphan_events: 0,
            phases_not_kept: 0,
            counters: None,
            silence: None,
            activity: Activity { bin: Count64(FIRST_BIN_NS), counts: Vec::new() },
            phases: Vec::new(),
        };
        Self {
            tree,
            open: BTreeSet::new(),
            open_by_name: HashMap::new(),
            silences: SuffixMaxima::default(),
            occurrences: HashMap::new(),
            last_event: 0,
            steps: 0,
        }
    }

    /// Takes the next callback and returns the line that the event log keeps of it.
    pub fn record(&mut self, event: RawEvent<'_>) -> ProgressEvent {
        // Threads may overtake each other between taking the time and handing the event over.
        let at = event.at.max(self.last_event);
        self.note_silence(at);
        self.note_activity(at);
        self.tree.callbacks += 1;
        let (phase, kind, progress) = match event.kind {
            RawKind::Start { parent, steps } => {
                let phase = self.start(at, &event, parent, steps);
                (phase, EventKind::Start, Some(Progress { step: 0, steps }))
            }
            RawKind::Step { step, answered_stop } => {
                let phase = self.find(event.name, event.thread);
                let steps = phase.map(|id| self.step(id, at, answered_stop));
                (phase, EventKind::Step, steps.map(|steps| Progress { step, steps }))
            }
            RawKind::Finish => {
                let phase = self.find(event.name, event.thread);
                if let Some(id) = phase {
                    self.finish_phase(id, at, &event);
                }
                (phase, EventKind::Finish, None)
            }
        };
        let known = phase.map(|id| &self.tree.phases[id as usize]);
        if known.is_none() && kind != EventKind::Start {
            self.tree.orphan_events += 1;
        }
        ProgressEvent {
            build_id: self.tree.build_id,
            phase_id: phase,
            parent_id: known.and_then(|phase| phase.parent),
            display_name: known.map_or_else(|| display_name(event.name).0, |phase| phase.name.clone()),
            event: kind,
            at: Count64(at),
            progress,
            thread: event.thread,
            cancel_state: event.cancel,
        }
    }

    /// Counts events that were lost before they got here.
    pub fn add_lost(&mut self, events: u64) {
        self.tree.lost_events = self.tree.lost_events.saturating_add(events);
    }

    /// The open phases, outermost first.
    pub fn open_phases(&self) -> impl Iterator<Item = &Phase> {
        self.open.iter().map(|&id| &self.tree.phases[id as usize])
    }

    /// The phases so far, by id.
    pub fn phases(&self) -> &[Phase] {
        &self.tree.phases
    }

    /// The ids of the open phases.
    pub fn open_ids(&self) -> Vec<u32> {
        self.open.iter().copied().collect()
    }

    /// When the last callback came, in nanoseconds since the build call.
    pub fn last_event_ns(&self) -> u64 {
        self.last_event
    }

    /// Steps that ended so far, in all phases together.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Callbacks taken so far.
    pub fn callbacks(&self) -> u64 {
        self.tree.callbacks
    }

    /// The tree as it stands at this moment.
    pub fn snapshot(&self, at: u64) -> PhaseTree {
        self.clone().finish(at, Ending::Running)
    }

    /// Ends the tree at the return of the build call (or the worker's death).
    pub fn finish(mut self, at: u64, ending: Ending) -> PhaseTree {
        let at = at.max(self.last_event);
        if self.tree.callbacks > 0 {
            self.note_silence(at);
        }
        let state = match ending {
            Ending::Running => PhaseState::Running,
            Ending::Returned => PhaseState::Interrupted,
            Ending::Crashed => PhaseState::OpenAtCrash,
        };
        for &id in &self.open {
            let phase = &mut self.tree.phases[id as usize];
            phase.state = state;
            phase.longest_silence = Count64(self.silences.longest_since(phase.started.0));
        }
        self.tree.duration = Count64(at);
        self.tree
    }

    fn start(
        &mut self,
        at: u64,
        event: &RawEvent<'_>,
        parent: Option<RawName<'_>>,
        steps: i64,
    ) -> Option<u32> {
        if self.tree.phases.len() >= MAX_PHASES {
            self.tree.phases_not_kept += 1;
            return None;
        }
        let parent = match parent {
            Some(name) => {
                let found = self.find(name, event.thread);
                if found.is_none() {
                    self.tree.orphan_events += 1;
                }
                found
            }
            None => None,
        };
        let (name, name_digest) = display_name(event.name);
        let key = (parent, name_digest.unwrap_or_else(|| Sha256Digest::of(name.as_bytes())));
        let occurrences = self.occurrences.entry(key).or_default();
        let occurrence = *occurrences;
        *occurrences += 1;
        let id = self.tree.phases.len() as u32;
        self.tree.phases.push(Phase {
            id,
            parent,
            name,
            name_digest,
            occurrence,
            steps_announced: steps,
            steps_completed: 0,
            step_offsets: Vec::new(),
            started: Count64(at),
            finished: None,
            longest_silence: Count64(0),
            thread: event.thread,
            state: PhaseState::Running,
            cancel_at_start: event.cancel,
            cancel_at_end: event.cancel,
            answered_stop: false,
        });
        self.open.insert(id);
        self.open_by_name.entry(open_name(event.name)).or_default().push(id);
        Some(id)
    }

    fn step(&mut self, id: u32, at: u64, answered_stop: bool) -> i64 {
        let phase = &mut self.tree.phases[id as usize];
        phase.steps_completed += 1;
        self.steps += 1;
        phase.answered_stop |= answered_stop;
        if phase.step_offsets.len() < MAX_STEP_OFFSETS {
            phase.step_offsets.push(Count64(at));
        }
        phase.steps_announced
    }

    fn finish_phase(&mut self, id: u32, at: u64, event: &RawEvent<'_>) {
        let phase = &mut self.tree.phases[id as usize];
        phase.finished = Some(Count64(at));
        phase.cancel_at_end = event.cancel;
        phase.longest_silence = Count64(self.silences.longest_since(phase.started.0));
        let all_steps = i64::try_from(phase.steps_completed).is_ok_and(|done| done >= phase.steps_announced);
        phase.state = if all_steps { PhaseState::Finished } else { PhaseState::FinishedEarly };
        self.open.remove(&id);
        let name = open_name(event.name);
        if let Some(ids) = self.open_by_name.get_mut(&name) {
            ids.retain(|&open| open != id);
            if ids.is_empty() {
                self.open_by_name.remove(&name);
            }
        }
        if self.open.is_empty() {
            self.silences.clear();
        }
    }

    /// The open phase of this name: the calling thread's innermost, otherwise the innermost of all.
    fn find(&self, name: RawName<'_>, thread: u32) -> Option<u32> {
        let candidates = self.open_by_name.get(&open_name(name))?;
        let own = |id: &&u32| self.tree.phases[**id as usize].thread == thread;
        candidates.iter().rev().find(own).or_else(|| candidates.last()).copied()
    }

    fn note_silence(&mut self, at: u64) {
        let gap = at - self.last_event;
        if !self.open.is_empty() {
            self.silences.push(at, gap);
        }
        let longest = self.tree.silence.map_or(0, |silence| silence.length_ns());
        if gap > longest || self.tree.silence.is_none() {
            let phase = self.open.last().copied();
            self.tree.silence = Some(Silence { from: Count64(self.last_event), to: Count64(at), phase });
        }
        self.last_event = at;
    }

    fn note_activity(&mut self, at: u64) {
        let activity = &mut self.tree.activity;
        while at / activity.bin.0 >= MAX_BINS as u64 {
            activity.bin.0 *= 2;
            activity.counts = activity
                .counts
                .chunks(2)
                .map(|pair| pair.iter().fold(0, |sum, &n| n.saturating_add(sum)))
                .collect();
        }
        let bin = (at / activity.bin.0) as usize;
        if activity.counts.len() <= bin {
            activity.counts.resize(bin + 1, 0);
        }
        activity.counts[bin] = activity.counts[bin].saturating_add(1);
    }
}

/// The longest of the stretches that ended after some moment, without looking at each: a stretch is forgotten as soon as
/// one that is at least as long follows it. However many phases are open, a callback costs the same.
#[derive(Debug, Clone, Default)]
struct SuffixMaxima(Vec<(u64, u64)>);

impl SuffixMaxima {
    /// Takes a stretch: when it ended, which is never before the last one, and its length.
    fn push(&mut self, ended: u64, length: u64) {
        while self.0.last().is_some_and(|&(_, shorter)| shorter <= length) {
            self.0.pop();
        }
        self.0.push((ended, length));
    }

    /// The longest that ended after the moment.
    fn longest_since(&self, moment: u64) -> u64 {
        let first = self.0.partition_point(|&(ended, _)| ended <= moment);
        self.0.get(first).map_or(0, |&(_, length)| length)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The bytes by which an open phase is found again.
fn open_name(name: RawName<'_>) -> Vec<u8> {
    match name.digest {
        Some(digest) => digest.as_bytes().to_vec(),
        None => name.bytes.to_vec(),
    }
}

/// A name that a page can show, and the whole name's digest where it is not the whole.
fn display_name(name: RawName<'_>) -> (String, Option<Sha256Digest>) {
    let text = String::from_utf8_lossy(name.bytes);
    let printable: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    let mut end = printable.len().min(MAX_NAME_BYTES);
    while !printable.is_char_boundary(end) {
        end -= 1;
    }
    let shown = printable[..end].to_owned();
    let whole = name.digest.is_none() && shown.as_bytes() == name.bytes;
    let digest = (!whole).then(|| name.digest.unwrap_or_else(|| Sha256Digest::of(name.bytes)));
    (shown, digest)
}

#[cfg(test)]
mod tests;
