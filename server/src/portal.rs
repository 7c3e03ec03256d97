//! The server's side of the pages: fills the views from the projections and the log, for one viewer.

pub mod acceptance;
mod agent;
pub mod compare;
pub mod live;
pub mod people;
mod route;
pub mod runs;
mod trace;

use std::sync::Arc;

use acta_app::{
    portal::{PageError, Portal},
    view::{
        AgentRow, EntryRow, EntryView, LedgerView, RunQuery, RunView, RunsView, Verification, Viewer,
        acceptance::AcceptancesView,
        agent::AgentView,
        caches::{CacheFilter, CachesView},
        cancels::{CancelFilter, CancelsView},
        chart::Plot,
        compare::CompareView,
        configuration::{ConfigurationView, HistoryRow},
        live::{LiveBuildView, LiveBuildsView},
        people::{AccountView, PeopleDoneView, PeopleView, PersonView},
        restores::RestoresView,
        route::{DoneView, LiveView, RouteView, RoutesView},
        search::SearchView,
        trace::TraceView,
    },
};
use acta_ledger::{
    evidence::{build::BuildSummary, code},
    judge::chain::ChainState,
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        jcs,
        statement::Statement,
        timestamp::Timestamp,
        verification::{Material, verify},
    },
};

use self::compare::history_of;
use crate::{
    activity, advice,
    auth::{
        extract::Asking,
        policy::{Action, Actor, allows},
    },
    error::{Answer, Problem},
    http::api::{
        entry::{find, material},
        run::MAX_TREE_BYTES,
    },
    log::reader::StoredEntry,
    phase_tree, rebuild,
    startup::AppState,
    statement::{self, DAMAGED, damaged},
    store::{self, ledger, run},
    trace::bundle_of_run,
};

/// Gaps of an agent's chain that are listed at most.
const MAX_GAPS: usize = 20;

/// A chart that is longer than this, in bytes, is drawn each time: a route may have been restored ten thousand times.
const LARGE_CHART: usize = 256 << 10;

/// The server behind one request's pages.
pub struct ServerPortal {
    state: AppState,
    asking: Asking,
}

impl ServerPortal {
    /// For whoever is asking.
    pub fn new(state: AppState, asking: Asking) -> Self {
        Self { state, asking }
    }

    /// Whoever may not read evidence learns nothing, not even whether a thing is there.
    fn may_read(&self) -> Answer<()> {
        if allows(&self.asking.actor, Action::ReadEvidence, self.state.public_read) {
            Ok(())
        } else {
            Err(Problem::not_found("not to be read"))
        }
    }

    async fn run_view(&self, id: &str) -> Answer<RunView> {
        self.may_read()?;
        let pool = &self.state.database.read;
        let row = run::find(pool, id).await?.ok_or_else(|| Problem::not_found("no such run"))?;
        let stored = statement::stored(&self.state, row.entry).await?;
        let (summary, statement) = read_summary(&stored)?;
        let (tree, tree_problem) = match &summary.phase_tree {
            Some(named) => match phase_tree::read(&self.state, &named.digest, MAX_TREE_BYTES).await {
                Ok(tree) => (Some(tree), None),
                Err(problem) => (None, Some(problem.to_string())),
            },
            None => (None, None),
        };
        let retry_of = match &summary.run.retry_of {
            Some(id) => run::link_to(pool, &id.to_string()).await?,
            None => None,
        };
        let judged = advice::of(&self.state, &row).await;
        let judged = judged.inspect_err(|problem| {
            tracing::error!(entry.index = row.entry, cause = %problem.detail, "no advice on a run");
        });
        let rebuilds = rebuild::view(&self.state, &row).await;
        let rebuilds = rebuilds.inspect_err(|problem| {
            tracing::error!(entry.index = row.entry, cause = %problem.detail, "no rebuilds of a run");
        });
        Ok(RunView {
            rebuilds: rebuilds.ok(),
            advice: judged.ok(),
            number: row.number,
            entry: row.entry,
            entry_digest: stored.digest,
            agent: row.agent,
            logged_at: moment(stored.logged_at)?,
            tree,
            tree_problem,
            statement,
            verification: self.verification(&material(&self.state, row.entry).await?),
            bundle: self.bundle_of(&summary).await?,
            history: run_history(&self.state, &summary, row.number).await?,
            retry_of,
            retried_by: run::retries_of(pool, &row.id).await?,
            acceptance: store::acceptance::of_run(pool, &row.id).await?,
            cancel_request: self.cancel_request(&summary).await?,
            summary,
        })
    }

    /// The bundle that the run's plan is in, by the evidence of the run's route.
    async fn bundle_of(&self, summary: &BuildSummary) -> Answer<Option<Sha256Digest>> {
        let Some(route) = &summary.run.route else { return Ok(None) };
        let (log, _) = crate::route::read(&self.state, route).await?;
        Ok(bundle_of_run(&log, summary.run.id))
    }

