//! What pages show of the whole log, as it stood at some size: asked for by many, and made of many rows.

use acta_app::view::{
    Place, RunRow,
    caches::{CacheFilter, CacheRow},
    cancels::{CancelFilter, Cancels},
    chart::Plot,
    configuration::HistoryRow,
};
use acta_ledger::{
    judge::{
        baseline::BaselineKey,
        filter::{Filter, Order},
    },
    log::digest::Sha256Digest,
};

use crate::remembered::{Recent, Standing};

/// How many answers of a kind are kept. What one holds is bounded as its page is: a thousand cancels are the most.
const MOST: usize = 32;

/// A page of runs.
#[derive(Debug, Clone)]
pub struct RunPage {
    /// Its rows, in the order.
    pub rows: Vec<RunRow>,
    /// Whether there are runs before them.
    pub earlier: bool,
    /// Whether there are runs behind them.
    pub later: bool,
}

/// Builds of one kind.
#[derive(Debug)]
pub struct Kin {
    /// The whole times of those that completed undisturbed, in milliseconds.
    pub total_ms: Vec<f64>,
    /// How many there are, however they ended.
    pub count: u64,
}

/// Decisions about timing caches, and how many of the newest runs there are of each mode.
pub type Caches = (Vec<CacheRow>, Vec<(String, u64)>);

/// A configuration, the newest run that is wanted, and how many.
pub type History = (Sha256Digest, Option<u64>, u32);

/// The answers that are kept.
pub struct Views {
    /// Pages of runs, where neither the clock nor a route's state decides which they are.
    pub runs: Standing<(Filter, Order, Option<Place>), RunPage>,
    /// Cancels, judged.
    pub cancels: Standing<CancelFilter, Cancels>,
    /// Decisions about timing caches.
    pub caches: Standing<CacheFilter, Caches>,
    /// Builds by what they have in common.
    pub kin: Standing<BaselineKey, Kin>,
    /// Runs of configurations.
    pub histories: Standing<History, Vec<HistoryRow>>,
    /// Charts as they were drawn, where they are not large: the same one looks the same whatever the log is.
    pub charts: Recent<Plot, String>,
}

impl Default for Views {
    fn default() -> Self {
        Self {
            runs: Standing::new(MOST),
            cancels: Standing::new(MOST),
            caches: Standing::new(MOST),
            kin: Standing::new(MOST),
            histories: Standing::new(MOST),
            charts: Recent::new(MOST),
        }
    }
}
