//! Retention (`urn:acta:retention:v1`): a bundle and its runtime configuration that are kept, so that there is a way back.

use serde::{Deserialize, Serialize};

use super::{build::BlobRef, chain::ChainLink};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// What became of a retained bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetentionState {
    /// Both were stored and read back.
    Retained,
    /// It is gone, on purpose.
    Purged,
    /// It no longer can be read, or its digest is another.
    Damaged,
}

/// An entry about a retained bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetentionRecord {
    /// The route.
    pub route: String,
    /// The bundle, by the digest of what was stored and read back.
    pub bundle: BlobRef,
    /// The configuration that the runtime needs with it.
    pub runtime_config: BlobRef,
    /// What became of them.
    pub state: RetentionState,
    /// Until when they are kept at least; none for as long as the route lives.
    pub retained_until: Option<Timestamp>,
    /// When.
    pub at: Timestamp,
    /// Who had it purged; none where an agent says that it keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purged_by: Option<String>,
    /// The statement's place in the agent's chain; none where the portal says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<ChainLink>,
}

impl Predicate for RetentionRecord {
    const TYPE: &'static str = "urn:acta:retention:v1";
}

impl RetentionRecord {
    /// The blobs that the record names.
    pub fn blobs(&self) -> [Sha256Digest; 2] {
        [self.bundle.digest, self.runtime_config.digest]
    }

    /// Whether it can be gone back to at `at`.
    pub fn is_kept(&self, at: Timestamp) -> bool {
        self.state == RetentionState::Retained && self.retained_until.is_none_or(|until| at < until)
    }
}
