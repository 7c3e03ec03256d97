//! How long it takes to restore a bundle on a route.

use acta_ledger::judge::restore::Restore;
use serde::{Deserialize, Serialize};

/// The page of a route's restorations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestoresView {
    /// The route.
    pub route: String,
    /// Drills, rollbacks and deployments that the agent beside the runtime took up, oldest first.
    pub restores: Vec<Restore>,
}
