//! Runs side by side.

use acta_ledger::judge::compare::Compared;
use serde::{Deserialize, Serialize};

use super::RunRow;

/// The compare page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompareView {
    /// The runs that were named and are there, in the order of the address.
    pub rows: Vec<RunRow>,
    /// What was named and is not there.
    pub unknown: Vec<String>,
    /// Why a run's phase tree cannot be shown although the run names one.
    pub tree_problems: Vec<Option<String>>,
    /// The comparison; none where fewer than two runs are there.
    pub compared: Option<Compared>,
    /// Runs that could be added, the newest first.
    pub recent: Vec<RunRow>,
}
