use super::*;
use crate::evidence::gate::GateRecord;

fn days(days: i64) -> Timestamp {
    now().plus_ms(days * 24 * 3_600_000).unwrap()
}

/// A was live, then B was; both are retained, nothing is approved.
fn replaced() -> Script {
    let mut script = Script::new();
    script.define().way_back(A).way_back(B);
    script.result(OrderAction::Deploy, 1, A, RollbackStep::Verified, Some(A));
    script.result(OrderAction::Deploy, 2, B, RollbackStep::Verified, Some(B));
    script
}

fn keeps(script: &Script, blob: Sha256Digest, at: Timestamp) -> Vec<Keeps> {
    why_kept(blob, &[(ROUTE, &script.log())], at).into_iter().map(|kept| kept.keeps).collect()
}

#[test]
fn what_is_live_approved_held_ordered_or_the_way_back_is_kept_for_ever() {
    let late = days(1000);
    let approved = || {
        let mut script = ready(1);
        script.decide(Approve, "ana", A);
        script
    };
    // Approvals rest on a drill that counts for a month: judged before that ends, the dates keep it as well.
    assert!(keeps(&approved(), A, now()).contains(&Keeps::Approved));
    let mut replaced_twice = replaced();
    let c = Sha256Digest([0xcc; 32]);
    replaced_twice.result(OrderAction::Deploy, 3, c, RollbackStep::Verified, Some(c));
    type Story = fn(&mut Script);
    let nothing: Story = |_| {};
    let held: Story = |script| {
        script.decide(Hold, "ben", A);
    };
    let ordered: Story = |script| {
        script.order(OrderAction::Drill, 5, A);
    };
    let ended: Story = |script| {
        script.order(OrderAction::Drill, 5, A).result(OrderAction::Drill, 5, A, RollbackStep::Verified, None);
    };
    let evidence: Story = |script| {
        script
            .gate_with(Gate::Bundle, A, |record: &mut GateRecord| record.checks[0].evidence.push(config(A)));
    };
    for (script, story, blob, expected) in [
        (&replaced(), nothing, B, Some("live")),
        (&replaced(), nothing, A, Some("way_back")),
        (&replaced_twice, nothing, A, None),
        (&replaced_twice, nothing, B, Some("way_back")),
        (&replaced_twice, nothing, config(A), None),
        (&replaced_twice, held, A, Some("held")),
        (&replaced_twice, ordered, A, Some("ordered")),
        (&replaced_twice, ended, A, None),
        (&replaced_twice, evidence, config(A), Some("evidence")),
        (&replaced_twice, evidence, A, None),
        (&Script::new(), nothing, A, None),
    ] {
        let mut script = script.clone();
        story(&mut script);
        let found = keeps(&script, blob, late);
        let codes: Vec<String> = found
            .iter()
            .map(|it| serde_json::to_value(it).unwrap()["keeps"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(codes, expected.into_iter().map(str::to_owned).collect::<Vec<_>>(), "{blob}");
    }
}

#[test]
fn dates_keep_it_whichever_is_later() {
    let mut script = replaced();
    let c = Sha256Digest([0xcc; 32]);
    script.result(OrderAction::Deploy, 3, c, RollbackStep::Verified, Some(c));
    // Retained on the 29th without a day, replaced minutes later: the policy's 90 days from then.
    let replaced_at = script.entries[6].event.at();
    let ends = replaced_at.plus_ms(90 * 24 * 3_600_000).unwrap();
    assert_eq!(keeps(&script, A, now()), [Keeps::Until { at: Some(ends) }]);
    assert_eq!(keeps(&script, A, ends), []);
    let until = |script: &Script, at: Option<Timestamp>| {
        let mut script = script.clone();
        for entry in &mut script.entries {
            if let RouteEvent::Retention(record) = &mut entry.event {
                record.retained_until = at;
            }
        }
        script
    };
    assert_eq!(keeps(&until(&script, Some(days(200))), A, days(199)), [Keeps::Until { at: Some(days(200)) }]);
    assert_eq!(keeps(&until(&script, Some(days(1))), A, days(2)), [Keeps::Until { at: Some(ends) }]);
    assert_eq!(keeps(&until(&script, Some(days(1))), A, days(100)), []);
}

#[test]
fn what_cannot_be_judged_is_kept() {
    let late = days(1000);
    let mut bare = Script::new();
    bare.retain(RetentionState::Retained, A);
    assert_eq!(keeps(&bare, A, late), [Keeps::NoPolicy]);
    let mut script = replaced();
    let c = Sha256Digest([0xcc; 32]);
    script.result(OrderAction::Deploy, 3, c, RollbackStep::Verified, Some(c));
    assert_eq!(keeps(&script, A, late), []);
    let log = script.log();
    for index in 0..log.size {
        assert_eq!(
            why_kept(A, &[(ROUTE, &log.without(index))], late),
            [Kept { route: ROUTE.to_owned(), keeps: Keeps::Unread }]
        );
    }
    // Two routes: one that needs it is enough.
    let other = bare.log();
    assert_eq!(why_kept(A, &[(ROUTE, &log), (ROUTE, &other)], late).len(), 1);
    // Two bundles with one configuration: what is kept with the live one is kept.
    let mut shared = script.clone();
    shared.retain(RetentionState::Retained, c);
    for entry in &mut shared.entries {
        if let RouteEvent::Retention(record) = &mut entry.event {
            record.runtime_config.digest = config(A);
        }
    }
    assert!(keeps(&shared, config(A), late).contains(&Keeps::Live));
    assert_eq!(keeps(&shared, A, late), []);
}