    fn verification(&self, material: &Material) -> Verification {
        Verification {
            report: verify(material, &self.state.trust),
            log_key: self.state.trust.log.to_string(),
            portal_key: self.state.trust.portal.to_base64(),
        }
    }

    async fn entry_view(&self, which: &str) -> Answer<EntryView> {
        self.may_read()?;
        let stored = find(&self.state, which).await?;
        let material = material(&self.state, stored.index).await?;
        let envelope = Envelope::parse(&stored.record).ok();
        let statement = envelope.as_ref().and_then(|envelope| Statement::from_envelope(envelope).ok());
        let subjects = statement.iter().flat_map(|statement| &statement.subject).filter_map(|subject| {
            Some((subject.name.clone().unwrap_or_default(), subject.sha256()?.to_string()))
        });
        let payload = envelope.as_ref().map_or(&stored.record[..], |envelope| &envelope.payload);
        Ok(EntryView {
            index: stored.index,
            digest: Sha256Digest::of(&stored.record),
            leaf_hash: stored.leaf_hash,
            bytes: stored.record.len() as u64,
            logged_at: moment(stored.logged_at)?,
            predicate_type: statement.as_ref().map(|statement| statement.predicate_type.clone()),
            run: run::of_entry(&self.state.database.read, stored.index).await?,
            subjects: subjects.collect(),
            statement: indented(payload),
            envelope: indented(&stored.record),
            inclusion: material.entry.inclusion.clone(),
            tree_head: material.tree_head.clone(),
            verification: self.verification(&material),
            log_size: self.state.log.head().head.size,
        })
    }

    async fn ledger_view(&self, before: Option<u64>) -> Answer<LedgerView> {
        self.may_read()?;
        let pool = &self.state.database.read;
        let head = self.state.log.head();
        let listed = ledger::newest(pool, before.unwrap_or(u64::MAX), runs::PAGE_SIZE).await?;
        let mut runs =
            run::of_entries(pool, &listed.iter().map(|facts| facts.index).collect::<Vec<_>>()).await?;
        let mut entries = Vec::with_capacity(listed.len());
        for facts in &listed {
            entries.push(EntryRow {
                index: facts.index,
                digest: facts.digest,
                predicate_type: facts.predicate_type.clone(),
                signer: facts.signer.clone(),
                logged_at: moment(facts.logged_at)?,
                run: runs.remove(&facts.index),
            });
        }
        let mut agents = Vec::new();
        for agent in store::agent::list(pool).await? {
            let signed = activity::of(&self.state, &agent.name).await?;
            let chains = &signed.chains;
            agents.push(AgentRow {
                missing: chains.iter().flat_map(|it| it.missing_numbers(MAX_GAPS)).take(MAX_GAPS).collect(),
                contradicting: chains.iter().flat_map(ChainState::contradicting).take(MAX_GAPS).collect(),
                name: agent.name,
                key_id: agent.key_id.to_string(),
                public_key: agent.key.to_base64(),
                enrolled_at: agent.enrolled_at,
                entries: signed.entries(),
                last_entry_at: signed.last_at.map(moment).transpose()?,
            });
        }
        Ok(LedgerView {
            origin: head.head.origin.clone(),
            size: head.head.size,
            root: head.head.root,
            signed_at: moment(head.signed_at)?,
            tree_head: head.note,
            log_key: self.state.trust.log.to_string(),
            portal_key: self.state.trust.portal.to_base64(),
            agents,
            before: listed.last().map(|facts| facts.index).filter(|&index| index > 0),
            entries,
        })
    }
}

#[async_trait::async_trait]
impl Portal for ServerPortal {
    fn viewer(&self) -> Viewer {
        let form_token =
            self.asking.session.as_ref().map(|session| session.form_token.clone()).unwrap_or_default();
        match &self.asking.actor {
            Actor::Account { name, role, .. } => {
                Viewer { name: Some(name.clone()), role: Some(code(role)), form_token }
            }
            Actor::Anonymous | Actor::Agent { .. } => Viewer { name: None, role: None, form_token },
        }
    }

    async fn runs(&self, query: RunQuery) -> Result<RunsView, PageError> {
        self.runs_view(query).await.map_err(page_error)
    }

    async fn run(&self, id: &str) -> Result<RunView, PageError> {
        self.run_view(id).await.map_err(page_error)
    }

    async fn compare(&self, runs: &[String]) -> Result<CompareView, PageError> {
        self.compare_view(runs).await.map_err(page_error)
    }

    async fn configuration(&self, digest: &str, until: Option<u64>) -> Result<ConfigurationView, PageError> {
        self.configuration_view(digest, until).await.map_err(page_error)
    }

    async fn cancels(&self, filter: CancelFilter) -> Result<CancelsView, PageError> {
        self.cancels_view(filter).await.map_err(page_error)
    }

    async fn caches(&self, filter: CacheFilter) -> Result<CachesView, PageError> {
        self.caches_view(filter).await.map_err(page_error)
    }

    async fn restores(&self, route: &str) -> Result<RestoresView, PageError> {
        self.restores_view(route).await.map_err(page_error)
    }

