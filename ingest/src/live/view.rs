//! From what the supervisor knows to what a page shows: bounded, and only when something has changed.

use std::collections::VecDeque;

use acta_ledger::{
    evidence::{build::BuilderKind, cancel::NoCancelWindow, number::Count64},
    live::{
        HEARTBEAT_MS, LiveCancel, LiveState, LiveUsage, MAX_PHASES, MAX_TEXT_BYTES, Stage, cut, fold::Fold,
    },
};

use crate::{
    builder::{kind::KindWatch, protocol::LibraryFamily, record::Record, resources::Usage},
    clock,
};

/// How far apart two samples are at least, in nanoseconds.
const SAMPLE_NS: u64 = 1_000_000_000;

/// Samples that rates are taken over.
const SAMPLES: usize = 10;

/// A build is told of again after this long, although nothing has changed, in nanoseconds.
const AGAIN_NS: u64 = HEARTBEAT_MS * 1_000_000;

/// What rates are made of.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: u64,
    steps: u64,
    cpu_ms: Option<f64>,
}

/// Follows one build.
pub struct View {
    began_ns: u64,
    kind: KindWatch,
    fold: Fold,
    samples: VecDeque<Sample>,
    /// What the last state was made of, and when.
    last: Option<(Mark, u64)>,
}

/// What makes a state another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    stage: Stage,
    window: Option<NoCancelWindow>,
    callbacks: u64,
    cancel: [Option<u64>; 4],
}

impl View {
    /// Follows a build that began at this reading of the monotonic clock.
    pub fn new(began_ns: u64, kind: KindWatch) -> Self {
        Self { began_ns, kind, fold: Fold::default(), samples: VecDeque::new(), last: None }
    }

    /// The state, where something has changed or a second has passed.
    pub fn look(&mut self, record: &Record, usage: Option<Usage>) -> Option<LiveState> {
        let now = clock::monotonic_ns();
        let mark = mark(record, stage(record));
        let same = |(last, at): (Mark, u64)| last == mark && now.saturating_sub(at) < AGAIN_NS;
        if self.last.is_some_and(same) {
            return None;
        }
        self.last = Some((mark, now));
        Some(self.state(record, usage, mark.stage, now))
    }

    /// The state after the builder's process is gone.
    pub fn cleaning(&mut self, record: &Record) -> LiveState {
        self.state(record, None, Stage::Cleaning, clock::monotonic_ns())
    }

    fn state(&mut self, record: &Record, usage: Option<Usage>, stage: Stage, now: u64) -> LiveState {
        let began = record.times.build_began;
        let tree = &record.tree;
        let before = self.samples.front().copied();
        let here = Sample { at: now, steps: tree.steps(), cpu_ms: usage.and_then(|usage| usage.cpu_ms) };
        if self.samples.back().is_none_or(|last| now.saturating_sub(last.at) >= SAMPLE_NS) {
            self.samples.push_back(here);
            if self.samples.len() > SAMPLES {
                self.samples.pop_front();
            }
        }
        let rate = before.and_then(|before| rates(before, here));
        let library = record.library.as_ref();
        LiveState {
            now: Count64(now),
            started: Count64(self.began_ns),
            stage,
            builder: library.map(|library| match library.family {
                LibraryFamily::TensorrtRtx => BuilderKind::TensorrtRtx,
                LibraryFamily::Tensorrt => BuilderKind::Tensorrt,
            }),
            tensorrt_version: library.map(|library| library.version.to_string()),
            kind: self.kind.look(record),
            build_began: began.map(Count64),
            last_callback: began
                .filter(|_| tree.callbacks() > 0)
                .map(|began| Count64(began + tree.last_event_ns())),
            callbacks: tree.callbacks(),
            steps_per_s: rate.and_then(|(steps, _)| steps).filter(|_| stage == Stage::Building),
            phase_count: tree.phases().len() as u64,
            phases: self.fold.look(tree),
            usage: LiveUsage {
                rss_bytes: usage.and_then(|usage| usage.rss_bytes),
                cores: rate.and_then(|(_, cores)| cores),
                threads: usage.and_then(|usage| usage.threads),
            },
            window: record.windows.standing(),
            cancel: cancel(record, now),
            end: None,
        }
    }
}

/// Steps a second and processor cores between two samples; none where too little time has passed.
fn rates(before: Sample, now: Sample) -> Option<(Option<f64>, Option<f64>)> {
    let passed = now.at.saturating_sub(before.at);
    if passed < SAMPLE_NS {
        return None;
    }
    let seconds = passed as f64 / 1e9;
    let steps = now.steps.saturating_sub(before.steps) as f64 / seconds;
    let cores = now.cpu_ms.zip(before.cpu_ms).map(|(now, before)| ((now - before) / 1e3 / seconds).max(0.0));
    Some((Some(steps), cores))
}

fn stage(record: &Record) -> Stage {
    let times = &record.times;
    let silent_end = record.tree.callbacks() > 0 && record.tree.open_phases().next().is_none();
    if record.done.is_some() || times.write_ended.is_some() {
        Stage::Cleaning
    } else if times.write_began.is_some() {
        Stage::Writing
    } else if times.build_returned.is_some() {
        Stage::Returned
    } else if times.build_began.is_some() {
        if silent_end { Stage::Serializing } else { Stage::Building }
    } else if times.parse_ended.is_some() {
        Stage::SettingUp
    } else if times.parse_began.is_some() {
        Stage::Parsing
    } else {
        Stage::Starting
    }
}

