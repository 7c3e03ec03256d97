//! TensorRT's log and its error recorder.
//!
//! A logger must outlive everything that may use it, and TensorRT keeps the first builder's logger as the process's
//! global one. So a logger is never destroyed: when its builder is gone it is emptied, and lent to the next one.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::callback::{bytes, caught, lock};
use crate::error::Error;
use crate::shim::{self, Api, call};
use crate::sys;
use crate::version::Family;

/// How grave a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// An internal error: the work cannot go on.
    InternalError,
    /// An error.
    Error,
    /// Something looks wrong, and TensorRT went on.
    Warning,
    /// Information.
    Info,
    /// Details.
    Verbose,
}

impl Severity {
    fn from_raw(raw: i32) -> Self {
        match raw {
            0 => Self::InternalError,
            1 => Self::Error,
            2 => Self::Warning,
            3 => Self::Info,
            _ => Self::Verbose,
        }
    }
}

/// Receives TensorRT's log lines and recorded errors, from any thread, while TensorRT waits: it must not block.
///
/// A panic in it is caught and told in [`BuildFacts::sink_panics`](crate::BuildFacts::sink_panics).
pub trait LogSink: Send + Sync {
    /// Takes one log line; the bytes are valid during the call, and need not be UTF-8.
    fn log(&self, severity: Severity, message: &[u8]);

    /// Takes one error that TensorRT gave to its error recorder, with NvInfer's `ErrorCode`.
    fn error(&self, code: i32, message: &[u8]) {
        let _ = (code, message);
    }
}

/// Drops everything.
impl LogSink for () {
    fn log(&self, _severity: Severity, _message: &[u8]) {}
}

/// A log line that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// How grave it is.
    pub severity: Severity,
    /// What it says; bytes that are no UTF-8 are replaced.
    pub message: String,
}

/// An error that TensorRT gave to its error recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedError {
    /// NvInfer's `ErrorCode`.
    pub code: i32,
    /// What it says; bytes that are no UTF-8 are replaced.
    pub message: String,
}

impl RecordedError {
    /// The code's name in NvInfer.
    #[must_use]
    pub fn code_name(&self) -> &'static str {
        const NAMES: [&str; 11] = [
            "kSUCCESS",
            "kUNSPECIFIED_ERROR",
            "kINTERNAL_ERROR",
            "kINVALID_ARGUMENT",
            "kINVALID_CONFIG",
            "kFAILED_ALLOCATION",
            "kFAILED_INITIALIZATION",
            "kFAILED_EXECUTION",
            "kFAILED_COMPUTATION",
            "kINVALID_STATE",
            "kUNSUPPORTED_STATE",
        ];
        usize::try_from(self.code).ok().and_then(|code| NAMES.get(code)).copied().unwrap_or("unknown")
    }
}

/// What one operation left behind: warnings and errors only, and a bounded number of them.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) lines: Vec<LogLine>,
    pub(crate) lines_dropped: u64,
    pub(crate) errors: Vec<RecordedError>,
    pub(crate) errors_dropped: u64,
    pub(crate) sink_panics: Vec<String>,
}

/// How many lines, errors and panics of one operation are kept; all of them reach the sink.
const KEEP: usize = 1000;

/// One builder's log: passes everything to the sink, and keeps what the result of the running operation needs.
///
/// The lock is held for a push, and only for warnings and errors.
pub(crate) struct Journal {
    sink: Arc<dyn LogSink>,
    kept: Mutex<Kept>,
}

impl Journal {
    pub(crate) fn new(sink: Arc<dyn LogSink>) -> Arc<Self> {
        Arc::new(Self { sink, kept: Mutex::default() })
    }

    /// Takes what was kept since the last time.
    pub(crate) fn take(&self) -> Kept {
        std::mem::take(&mut *lock(&self.kept))
    }

    /// Makes one call of the shim; a refusal carries what TensorRT logged during that call.
    pub(crate) fn ask(
        &self,
        name: &'static str,
        family: Family,
        body: impl FnOnce(*mut sys::acta_trt_text) -> i32,
    ) -> Result<(), Error> {
        drop(self.take());
        shim::ask(body).map_err(|refusal| Error::new(name, family, refusal, self.take().lines))
    }

