use super::{script::*, *};
use crate::evidence::{
    build::BuilderKind,
    decision::DecisionKind::{Approve, Hold, LiftHold, Override, Reject},
    person::{Role, SignIn},
    pin::Pin,
    retention::RetentionState,
    rollback::RollbackStep,
};

fn status(script: &Script) -> ValidationStatus {
    script.state().record.validation_status
}

const PASS: ValidationStatus = ValidationStatus::Pass;
const HOLD: ValidationStatus = ValidationStatus::Hold;
const REJECT: ValidationStatus = ValidationStatus::Reject;

/// The state after some more entries, from everything but the approval.
fn after(change: impl FnOnce(&mut Script)) -> RouteState {
    let mut script = ready(1);
    change(&mut script);
    script.state()
}

#[test]
fn a_route_with_everything_on_record_passes_and_says_whose_turn_it_is() {
    let mut script = Script::new();
    assert_eq!(script.state().turn, Turn::Admin);
    script.define();
    assert_eq!(script.state().turn, Turn::Builder { gates: vec![] });
    assert!(script.state().missing.contains(&Missing::Bundle));
    script.gate(Gate::Source, A).gate(Gate::Build, A);
    assert_eq!(script.state().turn, Turn::Builder { gates: vec![Gate::Bundle, Gate::Parity, Gate::Release] });
    script.gate(Gate::Bundle, A).gate(Gate::Parity, A).gate(Gate::Release, A);
    assert_eq!(script.state().turn, Turn::Builder { gates: vec![] });
    script.canary(CanaryPhase::Planned, A).retain(RetentionState::Retained, A);
    assert_eq!(script.state().turn, Turn::Runtime);
    script.result(OrderAction::Drill, 1, A, RollbackStep::Verified, None);
    assert_eq!(script.state().turn, Turn::Approver { more: 1 });
    assert_eq!(script.state().missing, [Missing::Approvals { counted: 0, needed: 1 }]);
    script.decide(Approve, "ana", A);
    let state = script.state();
    assert_eq!(state.record.validation_status, PASS);
    assert_eq!(state.record.rollback_status, RollbackStatus::Tested);
    assert_eq!(state.record.canary_status, CanaryStatus::NotStarted);
    assert_eq!(state.turn, Turn::Runtime);
    script.order(OrderAction::Deploy, 2, A).result(
        OrderAction::Deploy,
        2,
        A,
        RollbackStep::Verified,
        Some(A),
    );
    script.canary(CanaryPhase::Running, A);
    assert_eq!(script.state().record.canary_status, CanaryStatus::Running);
    script.canary(CanaryPhase::Pass, A);
    let state = script.state();
    assert_eq!((state.record.validation_status, state.turn), (PASS, Turn::Nobody));
    assert_eq!(state.live.unwrap().bundle, Some(A));
}

#[test]
fn who_may_approve() {
    let roles = |roles: &'static [Role]| {
        move |it: &mut crate::evidence::decision::RouteDecision| it.by.roles = roles.to_vec()
    };
    for (account, change, expected) in [
        ("ana", roles(&[Role::Approver]), PASS),
        ("ana", roles(&[Role::Approver, Role::Reviewer]), PASS),
        ("ana", roles(&[Role::Reviewer]), HOLD),
        ("ana", roles(&[Role::Builder]), HOLD),
        ("ana", roles(&[Role::Approver, Role::Admin]), HOLD),
        // Bob contributed to the evidence, Olga owns the agent that measured it.
        ("bob", roles(&[Role::Approver]), HOLD),
        ("olga", roles(&[Role::Approver]), HOLD),
    ] {
        let state = after(|script| {
            script.decide_with(Approve, account, A, change);
        });
        assert_eq!(state.record.validation_status, expected, "{account}");
    }
    let step_up = after(|script| {
        script.decide_with(Approve, "ana", A, |it| it.by.stepped_up_at = None);
    });
    assert_eq!(step_up.record.validation_status, HOLD);
    let token = after(|script| {
        script.decide_with(Approve, "ana", A, |it| it.by.signed_in_with = SignIn::ApiToken);
    });
    assert_eq!(token.record.validation_status, HOLD);
    let unlisted = {
        let mut script = Script::new();
        script.policy.approvals.approvers = Some(["ben".to_owned()].into());
        script.define().gates(A).canary(CanaryPhase::Planned, A).way_back(A).decide(Approve, "ana", A);
        script.state()
    };
    assert_eq!(unlisted.record.validation_status, HOLD);
    let by_agent = after(|script| {
        let decision = script.decision(Approve, "ana", A);
        let agent = Signer::Agent { name: "x".to_owned(), owner: None };
        script.push(agent, RouteEvent::Decision(Box::new(decision)));
    });
    assert_eq!(by_agent.record.validation_status, HOLD);
    let objections = |state: &RouteState| match &state.history.last().unwrap().effect {
        Effect::NotCounted { objections } => objections.clone(),
        effect => panic!("{effect:?}"),
    };
    assert_eq!(objections(&by_agent), [Objection::NotSignedByPortal]);
    assert_eq!(objections(&unlisted), [Objection::NotListed]);
    let (said, missing) = refusals(
        ROUTE,
        BundleDigest(A),
        &ready(1).log(),
        &person("bob", &[Role::Approver], now()),
        Approve,
        now(),
    );
    assert_eq!((said, missing), (vec![Objection::Involved { index: 1 }], vec![]));
}

