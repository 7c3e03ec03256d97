//! The way back: whether the bundle that a rollback would restore is retained, whole and drilled.
//!
//! The way back leads to the last other bundle that was live and was not rolled back itself. Before there is any there
//! is nothing to go back to but the candidate: then it is the candidate that must be retained and restored in a drill.

use serde::{Deserialize, Serialize};

use super::{EntryRef, entry::RouteEvent, live, view::View};
use crate::{
    evidence::{
        pin::{Pin, PinChange, Pins},
        retention::{RetentionRecord, RetentionState},
        rollback::{OrderAction, RollbackResult, RollbackStep},
        route::RollbackStatus,
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// What is lacking on the way back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "lack")]
pub enum WayBackLack {
    /// The bundle and its runtime configuration are not retained.
    NotRetained,
    /// They were, and were purged.
    Purged,
    /// They were, and can no longer be read.
    Damaged,
    /// They were, until then.
    RetentionEnded {
        /// When.
        at: Timestamp,
    },
    /// The order names another runtime configuration than the retained one.
    OtherConfig,
    /// No drill ever restored them.
    NeverDrilled,
    /// The last drill failed or was refused.
    DrillFailed {
        /// Its entry.
        index: u64,
    },
    /// The drill is older than the policy allows.
    DrillStale {
        /// When it was.
        at: Timestamp,
    },
    /// The drill was not done on the route's runtime target.
    DrillOtherTarget {
        /// Where it was done.
        found: String,
    },
    /// The drill restored other bytes than the retained ones, or its health check did not pass.
    DrillNotVerified,
    /// The drill was done under other pinned facts.
    DrillOutdated {
        /// Which.
        changes: Vec<PinChange>,
    },
}

/// The drill that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Drill {
    /// Its entry.
    pub entry: EntryRef,
    /// When it ended.
    pub at: Timestamp,
    /// How long restoring took.
    pub restore_ms: Option<f64>,
    /// Until when it counts; none where the policy's days lead beyond all dates.
    pub valid_until: Option<Timestamp>,
}

/// The way back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WayBack {
    /// Which bundle it leads to.
    pub bundle: Sha256Digest,
    /// The retained runtime configuration.
    pub runtime_config: Option<Sha256Digest>,
    /// The entry that says it is retained.
    pub retained: Option<EntryRef>,
    /// Until when it is retained at least; none where no day is named.
    #[serde(default)]
    pub retained_until: Option<Timestamp>,
    /// The last drill.
    pub drill: Option<Drill>,
    /// What is lacking; empty where it is tested.
    pub lacks: Vec<WayBackLack>,
}

