//! The fold: a route's status is a pure function of the log.
//!
//! The server, the reviewer's browser and an auditor's laptop run this function over the same entries and must get the
//! same answer. Its first principle is that **ignoring an entry must never turn "no" into "yes"**:
//!
//! * What permits is never assumed. A route passes only if the checkpoint, all five gates, the canary's plan, the way
//!   back and enough approvals are on record, and nothing forbids it.
//! * What forbids may come later than what permits (a hold, a failed run of a gate, a changed pin), so no function of
//!   single entries could be monotone. A reader says which indices it examined, and the fold denies on a gap.
//! * What is not understood does not permit: an approval counts only if it names the entries that the gates rest on
//!   *now*, and if its author saw every hold, lift and reject before it.
//!
//! Policy and pins are themselves entries (the route's definition and observations of pins): their change must have a
//! place in the log like everything else. The only argument that is not in the log is the moment for which expiries
//! are judged.

mod confirmation;
mod entry;
mod history;
mod live;
mod purge;
mod standing;
mod turn;
mod view;
mod vote;
mod way_back;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use confirmation::{Awaiting, confirmation_objections, confirmation_refusals, needs_confirmation};
pub use entry::{RouteEntry, RouteEvent, RouteLog, Signer};
pub use history::{Effect, EntryKind, HistoryItem};
pub use live::{LiveAt, Period, live_at};
pub use purge::{Keeps, Kept, why_kept};
pub use standing::{GateStanding, OverrideStanding};
pub use turn::Turn;
pub use vote::{HoldCause, Objection, OpenHold, OutdatedCause};
pub use way_back::{Drill, WayBack, WayBackLack};

use self::{view::View, vote::Decisions};
use super::gate::GateReason;
use crate::{
    evidence::{
        canary::CanaryPhase,
        decision::DecisionKind,
        gate::{Gate, GateState},
        person::Signatory,
        rollback::OrderAction,
        route::{BundleDigest, CanaryStatus, RollbackStatus, RouteDefinition, RouteRecord, ValidationStatus},
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// An entry by its place and its leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryRef {
    /// Its index in the log.
    pub index: u64,
    /// Its leaf hash.
    pub leaf: Sha256Digest,
}

impl EntryRef {
    fn of(entry: &RouteEntry) -> Self {
        Self { index: entry.index, leaf: entry.leaf }
    }
}

/// What is missing before the bundle may be served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "missing")]
pub enum Missing {
    /// The reader did not examine these entries.
    Gap {
        /// The first.
        from: u64,
        /// The first after them.
        to: u64,
    },
    /// Two entries claim one index, or one lies outside the log.
    Contradiction {
        /// The index.
        index: u64,
    },
    /// The route is not set up, or its policy makes no sense.
    Definition,
    /// There is no bundle.
    Bundle,
    /// A gate is not open.
    Gate {
        /// Which.
        gate: Gate,
        /// Where it stands.
        state: GateState,
    },
    /// There is no plan for a canary.
    CanaryPlan,
    /// The canary failed.
    CanaryFailed {
        /// The entry.
        index: u64,
    },
    /// The way back is not known to work.
    WayBack {
        /// What is lacking.
        lack: WayBackLack,
    },
    /// A hold stands.
    Hold {
        /// The entry.
        index: u64,
        /// Why.
        cause: HoldCause,
    },
    /// It was rejected.
    Rejected {
        /// The entry.
        index: u64,
    },
    /// Too few persons approve.
    Approvals {
        /// How many do.
        counted: u32,
        /// How many must.
        needed: u32,
    },
}

/// One person's approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Vote {
    /// The entry.
    pub entry: EntryRef,
    /// Who.
    pub account: String,
    /// Why it does not count; empty where it does.
    pub objections: Vec<Objection>,
}

/// The state of a route for one bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteState {
    /// The record, in its seven fixed names.
    pub record: RouteRecord,
    /// The five gates in order.
    pub gates: Vec<GateStanding>,
    /// Everything that is missing; empty exactly where the status is `pass`.
    pub missing: Vec<Missing>,
    /// Why approvals that were given no longer fit.
    pub outdated: Vec<OutdatedCause>,
    /// The approvals.
    pub votes: Vec<Vote>,
    /// The holds that stand.
    pub holds: Vec<OpenHold>,
    /// The way back.
    pub way_back: Option<WayBack>,
    /// What is live.
    pub live: Option<Period>,
    /// The order that waits for a second person.
    #[serde(default)]
    pub awaiting: Option<Awaiting>,
    /// Whose turn it is.
    pub turn: Turn,
    /// What each entry of the route did.
    pub history: Vec<HistoryItem>,
}

