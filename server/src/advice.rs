//! Advice on a run, by the runs that the log holds. The judgement is the ledger's; here is only what it rests on.

use std::sync::Arc;

use acta_app::view::RunRow;
use acta_ledger::{
    evidence::{build::BuildSummary, phase_tree::PhaseTree},
    judge::{
        advice::{Advice, RunFacts, advise},
        baseline::{Baseline, BaselineKey, EntryRef},
    },
    log::{digest::Sha256Digest, dsse::Envelope, statement::Statement},
};

use crate::{
    error::{Answer, Problem},
    log::reader::StoredEntry,
    phase_tree,
    startup::AppState,
    store::run,
};

/// How many earlier runs are looked at, the newest.
const MAX_RUNS: u32 = 200;

/// The longest phase tree that is read for a baseline.
const MAX_TREE_BYTES: u64 = 8 << 20;

/// Answers the four questions about a run that is in the log.
pub async fn of(
    state: &AppState,
    row: &RunRow,
    summary: &BuildSummary,
    tree: Option<&PhaseTree>,
    digest: Sha256Digest,
) -> Answer<Advice> {
    // It rests on the run and on runs before it in the log, and on nothing that can change.
    if let Some(advice) = state.advice.get(row.entry) {
        return Ok((*advice).clone());
    }
    let key = BaselineKey::of(summary);
    let mut baseline = Baseline::new(key.clone());
    let mut history = Vec::new();
    // Bytes that are not here may still come.
    let mut whole = tree.is_some() == summary.phase_tree.is_some();
    let earlier = run::kin(&state.database.read, row, &summary.build_config_hash, MAX_RUNS).await?;
    for entry in earlier {
        // A damaged entry is no evidence; its own page says what is wrong with it.
        let Some(read) = summary_of(state, entry).await? else { continue };
        let (before, digest) = &*read;
        let of_kind = BaselineKey::of(before) == key;
        let needed = of_kind || before.plan().is_none();
        let tree = if needed { small_tree(state, before).await } else { None };
        whole &= !needed || tree.is_some() == before.phase_tree.is_some();
        let entry = EntryRef { run: before.run.id, digest: *digest, index: Some(entry) };
        if let Some(tree) = tree.as_ref().filter(|_| of_kind) {
            baseline.take(before, tree, entry);
        }
        history.push(RunFacts::of(before, tree.as_ref(), entry));
    }
    let entry = EntryRef { run: summary.run.id, digest, index: Some(row.entry) };
    let advice = advise(&RunFacts::of(summary, tree, entry), &history, &baseline);
    if whole {
        state.advice.keep(row.entry, Arc::new(advice.clone()));
    }
    Ok(advice)
}

/// The summary of an entry and the entry's digest; none where it is damaged.
async fn summary_of(state: &AppState, index: u64) -> Answer<Option<Arc<(BuildSummary, Sha256Digest)>>> {
    if let Some(read) = state.summaries.get(index) {
        return Ok(Some(read));
    }
    let read = state.reader.entry(index).await?.and_then(|stored| read(&stored)).map(Arc::new);
    if let Some(read) = &read {
        state.summaries.keep(index, Arc::clone(read));
    }
    Ok(read)
}

/// What is usual for builds of a kind, by those that the log holds.
pub async fn baseline(state: &AppState, key: &BaselineKey) -> Answer<Baseline> {
    let mut baseline = Baseline::new(key.clone());
    for index in run::of_config(&state.database.read, &key.build_config_hash, MAX_RUNS).await? {
        let Some(read) = summary_of(state, index).await? else { continue };
        let (summary, digest) = &*read;
        if BaselineKey::of(summary) == *key
            && let Some(tree) = small_tree(state, summary).await
        {
            let entry = EntryRef { run: summary.run.id, digest: *digest, index: Some(index) };
            baseline.take(summary, &tree, entry);
        }
    }
    Ok(baseline)
}

/// Answers about a run by its row alone.
pub async fn of_row(state: &AppState, row: &RunRow) -> Answer<Advice> {
    let stored = state.reader.entry(row.entry).await?;
    let (summary, digest) = stored
        .and_then(|stored| read(&stored))
        .ok_or_else(|| Problem::internal(format_args!("entry {} is damaged", row.entry)))?;
    let tree = small_tree(state, &summary).await;
    of(state, row, &summary, tree.as_ref(), digest).await
}

pub(crate) fn read(stored: &StoredEntry) -> Option<(BuildSummary, Sha256Digest)> {
    let envelope = Envelope::parse(&stored.record).ok()?;
    let summary = Statement::from_envelope(&envelope).ok()?.predicate().ok()?;
    Some((summary, Sha256Digest::of(&stored.record)))
}

/// The phase tree; none where there is none, or it is missing, damaged or very long.
async fn small_tree(state: &AppState, summary: &BuildSummary) -> Option<PhaseTree> {
    let named = summary.phase_tree.as_ref()?;
    phase_tree::read(state, &named.digest, MAX_TREE_BYTES).await.ok()
}
