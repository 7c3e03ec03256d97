//! What TensorRT says: its log and its recorded errors, passed to a sink, and kept for the result of a call.

use std::sync::{Arc, Mutex};

use crate::callback::{caught, lock};
use crate::error::Error;
use crate::shim;
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
    pub(crate) fn from_raw(raw: i32) -> Self {
        match raw {
            0 => Self::InternalError,
            1 => Self::Error,
            2 => Self::Warning,
            3 => Self::Info,
            _ => Self::Verbose,
        }
    }
}

/// Receives TensorRT's log lines and recorded errors, from any thread, while TensorRT waits: it must not block,
/// nor make or drop a builder.
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

/// What TensorRT said during one call. An error goes to the recorder *or* to the log, as TensorRT pleases: most of its
/// own go to the recorder, the parser's and the early ones to the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// Warnings and errors of the log, in order; everything else went to the sink only.
    pub log: Vec<LogLine>,
    /// What the error recorder got, in order.
    pub errors: Vec<RecordedError>,
}

impl Heard {
    /// Every error's text, recorded or logged.
    pub fn error_messages(&self) -> impl Iterator<Item = &str> {
        let recorded = self.errors.iter().map(|error| error.message.as_str());
        let logged = self.log.iter().filter(|line| line.severity <= Severity::Error);
        recorded.chain(logged.map(|line| line.message.as_str()))
    }

    /// The first error's text, else the first warning's, to follow a colon.
    pub(crate) fn after_colon(&self) -> String {
        let warning = || self.log.first().map(|line| line.message.as_str());
        let first = self.error_messages().next().or_else(warning);
        first.map(|text| format!(": {text}")).unwrap_or_default()
    }
}

/// What one operation left behind, in bounded number.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) heard: Heard,
    pub(crate) dropped: u64,
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
        shim::ask(body).map_err(|refusal| Error::new(name, family, refusal, self.take().heard))
    }

    pub(crate) fn log(&self, severity: Severity, message: &[u8]) {
        if severity <= Severity::Warning {
            let message = String::from_utf8_lossy(message).into_owned();
            let mut kept = lock(&self.kept);
            if kept.heard.log.len() < KEEP {
                kept.heard.log.push(LogLine { severity, message });
            } else {
                kept.dropped += 1;
            }
        }
        self.guard(|| self.sink.log(severity, message));
    }

    pub(crate) fn error(&self, code: i32, message: &[u8]) {
        {
            let text = String::from_utf8_lossy(message).into_owned();
            let mut kept = lock(&self.kept);
            if kept.heard.errors.len() < KEEP {
                kept.heard.errors.push(RecordedError { code, message: text });
            } else {
                kept.dropped += 1;
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
