use super::*;

fn lacks(script: &Script) -> Vec<WayBackLack> {
    script.state().way_back.unwrap().lacks
}

#[test]
fn the_way_back_is_tested_only_by_a_valid_drill() {
    let mut script = Script::new();
    script.define().gates(A).canary(CanaryPhase::Planned, A);
    assert_eq!(lacks(&script), [WayBackLack::NotRetained]);
    script.result(OrderAction::Drill, 1, A, RollbackStep::Verified, None).retain(RetentionState::Retained, A);
    assert_eq!(
        lacks(&script),
        [WayBackLack::NeverDrilled],
        "a drill before the bundle was kept shows nothing"
    );
    script.result(OrderAction::Drill, 1, A, RollbackStep::Restored, None);
    assert_eq!(lacks(&script), [WayBackLack::NeverDrilled], "a drill that goes on has shown nothing yet");
    script.result(OrderAction::Drill, 1, A, RollbackStep::Verified, None);
    assert_eq!(lacks(&script), []);
    let days = |days: i64| now().plus_ms(days * 24 * 3_600_000).unwrap();
    assert_eq!(judge_route(ROUTE, &script.log(), days(28)).record.rollback_status, RollbackStatus::Tested);
    assert_eq!(judge_route(ROUTE, &script.log(), days(31)).record.rollback_status, RollbackStatus::Blocked);
    // Kept once more: the same bytes, the drill still counts. Gone and back: it does not.
    script.retain(RetentionState::Retained, A);
    assert_eq!(lacks(&script), []);
    script.retain(RetentionState::Purged, A);
    assert!(lacks(&script).contains(&WayBackLack::Purged));
    script.retain(RetentionState::Retained, A);
    assert_eq!(lacks(&script), [WayBackLack::NeverDrilled]);
    script.result(OrderAction::Drill, 2, A, RollbackStep::Verified, None);
    script.result(OrderAction::Drill, 3, A, RollbackStep::Failed, None);
    assert!(matches!(lacks(&script)[..], [WayBackLack::DrillFailed { .. }]));
    script.result(OrderAction::Rollback, 4, A, RollbackStep::Verified, Some(A));
    assert!(!lacks(&script).is_empty(), "only a drill is a drill");
}

#[test]
fn a_drill_that_restored_something_else_or_elsewhere_does_not_count() {
    type Change = fn(&mut crate::evidence::rollback::RollbackResult);
    let other_bytes: Change = |it| it.measured_bundle = Some(B);
    let other_config: Change = |it| it.measured_config = None;
    let unwell: Change = |it| it.health.as_mut().unwrap().exit_code = Some(1);
    let hung: Change = |it| it.health.as_mut().unwrap().exit_code = None;
    let unchecked: Change = |it| it.health = None;
    let elsewhere: Change = |it| it.runtime_target = "native_cpp_task_api_on_nvidia_a100".to_owned();
    let old_driver: Change = |it| drop(it.observed.0.insert(Pin::Driver, "560.0".to_owned()));
    let from_the_future: Change = |it| it.at = now().plus_ms(1).unwrap();
    for change in [other_bytes, other_config, unwell, hung, unchecked, elsewhere, old_driver, from_the_future]
    {
        let mut script = ready(1);
        assert_eq!(lacks(&script), []);
        script.result(OrderAction::Drill, 5, A, RollbackStep::Verified, None);
        let last = script.entries.last_mut().unwrap();
        let RouteEvent::Result(result) = &mut last.event else { panic!() };
        change(result);
        assert_eq!(lacks(&script).len(), 1);
        assert_eq!(script.decide(Approve, "ana", A).state().record.rollback_status, RollbackStatus::Blocked);
    }
}

/// A live, B approved and deployed.
fn b_live() -> Script {
    let mut script = ready(1);
    script.decide(Approve, "ana", A);
    script.order(OrderAction::Deploy, 1, A).result(
        OrderAction::Deploy,
        1,
        A,
        RollbackStep::Verified,
        Some(A),
    );
    script.gates(B).canary(CanaryPhase::Planned, B).decide(Approve, "ana", B);
    script.order(OrderAction::Deploy, 2, B).result(
        OrderAction::Deploy,
        2,
        B,
        RollbackStep::Verified,
        Some(B),
    );
    script.canary(CanaryPhase::Running, B);
    script
}

#[test]
fn the_way_back_leads_to_what_was_live_before() {
    let mut script = b_live();
    let state = script.state();
    assert_eq!((state.record.bundle_digest, state.record.validation_status), (Some(BundleDigest(B)), PASS));
    assert_eq!(state.way_back.unwrap().bundle, A);
    script.retain(RetentionState::Damaged, A);
    assert_eq!(status(&script), HOLD);
}