#[test]
fn an_approval_needs_the_evidence_set_and_no_more() {
    let mut script = ready(1);
    script.failed_gate(Gate::Parity, A).decide(Override, "ana", A).decide(Override, "ben", A);
    script.gate(Gate::Release, A);
    let evidence = script.state().evidence_set();
    assert_eq!(evidence.len(), 9, "five records, two overrides, the retained bundle and its drill");
    for left_out in 0..=evidence.len() {
        let mut named = evidence.clone();
        named.truncate(left_out);
        let mut script = script.clone();
        script.decide_with(Approve, "ana", A, |it| it.evidence = named);
        assert_eq!(status(&script) == PASS, left_out >= 7, "{left_out}");
    }
}

#[test]
fn n_persons_approve_one_vote_each() {
    for (voters, expected) in [
        (&["ana"][..], HOLD),
        (&["ana", "ana"], HOLD),
        (&["ana", "ben"], PASS),
        (&["ana", "ben", "ana"], PASS),
        (&["ana", "bob"], HOLD),
    ] {
        let mut script = ready(2);
        for voter in voters {
            script.decide(Approve, voter, A);
        }
        assert_eq!(status(&script), expected, "{voters:?}");
    }
}

#[test]
fn the_last_decision_counts_and_a_hold_stands_until_it_is_lifted() {
    for (decisions, expected) in [
        (&[(Approve, "ana")][..], PASS),
        (&[(Approve, "ana"), (Hold, "ben")], HOLD),
        (&[(Approve, "ana"), (Reject, "ben")], REJECT),
        (&[(Reject, "ben"), (Approve, "ana")], PASS),
        // An approval while a hold stands changes nothing, also not after the lift.
        (&[(Hold, "ben"), (Approve, "ana")], HOLD),
        (&[(Hold, "ben"), (Approve, "ana"), (LiftHold, "ana")], HOLD),
        (&[(Approve, "ana"), (Hold, "ben"), (LiftHold, "ana")], HOLD),
        (&[(Hold, "ben"), (LiftHold, "ana"), (Approve, "ana")], PASS),
        // Two holds, one lift by somebody who saw both.
        (&[(Hold, "ben"), (Hold, "eve"), (LiftHold, "ana"), (Approve, "ana")], PASS),
        // Who contributed may hold and reject, but not lift.
        (&[(Approve, "ana"), (Hold, "bob")], HOLD),
        (&[(Hold, "ben"), (LiftHold, "bob"), (Approve, "ana")], HOLD),
        (&[(Approve, "ana"), (Reject, "bob")], REJECT),
        (&[(Reject, "ben"), (Hold, "ben")], REJECT),
        (&[(Reject, "ben"), (LiftHold, "ana")], REJECT),
    ] {
        let state = after(|script| {
            for (kind, account) in decisions {
                script.decide(*kind, account, A);
            }
        });
        assert_eq!(state.record.validation_status, expected, "{decisions:?}");
        assert_eq!(state.missing.is_empty(), expected == PASS, "{decisions:?} {:?}", state.missing);
    }
}

#[test]
fn two_reviewers_in_the_same_second_give_one_final_state_by_index() {
    let mut script = ready(1);
    let approve = script.decision(Approve, "ana", A);
    let hold = script.decision(Hold, "ben", A);
    for order in [[&approve, &hold], [&hold, &approve]] {
        let mut script = script.clone();
        for decision in order {
            script.push(Signer::Portal, RouteEvent::Decision(Box::new(decision.clone())));
        }
        assert_eq!(status(&script), HOLD);
        assert_eq!(
            script.state().turn,
            Turn::HoldOwner { owner: Some("bob".to_owned()), index: script.state().holds[0].entry.index }
        );
    }
    // A lift by somebody who had not seen the hold does not lift it; an approval that had not seen the lift is none.
    let blind_lift = script.decision(LiftHold, "ana", A);
    script.decide(Hold, "ben", A).push(Signer::Portal, RouteEvent::Decision(Box::new(blind_lift)));
    assert_eq!(script.state().holds.len(), 1);
    script.decide(LiftHold, "ana", A).push(Signer::Portal, RouteEvent::Decision(Box::new(approve)));
    assert_eq!((script.state().holds.len(), status(&script)), (0, HOLD));
    script.decide(Approve, "ana", A);
    assert_eq!(status(&script), PASS);
}

