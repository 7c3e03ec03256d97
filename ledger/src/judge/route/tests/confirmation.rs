use super::*;
use crate::evidence::{
    person::Signatory,
    rollback::RollbackOrder,
    route::{Confirmation, RollbackPolicy},
};

/// A was live, B is live, both are kept and drilled.
fn two_bundles(confirmation: Confirmation) -> Script {
    let mut script = Script::new();
    script.policy.rollback = RollbackPolicy { confirmation };
    script.define().gates(A).canary(CanaryPhase::Planned, A).way_back(A).way_back(B);
    script.result(OrderAction::Deploy, 1, A, RollbackStep::Verified, Some(A));
    script.gates(B).canary(CanaryPhase::Running, B);
    script.result(OrderAction::Deploy, 2, B, RollbackStep::Verified, Some(B));
    script
}

fn needs(script: &Script, action: OrderAction, to: crate::log::digest::Sha256Digest) -> bool {
    needs_confirmation(ROUTE, &script.log(), action, to, now())
}

#[test]
fn when_a_rollback_needs_a_second_person() {
    use Confirmation::{NotRequired, Required, UnlessCanaryFailed};
    use OrderAction::{Deploy, Drill, Rollback};
    let c = crate::log::digest::Sha256Digest([0xcc; 32]);
    for (confirmation, canary, action, to, expected) in [
        (Required, CanaryPhase::Failed, Rollback, A, true),
        (Required, CanaryPhase::Failed, Drill, A, false),
        (Required, CanaryPhase::Failed, Deploy, A, false),
        (NotRequired, CanaryPhase::Pass, Rollback, A, false),
        (UnlessCanaryFailed, CanaryPhase::Failed, Rollback, A, false),
        (UnlessCanaryFailed, CanaryPhase::Running, Rollback, A, true),
        (UnlessCanaryFailed, CanaryPhase::Pass, Rollback, A, true),
        // Only the bundle that the way back leads to was prepared for this.
        (UnlessCanaryFailed, CanaryPhase::Failed, Rollback, c, true),
        (UnlessCanaryFailed, CanaryPhase::Failed, Rollback, B, true),
    ] {
        let mut script = two_bundles(confirmation);
        script.canary(canary, B);
        assert_eq!(needs(&script, action, to), expected, "{confirmation:?} {canary:?} {action:?} {to}");
    }
    // The canary of a bundle that is not live says nothing of the one that is.
    let mut other = two_bundles(UnlessCanaryFailed);
    other.canary(CanaryPhase::Failed, A);
    assert!(needs(&other, Rollback, A));
    assert!(needs(&Script::new(), Rollback, A), "without a policy it takes two");
    let mut gap = two_bundles(NotRequired).log();
    gap.examined.clear();
    assert!(needs_confirmation(ROUTE, &gap, Rollback, A, now()));
}

/// An order that needs a second person, by rita.
fn asked() -> Script {
    let mut script = two_bundles(Confirmation::Required);
    script.order_with(OrderAction::Rollback, 7, A, |order| order.needs_confirmation = true);
    script
}

fn confirm(script: &Script, by: &Signatory) -> (Option<RollbackOrder>, Vec<Objection>, Vec<Missing>) {
    confirmation_refusals(ROUTE, &script.log(), uuid::Uuid::from_u128(7), by, now())
}

#[test]
fn who_may_confirm() {
    let at = now();
    let long_ago = at.plus_ms(-3_600_000).unwrap();
    for (by, expected) in [
        (person("ana", &[Role::Approver], at), vec![]),
        (person("rita", &[Role::Approver], at), vec![Objection::SamePerson]),
        (person("ron", &[Role::Reviewer], at), vec![Objection::NotApprover]),
        (person("adam", &[Role::Approver, Role::Admin], at), vec![Objection::IsAdmin]),
        (person("ana", &[Role::Approver], long_ago), vec![Objection::NotSteppedUp]),
    ] {
        let (order, objections, missing) = confirm(&asked(), &by);
        assert_eq!((objections, missing), (expected.clone(), vec![]), "{by:?}");
        // What the agent will say of the signed order is what the portal says before it signs.
        assert_eq!(confirmation_objections(&order.unwrap()), expected);
    }
    let mut listed = Script::new();
    listed.policy.approvals.approvers = Some(["eva".to_owned()].into());
    listed.define().way_back(A).order_with(OrderAction::Rollback, 7, A, |it| it.needs_confirmation = true);
    assert_eq!(confirm(&listed, &person("ana", &[Role::Approver], at)).1, [Objection::NotListed]);
}

