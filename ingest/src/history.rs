//! What this agent knows of earlier runs: what a baseline, an answer or a recommendation rests on.

use std::fs;

use acta_ledger::{
    evidence::{build::BuildSummary, phase_tree::PhaseTree, timing_cache::TimingCacheMode},
    judge::{
        advice::{RunFacts, known_engine, stopped_before},
        baseline::{Baseline, BaselineKey, EntryRef},
        retry::{RetryFacts, recommend},
    },
    log::digest::Sha256Digest,
};
use uuid::Uuid;

use crate::{blob::BlobStore, error::Result, home::Home, statements};

/// How many of the newest runs are looked at.
pub const MAX_RUNS: usize = 300;

/// The longest phase tree that is read.
pub const MAX_TREE_BYTES: u64 = 64 << 20;

/// Earlier runs, and what is usual among those of one kind.
pub struct History {
    /// The runs, oldest first.
    pub runs: Vec<RunFacts>,
    /// What is usual.
    pub baseline: Baseline,
}

/// Reads what this agent signed, up to a run (without it), with the baseline of builds of this kind.
pub fn load(home: &Home, key: BaselineKey, before: Uuid) -> Result<History> {
    let mut history = History { runs: Vec::new(), baseline: Baseline::new(key.clone()) };
    let mut runs = statements::own_summaries(home, MAX_RUNS)?;
    // A run's id holds the moment at which it began.
    runs.retain(|(summary, _)| summary.run.id < before);
    runs.sort_by_key(|(summary, _)| summary.run.id);
    runs.dedup_by_key(|(summary, _)| summary.run.id);
    for (summary, digest) in runs {
        let index = statements::index_of(home, &digest)?;
        let entry = EntryRef { run: summary.run.id, digest, index };
        let of_kind = BaselineKey::of(&summary) == key;
        let tree = if of_kind || summary.plan().is_none() { tree(home, &summary) } else { None };
        if let Some(tree) = tree.as_ref().filter(|_| of_kind) {
            history.baseline.take(&summary, tree, entry);
        }
        history.runs.push(RunFacts::of(&summary, tree.as_ref(), entry));
    }
    Ok(history)
}

/// The phase tree of a run, if it has one and it is here.
pub fn tree(home: &Home, summary: &BuildSummary) -> Option<PhaseTree> {
    let reference = summary.phase_tree.as_ref().filter(|tree| tree.bytes <= MAX_TREE_BYTES)?;
    let bytes = fs::read(BlobStore::new(home.blobs()).path(&reference.digest)).ok()?;
    let whole = Sha256Digest::of(&bytes) == reference.digest;
    if whole { serde_json::from_slice(&bytes).ok() } else { None }
}

/// Decides what the summary recommends, by what this agent knows of earlier runs; says whether the attempt before
/// stopped in the same phase.
pub fn decide(home: &Home, summary: &mut BuildSummary, tree: Option<&PhaseTree>) -> bool {
    let untouched = summary.timing_cache.file.is_some()
        && summary.timing_cache_mode == TimingCacheMode::Discarded
        && summary.timing_cache.digest_after.is_none();
    let mut facts = RetryFacts {
        outcome: summary.outcome,
        cache: summary.timing_cache_mode,
        cache_untouched: untouched && summary.phase_tree.is_none(),
        same_phase_before: false,
        known_engine: false,
    };
    if summary.plan().is_none() {
        let entry = EntryRef { run: summary.run.id, digest: Sha256Digest::of(b""), index: None };
        let run = RunFacts::of(summary, tree, entry);
        // Without the history the recommendation is the more careful one, and the evidence is signed all the same.
        if let Ok(history) = load(home, BaselineKey::of(summary), summary.run.id) {
            let place = run.stopped_in.as_ref();
            facts.same_phase_before =
                place.is_some_and(|place| stopped_before(&run, place, &history.runs).is_some());
            facts.known_engine = known_engine(&run, &history.runs).is_some();
        }
    }
    summary.retry_policy = recommend(facts);
    facts.same_phase_before
}
