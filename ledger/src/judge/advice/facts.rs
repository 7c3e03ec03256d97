//! What advice is made from: the facts of a run, taken from its summary and its phase tree.

use uuid::Uuid;

use crate::{
    evidence::{
        build::{BuildSummary, Outcome},
        phase_tree::PhaseTree,
        timing_cache::TimingCacheMode,
    },
    judge::{
        baseline::{BaselineKey, EntryRef, Place},
        stuck::{Situation, stop_place},
    },
    log::digest::Sha256Digest,
};

/// What is known of one run, over or not.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFacts {
    /// The run.
    pub run: Uuid,
    /// The entry that tells about it; none while it is not signed.
    pub entry: Option<EntryRef>,
    /// How it ended; none while it goes on.
    pub outcome: Option<Outcome>,
    /// The route that it is made for.
    pub route: Option<String>,
    /// The attempt before.
    pub retry_of: Option<Uuid>,
    /// The network's digest, once it was read.
    pub network: Option<Sha256Digest>,
    /// The file that the network comes from.
    pub source: String,
    /// Whether element types are binding, once the network was parsed.
    pub strongly_typed: Option<bool>,
    /// What it can be compared with.
    pub key: BaselineKey,
    /// What became of the timing cache; none while that is open.
    pub cache_mode: Option<TimingCacheMode>,
    /// Where the plan was to stand.
    pub output: String,
    /// The plan that came out.
    pub plan: Option<Sha256Digest>,
    /// Where it stopped without an engine.
    pub stopped_in: Option<Place>,
    /// Where it is, or was when it mattered.
    pub situation: Option<Situation>,
    /// How much of one processor the worker used during the silence, in thousandths; none if nobody looked.
    pub busy_per_mille: Option<u32>,
}

impl RunFacts {
    /// The facts of a run that is over.
    pub fn of(summary: &BuildSummary, tree: Option<&PhaseTree>, entry: EntryRef) -> Self {
        Self {
            run: summary.run.id,
            entry: Some(entry),
            outcome: Some(summary.outcome),
            route: summary.run.route.clone(),
            retry_of: summary.run.retry_of,
            network: Some(summary.network.digest),
            source: summary.network.source.clone(),
            strongly_typed: summary.network.layers.map(|_| summary.network.strongly_typed),
            key: BaselineKey::of(summary),
            cache_mode: Some(summary.timing_cache_mode),
            output: summary.output_path.clone(),
            plan: summary.plan().and_then(|plan| plan.digest),
            stopped_in: stop_place(summary, tree),
            situation: tree
                .filter(|tree| tree.is_well_formed())
                .and_then(|tree| Situation::of(summary, tree)),
            busy_per_mille: None,
        }
    }

    /// Whether an engine came out.
    pub(super) fn has_engine(&self) -> bool {
        self.plan.is_some()
            && matches!(self.outcome, Some(Outcome::Completed | Outcome::CancelRequestedButCompleted))
    }

    /// Whether it is over, without an engine.
    pub(super) fn stopped(&self) -> bool {
        self.outcome.is_some() && !self.has_engine()
    }
}
