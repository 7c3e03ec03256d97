//! Codes of routes as a reader meets them: a state and a word.

use acta_ledger::{
    evidence::{
        code,
        gate::{Gate, GateState},
        rollback::RollbackStep,
        route::{CanaryStatus, RollbackStatus, RouteRecord, ValidationStatus},
    },
    judge::route::{Effect, EntryKind, Objection, Turn},
};

use super::why::{listed, pin};
use crate::{
    components::state::State,
    format::{count, short},
    i18n::Lang,
};

/// Whether a route may be served. A hold is no failure, so it is not in the colour of one.
pub fn verdict(record: &RouteRecord, outdated: bool, lang: Lang) -> (State, String) {
    let state = match record.validation_status {
        ValidationStatus::Pass => State::Good,
        ValidationStatus::Hold if outdated => return (State::Superseded, lang.t("status-outdated")),
        ValidationStatus::Hold => State::Attention,
        ValidationStatus::Reject => State::Bad,
    };
    (state, lang.code_text("status", &code(&record.validation_status)))
}

/// Where a gate stands.
pub fn gate_state(gate: GateState, lang: Lang) -> (State, String) {
    let state = match gate {
        GateState::Missing => State::Neutral,
        GateState::Unsatisfied => State::Bad,
        GateState::Satisfied => State::Good,
        GateState::Overridden => State::Attention,
        GateState::Outdated => State::Superseded,
        GateState::NotApplicable => State::None,
        GateState::Error => State::Error,
    };
    (state, lang.code_text("gate-state", &code(&gate)))
}

/// A gate's name.
pub fn gate_name(gate: Gate, lang: Lang) -> String {
    lang.code_text("gate", &gate.to_string())
}

/// Gates by number in a row.
pub fn gates(gates: &[Gate], lang: Lang) -> String {
    let numbers: Vec<String> = gates.iter().map(ToString::to_string).collect();
    listed(&numbers, lang)
}

/// Where the canary stands.
pub fn canary(canary: CanaryStatus, lang: Lang) -> (State, String) {
    let state = match canary {
        CanaryStatus::NotStarted => State::Neutral,
        CanaryStatus::Running => State::Attention,
        CanaryStatus::Pass => State::Good,
        CanaryStatus::Failed => State::Bad,
    };
    (state, lang.code_text("canary", &code(&canary)))
}

/// Whether the way back is known to work.
pub fn rollback(rollback: RollbackStatus, lang: Lang) -> (State, String) {
    let state = match rollback {
        RollbackStatus::Tested => State::Good,
        RollbackStatus::Blocked => State::Attention,
    };
    (state, lang.code_text("rollback", &code(&rollback)))
}

/// How far an order has come.
pub fn step(step: RollbackStep, lang: Lang) -> (State, String) {
    let state = match step {
        RollbackStep::Requested | RollbackStep::Acknowledged | RollbackStep::Restored => State::Neutral,
        RollbackStep::Verified => State::Good,
        RollbackStep::Refused => State::Attention,
        RollbackStep::Failed => State::Bad,
    };
    (state, lang.code_text("step", &code(&step)))
}

/// Whose turn it is.
pub fn turn(turn: &Turn, lang: Lang) -> String {
    match turn {
        Turn::Operator => lang.t("turn-operator"),
        Turn::Admin => lang.t("turn-admin"),
        Turn::Builder { gates: of } => {
            lang.tr("turn-builder", [("n", of.len().into()), ("gates", gates(of, lang).into())])
        }
        Turn::Runtime => lang.t("turn-runtime"),
        Turn::HoldOwner { owner, index } => {
            let index = count(*index, lang);
            match owner {
                Some(owner) => {
                    lang.tr("turn-hold-owner", [("owner", short(owner, 64).into()), ("index", index.into())])
                }
                None => lang.tr("turn-hold-nobody", [("index", index.into())]),
            }
        }
        Turn::Confirmer { by, index } => {
            let values = [("who", short(by, 64).into()), ("index", count(*index, lang).into())];
            lang.tr("turn-confirmer", values)
        }
        Turn::Approver { more } => lang.tr("turn-approver", [("n", (*more).into())]),
        Turn::Nobody => lang.t("turn-nobody"),
    }
}

/// What an entry is.
pub fn kind(kind: &EntryKind, lang: Lang) -> String {
    match kind {
        EntryKind::Definition => lang.t("kind-definition"),
        EntryKind::Gate { gate } => lang.tr("kind-gate", [("gate", gate.to_string().into())]),
        EntryKind::Decision { decision } => lang.code_text("decision", &code(decision)),
        EntryKind::Canary { phase } => {
            let phase = lang.code_text("canary", &code(phase));
            lang.tr("kind-canary", [("phase", phase.into())])
        }
        EntryKind::Retention { state } => {
            let state = lang.code_text("retention", &code(state));
            lang.tr("kind-retention", [("state", state.into())])
        }
        EntryKind::Order { action } => {
            let action = lang.code_text("action", &code(action));
            lang.tr("kind-order", [("action", action.into())])
        }
        EntryKind::Result { action, step: it } => {
            let action = lang.code_text("action", &code(action));
            lang.tr("kind-result", [("action", action.into()), ("step", step(*it, lang).1.into())])
        }
        EntryKind::Pin { pin: it } => lang.tr("kind-pin", [("pin", pin(*it, lang).into())]),
    }
}

/// What an entry did; `holds` tells whether the hold that it set still stands.
pub fn effect(effect: &Effect, holds: bool, lang: Lang) -> (State, String) {
    match effect {
        Effect::Recorded => (State::None, lang.t("effect-recorded")),
        Effect::Stands { state } => gate_state(*state, lang),
        Effect::Superseded => (State::Superseded, lang.t("effect-superseded")),
        Effect::Counted => (State::Good, lang.t("effect-counted")),
        Effect::NotCounted { objections }
            if objections.iter().all(|it| matches!(it, Objection::Outdated { .. })) =>
        {
            (State::Superseded, lang.t("vote-outdated"))
        }
        Effect::NotCounted { .. } => (State::Attention, lang.t("effect-not-counted")),
        Effect::EndedBy { index } => {
            (State::Superseded, lang.tr("effect-ended-by", [("index", count(*index, lang).into())]))
        }
        Effect::Held if holds => (State::Attention, lang.t("effect-held")),
        Effect::Held => (State::Superseded, lang.t("effect-held-over")),
        Effect::Rejected => (State::Bad, lang.t("effect-rejected")),
        Effect::Lifted { holds } => {
            let listed_holds: Vec<String> = holds.iter().map(|hold| count(*hold, lang)).collect();
            let values = [("n", holds.len().into()), ("holds", listed(&listed_holds, lang).into())];
            (State::Good, lang.tr("effect-lifted", values))
        }
        Effect::OtherBundle => (State::None, lang.t("effect-other-bundle")),
    }
}
