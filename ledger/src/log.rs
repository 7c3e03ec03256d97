//! The log: digests, canonical JSON, signed envelopes, statements, the Merkle tree, tree heads and proofs.
//!
//! ```text
//! statement (in-toto v1) --JCS--> payload --DSSE/Ed25519--> envelope --JCS--> entry = leaf of an RFC 6962 tree
//!                                                                                 |
//!                               tree head (C2SP checkpoint, a signed note) <-- size, root
//! ```
//! The word *checkpoint* always means a model checkpoint in Acta; the log's is a *tree head*.

pub mod blobs;
pub mod cosignature;
pub mod digest;
pub mod dsse;
pub mod edge;
pub mod entry;
pub mod jcs;
pub mod key;
pub mod mention;
pub mod merkle;
pub mod note;
pub mod pack;
mod part;
pub mod proof;
pub mod proof_file;
pub mod statement;
mod strict;
pub mod tile;
pub mod timestamp;
pub mod tree_head;
pub mod verification;
