//! Building an engine under watch.
//!
//! ```text
//! supervisor (this process)                          worker (a process of its own)
//!   checks inputs, makes the partial file
//!   owns signals, deadline, cancel routing  --cancel-->  CancelFlag, one atomic
//!   phase tree, event log, resources, UI   <--reports--  Outlet <- EventRing <- monitor callbacks <- TensorRT
//!   cleans up, judges, signs                             parses, builds, writes the plan, renames it
//! ```
//!
//! TensorRT runs in the worker, so that whatever it does to its process is evidence and not the end of it. The worker
//! decides nothing: it reports facts. Everything that is signed is put together by the supervisor.

pub mod artifact;
pub mod callback_cost;
pub mod cancel;
pub mod connection;
pub mod external;
pub mod flag;
pub mod framing;
pub mod gpu;
pub mod host;
pub mod ide;
pub mod keeper;
pub mod kind;
pub mod live;
pub mod monitor;
pub mod outlet;
pub mod probe;
pub mod process;
pub mod progress;
pub mod protocol;
pub mod record;
pub mod request;
pub mod resources;
pub mod ring;
pub mod source;
pub mod stop;
pub mod summary;
pub mod supervisor;
pub mod verdict;
pub mod weights;
pub mod windows;
pub mod worker;
pub mod worker_cache;
pub mod worker_config;
pub mod worker_summary;
