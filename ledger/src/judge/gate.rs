//! Where a gate stands, from what is on record.
//!
//! Gate 4 does not count before 3, gate 5 not before 4; what gates 4 and 5 measured must come from the route's runtime
//! target; a vendor's claim satisfies nothing; a simulated build satisfies nothing.

use serde::{Deserialize, Serialize};

use crate::evidence::{
    build::BuilderKind,
    gate::{CheckVerdict, FactClass, Gate, GateRecord, GateState, Need, requirements},
    pin::{Pin, PinChange, Pins},
    route::runtime_target,
};

/// Why a gate is not satisfied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "reason")]
pub enum GateReason {
    /// Nothing is on record.
    NoRecord,
    /// A check that must be on record is not.
    CheckMissing {
        /// Which.
        check: String,
    },
    /// A check does not hold.
    CheckNotPassed {
        /// Which.
        check: String,
        /// What it found.
        verdict: CheckVerdict,
    },
    /// A check must hold and was said not to apply.
    CheckMustApply {
        /// Which.
        check: String,
    },
    /// A check rests on a vendor's claim.
    VendorClaim {
        /// Which.
        check: String,
    },
    /// A check must be measured and is only stated.
    NotMeasured {
        /// Which.
        check: String,
    },
    /// It does not apply and does not say why, or a person states it and is not named.
    Unexplained {
        /// Which.
        check: String,
    },
    /// It rests on a simulated build.
    Simulated,
    /// It was not measured on the route's runtime target.
    OtherTarget {
        /// Where it was measured.
        found: Option<String>,
        /// Where it should have been.
        expected: String,
    },
    /// It ran before the gate that must be passed first.
    BeforeGate {
        /// That gate.
        gate: Gate,
    },
    /// A pinned fact was another where it was measured.
    PinDiffers(PinChange),
    /// A pinned fact is not on record where it must be.
    PinNotObserved {
        /// Which.
        pin: Pin,
    },
}

/// Where a gate stands, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateJudgement {
    /// The state.
    pub state: GateState,
    /// Why it is not satisfied; empty where it is.
    pub reasons: Vec<GateReason>,
}

impl GateJudgement {
    /// Whether it rests on a simulated build: not even an override opens it then.
    pub fn is_simulated(&self) -> bool {
        self.reasons.contains(&GateReason::Simulated)
    }
}

/// What a gate is held against.
#[derive(Debug, Clone, Copy)]
pub struct GateContext<'a> {
    /// The route's runtime target.
    pub runtime_target: &'a str,
    /// The pinned facts as they are now.
    pub pins: &'a Pins,
    /// From which log index on the gate before this one was open; none if it is not.
    pub before_open_since: Option<u64>,
}

/// Where the gate stands by the record that stands at a log index.
pub fn judge(gate: Gate, record: Option<(u64, &GateRecord)>, context: &GateContext<'_>) -> GateJudgement {
    let Some((index, record)) = record else {
        return GateJudgement { state: GateState::Missing, reasons: vec![GateReason::NoRecord] };
    };
    let mut reasons = check_reasons(gate, record);
    if record.builder == Some(BuilderKind::Simulated) {
        reasons.push(GateReason::Simulated);
    }
    if gate.is_at_runtime() {
        target_reasons(record, context, &mut reasons);
    }
    if let Some(before) = gate.after()
        && context.before_open_since.is_none_or(|since| index <= since)
    {
        reasons.push(GateReason::BeforeGate { gate: before });
    }
    let good_so_far = reasons.is_empty();
    let observed = Pin::ALL.into_iter().filter_map(|pin| {
        let (observed, pinned) = (record.observed.get(pin)?, context.pins.get(pin)?);
        let (before, after) = (Some(observed.to_owned()), Some(pinned.to_owned()));
        (observed != pinned).then_some(GateReason::PinDiffers(PinChange { pin, before, after }))
    });
    reasons.extend(observed);

    let verdicts = || record.checks.iter().map(|check| check.verdict);
    let state = if verdicts().any(|verdict| verdict == CheckVerdict::Error) {
        GateState::Error
    } else if !record.checks.is_empty() && verdicts().all(|verdict| verdict == CheckVerdict::NotApplicable) {
        GateState::NotApplicable
    } else if reasons.is_empty() {
        GateState::Satisfied
    } else if good_so_far {
        GateState::Outdated
    } else {
        GateState::Unsatisfied
    };
    GateJudgement { state, reasons }
}

fn check_reasons(gate: Gate, record: &GateRecord) -> Vec<GateReason> {
    let mut reasons = Vec::new();
    let required = requirements(gate);
    for requirement in required {
        let name = || requirement.name.to_owned();
        let mut named = record.checks.iter().filter(|check| check.name == requirement.name).peekable();
        if named.peek().is_none() {
            reasons.push(GateReason::CheckMissing { check: name() });
        } else if named.all(|check| check.class == FactClass::VendorClaim) {
            reasons.push(GateReason::VendorClaim { check: name() });
        }
    }
    // A claim beside a fact is only worth reading.
    for check in record.checks.iter().filter(|check| check.class != FactClass::VendorClaim) {
        let name = || check.name.clone();
        let need = required.iter().find(|requirement| requirement.name == check.name).map(|it| it.need);
        match check.verdict {
            CheckVerdict::Pass => {
                if need == Some(Need::Measured) && check.class != FactClass::Measured {
                    reasons.push(GateReason::NotMeasured { check: name() });
                }
            }
            CheckVerdict::NotApplicable => {
                if matches!(need, Some(Need::Always | Need::Measured)) {
                    reasons.push(GateReason::CheckMustApply { check: name() });
                } else if check.reason.as_ref().is_none_or(|reason| reason.trim().is_empty()) {
                    reasons.push(GateReason::Unexplained { check: name() });
                }
            }
            verdict => reasons.push(GateReason::CheckNotPassed { check: name(), verdict }),
        }
        if check.class == FactClass::StatedByPerson && check.stated_by.as_ref().is_none_or(String::is_empty) {
            reasons.push(GateReason::Unexplained { check: name() });
        }
    }
    reasons
}

fn target_reasons(record: &GateRecord, context: &GateContext<'_>, reasons: &mut Vec<GateReason>) {
    // The target's name must be that of the GPU that was really found there.
    let verified = record.observed.get(Pin::GpuSku).zip(record.runtime_target.as_deref()).is_some_and(
        |(gpu, target)| {
            let interface = target.split_once("_on_").map_or("", |(interface, _)| interface);
            target == context.runtime_target && target == runtime_target(interface, gpu)
        },
    );
    if !verified {
        let (found, expected) = (record.runtime_target.clone(), context.runtime_target.to_owned());
        reasons.push(GateReason::OtherTarget { found, expected });
    }
    let unknown = Pin::RUNTIME
        .into_iter()
        .filter(|pin| context.pins.get(*pin).is_some() && record.observed.get(*pin).is_none());
    reasons.extend(unknown.map(|pin| GateReason::PinNotObserved { pin }));
}

#[cfg(test)]
mod tests;
