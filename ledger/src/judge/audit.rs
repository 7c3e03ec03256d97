//! The audit: everything that a log shows, against everything that it signed.
//!
//! Whoever audits brings the keys and remembers the tree heads that were seen; the log brings the rest, and none of it
//! is believed. Three things are followed side by side from the first entry (or from where the last audit ended) to the
//! signed size:
//!
//! - [`tree`]: the entries' bytes, the hash tiles and the signed root agree;
//! - [`entry`]: each entry is a statement, signed by a key that may sign at that index, and no agent's chain has gaps;
//! - [`head`]: no two signed tree heads contradict each other.
//!
//! At the end, [`route`]: what the entries of each route come to is what the server says of it.
//!
//! Reading is not done here: the caller fetches, and the same judgement runs on a laptop and on the server.

pub mod chain;
pub mod entry;
mod finding;
pub mod head;
pub mod keys;
pub mod route;
pub mod tree;

pub use finding::{Finding, Verdict};

#[cfg(test)]
mod tests;
