//! Where the five gates stand for one bundle, and which approvals rest on what they stand on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    EntryRef, Fold, RouteEntry, Vote,
    vote::{Decisions, Objection, OutdatedCause},
};
use crate::{
    evidence::{
        decision::RouteDecision,
        gate::{Gate, GateRecord, GateState},
        route::RouteDefinition,
    },
    judge::gate::{GateContext, GateReason, judge},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// Where a gate stands, by which entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateStanding {
    /// Which gate.
    pub gate: Gate,
    /// Where it stands.
    pub state: GateState,
    /// Why it is not satisfied by evidence, also where it is overridden.
    pub reasons: Vec<GateReason>,
    /// The record that it rests on.
    pub entry: Option<EntryRef>,
    /// Records just before it that say the same: a new run that finds nothing new is no new evidence.
    pub same: Vec<EntryRef>,
    /// Since which index it is open; none where it is not.
    pub open_since: Option<u64>,
    /// Who overrides it, until when.
    pub overrides: Vec<OverrideStanding>,
}

/// One person's override of a gate. It stays visible for ever, also where it no longer counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OverrideStanding {
    /// The entry.
    pub entry: EntryRef,
    /// Who.
    pub account: String,
    /// Until when.
    pub expires_at: Option<Timestamp>,
    /// Why it does not count; empty where it does.
    pub objections: Vec<Objection>,
}

impl<'a> Fold<'a> {
    pub(super) fn gates(
        &self,
        bundle: Sha256Digest,
        definition: &RouteDefinition,
        decisions: &Decisions<'a>,
    ) -> Vec<GateStanding> {
        let pins = self.view.pins(self.log.size);
        let mut standings: Vec<GateStanding> = Vec::new();
        for gate in Gate::ALL {
            let before = gate.after().and_then(|before| standings.iter().find(|it| it.gate == before));
            let context = GateContext {
                runtime_target: &definition.runtime_target,
                pins: &pins,
                before_open_since: before.and_then(|before| before.open_since),
            };
            let records = self.view.records_of(gate, bundle, &definition.checkpoint_revision);
            let judged =
                |(entry, record): &(&RouteEntry, _)| judge(gate, Some((entry.index, *record)), &context);
            let judgement = records.last().map_or_else(|| judge(gate, None, &context), judged);
            let entry = records.last().map(|(entry, _)| EntryRef::of(entry));
            let overrides = self.overrides(gate, entry, decisions);
            let two: Vec<&OverrideStanding> =
                overrides.iter().filter(|it| it.objections.is_empty()).take(2).collect();
            let (state, open_since) = match &two[..] {
                _ if judgement.state == GateState::Satisfied => {
                    let first = records.iter().find(|record| judged(record).state == GateState::Satisfied);
                    (GateState::Satisfied, first.map(|(entry, _)| entry.index))
                }
                // What was simulated opens nothing, whoever says so.
                [_, second] if !judgement.is_simulated() => (GateState::Overridden, Some(second.entry.index)),
                _ => (judgement.state, None),
            };
            let reasons = judgement.reasons;
            let same = same_before(&records);
            standings.push(GateStanding { gate, state, reasons, entry, same, open_since, overrides });
        }
        standings
    }

    /// Every person's last override of a gate, and whether it counts.
    fn overrides(
        &self,
        gate: Gate,
        record: Option<EntryRef>,
        decisions: &Decisions<'a>,
    ) -> Vec<OverrideStanding> {
        let mut standings: Vec<OverrideStanding> = Vec::new();
        for (place, decision) in &decisions.overrides {
            let Some(terms) = decision.overrides.as_ref().filter(|terms| terms.gates.contains(&gate)) else {
                continue;
            };
            let mut objections = self.formal(*place, decision);
            if let Some(policy) = self.definition.map(|it| &it.policy) {
                const DAY_MS: i64 = 24 * 60 * 60 * 1000;
                if !policy.overrides.allowed {
                    objections.push(Objection::OverridesNotAllowed);
                }
                let longest = decision.at.plus_ms(i64::from(policy.overrides.max_days) * DAY_MS);
                let ends = longest.map_or(terms.expires_at, |longest| longest.min(terms.expires_at));
                if self.at >= ends {
                    objections.push(Objection::Expired { at: ends });
                }
            }
            objections.extend(self.outdated_by_facts(decision));
            if let Some(record) = record.filter(|record| record.index >= decision.seen.size) {
                let cause = OutdatedCause::Evidence { gate, index: record.index };
                objections.push(Objection::Outdated { cause });
            }
            // As with approvals: what does not count ends nothing that does.
            let mine = |it: &OverrideStanding| it.account == decision.by.account;
            if !objections.is_empty() && standings.iter().any(|it| mine(it) && it.objections.is_empty()) {
                continue;
            }
            standings.retain(|it| !mine(it));
            standings.push(OverrideStanding {
                entry: *place,
                account: decision.by.account.clone(),
                expires_at: Some(terms.expires_at),
                objections,
            });
        }
        standings
    }