    fn log(&self, severity: Severity, message: &[u8]) {
        if severity <= Severity::Warning {
            let message = String::from_utf8_lossy(message).into_owned();
            let mut kept = lock(&self.kept);
            if kept.lines.len() < KEEP {
                kept.lines.push(LogLine { severity, message });
            } else {
                kept.lines_dropped += 1;
            }
        }
        self.guard(|| self.sink.log(severity, message));
    }

    fn error(&self, code: i32, message: &[u8]) {
        {
            let text = String::from_utf8_lossy(message).into_owned();
            let mut kept = lock(&self.kept);
            if kept.errors.len() < KEEP {
                kept.errors.push(RecordedError { code, message: text });
            } else {
                kept.errors_dropped += 1;
            }
        }
        self.guard(|| self.sink.error(code, message));
    }

    fn guard(&self, body: impl FnOnce()) {
        if let Err(panic) = caught(body) {
            let mut kept = lock(&self.kept);
            if kept.sink_panics.len() < KEEP {
                kept.sink_panics.push(panic);
            }
        }
    }
}

/// The Rust half of a logger; lives as long as the process.
struct Shell {
    journal: RwLock<Option<Arc<Journal>>>,
}

/// A logger, both halves.
struct Logger {
    family: Family,
    shell: &'static Shell,
    handle: *mut sys::acta_trt_logger,
}

// SAFETY: the C++ half is never changed nor destroyed after its creation, and is made to be called from any thread.
unsafe impl Send for Logger {}

/// Loggers that no builder uses at the moment.
static IDLE: Mutex<Vec<Logger>> = Mutex::new(Vec::new());

/// A logger lent to one builder.
pub(crate) struct Lease {
    logger: Option<Logger>,
}

impl Lease {
    /// Lends a logger that writes to this journal until the lease is dropped.
    pub(crate) fn new(family: Family, api: Api, journal: &Arc<Journal>) -> Result<Self, Error> {
        let idle = {
            let mut idle = lock(&IDLE);
            let found = idle.iter().position(|logger| logger.family == family);
            found.map(|index| idle.swap_remove(index))
        };
        let logger = match idle {
            Some(logger) => logger,
            None => Self::make(family, api)?,
        };
        fill(logger.shell, Some(Arc::clone(journal)));
        Ok(Self { logger: Some(logger) })
    }

    fn make(family: Family, api: Api) -> Result<Logger, Error> {
        let shell: &'static Shell = Box::leak(Box::new(Shell { journal: RwLock::new(None) }));
        let mut handle = std::ptr::null_mut();
        shim::ask(|text| {
            let context = std::ptr::from_ref(shell).cast_mut().cast();
            // SAFETY: the callback expects a `Shell` that is never freed, and gets one.
            unsafe { call!(api, logger_create(Some(on_log), context, &raw mut handle, text)) }
        })
        .map_err(|refusal| Error::new("ILogger", family, refusal, Vec::new()))?;
        Ok(Logger { family, shell, handle })
    }

    pub(crate) fn handle(&self) -> *mut sys::acta_trt_logger {
        self.logger.as_ref().map_or(std::ptr::null_mut(), |logger| logger.handle)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(logger) = self.logger.take() {
            fill(logger.shell, None);
            lock(&IDLE).push(logger);
        }
    }
}

/// Changes whom a logger writes to; waits for lines that are being written.
fn fill(shell: &Shell, journal: Option<Arc<Journal>>) {
    let before = {
        let mut current = shell.journal.write().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, journal)
    };
    drop(before);
}

unsafe extern "C" fn on_log(context: *mut c_void, severity: i32, message: *const c_char) {
    // SAFETY: the context is the leaked `Shell` given to `logger_create`.
    let shell = unsafe { &*context.cast::<Shell>() };
    // SAFETY: TensorRT passes a NUL-terminated string that lives during the call.
    let message = unsafe { bytes(message) };
    // Not to be had only while a builder comes or goes: then the line belongs to nobody.
    if let Ok(journal) = shell.journal.try_read()
        && let Some(journal) = journal.as_deref()
    {
        journal.log(Severity::from_raw(severity), message);
    }
}

/// The error recorder's callback; its context is the builder's [`Journal`].
pub(crate) unsafe extern "C" fn on_error(context: *mut c_void, code: i32, message: *const c_char) {
    // SAFETY: the context is the `Journal` that the builder holds until its C++ half, the caller, is destroyed.
    let journal = unsafe { &*context.cast::<Journal>() };
    // SAFETY: TensorRT passes a NUL-terminated string that lives during the call.
    let message = unsafe { bytes(message) };
    journal.error(code, message);
}
