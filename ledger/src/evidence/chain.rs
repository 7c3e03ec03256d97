//! Agent chains: each agent numbers its statements and names its previous one, so that a withheld or lost statement is
//! visible as a gap. It also names the log that it speaks to, so that nobody can carry its words into another one.

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
    /// The log that it is meant for: the SHA-256 digest of its origin, as C2SP's witnesses name logs. None where the agent
    /// was not enrolled yet when it signed, and in statements from before logs were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Sha256Digest>,
}

impl ChainLink {
    /// A place in a chain that is meant for no log in particular.
    pub const fn new(sequence: u64, previous: Option<Sha256Digest>) -> Self {
        Self { sequence, previous, log: None }
    }

    /// The same place, meant for the log of this origin.
    pub fn in_log(self, origin: &str) -> Self {
        Self { log: Some(Sha256Digest::of(origin.as_bytes())), ..self }
    }

    /// Whether it may stand in the log of this origin.
    pub fn is_meant_for(&self, origin: &str) -> bool {
        self.log.is_none_or(|log| log == Sha256Digest::of(origin.as_bytes()))
    }

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
