//! The heart of Acta: the log's formats, the evidence that is written into it and the judgements over it.
//!
//! Pure Rust with no I/O, no clock and no async; the same code runs in the server, in the agent, on an auditor's
//! laptop and, compiled to wasm, in the reviewer's browser. Start at [`log::verification`] for what "verified" means,
//! at [`evidence::build`] for what a builder signs, and at [`judge`] for what is concluded from it.

pub mod evidence;
pub mod judge;
pub mod live;
pub mod log;
