//! What was live, as the agent beside the runtime measured it and said so at each step.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    EntryRef,
    entry::{RouteEvent, RouteLog},
    judge_bundle,
    view::View,
};
use crate::{
    evidence::{rollback::OrderAction, route::BundleDigest},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// A stretch of time in which one bundle, or none, was live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Period {
    /// Which bundle; none where the runtime served none.
    pub bundle: Option<Sha256Digest>,
    /// Since when, by the agent's clock.
    pub since: Timestamp,
    /// The entry that says so first.
    pub entry: EntryRef,
    /// The order that brought it about.
    pub order: Uuid,
    /// What the order was for.
    pub action: OrderAction,
}

/// What was live at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum LiveAt {
    /// The log was not read whole: nothing can be said.
    Unknown,
    /// Nothing had ever been put into service.
    Nothing,
    /// This.
    Live {
        /// What, and since when.
        #[serde(flatten)]
        period: Period,
        /// Who had approved the bundle when it went live; empty where nobody had, as after a rollback.
        approved_by: Vec<String>,
    },
}

/// The stretches in the order of the log.
pub(super) fn periods(view: &View<'_>) -> Vec<Period> {
    let mut periods: Vec<Period> = Vec::new();
    for entry in &view.entries {
        let RouteEvent::Result(it) = &entry.event else { continue };
        let before = periods.last().map(|period| period.bundle);
        if it.action != OrderAction::Drill && before.unwrap_or(None) != it.live {
            periods.push(Period {
                bundle: it.live,
                since: it.at,
                entry: EntryRef::of(entry),
                order: it.order,
                action: it.action,
            });
        }
    }
    periods
}

/// What was live at `at`: the last change that the agents date at or before it.
pub fn live_at(route: &str, log: &RouteLog, at: Timestamp) -> LiveAt {
    let view = View::new(route, log);
    if log.gap().is_some() || view.contradiction.is_some() {
        return LiveAt::Unknown;
    }
    let Some(period) = periods(&view).into_iter().rfind(|period| period.since <= at) else {
        return LiveAt::Nothing;
    };
    let approved_by = period.bundle.map_or_else(Vec::new, |bundle| {
        let then = log.until(period.entry.index);
        let state = judge_bundle(route, BundleDigest(bundle), &then, period.since);
        let counted = state.votes.into_iter().filter(|vote| vote.objections.is_empty());
        counted.map(|vote| vote.account).collect()
    });
    LiveAt::Live { period, approved_by }
}
