//! What holds for every log: nothing that is left out turns "no" into "yes", and the order of what is unrelated does
//! not matter.

use proptest::prelude::*;

use super::*;
use crate::evidence::{person::Signatory, route::Confirmation};

/// One more entry, drawn from everything that can happen to a route.
#[derive(Debug, Clone, Copy)]
enum Step {
    Skip,
    Gate(Gate, bool, bool),
    Decide(DecisionKind, usize, bool, bool),
    Pin(bool),
    Define(bool),
    Canary(CanaryPhase, bool),
    Retain(RetentionState, bool),
    Order(OrderAction, u8, bool),
    Result(OrderAction, u8, bool, RollbackStep),
}

const PERSONS: [&str; 4] = ["ana", "ben", "bob", "eve"];

fn bundle(first: bool) -> Sha256Digest {
    if first { A } else { B }
}

fn play(script: &mut Script, step: Step) {
    match step {
        Step::Skip => {
            script.skip();
        }
        Step::Gate(gate, good, first) if good => {
            script.gate(gate, bundle(first));
        }
        Step::Gate(gate, _, first) => {
            script.failed_gate(gate, bundle(first));
        }
        Step::Decide(kind, who, first, careless) => {
            script.decide_with(kind, PERSONS[who], bundle(first), |it| {
                if careless {
                    it.seen.size = it.seen.size.saturating_sub(3);
                    it.evidence.truncate(6);
                }
            });
        }
        Step::Pin(new) => {
            script.pin(Pin::Driver, if new { "580.0" } else { "570.1" });
        }
        Step::Define(strict) => {
            script.policy.approvals.needed = if strict { 2 } else { 1 };
            script.define();
        }
        Step::Canary(phase, first) => {
            script.canary(phase, bundle(first));
        }
        Step::Retain(state, first) => {
            script.retain(state, bundle(first));
        }
        Step::Order(action, number, first) => {
            script.order(action, number.into(), bundle(first));
        }
        Step::Result(action, number, first, step) => {
            let to = bundle(first);
            let live = matches!(step, RollbackStep::Restored | RollbackStep::Verified).then_some(to);
            script.result(action, number.into(), to, step, live);
        }
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    let gate = prop::sample::select(&Gate::ALL[..]);
    let decision = prop::sample::select(vec![Approve, Approve, Hold, Reject, Override, LiftHold, LiftHold]);
    let phase = prop::sample::select(vec![
        CanaryPhase::Planned,
        CanaryPhase::Running,
        CanaryPhase::Pass,
        CanaryPhase::Failed,
    ]);
    let retention =
        prop::sample::select(vec![RetentionState::Retained, RetentionState::Purged, RetentionState::Damaged]);
    let action =
        || prop::sample::select(vec![OrderAction::Deploy, OrderAction::Rollback, OrderAction::Drill]);
    let step = prop::sample::select(vec![
        RollbackStep::Acknowledged,
        RollbackStep::Restored,
        RollbackStep::Verified,
        RollbackStep::Refused,
        RollbackStep::Failed,
    ]);
    let mostly = || prop::bool::weighted(0.8);
    prop_oneof![
        1 => Just(Step::Skip),
        3 => (gate, mostly(), mostly()).prop_map(|(gate, good, first)| Step::Gate(gate, good, first)),
        6 => (decision, 0..4_usize, mostly(), prop::bool::weighted(0.1))
            .prop_map(|(kind, who, first, careless)| Step::Decide(kind, who, first, careless)),
        1 => any::<bool>().prop_map(Step::Pin),
        1 => any::<bool>().prop_map(Step::Define),
        1 => (phase, mostly()).prop_map(|(phase, first)| Step::Canary(phase, first)),
        1 => (retention, mostly()).prop_map(|(state, first)| Step::Retain(state, first)),
        1 => (action(), 0..3_u8, mostly()).prop_map(|(action, n, first)| Step::Order(action, n, first)),
        2 => (action(), 0..3_u8, mostly(), step)
            .prop_map(|(action, n, first, step)| Step::Result(action, n, first, step)),
    ]
}

/// The steps from nothing to a bundle that passes.
fn happy() -> Vec<Step> {
    let mut steps = vec![Step::Define(false)];
    steps.extend(Gate::ALL.map(|gate| Step::Gate(gate, true, true)));
    steps.extend([
        Step::Canary(CanaryPhase::Planned, true),
        Step::Retain(RetentionState::Retained, true),
        Step::Result(OrderAction::Drill, 9, true, RollbackStep::Verified),
        Step::Decide(Approve, 0, true, false),
    ]);
    steps
}

/// A whole story: the happy one with anything thrown in anywhere, and perhaps a second approval at its end.
fn any_script() -> impl Strategy<Value = Script> {
    any_steps().prop_map(|steps| {
        let mut script = Script::new();
        steps.into_iter().for_each(|step| play(&mut script, step));
        script
    })
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let extras = prop::collection::vec((any::<prop::sample::Index>(), any_step()), 0..8);
    (extras, prop::collection::vec(any_step(), 0..4), any::<bool>()).prop_map(|(extras, tail, again)| {
        let mut steps = happy();
        for (at, step) in extras {
            steps.insert(at.index(steps.len() + 1), step);
        }
        steps.extend(tail);
        if again {
            steps.extend([Step::Decide(LiftHold, 0, true, false), Step::Decide(Approve, 1, true, false)]);
        }
        steps
    })
}

fn passes(log: &RouteLog) -> bool {
    [A, B]
        .into_iter()
        .any(|bundle| judge_bundle(ROUTE, BundleDigest(bundle), log, now()).record.validation_status == PASS)
}

/// Whether an entry can only permit: without it, and even without saying so, nothing more passes.
fn only_permits(entry: &RouteEntry) -> bool {
    match &entry.event {
        RouteEvent::Decision(it) => matches!(it.decision, Approve | Override | LiftHold),
        RouteEvent::Retention(it) => it.state == RetentionState::Retained,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn leaving_out_any_entry_never_turns_no_into_yes(script in any_script()) {
        let log = script.log();
        let before = passes(&log);
        for index in 0..log.size {
            // A reader that cannot show an entry cannot say yes at all, whatever the entry was.
            let without = log.without(index);
            prop_assert!(!passes(&without), "without {index}");
            let order = order_refusals(ROUTE, &without, OrderAction::Rollback, A, config(A), now());
            prop_assert!(!order.is_empty());
        }
        for size in 0..log.size {
            // A reader that stops early knows that it does.
            let early = RouteLog { size: log.size, ..log.until(size) };
            prop_assert!(!passes(&early));
        }
        // What only permits needs no such proof: dropped without a trace, it turns nothing into yes.
        if !before {
            for entry in log.entries.iter().filter(|entry| only_permits(entry)) {
                let mut dropped = log.clone();
                dropped.entries.retain(|it| it.index != entry.index);
                prop_assert!(!passes(&dropped), "dropped {:?}", entry.event);
            }
        }
    }

    #[test]
    fn a_missing_confirmation_never_makes_a_refused_order_accepted(
        script in any_script(),
        first in any::<bool>(),
        rule in prop::sample::select(vec![
            Confirmation::Required,
            Confirmation::UnlessCanaryFailed,
            Confirmation::NotRequired,
        ]),
    ) {
        let mut script = script;
        script.policy.rollback.confirmation = rule;
        script.define();
        let log = script.log();
        let to = bundle(first);
        let accepted = |log: &RouteLog, second: Option<Signatory>| {
            let mut asked = Script::new();
            asked.order_with(OrderAction::Rollback, 1, to, |order| {
                order.needs_confirmation = needs_confirmation(ROUTE, log, order.action, to, now());
                (order.confirmed_by, order.at) = (second, now());
            });
            let RouteEvent::Order(order) = &asked.entries[0].event else { return false };
            order_refusals(ROUTE, log, order.action, to, config(to), now()).is_empty()
                && confirmation_objections(order).is_empty()
        };
        let second = || person("ana", &[Role::Approver], now());
        let alone = accepted(&log, None);
        let together = accepted(&log, Some(second()));
        prop_assert!(together || !alone, "a second person never takes anything away");
        if rule == Confirmation::Required {
            prop_assert!(!alone);
        }
        for careless in [person("rita", &[Role::Approver], now()), person("ron", &[Role::Reviewer], now())] {
            prop_assert!(alone || !accepted(&log, Some(careless)), "nobody else's name opens anything");
        }
        for index in 0..log.size {
            prop_assert!(!accepted(&log.without(index), None) && !accepted(&log.without(index), Some(second())));
        }
    }

    #[test]
    fn pass_and_nothing_missing_are_one(script in any_script()) {
        for bundle in [A, B] {
            let state = judge_bundle(ROUTE, BundleDigest(bundle), &script.log(), now());
            let pass = state.record.validation_status == PASS;
            prop_assert_eq!(pass, state.missing.is_empty());
            if pass {
                prop_assert!(state.gates.iter().all(|gate| gate.state.is_open()));
                prop_assert!(state.holds.is_empty());
                prop_assert_eq!(state.record.rollback_status, RollbackStatus::Tested);
                prop_assert!(state.votes.iter().any(|vote| vote.objections.is_empty() && vote.account != "bob"));
            }
            let json = serde_json::to_string(&state).unwrap();
            prop_assert!(serde_json::from_str::<RouteState>(&json).is_ok());
        }
    }

    #[test]
    fn the_order_in_which_entries_are_handed_over_does_not_matter(
        script in any_script(),
        seed in any::<prop::sample::Index>(),
    ) {
        let log = script.log();
        let mut turned = log.clone();
        let by = seed.index(turned.entries.len());
        turned.entries.rotate_left(by);
        turned.entries.reverse();
        prop_assert_eq!(judge_route(ROUTE, &log, now()), judge_route(ROUTE, &turned, now()));
    }

    #[test]
    fn entries_of_other_routes_do_not_matter_wherever_they_stand(
        script in any_script(),
        others in any_script(),
        places in prop::collection::vec(any::<bool>(), 64),
    ) {
        // The same entries at the same indices; the indices between them hold another route's entries, or nothing.
        let spread = |entry: &RouteEntry| {
            let mut entry = entry.clone();
            entry.index *= 2;
            if let RouteEvent::Decision(it) = &mut entry.event {
                it.seen.size *= 2;
            }
            entry
        };
        let entries: Vec<RouteEntry> = script.entries.iter().map(spread).collect();
        let size = script.size.max(others.size) * 2 + 2;
        let alone = RouteLog::whole(size, entries.clone());
        let mut among = entries;
        for (entry, place) in others.entries.iter().zip(places) {
            if place {
                let mut entry = entry.clone();
                entry.index = entry.index * 2 + 1;
                rename(&mut entry.event);
                among.push(entry);
            }
        }
        let among = RouteLog::whole(size, among);
        prop_assert_eq!(judge_route(ROUTE, &alone, now()), judge_route(ROUTE, &among, now()));
    }

    #[test]
    fn unrelated_entries_of_one_route_may_change_places(
        steps in any_steps(),
        at in any::<prop::sample::Index>(),
        one in evidence_about(true),
        two in evidence_about(false),
    ) {
        // Neighbours about two bundles, neither of them a decision that could have seen the other.
        let at = at.index(steps.len() + 1);
        let record = |pair: [Step; 2], bundle| {
            let mut script = Script::new();
            let (before, after) = steps.split_at(at);
            before.iter().chain(&pair).chain(after).for_each(|step| play(&mut script, *step));
            judge_bundle(ROUTE, BundleDigest(bundle), &script.log(), now()).record
        };
        for bundle in [A, B] {
            prop_assert_eq!(record([one, two], bundle), record([two, one], bundle));
        }
    }
}

/// A piece of evidence about one of the bundles.
fn evidence_about(first: bool) -> impl Strategy<Value = Step> {
    let gate = prop::sample::select(&Gate::ALL[1..]);
    prop_oneof![
        (gate, any::<bool>()).prop_map(move |(gate, good)| Step::Gate(gate, good, first)),
        Just(Step::Canary(CanaryPhase::Failed, first)),
        Just(Step::Retain(RetentionState::Retained, first)),
        Just(Step::Retain(RetentionState::Damaged, first)),
        Just(Step::Result(OrderAction::Drill, 8, first, RollbackStep::Verified)),
    ]
}

fn rename(event: &mut RouteEvent) {
    let route = match event {
        RouteEvent::Definition(it) => &mut it.route,
        RouteEvent::Gate(it) => &mut it.route,
        RouteEvent::Decision(it) => &mut it.route,
        RouteEvent::Canary(it) => &mut it.route,
        RouteEvent::Retention(it) => &mut it.route,
        RouteEvent::Order(it) => &mut it.route,
        RouteEvent::Result(it) => &mut it.route,
        RouteEvent::Pin(it) => &mut it.route,
    };
    "other".clone_into(route);
}

/// Why a reader must say what it examined: what forbids, dropped without a trace, would turn "no" into "yes".
#[test]
fn what_forbids_cannot_be_dropped_without_a_trace() {
    let stories: [fn(&mut Script); 4] = [
        |script| {
            script.decide(Hold, "ben", A);
        },
        |script| {
            script.failed_gate(Gate::Parity, A);
        },
        |script| {
            script.pin(Pin::Driver, "580.0");
        },
        |script| {
            script.canary(CanaryPhase::Failed, A);
        },
    ];
    for story in stories {
        let mut script = ready(1);
        script.decide(Approve, "ana", A);
        story(&mut script);
        let log = script.log();
        let mut dropped = log.clone();
        dropped.entries.pop();
        assert!(!passes(&log) && passes(&dropped) && !passes(&log.without(script.size - 1)));
    }
}

/// The stories reach both answers, so that the properties say something.
#[test]
fn the_stories_reach_both_answers() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let stories = 400;
    let passing =
        (0..stories).filter(|_| passes(&any_script().new_tree(&mut runner).unwrap().current().log())).count();
    assert!(passing > stories / 8 && passing < stories * 7 / 8, "{passing} of {stories}");
}