    /// The objections that do not depend on evidence.
    fn formal(&self, place: EntryRef, decision: &RouteDecision) -> Vec<Objection> {
        let entry = self.view.entries.iter().find(|entry| entry.index == place.index);
        entry.map_or_else(Vec::new, |entry| Decisions::objections(&self.view, entry, decision, self.log.size))
    }

    /// Pins and definitions that are others than those that the person saw.
    fn outdated_by_facts(&self, decision: &RouteDecision) -> Vec<Objection> {
        let (seen, size) = (decision.seen.size, self.log.size);
        let mut causes: Vec<OutdatedCause> = Vec::new();
        for change in self.view.pins(seen).changes(&self.view.pins(size)) {
            let index = self.view.pin_since(change.pin, size);
            causes.push(OutdatedCause::Pin { change, index });
        }
        let (before, now) = (self.view.definition(seen), self.view.definition(size));
        let same = |a: &RouteDefinition, b: &RouteDefinition| {
            let mut policy = a.policy.clone();
            policy.pins = b.policy.pins.clone();
            a.checkpoint == b.checkpoint
                && a.checkpoint_revision == b.checkpoint_revision
                && a.runtime_target == b.runtime_target
                && policy == b.policy
        };
        match (before, now) {
            (Some((_, before)), Some((_, now))) if same(before, now) => {}
            (_, Some((index, _))) => causes.push(OutdatedCause::Definition { index }),
            (_, None) => {}
        }
        causes.into_iter().map(|cause| Objection::Outdated { cause }).collect()
    }

    /// Every person's approval, and whether it counts: the last that does, otherwise the last. An approval takes nothing
    /// away, so one from a page that showed less cannot end one that still rests on what the gates stand on.
    pub(super) fn votes(&self, gates: &[GateStanding], decisions: &Decisions<'a>) -> Vec<Vote> {
        let mut votes: BTreeMap<&str, Vote> = BTreeMap::new();
        for (place, decision) in &decisions.approvals {
            let mut objections = self.outdated_by_facts(decision);
            for gate in gates {
                objections.extend(rests_on(decision, gate));
            }
            let account = decision.by.account.as_str();
            let stands = votes.get(account).is_some_and(|before| before.objections.is_empty());
            if objections.is_empty() || !stands {
                votes.insert(account, Vote { entry: *place, account: account.to_owned(), objections });
            }
        }
        votes.into_values().collect()
    }
}

/// The records just before the last one that say what it says.
fn same_before(records: &[(&RouteEntry, &GateRecord)]) -> Vec<EntryRef> {
    let Some(((_, last), before)) = records.split_last() else { return Vec::new() };
    let same = |record: &GateRecord| {
        record.checks == last.checks
            && record.observed == last.observed
            && record.runtime_target == last.runtime_target
            && record.builder == last.builder
            && record.run == last.run
            && record.bundle == last.bundle
            && record.checkpoint_revision == last.checkpoint_revision
    };
    before.iter().rev().take_while(|(_, record)| same(record)).map(|(entry, _)| EntryRef::of(entry)).collect()
}

/// Whether an approval names what a gate rests on now: its record, or two persons' overrides.
fn rests_on(decision: &RouteDecision, gate: &GateStanding) -> Option<Objection> {
    let names = |entry: EntryRef| decision.evidence.contains(&entry.leaf);
    let overrides = || gate.overrides.iter().filter(|it| it.objections.is_empty());
    let named = if gate.state == GateState::Overridden {
        overrides().filter(|it| names(it.entry)).count() >= 2
    } else {
        gate.entry.iter().chain(&gate.same).any(|entry| names(*entry))
    };
    if named {
        return None;
    }
    let newest = match gate.state {
        GateState::Overridden => overrides().map(|it| it.entry.index).max(),
        _ => gate.entry.iter().chain(&gate.same).map(|entry| entry.index).min(),
    };
    Some(match newest.filter(|index| *index >= decision.seen.size) {
        Some(index) => Objection::Outdated { cause: OutdatedCause::Evidence { gate: gate.gate, index } },
        None => Objection::NotNamed { gate: gate.gate },
    })
}