impl WayBack {
    /// Whether the way back is known to work.
    pub fn status(&self) -> RollbackStatus {
        if self.lacks.is_empty() { RollbackStatus::Tested } else { RollbackStatus::Blocked }
    }
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Which bundle a rollback of `candidate` would restore: the last one that was live and was not rolled back itself.
pub(super) fn target(view: &View<'_>, candidate: Sha256Digest) -> Sha256Digest {
    let mut good: Vec<Sha256Digest> = Vec::new();
    let mut last = None;
    for period in live::periods(view) {
        let left = last.filter(|_| period.action == OrderAction::Rollback);
        good.retain(|bundle| Some(*bundle) != left && Some(*bundle) != period.bundle);
        good.extend(period.bundle);
        last = period.bundle;
    }
    good.into_iter().rfind(|bundle| *bundle != candidate).unwrap_or(candidate)
}

/// How well a bundle could be restored at `at`.
pub(super) fn readiness(view: &View<'_>, bundle: Sha256Digest, size: u64, at: Timestamp) -> WayBack {
    let mut way = WayBack {
        bundle,
        runtime_config: None,
        retained: None,
        retained_until: None,
        drill: None,
        lacks: Vec::new(),
    };
    let retention = view.entries.iter().rev().find_map(|entry| match &entry.event {
        RouteEvent::Retention(it) if it.bundle.digest == bundle => Some((EntryRef::of(entry), &**it)),
        _ => None,
    });
    let Some((entry, record)) = retention else {
        way.lacks.push(WayBackLack::NotRetained);
        return way;
    };
    way.runtime_config = Some(record.runtime_config.digest);
    way.retained_until = record.retained_until;
    way.retained = Some(entry);
    match (record.state, record.retained_until) {
        (RetentionState::Purged, _) => way.lacks.push(WayBackLack::Purged),
        (RetentionState::Damaged, _) => way.lacks.push(WayBackLack::Damaged),
        (RetentionState::Retained, Some(until)) if !record.is_kept(at) => {
            way.lacks.push(WayBackLack::RetentionEnded { at: until });
        }
        (RetentionState::Retained, _) => {}
    }
    // A drill counts for what is retained now: it must come after the bundle was first kept in this way.
    let kept_since = kept_since(view, record);
    let drill = view.entries.iter().rev().find_map(|entry| match &entry.event {
        RouteEvent::Result(it)
            if it.action == OrderAction::Drill
                && it.to == bundle
                && entry.index > kept_since
                && it.step.is_last() =>
        {
            Some((EntryRef::of(entry), &**it))
        }
        _ => None,
    });
    match drill {
        None => way.lacks.push(WayBackLack::NeverDrilled),
        Some((entry, result)) => judge_drill(view, &mut way, entry, result, size, at),
    }
    way
}

/// The first index from which on the bundle was kept, without a break, with this configuration.
fn kept_since(view: &View<'_>, record: &RetentionRecord) -> u64 {
    let mut since = None;
    for entry in &view.entries {
        if let RouteEvent::Retention(it) = &entry.event
            && it.bundle.digest == record.bundle.digest
        {
            let same = it.state == RetentionState::Retained
                && it.runtime_config.digest == record.runtime_config.digest;
            since = if same { since.or(Some(entry.index)) } else { None };
        }
    }
    since.unwrap_or(u64::MAX)
}

fn judge_drill(
    view: &View<'_>,
    way: &mut WayBack,
    entry: EntryRef,
    result: &RollbackResult,
    size: u64,
    at: Timestamp,
) {
    let Some((_, definition)) = view.definition(size) else { return };
    let valid_ms = i64::from(definition.policy.drill_valid_days) * DAY_MS;
    let valid_until = result.at.plus_ms(valid_ms);
    way.drill = Some(Drill { entry, at: result.at, restore_ms: result.since_order_ms, valid_until });
    if result.step != RollbackStep::Verified {
        way.lacks.push(WayBackLack::DrillFailed { index: entry.index });
        return;
    }
    let healthy = result.health.as_ref().is_some_and(|health| health.exit_code == Some(0));
    let whole = result.measured_bundle == Some(way.bundle) && result.measured_config == way.runtime_config;
    if !healthy || !whole {
        way.lacks.push(WayBackLack::DrillNotVerified);
    }
    if result.runtime_target != definition.runtime_target {
        way.lacks.push(WayBackLack::DrillOtherTarget { found: result.runtime_target.clone() });
    }
    if at < result.at || valid_until.is_some_and(|until| at >= until) {
        way.lacks.push(WayBackLack::DrillStale { at: result.at });
    }
    let pins = view.pins(size);
    let runtime = |pins: &Pins| -> Pins {
        Pins(
            pins.0
                .iter()
                .filter(|(pin, _)| Pin::RUNTIME.contains(pin))
                .map(|(k, v)| (*k, v.clone()))
                .collect(),
        )
    };
    let changes = runtime(&result.observed).changes(&runtime(&pins));
    let changes: Vec<_> = changes.into_iter().filter(|change| change.after.is_some()).collect();
    if !changes.is_empty() {
        way.lacks.push(WayBackLack::DrillOutdated { changes });
    }
}
