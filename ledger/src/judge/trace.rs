//! The trace of a bundle: which entries lead from the checkpoint to what is live, what each of them says and how it is
//! known, and where the way cannot be followed.
//!
//! A step that no entry speaks of is unknown, and a tie between two steps is drawn only where an entry makes it. Nothing
//! is filled in from what usually is so.

mod links;
mod steps;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use links::Link;

use super::route::{RouteEntry, RouteEvent, RouteLog, RouteState, Signer, judge_bundle};
use crate::{
    evidence::{
        build::BuildSummary,
        gate::{CheckVerdict, FactClass, Gate, GateRecord},
        route::BundleDigest,
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// A step on the way, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// Which checkpoint, at which revision, under which licence.
    Checkpoint,
    /// Its files.
    Files,
    /// How it was to be built.
    Recipe,
    /// What it was built with.
    Environment,
    /// The build itself.
    Run,
    /// The bundle.
    Bundle,
    /// Its outputs against the reference's.
    Parity,
    /// Its measurements, and its canary.
    Canary,
    /// What persons decided.
    Decisions,
    /// Where it went into service and out of it.
    Live,
}

impl StepKind {
    /// All of them in order.
    pub const ALL: [Self; 10] = [
        Self::Checkpoint,
        Self::Files,
        Self::Recipe,
        Self::Environment,
        Self::Run,
        Self::Bundle,
        Self::Parity,
        Self::Canary,
        Self::Decisions,
        Self::Live,
    ];
}

/// How much is known of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Everything that a whole trace needs.
    Known,
    /// Something, and not all of it.
    Incomplete,
    /// No entry speaks of it.
    Unknown,
    /// It has not come to that yet.
    NotYet,
}

/// Something that a whole trace would need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "gap")]
pub enum Gap {
    /// No entry speaks of the step.
    NoEntry,
    /// A check is not on record.
    CheckMissing {
        /// Its name.
        check: String,
    },
    /// A check does not hold.
    CheckNotPassed {
        /// Its name.
        check: String,
        /// What was found.
        verdict: CheckVerdict,
    },
    /// Nothing but a vendor says it.
    VendorClaim {
        /// The check.
        check: String,
    },
    /// No entry says which run built it.
    RunNotNamed,
    /// The run is named, and the log has no summary of it.
    RunNotLogged {
        /// Which.
        run: Uuid,
    },
    /// It was built by no library: a simulation.
    RunSimulated,
    /// The gate is not open.
    GateClosed {
        /// Which.
        gate: Gate,
    },
    /// The canary was planned, and there is no verdict.
    CanaryWithoutVerdict,
}

/// Something that an entry says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// Its name: a check's, or a field's of the evidence.
    pub name: String,
    /// What it is.
    pub value: Value,
    /// How it is known.
    pub class: FactClass,
    /// Who says it, where a person does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// What a check found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<CheckVerdict>,
    /// The entry that says it.
    pub entry: u64,
}

/// An entry that a step rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Its index.
    pub index: u64,
    /// Its leaf hash.
    pub leaf: Sha256Digest,
    /// When, by the clock of whoever says it.
    pub at: Timestamp,
    /// Who signed: an agent's name, or `portal`.
    pub signer: String,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Which.
    pub step: StepKind,
    /// How much is known of it.
    pub state: StepState,
    /// The facts.
    pub facts: Vec<Fact>,
    /// The entries, in the order of the log.
    pub sources: Vec<Source>,
    /// What is lacking.
    pub gaps: Vec<Gap>,
}

/// The trace of a bundle on a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// The bundle.
    pub bundle: Sha256Digest,
    /// The route.
    pub route: String,
    /// Indices that were not examined: whatever stands there is not told.
    pub unread: Option<(u64, u64)>,
    /// The run that built it, where an entry says so.
    pub run: Option<Uuid>,
    /// The ten steps in order.
    pub steps: Vec<Step>,
    /// The ties between them.
    pub links: Vec<Link>,
}

