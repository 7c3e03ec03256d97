//! Runs side by side, from what the log holds. The judgement is the ledger's; here is only what it is made from.

use std::{collections::HashMap, sync::Arc};

use acta_app::view::RunRow;
use acta_ledger::{
    evidence::{
        build::{BuildSummary, Outcome},
        bundle::Manifest,
        gate::{Gate, GateRecord},
        phase_tree::PhaseTree,
    },
    judge::{
        baseline::{BaselineKey, EntryRef},
        compare::{Compared, FEWEST, MOST, Side, compare},
        filter::RunKind,
        route::{RouteEvent, RouteLog},
    },
};

use crate::{
    advice,
    error::{Answer, Problem},
    phase_tree, route,
    startup::AppState,
    store::{history, run},
    views::Kin,
};

/// The longest phase tree that is compared: eight of them are held at once.
const MAX_TREE_BYTES: u64 = 32 << 20;

/// How many builds of a kind a distribution rests on, the newest.
const MAX_KIN: u32 = 1_000;

/// What was found for some names of runs.
#[derive(Debug, Default)]
pub struct Found {
    /// The runs that are there, in the order of the names.
    pub rows: Vec<RunRow>,
    /// Names of which there is no run.
    pub unknown: Vec<String>,
}

/// Looks up runs by id or number.
pub async fn find(state: &AppState, names: &[String]) -> Answer<Found> {
    if names.len() > MOST {
        return Err(Problem::bad_request("bad_comparison", "too many runs to compare")
            .field("run")
            .found(names.len())
            .expected(format!("{FEWEST} to {MOST} runs, the baseline first")));
    }
    let mut found = Found::default();
    for name in names {
        match run::find(&state.database.read, name).await? {
            Some(row) => found.rows.push(row),
            None => found.unknown.push(name.clone()),
        }
    }
    Ok(found)
}

/// A comparison, and why a run's phase tree could not be taken into it.
pub struct Judged {
    /// The comparison.
    pub compared: Compared,
    /// For each run: why its tree is missing although it names one.
    pub tree_problems: Vec<Option<String>>,
}

struct Loaded {
    entry: EntryRef,
    summary: BuildSummary,
    tree: Option<PhaseTree>,
    tree_problem: Option<String>,
    bundle: Option<Manifest>,
    kin: Arc<Kin>,
}

/// Compares runs, the first of them as the baseline.
pub async fn of(state: &AppState, rows: &[RunRow]) -> Answer<Judged> {
    let mut routes = HashMap::new();
    let mut runs = Vec::with_capacity(rows.len());
    for row in rows {
        runs.push(load(state, row, &mut routes).await?);
    }
    let sides: Vec<Side<'_>> = runs
        .iter()
        .map(|run| Side {
            entry: run.entry,
            summary: &run.summary,
            tree: run.tree.as_ref(),
            bundle: run.bundle.as_ref(),
            kin_total_ms: &run.kin.total_ms,
            kin: run.kin.count,
        })
        .collect();
    let compared = compare(&sides).map_err(|error| {
        Problem::bad_request("bad_comparison", error.to_string())
            .field("run")
            .found(error.found)
            .expected(format!("{FEWEST} to {MOST} runs, the baseline first"))
    })?;
    Ok(Judged { compared, tree_problems: runs.into_iter().map(|run| run.tree_problem).collect() })
}

async fn load(state: &AppState, row: &RunRow, routes: &mut HashMap<String, RouteLog>) -> Answer<Loaded> {
    let (summary, digest) = Arc::unwrap_or_clone(advice::summary_of(state, row.entry).await?);
    let (tree, tree_problem) = match &summary.phase_tree {
        Some(named) => match phase_tree::read(state, &named.digest, MAX_TREE_BYTES).await {
            Ok(tree) => (Some(tree), None),
            Err(problem) => (None, Some(problem.to_string())),
        },
        None => (None, None),
    };
    let bundle = match &summary.run.route {
        Some(name) => {
            if !routes.contains_key(name) {
                routes.insert(name.clone(), route::read(state, name).await?.0);
            }
            routes.get(name).and_then(|log| manifest_of_run(log, summary.run.id))
        }
        None => None,
    };
    let kin = kin(state, BaselineKey::of(&summary)).await?;
    Ok(Loaded {
        entry: EntryRef { run: summary.run.id, digest, index: Some(row.entry) },
        tree,
        tree_problem,
        bundle,
        kin,
        summary,
    })
}

/// The builds that have in common with a run what its times can be held against.
async fn kin(state: &AppState, key: BaselineKey) -> Answer<Arc<Kin>> {
    let (pool, size) = (&state.database.read, state.log.head().head.size);
    let look = async {
        let known = state.kinds.at(pool, size).await?;
        let of_key = |kind: &RunKind| {
            kind.builder == key.builder
                && kind.tensorrt == key.tensorrt_version
                && kind.gpu == key.gpu_sku
                && key.cache.modes().contains(&kind.cache)
        };
        let completed = known.ids(|kind| of_key(kind) && kind.outcome == Outcome::Completed);
        Ok::<_, sqlx::Error>(Kin {
            total_ms: history::totals(pool, &key.build_config_hash, &completed, MAX_KIN).await?,
            count: history::count(pool, &key.build_config_hash, &known.ids(of_key), MAX_KIN).await?,
        })
    };
    Ok(state.views.kin.at(key.clone(), size, look).await?)
}

/// The manifest of the bundle that a run's plan is in, by the newest record of gate 3 that names the run.
fn manifest_of_run(log: &RouteLog, run: uuid::Uuid) -> Option<Manifest> {
    let of_run = |record: &&GateRecord| record.gate == Gate::Bundle && record.run == Some(run);
    let records = log.entries.iter().rev().filter_map(|entry| match &entry.event {
        RouteEvent::Gate(record) => Some(&**record),
        _ => None,
    });
    records.filter(of_run).find_map(Manifest::of_gate)
}