    fn plot(&self, plot: &Plot) -> String {
        let charts = &self.state.views.charts;
        if let Some(drawn) = charts.find(|known| known == plot) {
            return (*drawn).clone();
        }
        match crate::chart::draw(plot) {
            Ok(drawn) => {
                if drawn.len() <= LARGE_CHART {
                    charts.keep(plot.clone(), Arc::new(drawn.clone()), |known| known == plot);
                }
                drawn
            }
            Err(error) => {
                // The table below the picture says all of it.
                tracing::error!(cause = %error, "a chart could not be drawn");
                String::new()
            }
        }
    }

    async fn live_builds(&self) -> Result<LiveBuildsView, PageError> {
        self.live_builds_view().await.map_err(page_error)
    }

    async fn live_build(&self, run: &str) -> Result<LiveBuildView, PageError> {
        self.live_build_view(run).await.map_err(page_error)
    }

    async fn entry(&self, which: &str) -> Result<EntryView, PageError> {
        self.entry_view(which).await.map_err(page_error)
    }

    async fn ledger(&self, before: Option<u64>) -> Result<LedgerView, PageError> {
        self.ledger_view(before).await.map_err(page_error)
    }

    async fn agent(&self, name: &str) -> Result<AgentView, PageError> {
        self.agent_view(name).await.map_err(page_error)
    }

    async fn acceptance(&self, id: Option<&str>) -> Result<AcceptancesView, PageError> {
        self.acceptances_view(id).await.map_err(page_error)
    }

    async fn routes(&self) -> Result<RoutesView, PageError> {
        self.routes_view().await.map_err(page_error)
    }

    async fn route(&self, name: &str, bundle: Option<&str>) -> Result<RouteView, PageError> {
        self.route_view(name, bundle).await.map_err(page_error)
    }

    async fn done(&self, route: &str, entry: &str) -> Result<DoneView, PageError> {
        self.done_view(route, entry).await.map_err(page_error)
    }

    async fn live(&self, route: &str, at: &str) -> Result<LiveView, PageError> {
        self.live_view(route, at).await.map_err(page_error)
    }

    async fn account(&self) -> Result<AccountView, PageError> {
        self.account_view().await.map_err(page_error)
    }

    async fn people(&self) -> Result<PeopleView, PageError> {
        self.people_view().await.map_err(page_error)
    }

    async fn person(&self, name: &str) -> Result<PersonView, PageError> {
        self.person_view(name).await.map_err(page_error)
    }

    async fn people_done(&self, event: &str) -> Result<PeopleDoneView, PageError> {
        self.people_done_view(event).await.map_err(page_error)
    }

    async fn search(&self, text: &str) -> Result<SearchView, PageError> {
        let found = match self.may_read() {
            Ok(()) => crate::search::search(&self.state, text).await,
            Err(problem) => Err(problem),
        };
        found.map_err(page_error)
    }

    async fn trace(&self, bundle: &str, route: Option<&str>) -> Result<TraceView, PageError> {
        self.trace_view(bundle, route).await.map_err(page_error)
    }
}

/// How many runs of its configuration a run's page shows.
const MAX_RUN_HISTORY: u32 = 100;

/// The newest runs of a run's configuration; where the run is older than those, those up to it.
async fn run_history(state: &AppState, summary: &BuildSummary, number: u64) -> Answer<Vec<HistoryRow>> {
    let config = summary.build_config_hash;
    let newest = history_of(state, config, None, MAX_RUN_HISTORY).await?;
    if newest.iter().any(|row| row.number == number) {
        return Ok(newest);
    }
    history_of(state, config, Some(number), MAX_RUN_HISTORY).await
}

fn page_error(problem: Problem) -> PageError {
    match (problem.status, problem.found) {
        (_, Some(entry)) if problem.code == DAMAGED => {
            PageError::Damaged { entry: entry.parse().unwrap_or_default(), reason: problem.detail }
        }
        (404, _) => PageError::NotFound,
        (400, found) => PageError::BadRequest {
            field: ["after", "before", "run", "bundle", "at"]
                .into_iter()
                .find(|field| problem.field.as_deref() == Some(field))
                .unwrap_or("query"),
            found: found.unwrap_or_default(),
        },
        (_, found) => PageError::Internal { id: found.unwrap_or_default() },
    }
}

fn read_summary(stored: &StoredEntry) -> Answer<(BuildSummary, String)> {
    let (envelope, statement) = statement::parse(stored)?;
    let summary = statement.predicate().map_err(|error| damaged(stored.index, &error))?;
    Ok((summary, indented(&envelope.payload)))
}

/// JSON indented for people; whatever is not JSON is shown as it is, with replacements where it is not text.
fn indented(bytes: &[u8]) -> String {
    jcs::parse(bytes)
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

fn moment(unix_ms: i64) -> Answer<Timestamp> {
    Timestamp::from_unix_ms(unix_ms)
        .ok_or_else(|| Problem::internal(format_args!("{unix_ms} is not a moment")))
}
