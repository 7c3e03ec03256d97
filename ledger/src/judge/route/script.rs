//! A route's log, written step by step: what the tests of the fold play.

use serde_json::Value;
use uuid::Uuid;

use super::{RouteEntry, RouteEvent, RouteLog, RouteState, Signer, judge_route};
use crate::{
    evidence::{
        build::BlobRef,
        canary::{CanaryPhase, CanaryPlan, CanaryRecord},
        chain::ChainLink,
        decision::{DecisionKind, HoldTerms, OverrideTerms, ReasonCode, RouteDecision, SeenHead},
        gate::{Check, CheckVerdict, FactClass, Gate, GateRecord, requirements},
        person::{Role, SignIn, Signatory},
        pin::{Pin, PinObservation, Pins},
        retention::{RetentionRecord, RetentionState},
        rollback::{HealthResult, OrderAction, RollbackOrder, RollbackResult, RollbackStep},
        route::{
            Approvals, BundleDigest, CanaryPolicy, OverridePolicy, Policy, RollbackPolicy, RouteDefinition,
            Thresholds,
        },
    },
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

pub(crate) const ROUTE: &str = "mini";
pub(crate) const TARGET: &str = "native_cpp_task_api_on_nvidia_h200";
pub(crate) const A: Sha256Digest = Sha256Digest([0xaa; 32]);
pub(crate) const B: Sha256Digest = Sha256Digest([0xbb; 32]);

/// The moment at which the tests judge: a day after the log's first entry.
pub(crate) fn now() -> Timestamp {
    "2026-11-30T10:00:00Z".parse().unwrap()
}

pub(crate) fn pins() -> Pins {
    let pins = [(Pin::Tensorrt, "1.7.1.116"), (Pin::Driver, "570.1"), (Pin::GpuSku, "NVIDIA H200")];
    Pins(pins.into_iter().map(|(pin, value)| (pin, value.to_owned())).collect())
}

pub(crate) fn policy(needed: u32) -> Policy {
    let thresholds = Thresholds::default();
    Policy {
        approvals: Approvals { needed, approvers: None },
        licences: ["apache-2.0".to_owned()].into(),
        overrides: OverridePolicy { allowed: true, max_days: 7 },
        thresholds,
        canary: CanaryPolicy { min_samples: 100, thresholds },
        rollback: RollbackPolicy::default(),
        pins: pins(),
        drill_valid_days: 30,
        retention_days: 90,
    }
}

pub(crate) fn person(account: &str, roles: &[Role], at: Timestamp) -> Signatory {
    Signatory {
        account: account.to_owned(),
        roles: roles.to_vec(),
        signed_in_with: SignIn::Password,
        signed_in_at: at,
        stepped_up_at: Some(at),
    }
}

/// A log in the writing. Entries get the next index; an index may be left to an entry of no interest.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) size: u64,
    pub(crate) entries: Vec<RouteEntry>,
    pub(crate) policy: Policy,
}

impl Script {
    pub(crate) fn new() -> Self {
        Self { size: 0, entries: Vec::new(), policy: policy(1) }
    }

    /// The moment of the next entry: a minute after the one before.
    pub(crate) fn at(&self) -> Timestamp {
        let first: Timestamp = "2026-11-29T10:00:00Z".parse().unwrap();
        first.plus_ms(self.size as i64 * 60_000).unwrap()
    }

    fn agent() -> Signer {
        Signer::Agent { name: "h200-builder".to_owned(), owner: Some("olga".to_owned()) }
    }

    fn chain(&self) -> ChainLink {
        ChainLink::new(self.size + 1, None)
    }

    pub(crate) fn push(&mut self, signer: Signer, event: RouteEvent) -> &mut Self {
        let leaf = Sha256Digest::of(format!("{} {event:?}", self.entries.len()).as_bytes());
        self.entries.push(RouteEntry { index: self.size, leaf, signer, event });
        self.size += 1;
        self
    }

    pub(crate) fn skip(&mut self) -> &mut Self {
        self.size += 1;
        self
    }

