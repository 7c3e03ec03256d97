//! The one door through which pages get what they show. The server implements it for each request, so whoever may not
//! see a thing gets [`PageError::NotFound`] from here and no page has to ask.

use acta_ledger::judge::filter::FilterError;
use async_trait::async_trait;

use crate::view::{
    EntryView, LedgerView, RunQuery, RunView, RunsView, Viewer,
    acceptance::AcceptancesView,
    agent::AgentView,
    caches::{CacheFilter, CachesView},
    cancels::{CancelFilter, CancelsView},
    chart::Plot,
    compare::CompareView,
    configuration::ConfigurationView,
    live::{LiveBuildView, LiveBuildsView},
    people::{AccountView, PeopleDoneView, PeopleView, PersonView},
    restores::RestoresView,
    route::{DoneView, LiveView, RouteView, RoutesView},
    search::SearchView,
    trace::TraceView,
};

/// Why a page cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageError {
    /// There is no such thing, or the viewer may not know of it.
    NotFound,
    /// The address holds something that cannot be understood: which field and why, as a message key and the value found.
    BadRequest {
        /// The field.
        field: &'static str,
        /// What was found.
        found: String,
    },
    /// The filter cannot be understood.
    BadFilter {
        /// The field.
        field: &'static str,
        /// The term that was found.
        found: String,
        /// What is expected in its place.
        expected: String,
    },
    /// The entry that the page would tell of is damaged: its bytes cannot be read as the statement that was logged.
    Damaged {
        /// The entry's index.
        entry: u64,
        /// What does not fit.
        reason: String,
    },
    /// The server failed; the log holds the reason under this id.
    Internal {
        /// What to quote to whoever runs the server.
        id: String,
    },
}

impl From<FilterError> for PageError {
    fn from(FilterError { field, found, expected }: FilterError) -> Self {
        Self::BadFilter { field, found, expected }
    }
}

/// The server's side, for one request.
#[async_trait]
pub trait Portal: Send + Sync + 'static {
    /// Who is looking.
    fn viewer(&self) -> Viewer;
    /// The runs.
    async fn runs(&self, query: RunQuery) -> Result<RunsView, PageError>;
    /// One run, by id or by number.
    async fn run(&self, id: &str) -> Result<RunView, PageError>;
    /// Runs side by side, each by id or by number.
    async fn compare(&self, runs: &[String]) -> Result<CompareView, PageError>;
    /// The runs of a configuration, by its digest (64 digits); with `until`, none that is newer than that number.
    async fn configuration(&self, digest: &str, until: Option<u64>) -> Result<ConfigurationView, PageError>;
    /// The cancels.
    async fn cancels(&self, filter: CancelFilter) -> Result<CancelsView, PageError>;
    /// The decisions about timing caches.
    async fn caches(&self, filter: CacheFilter) -> Result<CachesView, PageError>;
    /// How long it took to restore bundles on a route.
    async fn restores(&self, route: &str) -> Result<RestoresView, PageError>;
    /// Draws a chart: an SVG for wide and one for narrow pages, hidden from those who do not see; links in it are not.
    fn plot(&self, plot: &Plot) -> String;
    /// The builds that run.
    async fn live_builds(&self) -> Result<LiveBuildsView, PageError>;
    /// One build that runs, by its run's id.
    async fn live_build(&self, run: &str) -> Result<LiveBuildView, PageError>;
    /// One entry, by index or by digest.
    async fn entry(&self, which: &str) -> Result<EntryView, PageError>;
    /// The ledger; entries below `before`, newest first.
    async fn ledger(&self, before: Option<u64>) -> Result<LedgerView, PageError>;
    /// One agent, by its name.
    async fn agent(&self, name: &str) -> Result<AgentView, PageError>;
    /// One run of the acceptance test, by id or by number, and all of them; the newest without either.
    async fn acceptance(&self, id: Option<&str>) -> Result<AcceptancesView, PageError>;
    /// The board of routes.
    async fn routes(&self) -> Result<RoutesView, PageError>;
    /// One route, for its newest bundle or for the one whose digest (64 digits) is given.
    async fn route(&self, name: &str, bundle: Option<&str>) -> Result<RouteView, PageError>;
    /// A decision or an order of a route after it was signed.
    async fn done(&self, route: &str, entry: &str) -> Result<DoneView, PageError>;
    /// What was live on a route at a moment (RFC 3339, or a date).
    async fn live(&self, route: &str, at: &str) -> Result<LiveView, PageError>;
    /// The viewer's own account; not found for nobody.
    async fn account(&self) -> Result<AccountView, PageError>;
    /// All accounts; not found for whoever may not see them.
    async fn people(&self) -> Result<PeopleView, PageError>;
    /// One account.
    async fn person(&self, name: &str) -> Result<PersonView, PageError>;
    /// What was done to an account or a token, and the token that came of it, once.
    async fn people_done(&self, event: &str) -> Result<PeopleDoneView, PageError>;
    /// What a text in the search box finds.
    async fn search(&self, text: &str) -> Result<SearchView, PageError>;
    /// The trace of a bundle (64 digits), on the route that is named or on the first that it is on.
    async fn trace(&self, bundle: &str, route: Option<&str>) -> Result<TraceView, PageError>;
}
