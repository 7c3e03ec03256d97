//! The timing cache: what was offered, what the library made of it, and how that is known.

use serde::{Deserialize, Serialize};

use crate::log::digest::Sha256Digest;

/// What became of the timing cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingCacheMode {
    /// None was offered.
    Cold,
    /// It was accepted and came back as it was.
    Reused,
    /// It was accepted and came back with other entries.
    Updated,
    /// It was offered and not used.
    Discarded,
    /// It was set apart: not to be trusted again.
    Quarantined,
    /// The library has no use for one (TensorRT-RTX), or it was switched off.
    NotApplicable,
}

/// The cache's record in a build summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimingCacheRecord {
    /// The file that was offered; none if none was.
    pub file: Option<String>,
    /// Digest of the bytes that were offered.
    pub digest_before: Option<Sha256Digest>,
    /// Digest of the bytes that came back.
    pub digest_after: Option<Sha256Digest>,
    /// How many bytes were offered.
    pub bytes_before: Option<u64>,
    /// How many came back.
    pub bytes_after: Option<u64>,
    /// The policy that was followed.
    pub policy: String,
    /// The facts that the mode rests on: log lines, return values, rules.
    pub reasons: Vec<String>,
}
