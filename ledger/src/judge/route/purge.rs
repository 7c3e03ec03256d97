//! Whether what is retained may be removed for good.
//!
//! Only the bytes are ever removed: the entries that speak of them stay. A blob may be named by several routes, and by
//! several bundles of one (two bundles can share a runtime configuration), so everything that any of them says keeps it.

use serde::{Deserialize, Serialize};

use super::{
    Fold,
    entry::{RouteEvent, RouteLog},
    live,
    view::View,
    way_back,
};
use crate::{
    evidence::{retention::RetentionRecord, rollback::RollbackOrder, route::ValidationStatus},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// What keeps a blob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "keeps")]
pub enum Keeps {
    /// The log was not read whole, or contradicts itself: nothing can be said.
    Unread,
    /// The route has no policy, which would say for how long.
    NoPolicy,
    /// The bundle is live.
    Live,
    /// The bundle may be served.
    Approved,
    /// The bundle is held: somebody may have to look at it again.
    Held {
        /// The hold's entry.
        index: u64,
    },
    /// A rollback of another bundle would restore it.
    WayBack {
        /// Which other bundle.
        of: Sha256Digest,
    },
    /// An order for it has not ended.
    Ordered {
        /// The order's entry.
        index: u64,
    },
    /// It is retained until then.
    Until {
        /// When; none where that lies beyond all dates.
        at: Option<Timestamp>,
    },
    /// Other evidence rests on it.
    Evidence {
        /// The entry.
        index: u64,
    },
}

/// What keeps a blob, on which route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// The route.
    pub route: String,
    /// Why.
    #[serde(flatten)]
    pub keeps: Keeps,
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Everything that keeps a blob at `at`, over all the routes that there are; empty where it may be purged.
pub fn why_kept(blob: Sha256Digest, routes: &[(&str, &RouteLog)], at: Timestamp) -> Vec<Kept> {
    let of_route = |(route, log): &(&str, &RouteLog)| {
        let kept = on_route(blob, route, log, at).into_iter();
        kept.map(|keeps| Kept { route: (*route).to_owned(), keeps }).collect::<Vec<_>>()
    };
    routes.iter().flat_map(of_route).collect()
}

fn on_route(blob: Sha256Digest, route: &str, log: &RouteLog, at: Timestamp) -> Vec<Keeps> {
    let fold = Fold::new(route, log, at);
    if log.gap().is_some() || fold.view.contradiction.is_some() {
        return vec![Keeps::Unread];
    }
    let mut keeps = Vec::new();
    for record in last_records(&fold.view).into_iter().filter(|record| record.blobs().contains(&blob)) {
        keeps.extend(of_bundle(&fold, record));
    }
    let evidence = fold.view.entries.iter().rfind(|entry| names(&entry.event, blob));
    keeps.extend(evidence.map(|entry| Keeps::Evidence { index: entry.index }));
    keeps.dedup();
    keeps
}

/// The last word about each bundle that was ever retained.
fn last_records<'a>(view: &View<'a>) -> Vec<&'a RetentionRecord> {
    let mut records: Vec<&RetentionRecord> = Vec::new();
    for entry in &view.entries {
        if let RouteEvent::Retention(record) = &entry.event {
            // Kept with another configuration, it is another thing that is kept.
            records.retain(|it| it.blobs() != record.blobs());
            records.push(record);
        }
    }
    records
}

/// Whether other evidence than the retention itself names a blob.
fn names(event: &RouteEvent, blob: Sha256Digest) -> bool {
    match event {
        RouteEvent::Gate(record) => record.blobs().contains(&blob),
        RouteEvent::Canary(record) => record.measurement.as_ref().is_some_and(|it| it.samples == blob),
        _ => false,
    }
}

fn of_bundle(fold: &Fold<'_>, record: &RetentionRecord) -> Vec<Keeps> {
    let bundle = record.bundle.digest;
    let Some(definition) = fold.definition else { return vec![Keeps::NoPolicy] };
    let state = fold.state(Some(bundle));
    let periods = live::periods(&fold.view);
    let live = periods.last().and_then(|period| period.bundle);
    let mut keeps = Vec::new();
    if live == Some(bundle) {
        keeps.push(Keeps::Live);
    }
    if state.record.validation_status == ValidationStatus::Pass {
        keeps.push(Keeps::Approved);
    }
    keeps.extend(state.holds.first().map(|hold| Keeps::Held { index: hold.entry.index }));
    let approved =
        |other: &Sha256Digest| fold.state(Some(*other)).record.validation_status == ValidationStatus::Pass;
    let served = live.into_iter().chain(fold.view.bundles().into_iter().filter(approved));
    let leads_here =
        |other: &Sha256Digest| *other != bundle && way_back::target(&fold.view, *other) == bundle;
    keeps.extend(served.into_iter().find(leads_here).map(|of| Keeps::WayBack { of }));
    keeps.extend(open_order(&fold.view, bundle).map(|index| Keeps::Ordered { index }));

    let days = i64::from(definition.policy.retention_days) * DAY_MS;
    let replaced = periods.windows(2).rev().find(|pair| pair[0].bundle == Some(bundle));
    let replaced = replaced.map(|pair| pair[1].since.plus_ms(days));
    // Where no day is named, the policy's days count from when it was retained. A date beyond all dates never comes.
    let named = record.retained_until.map_or_else(|| record.at.plus_ms(days), Some);
    let still = |end: &Option<Timestamp>| end.is_none_or(|end| fold.at < end);
    let ends = [Some(named), replaced].into_iter().flatten().filter(still);
    keeps.extend(ends.max_by_key(|end| (end.is_none(), *end)).map(|at| Keeps::Until { at }));
    keeps
}

/// The last order for a bundle that no agent has ended.
fn open_order(view: &View<'_>, bundle: Sha256Digest) -> Option<u64> {
    let ended = |order: &RollbackOrder| {
        view.entries.iter().any(|entry| {
            matches!(&entry.event, RouteEvent::Result(it) if it.order == order.order && it.step.is_last())
        })
    };
    view.entries.iter().rev().find_map(|entry| match &entry.event {
        RouteEvent::Order(order) if order.to == bundle && !ended(order) => Some(entry.index),
        _ => None,
    })
}
