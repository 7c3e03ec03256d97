//! The ties between the steps of a trace. Each is known by an entry that names both sides, or it is not known.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Seen, StepKind};
use crate::{
    evidence::{
        decision::DecisionKind,
        gate::{CheckVerdict, FactClass, Gate, GateRecord},
    },
    judge::route::{RouteEntry, RouteEvent},
    log::digest::Sha256Digest,
};

/// A tie between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// The earlier step.
    pub from: StepKind,
    /// The later one.
    pub to: StepKind,
    /// Whether an entry makes it; one that is not known is never drawn.
    pub known: bool,
}

pub(super) fn links(seen: &Seen<'_>) -> Vec<Link> {
    use StepKind::{Bundle, Canary, Checkpoint, Decisions, Environment, Files, Live, Parity, Recipe, Run};
    let source = seen.gate(Gate::Source);
    let build = seen.gate(Gate::Build);
    let parity = seen.gate(Gate::Parity);
    let release = seen.gate(Gate::Release);
    let built_by_run = build.is_some_and(|(_, record)| seen.run.is_some() && record.run == seen.named_run);
    let canary = seen.entries().iter().any(|entry| matches!(entry.event, RouteEvent::Canary(_)));
    let tie = |from, to, known| Link { from, to, known };
    vec![
        tie(Checkpoint, Files, source.is_some_and(|(_, record)| passed(record, "revision_pinned"))),
        tie(Files, Run, reads_the_files(seen, source)),
        tie(Recipe, Run, built_by_run && build.is_some_and(|(_, record)| passed(record, "build_run"))),
        tie(Environment, Run, built_by_run),
        tie(Run, Bundle, holds_the_plan(seen)),
        tie(Bundle, Parity, parity.is_some()),
        tie(Bundle, Canary, release.is_some() || canary),
        tie(Parity, Decisions, rests_on(seen, parity)),
        tie(Canary, Decisions, rests_on(seen, release)),
        tie(Decisions, Live, approved_before_live(seen)),
    ]
}

fn passed(record: &GateRecord, name: &str) -> bool {
    record.checks.iter().any(|check| check.name == name && check.verdict == CheckVerdict::Pass)
}

/// Whether the network that was built is one of the files of the checkpoint.
fn reads_the_files(seen: &Seen<'_>, source: Option<(&RouteEntry, &GateRecord)>) -> bool {
    let Some((run, (_, record))) = seen.run.zip(source) else { return false };
    let files = record.checks.iter().filter(|check| super::steps::is_file_check(&check.name));
    files
        .into_iter()
        .any(|check| check.class == FactClass::Measured && mentions(&check.value, run.summary.network.digest))
}

/// Whether a value holds a digest, at any depth.
fn mentions(value: &Value, digest: Sha256Digest) -> bool {
    match value {
        Value::String(text) => text.strip_prefix("sha256:").unwrap_or(text) == digest.to_string(),
        Value::Array(items) => items.iter().any(|item| mentions(item, digest)),
        Value::Object(members) => members.values().any(|member| mentions(member, digest)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether gate 3 found the run's plan in the bundle.
fn holds_the_plan(seen: &Seen<'_>) -> bool {
    let record = seen.gate(Gate::Bundle).map(|(_, record)| record);
    seen.run.is_some()
        && record.is_some_and(|record| {
            record.run.is_some()
                && record.run == seen.named_run
                && record.checks.iter().any(|check| {
                    check.name == "provenance"
                        && check.verdict == CheckVerdict::Pass
                        && check.class == FactClass::Measured
                })
        })
}

/// Whether somebody decided with the entry before their eyes.
fn rests_on(seen: &Seen<'_>, gate: Option<(&RouteEntry, &GateRecord)>) -> bool {
    let Some((entry, _)) = gate else { return false };
    seen.entries().iter().any(|it| match &it.event {
        RouteEvent::Decision(decision) => decision.evidence.contains(&entry.leaf),
        _ => false,
    })
}

/// Whether the bundle went live after somebody approved it.
fn approved_before_live(seen: &Seen<'_>) -> bool {
    let entries = seen.entries();
    let approved = entries.iter().find(
        |entry| matches!(&entry.event, RouteEvent::Decision(it) if it.decision == DecisionKind::Approve),
    );
    approved.is_some_and(|approved| {
        entries.iter().any(|entry| {
            entry.index > approved.index
                && matches!(&entry.event, RouteEvent::Result(it) if it.live == Some(seen.bundle))
        })
    })
}
