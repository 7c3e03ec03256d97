//! The audit of a log over the network: what is read, in which order, and what is remembered.
//!
//! ```text
//! tree head --> is it signed, and does it agree with every one that was seen before?
//! for each tile of 256 entries, several at once:
//!     bundle of entries, hash tile, named blobs --> hashed, parsed, signatures checked      (workers)
//! in the order of the log:
//!     tree, keys, chains, purges --> findings                                               (one thread)
//!     now and then: the state, atomically                                                   (so a kill costs seconds)
//! at the end of a deep one: each route judged anew, against what the server says of it
//! ```
//! The judgement is the ledger's; only the endpoints of the tiled log, blobs by their digest and routes are read. What is in
//! memory at once is a window of tiles, whatever the size of the log.

pub mod blobs;
pub mod heads;
pub mod pipeline;
pub mod report;
pub mod routes;
pub mod run;
pub mod source;
pub mod state;