#[test]
fn careless_permissions_do_not_count_and_careless_denials_do() {
    type Change = fn(&mut crate::evidence::decision::RouteDecision);
    let wordless: Change = |it| (it.text, it.reason_code, it.hold, it.overrides) = (None, None, None, None);
    let future: Change = |it| it.seen.size += 1000;
    let nothing_named: Change = |it| it.evidence.clear();
    let one_not_named: Change = |it| {
        it.evidence.remove(4);
    };
    for (kind, change, expected) in [
        (Approve, wordless, PASS),
        (Approve, future, HOLD),
        (Approve, nothing_named, HOLD),
        (Approve, one_not_named, HOLD),
        (Hold, wordless, HOLD),
        (Hold, future, HOLD),
        (Reject, wordless, REJECT),
        (Reject, nothing_named, REJECT),
    ] {
        let state = after(|script| {
            if kind != Approve {
                script.decide(Approve, "ana", A);
            }
            script.decide_with(kind, "ben", A, change);
        });
        assert_eq!(state.record.validation_status, expected, "{kind:?}");
    }
    let state = after(|script| {
        script.decide_with(Approve, "ana", A, one_not_named);
    });
    assert_eq!(state.votes[0].objections, [Objection::NotNamed { gate: Gate::Parity }]);
    for change in [wordless, future] {
        let state = after(|script| {
            script.decide(Hold, "ben", A).decide_with(LiftHold, "ana", A, change);
        });
        assert_eq!(state.holds.len(), 1);
    }
}

#[test]
fn a_changed_pin_makes_an_approval_outdated_and_names_the_cause() {
    let mut script = ready(1);
    script.decide(Approve, "ana", A).pin(Pin::Driver, "580.0");
    let state = script.state();
    assert_eq!(state.record.validation_status, HOLD);
    let [OutdatedCause::Pin { change, index }] = &state.outdated[..] else { panic!("{:?}", state.outdated) };
    assert_eq!((change.to_string(), *index), ("driver: 570.1 -> 580.0".to_owned(), script.size - 1));
    let states: Vec<_> = state.gates.iter().map(|gate| gate.state).collect();
    assert_eq!(states[1], GateState::Outdated);
    assert_eq!(
        state.record.rollback_status,
        RollbackStatus::Blocked,
        "the drill was done with the old driver"
    );
    // The value comes back: nothing has changed after all.
    script.pin(Pin::Driver, "570.1");
    assert_eq!(status(&script), PASS);
    // Everything anew under the new driver.
    script.pin(Pin::Driver, "580.0").gates(A).way_back(A);
    assert_eq!(status(&script), HOLD);
    script.decide(Approve, "ana", A);
    assert_eq!(status(&script), PASS);
    // The definition pins another TensorRT.
    script.policy.pins.0.extend([(Pin::Tensorrt, "1.8.0.1".to_owned()), (Pin::Driver, "580.0".to_owned())]);
    script.define();
    let state = script.state();
    assert!(
        matches!(&state.outdated[..], [OutdatedCause::Pin { change, .. }] if change.pin == Pin::Tensorrt)
    );
}

