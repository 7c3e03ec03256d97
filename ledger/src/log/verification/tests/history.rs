//! Entries of a log whose keys changed: an agent's key that is rotated and revoked, the log's own that is handed on.

use super::*;

/// What is said about a key of the agent, and by which keys.
fn key_event(action: AgentKeyAction, public_key: PublicKey, signers: &[&SigningKey]) -> Vec<u8> {
    let said = AgentKey {
        agent: "builder-7".to_owned(),
        public_key,
        action,
        at: Timestamp::from_unix_ms(0).unwrap(),
        authorized_by: "adam".to_owned(),
        owner: None,
        previous: (action == AgentKeyAction::Rotated).then(|| PublicKey::of(signers[0])),
        reason: (action == AgentKeyAction::Revoked).then(|| "stolen".to_owned()),
    };
    entry(&said, said.subject(), signers)
}

fn entry<P: Predicate>(said: &P, subject: Subject, signers: &[&SigningKey]) -> Vec<u8> {
    let mut envelope = Statement::new(vec![subject], said).unwrap().sign(signers[0]).unwrap();
    signers[1..].iter().for_each(|key| envelope.cosign(key));
    Entry::of(&envelope).unwrap().bytes().to_vec()
}

fn said(what: &str, signer: &SigningKey) -> Vec<u8> {
    let subject = Subject::new(what, Sha256Digest::of(what.as_bytes()));
    entry(&Said { what: what.to_owned() }, subject, &[signer])
}

/// 0 enrolled, 1 said, 2 rotated, 3 said by the new key, 4 revoked, 5 said by the revoked key, 6 said by the old key.
fn log_of_a_life() -> Log {
    let mut log = Log::new();
    let (first, second) = (log.agent.clone(), SigningKey::from_bytes(&[8; 32]));
    let (old, new) = (PublicKey::of(&first), PublicKey::of(&second));
    log.entries = vec![
        key_event(AgentKeyAction::Enrolled, old, &[&log.portal]),
        said("by the first key", &first),
        key_event(AgentKeyAction::Rotated, new, &[&first, &second]),
        said("by the second key", &second),
        key_event(AgentKeyAction::Revoked, new, &[&log.portal]),
        said("too late", &second),
        said("much too late", &first),
    ];
    log
}

fn with_history(log: &Log, index: u64, history: &[u64]) -> Material {
    let key_history = history.iter().map(|index| log.logged(*index)).collect();
    Material { key_history, ..log.material(index, None) }
}

#[test]
fn entries_before_a_revocation_stay_valid_and_later_ones_are_not() {
    let log = log_of_a_life();
    for (index, holds, part) in [
        (1, true, "introduced by entry 0; replaced later, by entry 2"),
        (2, true, "introduced by entry 0; replaced later, by entry 2"),
        (3, true, "introduced by entry 2; revoked later, by entry 4: stolen"),
        (4, true, "portal, key"),
        (5, false, "revoked by entry 4 (stolen)"),
        (6, false, "replaced by entry 2"),
    ] {
        let report = verify(&with_history(&log, index, &[0, 2, 4]), &log.trust());
        let signature = &report.checks[0];
        assert_eq!(signature.holds, holds, "{index}: {signature:?}");
        assert!(signature.detail.contains(part), "{index}: {}", signature.detail);
        assert!(report.checks[1].holds && report.checks[2].holds);
    }
}

/// What one entry cannot tell: see the module's own words. The audit finds both cases.
#[test]
fn an_end_that_is_kept_back_is_noticed_only_by_what_follows() {
    let log = log_of_a_life();
    assert_eq!(
        verdicts(&with_history(&log, 5, &[0, 2]), &log.trust()),
        [true; 3],
        "nothing shown contradicts it"
    );
    assert_eq!(verdicts(&with_history(&log, 6, &[0]), &log.trust()), [true; 3]);
    // A history that has a hole in it does not fit together.
    assert_eq!(verdicts(&with_history(&log, 6, &[0, 4]), &log.trust()), [false, true, true]);
    assert_eq!(verdicts(&with_history(&log, 3, &[2]), &log.trust()), [false, true, true]);
    assert_eq!(verdicts(&with_history(&log, 3, &[2, 0]), &log.trust()), [false, true, true]);
    assert_eq!(verdicts(&with_history(&log, 3, &[0, 0, 2]), &log.trust()), [false, true, true]);
}

