//! Builds of other programs, watched from outside: `acta run -- COMMAND`.
//!
//! ```text
//! supervisor (this process)                         the command, and whatever it starts
//!   owns signals, deadline, cancel routing           a monitor in it (ingest/clients), if it has one:
//!     a monitor is connected  --cancel-->              one local atomic, which the next step reads
//!     none is connected       --SIGINT-->              its process group
//!   phase tree, event log   <--reports, bounded--      callbacks -> queue -> a thread of the client's
//!   resources of the tree, output, exit status
//!   inventory by pattern before and after, what became of each file, judgement, signature
//! ```
//!
//! What a client says is evidence of what it said: it is bounded and counted, and never believed where the supervisor
//! can look itself (files, digests, the end of the process). A command without any client is an honest record too: one
//! without phases.

pub mod intake;
pub mod inventory;
pub mod left;
pub mod order;
pub mod relay;
pub mod summary;
pub mod timing;
pub mod told;
