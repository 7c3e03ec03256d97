use serde_json::Value;

use super::*;
use crate::evidence::{chain::ChainLink, gate::Check};

const TARGET: &str = "native_cpp_task_api_on_nvidia_h200";

fn pins() -> Pins {
    let pins = [(Pin::Tensorrt, "1.7.1.116"), (Pin::Driver, "570.1"), (Pin::GpuSku, "NVIDIA H200")];
    Pins(pins.into_iter().map(|(pin, value)| (pin, value.to_owned())).collect())
}

/// A record in which everything holds.
fn good(gate: Gate) -> GateRecord {
    let checks = requirements(gate).iter().map(|requirement| Check {
        name: requirement.name.to_owned(),
        value: Value::Null,
        class: FactClass::Measured,
        verdict: CheckVerdict::Pass,
        reason: None,
        stated_by: None,
        evidence: Vec::new(),
    });
    GateRecord {
        route: "mini".to_owned(),
        gate,
        checkpoint_revision: None,
        bundle: None,
        run: None,
        builder: None,
        runtime_target: Some(TARGET.to_owned()),
        observed: pins(),
        checks: checks.collect(),
        authors: Vec::new(),
        started_at: "2026-11-29T10:00:00Z".parse().unwrap(),
        finished_at: "2026-11-29T10:00:01Z".parse().unwrap(),
        chain: ChainLink::new(1, None),
    }
}

fn judged(gate: Gate, change: impl FnOnce(&mut GateRecord)) -> GateJudgement {
    let mut record = good(gate);
    change(&mut record);
    let context = GateContext { runtime_target: TARGET, pins: &pins(), before_open_since: Some(3) };
    judge(gate, Some((7, &record)), &context)
}

fn check(record: &mut GateRecord, name: &str) -> usize {
    record.checks.iter().position(|check| check.name == name).unwrap()
}

#[test]
fn a_gate_with_everything_on_record_is_satisfied() {
    for gate in Gate::ALL {
        let judgement = judged(gate, |_| {});
        assert_eq!((judgement.state, judgement.reasons), (GateState::Satisfied, vec![]), "{gate}");
        let context = GateContext { runtime_target: TARGET, pins: &pins(), before_open_since: Some(3) };
        assert_eq!(judge(gate, None, &context).state, GateState::Missing);
    }
}

#[test]
fn every_required_check_is_required() {
    for gate in Gate::ALL {
        for (index, requirement) in requirements(gate).iter().enumerate() {
            let name = requirement.name.to_owned();
            let missing = judged(gate, |record| drop(record.checks.remove(index)));
            assert_eq!(missing.state, GateState::Unsatisfied, "{gate} {name}");
            assert_eq!(missing.reasons, [GateReason::CheckMissing { check: name.clone() }]);
            for verdict in [CheckVerdict::Fail, CheckVerdict::Hold, CheckVerdict::NotRun] {
                let judgement = judged(gate, |record| record.checks[index].verdict = verdict);
                assert_eq!(judgement.state, GateState::Unsatisfied, "{gate} {name} {verdict:?}");
            }
            let error = judged(gate, |record| record.checks[index].verdict = CheckVerdict::Error);
            assert_eq!(error.state, GateState::Error, "{gate} {name}");
            let claim = judged(gate, |record| record.checks[index].class = FactClass::VendorClaim);
            assert_eq!(claim.state, GateState::Unsatisfied, "{gate} {name}");
            assert_eq!(claim.reasons, [GateReason::VendorClaim { check: name.clone() }]);
            let stated = judged(gate, |record| record.checks[index].class = FactClass::StatedByBundle);
            assert_eq!(stated.state.is_open(), requirement.need != Need::Measured, "{gate} {name}");
            let aside = judged(gate, |record| {
                record.checks[index].verdict = CheckVerdict::NotApplicable;
                record.checks[index].reason = Some("a text model has no processor".to_owned());
            });
            assert_eq!(aside.state.is_open(), requirement.need == Need::WhereItApplies, "{gate} {name}");
        }
    }
}

#[test]
fn what_makes_a_good_record_worthless() {
    let other_gpu = "native_cpp_task_api_on_nvidia_a100";
    type Change = fn(&mut GateRecord);
    let simulated: Change = |record| record.builder = Some(BuilderKind::Simulated);
    let nowhere: Change = |record| record.runtime_target = None;
    let claimed_gpu: Change = |record| drop(record.observed.0.insert(Pin::GpuSku, "NVIDIA A100".to_owned()));
    let no_driver: Change = |record| drop(record.observed.0.remove(&Pin::Driver));
    let new_driver: Change = |record| drop(record.observed.0.insert(Pin::Driver, "580.0".to_owned()));
    let nameless: Change = |record| {
        let at = check(record, record.checks[0].name.clone().as_str());
        record.checks[at].class = FactClass::StatedByPerson;
    };
    let extra_fail: Change = |record| {
        let extra =
            Check { name: "mine".to_owned(), verdict: CheckVerdict::Fail, ..record.checks[0].clone() };
        record.checks.push(extra);
    };
    for (change, at_build, at_runtime) in [
        (simulated, GateState::Unsatisfied, GateState::Unsatisfied),
        (nowhere, GateState::Satisfied, GateState::Unsatisfied),
        (claimed_gpu, GateState::Outdated, GateState::Unsatisfied),
        (no_driver, GateState::Satisfied, GateState::Unsatisfied),
        (new_driver, GateState::Outdated, GateState::Outdated),
        (nameless, GateState::Unsatisfied, GateState::Unsatisfied),
        (extra_fail, GateState::Unsatisfied, GateState::Unsatisfied),
    ] {
        for (gate, expected) in
            [(Gate::Build, at_build), (Gate::Parity, at_runtime), (Gate::Release, at_runtime)]
        {
            let judgement = judged(gate, change);
            assert_eq!(judgement.state, expected, "{gate} {:?}", judgement.reasons);
            assert_eq!(judgement.is_simulated(), judgement.reasons.contains(&GateReason::Simulated));
        }
    }
    let elsewhere = judged(Gate::Parity, |record| record.runtime_target = Some(other_gpu.to_owned()));
    assert!(
        matches!(&elsewhere.reasons[0], GateReason::OtherTarget { found: Some(found), .. } if found == other_gpu)
    );
    let nothing_applies = judged(Gate::Source, |record| {
        record.checks.iter_mut().for_each(|check| check.verdict = CheckVerdict::NotApplicable);
    });
    assert_eq!(nothing_applies.state, GateState::NotApplicable);
    assert!(!nothing_applies.state.is_open());
    let a_claim_beside = judged(Gate::Release, |record| {
        let claim = Check {
            name: "vendor_speedup".to_owned(),
            class: FactClass::VendorClaim,
            ..record.checks[0].clone()
        };
        record.checks.push(claim);
    });
    assert_eq!(a_claim_beside.state, GateState::Satisfied);
}

#[test]
fn gates_come_in_order() {
    let pins = pins();
    for gate in Gate::ALL {
        let record = good(gate);
        for (index, since, in_order) in
            [(7, Some(3), true), (7, Some(7), false), (7, Some(9), false), (7, None, false)]
        {
            let context = GateContext { runtime_target: TARGET, pins: &pins, before_open_since: since };
            let judgement = judge(gate, Some((index, &record)), &context);
            assert_eq!(judgement.state.is_open(), in_order || gate.after().is_none(), "{gate} {since:?}");
        }
    }
}
