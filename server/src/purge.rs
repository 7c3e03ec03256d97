//! Removing the bytes of retained bundles that nothing needs any more.
//!
//! What may go is the ledger's judgement over every route. First the log says that a bundle is purged, then its bytes
//! go: after a crash between the two the next purge removes what is left. No entry ever goes.

use std::collections::BTreeSet;

use acta_ledger::{
    evidence::retention::{RetentionRecord, RetentionState},
    judge::route::{Kept, RouteEvent, RouteLog, why_kept},
    log::{digest::Sha256Digest, statement::Subject},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    clock,
    error::{Answer, Problem},
    route::{act, read},
    startup::AppState,
    store,
};

/// A retained bundle that was purged, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Purged {
    /// The route.
    pub route: String,
    /// The bundle.
    #[schema(value_type = String)]
    pub bundle: Sha256Digest,
    /// How many bytes became free; the runtime configuration goes along where nothing else keeps it.
    pub bytes: u64,
    /// The entry that says so; none where it said so before, or where nothing is done.
    pub entry: Option<u64>,
}

/// A retained bundle that is kept, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptBundle {
    /// The route that retains it.
    pub route: String,
    /// The bundle.
    #[schema(value_type = String)]
    pub bundle: Sha256Digest,
    /// Everything that keeps it, by route.
    #[schema(value_type = Vec<Object>)]
    pub because: Vec<Kept>,
}

/// What a purge came to.
#[derive(Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Purge {
    /// What went, or would go.
    pub purged: Vec<Purged>,
    /// What stayed.
    pub kept: Vec<KeptBundle>,
}

/// What is to be purged.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Only this bundle; none for all.
    pub bundle: Option<Sha256Digest>,
    /// Who wants it.
    pub by: &'a str,
    /// Whether it is only said what would go.
    pub dry_run: bool,
}

/// Removes what nothing needs; a bundle that is named and kept is an error that says what keeps it.
pub async fn purge(state: &AppState, wanted: Wanted<'_>) -> Answer<Purge> {
    // Nobody may name a blob between the judgement and its removal.
    let _alone = state.retention.write().await;
    let mut logs: Vec<(String, RouteLog)> = Vec::new();
    for name in store::route::names(&state.database.read).await? {
        let log = read(state, &name).await?.0;
        logs.push((name, log));
    }
    let mut purge = Purge::default();
    for (route, record) in retained(&logs) {
        let bundle = record.bundle.digest;
        if wanted.bundle.is_some_and(|only| only != bundle) {
            continue;
        }
        let because = judge(&logs, bundle);
        if !because.is_empty() {
            purge.kept.push(KeptBundle { route, bundle, because });
            continue;
        }
        if let Some(purged) = remove(state, &logs, &route, &record, wanted).await? {
            purge.purged.push(purged);
        }
    }
    match wanted.bundle {
        Some(bundle) if !purge.kept.is_empty() => Err(Problem::new(
            axum::http::StatusCode::CONFLICT,
            "still_needed",
            format!("bundle {bundle} is still needed: nothing was purged"),
        )
        .found(serde_json::to_string(&purge.kept).unwrap_or_default())),
        Some(bundle) if purge.purged.is_empty() => {
            Err(Problem::not_found("no route retains this bundle, or its bytes are gone already")
                .field("bundle")
                .found(bundle))
        }
        _ => Ok(purge),
    }
}

fn judge(logs: &[(String, RouteLog)], blob: Sha256Digest) -> Vec<Kept> {
    let routes: Vec<(&str, &RouteLog)> = logs.iter().map(|(name, log)| (name.as_str(), log)).collect();
    why_kept(blob, &routes, clock::now())
}

/// Every bundle that a route retains or retained, by its last record, each once.
fn retained(logs: &[(String, RouteLog)]) -> Vec<(String, RetentionRecord)> {
    let mut records = Vec::new();
    for (name, log) in logs {
        let mut seen = BTreeSet::new();
        for entry in log.entries.iter().rev() {
            if let RouteEvent::Retention(record) = &entry.event
                && seen.insert(record.bundle.digest)
            {
                records.push((name.clone(), (**record).clone()));
            }
        }
    }
    records
}

async fn remove(
    state: &AppState,
    logs: &[(String, RouteLog)],
    route: &str,
    record: &RetentionRecord,
    wanted: Wanted<'_>,
) -> Answer<Option<Purged>> {
    let mut blobs = vec![record.bundle.digest];
    // The configuration may be another bundle's too.
    blobs.extend(Some(record.runtime_config.digest).filter(|config| judge(logs, *config).is_empty()));
    let mut bytes = 0;
    for blob in &blobs {
        bytes += state.blobs.size(blob).await?.unwrap_or_default();
    }
    let said = record.state == RetentionState::Purged;
    if said && bytes == 0 {
        return Ok(None);
    }
    let mut entry = None;
    if !wanted.dry_run {
        if !said {
            let purged = RetentionRecord {
                state: RetentionState::Purged,
                at: clock::now(),
                purged_by: Some(wanted.by.to_owned()),
                chain: None,
                ..record.clone()
            };
            let subjects = vec![Subject::new(route, record.bundle.digest)];
            entry = Some(act::log(state, subjects, &purged).await?);
        }
        for blob in &blobs {
            state.blobs.delete(blob).await?;
        }
        tracing::info!(route.name = route, bundle.digest = %record.bundle.digest, purge.bytes = bytes, "a bundle was purged");
    }
    Ok(Some(Purged { route: route.to_owned(), bundle: record.bundle.digest, bytes, entry }))
}

/// The entry that says that a blob was purged; none where it never was, or was retained again.
pub async fn purged_by_entry(state: &AppState, blob: &Sha256Digest) -> Answer<Option<u64>> {
    let mut purged = None;
    for name in store::route::names(&state.database.read).await? {
        for entry in &read(state, &name).await?.0.entries {
            if let RouteEvent::Retention(record) = &entry.event
                && record.blobs().contains(blob)
            {
                purged = (record.state == RetentionState::Purged).then_some(entry.index);
            }
        }
    }
    Ok(purged)
}