    pub(crate) fn define(&mut self) -> &mut Self {
        let definition = RouteDefinition {
            route: ROUTE.to_owned(),
            checkpoint: "acme/mini".to_owned(),
            checkpoint_revision: "0f".repeat(20),
            runtime_target: TARGET.to_owned(),
            policy: self.policy.clone(),
            by: person("adam", &[Role::Admin], self.at()),
            at: self.at(),
        };
        self.push(Signer::Portal, RouteEvent::Definition(Box::new(definition)))
    }

    pub(crate) fn gate_record(&self, gate: Gate, bundle: Sha256Digest) -> GateRecord {
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
            observed: self.pins_now(),
            checks: requirements(gate).iter().map(|requirement| check(requirement.name)).collect(),
            authors: vec!["bob".to_owned()],
            started_at: self.at(),
            finished_at: self.at(),
            chain: self.chain(),
        }
    }

    /// The pins as an agent would measure them.
    fn pins_now(&self) -> Pins {
        let mut pins = self.policy.pins.clone();
        for entry in &self.entries {
            if let RouteEvent::Pin(it) = &entry.event {
                pins.0.insert(it.pin, it.value.clone());
            }
        }
        pins
    }

    pub(crate) fn gate(&mut self, gate: Gate, bundle: Sha256Digest) -> &mut Self {
        let record = self.gate_record(gate, bundle);
        self.push(Self::agent(), RouteEvent::Gate(Box::new(record)))
    }

    pub(crate) fn gate_with(
        &mut self,
        gate: Gate,
        bundle: Sha256Digest,
        change: impl FnOnce(&mut GateRecord),
    ) -> &mut Self {
        let mut record = self.gate_record(gate, bundle);
        change(&mut record);
        self.push(Self::agent(), RouteEvent::Gate(Box::new(record)))
    }

    pub(crate) fn failed_gate(&mut self, gate: Gate, bundle: Sha256Digest) -> &mut Self {
        self.gate_with(gate, bundle, |record| record.checks[0].verdict = CheckVerdict::Fail)
    }

    pub(crate) fn gates(&mut self, bundle: Sha256Digest) -> &mut Self {
        for gate in Gate::ALL {
            self.gate(gate, bundle);
        }
        self
    }

    pub(crate) fn pin(&mut self, pin: Pin, value: &str) -> &mut Self {
        let observation = PinObservation {
            route: ROUTE.to_owned(),
            pin,
            value: value.to_owned(),
            class: FactClass::Measured,
            at: self.at(),
            chain: self.chain(),
        };
        self.push(Self::agent(), RouteEvent::Pin(Box::new(observation)))
    }

    pub(crate) fn canary(&mut self, phase: CanaryPhase, bundle: Sha256Digest) -> &mut Self {
        let record = CanaryRecord {
            route: ROUTE.to_owned(),
            bundle,
            phase,
            plan: CanaryPlan {
                traffic_share: 0.1,
                min_samples: 100,
                duration_ms: 60_000.0,
                thresholds: Thresholds::default(),
            },
            runtime_target: TARGET.to_owned(),
            measurement: None,
            broken: Vec::new(),
            at: self.at(),
            chain: self.chain(),
        };
        self.push(Self::agent(), RouteEvent::Canary(Box::new(record)))
    }

    pub(crate) fn retain(&mut self, state: RetentionState, bundle: Sha256Digest) -> &mut Self {
        let blob = |digest| BlobRef { digest, bytes: 1, media_type: "application/octet-stream".to_owned() };
        let record = RetentionRecord {
            route: ROUTE.to_owned(),
            bundle: blob(bundle),
            runtime_config: blob(config(bundle)),
            state,
            retained_until: None,
            at: self.at(),
            purged_by: None,
            chain: Some(self.chain()),
        };
        self.push(Self::agent(), RouteEvent::Retention(Box::new(record)))
    }

    pub(crate) fn order(&mut self, action: OrderAction, number: u128, to: Sha256Digest) -> &mut Self {
        self.order_with(action, number, to, |_| {})
    }

    pub(crate) fn order_with(
        &mut self,
        action: OrderAction,
        number: u128,
        to: Sha256Digest,
        change: impl FnOnce(&mut RollbackOrder),
    ) -> &mut Self {
        let mut order = RollbackOrder {
            order: Uuid::from_u128(number),
            route: ROUTE.to_owned(),
            action,
            from: None,
            to,
            runtime_config: config(to),
            reason_code: ReasonCode::Canary,
            text: "the canary failed".to_owned(),
            by: person("rita", &[Role::Reviewer], self.at()),
            needs_confirmation: false,
            confirmed_by: None,
            at: self.at(),
        };
        change(&mut order);
        self.push(Signer::Portal, RouteEvent::Order(Box::new(order)))
    }

    pub(crate) fn result(
        &mut self,
        action: OrderAction,
        number: u128,
        to: Sha256Digest,
        step: RollbackStep,
        live: Option<Sha256Digest>,
    ) -> &mut Self {
        let result = RollbackResult {
            order: Uuid::from_u128(number),
            route: ROUTE.to_owned(),
            action,
            to,
            step,
            failure: None,
            text: None,
            measured_bundle: Some(to),
            measured_config: Some(config(to)),
            live,
            runtime_target: TARGET.to_owned(),
            observed: self.pins_now(),
            health: Some(HealthResult { command: "health".to_owned(), exit_code: Some(0), duration_ms: 9.0 }),
            since_order_ms: Some(850.0),
            at: self.at(),
            chain: self.chain(),
        };
        self.push(Self::agent(), RouteEvent::Result(Box::new(result)))
    }

    /// The bundle is retained and a drill restored it.
    pub(crate) fn way_back(&mut self, bundle: Sha256Digest) -> &mut Self {
        self.retain(RetentionState::Retained, bundle).result(
            OrderAction::Drill,
            900,
            bundle,
            RollbackStep::Verified,
            None,
        )
    }

    /// A decision that names every entry so far and has seen all of them.
    pub(crate) fn decision(&self, kind: DecisionKind, account: &str, bundle: Sha256Digest) -> RouteDecision {
        let at = self.at();
        let week = at.plus_ms(7 * 24 * 3_600_000).unwrap();
        RouteDecision {
            route: ROUTE.to_owned(),
            bundle_digest: BundleDigest(bundle),
            decision: kind,
            evidence: self.entries.iter().map(|entry| entry.leaf).collect(),
            seen: SeenHead {
                origin: "acta.test/log".to_owned(),
                size: self.size,
                root: Sha256Digest([7; 32]),
            },
            reason_code: Some(ReasonCode::Other),
            text: Some("because".to_owned()),
            by: person(account, &[Role::Approver], at),
            at,
            hold: Some(HoldTerms { owner: "bob".to_owned(), review_at: week }),
            overrides: Some(OverrideTerms { gates: vec![Gate::Parity], expires_at: week }),
        }
    }

    pub(crate) fn decide(&mut self, kind: DecisionKind, account: &str, bundle: Sha256Digest) -> &mut Self {
        self.decide_with(kind, account, bundle, |_| {})
    }

    pub(crate) fn decide_with(
        &mut self,
        kind: DecisionKind,
        account: &str,
        bundle: Sha256Digest,
        change: impl FnOnce(&mut RouteDecision),
    ) -> &mut Self {
        let mut decision = self.decision(kind, account, bundle);
        change(&mut decision);
        self.push(Signer::Portal, RouteEvent::Decision(Box::new(decision)))
    }

    pub(crate) fn log(&self) -> RouteLog {
        RouteLog::whole(self.size, self.entries.clone())
    }

    pub(crate) fn state(&self) -> RouteState {
        judge_route(ROUTE, &self.log(), now())
    }
}

/// The runtime configuration of a bundle.
pub(crate) fn config(bundle: Sha256Digest) -> Sha256Digest {
    Sha256Digest::of(bundle.as_bytes())
}

/// Everything but the approval.
pub(crate) fn ready(needed: u32) -> Script {
    let mut script = Script::new();
    script.policy = policy(needed);
    script.define().gates(A).canary(CanaryPhase::Planned, A).way_back(A);
    script
}
