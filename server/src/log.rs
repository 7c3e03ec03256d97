//! The log: one task writes, everybody reads.
//!
//! The order of writes is the only safe one: blobs and signatures first (outside, in parallel); then entries, full
//! tiles, projections and the new size in **one transaction**; then the tree head is signed and stored; then the answer
//! goes out. Whatever was acknowledged is on disk under a signed tree head, and a tree head never covers an entry that
//! is not.

pub mod reader;
mod store;
pub mod writer;

use acta_ledger::log::tree_head::TreeHead;

/// A tree head with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedHead {
    /// What was signed.
    pub head: TreeHead,
    /// The note, verbatim.
    pub note: String,
    /// When, in milliseconds since 1970.
    pub signed_at: i64,
}
