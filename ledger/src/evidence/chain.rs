//! Agent chains: each agent numbers its statements and names its previous one, so that a withheld or lost statement is
//! visible as a gap.

use serde::{Deserialize, Serialize};

use crate::log::{
    digest::Sha256Digest,
    statement::{Statement, StatementError},
};

/// A statement's place among those of the agent that signed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChainLink {
    /// Which of the agent's statements, counted from 1.
    pub sequence: u64,
    /// The digest of the agent's previous entry; none for its first.
    pub previous: Option<Sha256Digest>,
}

impl ChainLink {
    /// The place that a statement claims; none where it claims none, as the portal's statements do.
    pub fn of(statement: &Statement) -> Result<Option<Self>, StatementError> {
        let Some(link) = statement.predicate.get("chain").filter(|link| !link.is_null()) else {
            return Ok(None);
        };
        let predicate_type = || statement.predicate_type.clone();
        Self::deserialize(link)
            .map(Some)
            .map_err(|error| StatementError::Predicate { predicate_type: predicate_type(), error })
    }
}
