//! A route's entries in order, and the facts as they stood at any size of the log.

use std::collections::BTreeSet;

use super::entry::{RouteEntry, RouteEvent, RouteLog, Signer};
use crate::{
    evidence::{
        gate::{Gate, GateRecord},
        pin::{Pin, Pins},
        route::RouteDefinition,
    },
    log::digest::Sha256Digest,
};

/// One route's entries in the order of the log.
pub(super) struct View<'a> {
    pub(super) route: &'a str,
    pub(super) entries: Vec<&'a RouteEntry>,
    /// An index that is claimed by two entries, or lies outside the log.
    pub(super) contradiction: Option<u64>,
}

impl<'a> View<'a> {
    pub(super) fn new(route: &'a str, log: &'a RouteLog) -> Self {
        let mut all: Vec<&RouteEntry> = log.entries.iter().collect();
        all.sort_by_key(|entry| entry.index);
        let twice = all.windows(2).find(|pair| pair[0].index == pair[1].index).map(|pair| pair[0].index);
        let outside = all.last().map(|entry| entry.index).filter(|index| *index >= log.size);
        all.retain(|entry| entry.event.route() == route);
        Self { route, entries: all, contradiction: twice.or(outside) }
    }

    /// The definition that stood when the log had `size` entries.
    pub(super) fn definition(&self, size: u64) -> Option<(u64, &'a RouteDefinition)> {
        self.entries.iter().rev().filter(|entry| entry.index < size).find_map(|entry| match &entry.event {
            RouteEvent::Definition(it) if entry.signer == Signer::Portal => Some((entry.index, &**it)),
            _ => None,
        })
    }

    /// The pinned facts as they stood when the log had `size` entries.
    pub(super) fn pins(&self, size: u64) -> Pins {
        let Some((since, definition)) = self.definition(size) else { return Pins::default() };
        let mut pins = definition.policy.pins.clone();
        for entry in self.entries.iter().filter(|entry| (since..size).contains(&entry.index)) {
            if let RouteEvent::Pin(it) = &entry.event {
                pins.0.insert(it.pin, it.value.clone());
            }
        }
        pins
    }

    /// From which entry on a pin has had the value that it has now.
    pub(super) fn pin_since(&self, pin: Pin, size: u64) -> u64 {
        let now = self.pins(size).get(pin).map(str::to_owned);
        let mut since = 0;
        for entry in self.entries.iter().filter(|entry| entry.index < size) {
            if matches!(entry.event, RouteEvent::Pin(_) | RouteEvent::Definition(_)) {
                let before = self.pins(entry.index).get(pin).map(str::to_owned);
                let after = self.pins(entry.index + 1).get(pin).map(str::to_owned);
                if before != after && after == now {
                    since = entry.index;
                }
            }
        }
        since
    }

    /// Every gate record with its entry.
    pub(super) fn gate_records(&self) -> impl Iterator<Item = (&'a RouteEntry, &'a GateRecord)> {
        self.entries.iter().filter_map(|entry| match &entry.event {
            RouteEvent::Gate(it) => Some((*entry, &**it)),
            _ => None,
        })
    }

    /// The records of a gate that speak about a bundle, in the order of the log.
    ///
    /// Gate 1 is bound by the checkpoint revision, gate 2 by the bundle or by the run that gate 3 names as its origin,
    /// gates 3 to 5 by the bundle.
    pub(super) fn records_of(
        &self,
        gate: Gate,
        bundle: Sha256Digest,
        revision: &str,
    ) -> Vec<(&'a RouteEntry, &'a GateRecord)> {
        let about = |record: &GateRecord| record.bundle == Some(bundle);
        let run = self
            .gate_records()
            .filter(|(_, record)| record.gate == Gate::Bundle && about(record))
            .last()
            .and_then(|(_, record)| record.run);
        self.gate_records()
            .filter(|(_, record)| record.gate == gate)
            .filter(|(_, record)| match gate {
                Gate::Source => {
                    record.checkpoint_revision.as_deref() == Some(revision)
                        && record.bundle.is_none_or(|it| it == bundle)
                }
                Gate::Build => about(record) || record.bundle.is_none() && run.is_some() && record.run == run,
                Gate::Bundle | Gate::Parity | Gate::Release => about(record),
            })
            .collect()
    }

    /// Everybody who built the bundle, owns an agent that did, or contributed to its evidence, with an entry that says so.
    pub(super) fn involved(&self, bundle: Sha256Digest, revision: &str) -> Vec<(String, u64)> {
        let records = Gate::ALL.into_iter().flat_map(|gate| self.records_of(gate, bundle, revision));
        let mut seen = BTreeSet::new();
        let mut involved = Vec::new();
        for (entry, record) in records {
            let owner = match &entry.signer {
                Signer::Agent { owner, .. } => owner.as_deref(),
                Signer::Portal => None,
            };
            for person in record.contributors().chain(owner) {
                if seen.insert(person.to_owned()) {
                    involved.push((person.to_owned(), entry.index));
                }
            }
        }
        involved
    }

    /// The bundles of the route, in the order in which they first appeared.
    pub(super) fn bundles(&self) -> Vec<Sha256Digest> {
        let mut bundles = Vec::new();
        for entry in &self.entries {
            let candidate = matches!(entry.event, RouteEvent::Gate(_) | RouteEvent::Decision(_));
            if let Some(bundle) = entry.event.bundle().filter(|it| candidate && !bundles.contains(it)) {
                bundles.push(bundle);
            }
        }
        bundles
    }
}
