//! Progress callbacks, and the only way to cancel a build.
//!
//! TensorRT calls from threads of its own choosing while its work waits. A callback here borrows the names, calls the
//! monitor, and returns: no lock, no allocation, no I/O on this side. `step_complete` is the only callback that can
//! end a build, and only at the next step: TensorRT may work for a long time between two.
//!
//! Nothing unwinds into C++. A panic in `step_complete` answers "stop"; a panic in `phase_start` or `phase_finish`,
//! which have no answer, makes the next step answer "stop". Either is recorded in
//! [`BuildFacts::monitor_panics`](crate::BuildFacts::monitor_panics): a broken monitor is not a user who cancels.

use std::ffi::{c_char, c_void};
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::callback::{bytes, caught, lock};
use crate::error::Error;
use crate::log::Heard;
use crate::shim::{self, Api, call};
use crate::sys;
use crate::version::Family;

/// Watches a build. Called from any thread, perhaps from several at once, while TensorRT waits: it must not block.
///
/// Names are TensorRT's bytes, not promised to be UTF-8, and valid during the call. They are unique only among the
/// phases that are open at the same time.
pub trait ProgressMonitor: Send + Sync {
    /// A phase with `steps` steps begins inside `parent`, or at the root.
    fn phase_start(&self, name: &[u8], parent: Option<&[u8]>, steps: i32);

    /// A step of a phase is done, counted from 0; `Break` asks TensorRT to end the build.
    fn step_complete(&self, name: &[u8], step: i32) -> ControlFlow<()>;

    /// A phase ends, perhaps before all of its steps were reported.
    fn phase_finish(&self, name: &[u8]);
}

/// A callback of [`ProgressMonitor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MonitorCallback {
    /// `phase_start`
    PhaseStart,
    /// `step_complete`
    StepComplete,
    /// `phase_finish`
    PhaseFinish,
}

impl fmt::Display for MonitorCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PhaseStart => "phase_start",
            Self::StepComplete => "step_complete",
            Self::PhaseFinish => "phase_finish",
        })
    }
}

/// A panic in a monitor, caught at the boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonitorPanic {
    /// The callback that panicked.
    pub callback: MonitorCallback,
    /// The panic's message.
    pub message: String,
}

/// How many panics of one build are kept.
const KEPT_PANICS: usize = 100;

/// What the boundary saw of a monitor during one build.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) steps_refused: u64,
    pub(crate) panics: Vec<MonitorPanic>,
}

/// A monitor, both halves. TensorRT may use it as long as the builder lives, so the builder keeps it.
pub(crate) struct Watch {
    api: Api,
    handle: *mut sys::acta_trt_monitor,
    shell: Arc<Shell>,
}

/// The Rust half: what the callbacks get as their context.
struct Shell {
    monitor: Arc<dyn ProgressMonitor>,
    stop: AtomicBool,
    steps_refused: AtomicU64,
    panics: Mutex<Vec<MonitorPanic>>,
}

