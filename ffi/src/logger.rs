//! The objects through which TensorRT says things: loggers and error recorders, each with a C++ and a Rust half.
//!
//! A logger must outlive everything that may use it, and TensorRT keeps the first builder's logger as the process's
//! global one. So a logger is never destroyed: when its builder is gone it is emptied, and lent to the next one.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::callback::{bytes, lock};
use crate::error::Error;
use crate::log::{Heard, Journal, Severity};
use crate::shim::{self, Api, call};
use crate::sys;
use crate::version::Family;

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
        .map_err(|refusal| Error::new("ILogger", family, refusal, Heard::default()))?;
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

/// A builder's error recorder, both halves. Kept by the builder, and by the timing caches that came from it: they
/// refer to it until they are destroyed, be it after the builder.
pub(crate) struct Recorder {
    api: Api,
    handle: *mut sys::acta_trt_recorder,
    journal: Arc<Journal>,
}

impl Recorder {
    pub(crate) fn new(family: Family, api: Api, journal: &Arc<Journal>) -> Result<Self, Error> {
        let mut handle = std::ptr::null_mut();
        shim::ask(|text| {
            let context = Arc::as_ptr(journal).cast_mut().cast();
            // SAFETY: the callback expects a `Journal`, which is dropped after the C++ half, below.
            unsafe { call!(api, recorder_create(Some(on_error), context, &raw mut handle, text)) }
        })
        .map_err(|refusal| Error::new("IErrorRecorder", family, refusal, Heard::default()))?;
        Ok(Self { api, handle, journal: Arc::clone(journal) })
    }

    pub(crate) fn handle(&self) -> *mut sys::acta_trt_recorder {
        self.handle
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once; the builder and the caches that refer to it are gone, for they hold it.
        unsafe { call!(self.api, recorder_destroy(self.handle)) };
    }
}

unsafe extern "C" fn on_error(context: *mut c_void, code: i32, message: *const c_char) {
    // SAFETY: the context is the `Journal` that the `Recorder` holds until its C++ half, the caller, is destroyed.
    let journal = unsafe { &*context.cast::<Journal>() };
    // SAFETY: TensorRT passes a NUL-terminated string that lives during the call.
    let message = unsafe { bytes(message) };
    journal.error(code, message);
}
