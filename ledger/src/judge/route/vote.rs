//! Decisions, in the order of the log: which holds stand, whether it is rejected, whose approvals and overrides count.
//!
//! Whatever denies counts whoever said it and however carelessly; whatever permits counts only if everything is right.
//! A hold stands until an approver who saw it lifts it. A hold, a lift, a reject and a failed canary each end the
//! approvals before them: who approves after them must have seen them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    EntryRef,
    entry::{RouteEntry, RouteEvent, Signer},
    history::Effect,
    view::View,
};
use crate::{
    evidence::{
        canary::CanaryPhase,
        decision::{DecisionKind, HoldTerms, Incomplete, ReasonCode, RouteDecision},
        gate::Gate,
        person::{Role, Signatory},
        pin::PinChange,
        rollback::{OrderAction, RollbackStep},
        route::Policy,
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// Why somebody's decision does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "objection")]
pub enum Objection {
    /// The portal did not sign it.
    NotSignedByPortal,
    /// The person is no approver.
    NotApprover,
    /// The person is an admin: admins decide nothing.
    IsAdmin,
    /// The policy does not list the person.
    NotListed,
    /// The person had not proved again who they are.
    NotSteppedUp,
    /// The person built it, owns the agent or contributed to the evidence.
    Involved {
        /// An entry that says so.
        index: u64,
    },
    /// Something is missing in the decision.
    Incomplete {
        /// What.
        lacks: Vec<Incomplete>,
    },
    /// It names a tree head that did not exist yet.
    SeenFuture,
    /// A hold stands.
    HoldInForce {
        /// The hold's entry.
        index: u64,
    },
    /// The person had not seen a later hold, lift, reject or failed canary.
    NotSeen {
        /// Its entry.
        index: u64,
    },
    /// It does not name the entry that a gate rests on.
    NotNamed {
        /// Which gate.
        gate: Gate,
    },
    /// It no longer fits the facts.
    Outdated {
        /// Why.
        cause: OutdatedCause,
    },
    /// The policy does not allow overrides.
    OverridesNotAllowed,
    /// It has ended.
    Expired {
        /// When.
        at: Timestamp,
    },
    /// A second person must confirm it, and nobody has.
    NotConfirmed,
    /// Whoever ordered it cannot confirm it.
    SamePerson,
    /// No such order waits for a confirmation: it has one, needs none, has ended, was lifted, or another came after it.
    NothingToConfirm,
}

/// Why an approval no longer fits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "cause")]
pub enum OutdatedCause {
    /// A pinned fact changed.
    Pin {
        /// Which, from what to what.
        #[serde(flatten)]
        change: PinChange,
        /// Since which entry.
        index: u64,
    },
    /// A gate has new evidence.
    Evidence {
        /// Which gate.
        gate: Gate,
        /// The entry.
        index: u64,
    },
    /// The route's checkpoint, target or policy changed.
    Definition {
        /// The entry.
        index: u64,
    },
}

/// Why a hold stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldCause {
    /// Somebody decided it.
    Decision,
    /// A rollback is under way.
    RollbackInProgress,
    /// The route was rolled back.
    RolledBack,
}

/// A hold that stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenHold {
    /// The entry that set it.
    pub entry: EntryRef,
    /// Why it stands.
    pub cause: HoldCause,
    /// Whether it holds every bundle of the route.
    pub route_wide: bool,
    /// Who set it; none for one that came of a rollback.
    pub by: Option<String>,
    /// The reason's code.
    pub reason_code: Option<ReasonCode>,
    /// The reason in words.
    pub text: Option<String>,
    /// Owner and review date.
    pub terms: Option<HoldTerms>,
    /// The order that it came of.
    #[serde(skip)]
    order: Option<uuid::Uuid>,
}

