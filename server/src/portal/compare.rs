//! The pages about many runs: compared, over time, their cancels and their timing caches.

use std::sync::Arc;

use acta_app::view::{
    caches::{CacheFilter, CachesView},
    cancels::{CancelFilter, Cancels, CancelsView},
    compare::CompareView,
    configuration::{ConfigurationView, HistoryRow},
    restores::RestoresView,
};
use acta_ledger::{
    judge::{compare::FEWEST, filter::Filter, restore::restores},
    log::digest::Sha256Digest,
};

use super::{ServerPortal, runs::first};
use crate::{
    compare,
    error::{Answer, Problem},
    http::api::agent::parse_digest,
    route,
    startup::AppState,
    store::{cache, cancel, history},
};

/// Runs that are offered for a comparison.
const OFFERED: usize = 20;

/// How many cancels are looked at, the newest.
pub const MAX_CANCELS: u32 = 1_000;

/// Decisions about timing caches a page.
pub const CACHES_A_PAGE: u32 = 50;

/// How many runs the counts of decisions are taken from, the newest.
pub const MAX_CACHES: u32 = 1_000;

/// How many runs of a configuration are looked at, the newest.
pub const MAX_HISTORY: u32 = 100;

/// The newest runs of a configuration, oldest first; with `until`, none that is newer than that number.
pub(super) async fn history_of(
    state: &AppState,
    config: Sha256Digest,
    until: Option<u64>,
    limit: u32,
) -> Answer<Vec<HistoryRow>> {
    let look = history::of_configuration(&state.database.read, &config, until, limit);
    let rows = state.views.histories.at((config, until, limit), state.log.head().head.size, look).await?;
    Ok(rows.to_vec())
}

/// The newest cancels that a filter lets through, judged: what the page and the API tell of.
pub async fn cancels(state: &AppState, filter: &CancelFilter) -> sqlx::Result<Arc<Cancels>> {
    let look = async { Ok(Cancels::of(cancel::list(&state.database.read, filter, MAX_CANCELS).await?)) };
    state.views.cancels.at(filter.clone(), state.log.head().head.size, look).await
}

impl ServerPortal {
    pub(super) async fn compare_view(&self, names: &[String]) -> Answer<CompareView> {
        self.may_read()?;
        let found = compare::find(&self.state, names).await?;
        let judged = match found.rows.len() >= FEWEST {
            true => Some(compare::of(&self.state, &found.rows).await?),
            false => None,
        };
        // Offered are the newest; of the first run's network, where there is one.
        let words = found.rows.first().map(|row| row.network.clone()).into_iter().collect();
        let filter = Filter { words, ..Filter::default() };
        let mut recent = first(&self.state, filter).await?;
        recent.truncate(OFFERED);
        recent.retain(|row| found.rows.iter().all(|chosen| chosen.id != row.id));
        let (compared, tree_problems) =
            judged.map_or((None, Vec::new()), |it| (Some(it.compared), it.tree_problems));
        Ok(CompareView { rows: found.rows, unknown: found.unknown, tree_problems, compared, recent })
    }

    pub(super) async fn configuration_view(
        &self,
        digest: &str,
        until: Option<u64>,
    ) -> Answer<ConfigurationView> {
        self.may_read()?;
        let digest = parse_digest("digest", digest)
            .map_err(|_| Problem::not_found("a configuration is named by 64 hexadecimal digits"))?;
        let rows = history_of(&self.state, digest, until, MAX_HISTORY).await?;
        if rows.is_empty() {
            return Err(Problem::not_found("no run was asked for this configuration"));
        }
        Ok(ConfigurationView { digest, rows, limit: MAX_HISTORY })
    }

    pub(super) async fn cancels_view(&self, filter: CancelFilter) -> Answer<CancelsView> {
        self.may_read()?;
        let cancels = cancels(&self.state, &filter).await?;
        Ok(CancelsView { filter, cancels, limit: MAX_CANCELS })
    }

    pub(super) async fn caches_view(&self, filter: CacheFilter) -> Answer<CachesView> {
        self.may_read()?;
        let pool = &self.state.database.read;
        let look = async {
            let rows = cache::list(pool, &filter, CACHES_A_PAGE + 1).await?;
            Ok::<_, sqlx::Error>((rows, cache::modes(pool, MAX_CACHES).await?))
        };
        let found = self.state.views.caches.at(filter.clone(), self.state.log.head().head.size, look).await?;
        let (mut rows, modes) = (*found).clone();
        let more = rows.len() > CACHES_A_PAGE as usize;
        rows.truncate(CACHES_A_PAGE as usize);
        let before = rows.last().map(|row| row.number).filter(|_| more);
        Ok(CachesView { filter, modes, rows, before })
    }

    pub(super) async fn restores_view(&self, name: &str) -> Answer<RestoresView> {
        self.may_read()?;
        let (log, _) = route::read(&self.state, name).await?;
        if log.entries.is_empty() {
            return Err(Problem::not_found("no such route"));
        }
        Ok(RestoresView { route: name.to_owned(), restores: restores(name, &log) })
    }
}