impl Trace {
    /// A step.
    pub fn step(&self, kind: StepKind) -> Option<&Step> {
        self.steps.iter().find(|step| step.step == kind)
    }

    /// Every gap with its step, in order.
    pub fn gaps(&self) -> impl Iterator<Item = (StepKind, &Gap)> {
        self.steps.iter().flat_map(|step| step.gaps.iter().map(|gap| (step.step, gap)))
    }

    /// The ties that no entry makes, between steps of which something is known.
    pub fn untied(&self) -> impl Iterator<Item = &Link> {
        let told = |kind| self.step(kind).is_some_and(|step| !step.sources.is_empty());
        self.links.iter().filter(move |link| !link.known && told(link.from) && told(link.to))
    }
}

/// A build summary as it stands in the log.
#[derive(Debug, Clone, Copy)]
pub struct LoggedRun<'a> {
    /// Its entry.
    pub index: u64,
    /// That entry's leaf hash.
    pub leaf: Sha256Digest,
    /// The agent that signed it.
    pub signer: &'a str,
    /// What it says.
    pub summary: &'a BuildSummary,
}

/// The run that a bundle's evidence names: gate 3's, which looked into the bundle, before gate 2's.
pub fn run_of(route: &str, bundle: Sha256Digest, log: &RouteLog, at: Timestamp) -> Option<Uuid> {
    let state = judge_bundle(route, BundleDigest(bundle), log, at);
    let of = |gate| gate_record(&state, log, gate).and_then(|(_, record)| record.run);
    of(Gate::Bundle).or_else(|| of(Gate::Build))
}

/// The trace of a bundle on a route; `runs` are the build summaries that may be its own.
pub fn trace(
    route: &str,
    bundle: Sha256Digest,
    log: &RouteLog,
    runs: &[LoggedRun<'_>],
    at: Timestamp,
) -> Trace {
    let state = judge_bundle(route, BundleDigest(bundle), log, at);
    let run = run_of(route, bundle, log, at);
    let seen = Seen {
        route,
        bundle,
        log,
        run: runs.iter().copied().find(|logged| Some(logged.summary.run.id) == run),
        named_run: run,
        state: &state,
    };
    Trace {
        bundle,
        route: route.to_owned(),
        unread: log.gap().map(|gap| (gap.start, gap.end)),
        run,
        steps: StepKind::ALL.into_iter().map(|kind| steps::step(&seen, kind)).collect(),
        links: links::links(&seen),
    }
}

/// What the trace is made from.
struct Seen<'a> {
    route: &'a str,
    bundle: Sha256Digest,
    log: &'a RouteLog,
    run: Option<LoggedRun<'a>>,
    named_run: Option<Uuid>,
    state: &'a RouteState,
}

impl<'a> Seen<'a> {
    /// The record that a gate rests on.
    fn gate(&self, gate: Gate) -> Option<(&'a RouteEntry, &'a GateRecord)> {
        gate_record(self.state, self.log, gate)
    }

    /// The entries of the route that concern the bundle, in the order of the log.
    fn entries(&self) -> Vec<&'a RouteEntry> {
        let ours = |entry: &&RouteEntry| {
            entry.event.route() == self.route && entry.event.bundle() == Some(self.bundle)
        };
        let mut entries: Vec<&RouteEntry> = self.log.entries.iter().filter(ours).collect();
        entries.sort_by_key(|entry| entry.index);
        entries
    }
}

fn gate_record<'a>(
    state: &RouteState,
    log: &'a RouteLog,
    gate: Gate,
) -> Option<(&'a RouteEntry, &'a GateRecord)> {
    let index = state.gates.iter().find(|standing| standing.gate == gate)?.entry?.index;
    log.entries.iter().filter(|entry| entry.index == index).find_map(|entry| match &entry.event {
        RouteEvent::Gate(record) => Some((entry, &**record)),
        _ => None,
    })
}

fn signer_name(signer: &Signer) -> &str {
    match signer {
        Signer::Portal => "portal",
        Signer::Agent { name, .. } => name,
    }
}

#[cfg(test)]
mod tests;