impl RouteState {
    /// The leaf hashes that an approval must rest on now: what the gates and the way back stand on.
    pub fn evidence_set(&self) -> Vec<Sha256Digest> {
        let gates = self.gates.iter().flat_map(|gate| {
            let overrides = gate.overrides.iter().filter(|it| it.objections.is_empty());
            gate.entry.into_iter().chain(overrides.map(|it| it.entry))
        });
        let way_back = self
            .way_back
            .iter()
            .flat_map(|way| way.retained.into_iter().chain(way.drill.as_ref().map(|drill| drill.entry)));
        gates.chain(way_back).map(|entry| entry.leaf).collect()
    }
}

/// The bundles of a route, in the order in which they first appeared.
pub fn bundles(route: &str, log: &RouteLog) -> Vec<BundleDigest> {
    View::new(route, log).bundles().into_iter().map(BundleDigest).collect()
}

/// The state of a route for its newest bundle.
pub fn judge_route(route: &str, log: &RouteLog, at: Timestamp) -> RouteState {
    Fold::new(route, log, at).state(View::new(route, log).bundles().last().copied())
}

/// The state of a route for one bundle.
pub fn judge_bundle(route: &str, bundle: BundleDigest, log: &RouteLog, at: Timestamp) -> RouteState {
    Fold::new(route, log, at).state(Some(bundle.0))
}

/// The first entry of the route that somebody who saw the log at `seen` entries has not seen.
pub fn changed_since(route: &str, log: &RouteLog, seen: u64) -> Option<u64> {
    let newer = log.entries.iter().filter(|entry| entry.event.route() == route && entry.index >= seen);
    newer.map(|entry| entry.index).min()
}

/// How long after a hold an approval may come that was given without knowing of it.
const CROSSING_MS: i64 = 5_000;

/// Whether an approval crossed with a denial: all that its author, who saw the log at `seen` entries, has not seen are
/// holds and rejections of the last few seconds. Both are then on record as they were given. The approval counts for
/// nothing, since it did not see the denial: that takes nothing from whoever denied, and hides nothing from whoever reads.
pub fn crossed(route: &str, log: &RouteLog, seen: u64, at: Timestamp) -> bool {
    let mut unseen = log.entries.iter().filter(|it| it.event.route() == route && it.index >= seen).peekable();
    unseen.peek().is_some()
        && unseen.all(|entry| match &entry.event {
            RouteEvent::Decision(it) => {
                matches!(it.decision, DecisionKind::Hold | DecisionKind::Reject)
                    && at.unix_ms() - it.at.unix_ms() <= CROSSING_MS
            }
            _ => false,
        })
}

/// How well a bundle could be restored now: for a list of what is kept.
pub fn way_back_to(route: &str, log: &RouteLog, bundle: Sha256Digest, at: Timestamp) -> WayBack {
    way_back::readiness(&View::new(route, log), bundle, log.size, at)
}

/// Everything that speaks against a person's decision on a bundle now: what the portal says before it is made.
pub fn refusals(
    route: &str,
    bundle: BundleDigest,
    log: &RouteLog,
    by: &Signatory,
    kind: DecisionKind,
    at: Timestamp,
) -> (Vec<Objection>, Vec<Missing>) {
    let fold = Fold::new(route, log, at);
    let state = fold.state(Some(bundle.0));
    let permits = matches!(kind, DecisionKind::Approve | DecisionKind::Override | DecisionKind::LiftHold);
    let mut objections = if permits || kind == DecisionKind::Reject {
        let revision = fold.definition.map_or("", |definition| definition.checkpoint_revision.as_str());
        let involved = fold.view.involved(bundle.0, revision);
        vote::person_objections(by, at, fold.definition.map(|it| &it.policy), &involved)
    } else {
        Vec::new()
    };
    let open = |missing: &Missing| !matches!(missing, Missing::Approvals { .. } | Missing::Rejected { .. });
    let missing = match kind {
        DecisionKind::Approve => state.missing.into_iter().filter(open).collect(),
        DecisionKind::Override => {
            if fold.definition.is_none_or(|definition| !definition.policy.overrides.allowed) {
                objections.push(Objection::OverridesNotAllowed);
            }
            Vec::new()
        }
        DecisionKind::Hold | DecisionKind::Reject | DecisionKind::LiftHold => Vec::new(),
    };
    (objections, missing)
}

