//! The trace of a bundle, from what the log holds: the judgement is the ledger's.

use acta_ledger::{
    evidence::{build::BuildSummary, decision::SeenHead},
    judge::{
        route::{RouteEvent, RouteLog},
        trace::{LoggedRun, Trace, run_of, trace},
    },
    log::{digest::Sha256Digest, dsse::Envelope, statement::Statement},
};

use crate::{
    clock,
    error::{Answer, Problem},
    route::read,
    startup::AppState,
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
    let damaged = |cause: String| Problem::internal(format_args!("entry {} is damaged: {cause}", row.entry));
    let stored = state.reader.entry(row.entry).await?.ok_or_else(|| damaged("it is missing".to_owned()))?;
    let envelope = Envelope::parse(&stored.record).map_err(|error| damaged(error.to_string()))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| damaged(error.to_string()))?;
    let summary = statement.predicate().map_err(|error| damaged(error.to_string()))?;
    Ok(Some((row.entry, stored.leaf_hash, row.agent, summary)))
}
