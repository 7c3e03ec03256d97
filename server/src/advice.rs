//! Advice on a run, by the runs that the log holds. The judgement is the ledger's; here is only what it rests on.

use std::sync::Arc;

use acta_app::view::RunRow;
use acta_ledger::{
    evidence::{build::BuildSummary, phase_tree::PhaseTree},
    judge::{
        advice::{Advice, RunFacts, advise},
        baseline::{Baseline, BaselineKey, EntryRef},
    },
    log::digest::Sha256Digest,
};

use crate::{
    blob::BlobError,
    error::Answer,
    phase_tree::{self, NoTree},
    startup::AppState,
    statement::{self, damaged, unless_damaged},
    store::run,
};

/// How many earlier runs are looked at, the newest.
const MAX_RUNS: u32 = 200;

/// The longest phase tree that is read for advice, of the run itself as of those before it: whoever asks, and whichever page
/// asks first, the answer is the same.
const MAX_TREE_BYTES: u64 = 8 << 20;

/// Answers the four questions about a run that is in the log.
pub async fn of(state: &AppState, row: &RunRow) -> Answer<Advice> {
    // It rests on the run and on runs before it in the log, and on nothing that can change.
    if let Some(advice) = state.advice.get(row.entry) {
        return Ok((*advice).clone());
    }
    let read = summary_of(state, row.entry).await?;
    let (summary, digest) = &*read;
    let tree = small_tree(state, summary).await;
    let key = BaselineKey::of(summary);
    let mut baseline = Baseline::new(key.clone());
    let mut history = Vec::new();
    // What the store could not give just now is no reason to answer without it from now on.
    let mut whole = tree.is_ok();
    let earlier = run::kin(&state.database.read, row, &summary.build_config_hash, MAX_RUNS).await?;
    for entry in earlier {
        let Some(read) = unless_damaged(summary_of(state, entry).await)? else { continue };
        let (before, digest) = &*read;
        let of_kind = BaselineKey::of(before) == key;
        let needed = of_kind || before.plan().is_none();
        let tree = if needed { small_tree(state, before).await } else { Ok(None) };
        whole &= tree.is_ok();
        let tree = tree.ok().flatten();
        let entry = EntryRef { run: before.run.id, digest: *digest, index: Some(entry) };
        if let Some(tree) = tree.as_ref().filter(|_| of_kind) {
            baseline.take(before, tree, entry);
        }
        history.push(RunFacts::of(before, tree.as_ref(), entry));
    }
    let entry = EntryRef { run: summary.run.id, digest: *digest, index: Some(row.entry) };
    let tree = tree.ok().flatten();
    let advice = advise(&RunFacts::of(summary, tree.as_ref(), entry), &history, &baseline);
    if whole {
        state.advice.keep(row.entry, Arc::new(advice.clone()));
    }
    Ok(advice)
}

/// The summary of an entry that must be one, and the entry's digest.
pub(crate) async fn summary_of(state: &AppState, index: u64) -> Answer<Arc<(BuildSummary, Sha256Digest)>> {
    if let Some(read) = state.summaries.get(index) {
        return Ok(read);
    }
    let stored = statement::stored(state, index).await?;
    let (_, statement) = statement::parse(&stored)?;
    let summary = statement.predicate().map_err(|error| damaged(index, &error))?;
    let read = Arc::new((summary, Sha256Digest::of(&stored.record)));
    state.summaries.keep(index, Arc::clone(&read));
    Ok(read)
}

/// What is usual for builds of a kind, by those that the log holds.
pub async fn baseline(state: &AppState, key: &BaselineKey) -> Answer<Baseline> {
    let mut baseline = Baseline::new(key.clone());
    for index in run::of_config(&state.database.read, &key.build_config_hash, MAX_RUNS).await? {
        let Some(read) = unless_damaged(summary_of(state, index).await)? else { continue };
        let (summary, digest) = &*read;
        if BaselineKey::of(summary) == *key
            && let Ok(Some(tree)) = small_tree(state, summary).await
        {
            let entry = EntryRef { run: summary.run.id, digest: *digest, index: Some(index) };
            baseline.take(summary, &tree, entry);
        }
    }
    Ok(baseline)
}

/// The phase tree; none where there is none, or it is gone, damaged or very long. Intake takes no summary whose tree is not
/// stored, so one that is missing is not on its way.
async fn small_tree(state: &AppState, summary: &BuildSummary) -> Result<Option<PhaseTree>, BlobError> {
    let Some(named) = &summary.phase_tree else { return Ok(None) };
    match phase_tree::read(state, &named.digest, MAX_TREE_BYTES).await {
        Ok(tree) => Ok(Some(tree)),
        Err(NoTree::None(_)) => Ok(None),
        Err(NoTree::Store(error)) => Err(error),
    }
}