#[test]
fn a_rotation_that_one_of_its_keys_did_not_sign_is_not_believed() {
    let mut log = log_of_a_life();
    let (first, second) = (log.agent.clone(), SigningKey::from_bytes(&[8; 32]));
    for signers in [vec![&first], vec![&first, &first]] {
        log.entries[2] = key_event(AgentKeyAction::Rotated, PublicKey::of(&second), &signers);
        assert_eq!(verdicts(&with_history(&log, 3, &[0, 2]), &log.trust()), [false, true, true]);
        assert_eq!(verdicts(&with_history(&log, 2, &[0]), &log.trust()), [false, true, true]);
    }
}

/// The hand-over stands at entry 3; sizes 4 and 5 are signed by both keys, 6 and more by the new one.
fn handed_over() -> (Log, SigningKey, HandOver) {
    let (mut log, next) = (Log::new(), SigningKey::from_bytes(&[11; 32]));
    let said = LogKey {
        origin: "log.example".to_owned(),
        public_key: PublicKey::of(&next),
        previous: PublicKey::of(&log.log),
        overlap: 2,
        at: Timestamp::from_unix_ms(0).unwrap(),
        authorized_by: "command line".to_owned(),
        reason: None,
    };
    log.entries.push(entry(&said, said.subject(), &[&log.portal]));
    let hand_over = HandOver { statement: log.logged(3), tree_head: head(&log, &[&log.log, &next]) };
    for number in 0..3 {
        log.entries.push(super::history::said(&format!("{number}"), &log.agent));
    }
    (log, next, hand_over)
}

fn head(log: &Log, keys: &[&SigningKey]) -> String {
    let mut frontier = Frontier::default();
    log.entries.iter().for_each(|entry| frontier.append(leaf_hash(entry)));
    let (size, root) = (frontier.size(), frontier.root());
    TreeHead { origin: "log.example".to_owned(), size, root }.sign_by(keys).unwrap().to_string()
}

#[test]
fn the_logs_later_key_is_believed_through_the_hand_over() {
    let (log, next, hand_over) = handed_over();
    let good = Material {
        hand_overs: vec![hand_over.clone()],
        tree_head: head(&log, &[&next]),
        ..log.material(2, Some(0))
    };
    assert_eq!(verdicts(&good, &log.trust()), [true; 3]);
    // Whoever trusts the later key needs no hand-over, and one that leads to it does no harm.
    let key = VerifierKey::new("log.example", NoteKeyType::Ed25519, PublicKey::of(&next)).unwrap();
    let later = Trust { log: key, portal: log.trust().portal };
    assert_eq!(verdicts(&good, &later), [true; 3]);
    assert_eq!(verdicts(&Material { hand_overs: Vec::new(), ..good.clone() }, &later), [true; 3]);
    // Without it, the new key means nothing to whoever trusts the first.
    assert_eq!(
        verdicts(&Material { hand_overs: Vec::new(), ..good.clone() }, &log.trust()),
        [false, false, false]
    );
    // The retired key alone, after its window.
    let retired = Material { tree_head: head(&log, &[&log.log]), ..good.clone() };
    let report = verify(&retired, &log.trust());
    assert!(!report.checks[2].holds && report.checks[2].detail.contains("retired at size 6"), "{report:?}");
    // The order of the signatures is no matter, and others may stand between.
    let both = Material { tree_head: head(&log, &[&log.agent, &next, &log.log]), ..good };
    assert_eq!(verdicts(&both, &log.trust()), [true; 3]);
}

#[test]
fn a_hand_over_that_not_both_keys_signed_is_not_believed() {
    let (log, next, hand_over) = handed_over();
    let mut short = Log::new();
    short.entries = log.entries[..4].to_vec();
    type Change = fn(&mut HandOver);
    let mut cases: Vec<HandOver> = [
        (|it| it.statement.index = 2) as Change,
        |it| it.statement.inclusion.clear(),
        |it| it.statement.record = STANDARD.encode("{}"),
        |it| it.tree_head = it.tree_head.replacen("\n4\n", "\n5\n", 1),
    ]
    .into_iter()
    .map(|change| {
        let mut changed = hand_over.clone();
        change(&mut changed);
        changed
    })
    .collect();
    for keys in [vec![&log.log], vec![&next], vec![&next, &log.portal]] {
        cases.push(HandOver { tree_head: head(&short, &keys), ..hand_over.clone() });
    }
    // Signed by both, but when the old key had been retired.
    let statement = log.logged(3);
    cases.push(HandOver { statement, tree_head: head(&log, &[&log.log, &next]) });
    for changed in cases {
        let material = Material {
            hand_overs: vec![changed.clone()],
            tree_head: head(&log, &[&next]),
            ..log.material(2, Some(0))
        };
        assert_eq!(verdicts(&material, &log.trust()), [false, false, false], "{changed:?}");
    }
}
