//! What a supervisor notes of a running build, for whoever asks meanwhile and for whoever finds it dead.

use acta_ledger::{evidence::build::Resources, judge::stuck::StuckVerdict};

use super::{external::left::ProcessId, protocol::Report, record::Record, verdict::Judge};
use crate::{
    clock,
    journal::{Eyes, LiveCancel, LiveNote, OpenPhase},
};

/// How often it is noted, in nanoseconds.
const EVERY_NS: u64 = 500_000_000;

/// How many open phases are noted, the outermost.
const MAX_OPEN: usize = 64;

/// A silence shorter than this, in nanoseconds, says nothing of how busy the worker is.
const MEASURABLE_NS: u64 = 1_000_000_000;

/// Looks at the record now and then.
pub struct Watcher {
    eyes: Eyes,
    judge: Judge,
    verdict: Option<StuckVerdict>,
    process: Option<ProcessId>,
    noted_ns: u64,
    callbacks: u64,
    /// When the callbacks last grew, and how much processor time the worker had used by then.
    silent_since: Option<(u64, f64)>,
}

impl Watcher {
    /// Begins to look at a build in this process.
    pub fn new(eyes: Eyes, judge: Judge, pid: u32) -> Self {
        let process = ProcessId::of(pid);
        Self { eyes, judge, verdict: None, process, noted_ns: 0, callbacks: 0, silent_since: None }
    }

    /// How it stands beside earlier builds, by the last look.
    pub fn verdict(&self) -> Option<&StuckVerdict> {
        self.verdict.as_ref()
    }

    /// Looks, and notes what it sees twice a second.
    pub fn look(&mut self, record: &mut Record, resources: Resources) {
        let now = clock::monotonic_ns();
        let callbacks = record.tree.callbacks();
        if callbacks != self.callbacks || self.silent_since.is_none() {
            self.callbacks = callbacks;
            self.silent_since = resources.cpu_ms.map(|cpu_ms| (now, cpu_ms));
        }
        if now.saturating_sub(self.noted_ns) < EVERY_NS {
            return;
        }
        self.noted_ns = now;
        // A log that cannot be handed to the system fails where it is written, and the build with it.
        record.flush().ok();
        let seen = self.seen(record, resources, now);
        self.eyes.note(&seen);
        self.verdict = self.judge.look(record, &seen);
    }

    fn seen(&self, record: &Record, resources: Resources, now: u64) -> LiveNote {
        let began = record.times.build_began;
        let open = record.tree.open_phases().take(MAX_OPEN).map(|phase| OpenPhase {
            name: phase.name.clone(),
            occurrence: phase.occurrence,
            started_ns: began.unwrap_or(now).saturating_add(phase.started.0),
        });
        let last = began.filter(|_| record.tree.callbacks() > 0);
        let library = record.library.clone().map(|library| Report::Library {
            family: library.family,
            path: library.path,
            parser_path: library.parser_path,
            version: library.version,
        });
        LiveNote {
            at_ns: now,
            library,
            network: record.network.clone(),
            build_began_ns: began,
            callbacks: record.tree.callbacks(),
            last_callback_ns: last.map(|began| began.saturating_add(record.tree.last_event_ns())),
            open: open.collect(),
            cancel: record.cancel.as_ref().map(|cancel| LiveCancel {
                source: cancel.source,
                requested_ns: cancel.requested_ns,
                acknowledged_ns: cancel.acknowledged_ns,
            }),
            resources,
            busy_per_mille: self.busy(resources, now),
            process: self.process,
            told: (record.told.clients > 0).then(|| record.told.clone()),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of some processors in thousandths is small and not negative"
    )]
    fn busy(&self, resources: Resources, now: u64) -> Option<u32> {
        let (since, used) = self.silent_since?;
        let silent_ns = now.saturating_sub(since);
        let used_ms = (resources.cpu_ms? - used).max(0.0);
        (silent_ns >= MEASURABLE_NS).then(|| (used_ms * 1e9 / silent_ns as f64).round() as u32)
    }
}