impl Watch {
    pub(crate) fn new(family: Family, api: Api, monitor: Arc<dyn ProgressMonitor>) -> Result<Self, Error> {
        let shell = Arc::new(Shell {
            monitor,
            stop: AtomicBool::new(false),
            steps_refused: AtomicU64::new(0),
            panics: Mutex::default(),
        });
        let calls = sys::acta_trt_monitor_calls {
            context: Arc::as_ptr(&shell).cast_mut().cast(),
            phase_start: Some(on_phase_start),
            step_complete: Some(on_step_complete),
            phase_finish: Some(on_phase_finish),
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the calls are copied; their context is the `Shell` that is dropped after the C++ half, below.
        shim::ask(|text| unsafe { call!(api, monitor_create(&raw const calls, &raw mut handle, text)) })
            .map_err(|refusal| Error::new("IProgressMonitor", family, refusal, Heard::default()))?;
        Ok(Self { api, handle, shell })
    }

    pub(crate) fn handle(&self) -> *mut sys::acta_trt_monitor {
        self.handle
    }

    /// Forgets the last build.
    pub(crate) fn reset(&self) {
        self.shell.stop.store(false, Ordering::Relaxed);
        self.shell.steps_refused.store(0, Ordering::Relaxed);
        lock(&self.shell.panics).clear();
    }

    pub(crate) fn seen(&self) -> Seen {
        let steps_refused = self.shell.steps_refused.load(Ordering::Relaxed);
        Seen { steps_refused, panics: lock(&self.shell.panics).clone() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: made by `monitor_create`, destroyed once, and the builder that could use it is gone.
        unsafe { call!(self.api, monitor_destroy(self.handle)) };
    }
}

impl Shell {
    fn panicked(&self, callback: MonitorCallback, message: String) {
        self.stop.store(true, Ordering::Relaxed);
        let mut panics = lock(&self.panics);
        if panics.len() < KEPT_PANICS {
            panics.push(MonitorPanic { callback, message });
        }
    }
}

unsafe extern "C" fn on_phase_start(
    context: *mut c_void,
    name: *const c_char,
    parent: *const c_char,
    steps: i32,
) {
    // SAFETY: the context is the `Shell` given to `monitor_create`, which lives as long as the C++ half that calls.
    let shell = unsafe { &*context.cast::<Shell>() };
    // SAFETY: TensorRT passes NUL-terminated strings that live during the call.
    let name = unsafe { bytes(name) };
    // SAFETY: as above; null means that there is no parent.
    let parent = (!parent.is_null()).then(|| unsafe { bytes(parent) });
    if let Err(message) = caught(|| shell.monitor.phase_start(name, parent, steps)) {
        shell.panicked(MonitorCallback::PhaseStart, message);
    }
}

unsafe extern "C" fn on_step_complete(context: *mut c_void, name: *const c_char, step: i32) -> i32 {
    // SAFETY: the context is the `Shell` given to `monitor_create`, which lives as long as the C++ half that calls.
    let shell = unsafe { &*context.cast::<Shell>() };
    // SAFETY: TensorRT passes a NUL-terminated string that lives during the call.
    let name = unsafe { bytes(name) };
    let go_on = match caught(|| shell.monitor.step_complete(name, step)) {
        Ok(flow) => flow.is_continue() && !shell.stop.load(Ordering::Relaxed),
        Err(message) => {
            shell.panicked(MonitorCallback::StepComplete, message);
            false
        }
    };
    if !go_on {
        shell.steps_refused.fetch_add(1, Ordering::Relaxed);
    }
    i32::from(go_on)
}

unsafe extern "C" fn on_phase_finish(context: *mut c_void, name: *const c_char) {
    // SAFETY: the context is the `Shell` given to `monitor_create`, which lives as long as the C++ half that calls.
    let shell = unsafe { &*context.cast::<Shell>() };
    // SAFETY: TensorRT passes a NUL-terminated string that lives during the call.
    let name = unsafe { bytes(name) };
    if let Err(message) = caught(|| shell.monitor.phase_finish(name)) {
        shell.panicked(MonitorCallback::PhaseFinish, message);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;
    use std::thread;

    use super::*;

    /// Counts calls; panics or stops on names that ask for it.
    #[derive(Default)]
    struct Counter {
        starts: AtomicU32,
        steps: AtomicU32,
        finishes: AtomicU32,
        parents: AtomicU32,
        bytes: AtomicU64,
    }

    impl ProgressMonitor for Counter {
        fn phase_start(&self, name: &[u8], parent: Option<&[u8]>, _steps: i32) {
            assert_ne!(name, b"panic");
            self.starts.fetch_add(1, Ordering::Relaxed);
            self.parents.fetch_add(u32::from(parent.is_some()), Ordering::Relaxed);
            self.bytes.fetch_add(name.len() as u64, Ordering::Relaxed);
        }

        fn step_complete(&self, name: &[u8], _step: i32) -> ControlFlow<()> {
            self.steps.fetch_add(1, Ordering::Relaxed);
            if name == b"stop" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }

        fn phase_finish(&self, name: &[u8]) {
            assert_ne!(name, b"panic");
            self.finishes.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn shell() -> (Arc<Counter>, Shell) {
        let counter = Arc::new(Counter::default());
        let shell = Shell {
            monitor: counter.clone(),
            stop: AtomicBool::new(false),
            steps_refused: AtomicU64::new(0),
            panics: Mutex::default(),
        };
        (counter, shell)
    }

    fn start(shell: &Shell, name: &[u8], parent: *const c_char) {
        let context = std::ptr::from_ref(shell).cast_mut().cast();
        let name = std::ffi::CString::new(name).unwrap();
        // SAFETY: a live shell, and strings that end in NUL.
        unsafe { on_phase_start(context, name.as_ptr(), parent, 1) };
    }

    fn step(shell: &Shell, name: &std::ffi::CStr) -> i32 {
        let context = std::ptr::from_ref(shell).cast_mut().cast();
        // SAFETY: a live shell, and a string that ends in NUL.
        unsafe { on_step_complete(context, name.as_ptr(), 0) }
    }

    fn finish(shell: &Shell, name: &std::ffi::CStr) {
        let context = std::ptr::from_ref(shell).cast_mut().cast();
        // SAFETY: a live shell, and a string that ends in NUL.
        unsafe { on_phase_finish(context, name.as_ptr()) };
    }

    #[test]
    fn names_are_bytes_of_any_kind_and_length() {
        let (counter, shell) = shell();
        start(&shell, b"\xff\xfe", std::ptr::null());
        start(&shell, &vec![b'n'; 1 << 20], c"parent".as_ptr());
        start(&shell, b"", c"".as_ptr());
        assert_eq!(counter.starts.load(Ordering::Relaxed), 3);
        assert_eq!(counter.parents.load(Ordering::Relaxed), 2);
        assert_eq!(counter.bytes.load(Ordering::Relaxed), 2 + (1 << 20));
    }

    #[test]
    fn callbacks_may_come_from_many_threads_at_once() {
        const THREADS: u32 = 8;
        const CALLS: u32 = 2000;
        let (counter, shell) = shell();
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..CALLS {
                        start(&shell, b"phase", std::ptr::null());
                        assert_eq!(step(&shell, c"phase"), 1);
                        finish(&shell, c"phase");
                    }
                });
            }
        });
        for seen in [&counter.starts, &counter.steps, &counter.finishes] {
            assert_eq!(seen.load(Ordering::Relaxed), THREADS * CALLS);
        }
    }

    #[test]
    fn a_panic_where_there_is_no_answer_stops_the_next_step() {
        for starting in [true, false] {
            let (counter, shell) = shell();
            assert_eq!(step(&shell, c"phase"), 1);
            if starting {
                start(&shell, b"panic", std::ptr::null())
            } else {
                finish(&shell, c"panic")
            }
            assert_eq!(step(&shell, c"phase"), 0);
            assert_eq!(counter.steps.load(Ordering::Relaxed), 2, "the monitor still hears the step");
            assert_eq!(shell.steps_refused.load(Ordering::Relaxed), 1);
            assert_eq!(lock(&shell.panics).len(), 1);
        }
    }

    #[test]
    fn a_stop_is_answered_and_counted() {
        let (_, shell) = shell();
        assert_eq!((step(&shell, c"stop"), step(&shell, c"phase")), (0, 1));
        assert_eq!(shell.steps_refused.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn panics_are_kept_in_bounded_number() {
        let (_, shell) = shell();
        for _ in 0..KEPT_PANICS + 10 {
            shell.panicked(MonitorCallback::PhaseStart, String::new());
        }
        assert_eq!(lock(&shell.panics).len(), KEPT_PANICS);
    }
}
