use super::{
    super::{
        entry::Entry,
        key::{SigningKey, test_keys},
        merkle::Frontier,
        note::NoteKeyType,
        proof::Plan,
        statement::{Predicate, Subject},
        timestamp::Timestamp,
    },
    *,
};
use crate::evidence::agent_key::AgentKeyAction;

mod history;

#[derive(Serialize, Deserialize)]
struct Said {
    what: String,
}
impl Predicate for Said {
    const TYPE: &'static str = "urn:acta:said:v1";
}

/// A log of three entries: the agent's enrolment, something unrelated, the agent's statement.
struct Log {
    log: SigningKey,
    portal: SigningKey,
    agent: SigningKey,
    entries: Vec<Vec<u8>>,
}

impl Log {
    fn new() -> Self {
        let (portal, agent) = (test_keys::rfc8032_2(), SigningKey::from_bytes(&[7; 32]));
        let enrolment = AgentKey {
            agent: "builder-7".to_owned(),
            public_key: PublicKey::of(&agent),
            action: AgentKeyAction::Enrolled,
            at: Timestamp::from_unix_ms(0).unwrap(),
            authorized_by: "admin".to_owned(),
            owner: None,
            previous: None,
            reason: None,
        };
        let entry = |statement: Statement, key: &SigningKey| {
            Entry::of(&statement.sign(key).unwrap()).unwrap().bytes().to_vec()
        };
        let said = |what: &str| {
            let subject = Subject::new(what, Sha256Digest::of(what.as_bytes()));
            Statement::new(vec![subject], &Said { what: what.to_owned() }).unwrap()
        };
        let entries = vec![
            entry(Statement::new(vec![enrolment.subject()], &enrolment).unwrap(), &portal),
            entry(said("unrelated"), &portal),
            entry(said("a build"), &agent),
        ];
        Self { log: test_keys::rfc8032_1(), portal, agent, entries }
    }

    fn trust(&self) -> Trust {
        let key = PublicKey::of(&self.log);
        let log = VerifierKey::new("log.example", NoteKeyType::Ed25519, key).unwrap();
        Trust { log, portal: PublicKey::of(&self.portal) }
    }

    fn logged(&self, index: u64) -> LoggedEntry {
        let leaves: Vec<_> = self.entries.iter().map(|entry| leaf_hash(entry)).collect();
        let plan = Plan::inclusion(index, leaves.len() as u64).unwrap();
        let inclusion = plan.assemble(|node| {
            let start = (node.index << node.level) as usize;
            Some(super::super::merkle::test_tree::naive_root(&leaves[start..start + (1 << node.level)]))
        });
        let record = STANDARD.encode(&self.entries[index as usize]);
        LoggedEntry { record, index, inclusion: inclusion.unwrap() }
    }

    fn material(&self, index: u64, enrolment: Option<u64>) -> Material {
        let mut frontier = Frontier::default();
        self.entries.iter().for_each(|entry| frontier.append(leaf_hash(entry)));
        let head =
            TreeHead { origin: "log.example".to_owned(), size: frontier.size(), root: frontier.root() };
        let tree_head = head.sign(&self.log).unwrap().to_string();
        Material {
            entry: self.logged(index),
            key_history: enrolment.into_iter().map(|index| self.logged(index)).collect(),
            hand_overs: Vec::new(),
            tree_head,
        }
    }
}

fn verdicts(material: &Material, trust: &Trust) -> [bool; 3] {
    let report = verify(material, trust);
    assert_eq!(report.checks.len(), 3);
    [report.checks[0].holds, report.checks[1].holds, report.checks[2].holds]
}

#[test]
fn an_agents_entry_and_the_portals_own_verify() {
    let log = Log::new();
    let report = verify(&log.material(2, Some(0)), &log.trust());
    assert!(report.all_hold(), "{report:?}");
    let key_id = PublicKey::of(&log.agent).id();
    let signer = Signer { key_id, name: "builder-7".to_owned(), introduced_at: Some(0), ended: None };
    assert_eq!((report.signer, report.tree_size), (Some(signer), Some(3)));
    assert!(verify(&log.material(0, None), &log.trust()).all_hold());
    assert!(verify(&log.material(1, None), &log.trust()).all_hold());
}

/// Every byte of the record, one after the other: the signature or the inclusion fails, and says at which entry.
#[test]
fn each_flipped_byte_of_an_entry_is_found() {
    let log = Log::new();
    let good = log.material(2, Some(0));
    for at in 0..log.entries[2].len() {
        let mut record = log.entries[2].clone();
        record[at] ^= 1;
        let mut material = good.clone();
        material.entry.record = STANDARD.encode(&record);
        let report = verify(&material, &log.trust());
        assert!(
            !report.checks[1].holds && report.checks[1].detail.starts_with("entry 2:"),
            "byte {at}: {report:?}"
        );
        assert!(report.checks[2].holds);
    }
}

#[test]
fn who_signed_is_decided_by_the_log_and_not_by_the_server() {
    let log = Log::new();
    // Without the enrolment, with another entry for it, or with a damaged one, the agent's key means nothing.
    assert_eq!(verdicts(&log.material(2, None), &log.trust()), [false, true, true]);
    assert_eq!(verdicts(&log.material(2, Some(1)), &log.trust()), [false, true, true]);
    assert_eq!(verdicts(&log.material(2, Some(2)), &log.trust()), [false, true, true]);
    let mut moved = log.material(2, Some(0));
    moved.key_history[0].index = 1;
    assert_eq!(verdicts(&moved, &log.trust()), [false, true, true]);

    // An enrolment that the portal did not sign, although it stands in the log.
    let mut rogue = Log::new();
    let enrolment: Statement = {
        let bytes = rogue.entries[0].clone();
        Statement::from_envelope(&Envelope::parse(&bytes).unwrap()).unwrap()
    };
    rogue.entries[0] = Entry::of(&enrolment.sign(&rogue.agent).unwrap()).unwrap().bytes().to_vec();
    assert_eq!(verdicts(&rogue.material(2, Some(0)), &rogue.trust()), [false, true, true]);
}

#[test]
fn another_logs_or_a_changed_tree_head_is_not_believed() {
    let log = Log::new();
    let good = log.material(2, Some(0));
    let mut larger = good.clone();
    larger.tree_head = larger.tree_head.replacen("\n3\n", "\n4\n", 1);
    assert_eq!(verdicts(&larger, &log.trust()), [false, false, false]);
    let mut foreign = log.trust();
    foreign.log = VerifierKey::new("log.example", NoteKeyType::Ed25519, PublicKey::of(&log.agent)).unwrap();
    assert_eq!(verdicts(&good, &foreign), [false, false, false]);
    let mut portal = log.trust();
    portal.portal = PublicKey::of(&log.agent);
    assert_eq!(verdicts(&good, &portal), [false, true, true]);
    for broken in ["", "log.example\n", "\u{0}"] {
        let material = Material { tree_head: broken.to_owned(), ..good.clone() };
        assert_eq!(verdicts(&material, &log.trust()), [false, false, false]);
    }
}

#[test]
fn material_travels_as_json() {
    let material = Log::new().material(2, Some(0));
    let json = serde_json::to_string(&material).unwrap();
    assert!(json.contains("\"treeHead\"") && json.contains("\"inclusion\""));
    assert_eq!(serde_json::from_str::<Material>(&json).unwrap(), material);
}