#[test]
fn new_evidence_and_new_rules_make_an_approval_outdated() {
    for gate in Gate::ALL {
        let again = after(|script| {
            script.decide(Approve, "ana", A).gate(gate, A);
        });
        assert_eq!(
            again.record.validation_status, PASS,
            "{gate}: a new run that says the same is no new evidence"
        );
        let state = after(|script| {
            script.decide(Approve, "ana", A).gate_with(gate, A, |it| it.checks[0].value = 1.into());
        });
        let index = state.gates[usize::from(gate.number() - 1)].entry.unwrap().index;
        assert_eq!(state.outdated, [OutdatedCause::Evidence { gate, index }]);
        assert_eq!(state.record.validation_status, HOLD);
        let failed = after(|script| {
            script.decide(Approve, "ana", A).failed_gate(gate, A);
        });
        assert_eq!(failed.record.validation_status, HOLD, "{gate}");
    }
    // Good, bad, good again: who approved the first has not seen the second.
    let state = after(|script| {
        script.decide(Approve, "ana", A).failed_gate(Gate::Source, A).gate(Gate::Source, A);
    });
    assert_eq!(state.record.validation_status, HOLD);
    let mut script = ready(1);
    script.decide(Approve, "ana", A).define();
    assert_eq!(status(&script), PASS, "the same definition again changes nothing");
    script.policy.thresholds.p99_ms = Some(10.0);
    script.define();
    assert_eq!(script.state().outdated, [OutdatedCause::Definition { index: script.size - 1 }]);
    assert_eq!(status(&script), HOLD);
    // What belongs to another bundle or route changes nothing.
    let state = after(|script| {
        script.decide(Approve, "ana", A).failed_gate(Gate::Bundle, B);
    });
    assert_eq!(state.record.bundle_digest, Some(BundleDigest(B)));
    let mut script = ready(1);
    script.decide(Approve, "ana", A).failed_gate(Gate::Bundle, B);
    assert_eq!(judge_bundle(ROUTE, BundleDigest(A), &script.log(), now()).record.validation_status, PASS);
    assert_eq!(bundles(ROUTE, &script.log()), [BundleDigest(A), BundleDigest(B)]);
}

#[test]
fn evidence_for_another_bundle_checkpoint_or_target_does_not_count() {
    type Change = fn(&mut crate::evidence::gate::GateRecord);
    let other_bundle: Change = |it| it.bundle = Some(B);
    let other_revision: Change = |it| it.checkpoint_revision = Some("main".to_owned());
    let build_machine: Change = |it| it.runtime_target = None;
    let simulated: Change = |it| it.builder = Some(BuilderKind::Simulated);
    for (gate, change, expected) in [
        (Gate::Source, other_revision, GateState::Missing),
        (Gate::Bundle, other_bundle, GateState::Missing),
        (Gate::Parity, other_bundle, GateState::Missing),
        (Gate::Parity, build_machine, GateState::Unsatisfied),
        (Gate::Release, build_machine, GateState::Unsatisfied),
        (Gate::Build, simulated, GateState::Unsatisfied),
    ] {
        let mut script = Script::new();
        script.define();
        for it in Gate::ALL {
            if it == gate {
                script.gate_with(gate, A, change);
            } else {
                script.gate(it, A);
            }
        }
        script.canary(CanaryPhase::Planned, A).way_back(A).decide(Approve, "ana", A);
        let state = judge_bundle(ROUTE, BundleDigest(A), &script.log(), now());
        assert_eq!(state.gates[usize::from(gate.number() - 1)].state, expected, "{gate}");
        assert_eq!(state.record.validation_status, HOLD, "{gate}");
    }
    // A build names its run; the bundle's inspection names the same one.
    let run = uuid::Uuid::from_u128(7);
    for (named, expected) in [(Some(run), GateState::Satisfied), (None, GateState::Missing)] {
        let mut script = Script::new();
        script.define().gate_with(Gate::Build, A, |it| (it.bundle, it.run) = (None, Some(run)));
        script.gate_with(Gate::Bundle, A, |it| it.run = named);
        assert_eq!(script.state().gates[1].state, expected);
    }
}

#[test]
fn gates_out_of_order_do_not_count() {
    let mut script = Script::new();
    script.define().gate(Gate::Source, A).gate(Gate::Build, A).gate(Gate::Parity, A).gate(Gate::Bundle, A);
    assert_eq!(script.state().gates[3].reasons, [GateReason::BeforeGate { gate: Gate::Bundle }]);
    script.gate(Gate::Release, A).gate(Gate::Parity, A);
    assert_eq!(script.state().gates[3].state, GateState::Satisfied);
    assert_eq!(script.state().gates[4].reasons, [GateReason::BeforeGate { gate: Gate::Parity }]);
    // A later run of gate 3 does not undo what came after the first.
    script.gate(Gate::Release, A).gate(Gate::Bundle, A);
    assert!(script.state().gates.iter().all(|gate| gate.state == GateState::Satisfied));
    script.failed_gate(Gate::Bundle, A);
    assert!(script.state().gates[3..].iter().all(|gate| gate.state == GateState::Unsatisfied));
}

