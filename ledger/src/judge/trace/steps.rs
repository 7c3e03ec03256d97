//! What each step of a trace knows and lacks.

use serde_json::{Value, json};

use super::{Fact, Gap, Seen, Source, Step, StepKind, StepState, signer_name};
use crate::{
    evidence::{
        build::{BuilderKind, Outcome},
        canary::CanaryPhase,
        code,
        gate::{Check, CheckVerdict, FactClass, Gate, GateRecord, GateState},
        rollback::OrderAction,
    },
    judge::route::{RouteEntry, RouteEvent},
};

const FILES: [&str; 4] = ["config_files", "weight_files", "tokenizer_files", "processor_files"];

/// Whether a check of gate 1 tells of the checkpoint's files.
pub(super) fn is_file_check(name: &str) -> bool {
    FILES.contains(&name)
}

/// The checks of a gate that tell of a step. A gate's other checks belong to its other step.
fn checks_of(kind: StepKind) -> Option<(Gate, &'static [&'static str])> {
    const ENVIRONMENT: [&str; 7] =
        ["os_or_container", "python", "model_connect", "tensorrt", "cuda", "gpu", "driver"];
    match kind {
        StepKind::Files => Some((Gate::Source, &FILES)),
        StepKind::Environment => Some((Gate::Build, &ENVIRONMENT)),
        StepKind::Checkpoint => Some((Gate::Source, &[])),
        StepKind::Recipe => Some((Gate::Build, &[])),
        StepKind::Bundle => Some((Gate::Bundle, &[])),
        StepKind::Parity => Some((Gate::Parity, &[])),
        StepKind::Canary => Some((Gate::Release, &[])),
        StepKind::Run | StepKind::Decisions | StepKind::Live => None,
    }
}

/// Whether a check of a gate tells of a step: the ones that are listed for it, or the ones that no other step lists.
fn tells_of(kind: StepKind, gate: Gate, check: &str) -> bool {
    let listed = |kind| checks_of(kind).is_some_and(|(of, names)| of == gate && names.contains(&check));
    match checks_of(kind) {
        None => false,
        Some((of, [])) => {
            let other = StepKind::ALL.into_iter().filter(|it| *it != kind).any(listed);
            // The build itself is told by the run's own summary.
            of == gate && !other && check != "build_run"
        }
        Some(_) => listed(kind),
    }
}

pub(super) fn step(seen: &Seen<'_>, kind: StepKind) -> Step {
    let mut step = Step {
        step: kind,
        state: StepState::Known,
        facts: Vec::new(),
        sources: Vec::new(),
        gaps: Vec::new(),
    };
    match kind {
        StepKind::Run => run(seen, &mut step),
        StepKind::Decisions => decisions(seen, &mut step),
        StepKind::Live => live(seen, &mut step),
        _ => gate(seen, kind, &mut step),
    }
    if kind == StepKind::Checkpoint {
        definition(seen, &mut step);
    }
    if kind == StepKind::Canary {
        canary(seen, &mut step);
    }
    step.sources.sort_by_key(|source| source.index);
    step.sources.dedup();
    step.state = match (step.sources.is_empty(), step.gaps.is_empty()) {
        (true, _) if matches!(kind, StepKind::Decisions | StepKind::Live) => StepState::NotYet,
        (true, _) => StepState::Unknown,
        (false, false) => StepState::Incomplete,
        (false, true) => StepState::Known,
    };
    step
}

fn source(entry: &RouteEntry) -> Source {
    Source {
        index: entry.index,
        leaf: entry.leaf,
        at: entry.event.at(),
        signer: signer_name(&entry.signer).to_owned(),
    }
}

fn measured(name: &str, value: Value, entry: u64) -> Fact {
    Fact { name: name.to_owned(), value, class: FactClass::Measured, stated_by: None, verdict: None, entry }
}

fn stated(name: &str, value: Value, by: &str, entry: u64) -> Fact {
    let stated_by = Some(by.to_owned());
    Fact { name: name.to_owned(), value, class: FactClass::StatedByPerson, stated_by, verdict: None, entry }
}

/// What a gate's record says of a step, held against what must be on record.
fn gate(seen: &Seen<'_>, kind: StepKind, step: &mut Step) {
    let Some((gate, _)) = checks_of(kind) else { return };
    let Some((entry, record)) = seen.gate(gate) else {
        step.gaps.push(Gap::NoEntry);
        return;
    };
    step.sources.push(source(entry));
    let ours: Vec<&Check> = record.checks.iter().filter(|check| tells_of(kind, gate, &check.name)).collect();
    step.facts.extend(ours.iter().map(|check| fact(check, entry.index)));
    if kind == StepKind::Environment {
        step.facts.extend(observed(record, entry.index));
    }
    step.gaps.extend(gate_gaps(seen, kind, gate, &ours));
}

fn gate_gaps(seen: &Seen<'_>, kind: StepKind, gate: Gate, ours: &[&Check]) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let required = crate::evidence::gate::requirements(gate).iter().map(|it| it.name);
    for name in required.filter(|name| tells_of(kind, gate, name)) {
        let check = || name.to_owned();
        let last = ours.iter().rev().find(|check| check.name == name);
        gaps.extend(match last {
            None => Some(Gap::CheckMissing { check: check() }),
            Some(it) if it.class == FactClass::VendorClaim => Some(Gap::VendorClaim { check: check() }),
            Some(it) if it.verdict > CheckVerdict::NotApplicable => {
                Some(Gap::CheckNotPassed { check: check(), verdict: it.verdict })
            }
            Some(_) => None,
        });
    }
    // The gate may be closed for a reason that no single check gives: another target, an order that was not kept.
    let standing = seen.state.gates.iter().find(|standing| standing.gate == gate);
    if gaps.is_empty() && standing.is_some_and(|it| it.state != GateState::Satisfied) {
        gaps.push(Gap::GateClosed { gate });
    }
    gaps
}

