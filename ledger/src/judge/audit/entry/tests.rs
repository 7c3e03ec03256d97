use serde_json::json;

use super::*;
use crate::evidence::{
    build::{BlobRef, Outcome},
    retention::{RetentionRecord, RetentionState},
};
use crate::judge::advice::tests::summary;
use crate::log::{
    entry::Entry,
    key::{SigningKey, test_keys},
    note::NoteKeyType,
    statement::{STATEMENT_TYPE, Subject},
};

fn entry(kind: &str, predicate: serde_json::Value, key: &SigningKey) -> Vec<u8> {
    let statement = Statement {
        statement_type: STATEMENT_TYPE.to_owned(),
        subject: vec![Subject::new("it", Sha256Digest::of(b"it"))],
        predicate_type: kind.to_owned(),
        predicate,
    };
    Entry::of(&statement.sign(key).unwrap()).unwrap().bytes().to_vec()
}

fn key_entry(action: &str, reason: Option<&str>, key: &SigningKey) -> Vec<u8> {
    let mut said = json!({ "agent": "builder-7", "publicKey": PublicKey::of(key).to_base64(), "action": action,
        "at": "2026-11-30T00:00:00Z", "authorizedBy": "admin", "owner": null });
    if let Some(reason) = reason {
        said["reason"] = reason.into();
    }
    entry(AgentKey::TYPE, said, &test_keys::rfc8032_2())
}

fn said(sequence: u64, key: &SigningKey) -> Vec<u8> {
    let previous = (sequence > 1).then(|| Sha256Digest::of(b"another"));
    entry("urn:acta:said:v1", json!({ "chain": { "sequence": sequence, "previous": previous } }), key)
}

fn fold() -> EntryFold {
    let log = PublicKey::of(&test_keys::rfc8032_1());
    let log = VerifierKey::new("log.example", NoteKeyType::Ed25519, log).unwrap();
    EntryFold::new(log, PublicKey::of(&test_keys::rfc8032_2()))
}

/// Takes the entries, remembering and going on after each of them as an audit that is stopped does.
fn names(entries: &[Vec<u8>]) -> Vec<(u64, &'static str)> {
    let mut fold = fold();
    let mut found = Vec::new();
    for (index, record) in (0..).zip(entries) {
        let examined = examine(record, &fold.known());
        let taken = fold.take(index, record, examined);
        found.extend(taken.findings.iter().map(|finding| (index, finding.name())));
        let written =
            (serde_json::to_string(fold.keys()).unwrap(), serde_json::to_string(fold.chains()).unwrap());
        fold = EntryFold::resume(
            serde_json::from_str(&written.0).unwrap(),
            serde_json::from_str(&written.1).unwrap(),
            fold.routes().clone(),
        );
    }
    found
}

#[test]
fn a_key_signs_from_its_enrolment_until_it_is_revoked() {
    let (first, second) = (SigningKey::from_bytes(&[7; 32]), SigningKey::from_bytes(&[8; 32]));
    let entries = [
        key_entry("enrolled", None, &first),
        said(1, &first),
        key_entry("revoked", Some("the disk was sold"), &first),
        said(2, &first),
        // A new enrolment begins a new chain; what the revoked key signed does not count in it.
        key_entry("enrolled", None, &second),
        said(1, &second),
        said(2, &first),
    ];
    assert_eq!(names(&entries), [(3, "key not valid"), (6, "key not valid")]);
}

#[test]
fn a_key_that_nobody_introduced_is_a_bad_signature() {
    let stranger = SigningKey::from_bytes(&[9; 32]);
    let mut rogue = key_entry("enrolled", None, &stranger);
    let payload = Envelope::parse(&rogue).unwrap();
    let statement = Statement::from_envelope(&payload).unwrap();
    rogue = Entry::of(&statement.sign(&stranger).unwrap()).unwrap().bytes().to_vec();
    assert_eq!(names(&[said(1, &stranger), rogue]), [(0, "bad signature"), (1, "bad signature")]);
    assert_eq!(names(&[b"no envelope".to_vec()]), [(0, "bad signature")]);
}

/// Entries are examined many at once, before the keys that the entries before them introduce are known.
#[test]
fn an_entry_that_was_examined_too_early_is_examined_again() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let entries = [key_entry("enrolled", None, &key), said(1, &key)];
    let mut fold = fold();
    let early: Vec<Examined> = entries.iter().map(|record| examine(record, &fold.known())).collect();
    assert!(early[1].said.as_ref().unwrap().signers.is_empty());
    for ((index, record), examined) in (0..).zip(&entries).zip(early) {
        assert!(fold.take(index, record, examined).findings.is_empty());
    }
}

/// An agent that serves two logs with one key: what it said to the other one counts for nothing here.
#[test]
fn what_was_said_to_another_log_is_named_and_is_no_part_of_the_chain() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let said = |link: ChainLink| entry("urn:acta:said:v1", json!({ "chain": link }), &key);
    let first = said(ChainLink::new(1, None).in_log("log.example"));
    let second = ChainLink::new(2, Some(Sha256Digest::of(&first)));
    let entries = [
        key_entry("enrolled", None, &key),
        first,
        said(second.in_log("log.example/other")),
        said(second.in_log("log.example")),
    ];
    assert_eq!(names(&entries), [(2, "other log")]);
}

