//! The callbacks that TensorRT makes: copy the event, read one atomic, return.

use std::{
    cell::Cell,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
};

use acta_ffi::{LogSink, ProgressMonitor, Severity};
use acta_ledger::evidence::cancel::CancelState;
use crossbeam_queue::ArrayQueue;

use super::{
    flag::CancelFlag,
    protocol::{LogSeverity, MAX_MESSAGE_BYTES},
    ring::{EventRing, Slot, SlotKind, SlotName},
};
use crate::clock;

/// How many log lines wait at most.
pub const LOG_CAPACITY: usize = 4096;

/// What the callbacks fill.
pub struct Sources {
    /// Progress events.
    pub events: EventRing,
    /// Log lines and recorded errors.
    pub logs: LogQueue,
    /// The cancellation state.
    pub flag: CancelFlag,
    /// The library said that the attached timing cache is in use.
    pub said_global_cache: AtomicBool,
    /// The library said that a timing cache of its own is in use.
    pub said_local_cache: AtomicBool,
    /// The worker asks the library about itself: what it logs meanwhile is not about the build.
    pub muted: AtomicBool,
}

impl Sources {
    /// Allocates all of it.
    pub fn new() -> Arc<Self> {
        let (events, logs) = (EventRing::new(super::ring::CAPACITY), LogQueue::new(LOG_CAPACITY));
        let (said_global_cache, said_local_cache) = (AtomicBool::new(false), AtomicBool::new(false));
        let (flag, muted) = (CancelFlag::default(), AtomicBool::new(false));
        Arc::new(Self { events, logs, flag, said_global_cache, said_local_cache, muted })
    }
}

/// The monitor that is given to TensorRT.
pub struct Monitor(pub Arc<Sources>);

/// The calling thread's number, counted from 0 in order of appearance.
fn thread_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: Cell<Option<u32>> = const { Cell::new(None) };
    }
    NUMBER.get().unwrap_or_else(|| {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        NUMBER.set(Some(number));
        number
    })
}

impl Monitor {
    fn push(&self, at: u64, cancel: CancelState, name: &[u8], parent: Option<&[u8]>, kind: SlotKind) {
        let (thread, name, parent) = (thread_number(), SlotName::new(name), parent.map(SlotName::new));
        self.0.events.push(Slot { at, thread, cancel, name, parent, kind });
    }
}

impl ProgressMonitor for Monitor {
    fn phase_start(&self, name: &[u8], parent: Option<&[u8]>, steps: i32) {
        let at = clock::monotonic_ns();
        self.push(at, self.0.flag.read(), name, parent, SlotKind::Start { steps });
    }

    fn step_complete(&self, name: &[u8], step: i32) -> ControlFlow<()> {
        let at = clock::monotonic_ns();
        let (stop, cancel) = self.0.flag.answer_step();
        self.push(at, cancel, name, None, SlotKind::Step { step, stop });
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn phase_finish(&self, name: &[u8]) {
        let at = clock::monotonic_ns();
        self.push(at, self.0.flag.read(), name, None, SlotKind::Finish);
    }
}

/// A log line or a recorded error.
pub struct LogEntry {
    /// Nanoseconds of the monotonic clock.
    pub at: u64,
    /// What it is.
    pub kind: LogKind,
    /// What it says, cut.
    pub message: Vec<u8>,
}

/// What a log entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogKind {
    /// A log line.
    Line(LogSeverity),
    /// An error of the error recorder, with NvInfer's code.
    Recorded(i32),
}

/// Log lines on their way out: bounded, without locks.
pub struct LogQueue {
    queue: ArrayQueue<LogEntry>,
    lost: AtomicU64,
}

impl LogQueue {
    /// Allocates the queue.
    pub fn new(capacity: usize) -> Self {
        Self { queue: ArrayQueue::new(capacity), lost: AtomicU64::new(0) }
    }

