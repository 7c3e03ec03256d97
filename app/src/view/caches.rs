//! What was decided about timing caches.

use acta_ledger::{
    evidence::timing_cache::Changes,
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use serde::{Deserialize, Serialize};

/// What the decisions are filtered by; every field stands in the address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CacheFilter {
    /// A mode's code; without one, all but `not_applicable`.
    pub mode: Option<String>,
    /// The route's exact name.
    pub route: Option<String>,
    /// Only runs below this number.
    pub before: Option<u64>,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CacheRow {
    /// The run.
    pub run: String,
    /// Its number.
    pub number: u64,
    /// Its entry.
    pub entry: u64,
    /// The agent that decided by the policy, and signed.
    pub agent: String,
    /// The route.
    pub route: Option<String>,
    /// The network's file name.
    pub network: String,
    /// The outcome's code.
    pub outcome: String,
    /// When the run began.
    pub started_at: Timestamp,
    /// The mode's code.
    pub mode: String,
    /// The policy that was followed.
    pub policy: String,
    /// The file.
    pub file: Option<String>,
    /// The digest of what was offered.
    pub digest_before: Option<Sha256Digest>,
    /// The digest of what came back.
    pub digest_after: Option<Sha256Digest>,
    /// How many bytes were offered.
    pub bytes_before: Option<u64>,
    /// How many came back.
    pub bytes_after: Option<u64>,
    /// The facts that the mode rests on.
    pub reasons: Vec<String>,
    /// How the entries differ, where they could be compared.
    pub changes: Option<Changes>,
    /// The TensorRT version.
    pub tensorrt_version: String,
    /// The GPU.
    pub gpu_sku: String,
    /// The driver.
    pub driver: Option<String>,
    /// The CUDA version.
    pub cuda: Option<String>,
}

/// The caches page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CachesView {
    /// The filter as it was understood.
    pub filter: CacheFilter,
    /// How many of the newest runs there are of each mode.
    pub modes: Vec<(String, u64)>,
    /// The decisions of this page, newest first.
    pub rows: Vec<CacheRow>,
    /// The number below which the next page begins; none at the end.
    pub before: Option<u64>,
}
