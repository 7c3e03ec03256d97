//! Agent chains: each agent numbers its statements and names its previous one, so that a withheld or lost statement is
//! visible as a gap.

use serde::{Deserialize, Serialize};

use crate::log::digest::Sha256Digest;

/// A statement's place among those of the agent that signed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChainLink {
    /// Which of the agent's statements, counted from 1.
    pub sequence: u64,
    /// The digest of the agent's previous entry; none for its first.
    pub previous: Option<Sha256Digest>,
}
