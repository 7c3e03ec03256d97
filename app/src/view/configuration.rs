//! The runs of one configuration over time.

use acta_ledger::log::{digest::Sha256Digest, timestamp::Timestamp};
use serde::{Deserialize, Serialize};

/// One run of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// The run.
    pub id: String,
    /// Its number.
    pub number: u64,
    /// Its entry.
    pub entry: u64,
    /// The network's file name.
    pub network: String,
    /// The outcome's code.
    pub outcome: String,
    /// Whether somebody asked it to stop.
    pub disturbed: bool,
    /// The builder's code.
    pub builder: String,
    /// The timing cache mode's code.
    pub cache_mode: String,
    /// The GPU.
    pub gpu_sku: String,
    /// The TensorRT version.
    pub tensorrt_version: String,
    /// The whole attempt, in milliseconds.
    pub total_ms: f64,
    /// When it began.
    pub started_at: Timestamp,
}

/// The page of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationView {
    /// The digest of the builder's inputs.
    pub digest: Sha256Digest,
    /// Its newest runs, oldest first.
    pub rows: Vec<HistoryRow>,
    /// At most so many are looked at.
    pub limit: u32,
}