#[test]
fn a_failed_canary_and_a_rollback_hold_the_route_until_an_approver_lifts() {
    let mut script = b_live();
    script.canary(CanaryPhase::Failed, B);
    let state = script.state();
    assert_eq!((state.record.validation_status, state.record.canary_status), (HOLD, CanaryStatus::Failed));
    let refusals = |to| order_refusals(ROUTE, &script.log(), OrderAction::Rollback, to, config(to), now());
    assert_eq!(refusals(A), []);
    assert_eq!(refusals(B), [Missing::WayBack { lack: WayBackLack::NotRetained }]);

    script.order(OrderAction::Rollback, 3, A);
    assert_eq!(script.state().turn, Turn::Runtime);
    for step in [RollbackStep::Requested, RollbackStep::Acknowledged] {
        script.result(OrderAction::Rollback, 3, A, step, Some(B));
    }
    assert_eq!(script.state().live.unwrap().bundle, Some(B), "nothing is assumed");
    script.result(OrderAction::Rollback, 3, A, RollbackStep::Restored, Some(A));
    script.result(OrderAction::Rollback, 3, A, RollbackStep::Verified, Some(A));
    let state = script.state();
    assert_eq!(state.live.unwrap().bundle, Some(A));
    assert_eq!(state.holds.len(), 1);
    assert_eq!((state.holds[0].cause, state.holds[0].by.as_deref()), (HoldCause::RolledBack, Some("rita")));
    for bundle in [A, B] {
        let held = judge_bundle(ROUTE, BundleDigest(bundle), &script.log(), now());
        assert!(held.missing.iter().any(|it| matches!(it, Missing::Hold { .. })), "the whole route is held");
    }
    // A reviewer cannot lift it, an approver can; the approvals begin anew.
    script.decide_with(LiftHold, "rita", B, |it| it.by.roles = vec![Role::Reviewer]);
    assert_eq!(script.state().holds.len(), 1);
    script.decide(LiftHold, "ana", B);
    assert_eq!(script.state().holds.len(), 0);
    script.decide(Approve, "ana", A);
    assert_eq!(judge_bundle(ROUTE, BundleDigest(A), &script.log(), now()).record.validation_status, PASS);
    assert_eq!(status(&script), HOLD, "B's canary failed");
    script.canary(CanaryPhase::Planned, B).decide(Approve, "ana", B);
    assert_eq!(status(&script), PASS);
}

#[test]
fn a_rollback_that_failed_neither_sets_nor_lifts_a_hold() {
    for step in [RollbackStep::Refused, RollbackStep::Failed] {
        let mut script = b_live();
        script.order(OrderAction::Rollback, 3, A);
        assert_eq!(status(&script), HOLD);
        script.result(OrderAction::Rollback, 3, A, step, Some(B));
        assert_eq!(status(&script), PASS, "{step:?}");
        script.decide(Hold, "ben", B).order(OrderAction::Rollback, 4, A);
        script.result(OrderAction::Rollback, 4, A, step, Some(B));
        assert_eq!((status(&script), script.state().holds.len()), (HOLD, 1), "{step:?}");
    }
    // It restored something and then failed its health check: the hold stays.
    let mut script = b_live();
    script.order(OrderAction::Rollback, 3, A).result(
        OrderAction::Rollback,
        3,
        A,
        RollbackStep::Restored,
        Some(A),
    );
    script.result(OrderAction::Rollback, 3, A, RollbackStep::Failed, Some(B));
    assert_eq!(script.state().holds.len(), 1);
}

#[test]
fn what_was_live_at_a_moment() {
    let mut script = b_live();
    let rolled_back_at = script.at();
    script.result(OrderAction::Rollback, 3, A, RollbackStep::Verified, Some(A));
    let log = script.log();
    let live = |at: Timestamp| match live_at(ROUTE, &log, at) {
        LiveAt::Live { period, approved_by } => Some((period.bundle.unwrap(), period.action, approved_by)),
        LiveAt::Nothing => None,
        LiveAt::Unknown => panic!(),
    };
    let result_at = |number: u128| {
        let mut results = log.entries.iter().filter_map(|entry| match &entry.event {
            RouteEvent::Result(it) if it.order == uuid::Uuid::from_u128(number) => Some(it.at),
            _ => None,
        });
        results.next().unwrap()
    };
    let ms = |at: Timestamp, ms| at.plus_ms(ms).unwrap();
    let ana = || vec!["ana".to_owned()];
    assert_eq!(live(ms(result_at(1), -1)), None);
    assert_eq!(live(result_at(1)), Some((A, OrderAction::Deploy, ana())));
    assert_eq!(live(ms(result_at(2), -1)), Some((A, OrderAction::Deploy, ana())));
    assert_eq!(live(result_at(2)), Some((B, OrderAction::Deploy, ana())));
    assert_eq!(
        live(rolled_back_at).map(|(bundle, action, _)| (bundle, action)),
        Some((A, OrderAction::Rollback))
    );
    assert_eq!(live_at(ROUTE, &log.without(0), now()), LiveAt::Unknown);
    assert_eq!(live_at("other", &log, now()), LiveAt::Nothing);
}

#[test]
fn orders_are_refused_before_anything_changes() {
    let script = b_live();
    let log = script.log();
    let refused = |action, to, config| order_refusals(ROUTE, &log, action, to, config, now());
    assert_eq!(
        refused(OrderAction::Rollback, A, config(B)),
        [Missing::WayBack { lack: WayBackLack::OtherConfig }]
    );
    assert_eq!(refused(OrderAction::Drill, A, config(A)), []);
    assert!(!refused(OrderAction::Deploy, B, config(B)).is_empty(), "what is not retained is not deployed");
    // To put A in B's place, B would have to be retained as the way back.
    assert_eq!(
        refused(OrderAction::Deploy, A, config(A)),
        [WayBackLack::NotRetained].map(|lack| Missing::WayBack { lack })
    );
    let mut script = script.clone();
    script.way_back(B);
    assert_eq!(order_refusals(ROUTE, &script.log(), OrderAction::Deploy, A, config(A), now()), []);
    let gap = order_refusals(ROUTE, &log.without(3), OrderAction::Rollback, A, config(A), now());
    assert!(gap.contains(&Missing::Gap { from: 3, to: 4 }));
}
