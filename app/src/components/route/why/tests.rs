use std::collections::BTreeSet;

use acta_ledger::{
    evidence::gate::{CheckVerdict, Gate, GateState},
    judge::route::HoldCause,
    log::timestamp::Timestamp,
};

use super::*;

fn at() -> Timestamp {
    "2026-11-29T10:00:00Z".parse().unwrap()
}

fn change() -> PinChange {
    PinChange { pin: Pin::Driver, before: Some("570.1".to_owned()), after: None }
}

fn lacks() -> Vec<WayBackLack> {
    vec![
        WayBackLack::NotRetained,
        WayBackLack::Purged,
        WayBackLack::Damaged,
        WayBackLack::RetentionEnded { at: at() },
        WayBackLack::OtherConfig,
        WayBackLack::NeverDrilled,
        WayBackLack::DrillFailed { index: 41 },
        WayBackLack::DrillStale { at: at() },
        WayBackLack::DrillOtherTarget { found: "cpu".to_owned() },
        WayBackLack::DrillNotVerified,
        WayBackLack::DrillOutdated { changes: vec![change()] },
    ]
}

fn all_missing() -> Vec<Missing> {
    let mut all = vec![
        Missing::Gap { from: 41, to: 44 },
        Missing::Contradiction { index: 41 },
        Missing::Definition,
        Missing::Bundle,
        Missing::CanaryPlan,
        Missing::CanaryFailed { index: 41 },
        Missing::Rejected { index: 41 },
        Missing::Approvals { counted: 0, needed: 1 },
        Missing::Approvals { counted: 0, needed: 2 },
        Missing::Approvals { counted: 1, needed: 2 },
    ];
    use GateState::{Error, Missing as Nothing, NotApplicable, Outdated, Unsatisfied};
    for state in [Nothing, Unsatisfied, Outdated, NotApplicable, Error] {
        all.push(Missing::Gate { gate: Gate::Parity, state });
    }
    for cause in [HoldCause::Decision, HoldCause::RollbackInProgress, HoldCause::RolledBack] {
        all.push(Missing::Hold { index: 41, cause });
    }
    all.extend(lacks().into_iter().map(|lack| Missing::WayBack { lack }));
    all
}

fn objections() -> Vec<Objection> {
    let mut all = vec![
        Objection::NotSignedByPortal,
        Objection::NotApprover,
        Objection::IsAdmin,
        Objection::NotListed,
        Objection::NotSteppedUp,
        Objection::Involved { index: 41 },
        Objection::SeenFuture,
        Objection::HoldInForce { index: 41 },
        Objection::NotSeen { index: 41 },
        Objection::NotNamed { gate: Gate::Parity },
        Objection::OverridesNotAllowed,
        Objection::Expired { at: at() },
    ];
    use Incomplete::{Evidence, HoldTerms, OverrideTerms, ReasonCode, Text};
    for lack in [ReasonCode, Text, HoldTerms, OverrideTerms, Evidence] {
        all.push(Objection::Incomplete { lacks: vec![lack] });
    }
    for cause in [
        OutdatedCause::Pin { change: change(), index: 41 },
        OutdatedCause::Evidence { gate: Gate::Parity, index: 41 },
        OutdatedCause::Definition { index: 41 },
    ] {
        all.push(Objection::Outdated { cause });
    }
    all
}

fn reasons() -> Vec<GateReason> {
    let check = || "licence".to_owned();
    let mut all = vec![
        GateReason::NoRecord,
        GateReason::CheckMissing { check: check() },
        GateReason::CheckMustApply { check: check() },
        GateReason::VendorClaim { check: check() },
        GateReason::NotMeasured { check: check() },
        GateReason::Unexplained { check: check() },
        GateReason::Simulated,
        GateReason::OtherTarget { found: Some("cpu".to_owned()), expected: "gpu".to_owned() },
        GateReason::OtherTarget { found: None, expected: "gpu".to_owned() },
        GateReason::BeforeGate { gate: Gate::Parity },
        GateReason::PinDiffers(change()),
    ];
    use CheckVerdict::{Error, Fail, Hold, NotApplicable, NotRun, Pass};
    for verdict in [Pass, NotApplicable, NotRun, Hold, Fail, Error] {
        all.push(GateReason::CheckNotPassed { check: check(), verdict });
    }
    all.extend(Pin::ALL.map(|pin| GateReason::PinNotObserved { pin }));
    all
}

/// Each is said, in other words than every other one, and in each language otherwise.
fn check(told: impl Fn(Lang) -> Vec<String>) {
    let [en, es] = Lang::ALL.map(told);
    for (english, spanish) in en.iter().zip(&es) {
        assert_ne!(english, spanish);
    }
    for all in [en, es] {
        for clause in &all {
            assert!(
                !clause.contains("Unknown localization") && !clause.contains(['{', '$', '?']),
                "{clause}"
            );
            assert!(!clause.ends_with('.') && clause.contains(' '), "{clause}");
        }
        let different: BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "two things are said alike: {all:?}");
    }
}

#[test]
fn everything_that_can_be_missing_has_its_words() {
    let way = Some(Sha256Digest([0xaa; 32]));
    check(|lang| all_missing().iter().map(|it| missing(it, way, lang)).collect());
}

#[test]
fn every_objection_has_its_words_for_you_and_for_others() {
    for who in [Who::You, Who::They] {
        check(|lang| objections().iter().map(|it| objection(it, who, lang)).collect());
    }
}

#[test]
fn every_reason_against_a_gate_has_its_words() {
    check(|lang| reasons().iter().map(|it| reason(it, lang)).collect());
}

#[test]
fn things_in_a_row() {
    let things = |n: usize| -> Vec<String> { (1..=n).map(|n| n.to_string()).collect() };
    assert_eq!(listed(&things(0), Lang::En), "");
    assert_eq!(listed(&things(1), Lang::En), "1");
    assert_eq!(listed(&things(3), Lang::Es), "1, 2 y 3");
    assert_eq!(sentence("it ended"), "It ended.");
}
