//! The trace of a bundle, from what the log holds: the judgement is the ledger's.

use acta_app::view::RunRow;
use acta_ledger::{
    evidence::{build::BuildSummary, decision::SeenHead},
    judge::{
        route::{RouteEvent, RouteLog},
        trace::{LoggedRun, StepKind, Trace, run_of, trace},
    },
    log::digest::Sha256Digest,
};

use crate::{
    clock,
    error::{Answer, Problem},
    route::read,
    startup::AppState,
    statement::{self, ReadEntry, damaged},
    store,
};

/// A trace, and where else the bundle is.
pub struct Traced {
    /// The trace.
    pub trace: Trace,
    /// Every route that the bundle is on.
    pub routes: Vec<String>,
    /// The tree head that it was judged from.
    pub seen: SeenHead,
}

/// The trace of a bundle on a route, or on the first route that it is on.
pub async fn of(state: &AppState, bundle: Sha256Digest, route: Option<&str>) -> Answer<Traced> {
    let routes = routes_of(state, bundle).await?;
    let chosen = match route {
        Some(wanted) => routes.iter().find(|name| *name == wanted),
        None => routes.first(),
    };
    let Some(chosen) = chosen.cloned() else {
        return Err(Problem::not_found("no route has evidence for this bundle")
            .field("digest")
            .found(bundle));
    };
    let (log, seen) = read(state, &chosen).await?;
    let now = clock::now();
    let run = match run_of(&chosen, bundle, &log, now) {
        Some(id) => logged_run(state, &id.to_string()).await?,
        None => None,
    };
    let runs: Vec<LoggedRun<'_>> = run
        .iter()
        .map(|(index, leaf, signer, summary)| LoggedRun { index: *index, leaf: *leaf, signer, summary })
        .collect();
    let trace = trace(&chosen, bundle, &log, &runs, now);
    Ok(Traced { trace, routes, seen })
}

/// The routes that have evidence for a bundle, by name.
async fn routes_of(state: &AppState, bundle: Sha256Digest) -> Answer<Vec<String>> {
    let mut routes = Vec::new();
    for name in store::route::of_subject(&state.database.read, &bundle).await? {
        if read(state, &name).await?.0.entries.iter().any(|entry| entry.event.bundle() == Some(bundle)) {
            routes.push(name);
        }
    }
    Ok(routes)
}

/// The run of a trace, where the log has it.
pub async fn run_row(state: &AppState, trace: &Trace) -> Answer<Option<RunRow>> {
    let told = trace.step(StepKind::Run).is_some_and(|step| !step.sources.is_empty());
    Ok(match trace.run.filter(|_| told) {
        Some(id) => store::run::find(&state.database.read, &id.to_string()).await?,
        None => None,
    })
}

/// The bundle that a run's plan is in, by a record of gate 3 that says so.
pub fn bundle_of_run(log: &RouteLog, run: uuid::Uuid) -> Option<Sha256Digest> {
    log.entries.iter().rev().find_map(|entry| match &entry.event {
        RouteEvent::Gate(record) if record.run == Some(run) => record.bundle,
        _ => None,
    })
}

type Logged = (u64, Sha256Digest, String, BuildSummary);

async fn logged_run(state: &AppState, id: &str) -> Answer<Option<Logged>> {
    let Some(row) = store::run::find(&state.database.read, id).await? else { return Ok(None) };
    let ReadEntry { stored, statement, .. } = statement::read(state, row.entry).await?;
    let summary = statement.predicate().map_err(|error| damaged(row.entry, &error))?;
    Ok(Some((row.entry, stored.leaf_hash, row.agent, summary)))
}
