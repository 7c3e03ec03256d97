//! What is being done, and how far it is, on disk before anything is done.

use std::{fs, io, path::Path};

use acta_ledger::{
    evidence::rollback::{HealthResult, RollbackFailure, RollbackOrder, RollbackStep},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    durable,
    error::{CliError, Result},
    outbox,
};

/// The file's name.
pub const JOURNAL: &str = "journal.json";

const SCHEMA: &str = "urn:acta:deploy-journal:v1";
/// How many orders are remembered by their ids; older ones are known to be old by their entries.
const REMEMBERED: usize = 256;

/// The journal of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Journal {
    schema: String,
    /// The entry of the newest deployment or rollback that was begun here.
    pub newest: Option<u64>,
    /// The orders that need no more work here, the oldest first.
    pub settled: Vec<Uuid>,
    /// What is being done.
    pub task: Option<Task>,
}

/// An order that is being carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Task {
    /// The order's entry.
    pub entry: u64,
    /// The order, as it stands in the log.
    pub order: RollbackOrder,
    /// When this agent learned of it.
    pub received_at: Timestamp,
    /// The version that was live before.
    pub previous: Option<String>,
    /// The version that is to be live, once it stands there whole.
    pub version: Option<String>,
    /// The bundle's digest as this agent read it.
    pub measured_bundle: Option<Sha256Digest>,
    /// The configuration's.
    pub measured_config: Option<Sha256Digest>,
    /// How long verifying or fetching took.
    pub prepare_ms: Option<f64>,
    /// How long the switch took.
    pub switch_ms: Option<f64>,
    /// The steps that are signed.
    pub reported: Vec<RollbackStep>,
    /// The health command's end.
    pub health: Option<HealthResult>,
    /// What it came to.
    pub outcome: Option<Outcome>,
    /// Whether going back (in a drill: cleaning up) was tried.
    pub undone: bool,
}

/// What an order came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// The last step.
    pub step: RollbackStep,
    /// Why not.
    pub failure: Option<RollbackFailure>,
    /// The same in words.
    pub text: String,
}

impl Task {
    /// An order that nothing was done about yet.
    pub fn new(entry: u64, order: RollbackOrder, received_at: Timestamp, previous: Option<String>) -> Self {
        Self {
            entry,
            order,
            received_at,
            previous,
            version: None,
            measured_bundle: None,
            measured_config: None,
            prepare_ms: None,
            switch_ms: None,
            reported: Vec::new(),
            health: None,
            outcome: None,
            undone: false,
        }
    }

    /// Whether a step is signed.
    pub fn has_told(&self, step: RollbackStep) -> bool {
        self.reported.contains(&step)
    }

    /// Ends it with a failure: before it was acknowledged that is a refusal.
    pub fn fail(&mut self, failure: RollbackFailure, text: String) {
        let step = if self.has_told(RollbackStep::Acknowledged) {
            RollbackStep::Failed
        } else {
            RollbackStep::Refused
        };
        self.outcome = Some(Outcome { step, failure: Some(failure), text });
    }
}

impl Default for Journal {
    fn default() -> Self {
        Self { schema: SCHEMA.to_owned(), newest: None, settled: Vec::new(), task: None }
    }
}

impl Journal {
    /// Reads the journal of a target; none where nothing was ever done.
    pub fn load(target: &Path) -> Result<Option<Self>> {
        let path = target.join(JOURNAL);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CliError::io("read", &path, &error)),
        };
        let damaged = |found: String| {
            CliError::failure(format!("{} cannot be read", path.display())).found(found).help(
                "look where `current` leads and whether that version is whole, then move the journal away: what was \
                 signed is known without it",
            )
        };
        let journal: Self = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if journal.schema == SCHEMA { Ok(Some(journal)) } else { Err(damaged(journal.schema)) }
    }

    /// Writes the journal; on disk when it returns.
    pub fn save(&self, target: &Path) -> io::Result<()> {
        let bytes = outbox::to_json(self).map_err(|error| io::Error::other(error.to_string()))?;
        durable::write(&target.join(JOURNAL), &bytes, 0o644)
    }

    /// Remembers that an order needs no more work here.
    pub fn settle(&mut self, order: Uuid) {
        self.settled.retain(|other| *other != order);
        self.settled.push(order);
        let more = self.settled.len().saturating_sub(REMEMBERED);
        self.settled.drain(..more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_read_as_it_was_written_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Journal::load(folder.path()).unwrap(), None);
        let mut journal = Journal { newest: Some(3), ..Journal::default() };
        for number in 0..300 {
            journal.settle(Uuid::from_u128(number));
        }
        assert_eq!((journal.settled.len(), journal.settled[0]), (256, Uuid::from_u128(44)));
        journal.save(folder.path()).unwrap();
        assert_eq!(Journal::load(folder.path()).unwrap(), Some(journal));
        fs::write(folder.path().join(JOURNAL), "{").unwrap();
        let error = Journal::load(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("journal.json cannot be read") && error.contains("move the journal away"),
            "{error}"
        );
    }
}
