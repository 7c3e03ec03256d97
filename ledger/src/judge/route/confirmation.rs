//! The second person of a rollback.
//!
//! Going back must be quick, and one person must not be able to move what is live to wherever they like. So the policy
//! says when a rollback needs a second person. The portal writes into the signed order whether it does; a confirmation is
//! the same order, signed once more with the second person's name. The agent beside the runtime needs nothing but that
//! one entry to know whether it may begin, and an auditor judges from the log whether the portal told the truth.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    EntryRef, Fold, Missing,
    entry::{RouteEntry, RouteEvent, RouteLog, Signer},
    history::Effect,
    live, order_refusals,
    view::View,
    vote::Objection,
    way_back,
};
use crate::{
    evidence::{
        canary::CanaryPhase,
        decision::DecisionKind,
        person::{Role, Signatory},
        rollback::{OrderAction, RollbackOrder},
        route::Confirmation,
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// An order that waits for a second person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Awaiting {
    /// The order's entry.
    pub entry: EntryRef,
    /// The order's id.
    pub order: Uuid,
    /// Who ordered it.
    pub by: String,
    /// Which bundle it would restore.
    pub to: Sha256Digest,
}

impl Awaiting {
    pub(super) fn of(entry: &RouteEntry, order: &RollbackOrder) -> Self {
        Self { entry: EntryRef::of(entry), order: order.order, by: order.by.account.clone(), to: order.to }
    }
}

/// What keeps an order from being carried out by what it says itself: the agent beside the runtime asks no more.
pub fn confirmation_objections(order: &RollbackOrder) -> Vec<Objection> {
    match &order.confirmed_by {
        _ if !order.needs_confirmation => Vec::new(),
        None => vec![Objection::NotConfirmed],
        Some(second) => person_objections(&order.by.account, second, order.at),
    }
}

fn person_objections(ordered_by: &str, second: &Signatory, at: Timestamp) -> Vec<Objection> {
    [
        (second.account == ordered_by, Objection::SamePerson),
        (!second.has(Role::Approver), Objection::NotApprover),
        (second.has(Role::Admin), Objection::IsAdmin),
        (!second.stepped_up(at), Objection::NotSteppedUp),
    ]
    .into_iter()
    .filter_map(|(against, objection)| against.then_some(objection))
    .collect()
}

/// Whether an order of this kind needs a second person. Where the log cannot be read whole, or the route is not set up,
/// a rollback does.
pub fn needs_confirmation(
    route: &str,
    log: &RouteLog,
    action: OrderAction,
    to: Sha256Digest,
    at: Timestamp,
) -> bool {
    // A deployment needs the route's own pass, a drill touches nothing that is live.
    if action != OrderAction::Rollback {
        return false;
    }
    let fold = Fold::new(route, log, at);
    let Some(definition) = fold.definition.filter(|_| fold.completeness().is_empty()) else { return true };
    match definition.policy.rollback.confirmation {
        Confirmation::Required => true,
        Confirmation::NotRequired => false,
        Confirmation::UnlessCanaryFailed => !is_the_prepared_way(&fold.view, to),
    }
}

/// Whether the canary of what is live failed, and `to` is where the way back leads.
fn is_the_prepared_way(view: &View<'_>, to: Sha256Digest) -> bool {
    let Some(live) = live::periods(view).last().and_then(|period| period.bundle) else { return false };
    let canary = view.entries.iter().rev().find_map(|entry| match &entry.event {
        RouteEvent::Canary(it) if it.bundle == live => Some(it.phase),
        _ => None,
    });
    canary == Some(CanaryPhase::Failed) && to != live && way_back::target(view, live) == to
}

/// The order that waits for a second person: the last one that changes what is live, if it has none yet, no agent has
/// answered it, and no hold was lifted since. An older request is never confirmed: what it was made for is past.
pub(super) fn awaiting<'a>(view: &View<'a>) -> Option<(&'a RouteEntry, &'a RollbackOrder)> {
    let mut waiting: Option<(&RouteEntry, &RollbackOrder)> = None;
    for entry in &view.entries {
        match &entry.event {
            RouteEvent::Order(order) if order.action != OrderAction::Drill => {
                let lacks = confirmation_objections(order) == [Objection::NotConfirmed];
                waiting = Some((*entry, &**order)).filter(|_| lacks && entry.signer == Signer::Portal);
            }
            RouteEvent::Result(result) => waiting = waiting.filter(|(_, it)| it.order != result.order),
            RouteEvent::Decision(it) if it.decision == DecisionKind::LiftHold => waiting = None,
            _ => {}
        }
    }
    waiting
}

/// What becomes of an order if `by` confirms it now: the order to sign, or what speaks against it.
pub fn confirmation_refusals(
    route: &str,
    log: &RouteLog,
    order: Uuid,
    by: &Signatory,
    at: Timestamp,
) -> (Option<RollbackOrder>, Vec<Objection>, Vec<Missing>) {
    let fold = Fold::new(route, log, at);
    let Some((_, waiting)) = awaiting(&fold.view).filter(|(_, waiting)| waiting.order == order) else {
        return (None, vec![Objection::NothingToConfirm], fold.completeness());
    };
    let mut objections = person_objections(&waiting.by.account, by, at);
    let listed = fold.definition.and_then(|definition| definition.policy.approvals.approvers.as_ref());
    if listed.is_some_and(|listed| !listed.contains(&by.account)) {
        objections.push(Objection::NotListed);
    }
    let missing = order_refusals(route, log, waiting.action, waiting.to, waiting.runtime_config, at);
    let confirmed = RollbackOrder { confirmed_by: Some(by.clone()), at, ..waiting.clone() };
    (Some(confirmed), objections, missing)
}

/// What each order did that needed a second person, by its entry.
pub(super) fn effects(view: &View<'_>, log: &RouteLog) -> BTreeMap<u64, Effect> {
    let mut effects = BTreeMap::new();
    let mut asked: BTreeMap<Uuid, u64> = BTreeMap::new();
    for entry in &view.entries {
        let RouteEvent::Order(order) = &entry.event else { continue };
        let mut objections = confirmation_objections(order);
        // The portal cannot wave an order through that the policy of that moment would not have.
        let before = log.until(entry.index);
        if objections.is_empty()
            && !order.needs_confirmation
            && needs_confirmation(view.route, &before, order.action, order.to, order.at)
        {
            objections.push(Objection::NotConfirmed);
        }
        if let Some(before) = asked.insert(order.order, entry.index)
            && objections.is_empty()
        {
            effects.insert(before, Effect::Superseded);
        }
        if !objections.is_empty() {
            effects.insert(entry.index, Effect::NotCounted { objections });
        }
    }
    effects
}
