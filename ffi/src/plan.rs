//! What a build returns: the plan, or why there is none, and what was seen meanwhile.
//!
//! Nothing here judges. A null plan with a pending cancel may be a failure; a requested cancel may end in a plan. The
//! facts are told apart, and `acta-ledger` decides.

use std::fmt;

use thiserror::Error;

use crate::library::Library;
use crate::log::{Heard, Kept};
use crate::monitor::{MonitorPanic, Seen};
use crate::shim::call;
use crate::sys;

/// Memory that TensorRT allocated, freed with this value.
pub(crate) struct HostMemory {
    library: Library,
    handle: *mut sys::acta_trt_memory,
}

// SAFETY: the memory belongs to this value alone, nothing changes it, and TensorRT lets any thread free it.
unsafe impl Send for HostMemory {}
// SAFETY: shared references only read bytes that nothing changes.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Takes over a handle that the shim handed out with `ACTA_TRT_YES`.
    pub(crate) fn new(library: Library, handle: *mut sys::acta_trt_memory) -> Self {
        Self { library, handle }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        let api = self.library.api();
        // SAFETY: the handle is alive as long as this value.
        let (data, size) =
            unsafe { (call!(api, memory_data(self.handle)), call!(api, memory_size(self.handle))) };
        let size = usize::try_from(size).unwrap_or(0);
        if data.is_null() || size == 0 {
            return &[];
        }
        // SAFETY: TensorRT owns `size` bytes there until the handle is destroyed, and does not change them.
        unsafe { std::slice::from_raw_parts(data.cast(), size) }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: handed out once, destroyed once; the library is never unloaded.
        unsafe { call!(self.library.api(), memory_destroy(self.handle)) };
    }
}

/// A serialized engine, in the memory that TensorRT allocated for it. It may outlive its builder, and change threads.
pub struct Plan(HostMemory);

impl Plan {
    pub(crate) fn new(memory: HostMemory) -> Self {
        Self(memory)
    }

    /// The plan's bytes, not copied.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl AsRef<[u8]> for Plan {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({} bytes)", self.as_bytes().len())
    }
}

/// What was seen during one build, whatever came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildFacts {
    /// What TensorRT said: recorded errors, and the log's warnings and errors.
    pub heard: Heard,
    /// How many more of those there were than are kept.
    pub dropped: u64,
    /// How many times a step was answered with "stop".
    pub steps_refused: u64,
    /// Panics in the monitor.
    pub monitor_panics: Vec<MonitorPanic>,
    /// Panics in the log sink.
    pub sink_panics: Vec<String>,
}

/// TensorRT's own word that a build was cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildCanceled {
    /// The error recorder's code, `kFAILED_EXECUTION` (7); none if only the log has it.
    pub code: Option<i32>,
    /// The message.
    pub message: String,
}

impl BuildFacts {
    pub(crate) fn new(kept: Kept, seen: Seen) -> Self {
        let Kept { heard, dropped, sink_panics } = kept;
        let Seen { steps_refused, panics } = seen;
        Self { heard, dropped, steps_refused, monitor_panics: panics, sink_panics }
    }

    /// TensorRT's word that the build was cancelled, if it gave it: the recorded error, else the log line.
    #[must_use]
    pub fn build_canceled(&self) -> Option<BuildCanceled> {
        const WORD: &str = "BuildCanceled";
        let recorded = self.heard.errors.iter().map(|error| (Some(error.code), &error.message));
        let logged = self.heard.log.iter().map(|line| (None, &line.message));
        let (code, message) = recorded.chain(logged).find(|(_, message)| message.contains(WORD))?;
        Some(BuildCanceled { code, message: message.clone() })
    }
}

/// A build that returned a plan.
#[derive(Debug)]
pub struct BuildOutput {
    /// The plan.
    pub plan: Plan,
    /// What was seen during the build.
    pub facts: BuildFacts,
}

/// A build that returned no plan.
#[derive(Debug, Error)]
#[error("{reason}{}", .facts.heard.after_colon())]
pub struct BuildError {
    /// How the call ended.
    pub reason: NoPlan,
    /// What was seen during the build.
    pub facts: Box<BuildFacts>,
}

/// How a build call ends without a plan.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoPlan {
    /// TensorRT returned null: it failed, or was cancelled.
    #[error("TensorRT returned no plan")]
    Null,
    /// A C++ exception was caught in the shim.
    #[error("a C++ exception in IBuilder::buildSerializedNetwork: {0}")]
    Exception(String),
    /// The network or the configuration comes from another builder; TensorRT was not called.
    #[error("the {0} belongs to another builder")]
    Foreign(&'static str),
}
