//! A log of our own, its truth and its lies.

use acta_ledger::log::{
    entry::Entry,
    key::SigningKey,
    merkle::{Frontier, node_hash},
    note::NoteKeyType,
    statement::{Predicate, Statement, Subject},
    tree_head::TreeHead,
    verification::LoggedEntry,
};

use super::*;

#[derive(Serialize, Deserialize)]
struct Anything {
    n: u64,
}

impl Predicate for Anything {
    const TYPE: &'static str = "urn:acta:anything:v1";
}

const ORIGIN: &str = "acta.test/ledger";

struct Log {
    key: SigningKey,
    portal: SigningKey,
    entries: Vec<Entry>,
}

impl Log {
    fn of(entries: u64) -> Self {
        let (key, portal) = (SigningKey::from_bytes(&[7; 32]), SigningKey::from_bytes(&[8; 32]));
        let entries = (0..entries)
            .map(|n| {
                let subject = Subject::new(format!("thing {n}"), Sha256Digest::of(&n.to_be_bytes()));
                let statement = Statement::new(vec![subject], &Anything { n }).unwrap();
                Entry::of(&statement.sign(&portal).unwrap()).unwrap()
            })
            .collect();
        Self { key, portal, entries }
    }

    fn head(&self) -> TreeHead {
        let mut frontier = Frontier::default();
        self.entries.iter().for_each(|entry| frontier.append(entry.leaf_hash()));
        TreeHead { origin: ORIGIN.to_owned(), size: self.entries.len() as u64, root: frontier.root() }
    }

    /// Material for an entry of a log of at most two entries: its sibling is the whole proof.
    fn material(&self, index: usize) -> Material {
        let inclusion = match self.entries.len() {
            2 => vec![self.entries[1 - index].leaf_hash()],
            _ => Vec::new(),
        };
        let record = STANDARD.encode(self.entries[index].bytes());
        Material {
            entry: LoggedEntry { record, index: index as u64, inclusion },
            key_history: Vec::new(),
            hand_overs: Vec::new(),
            tree_head: self.head().sign(&self.key).unwrap().to_string(),
        }
    }

    fn claim(&self, index: usize) -> Claim {
        let log = VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&self.key)).unwrap();
        let keys = Keys { log: log.to_string(), portal: PublicKey::of(&self.portal).to_base64() };
        Claim { index: index as u64, digest: self.entries[index].digest(), keys }
    }

    fn memory(&self) -> Memory {
        let (keys, head) = (self.claim(0).keys, self.head());
        Memory {
            log_key: keys.log,
            portal_key: keys.portal,
            first_seen: "2026-11-29".to_owned(),
            size: head.size,
            root: head.root,
        }
    }
}

#[test]
fn an_entry_of_an_unknown_log_is_believed_on_first_use() {
    let log = Log::of(2);
    let found = examine(&log.material(1), &log.claim(1), None).unwrap();
    assert!(found.entry_holds(), "{found:?}");
    assert_eq!(found.continuity, Continuity::First);
    assert_eq!(found.head, Some((2, log.head().root)));
}

#[test]
fn a_log_that_grew_needs_its_proof() {
    let (before, now) = (Log::of(1), Log::of(2));
    let memory = before.memory();
    let found = examine(&now.material(0), &now.claim(0), Some(&memory)).unwrap();
    assert_eq!(found.continuity, Continuity::Grown);
    let head = found.head.unwrap();
    let proof = [now.entries[1].leaf_hash()];
    assert_eq!(head.1, node_hash(&before.entries[0].leaf_hash(), &proof[0]));
    assert_eq!(continues(&memory, head, &proof), Ok(()));
    assert!(continues(&memory, head, &[]).is_err());
    assert!(continues(&memory, head, &[before.entries[0].leaf_hash()]).is_err());
    assert_eq!(continues(&Memory { size: 0, ..memory }, head, &[]), Ok(()));
}

#[test]
fn a_log_that_lost_entries_or_changed_them_is_caught() {
    let (long, short) = (Log::of(2), Log::of(1));
    let found = examine(&short.material(0), &short.claim(0), Some(&long.memory())).unwrap();
    assert_eq!(found.continuity, Continuity::Truncated);
    let forked = Memory { root: Sha256Digest::of(b"another"), ..long.memory() };
    let found = examine(&long.material(0), &long.claim(0), Some(&forked)).unwrap();
    assert_eq!(found.continuity, Continuity::Forked);
    let found = examine(&long.material(0), &long.claim(0), Some(&long.memory())).unwrap();
    assert_eq!(found.continuity, Continuity::Same);
}

#[test]
fn other_keys_than_before_are_never_believed() {
    let log = Log::of(1);
    let mut other = Log::of(1);
    other.key = SigningKey::from_bytes(&[9; 32]);
    // The page names its own keys and everything fits together; only the memory knows better.
    assert!(examine(&other.material(0), &other.claim(0), None).unwrap().entry_holds());
    let found = examine(&other.material(0), &other.claim(0), Some(&log.memory())).unwrap();
    assert!(found.keys_changed && !found.entry_holds());
    assert_eq!(found.continuity, Continuity::Unknown);
}

#[test]
fn an_entry_that_is_not_what_the_page_shows_does_not_hold() {
    let log = Log::of(2);
    let found = examine(&log.material(1), &log.claim(0), None).unwrap();
    assert!(found.report.all_hold() && !found.entry_holds());
    assert_eq!(found.reason().unwrap().1, "the answer is of entry 1");
    let claim = Claim { digest: Sha256Digest::of(b"shown"), ..log.claim(1) };
    let found = examine(&log.material(1), &claim, None).unwrap();
    assert!(found.reason().unwrap().1.starts_with("the page shows "), "{found:?}");
}

#[test]
fn a_changed_byte_fails_and_the_reason_names_the_entry() {
    let log = Log::of(2);
    let mut material = log.material(1);
    let mut record = STANDARD.decode(&material.entry.record).unwrap();
    let middle = record.len() / 2;
    record[middle] ^= 1;
    material.entry.record = STANDARD.encode(record);
    let found = examine(&material, &log.claim(1), None).unwrap();
    let (kind, reason) = found.reason().unwrap();
    assert!(!found.entry_holds() && reason.contains("entry 1"), "{reason}");
    assert!(matches!(kind, CheckKind::Signature | CheckKind::Inclusion));
}

#[test]
fn keys_that_are_no_keys_are_an_error_of_their_own() {
    let log = Log::of(1);
    let keys = Keys { log: "nonsense".to_owned(), portal: String::new() };
    assert!(examine(&log.material(0), &Claim { keys, ..log.claim(0) }, None).is_err());
}
