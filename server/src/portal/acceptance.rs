//! The acceptance test's page.

use acta_app::view::acceptance::{AcceptanceView, AcceptancesView};
use acta_ledger::{
    evidence::acceptance::AcceptanceRecord,
    log::{dsse::Envelope, statement::Statement},
};

use super::{DAMAGED, ServerPortal};
use crate::{
    error::{Answer, Problem},
    log::reader::StoredEntry,
    startup::AppState,
    store::{acceptance, run},
};

/// How many runs of the test are listed.
pub const HISTORY: u32 = 50;

/// The matrix out of its entry.
pub async fn read(state: &AppState, entry: u64) -> Answer<(StoredEntry, AcceptanceRecord)> {
    let stored = state.reader.entry(entry).await?;
    let stored = stored.ok_or_else(|| Problem::internal(format_args!("entry {entry} is missing")))?;
    let parsed = Envelope::parse(&stored.record)
        .map_err(|error| error.to_string())
        .and_then(|envelope| Statement::from_envelope(&envelope).map_err(|error| error.to_string()))
        .and_then(|statement| statement.predicate().map_err(|error| error.to_string()));
    match parsed {
        Ok(record) => Ok((stored, record)),
        // The entry page shows the damage itself.
        Err(error) => {
            tracing::error!(entry.index = entry, cause = %error, "an entry is damaged");
            let status = axum::http::StatusCode::INTERNAL_SERVER_ERROR;
            Err(Problem::new(status, DAMAGED, error).found(entry))
        }
    }
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