/// Why an order for a bundle is refused before anything changes; empty where it may go on.
pub fn order_refusals(
    route: &str,
    log: &RouteLog,
    action: OrderAction,
    to: Sha256Digest,
    runtime_config: Sha256Digest,
    at: Timestamp,
) -> Vec<Missing> {
    let fold = Fold::new(route, log, at);
    let mut missing = fold.completeness();
    let way = way_back::readiness(&fold.view, to, log.size, at);
    if way.runtime_config.is_some_and(|kept| kept != runtime_config) {
        missing.push(Missing::WayBack { lack: WayBackLack::OtherConfig });
    }
    let not_kept = |lack: &WayBackLack| {
        use WayBackLack::{Damaged, NotRetained, Purged, RetentionEnded};
        matches!(lack, NotRetained | Purged | Damaged | RetentionEnded { .. })
    };
    // A drill is what makes a drill; a deployment needs the route's own pass.
    let lacks = way.lacks.into_iter().filter(|lack| action == OrderAction::Rollback || not_kept(lack));
    missing.extend(lacks.map(|lack| Missing::WayBack { lack }));
    if action == OrderAction::Deploy {
        missing.extend(fold.state(Some(to)).missing);
    }
    missing
}

/// One judgement in the making.
struct Fold<'a> {
    log: &'a RouteLog,
    view: View<'a>,
    at: Timestamp,
    /// The definition that counts, if its policy makes sense.
    definition: Option<&'a RouteDefinition>,
}

impl<'a> Fold<'a> {
    fn new(route: &'a str, log: &'a RouteLog, at: Timestamp) -> Self {
        let view = View::new(route, log);
        let definition = view.definition(log.size).map(|(_, definition)| definition);
        Self { log, view, at, definition: definition.filter(|it| it.policy.check().is_ok()) }
    }

    /// What is missing for anything to be said at all.
    fn completeness(&self) -> Vec<Missing> {
        let gap = self.log.gap().map(|gap| Missing::Gap { from: gap.start, to: gap.end });
        let contradiction = self.view.contradiction.map(|index| Missing::Contradiction { index });
        let definition = self.definition.is_none().then_some(Missing::Definition);
        [gap, contradiction, definition].into_iter().flatten().collect()
    }

    fn state(&self, bundle: Option<Sha256Digest>) -> RouteState {
        let mut missing = self.completeness();
        let Some((bundle, definition)) = bundle.zip(self.definition) else {
            if bundle.is_none() {
                missing.push(Missing::Bundle);
            }
            return self.empty_state(bundle, missing);
        };
        let decisions = Decisions::fold(&self.view, bundle, self.log.size);
        let gates = self.gates(bundle, definition, &decisions);
        let votes = self.votes(&gates, &decisions);
        let way_back =
            way_back::readiness(&self.view, way_back::target(&self.view, bundle), self.log.size, self.at);
        let (canary_status, canary) = self.canary(bundle);

        for gate in gates.iter().filter(|gate| !gate.state.is_open()) {
            missing.push(Missing::Gate { gate: gate.gate, state: gate.state });
        }
        missing.extend(canary);
        missing.extend(way_back.lacks.iter().map(|lack| Missing::WayBack { lack: lack.clone() }));
        missing.extend(
            decisions.holds.iter().map(|hold| Missing::Hold { index: hold.entry.index, cause: hold.cause }),
        );
        let counted = votes.iter().filter(|vote| vote.objections.is_empty()).count() as u32;
        let needed = definition.policy.approvals.needed;
        if counted < needed {
            missing.push(Missing::Approvals { counted, needed });
            if let Some((entry, _)) = decisions.rejected {
                missing.push(Missing::Rejected { index: entry.index });
            }
        }
        let rejected = missing.iter().any(|it| matches!(it, Missing::Rejected { .. }));
        let validation_status = match (missing.is_empty(), rejected) {
            (true, _) => ValidationStatus::Pass,
            (false, true) => ValidationStatus::Reject,
            (false, false) => ValidationStatus::Hold,
        };
        let record = RouteRecord {
            validation_status,
            canary_status,
            rollback_status: way_back.status(),
            ..self.blank_record(Some(bundle))
        };
        let live = live::periods(&self.view).pop().filter(|period| period.bundle.is_some());
        let mut state = RouteState {
            record,
            outdated: outdated(&votes),
            gates,
            missing,
            votes,
            holds: decisions.holds,
            way_back: Some(way_back),
            live,
            awaiting: confirmation::awaiting(&self.view).map(|(entry, order)| Awaiting::of(entry, order)),
            turn: Turn::Nobody,
            history: Vec::new(),
        };
        state.turn = turn::of(&state);
        let revision = &definition.checkpoint_revision;
        let records = Gate::ALL.into_iter().flat_map(|gate| self.view.records_of(gate, bundle, revision));
        let ours: BTreeSet<u64> = records.map(|(entry, _)| entry.index).collect();
        let mut effects = decisions.effects;
        effects.extend(confirmation::effects(&self.view, self.log));
        state.history = history::tell(&self.view.entries, &state, effects, &ours);
        state
    }

