//! What pages show of a run's rebuilds. How the run stands is the ledger's judgement.

use acta_ledger::{evidence::rebuild::Obstacle, judge::rebuild::Standing};
use serde::{Deserialize, Serialize};

use super::RunLink;

/// A run's rebuilds, and the runs that it is itself a rebuild of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct RebuildsView {
    /// The run's id.
    pub run: String,
    /// Why it cannot be rebuilt, by its own record; none where it can.
    pub obstacle: Option<Obstacle>,
    /// How the run stands.
    pub standing: Standing,
    /// Statements that were left out: older ones, and those whose entries are damaged.
    pub left_out: u64,
    /// The runs in which it was built again, as far as the log has them.
    pub runs: Vec<RunLink>,
    /// The runs that this one was made to rebuild.
    pub of: Vec<RunLink>,
}