/// Everything with a failed gate 4, then overrides and an approval.
fn overridden(
    overrides: &[&str],
    simulated: bool,
    change: fn(&mut crate::evidence::decision::RouteDecision),
) -> RouteState {
    let mut script = Script::new();
    script.define().gate(Gate::Source, A).gate(Gate::Build, A).gate(Gate::Bundle, A);
    if simulated {
        script.gate_with(Gate::Parity, A, |it| it.builder = Some(BuilderKind::Simulated));
    } else {
        script.failed_gate(Gate::Parity, A);
    }
    for account in overrides {
        script.decide_with(Override, account, A, change);
    }
    script.gate(Gate::Release, A).canary(CanaryPhase::Planned, A).way_back(A).decide(Approve, "ana", A);
    script.state()
}

#[test]
fn an_override_takes_two_persons_and_ends() {
    for (persons, simulated, expected) in [
        (&[][..], false, GateState::Unsatisfied),
        (&["ana"], false, GateState::Unsatisfied),
        (&["ana", "ana"], false, GateState::Unsatisfied),
        (&["ana", "bob"], false, GateState::Unsatisfied),
        (&["ana", "ben"], false, GateState::Overridden),
        (&["ana", "ben"], true, GateState::Unsatisfied),
    ] {
        let state = overridden(persons, simulated, |_| {});
        assert_eq!(state.gates[3].state, expected, "{persons:?}");
        assert_eq!(state.record.validation_status == PASS, expected == GateState::Overridden, "{persons:?}");
        assert!(!state.gates[3].reasons.is_empty(), "what is overridden stays visible");
    }
    let soon = overridden(&["ana", "ben"], false, |it| {
        it.overrides.as_mut().unwrap().expires_at = "2026-11-30T09:59:59Z".parse().unwrap();
    });
    assert_eq!(soon.gates[3].state, GateState::Unsatisfied);
    assert!(matches!(soon.gates[3].overrides[0].objections[..], [Objection::Expired { .. }]));
    let wordless = overridden(&["ana", "ben"], false, |it| it.text = None);
    assert_eq!(wordless.gates[3].state, GateState::Unsatisfied);
    let other_gate =
        overridden(&["ana", "ben"], false, |it| it.overrides.as_mut().unwrap().gates = vec![Gate::Source]);
    assert_eq!(other_gate.gates[3].state, GateState::Unsatisfied);
}

#[test]
fn an_override_ends_with_new_evidence_and_with_the_policys_days() {
    let mut script = Script::new();
    script
        .define()
        .gates(A)
        .failed_gate(Gate::Parity, A)
        .decide(Override, "ana", A)
        .decide(Override, "ben", A);
    assert_eq!(script.state().gates[3].state, GateState::Overridden);
    let late = now().plus_ms(8 * 24 * 3_600_000).unwrap();
    assert_eq!(judge_route(ROUTE, &script.log(), late).gates[3].state, GateState::Unsatisfied);
    script.failed_gate(Gate::Parity, A);
    assert_eq!(script.state().gates[3].state, GateState::Unsatisfied);
    let mut forbidden = Script::new();
    forbidden.policy.overrides.allowed = false;
    forbidden
        .define()
        .gates(A)
        .failed_gate(Gate::Parity, A)
        .decide(Override, "ana", A)
        .decide(Override, "ben", A);
    assert_eq!(forbidden.state().gates[3].state, GateState::Unsatisfied);
}

mod confirmation;
mod property;
mod purge;
mod way_back;

#[test]
fn an_approval_crosses_with_a_denial_and_with_nothing_else() {
    let script = ready(1);
    let seen = script.size;
    let with = |change: fn(&mut Script)| {
        let mut script = script.clone();
        change(&mut script);
        script
    };
    let held = with(|it| {
        it.decide(Hold, "rita", A);
    });
    let just_after =
        |script: &Script, ms: i64| script.entries.last().unwrap().event.at().plus_ms(ms).unwrap();
    assert!(crossed(ROUTE, &held.log(), seen, just_after(&held, 0)));
    assert!(!crossed(ROUTE, &held.log(), held.size, just_after(&held, 0)), "it has seen the hold");
    assert!(!crossed(ROUTE, &held.log(), seen, just_after(&held, 60_000)), "its author could have known");
    assert!(!crossed(ROUTE, &script.log(), seen, just_after(&script, 0)), "there is nothing to cross with");
    let rejected = with(|it| {
        it.decide(Reject, "ana", A);
    });
    assert!(crossed(ROUTE, &rejected.log(), seen, just_after(&rejected, 0)));
    for other in [
        with(|it| {
            it.decide(Approve, "ana", A);
        }),
        with(|it| {
            it.gate(Gate::Parity, A);
        }),
        with(|it| {
            it.decide(Hold, "rita", A).gate(Gate::Parity, A);
        }),
    ] {
        assert!(!crossed(ROUTE, &other.log(), seen, just_after(&other, 0)));
    }
}
