//! How runs stand by their rebuilds, from what the log holds: the judgement is the ledger's.

use acta_app::view::{RunLink, rebuild::RebuildsView};
use acta_ledger::{
    evidence::{
        build::BuildSummary,
        rebuild::{Obstacle, RebuildRecord},
    },
    judge::rebuild::{Original, Standing, Told, obstacle_in_record, standing},
    log::{
        digest::Sha256Digest,
        statement::{Predicate, StatementError},
    },
};

use crate::{
    error::Answer,
    startup::AppState,
    statement::{self, ReadEntry, damaged},
    store::{self, rebuild::RebuildRow},
};

/// Statements about one run that are judged at most, the newest.
pub const MAX_REBUILDS: u32 = 200;

/// How a run stands, and how many older statements were not looked at.
pub struct Stands {
    /// The judgement.
    pub standing: Standing,
    /// Why the run cannot be rebuilt, by its own record.
    pub obstacle: Option<Obstacle>,
    /// Older statements that were left out.
    pub left_out: u64,
}

/// A statement with everything that it rests on.
struct Gathered {
    index: u64,
    agent: String,
    owner: Option<String>,
    record: RebuildRecord,
    rebuilt: Option<Summary>,
}

/// A build summary in the log.
struct Summary {
    agent: String,
    entry: Sha256Digest,
    summary: BuildSummary,
}

impl Summary {
    fn borrowed(&self) -> Original<'_> {
        Original { agent: &self.agent, entry: self.entry, summary: &self.summary }
    }
}

/// How a run stands whose summary is at an entry.
pub async fn of_entry(state: &AppState, entry: u64) -> Answer<Stands> {
    let original = summary_at(state, entry).await?;
    let (pool, id) = (&state.database.read, original.summary.run.id.to_string());
    let rows = store::rebuild::of_run(pool, &id, MAX_REBUILDS).await?;
    let left_out = store::rebuild::count(pool, &id).await?.saturating_sub(rows.len() as u64);
    let mut gathered = Vec::with_capacity(rows.len());
    for row in rows {
        gathered.push(gather(state, row).await?);
    }
    let told: Vec<Told<'_>> = gathered
        .iter()
        .map(|it| Told {
            index: it.index,
            agent: &it.agent,
            owner: it.owner.as_deref(),
            record: &it.record,
            rebuilt: it.rebuilt.as_ref().map(Summary::borrowed),
        })
        .collect();
    Ok(Stands {
        standing: standing(original.borrowed(), &told),
        obstacle: obstacle_in_record(&original.summary),
        left_out,
    })
}

/// The same with the runs that it leads to, for a page.
pub async fn view(state: &AppState, run: &str, entry: u64) -> Answer<RebuildsView> {
    let (pool, stands) = (&state.database.read, of_entry(state, entry).await?);
    let mut runs = Vec::new();
    for named in stands.standing.rebuilds.iter().filter_map(|it| it.record.rebuilt) {
        link(state, &named.run.to_string(), &mut runs).await?;
    }
    let mut of = Vec::new();
    for row in store::rebuild::by_run(pool, run, MAX_REBUILDS).await? {
        link(state, &row.run, &mut of).await?;
    }
    Ok(RebuildsView {
        run: run.to_owned(),
        obstacle: stands.obstacle,
        standing: stands.standing,
        left_out: stands.left_out,
        runs,
        of,
    })
}

async fn link(state: &AppState, run: &str, links: &mut Vec<RunLink>) -> Answer<()> {
    if !links.iter().any(|link| link.id == run) {
        links.extend(store::run::link_to(&state.database.read, run).await?);
    }
    Ok(())
}

async fn gather(state: &AppState, row: RebuildRow) -> Answer<Gathered> {
    let pool = &state.database.read;
    let ReadEntry { statement, signer, .. } = statement::read(state, row.entry).await?;
    let record: RebuildRecord = of_type(statement.predicate(), row.entry)?;
    let rebuilt = match &row.rebuilt {
        Some(id) => match store::run::find(pool, id).await? {
            Some(run) => Some(summary_at(state, run.entry).await?),
            None => None,
        },
        None => None,
    };
    let owner = store::agent::by_name(pool, &signer).await?.and_then(|agent| agent.owner);
    Ok(Gathered { index: row.entry, agent: signer, owner, record, rebuilt })
}

async fn summary_at(state: &AppState, entry: u64) -> Answer<Summary> {
    let ReadEntry { stored, statement, signer } = statement::read(state, entry).await?;
    let summary = of_type(statement.predicate(), entry)?;
    Ok(Summary { agent: signer, entry: stored.digest, summary })
}

fn of_type<P: Predicate>(predicate: Result<P, StatementError>, entry: u64) -> Answer<P> {
    predicate.map_err(|error| damaged(entry, &error))
}
