//! An entry's statement, read back.

use acta_ledger::log::{dsse::Envelope, statement::Statement};

use crate::{
    error::{Answer, Problem},
    log::reader::StoredEntry,
    startup::AppState,
    store,
};

/// An entry, and what it says.
pub struct ReadEntry {
    /// The entry as it is stored.
    pub stored: StoredEntry,
    /// What it says.
    pub statement: Statement,
    /// Who signed it: an agent's name, or `portal`.
    pub signer: String,
}

/// Reads an entry that must be there; one that cannot be read is damaged, and the error names it.
pub async fn read(state: &AppState, index: u64) -> Answer<ReadEntry> {
    let damaged = |error: String| damaged(index, &error);
    let stored = state.reader.entry(index).await?.ok_or_else(|| damaged("it is missing".to_owned()))?;
    let envelope = Envelope::parse(&stored.record).map_err(|error| damaged(error.to_string()))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| damaged(error.to_string()))?;
    let facts = store::ledger::facts(&state.database.read, index).await?;
    let signer = facts.ok_or_else(|| damaged("nobody signed it".to_owned()))?.signer;
    Ok(ReadEntry { stored, statement, signer })
}

/// The entry cannot be read as what it is.
pub fn damaged(index: u64, cause: &impl std::fmt::Display) -> Problem {
    Problem::internal(format_args!("entry {index} is damaged: {cause}"))
}
