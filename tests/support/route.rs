//! Evidence of a route for tests: gates that are satisfied, a canary's plan, a retained bundle, a drill.

use acta_ledger::{
    evidence::{
        build::BlobRef,
        canary::{CanaryPhase, CanaryPlan, CanaryRecord},
        chain::ChainLink,
        gate::{Check, CheckVerdict, FactClass, Gate, GateRecord, requirements},
        pin::{Pin, PinObservation, Pins},
        retention::{RetentionRecord, RetentionState},
        rollback::{HealthResult, OrderAction, RollbackResult, RollbackStep},
        route::Thresholds,
    },
    log::{
        digest::Sha256Digest,
        statement::{Predicate, Statement, Subject},
        timestamp::Timestamp,
    },
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::evidence::TestAgent;

/// The route of the tests.
pub const ROUTE: &str = "mini";

/// Its runtime target.
pub const TARGET: &str = "native_cpp_task_api_on_nvidia_h200";

/// When everything happened.
pub fn at() -> Timestamp {
    "2026-11-29T10:00:00Z".parse().expect("a moment")
}

fn pins() -> Pins {
    let pins = [(Pin::Tensorrt, "1.7.1.116"), (Pin::GpuSku, "NVIDIA H200")];
    Pins(pins.into_iter().map(|(pin, value)| (pin, value.to_owned())).collect())
}

/// The body that sets the route up; `needed` persons must approve.
pub fn definition(needed: u32) -> Value {
    json!({
        "route": ROUTE,
        "checkpoint": "acme/mini",
        "checkpointRevision": "0f".repeat(20),
        "runtimeTarget": TARGET,
        "policy": {
            "approvals": { "needed": needed },
            "licences": ["apache-2.0"],
            "overrides": { "allowed": true, "maxDays": 7 },
            "canary": { "minSamples": 100, "thresholds": {} },
            "pins": pins(),
            "drillValidDays": 36500,
            "retentionDays": 36500,
        },
    })
}

/// A satisfied record of a gate.
pub fn gate(gate: Gate, bundle: Sha256Digest, sequence: u64) -> GateRecord {
    let check = |name: &str| Check {
        name: name.to_owned(),
        value: Value::Null,
        class: FactClass::Measured,
        verdict: CheckVerdict::Pass,
        reason: None,
        stated_by: None,
        evidence: Vec::new(),
    };
    GateRecord {
        route: ROUTE.to_owned(),
        gate,
        checkpoint_revision: Some("0f".repeat(20)),
        bundle: (gate != Gate::Source).then_some(bundle),
        run: None,
        builder: None,
        runtime_target: gate.is_at_runtime().then(|| TARGET.to_owned()),
        observed: pins(),
        checks: requirements(gate).iter().map(|requirement| check(requirement.name)).collect(),
        authors: Vec::new(),
        started_at: at(),
        finished_at: at(),
        chain: ChainLink::new(sequence, None),
    }
}

/// The plan of a bundle's canary.
pub fn canary_plan(bundle: Sha256Digest, phase: CanaryPhase, sequence: u64) -> CanaryRecord {
    let thresholds = Thresholds::default();
    CanaryRecord {
        route: ROUTE.to_owned(),
        bundle,
        phase,
        plan: CanaryPlan { traffic_share: 0.1, min_samples: 100, duration_ms: 60_000.0, thresholds },
        runtime_target: TARGET.to_owned(),
        measurement: None,
        broken: Vec::new(),
        at: at(),
        chain: ChainLink::new(sequence, None),
    }
}

/// A bundle and its runtime configuration as retained; both must be stored as blobs first.
pub fn retained(bundle: &[u8], config: &[u8], sequence: u64) -> RetentionRecord {
    let blob = |bytes: &[u8]| BlobRef {
        digest: Sha256Digest::of(bytes),
        bytes: bytes.len() as u64,
        media_type: "application/octet-stream".to_owned(),
    };
    RetentionRecord {
        route: ROUTE.to_owned(),
        bundle: blob(bundle),
        runtime_config: blob(config),
        state: RetentionState::Retained,
        retained_until: None,
        at: at(),
        purged_by: None,
        chain: Some(ChainLink::new(sequence, None)),
    }
}

/// A drill that restored the bundle.
pub fn drilled(bundle: Sha256Digest, config: Sha256Digest, sequence: u64) -> RollbackResult {
    RollbackResult {
        order: Uuid::from_u128(u128::from(sequence)),
        route: ROUTE.to_owned(),
        action: OrderAction::Drill,
        to: bundle,
        step: RollbackStep::Verified,
        failure: None,
        text: None,
        measured_bundle: Some(bundle),
        measured_config: Some(config),
        live: None,
        runtime_target: TARGET.to_owned(),
        observed: pins(),
        health: Some(HealthResult { command: "true".to_owned(), exit_code: Some(0), duration_ms: 9.0 }),
        since_order_ms: Some(850.0),
        at: at(),
        chain: ChainLink::new(sequence, None),
    }
}

/// A pinned fact that was found to be another.
pub fn pin(pin: Pin, value: &str, sequence: u64) -> PinObservation {
    PinObservation {
        route: ROUTE.to_owned(),
        pin,
        value: value.to_owned(),
        class: FactClass::Measured,
        at: at(),
        chain: ChainLink::new(sequence, None),
    }
}

/// A signed envelope of any statement about a bundle.
pub fn envelope<P: Predicate>(agent: &TestAgent, bundle: Sha256Digest, predicate: &P) -> Vec<u8> {
    let statement = Statement::new(vec![Subject::new("bundle", bundle)], predicate).expect("strict JSON");
    statement.sign(&agent.key).expect("a canonical form").to_canonical_json()
}

/// Everything that a bundle needs but the approval, in the order in which it is logged.
pub fn everything(agent: &TestAgent, bundle: &[u8], config: &[u8]) -> Vec<Vec<u8>> {
    everything_but(agent, bundle, config, &[])
}

/// The same without what is left out: `gate-1` to `gate-5`, `canary`, `retention`, `drill`.
pub fn everything_but(agent: &TestAgent, bundle: &[u8], config: &[u8], left_out: &[&str]) -> Vec<Vec<u8>> {
    let (digest, config_digest) = (Sha256Digest::of(bundle), Sha256Digest::of(config));
    let gates = Gate::ALL.into_iter().zip(1..);
    let mut named: Vec<(String, Vec<u8>)> =
        gates.map(|(it, n)| (format!("gate-{it}"), envelope(agent, digest, &gate(it, digest, n)))).collect();
    let mut add = |name: &str, signed: Vec<u8>| named.push((name.to_owned(), signed));
    add("canary", envelope(agent, digest, &canary_plan(digest, CanaryPhase::Planned, 6)));
    add("retention", envelope(agent, digest, &retained(bundle, config, 7)));
    add("drill", envelope(agent, digest, &drilled(digest, config_digest, 8)));
    named.into_iter().filter(|(name, _)| !left_out.contains(&name.as_str())).map(|(_, it)| it).collect()
}