/// The decisions on one bundle after all entries.
pub(super) struct Decisions<'a> {
    pub(super) holds: Vec<OpenHold>,
    pub(super) rejected: Option<(EntryRef, &'a RouteDecision)>,
    /// Every approval that nothing ended, in the log's order: several of a person where one rests on less than another.
    pub(super) approvals: Vec<(EntryRef, &'a RouteDecision)>,
    pub(super) overrides: Vec<(EntryRef, &'a RouteDecision)>,
    pub(super) effects: BTreeMap<u64, Effect>,
    /// The last entry that ended approvals.
    barrier: Option<u64>,
}

/// What a person may not do, whatever the evidence is.
pub(super) fn person_objections(
    by: &Signatory,
    at: Timestamp,
    policy: Option<&Policy>,
    involved: &[(String, u64)],
) -> Vec<Objection> {
    let mut objections = Vec::new();
    if !by.has(Role::Approver) {
        objections.push(Objection::NotApprover);
    }
    if by.has(Role::Admin) {
        objections.push(Objection::IsAdmin);
    }
    let listed = policy.and_then(|policy| policy.approvals.approvers.as_ref());
    if listed.is_some_and(|listed| !listed.contains(&by.account)) {
        objections.push(Objection::NotListed);
    }
    if !by.stepped_up(at) {
        objections.push(Objection::NotSteppedUp);
    }
    if let Some((_, index)) = involved.iter().find(|(person, _)| *person == by.account) {
        objections.push(Objection::Involved { index: *index });
    }
    objections
}

/// What keeps a permitting decision from counting, whatever the evidence is.
fn formal_objections(entry: &RouteEntry, decision: &RouteDecision) -> Vec<Objection> {
    let mut objections = Vec::new();
    let lacks = decision.lacks();
    if !lacks.is_empty() {
        objections.push(Objection::Incomplete { lacks });
    }
    if decision.seen.size > entry.index {
        objections.push(Objection::SeenFuture);
    }
    objections
}

impl<'a> Decisions<'a> {
    /// Goes through the entries once.
    pub(super) fn fold(view: &View<'a>, bundle: Sha256Digest, size: u64) -> Self {
        let mut this = Self {
            holds: Vec::new(),
            rejected: None,
            approvals: Vec::new(),
            overrides: Vec::new(),
            effects: BTreeMap::new(),
            barrier: None,
        };
        for entry in &view.entries {
            match &entry.event {
                RouteEvent::Decision(decision) => this.decide(view, entry, decision, bundle, size),
                RouteEvent::Order(order)
                    if order.action == OrderAction::Rollback
                        && !this.holds.iter().any(|hold| hold.order == Some(order.order)) =>
                {
                    let hold = OpenHold {
                        entry: EntryRef::of(entry),
                        cause: HoldCause::RollbackInProgress,
                        route_wide: true,
                        by: Some(order.by.account.clone()),
                        reason_code: Some(order.reason_code),
                        text: Some(order.text.clone()),
                        terms: None,
                        order: Some(order.order),
                    };
                    this.holds.push(hold);
                }
                RouteEvent::Result(result) if result.action == OrderAction::Rollback => {
                    this.rolled_back(entry, result.order, result.step);
                }
                RouteEvent::Canary(canary)
                    if canary.bundle == bundle && canary.phase == CanaryPhase::Failed =>
                {
                    this.end_approvals(entry.index);
                }
                _ => {}
            }
        }
        this
    }

    /// A rollback that restored something holds the whole route; one that did not neither sets nor lifts a hold.
    fn rolled_back(&mut self, entry: &RouteEntry, order: uuid::Uuid, step: RollbackStep) {
        let mine = |hold: &OpenHold| hold.order == Some(order);
        match step {
            RollbackStep::Restored | RollbackStep::Verified => {
                let known = self.holds.iter().find(|hold| mine(hold)).cloned();
                self.holds.retain(|hold| !mine(hold));
                self.holds.push(OpenHold {
                    entry: EntryRef::of(entry),
                    cause: HoldCause::RolledBack,
                    route_wide: true,
                    by: known.as_ref().and_then(|hold| hold.by.clone()),
                    reason_code: known.as_ref().and_then(|hold| hold.reason_code),
                    text: known.and_then(|hold| hold.text),
                    terms: None,
                    order: Some(order),
                });
                self.end_approvals(entry.index);
            }
            RollbackStep::Refused | RollbackStep::Failed => {
                self.holds.retain(|hold| !mine(hold) || hold.cause != HoldCause::RollbackInProgress);
            }
            RollbackStep::Requested | RollbackStep::Acknowledged => {}
        }
    }

    fn end_approvals(&mut self, index: u64) {
        for (entry, _) in std::mem::take(&mut self.approvals) {
            self.effects.insert(entry.index, Effect::EndedBy { index });
        }
        self.barrier = Some(index);
    }

    fn decide(
        &mut self,
        view: &View<'a>,
        entry: &'a RouteEntry,
        decision: &'a RouteDecision,
        bundle: Sha256Digest,
        size: u64,
    ) {
        let ours = decision.bundle_digest.0 == bundle;
        if entry.signer != Signer::Portal {
            let objections = vec![Objection::NotSignedByPortal];
            self.effects.insert(entry.index, Effect::NotCounted { objections });
            return;
        }
        let place = EntryRef::of(entry);
        let effect = match decision.decision {
            DecisionKind::Hold if ours => {
                self.holds.push(OpenHold {
                    entry: place,
                    cause: HoldCause::Decision,
                    route_wide: false,
                    by: Some(decision.by.account.clone()),
                    reason_code: decision.reason_code,
                    text: decision.text.clone(),
                    terms: decision.hold.clone(),
                    order: None,
                });
                self.end_approvals(entry.index);
                Effect::Held
            }
            DecisionKind::Reject if ours => {
                self.rejected = Some((place, decision));
                self.end_approvals(entry.index);
                Effect::Rejected
            }
            DecisionKind::LiftHold => self.lift(view, entry, decision, ours, size),
            DecisionKind::Approve if ours => self.approve(view, entry, decision, size),
            DecisionKind::Override if ours => {
                self.overrides.push((place, decision));
                Effect::Recorded
            }
            _ => Effect::OtherBundle,
        };
        self.effects.insert(entry.index, effect);
    }

    /// The objections to a permitting decision as a whole.
    pub(super) fn objections(
        view: &View<'a>,
        entry: &RouteEntry,
        decision: &RouteDecision,
        size: u64,
    ) -> Vec<Objection> {
        let definition = view.definition(size).map(|(_, definition)| definition);
        let revision = definition.map_or("", |definition| definition.checkpoint_revision.as_str());
        let involved = view.involved(decision.bundle_digest.0, revision);
        let policy = definition.map(|definition| &definition.policy);
        let mut objections = formal_objections(entry, decision);
        objections.extend(person_objections(&decision.by, decision.at, policy, &involved));
        objections
    }

    fn lift(
        &mut self,
        view: &View<'a>,
        entry: &'a RouteEntry,
        decision: &'a RouteDecision,
        ours: bool,
        size: u64,
    ) -> Effect {
        let objections = Self::objections(view, entry, decision, size);
        if !objections.is_empty() {
            return Effect::NotCounted { objections };
        }
        // A hold that the approver had not seen stands.
        let lifts = |hold: &OpenHold| {
            (hold.route_wide || ours)
                && hold.entry.index < decision.seen.size
                && hold.entry.index < entry.index
        };
        let lifted: Vec<u64> =
            self.holds.iter().filter(|hold| lifts(hold)).map(|hold| hold.entry.index).collect();
        self.holds.retain(|hold| !lifts(hold));
        if !lifted.is_empty() {
            self.end_approvals(entry.index);
        }
        Effect::Lifted { holds: lifted }
    }

    fn approve(
        &mut self,
        view: &View<'a>,
        entry: &'a RouteEntry,
        decision: &'a RouteDecision,
        size: u64,
    ) -> Effect {
        let mut objections = Self::objections(view, entry, decision, size);
        if let Some(hold) = self.holds.first() {
            objections.push(Objection::HoldInForce { index: hold.entry.index });
        }
        if let Some(index) = self.barrier.filter(|index| *index >= decision.seen.size) {
            objections.push(Objection::NotSeen { index });
        }
        if !objections.is_empty() {
            return Effect::NotCounted { objections };
        }
        self.approvals.push((EntryRef::of(entry), decision));
        Effect::Recorded
    }
}