fn fact(check: &Check, entry: u64) -> Fact {
    Fact {
        name: check.name.clone(),
        value: check.value.clone(),
        class: check.class,
        stated_by: check.stated_by.clone(),
        verdict: Some(check.verdict),
        entry,
    }
}

fn observed(record: &GateRecord, entry: u64) -> Vec<Fact> {
    let fact = |(pin, value): (_, &String)| measured(&format!("observed_{}", code(pin)), json!(value), entry);
    record.observed.0.iter().map(fact).collect()
}

/// What the route says of the checkpoint: an admin's word.
fn definition(seen: &Seen<'_>, step: &mut Step) {
    let defined = seen.log.entries.iter().filter(|it| it.event.route() == seen.route);
    let last = defined.filter(|it| matches!(it.event, RouteEvent::Definition(_))).max_by_key(|it| it.index);
    let Some((entry, RouteEvent::Definition(it))) = last.map(|entry| (entry, &entry.event)) else { return };
    step.sources.push(source(entry));
    let by = &it.by.account;
    step.facts.insert(0, stated("checkpoint", json!(it.checkpoint), by, entry.index));
    step.facts.insert(1, stated("checkpoint_revision", json!(it.checkpoint_revision), by, entry.index));
}

fn run(seen: &Seen<'_>, step: &mut Step) {
    let Some(logged) = seen.run else {
        step.gaps.push(seen.named_run.map_or(Gap::RunNotNamed, |run| Gap::RunNotLogged { run }));
        return;
    };
    let (summary, entry) = (logged.summary, logged.index);
    step.sources.push(Source {
        index: logged.index,
        leaf: logged.leaf,
        at: summary.finished_at,
        signer: logged.signer.to_owned(),
    });
    let facts = [
        ("run", json!(summary.run.id)),
        ("outcome", json!(summary.outcome)),
        ("builder", json!(summary.builder)),
        ("tensorrt_version", json!(summary.tensorrt_version)),
        ("library", json!(summary.library.as_ref().map(|library| library.digest))),
        ("gpu_sku", json!(summary.gpu_sku)),
        ("network", json!(summary.network.digest)),
        ("build_config_hash", json!(summary.build_config_hash)),
        ("timing_cache_mode", json!(summary.timing_cache_mode)),
        ("plan", json!(summary.plan().and_then(|plan| plan.digest))),
    ];
    step.facts.extend(facts.into_iter().map(|(name, value)| measured(name, value, entry)));
    if summary.builder == BuilderKind::Simulated {
        step.gaps.push(Gap::RunSimulated);
    }
    if !matches!(summary.outcome, Outcome::Completed | Outcome::CancelRequestedButCompleted) {
        let check = "build_run".to_owned();
        step.gaps.push(Gap::CheckNotPassed { check, verdict: CheckVerdict::Fail });
    }
}

fn canary(seen: &Seen<'_>, step: &mut Step) {
    let mut last = None;
    for entry in seen.entries() {
        let RouteEvent::Canary(record) = &entry.event else { continue };
        step.sources.push(source(entry));
        step.facts.push(measured(
            &format!("canary_{}", code(&record.phase)),
            canary_value(record),
            entry.index,
        ));
        last = Some(record.phase);
    }
    if !matches!(last, Some(CanaryPhase::Pass | CanaryPhase::Failed)) {
        step.gaps.push(Gap::CanaryWithoutVerdict);
    }
}

fn canary_value(record: &crate::evidence::canary::CanaryRecord) -> Value {
    let measured = record.measurement.as_ref().map(|it| {
        json!({ "samples": it.samples, "requests": it.requests, "errors": it.errors, "p95Ms": it.p95_ms })
    });
    json!({ "trafficShare": record.plan.traffic_share, "measured": measured, "broken": record.broken })
}

fn decisions(seen: &Seen<'_>, step: &mut Step) {
    for entry in seen.entries() {
        let RouteEvent::Decision(decision) = &entry.event else { continue };
        step.sources.push(source(entry));
        let value = json!({ "reason": decision.reason_code, "text": decision.text });
        step.facts.push(stated(&code(&decision.decision), value, &decision.by.account, entry.index));
    }
}

/// Orders, what the agent beside the runtime reported of them, and what is kept.
fn live(seen: &Seen<'_>, step: &mut Step) {
    for entry in seen.entries() {
        let fact = match &entry.event {
            RouteEvent::Order(order) if order.action != OrderAction::Drill => {
                let name = format!("{}_ordered", code(&order.action));
                let value = json!({ "reason": order.reason_code, "text": order.text });
                stated(&name, value, &order.by.account, entry.index)
            }
            RouteEvent::Result(result) if result.action != OrderAction::Drill => {
                let name = format!("{}_{}", code(&result.action), code(&result.step));
                measured(
                    &name,
                    json!({ "live": result.live, "sinceOrderMs": result.since_order_ms }),
                    entry.index,
                )
            }
            _ => continue,
        };
        step.sources.push(source(entry));
        step.facts.push(fact);
    }
}
