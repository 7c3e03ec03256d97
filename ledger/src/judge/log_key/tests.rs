use super::*;
use crate::log::{
    digest::Sha256Digest,
    key::{SigningKey, test_keys},
    timestamp::Timestamp,
};

const ORIGIN: &str = "log.example";

fn keys() -> [SigningKey; 3] {
    [test_keys::rfc8032_1(), test_keys::rfc8032_2(), SigningKey::from_bytes(&[9; 32])]
}

fn verifier(key: &SigningKey) -> VerifierKey {
    VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(key)).unwrap()
}

fn said(previous: &SigningKey, next: &SigningKey, overlap: u64) -> LogKey {
    LogKey {
        origin: ORIGIN.to_owned(),
        public_key: PublicKey::of(next),
        previous: PublicKey::of(previous),
        overlap,
        at: Timestamp::from_unix_ms(0).unwrap(),
        authorized_by: "command line".to_owned(),
        reason: None,
    }
}

fn note(size: u64, keys: &[&SigningKey]) -> String {
    let root = Sha256Digest::of(&size.to_be_bytes());
    TreeHead { origin: ORIGIN.to_owned(), size, root }.sign_by(keys).unwrap().to_string()
}

/// The hand-over stands at 9 and takes 5 sizes: [10, 15).
fn handed_over() -> (LogKeys, [SigningKey; 3]) {
    let keys = keys();
    let mut log = LogKeys::new(verifier(&keys[0]));
    log.hand_over(9, &said(&keys[0], &keys[1], 5)).unwrap();
    (log, keys)
}

#[test]
fn the_first_tree_heads_after_a_hand_over_are_signed_by_both_keys() {
    let (log, [old, new, _]) = handed_over();
    let (old, new) = (&old, &new);
    for (size, signed_by, holds) in [
        (0, vec![old], true),
        (9, vec![old], true),
        (9, vec![new], false),
        (9, vec![old, new], true),
        (10, vec![old], false),
        (10, vec![new], false),
        (10, vec![new, old], true),
        (14, vec![old], false),
        (14, vec![old, new], true),
        (15, vec![new], true),
        (15, vec![old], false),
        (15, vec![old, new], true),
        (1_000_000, vec![old], false),
    ] {
        let opened = log.open(&note(size, &signed_by));
        assert_eq!(opened.is_ok(), holds, "size {size}, {} signatures: {opened:?}", signed_by.len());
    }
    assert_eq!(log.signers(12).count(), 2);
    assert_eq!(log.newest().announced_by, Some(9));
}

#[test]
fn a_tree_head_by_the_retired_key_after_its_window_says_so() {
    let (log, [old, new, _]) = handed_over();
    let error = log.open(&note(15, &[&old])).unwrap_err().to_string();
    assert!(error.contains(&verifier(&new).to_string()), "{error}");
    assert!(error.ends_with("which was retired at size 15"), "{error}");
    let error = log.open(&note(8, &[&new])).unwrap_err().to_string();
    assert!(error.ends_with("which signs from size 10 on"), "{error}");
}

#[test]
fn unknown_signatures_pass_and_a_bad_one_of_a_key_that_must_sign_does_not() {
    let (log, [old, new, other]) = handed_over();
    assert!(log.open(&note(12, &[&other, &old, &new])).is_ok());
    assert!(log.open(&note(12, &[&other])).is_err());
    let mut parsed = Note::parse(&note(12, &[&old, &new])).unwrap();
    parsed.signatures[1].payload[3] ^= 1;
    let error = log.open(&parsed.to_string()).unwrap_err();
    assert_eq!(error, TreeHeadError::Note(NoteError::BadSignature(ORIGIN.to_owned())));
    // One good line of the same key beside the bad one changes nothing.
    parsed.sign(ORIGIN, &new).unwrap();
    assert!(log.open(&parsed.to_string()).is_err());
}

#[test]
fn a_hand_over_that_does_not_fit_is_refused_and_changes_nothing() {
    let (log, [old, new, third]) = handed_over();
    let mut foreign = said(&new, &third, 5);
    foreign.origin = "other.example".to_owned();
    let text = |key: &SigningKey| PublicKey::of(key).to_base64();
    for (index, said, expected) in [
        (20, foreign, LogKeyError::Origin { found: "other.example".to_owned(), expected: ORIGIN.to_owned() }),
        (20, said(&old, &third, 5), LogKeyError::Previous { found: text(&old), expected: text(&new) }),
        (20, said(&new, &old, 5), LogKeyError::Again(text(&old))),
        (20, said(&new, &new, 5), LogKeyError::Again(text(&new))),
        (20, said(&new, &third, 0), LogKeyError::NoOverlap),
        (13, said(&new, &third, 5), LogKeyError::Unfinished { until: 15, from: 14 }),
        (20, said(&new, &third, u64::MAX), LogKeyError::Overflow(u64::MAX)),
        (u64::MAX, said(&new, &third, 1), LogKeyError::Overflow(1)),
    ] {
        let mut tried = log.clone();
        assert_eq!(tried.hand_over(index, &said), Err(expected));
        assert_eq!(tried, log);
    }
    let mut log = log;
    log.hand_over(14, &said(&new, &third, 1)).unwrap();
    assert!(log.open(&note(15, &[&new, &third])).is_ok());
    assert!(log.open(&note(16, &[&third])).is_ok());
}

#[test]
fn whoever_trusts_a_later_key_passes_over_what_led_to_it() {
    let [first, second, third] = &keys();
    let next = SigningKey::from_bytes(&[10; 32]);
    let mut log = LogKeys::pinned(verifier(third));
    log.hand_over(3, &said(first, second, 1)).unwrap();
    assert_eq!(log.astray().collect::<Vec<_>>(), [3], "so far it leads nowhere");
    let error = log.hand_over(8, &said(first, third, 1)).unwrap_err();
    assert!(matches!(error, LogKeyError::Previous { .. }), "the second key signed by then: {error}");
    log.hand_over(9, &said(second, third, 1)).unwrap();
    assert_eq!(log.astray().count(), 0);
    assert!([first, second, third].iter().all(|key| log.knows(&PublicKey::of(key))));
    assert!(log.hand_over(11, &said(second, &next, 1)).is_err(), "a retired key hands nothing on");
    log.hand_over(12, &said(third, &next, 1)).unwrap();
    assert_eq!(log.newest().key, verifier(&next));
    assert!(log.hand_over(20, &said(first, second, 1)).is_err());
    // A hand-over from strangers to strangers is astray to the end; who knows the first key takes none at all.
    let mut log = LogKeys::pinned(verifier(third));
    log.hand_over(3, &said(first, second, 1)).unwrap();
    assert!(log.hand_over(9, &said(third, &next, 1)).is_ok());
    assert_eq!(log.astray().collect::<Vec<_>>(), [3]);
    assert!(LogKeys::new(verifier(third)).hand_over(3, &said(first, second, 1)).is_err());
}
