//! Artifacts: the files that a build made, left behind or removed.

use serde::{Deserialize, Serialize};

use crate::log::digest::Sha256Digest;

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It stands where a consumer looks for it.
    Kept,
    /// It was unfinished and is gone.
    Removed,
    /// It was set apart, with a note of where it came from.
    Quarantined,
}

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactKind {
    /// A serialized engine.
    Plan,
    /// A file that would have become the plan.
    PartialPlan,
    /// A `.bundle` of Model Connect.
    Bundle,
    /// A timing cache.
    TimingCache,
    /// Anything else.
    Other,
}

/// One file of the inventory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// The file's name as the agent saw it.
    pub name: String,
    /// What it is.
    pub kind: ArtifactKind,
    /// Its length in bytes.
    pub bytes: u64,
    /// The digest of what was really written; none for a file that was removed unread.
    pub digest: Option<Sha256Digest>,
    /// What became of it.
    pub disposition: Disposition,
    /// The media type, where the content tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The digest of what stood under this name before the attempt; none where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest_before: Option<Sha256Digest>,
}

impl Artifact {
    /// An engine or a bundle that stands where a consumer looks for it.
    pub fn is_product(&self) -> bool {
        self.disposition == Disposition::Kept
            && matches!(self.kind, ArtifactKind::Plan | ArtifactKind::Bundle)
    }
}

/// How cleaning up ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CleanupStatus {
    /// Whatever was unfinished is gone.
    Cleaned,
    /// Something was set apart.
    Quarantined,
    /// Something unfinished may still stand there.
    Failed,
    /// Nothing was left to clean.
    NotNeeded,
}
