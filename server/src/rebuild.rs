//! How runs stand by their rebuilds, from what the log holds: the judgement is the ledger's.

use std::sync::Arc;

use acta_app::view::{RunLink, RunRow, rebuild::RebuildsView};
use acta_ledger::{
    evidence::{
        build::BuildSummary,
        rebuild::{Obstacle, RebuildRecord},
    },
    judge::rebuild::{Original, Standing, Told, obstacle_in_record, standing},
    log::digest::Sha256Digest,
};

use crate::{
    advice,
    error::Answer,
    startup::AppState,
    statement::{self, ReadEntry, damaged, unless_damaged},
    store::{self, rebuild::RebuildRow},
};

/// Statements about one run that are judged at most, the newest.
pub const MAX_REBUILDS: u32 = 200;

/// How a run stands, and what that leaves out.
pub struct Stands {
    /// The judgement.
    pub standing: Standing,
    /// Why the run cannot be rebuilt, by its own record.
    pub obstacle: Option<Obstacle>,
    /// The runs in which it was built again, as far as the log has them.
    pub runs: Vec<RunLink>,
    /// Statements that were left out: older ones, and those whose entries are damaged.
    pub left_out: u64,
}

/// A statement with everything that it rests on.
struct Gathered {
    index: u64,
    agent: String,
    owner: Option<String>,
    record: RebuildRecord,
    rebuilt: Option<(RunLink, Summary)>,
}

/// A build summary in the log.
struct Summary {
    agent: String,
    read: Arc<(BuildSummary, Sha256Digest)>,
}

impl Summary {
    fn borrowed(&self) -> Original<'_> {
        let (summary, entry) = &*self.read;
        Original { agent: &self.agent, entry: *entry, summary }
    }
}

/// How a run stands.
pub async fn of(state: &AppState, run: &RunRow) -> Answer<Stands> {
    let original = summary_of(state, run).await?;
    let summary = &original.read.0;
    let (pool, id) = (&state.database.read, summary.run.id.to_string());
    let rows = store::rebuild::of_run(pool, &id, MAX_REBUILDS).await?;
    let all = match rows.len() {
        // Only then can there be more.
        found if found == MAX_REBUILDS as usize => store::rebuild::count(pool, &id).await?,
        found => found as u64,
    };
    let mut gathered = Vec::with_capacity(rows.len());
    for row in rows {
        gathered.extend(unless_damaged(gather(state, row).await)?);
    }
    let told: Vec<Told<'_>> = gathered
        .iter()
        .map(|it| Told {
            index: it.index,
            agent: &it.agent,
            owner: it.owner.as_deref(),
            record: &it.record,
            rebuilt: it.rebuilt.as_ref().map(|(_, summary)| summary.borrowed()),
        })
        .collect();
    let standing = standing(original.borrowed(), &told);
    let left_out = all.saturating_sub(gathered.len() as u64);
    let mut runs: Vec<RunLink> = Vec::new();
    for (link, _) in gathered.into_iter().filter_map(|it| it.rebuilt) {
        if !runs.iter().any(|run| run.id == link.id) {
            runs.push(link);
        }
    }
    Ok(Stands { standing, obstacle: obstacle_in_record(summary), runs, left_out })
}

/// The same with the runs that it is itself a rebuild of, for a page.
pub async fn view(state: &AppState, run: &RunRow) -> Answer<RebuildsView> {
    let (pool, stands) = (&state.database.read, self::of(state, run).await?);
    let mut of: Vec<RunLink> = Vec::new();
    for row in store::rebuild::by_run(pool, &run.id, MAX_REBUILDS).await? {
        if !of.iter().any(|link| link.id == row.run) {
            of.extend(store::run::link_to(pool, &row.run).await?);
        }
    }
    Ok(RebuildsView {
        run: run.id.clone(),
        obstacle: stands.obstacle,
        standing: stands.standing,
        left_out: stands.left_out,
        runs: stands.runs,
        of,
    })
}

async fn gather(state: &AppState, row: RebuildRow) -> Answer<Gathered> {
    let pool = &state.database.read;
    let ReadEntry { statement, signer, .. } = statement::read(state, row.entry).await?;
    let record = statement.predicate().map_err(|error| damaged(row.entry, &error))?;
    let rebuilt = match &row.rebuilt {
        Some(id) => match store::run::find(pool, id).await? {
            Some(run) => {
                let summary = summary_of(state, &run).await?;
                Some((link(run), summary))
            }
            None => None,
        },
        None => None,
    };
    let owner = store::agent::by_name(pool, &signer).await?.and_then(|agent| agent.owner);
    Ok(Gathered { index: row.entry, agent: signer, owner, record, rebuilt })
}

fn link(run: RunRow) -> RunLink {
    RunLink { id: run.id, number: run.number, outcome: run.outcome, attempt: run.attempt }
}

async fn summary_of(state: &AppState, run: &RunRow) -> Answer<Summary> {
    Ok(Summary { agent: run.agent.clone(), read: advice::summary_of(state, run.entry).await? })
}
