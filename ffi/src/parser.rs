//! The ONNX parser, with every error that it reports.

use std::ffi::{CStr, c_char};
use std::io;
use std::path::PathBuf;

use thiserror::Error as ThisError;

use crate::builder::Shared;
use crate::callback::bytes;
use crate::error::Error;
use crate::library::Library;
use crate::log::Heard;
use crate::shim::{self, Refusal, call};
use crate::sys;

/// A model that was not parsed.
#[derive(Debug, ThisError)]
pub enum ParseError {
    /// The model's file cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The parser says no.
    #[error("the ONNX parser refused the model{}", first(.errors))]
    Refused {
        /// All that it says.
        errors: Vec<ParserError>,
        /// What TensorRT said meanwhile.
        heard: Heard,
    },
    /// A call failed that the parser needs.
    #[error(transparent)]
    Call(#[from] Error),
}

impl ParseError {
    /// The parser's errors; none if it was not even asked.
    #[must_use]
    pub fn errors(&self) -> &[ParserError] {
        if let Self::Refused { errors, .. } = self { errors } else { &[] }
    }
}

/// One error of the parser. Texts that are no UTF-8 are repaired; absent ones are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParserError {
    /// NvOnnxParser's `ErrorCode`.
    pub code: i32,
    /// What is wrong.
    pub message: String,
    /// The parser's source file.
    pub file: String,
    /// The line there.
    pub line: i32,
    /// The parser's function.
    pub function: String,
    /// The model's node, counted from 0; -1 if it is about none.
    pub node: i32,
    /// The node's name.
    pub node_name: String,
    /// The node's operator.
    pub node_operator: String,
    /// The model's local functions around the node, the outermost first.
    pub function_stack: Vec<String>,
}

impl ParserError {
    /// The code's name in NvOnnxParser.
    #[must_use]
    pub fn code_name(&self) -> &'static str {
        const NAMES: [&str; 15] = [
            "kSUCCESS",
            "kINTERNAL_ERROR",
            "kMEM_ALLOC_FAILED",
            "kMODEL_DESERIALIZE_FAILED",
            "kINVALID_VALUE",
            "kINVALID_GRAPH",
            "kINVALID_NODE",
            "kUNSUPPORTED_GRAPH",
            "kUNSUPPORTED_NODE",
            "kUNSUPPORTED_NODE_ATTR",
            "kUNSUPPORTED_NODE_INPUT",
            "kUNSUPPORTED_NODE_DATATYPE",
            "kUNSUPPORTED_NODE_DYNAMIC",
            "kUNSUPPORTED_NODE_SHAPE",
            "kREFIT_FAILED",
        ];
        usize::try_from(self.code).ok().and_then(|code| NAMES.get(code)).copied().unwrap_or("unknown")
    }
}

fn first(errors: &[ParserError]) -> String {
    let Some(error) = errors.first() else { return String::new() };
    let more = match errors.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    format!(": {} in node {}: {}{more}", error.code_name(), error.node, error.message)
}

/// A parser; owned by the network that it fills.
pub(crate) struct Parser {
    library: Library,
    handle: *mut sys::acta_trt_parser,
}

impl Drop for Parser {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once; its network is still there.
        unsafe { call!(self.library.api(), parser_destroy(self.handle)) };
    }
}

impl Parser {
    /// Makes a parser for a network of this builder.
    pub(crate) fn new(shared: &Shared, network: *mut sys::acta_trt_network) -> Result<Self, Error> {
        let library = shared.library.clone();
        let mut handle = std::ptr::null_mut();
        shared.ask("createNvOnnxParser", |text| {
            let (entry, logger) = (library.create_parser(), shared.lease.handle());
            // SAFETY: the entry is the function of that name in the library's own parser; the network is alive, and
            // owns the parser from now on; the logger lives as long as the process.
            unsafe { call!(library.api(), parser_create(entry, logger, network, &raw mut handle, text)) }
        })?;
        Ok(Self { library, handle })
    }

    /// Parses a model; a no carries every error.
    pub(crate) fn parse(
        &mut self,
        shared: &Shared,
        model: &[u8],
        path: Option<&CStr>,
    ) -> Result<(), ParseError> {
        drop(shared.journal().take());
        let answer = shim::ask(|text| {
            let path = path.map_or(std::ptr::null(), CStr::as_ptr);
            let (data, size) = (model.as_ptr().cast(), model.len() as u64);
            // SAFETY: the parser and its network are alive; model and path outlive the call, which copies them.
            unsafe { call!(self.library.api(), parser_parse(self.handle, data, size, path, text)) }
        });
        match answer {
            Ok(()) => Ok(()),
            Err(Refusal::No | Refusal::Unsupported) => {
                let heard = shared.journal().take().heard;
                Err(ParseError::Refused { errors: self.errors(shared)?, heard })
            }
            Err(refusal) => {
                let heard = shared.journal().take().heard;
                Err(Error::new("IParser::parse", self.library.family(), refusal, heard).into())
            }
        }
    }

    fn errors(&self, shared: &Shared) -> Result<Vec<ParserError>, Error> {
        let mut count = 0;
        shared.ask("IParser::getNbErrors", |text| {
            // SAFETY: the parser is alive, and used on its own thread.
            unsafe { call!(self.library.api(), parser_error_count(self.handle, &raw mut count, text)) }
        })?;
        (0..count).map(|index| self.error(shared, index)).collect()
    }

    fn error(&self, shared: &Shared, index: i32) -> Result<ParserError, Error> {
        let mut raw = sys::acta_trt_parser_error {
            code: 0,
            description: std::ptr::null(),
            file: std::ptr::null(),
            line: 0,
            function: std::ptr::null(),
            node: -1,
            node_name: std::ptr::null(),
            node_operator: std::ptr::null(),
            function_stack: std::ptr::null(),
            function_stack_size: 0,
        };
        shared.ask("IParser::getError", |text| {
            // SAFETY: the parser is alive, and used on its own thread; the error outlives the call.
            unsafe { call!(self.library.api(), parser_error(self.handle, index, &raw mut raw, text)) }
        })?;
        let depth = usize::try_from(raw.function_stack_size).unwrap_or(0);
        let function_stack = if raw.function_stack.is_null() {
            Vec::new()
        } else {
            // SAFETY: the parser keeps that many strings there until it is destroyed, or asked to clear its errors.
            let stack = unsafe { std::slice::from_raw_parts(raw.function_stack, depth) };
            // SAFETY: as above, each is null or NUL-terminated.
            stack.iter().map(|name| unsafe { owned(*name) }).collect()
        };
        // SAFETY: the parser keeps these strings, null or NUL-terminated, until it is destroyed; they are copied now.
        let [message, file, function, node_name, node_operator] =
            [raw.description, raw.file, raw.function, raw.node_name, raw.node_operator]
                .map(|text| unsafe { owned(text) });
        let sys::acta_trt_parser_error { code, line, node, .. } = raw;
        Ok(ParserError {
            code,
            message,
            file,
            line,
            function,
            node,
            node_name,
            node_operator,
            function_stack,
        })
    }
}

/// Copies a C string; null is empty.
///
/// # Safety
/// The pointer is null, or a NUL-terminated string.
unsafe fn owned(text: *const c_char) -> String {
    // SAFETY: promised by the caller, and copied before returning.
    String::from_utf8_lossy(unsafe { bytes(text) }).into_owned()
}
