//! The judgements: pure functions with a table of cases beside each. No other room decides anything.

pub mod acceptance;
pub mod advice;
pub mod attention;
pub mod audit;
pub mod baseline;
pub mod canary;
pub mod chain;
pub mod gate;
pub mod headline;
pub mod keyring;
pub mod licence;
pub mod live;
pub mod log_key;
pub mod outcome;
pub mod own_time;
pub mod parity;
pub mod percentile;
pub mod recipe;
pub mod retry;
pub mod revision;
pub mod route;
pub mod silence;
pub mod stuck;
pub mod timing_cache;
pub mod trace;
