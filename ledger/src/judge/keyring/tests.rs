use proptest::prelude::*;

use super::*;
use crate::log::{
    key::{SigningKey, test_keys},
    note::{NoteKeyType, VerifierKey},
    statement::Predicate,
    timestamp::Timestamp,
};

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn public(seed: u8) -> PublicKey {
    PublicKey::of(&key(seed))
}

fn keyring() -> Keyring {
    let log = PublicKey::of(&test_keys::rfc8032_1());
    let log = LogKeys::new(VerifierKey::new("log.example", NoteKeyType::Ed25519, log).unwrap());
    Keyring::new(PublicKey::of(&test_keys::rfc8032_2()), log)
}

/// One event: which agent, which key, what.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Enrol(&'static str, u8),
    Rotate(&'static str, u8, u8),
    Revoke(&'static str, u8),
}

fn said(event: Event) -> AgentKey {
    let (agent, seed, action, previous, reason) = match event {
        Event::Enrol(agent, seed) => (agent, seed, AgentKeyAction::Enrolled, None, None),
        Event::Rotate(agent, from, to) => (agent, to, AgentKeyAction::Rotated, Some(public(from)), None),
        Event::Revoke(agent, seed) => {
            (agent, seed, AgentKeyAction::Revoked, None, Some("stolen laptop".to_owned()))
        }
    };
    AgentKey {
        agent: agent.to_owned(),
        public_key: public(seed),
        action,
        at: Timestamp::from_unix_ms(0).unwrap(),
        authorized_by: "adam".to_owned(),
        owner: Some("olga".to_owned()),
        previous,
        reason,
    }
}

fn statement<P: Predicate>(said: &P, subject: crate::log::statement::Subject) -> Statement {
    Statement::new(vec![subject], said).unwrap()
}

fn signed(event: Event) -> (Envelope, Statement) {
    let said = said(event);
    let statement = statement(&said, said.subject());
    let envelope = match event {
        Event::Rotate(_, from, to) => {
            let mut envelope = statement.sign(&key(from)).unwrap();
            envelope.cosign(&key(to));
            envelope
        }
        _ => statement.sign(&test_keys::rfc8032_2()).unwrap(),
    };
    (envelope, statement)
}

fn apply(keyring: &mut Keyring, index: u64, event: Event) -> Result<(), KeyringError> {
    let (envelope, statement) = signed(event);
    keyring.apply(index, &envelope, &statement)
}

fn valid(keyring: &Keyring, seed: u8, index: u64) -> bool {
    keyring.may_sign(&public(seed).id(), index).is_ok()
}

/// Enrolled at 0, rotated at 10, revoked at 20, enrolled anew at 30.
fn a_whole_life() -> Keyring {
    let mut keyring = keyring();
    apply(&mut keyring, 0, Event::Enrol("a", 1)).unwrap();
    apply(&mut keyring, 10, Event::Rotate("a", 1, 2)).unwrap();
    apply(&mut keyring, 20, Event::Revoke("a", 2)).unwrap();
    apply(&mut keyring, 30, Event::Enrol("a", 3)).unwrap();
    keyring
}

#[test]
fn who_may_sign_which_entry() {
    let keyring = a_whole_life();
    for (seed, first, last) in [(1, 1, 10), (2, 11, 19), (3, 31, u64::MAX)] {
        assert!(!valid(&keyring, seed, first - 1), "key {seed} before {first}");
        assert!(valid(&keyring, seed, first) && valid(&keyring, seed, last), "key {seed}");
        assert!(last == u64::MAX || !valid(&keyring, seed, last + 1), "key {seed} after {last}");
    }
    assert_eq!(keyring.active("a").map(|life| life.introduced_at), Some(30));
    assert_eq!(keyring.active("b"), None);
    assert_eq!(keyring.life(&public(2).id()).unwrap().owner.as_deref(), Some("olga"));
    assert_eq!(keyring.may_sign(&keyring.portal().id(), 7), Ok(SignedBy::Portal));
    let log = PublicKey::of(&test_keys::rfc8032_1()).id();
    assert_eq!(keyring.may_sign(&log, 7), Err(KeyRefusal::Log(log)));
}

#[test]
fn a_refusal_says_what_ended_the_key_and_why() {
    let keyring = a_whole_life();
    let refused = |seed: u8, index| keyring.may_sign(&public(seed).id(), index).unwrap_err().to_string();
    assert!(refused(1, 11).contains("replaced by entry 10"));
    assert!(refused(2, 20).contains("revoked by entry 20 (stolen laptop)"));
    assert!(refused(3, 30).contains("introduced by entry 30"));
    assert!(refused(9, 1).contains("no entry before it introduces the key"));
}

/// The time in a statement is the signer's word; the log's order is not.
#[test]
fn a_backdated_statement_by_a_revoked_key_is_refused() {
    let keyring = a_whole_life();
    let (backdated, _) = signed(Event::Rotate("a", 2, 9)); // says 1970, and is signed by keys 2 and 9
    let refusal = keyring.signer(25, &backdated).unwrap_err();
    assert!(matches!(refusal, SignatureRefusal::Key(KeyRefusal::Revoked { at: 20, .. })), "{refusal}");
    let mut keyring = keyring;
    let error = apply(&mut keyring, 31, Event::Rotate("a", 2, 9)).unwrap_err();
    assert!(matches!(error, KeyringError::NotTheKey { .. }), "{error}");
    let error = apply(&mut keyring, 5, Event::Revoke("a", 3)).unwrap_err();
    assert!(matches!(error, KeyringError::Order { index: 5, after: 30 }), "{error}");
}

#[test]
fn a_key_serves_one_purpose_and_never_comes_back() {
    let mut keyring = a_whole_life();
    keyring.reserve(public(8), "w1");
    apply(&mut keyring, 40, Event::Enrol("b", 5)).unwrap();
    for (seed, purpose) in
        [(1, "agent \"a\"'s"), (2, "agent \"a\"'s"), (5, "agent \"b\"'s"), (8, "witness \"w1\"'s")]
    {
        // A rotation to the agent's own key lacks its second signature already.
        let rotation = (seed != 5).then_some(Event::Rotate("b", 5, seed));
        for event in [Event::Enrol("c", seed)].into_iter().chain(rotation) {
            let error = apply(&mut keyring, 41, event).unwrap_err().to_string();
            assert!(error.contains(purpose) && error.contains("never serves two purposes"), "{error}");
        }
    }
    for (taken, purpose) in [(test_keys::rfc8032_1(), "the log's"), (test_keys::rfc8032_2(), "the portal's")]
    {
        let mut said = said(Event::Enrol("c", 0));
        said.public_key = PublicKey::of(&taken);
        let statement = statement(&said, said.subject());
        let envelope = statement.sign(&test_keys::rfc8032_2()).unwrap();
        let error = keyring.apply(41, &envelope, &statement).unwrap_err().to_string();
        assert!(error.contains(purpose), "{error}");
    }
    // An agent's key as the log's next one.
    let said = LogKey {
        origin: "log.example".to_owned(),
        public_key: public(5),
        previous: PublicKey::of(&test_keys::rfc8032_1()),
        overlap: 1,
        at: Timestamp::from_unix_ms(0).unwrap(),
        authorized_by: "command line".to_owned(),
        reason: None,
    };
    let statement = statement(&said, said.subject());
    let envelope = statement.sign(&test_keys::rfc8032_2()).unwrap();
    let error = keyring.apply(41, &envelope, &statement).unwrap_err().to_string();
    assert!(error.contains("agent \"b\"'s"), "{error}");
}

#[test]
fn statements_that_contradict_what_came_before_are_refused() {
    let mut keyring = keyring();
    apply(&mut keyring, 0, Event::Enrol("a", 1)).unwrap();
    for (event, part) in [
        (Event::Enrol("a", 2), "has a key that may sign, introduced by entry 0"),
        (Event::Rotate("b", 1, 2), "\"b\" has no key"),
        (Event::Rotate("a", 3, 2), "is not the one that signs for agent \"a\""),
        (Event::Rotate("a", 1, 1), "1 of the 2 needed signatures"),
        (Event::Revoke("a", 2), "is not the one that signs"),
        (Event::Revoke("b", 1), "\"b\" has no key"),
    ] {
        let error = apply(&mut keyring, 1, event).unwrap_err().to_string();
        assert!(error.contains(part), "{event:?}: {error}");
        assert_eq!(keyring.lives().len(), 1, "nothing is changed");
    }
    type Change = fn(&mut AgentKey);
    let cases: [(Event, Change, &str); 5] = [
        (Event::Enrol("b", 2), |said| said.previous = Some(public(1)), "predicate.previous"),
        (Event::Enrol("b", 2), |said| said.reason = Some("x".to_owned()), "predicate.reason"),
        (Event::Rotate("a", 1, 2), |said| said.previous = None, "predicate.previous"),
        (Event::Revoke("a", 1), |said| said.reason = None, "predicate.reason"),
        (Event::Revoke("a", 1), |said| said.reason = Some(String::new()), "predicate.reason"),
    ];
    for (event, change, field) in cases {
        let mut said = said(event);
        change(&mut said);
        let statement = statement(&said, said.subject());
        let envelope = statement.sign(&test_keys::rfc8032_2()).unwrap();
        let error = keyring.apply(1, &envelope, &statement).unwrap_err().to_string();
        assert!(error.contains(field), "{field}: {error}");
    }
}

#[test]
fn each_action_needs_the_signatures_of_its_keys() {
    let (a, b, portal) = (key(1), key(2), test_keys::rfc8032_2());
    let sign = |event: Event, keys: &[&SigningKey]| {
        let (_, statement) = signed(event);
        let mut envelope = statement.sign(keys[0]).unwrap();
        keys[1..].iter().for_each(|key| envelope.cosign(key));
        (envelope, statement)
    };
    for (event, keys, holds) in [
        (Event::Rotate("a", 1, 2), vec![&a, &b], true),
        (Event::Rotate("a", 1, 2), vec![&b, &a], true),
        (Event::Rotate("a", 1, 2), vec![&a], false),
        (Event::Rotate("a", 1, 2), vec![&b], false),
        (Event::Rotate("a", 1, 2), vec![&portal], false),
        (Event::Rotate("a", 1, 2), vec![&a, &a], false),
        (Event::Rotate("a", 1, 2), vec![&portal, &b], false),
        (Event::Revoke("a", 1), vec![&portal], true),
        (Event::Revoke("a", 1), vec![&a], false),
        (Event::Enrol("b", 2), vec![&b], false),
        (Event::Enrol("b", 2), vec![&portal], true),
    ] {
        let mut keyring = keyring();
        apply(&mut keyring, 0, Event::Enrol("a", 1)).unwrap();
        let (envelope, statement) = sign(event, &keys);
        let applied = keyring.apply(1, &envelope, &statement);
        assert_eq!(applied.is_ok(), holds, "{event:?} by {} keys: {applied:?}", keys.len());
    }
}

#[test]
fn a_signature_is_found_whatever_the_hints_say() {
    let keyring = a_whole_life();
    let (_, statement) = signed(Event::Enrol("z", 7));
    let mut envelope = statement.sign(&key(2)).unwrap();
    for hint in [public(2).id().to_string(), public(1).id().to_string(), String::new(), "x".to_owned()] {
        envelope.signatures[0].keyid = hint;
        let (normal, signer) = keyring.signer(15, &envelope).unwrap();
        assert_eq!(normal.signatures[0].keyid, public(2).id().to_string());
        assert!(matches!(signer, SignedBy::Agent(life) if life.introduced_at == 10));
    }
    let stranger = statement.sign(&key(77)).unwrap();
    assert!(matches!(keyring.signer(15, &stranger), Err(SignatureRefusal::Key(KeyRefusal::Unknown(_)))));
    let mut broken = statement.sign(&key(2)).unwrap();
    broken.signatures[0].sig[9] ^= 1;
    assert_eq!(keyring.signer(15, &broken).unwrap_err(), SignatureRefusal::Unsigned { offered: 1 });
}

/// A sequence of events that fit each other, from numbers.
fn life(choices: &[u8]) -> Vec<Event> {
    let (mut events, mut next) = (Vec::new(), 1);
    let mut active: BTreeMap<&'static str, u8> = BTreeMap::new();
    for choice in choices {
        let agent = ["a", "b"][usize::from(choice & 1)];
        let event = match (active.get(agent).copied(), choice & 2) {
            (None, _) => Event::Enrol(agent, next),
            (Some(now), 0) => Event::Rotate(agent, now, next),
            (Some(now), _) => Event::Revoke(agent, now),
        };
        match event {
            Event::Revoke(..) => drop(active.remove(agent)),
            Event::Enrol(..) | Event::Rotate(..) => {
                active.insert(agent, next);
                next += 1;
            }
        }
        events.push(event);
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Leaving out one statement never makes a signature valid, but for one: the end of that very key, and that only up
    /// to the next statement about the agent, which no longer fits.
    #[test]
    fn leaving_out_an_entry_makes_nothing_valid_but_what_it_ended(
        choices in prop::collection::vec(0u8..4, 1..10),
        left_out in 0usize..10,
    ) {
        let events = life(&choices);
        let left_out = left_out % events.len();
        let mut whole = keyring();
        for (index, event) in events.iter().enumerate() {
            apply(&mut whole, index as u64 * 2, *event).unwrap();
        }
        let mut part = keyring();
        let mut noticed = false;
        for (index, event) in events.iter().enumerate().filter(|(index, _)| *index != left_out) {
            noticed |= apply(&mut part, index as u64 * 2, *event).is_err();
        }
        let (ends, agent) = match events[left_out] {
            Event::Enrol(agent, _) => (None, agent),
            Event::Rotate(agent, key, _) | Event::Revoke(agent, key) => (Some(key), agent),
        };
        let of_agent = |event: &Event| matches!(event, Event::Enrol(a, _) | Event::Rotate(a, ..) | Event::Revoke(a, _) if *a == agent);
        if ends.is_some() && events[left_out + 1..].iter().any(of_agent) {
            prop_assert!(noticed, "the next statement about the agent does not fit");
        }
        if noticed {
            return Ok(()); // a checker stops there
        }
        for seed in 1..12u8 {
            for index in 0..events.len() as u64 * 2 + 2 {
                let gained = valid(&part, seed, index) && !valid(&whole, seed, index);
                prop_assert!(!gained || ends == Some(seed), "key {} gained entry {}", seed, index);
                prop_assert!(!gained || index >= left_out as u64 * 2, "and nothing before its end");
            }
        }
    }

    /// At most one key of an agent may sign an entry.
    #[test]
    fn an_agent_has_one_key_at_a_time(choices in prop::collection::vec(0u8..4, 1..12)) {
        let mut keyring = keyring();
        let events = life(&choices);
        for (index, event) in events.iter().enumerate() {
            apply(&mut keyring, index as u64, *event).unwrap();
        }
        for index in 0..events.len() as u64 + 2 {
            for agent in ["a", "b"] {
                let lives = keyring.lives().iter();
                let valid = lives.filter(|life| life.agent == agent && life.signs(index).is_ok()).count();
                prop_assert!(valid <= 1, "{} keys of {} at {}", valid, agent, index);
            }
        }
    }
}
