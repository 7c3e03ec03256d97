//! The errors of single calls. Opening a library, parsing and building have their own.

use thiserror::Error;

use crate::log::Heard;
use crate::shim::Refusal;
use crate::version::Family;

/// A call that did not do what it was asked to.
#[derive(Debug, Error)]
pub enum Error {
    /// TensorRT said no.
    #[error("TensorRT refused {call}{}{}", aside(.detail), .heard.after_colon())]
    Refused {
        /// The call, as NvInfer names it.
        call: &'static str,
        /// What was asked, where one call is made for several things.
        detail: String,
        /// What TensorRT said during the call.
        heard: Heard,
    },
    /// The loaded family, or the loaded version of it, has no such call.
    #[error("{family} as it was loaded has no {call}")]
    Unsupported {
        /// The call, as NvInfer names it.
        call: &'static str,
        /// The loaded family.
        family: Family,
    },
    /// A C++ exception was caught in the shim.
    #[error("a C++ exception in {call}: {message}")]
    Exception {
        /// The call, as NvInfer names it.
        call: &'static str,
        /// What the exception said.
        message: String,
    },
    /// A setter without an answer left another value than the one asked for.
    #[error("asked {call} for {asked}, and TensorRT kept {kept}{}", .heard.after_colon())]
    NotKept {
        /// The setter, as NvInfer names it.
        call: &'static str,
        /// The value that was asked for.
        asked: i64,
        /// The value that the getter returned afterwards.
        kept: i64,
        /// What TensorRT said during the call.
        heard: Heard,
    },
    /// The argument cannot be said in C: a NUL inside a text, or more dimensions than TensorRT knows.
    #[error("cannot pass {what} to TensorRT")]
    Argument {
        /// The argument.
        what: String,
    },
}

impl Error {
    /// Builds the error for a refusal, with what TensorRT said meanwhile.
    pub(crate) fn new(call: &'static str, family: Family, refusal: Refusal, heard: Heard) -> Self {
        match refusal {
            Refusal::No => Self::Refused { call, detail: String::new(), heard },
            Refusal::Unsupported => Self::Unsupported { call, family },
            Refusal::Threw(message) => Self::Exception { call, message },
        }
    }

    /// Adds what was asked.
    pub(crate) fn with_detail(self, asked: impl FnOnce() -> String) -> Self {
        match self {
            Self::Refused { call, heard, .. } => Self::Refused { call, detail: asked(), heard },
            other => other,
        }
    }
}

fn aside(detail: &str) -> String {
    if detail.is_empty() { String::new() } else { format!(" ({detail})") }
}
