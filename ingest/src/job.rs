//! What a run was ordered to do, as it is noted: to clean up after it, and to do it again.

use std::path::Path;

use acta_ledger::log::digest::Sha256Digest;
use serde::{Deserialize, Serialize};

use crate::builder::{external::order::CommandOrder, protocol::BuildOrder};

/// What a run was ordered to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Job {
    /// `acta build`: this agent's own worker builds.
    Build {
        /// What the worker is ordered.
        order: Box<BuildOrder>,
    },
    /// `acta run`: another program builds.
    Command {
        /// What it is and what it is run for.
        command: CommandOrder,
    },
}

impl Job {
    /// The model's path as it was given; none where a command's was not named.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::Build { order } => Some(&order.model),
            Self::Command { command } => command.model.as_deref(),
        }
    }

    /// The digest of a command's order, which is signed; none of a build, whose configuration is.
    pub fn command_digest(&self, folder: &Path) -> Option<Sha256Digest> {
        match self {
            Self::Build { .. } => None,
            Self::Command { command } => Some(command.digest(folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_kinds_are_told_apart_by_their_members() {
        let command = CommandOrder { command: vec!["make".to_owned()], ..CommandOrder::default() };
        let job = Job::Command { command };
        let text = serde_json::to_string(&job).unwrap();
        assert!(text.starts_with(r#"{"command":{"command":["make"]"#), "{text}");
        assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), job);
        assert_eq!(job.model(), None);
        assert!(serde_json::from_str::<Job>("{}").is_err());
    }
}