#[test]
fn an_order_waits_until_it_is_confirmed_overtaken_or_lifted() {
    let ana = person("ana", &[Role::Approver], now());
    let waits = |script: &Script| script.state().awaiting.map(|it| it.by);
    let nothing = vec![Objection::NothingToConfirm];
    let asked = asked();
    assert_eq!(waits(&asked).as_deref(), Some("rita"));
    assert_eq!(asked.state().turn, Turn::Confirmer { by: "rita".to_owned(), index: asked.size - 1 });
    assert!(
        asked.state().missing.iter().any(|it| matches!(it, Missing::Hold { .. })),
        "asking holds the route"
    );

    let stories: [fn(&mut Script); 5] = [
        |script| {
            let ana = person("ana", &[Role::Approver], script.at());
            script.order_with(OrderAction::Rollback, 7, A, |order| {
                (order.needs_confirmation, order.confirmed_by) = (true, Some(ana));
            });
        },
        |script| {
            script.order(OrderAction::Rollback, 8, A);
        },
        |script| {
            script.order(OrderAction::Deploy, 8, A);
        },
        |script| {
            script.decide(LiftHold, "ana", B);
        },
        |script| {
            script.result(OrderAction::Rollback, 7, A, RollbackStep::Refused, Some(B));
        },
    ];
    for (at, story) in stories.into_iter().enumerate() {
        let mut script = asked.clone();
        story(&mut script);
        assert_eq!(waits(&script), None, "story {at}");
        assert_eq!(confirm(&script, &ana).1, nothing, "story {at}");
    }
    let mut drilled = asked.clone();
    drilled.order(OrderAction::Drill, 9, A).order_with(OrderAction::Drill, 10, A, |_| {});
    assert!(waits(&drilled).is_some(), "a drill overtakes nothing");
    let mut purged = asked;
    purged.retain(RetentionState::Purged, A);
    assert!(
        !confirm(&purged, &ana).2.is_empty(),
        "what speaks against the order speaks against its confirmation"
    );
}

#[test]
fn the_history_says_which_order_counts() {
    let effect = |script: &Script, back: u64| {
        let index = script.size - back;
        script.state().history.into_iter().find(|it| it.entry.index == index).unwrap().effect
    };
    let not_confirmed = Effect::NotCounted { objections: vec![Objection::NotConfirmed] };
    let mut script = asked();
    assert_eq!(effect(&script, 1), not_confirmed);
    let ana = person("ana", &[Role::Approver], script.at());
    script.order_with(OrderAction::Rollback, 7, A, |order| {
        (order.needs_confirmation, order.confirmed_by) = (true, Some(ana));
    });
    assert_eq!((effect(&script, 2), effect(&script, 1)), (Effect::Superseded, Effect::Recorded));
    assert_eq!(script.state().holds.len(), 1, "one order, one hold");
    // An order that claims to need nobody, against the policy of its moment.
    let mut waved = two_bundles(Confirmation::Required);
    waved.order(OrderAction::Rollback, 7, A);
    assert_eq!(effect(&waved, 1), not_confirmed);
    let mut own = two_bundles(Confirmation::Required);
    own.order_with(OrderAction::Rollback, 7, A, |order| {
        (order.needs_confirmation, order.confirmed_by) = (true, Some(order.by.clone()));
    });
    assert_eq!(
        effect(&own, 1),
        Effect::NotCounted { objections: vec![Objection::SamePerson, Objection::NotApprover] }
    );
}

#[test]
fn what_somebody_has_not_seen() {
    let script = asked();
    assert_eq!(changed_since(ROUTE, &script.log(), script.size), None);
    assert_eq!(changed_since(ROUTE, &script.log(), script.size - 1), Some(script.size - 1));
    assert_eq!(changed_since(ROUTE, &script.log(), 0), Some(0));
    assert_eq!(changed_since("another", &script.log(), 0), None);
    let mut turned = script.log();
    turned.entries.reverse();
    assert_eq!(
        changed_since(ROUTE, &turned, 3),
        Some(3),
        "the first, in whatever order they are handed over"
    );
}
