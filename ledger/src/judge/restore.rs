//! How long it takes to restore a bundle: from the order to the moment at which the health command found it well.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::route::{RouteEvent, RouteLog};
use crate::{
    evidence::rollback::{OrderAction, RollbackFailure, RollbackStep},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// One order that the agent beside the runtime took up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Restore {
    /// The order.
    pub order: Uuid,
    /// What it was for.
    pub action: OrderAction,
    /// The bundle.
    pub bundle: Sha256Digest,
    /// Where it was done.
    pub runtime_target: String,
    /// How far it came.
    pub step: RollbackStep,
    /// Why it was refused or failed.
    pub failure: Option<RollbackFailure>,
    /// From the order until the bundle stood where the runtime looks, in milliseconds, where measured.
    pub restored_ms: Option<f64>,
    /// From the order until the health command found it well, in milliseconds; none where it did not, or nobody measured.
    pub verified_ms: Option<f64>,
    /// The entry of its last report.
    pub entry: u64,
    /// When that was.
    pub at: Timestamp,
}

/// The orders of a route of which a report is on record, in the order of their first report.
pub fn restores(route: &str, log: &RouteLog) -> Vec<Restore> {
    let mut found: Vec<Restore> = Vec::new();
    for entry in log.entries.iter().filter(|entry| entry.event.route() == route) {
        let RouteEvent::Result(result) = &entry.event else { continue };
        let place = found.iter().position(|it| it.order == result.order).unwrap_or_else(|| {
            found.push(Restore {
                order: result.order,
                action: result.action,
                bundle: result.to,
                runtime_target: result.runtime_target.clone(),
                step: result.step,
                failure: None,
                restored_ms: None,
                verified_ms: None,
                entry: entry.index,
                at: result.at,
            });
            found.len() - 1
        });
        let it = &mut found[place];
        (it.step, it.failure, it.entry, it.at) = (result.step, result.failure, entry.index, result.at);
        match result.step {
            RollbackStep::Restored => it.restored_ms = result.since_order_ms,
            RollbackStep::Verified => it.verified_ms = result.since_order_ms,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::route::script::{A, B, ROUTE, Script};

    #[test]
    fn each_order_is_one_restoration_with_the_times_of_its_steps() {
        let mut script = Script::new();
        for step in [RollbackStep::Acknowledged, RollbackStep::Restored, RollbackStep::Verified] {
            script.result(OrderAction::Drill, 7, A, step, None);
        }
        script.result(OrderAction::Rollback, 8, B, RollbackStep::Acknowledged, None);
        script.result(OrderAction::Rollback, 8, B, RollbackStep::Failed, Some(A));
        let found = restores(ROUTE, &script.log());
        let told: Vec<_> =
            found.iter().map(|it| (it.action, it.bundle, it.step, it.restored_ms, it.verified_ms)).collect();
        assert_eq!(
            told,
            [
                (OrderAction::Drill, A, RollbackStep::Verified, Some(850.0), Some(850.0)),
                (OrderAction::Rollback, B, RollbackStep::Failed, None, None),
            ]
        );
        assert!(restores("another", &script.log()).is_empty());
    }
}