    /// Takes an entry, or counts it as lost.
    pub fn push(&self, kind: LogKind, message: &[u8]) {
        let message = message[..message.len().min(MAX_MESSAGE_BYTES)].to_vec();
        if self.queue.push(LogEntry { at: clock::monotonic_ns(), kind, message }).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Gives the oldest entry.
    pub fn pop(&self) -> Option<LogEntry> {
        self.queue.pop()
    }

    /// How many entries were lost since the last question.
    pub fn take_lost(&self) -> u64 {
        self.lost.swap(0, Ordering::Relaxed)
    }
}

impl Sources {
    fn note_cache(&self, message: &[u8]) {
        if message.starts_with(b"Global timing cache in use") {
            self.said_global_cache.store(true, Ordering::Relaxed);
        } else if message.starts_with(b"Local timing cache in use") {
            self.said_local_cache.store(true, Ordering::Relaxed);
        }
    }
}

impl LogSink for Sources {
    fn log(&self, severity: Severity, message: &[u8]) {
        if self.muted.load(Ordering::Relaxed) {
            return;
        }
        let severity = match severity {
            Severity::InternalError => LogSeverity::InternalError,
            Severity::Error => LogSeverity::Error,
            Severity::Warning => LogSeverity::Warning,
            Severity::Info => LogSeverity::Info,
            // Thousands of lines a second that no page shows.
            Severity::Verbose => return,
        };
        if severity == LogSeverity::Info {
            self.note_cache(message);
        }
        self.logs.push(LogKind::Line(severity), message);
    }

    fn error(&self, code: i32, message: &[u8]) {
        self.logs.push(LogKind::Recorded(code), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callbacks_leave_events_and_answer_the_flag() {
        let sources = Sources::new();
        let monitor = Monitor(Arc::clone(&sources));
        monitor.phase_start(b"root", None, 3);
        assert!(monitor.step_complete(b"root", 0).is_continue());
        sources.flag.request();
        assert!(monitor.step_complete(b"root", 1).is_break());
        monitor.phase_finish(b"root");
        let slots: Vec<Slot> = std::iter::from_fn(|| sources.events.pop()).collect();
        assert_eq!(slots.len(), 4);
        assert!(matches!(slots[2].kind, SlotKind::Step { step: 1, stop: true }));
        assert_eq!(slots[2].cancel, CancelState::Requested);
        assert_eq!(slots[3].cancel, CancelState::Acknowledged);
        assert!(slots.windows(2).all(|pair| pair[0].at <= pair[1].at));
    }

    #[test]
    fn log_lines_are_cut_and_counted() {
        let queue = LogQueue::new(1);
        queue.push(LogKind::Recorded(7), &vec![b'm'; MAX_MESSAGE_BYTES * 2]);
        queue.push(LogKind::Line(LogSeverity::Info), b"lost");
        assert_eq!(queue.take_lost(), 1);
        let entry = queue.pop().unwrap();
        assert_eq!((entry.kind, entry.message.len()), (LogKind::Recorded(7), MAX_MESSAGE_BYTES));
    }

    /// Lets a request come in while a callback of the real library runs.
    struct Asked {
        monitor: Monitor,
        during: &'static str,
    }

    impl Asked {
        fn ask(&self, callback: &str, name: &[u8]) {
            if callback == self.during && name == b"Optimizing graph" {
                self.monitor.0.flag.request();
            }
        }
    }

    impl ProgressMonitor for Asked {
        fn phase_start(&self, name: &[u8], parent: Option<&[u8]>, steps: i32) {
            self.ask("start", name);
            self.monitor.phase_start(name, parent, steps);
        }

        fn step_complete(&self, name: &[u8], step: i32) -> ControlFlow<()> {
            let answer = self.monitor.step_complete(name, step);
            if step == 3 {
                self.ask("step", name);
            }
            answer
        }

        fn phase_finish(&self, name: &[u8]) {
            self.ask("finish", name);
            self.monitor.phase_finish(name);
        }
    }

    #[test]
    fn a_request_during_any_callback_of_the_library_is_never_lost() {
        let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let search = acta_ffi::LibrarySearch::from_environment().venv(project.join(".venv"));
        let library = acta_ffi::Library::open(&search).expect("TensorRT-RTX is not there: run scripts/setup");
        let builder = acta_ffi::Builder::new(&library, Arc::new(())).unwrap();
        for during in ["start", "step", "finish"] {
            let mut network = builder.create_network(acta_ffi::NetworkFlags::STRONGLY_TYPED).unwrap();
            network.parse_onnx(&acta_tests::onnx::chain(40, 16), None).unwrap();
            let mut config = builder.create_config().unwrap();
            let monitor = Arc::new(Asked { monitor: Monitor(Sources::new()), during });
            config.set_progress_monitor(Some(Arc::clone(&monitor) as Arc<dyn ProgressMonitor>)).unwrap();
            let error = builder.build_serialized(&network, &config).map(drop).unwrap_err();
            assert!(error.facts.build_canceled().is_some(), "{during}: the library says that it was asked");
            assert_eq!(monitor.monitor.0.flag.read(), CancelState::Acknowledged, "{during}");
        }
    }
}
