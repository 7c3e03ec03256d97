//! The timing cache: what was offered, what the library made of it, and how that is known.

use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::build::LibraryVersion;
use crate::log::{digest::Sha256Digest, jcs, timestamp::Timestamp};

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
    /// How the entries differ after the build, by key and tactic; none where they could not be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// How the entries of a timing cache differ after a build. A key with another tactic is drift: the same question got
/// another answer. Bytes say nothing, they differ between two GPUs of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// Entries that are new.
    pub added: u64,
    /// Entries that are gone.
    pub removed: u64,
    /// Entries with another tactic.
    pub changed: u64,
}

impl Changes {
    /// Whether there is any.
    pub fn any(self) -> bool {
        self != Self::default()
    }
}

/// The value of a known cache's `schema`.
pub const KNOWN_CACHE_SCHEMA: &str = "urn:acta:known-timing-cache:v1";

/// What a timing cache is good for: timings of another library, GPU, driver or configuration say nothing here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheKind {
    /// The library, with its build number.
    pub tensorrt: LibraryVersion,
    /// The GPU; none where the driver names none.
    pub gpu_sku: Option<String>,
    /// The driver's version; none without one.
    pub driver: Option<String>,
    /// The CUDA version that the driver offers; none without one.
    pub cuda: Option<String>,
    /// The digest of the settings that can change how a layer is implemented.
    pub config_class: Sha256Digest,
}

impl CacheKind {
    /// The class of a configuration: flags in any order, and the optimization level.
    pub fn config_class(flags: &[String], optimization_level: Option<i32>) -> Sha256Digest {
        let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        flags.sort_unstable();
        flags.dedup();
        let class = json!({ "flags": flags, "optimizationLevel": optimization_level });
        Sha256Digest::of(&jcs::to_vec(&class).unwrap_or_default())
    }

    /// A name for the kind that fits into a file's name.
    pub fn name(&self) -> String {
        let digest = Sha256Digest::of(&jcs::to_vec(self).unwrap_or_default()).to_string();
        format!("{}-{}", self.tensorrt, &digest[..16])
    }
}

/// A timing cache that is on record: who made these bytes, and what they are good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownCache {
    /// Always [`KNOWN_CACHE_SCHEMA`].
    pub schema: String,
    /// The digest of its bytes.
    pub digest: Sha256Digest,
    /// How many.
    pub bytes: u64,
    /// What it is good for; none where a person vouches for it, and only the library can tell.
    pub kind: Option<CacheKind>,
    /// The run that wrote it; none where a person vouches for it.
    pub run: Option<Uuid>,
    /// How many entries it has, where the library could tell.
    pub entries: Option<u64>,
    /// Where it was written.
    pub file: String,
    /// When.
    pub at: Timestamp,
}