#[test]
fn what_was_said_of_a_route_to_another_log_counts_for_no_route_and_excuses_no_blob() {
    let key = SigningKey::from_bytes(&[7; 32]);
    let blob =
        |number: u8| BlobRef { digest: Sha256Digest([number; 32]), bytes: 1, media_type: String::new() };
    let taken_in = |origin: &str| {
        let record = RetentionRecord {
            route: "a/b".to_owned(),
            bundle: blob(1),
            runtime_config: blob(2),
            state: RetentionState::Purged,
            retained_until: None,
            at: "2026-11-30T00:00:00Z".parse().unwrap(),
            purged_by: None,
            chain: Some(ChainLink::new(1, None).in_log(origin)),
        };
        let entries = [
            key_entry("enrolled", None, &key),
            entry(RetentionRecord::TYPE, serde_json::to_value(record).unwrap(), &key),
        ];
        let mut fold = fold();
        let taken: Vec<_> = (0..)
            .zip(&entries)
            .map(|(index, record)| fold.take(index, record, examine(record, &fold.known())))
            .collect();
        (fold.routes().routes().count(), taken[1].purged, taken[1].findings.len())
    };
    assert_eq!(taken_in("log.example"), (1, Some(blob(1).digest), 0));
    assert_eq!(taken_in("log.example/other"), (0, None, 1));
}

/// The auditor heard of the log when it had its third key.
#[test]
fn a_later_key_of_the_log_may_be_the_trusted_one() {
    let keys = [[11; 32], [12; 32]].map(|seed| SigningKey::from_bytes(&seed));
    let hand_over = |previous: &SigningKey, next: &SigningKey| {
        let said = json!({ "origin": "log.example", "publicKey": PublicKey::of(next),
            "previous": PublicKey::of(previous), "overlap": 1, "at": "2026-11-30T00:00:00Z",
            "authorizedBy": "command line", "reason": null });
        entry(LogKey::TYPE, said, &test_keys::rfc8032_2())
    };
    let led = [hand_over(&keys[0], &keys[1]), hand_over(&keys[1], &test_keys::rfc8032_1())];
    assert_eq!(names(&led), []);
    let mut fold = fold();
    for (index, record) in (0..).zip(&led[..1]) {
        assert!(fold.take(index, record, examine(record, &fold.known())).findings.is_empty());
    }
    let at_end: Vec<_> = fold.at_end().iter().map(Finding::name).collect();
    assert_eq!(at_end, ["bad signature"], "the hand-over to the trusted key is missing");
}

/// Reading a build in one pass is a short way and no other one: whatever is wrong with a statement, both say the same.
#[test]
fn a_build_that_is_read_at_once_says_what_it_says_in_steps() {
    let build = summary(Outcome::Completed);
    let subject = vec![Subject::new("it", Sha256Digest::of(b"it"))];
    let good = crate::log::jcs::to_vec(&Statement::new(subject, &build).unwrap()).unwrap();
    let good = String::from_utf8(good).unwrap();
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let predicate = good.split_once("\"predicate\":").unwrap().1.split_once(",\"predicateType\"").unwrap().0;
    let chain = predicate.split_once("\"chain\":").unwrap().1.split_once('}').unwrap().0;
    let at_once = |payload: &str| {
        let envelope =
            Envelope::sign(payload.into(), crate::log::dsse::PAYLOAD_TYPE, &test_keys::rfc8032_1());
        (read_at_once::<BuildSummary>(&envelope).is_some(), envelope)
    };
    let mut taken = 0;
    for payload in [
        good.clone(),
        with("\"predicateType\":\"urn:acta:", "\"predicateType\":\"urn:\\u0061cta:"),
        with("\"predicateType\":\"urn:acta:", "\"predicateType\":\"urn:other:"),
        with("\"_type\":\"https", "\"_type\":\"http"),
        with("\"subject\":[", "\"subject\":[],\"more\":["),
        with("\"sha256\":\"", "\"sha256\":\"x"),
        with(predicate, "null"),
        with(predicate, "[]"),
        with(predicate, &format!("{},\"more\":{{\"a\":1}}}}", predicate.strip_suffix('}').unwrap())),
        with(predicate, &format!("{},\"more\":{{\"a\":1,\"a\":2}}}}", predicate.strip_suffix('}').unwrap())),
        with(predicate, &format!("{},\"more\":9007199254740993}}", predicate.strip_suffix('}').unwrap())),
        with(chain, "{\"previous\":null,\"sequence\":-1"),
        with(&format!("\"chain\":{chain}}}"), "\"chain\":[null,1]"),
        with(&format!("\"chain\":{chain}}}"), "\"chain\":null"),
        // What was not signed for this type stands in a text that names it.
        with("\"predicateType\":\"urn:acta:build", "\"predicateType\":\"urn:acta:\\u0062uild"),
        format!("{good} "),
        good[..good.len() - 1].to_owned(),
    ] {
        let (is_short, envelope) = at_once(&payload);
        let record = envelope.to_canonical_json();
        let signer = PublicKey::of(&test_keys::rfc8032_1());
        let key = Arc::new(BusyKey::new(signer, Tables::default()));
        let known: KnownKeys = Arc::new(HashMap::from([(signer.id(), key)]));
        let read = format!("{:?}", examine(&record, &known).said);
        assert_eq!(read, format!("{:?}", read_in_steps(&envelope, vec![signer.id()])), "{payload}");
        taken += usize::from(is_short);
    }
    assert!((2..6).contains(&taken), "the short way was taken {taken} times");
}