    fn blank_record(&self, bundle: Option<Sha256Digest>) -> RouteRecord {
        RouteRecord {
            route_name: self.view.route.to_owned(),
            checkpoint_revision: self.definition.map(|it| it.checkpoint_revision.clone()),
            bundle_digest: bundle.map(BundleDigest),
            runtime_target: self.definition.map(|it| it.runtime_target.clone()),
            validation_status: ValidationStatus::Hold,
            canary_status: CanaryStatus::NotStarted,
            rollback_status: RollbackStatus::Blocked,
        }
    }

    /// The state of a route of which nothing can be judged.
    fn empty_state(&self, bundle: Option<Sha256Digest>, missing: Vec<Missing>) -> RouteState {
        let gates = Gate::ALL.into_iter().map(|gate| GateStanding {
            gate,
            state: GateState::Missing,
            reasons: vec![GateReason::NoRecord],
            entry: None,
            same: Vec::new(),
            open_since: None,
            overrides: Vec::new(),
        });
        let mut state = RouteState {
            record: self.blank_record(bundle),
            gates: gates.collect(),
            missing,
            outdated: Vec::new(),
            votes: Vec::new(),
            holds: Vec::new(),
            way_back: None,
            live: None,
            awaiting: None,
            turn: Turn::Nobody,
            history: Vec::new(),
        };
        state.turn = turn::of(&state);
        state.history = history::tell(&self.view.entries, &state, BTreeMap::new(), &BTreeSet::new());
        state
    }

    fn canary(&self, bundle: Sha256Digest) -> (CanaryStatus, Option<Missing>) {
        let last = self.view.entries.iter().rev().find_map(|entry| match &entry.event {
            RouteEvent::Canary(it) if it.bundle == bundle => Some((entry.index, it.phase)),
            _ => None,
        });
        match last {
            None => (CanaryStatus::NotStarted, Some(Missing::CanaryPlan)),
            Some((_, CanaryPhase::Planned)) => (CanaryStatus::NotStarted, None),
            Some((_, CanaryPhase::Running)) => (CanaryStatus::Running, None),
            Some((_, CanaryPhase::Pass)) => (CanaryStatus::Pass, None),
            Some((index, CanaryPhase::Failed)) => {
                (CanaryStatus::Failed, Some(Missing::CanaryFailed { index }))
            }
        }
    }
}

/// The causes of approvals that are only outdated.
fn outdated(votes: &[Vote]) -> Vec<OutdatedCause> {
    let mut causes: Vec<OutdatedCause> = votes
        .iter()
        .flat_map(|vote| &vote.objections)
        .filter_map(|objection| match objection {
            Objection::Outdated { cause } => Some(cause.clone()),
            _ => None,
        })
        .collect();
    causes.sort();
    causes.dedup();
    causes
}

#[cfg(test)]
pub(crate) mod script;
#[cfg(test)]
mod tests;
