//! Acta's safe door to TensorRT and TensorRT-RTX, and the only room with `unsafe`.
//!
//! [`Library::open`] finds and opens the library at run time; a [`Builder`] makes a [`Network`] and a
//! [`BuilderConfig`]; [`Builder::build_serialized`] returns a [`Plan`], or an error with every fact about why not. A
//! [`ProgressMonitor`] watches a build and may end it; a [`LogSink`] hears the log and the recorded errors.
//!
//! # The boundary
//!
//! `shim/trt_shim.h` is a C ABI; `shim/trt_shim.cpp` implements it over NvInfer's C++ API, once per family, each against
//! its own headers, with the C++ namespaces renamed so that both fit in one program. The loaded library picks the
//! function table. The rules, in both directions:
//!
//! - **Nothing unwinds across.** C++ exceptions are caught in the shim and become texts; Rust panics are caught in the
//!   callbacks, recorded, and, in a monitor, end the build.
//! - **Every no is heard.** Calls that can refuse answer; setters without an answer are read back.
//! - **Borrow, then copy.** What TensorRT passes to a callback is valid during that callback only.
//! - **Callbacks may come from any thread**, so monitors and sinks are `Send + Sync`; everything else of a builder stays
//!   on the thread that made it. They do not block: no lock and no allocation on the way to a monitor.
//! - **Delete order is ownership**: see the builder's module. Monitors, caches and sinks that TensorRT may still use are
//!   held by the builder, and it by its networks and configurations.
//! - **No judgement.** A build's facts are told; whether it was cancelled or failed is `acta-ledger`'s to say.

mod builder;
mod callback;
mod config;
mod error;
mod library;
mod log;
mod logger;
mod monitor;
mod network;
mod parser;
mod plan;
mod profile;
mod search;
mod setting;
mod shim;
mod sys;
mod timing_cache;
mod turn;
mod version;

pub use builder::Builder;
pub use config::BuilderConfig;
pub use error::Error;
pub use library::{Library, LibraryError, Outcome, Tried};
pub use log::{Heard, LogLine, LogSink, RecordedError, Severity};
pub use monitor::{MonitorCallback, MonitorPanic, ProgressMonitor};
pub use network::{DataType, Network, NetworkFlags, Tensor};
pub use parser::{ParseError, ParserError};
pub use plan::{BuildCanceled, BuildError, BuildFacts, BuildOutput, NoPlan, Plan};
pub use profile::{Profile, ProfileInput, ProfileKind};
pub use search::{LIB_DIR_VARIABLE, LibrarySearch, Place};
pub use setting::{
    BuilderFlag, ComputeCapability, EffectiveConfig, HardwareCompatibility, MemoryPool, ProfilingVerbosity,
    TacticSource,
};
pub use timing_cache::{TimingCache, TimingCacheKey, TimingCacheValue};
pub use version::{Family, Version};
