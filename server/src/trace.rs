//! The trace of a bundle, from what the log holds: the judgement is the ledger's.

use acta_app::view::RunRow;
use acta_ledger::{
    evidence::{
        build::BuildSummary,
        decision::SeenHead,
        route::{BundleDigest, RouteRecord},
    },
    judge::{
        route::{RouteEvent, RouteLog, judge_bundle},
        trace::{LoggedRun, StepKind, Trace, run_of, trace},
    },
    log::digest::Sha256Digest,
};

use crate::{
    clock,
    error::{Answer, Problem},
    route::read_until,
    startup::AppState,
    statement::{self, damaged},
    store,
};

/// A trace, and where else the bundle is.
pub struct Traced {
    /// The trace.
    pub trace: Trace,
    /// The run that it rests on, where the log has it.
    pub run: Option<RunRow>,
    /// How the route stands for the bundle.
    pub record: RouteRecord,
    /// Every route that the bundle is on.
    pub routes: Vec<String>,
    /// The tree head that it was judged from.
    pub seen: SeenHead,
}

/// The trace of a bundle on a route, or on the first route that it is on.
pub async fn of(state: &AppState, bundle: Sha256Digest, route: Option<&str>) -> Answer<Traced> {
    let (head, now) = (state.log.head().head, clock::now());
    let mut logs = routes_of(state, bundle, head.size).await?;
    let routes: Vec<String> = logs.iter().map(|(name, _)| name.clone()).collect();
    let at = match route {
        Some(wanted) => routes.iter().position(|name| name == wanted),
        None => (!routes.is_empty()).then_some(0),
    };
    let Some((chosen, log)) = at.map(|at| logs.swap_remove(at)) else {
        return Err(Problem::not_found("no route has evidence for this bundle")
            .field("digest")
            .found(bundle));
    };
    let row = match run_of(&chosen, bundle, &log, now) {
        Some(id) => store::run::find(&state.database.read, &id.to_string()).await?,
        None => None,
    };
    let logged = match &row {
        Some(row) => Some((row, logged(state, row).await?)),
        None => None,
    };
    let runs: Vec<LoggedRun<'_>> = logged
        .iter()
        .map(|(row, (leaf, summary))| LoggedRun {
            index: row.entry,
            leaf: *leaf,
            signer: &row.agent,
            summary,
        })
        .collect();
    let trace = trace(&chosen, bundle, &log, &runs, now);
    let told = trace.step(StepKind::Run).is_some_and(|step| !step.sources.is_empty());
    let run = row.filter(|_| told);
    let record = judge_bundle(&chosen, BundleDigest(bundle), &log, now).record;
    let seen = SeenHead { origin: head.origin, size: head.size, root: head.root };
    Ok(Traced { trace, run, record, routes, seen })
}

/// The routes that have evidence for a bundle, by name, with their entries in the tree of `size` entries.
async fn routes_of(state: &AppState, bundle: Sha256Digest, size: u64) -> Answer<Vec<(String, RouteLog)>> {
    let mut routes = Vec::new();
    for name in store::route::of_subject(&state.database.read, &bundle).await? {
        let log = read_until(state, &name, size).await?;
        if log.entries.iter().any(|entry| entry.event.bundle() == Some(bundle)) {
            routes.push((name, log));
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

/// A run's entry: its leaf hash and what it says.
async fn logged(state: &AppState, row: &RunRow) -> Answer<(Sha256Digest, BuildSummary)> {
    let stored = statement::stored(state, row.entry).await?;
    let (_, statement) = statement::parse(&stored)?;
    let summary = statement.predicate().map_err(|error| damaged(row.entry, &error))?;
    Ok((stored.leaf_hash, summary))
}
