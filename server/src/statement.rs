//! An entry's statement, read back.

use acta_ledger::log::{dsse::Envelope, statement::Statement};
use axum::http::StatusCode;

use crate::{
    error::{Answer, Problem},
    log::reader::StoredEntry,
    startup::AppState,
    store,
};

/// The code of an entry that cannot be read any more: its own page shows the damage itself.
pub const DAMAGED: &str = "damaged";

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
    let stored = stored(state, index).await?;
    let (_, statement) = parse(&stored)?;
    let signer = signer(state, index).await?;
    Ok(ReadEntry { stored, statement, signer })
}

/// An entry that must be there.
pub async fn stored(state: &AppState, index: u64) -> Answer<StoredEntry> {
    state.reader.entry(index).await?.ok_or_else(|| damaged(index, &"it is missing"))
}

/// Who signed an entry that must be there.
pub async fn signer(state: &AppState, index: u64) -> Answer<String> {
    let facts = store::ledger::facts(&state.database.read, index).await?;
    Ok(facts.ok_or_else(|| damaged(index, &"nobody signed it"))?.signer)
}

/// The envelope of a stored entry, and what it says.
pub fn parse(stored: &StoredEntry) -> Answer<(Envelope, Statement)> {
    let envelope = Envelope::parse(&stored.record).map_err(|error| damaged(stored.index, &error))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| damaged(stored.index, &error))?;
    Ok((envelope, statement))
}

/// The entry cannot be read as what it is.
pub fn damaged(index: u64, cause: &impl std::fmt::Display) -> Problem {
    tracing::error!(entry.index = index, cause = %cause, "an entry is damaged");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, DAMAGED, cause.to_string()).field("entry").found(index)
}

/// None where an entry is damaged: it is no evidence then, and its own page says what is wrong with it.
pub fn unless_damaged<T>(read: Answer<T>) -> Answer<Option<T>> {
    match read {
        Err(problem) if problem.code == DAMAGED => Ok(None),
        read => read.map(Some),
    }
}
