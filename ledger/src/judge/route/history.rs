//! What each entry of a route did, for the page that tells its story.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    EntryRef, RouteState,
    entry::{RouteEntry, RouteEvent, Signer},
    vote::Objection,
};
use crate::{
    evidence::{
        canary::CanaryPhase,
        decision::DecisionKind,
        gate::{Gate, GateState},
        pin::Pin,
        retention::RetentionState,
        rollback::{OrderAction, RollbackStep},
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum EntryKind {
    /// The route was set up or changed.
    Definition,
    /// A gate was run.
    Gate {
        /// Which.
        gate: Gate,
    },
    /// Somebody decided.
    Decision {
        /// What.
        decision: DecisionKind,
    },
    /// A canary was planned, began or ended.
    Canary {
        /// Which of them.
        phase: CanaryPhase,
    },
    /// A bundle is kept, or no longer is.
    Retention {
        /// Which of them.
        state: RetentionState,
    },
    /// Something was ordered.
    Order {
        /// What.
        action: OrderAction,
    },
    /// A step was reported.
    Result {
        /// Of what.
        action: OrderAction,
        /// Which.
        step: RollbackStep,
    },
    /// A pinned fact was found to be another.
    Pin {
        /// Which.
        pin: Pin,
    },
}

/// What an entry did to the route's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "effect")]
pub enum Effect {
    /// It is on record.
    Recorded,
    /// The gate rests on it.
    Stands {
        /// In which state.
        state: GateState,
    },
    /// A later entry took its place.
    Superseded,
    /// It counts.
    Counted,
    /// It does not count.
    NotCounted {
        /// Why.
        objections: Vec<Objection>,
    },
    /// It counted until a later entry.
    EndedBy {
        /// That entry.
        index: u64,
    },
    /// It set a hold.
    Held,
    /// It rejected the route.
    Rejected,
    /// It lifted holds.
    Lifted {
        /// Their entries.
        holds: Vec<u64>,
    },
    /// It concerns another bundle of the route.
    OtherBundle,
}

/// One entry of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    /// The entry.
    pub entry: EntryRef,
    /// When, by the clock of whoever says it.
    pub at: Timestamp,
    /// Who: a person, or an agent by its name.
    pub who: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: EntryKind,
    /// The bundle that it concerns.
    pub bundle: Option<Sha256Digest>,
    /// What it did.
    #[serde(flatten)]
    pub effect: Effect,
}

fn kind(event: &RouteEvent) -> EntryKind {
    match event {
        RouteEvent::Definition(_) => EntryKind::Definition,
        RouteEvent::Gate(it) => EntryKind::Gate { gate: it.gate },
        RouteEvent::Decision(it) => EntryKind::Decision { decision: it.decision },
        RouteEvent::Canary(it) => EntryKind::Canary { phase: it.phase },
        RouteEvent::Retention(it) => EntryKind::Retention { state: it.state },
        RouteEvent::Order(it) => EntryKind::Order { action: it.action },
        RouteEvent::Result(it) => EntryKind::Result { action: it.action, step: it.step },
        RouteEvent::Pin(it) => EntryKind::Pin { pin: it.pin },
    }
}

fn who(entry: &RouteEntry) -> String {
    match (&entry.event, &entry.signer) {
        (RouteEvent::Definition(it), _) => it.by.account.clone(),
        (RouteEvent::Decision(it), _) => it.by.account.clone(),
        (RouteEvent::Order(it), _) => it.by.account.clone(),
        (_, Signer::Agent { name, .. }) => name.clone(),
        (_, Signer::Portal) => "portal".to_owned(),
    }
}

/// Tells the story of the entries by what the state rests on; `ours` are the gate records that speak about its bundle.
pub(super) fn tell(
    entries: &[&RouteEntry],
    state: &RouteState,
    mut effects: BTreeMap<u64, Effect>,
    ours: &BTreeSet<u64>,
) -> Vec<HistoryItem> {
    for vote in &state.votes {
        let effect = if vote.objections.is_empty() {
            Effect::Counted
        } else {
            Effect::NotCounted { objections: vote.objections.clone() }
        };
        effects.insert(vote.entry.index, effect);
    }
    let effect_of = |entry: &RouteEntry, told: Option<Effect>| match &entry.event {
        RouteEvent::Gate(record) => {
            let standing = state.gates.iter().find(|gate| gate.gate == record.gate);
            match standing {
                Some(gate) if gate.entry.is_some_and(|it| it.index == entry.index) => {
                    Effect::Stands { state: gate.state }
                }
                _ if ours.contains(&entry.index) => Effect::Superseded,
                _ => Effect::OtherBundle,
            }
        }
        _ => told.unwrap_or(Effect::Recorded),
    };
    entries
        .iter()
        .map(|entry| HistoryItem {
            entry: EntryRef::of(entry),
            at: entry.event.at(),
            who: who(entry),
            kind: kind(&entry.event),
            bundle: entry.event.bundle(),
            effect: effect_of(entry, effects.remove(&entry.index)),
        })
        .collect()
}
