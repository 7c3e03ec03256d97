//! The acceptance test's page.

use acta_app::view::acceptance::{AcceptanceView, AcceptancesView};
use acta_ledger::evidence::acceptance::AcceptanceRecord;

use super::ServerPortal;
use crate::{
    error::{Answer, Problem},
    log::reader::StoredEntry,
    startup::AppState,
    statement::{self, damaged},
    store::{acceptance, run},
};

/// How many runs of the test are listed.
pub const HISTORY: u32 = 50;

/// The matrix out of its entry.
pub async fn read(state: &AppState, entry: u64) -> Answer<(StoredEntry, AcceptanceRecord)> {
    let stored = statement::stored(state, entry).await?;
    let (_, statement) = statement::parse(&stored)?;
    let record = statement.predicate().map_err(|error| damaged(entry, &error))?;
    Ok((stored, record))
}

impl ServerPortal {
    pub(super) async fn acceptances_view(&self, id: Option<&str>) -> Answer<AcceptancesView> {
        self.may_read()?;
        let pool = &self.state.database.read;
        let history = acceptance::list(pool, HISTORY).await?;
        let Some(row) = acceptance::find(pool, id).await? else {
            return match id {
                Some(_) => Err(Problem::not_found("no such run of the acceptance test")),
                None => Ok(AcceptancesView { shown: None, history }),
            };
        };
        let (stored, record) = read(&self.state, row.entry).await?;
        let mut runs = Vec::new();
        for made in record.scenarios.iter().flat_map(|scenario| &scenario.runs) {
            // A run whose entry is another than the named one is not the evidence.
            let index = self.state.reader.index_of(&made.entry_digest).await?;
            let link = run::link_to(pool, &made.run.to_string()).await?;
            let entry = match index {
                Some(index) => run::of_entry(pool, index).await?,
                None => None,
            };
            runs.extend(link.filter(|link| entry.as_ref().is_some_and(|of_entry| of_entry.id == link.id)));
        }
        let shown = AcceptanceView { row, entry_digest: stored.digest, record, runs };
        Ok(AcceptancesView { shown: Some(shown), history })
    }
}