fn mark(record: &Record, stage: Stage) -> Mark {
    let cancel = record.cancel.as_ref();
    let moments = [
        cancel.map(|cancel| cancel.requested_ns),
        cancel.and_then(|cancel| cancel.delivered_ns.or(cancel.deferred_ns)),
        cancel.and_then(|cancel| cancel.acknowledged_ns),
        cancel.and(record.times.build_returned),
    ];
    Mark { stage, window: record.windows.standing(), callbacks: record.tree.callbacks(), cancel: moments }
}

fn cancel(record: &Record, now: u64) -> Option<LiveCancel> {
    let cancel = record.cancel.as_ref()?;
    let returned = record.times.build_returned.filter(|&at| at >= cancel.requested_ns);
    let bounded = |text: &str| cut(text, MAX_TEXT_BYTES).to_owned();
    let held = cancel.held(record.windows.spans(), now);
    // What a window held is delivered at the window's end.
    let held_until = held.released.filter(|_| !held.by.is_empty());
    Some(LiveCancel {
        source: cancel.source,
        reason: cancel.reason.as_deref().map(bounded),
        who: cancel.by.as_ref().map(|by| bounded(&by.who)),
        request: cancel.by.as_ref().map(|by| by.request.id),
        requested: Count64(cancel.requested_ns),
        delivered: cancel.delivered_ns.or(held_until).map(Count64),
        acknowledged: cancel.acknowledged_ns.map(Count64),
        returned: returned.map(Count64),
        cleaned: None,
        held_by: held.by.first().map(|(window, _)| *window),
        open_at_request: cancel.open_at_request.iter().copied().take(MAX_PHASES).collect(),
    })
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::cancel::{CancelSource, CancelState};
    use uuid::Uuid;

    use super::*;
    use crate::{
        blob::BlobStore,
        builder::{
            cancel::Cancel,
            protocol::{Milestone, Name, Report},
        },
    };

    fn start(name: &str) -> Report {
        let name = Name { bytes: name.as_bytes().to_vec(), digest: None };
        Report::Start {
            name,
            parent: None,
            steps: 3,
            at: Count64(clock::monotonic_ns()),
            thread: 0,
            cancel: CancelState::None,
        }
    }

    fn milestone(milestone: Milestone) -> Report {
        Report::Milestone { milestone, at: Count64(clock::monotonic_ns()) }
    }

    #[test]
    fn a_state_is_made_when_something_changes_and_is_always_sound() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::new(Uuid::nil(), &BlobStore::new(folder.path().to_owned())).unwrap();
        let mut view = View::new(clock::monotonic_ns(), KindWatch::default());
        assert_eq!(view.look(&record, None).unwrap().stage, Stage::Starting);
        assert_eq!(view.look(&record, None), None, "nothing has changed");
        for (report, stage) in [
            (milestone(Milestone::ParseBegins), Stage::Parsing),
            (milestone(Milestone::ParseEnds), Stage::SettingUp),
            (milestone(Milestone::BuildBegins), Stage::Building),
            (start("a phase"), Stage::Building),
            (milestone(Milestone::BuildReturned), Stage::Returned),
            (milestone(Milestone::WriteBegins), Stage::Writing),
        ] {
            record.take(report).unwrap();
            let state = view.look(&record, Some(Usage::default())).unwrap();
            assert_eq!((state.stage, state.check()), (stage, Ok(())));
            assert_eq!(state.window.is_some(), stage == Stage::Writing);
        }
        record.request(Cancel::new(CancelSource::CtrlC, "x", clock::monotonic_ns()));
        let cancel = view.look(&record, None).unwrap().cancel.unwrap();
        assert_eq!(
            (cancel.source, cancel.returned),
            (CancelSource::CtrlC, None),
            "it returned before the request"
        );
        assert_eq!(view.cleaning(&record).stage, Stage::Cleaning);
    }

    #[test]
    fn what_holds_a_request_back_is_shown_and_when_it_was_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::new(Uuid::nil(), &BlobStore::new(folder.path().to_owned())).unwrap();
        let mut view = View::new(clock::monotonic_ns(), KindWatch::default());
        record.windows.open(NoCancelWindow::NoRollbackRoute, clock::monotonic_ns());
        record.take(milestone(Milestone::BuildBegins)).unwrap();
        record.request(Cancel {
            is_held: true,
            ..Cancel::new(CancelSource::CtrlC, "x", clock::monotonic_ns())
        });
        let state = view.look(&record, None).unwrap();
        assert_eq!(state.window, Some(NoCancelWindow::NoRollbackRoute));
        let cancel = state.cancel.unwrap();
        assert_eq!((cancel.held_by, cancel.delivered), (Some(NoCancelWindow::NoRollbackRoute), None));
        let stands = clock::monotonic_ns();
        record.windows.close(NoCancelWindow::NoRollbackRoute, stands);
        let state = view.look(&record, None).expect("a window that closes is news");
        assert_eq!((state.window, state.check()), (None, Ok(())));
        let cancel = state.cancel.unwrap();
        assert_eq!(cancel.held_by, Some(NoCancelWindow::NoRollbackRoute));
        assert_eq!(cancel.delivered, Some(Count64(stands)));
    }

    #[test]
    fn rates_need_a_second() {
        let sample = |at, steps, cpu_ms| Sample { at, steps, cpu_ms };
        assert_eq!(rates(sample(0, 0, None), sample(SAMPLE_NS - 1, 9, None)), None);
        let (steps, cores) =
            rates(sample(0, 10, Some(100.0)), sample(2 * SAMPLE_NS, 40, Some(2_100.0))).unwrap();
        assert_eq!((steps, cores), (Some(15.0), Some(1.0)));
    }
}
