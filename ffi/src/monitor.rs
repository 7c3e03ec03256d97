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

/// The Rust half of a monitor. TensorRT may use the C++ half as long as the builder lives, so the builder keeps both.
pub(crate) struct Shell {
    api: Api,
    monitor: Arc<dyn ProgressMonitor>,
    handle: *mut sys::acta_trt_monitor,
    stop: AtomicBool,
    steps_refused: AtomicU64,
    panics: Mutex<Vec<MonitorPanic>>,
}

impl Shell {
    pub(crate) fn new(family: Family, api: Api, monitor: Arc<dyn ProgressMonitor>) -> Result<Box<Self>, Error> {
        let mut shell = Box::new(Self {
            api,
            monitor,
            handle: std::ptr::null_mut(),
            stop: AtomicBool::new(false),
            steps_refused: AtomicU64::new(0),
            panics: Mutex::default(),
        });
        let calls = sys::acta_trt_monitor_calls {
            context: (&raw mut *shell).cast(),
            phase_start: Some(on_phase_start),
            step_complete: Some(on_step_complete),
            phase_finish: Some(on_phase_finish),
        };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the calls are copied, and expect a `Shell` that outlives the C++ half: this box, which destroys it.
        shim::ask(|text| unsafe { call!(api, monitor_create(&raw const calls, &raw mut handle, text)) })
            .map_err(|refusal| Error::new("IProgressMonitor", family, refusal, Vec::new()))?;
        shell.handle = handle;
        Ok(shell)
    }

    pub(crate) fn handle(&self) -> *mut sys::acta_trt_monitor {
        self.handle
    }

    /// Forgets the last build.
    pub(crate) fn reset(&self) {
        self.stop.store(false, Ordering::Relaxed);
        self.steps_refused.store(0, Ordering::Relaxed);
        lock(&self.panics).clear();
    }

    pub(crate) fn seen(&self) -> Seen {
        let steps_refused = self.steps_refused.load(Ordering::Relaxed);
        Seen { steps_refused, panics: lock(&self.panics).clone() }
    }

    fn panicked(&self, callback: MonitorCallback, message: String) {
        self.stop.store(true, Ordering::Relaxed);
        let mut panics = lock(&self.panics);
        if panics.len() < KEPT_PANICS {
            panics.push(MonitorPanic { callback, message });
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: made by `monitor_create`, destroyed once, and the builder that could use it is gone.
            unsafe { call!(self.api, monitor_destroy(self.handle)) };
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
