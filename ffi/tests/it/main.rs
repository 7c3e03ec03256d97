//! The safe API against the real TensorRT-RTX, which `scripts/setup` installs: without it these tests fail.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod build;
mod cache;
mod cancel;
mod config;
mod library;
mod panic;
mod parse;
mod phases;
mod shared_data;
mod support;
