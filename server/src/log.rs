//! The log: one task writes, everybody reads.
//!
//! The order of writes is the only safe one: blobs and signatures first (outside, in parallel); then entries, full
//! tiles, projections, the new size and its signed tree head in **one transaction**; then the [`crate::anchor`]; then the
//! tree head is shown and the answer goes out. Whatever was acknowledged is on disk under a signed tree head, a tree head
//! that went out never covers an entry that is not, and the anchor is never behind what went out. A tree head whose commit
//! failed was seen by nobody: it is dropped with the memory that held it.

mod batch;
pub mod reader;
mod recovery;
pub(crate) mod store;
pub(crate) mod tiles;
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
