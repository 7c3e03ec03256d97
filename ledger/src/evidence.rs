//! The evidence: one file a noun. Field names are fixed, other tools read them.

pub mod agent_key;
pub mod artifact;
pub mod build;
pub mod cancel;
pub mod chain;
pub mod event;
pub mod number;
pub mod phase_tree;
pub mod timing_cache;
