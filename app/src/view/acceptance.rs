//! What the acceptance test's page shows.

use acta_ledger::{
    evidence::acceptance::AcceptanceRecord,
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use serde::{Deserialize, Serialize};

use super::RunLink;

/// One run of the test in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceRow {
    /// Its id.
    pub id: String,
    /// Its number in the order of the log, counted from 1.
    pub number: u64,
    /// The entry's index.
    pub entry: u64,
    /// The agent that signed it.
    pub agent: String,
    /// The builder's code.
    pub builder: String,
    /// The GPU.
    pub gpu_sku: String,
    /// The TensorRT version.
    pub tensorrt_version: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it had ended.
    pub finished_at: Timestamp,
    /// Scenarios that were run.
    pub ran: u32,
    /// Those of which every criterion holds.
    pub passed: u32,
    /// Those of which a criterion does not hold.
    pub failed: u32,
}

/// One run of the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceView {
    /// What the history says of it.
    pub row: AcceptanceRow,
    /// The digest of its entry.
    pub entry_digest: Sha256Digest,
    /// The matrix as it was signed.
    pub record: AcceptanceRecord,
    /// Those of its builds that the log holds, by the very entries that it names.
    pub runs: Vec<RunLink>,
}

/// The page: one run of the test, and all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptancesView {
    /// The one that is shown; none where there is none yet.
    pub shown: Option<AcceptanceView>,
    /// The newest first.
    pub history: Vec<AcceptanceRow>,
}

/// The run of the test for which a build was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceLink {
    /// The test's id.
    pub id: String,
    /// Its number.
    pub number: u64,
    /// The scenario's code.
    pub scenario: String,
    /// The role's code.
    pub role: String,
}
