//! What the pages of routes show. The judgement itself comes from the ledger's fold; nothing here decides.

use acta_ledger::{
    evidence::{
        decision::{DecisionKind, RouteDecision, SeenHead},
        rollback::{RollbackOrder, RollbackResult},
        route::{RouteDefinition, RouteRecord},
    },
    judge::route::{GateStanding, LiveAt, Missing, Objection, RouteState, Turn, WayBack},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use serde::{Deserialize, Serialize};

use super::Verification;

/// One row of the board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteRow {
    /// The record, for the newest bundle.
    pub record: RouteRecord,
    /// The five gates.
    pub gates: Vec<GateStanding>,
    /// Whose turn it is.
    pub turn: Turn,
    /// Whether it is the viewer's turn, by account or role.
    pub yours: bool,
    /// When the newest entry of the route was logged.
    pub since: Timestamp,
    /// How many things are missing.
    pub missing: usize,
    /// Whether an approval was given and no longer fits.
    pub outdated: bool,
    /// The way back; none where there is nothing to judge.
    pub way_back: Option<WayBack>,
    /// When this was made: ages are counted from it.
    pub now: Timestamp,
}

/// The board of routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoutesView {
    /// The routes: those whose turn is the viewer's first, then by age.
    pub rows: Vec<RouteRow>,
}

/// Whether the viewer may take a decision now, and why not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MayDecide {
    /// Which.
    pub kind: DecisionKind,
    /// By the table of roles.
    pub role_allows: bool,
    /// What the fold has against it.
    pub objections: Vec<Objection>,
    /// What must be on record first.
    pub missing: Vec<Missing>,
}

impl MayDecide {
    /// Whether nothing speaks against it.
    pub fn may(&self) -> bool {
        self.role_allows && self.objections.is_empty() && self.missing.is_empty()
    }
}

/// An order and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderView {
    /// The order's entry.
    pub entry: u64,
    /// The order.
    pub order: RollbackOrder,
    /// The agent's reports, with their entries, in order.
    pub steps: Vec<(u64, RollbackResult)>,
}

/// An order that waits for a second person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MayConfirm {
    /// Its entry.
    pub entry: u64,
    /// The order.
    pub order: RollbackOrder,
    /// Whether the viewer's role includes confirming.
    pub role_allows: bool,
    /// What speaks against the viewer.
    pub objections: Vec<Objection>,
    /// What speaks against the order by now.
    pub missing: Vec<Missing>,
}

/// A bundle that is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetainedRow {
    /// The bundle.
    pub bundle: Sha256Digest,
    /// Whether it is live.
    pub live: bool,
    /// Whether a rollback to it needs a second person.
    pub needs_confirmation: bool,
    /// Whether the way back to it works, and what it lacks.
    pub way_back: WayBack,
}

/// A route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RouteView {
    /// The definition that stands; none where the route only has evidence.
    pub definition: Option<RouteDefinition>,
    /// The state, for the bundle that is looked at.
    pub state: RouteState,
    /// Its bundles, oldest first.
    pub bundles: Vec<Sha256Digest>,
    /// The tree head that this was judged from: forms carry its size.
    pub seen: SeenHead,
    /// The decisions that the viewer could take.
    pub decisions: Vec<MayDecide>,
    /// Whether the viewer may order a rollback or a drill, by role.
    pub may_order: bool,
    /// Whether the viewer must give the password again before an action.
    pub step_up_needed: bool,
    /// Bundles that are kept.
    pub retained: Vec<RetainedRow>,
    /// The orders, newest first; one that was confirmed stands once, as it was confirmed.
    pub orders: Vec<OrderView>,
    /// The order that waits for a second person, and whether the viewer may confirm it.
    pub confirm: Option<MayConfirm>,
    /// When this was made: ages are counted from it.
    pub now: Timestamp,
    /// A key for the next form: sent twice, it acts once.
    pub form_key: String,
}

/// A decision or an order after it was signed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoneView {
    /// The entry.
    pub entry: u64,
    /// The route.
    pub route: String,
    /// The decision, where it is one.
    pub decision: Option<RouteDecision>,
    /// The order, where it is one.
    pub order: Option<RollbackOrder>,
    /// The route's record after it.
    pub record: RouteRecord,
    /// What is still missing.
    pub missing: Vec<Missing>,
    /// The statement as it was signed, indented.
    pub statement: String,
    /// The verification.
    pub verification: Verification,
}

/// What was live at a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveView {
    /// The route.
    pub route: String,
    /// The moment that was asked about.
    pub at: Timestamp,
    /// What the log says.
    pub live: LiveAt,
}
