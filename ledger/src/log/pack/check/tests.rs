//! Small packs, and everything that can be done to them.

use super::*;
use crate::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        build::Outcome,
        cancel_request::CancelRequest,
        decision::{DecisionKind, RouteDecision},
        person::Role,
    },
    judge::{
        advice::tests::summary,
        pack::{Candidate, Why, belonging},
        route::{
            RouteEvent, Signer as RouteSigner,
            script::{self, ROUTE, Script, now, person, ready},
        },
    },
    log::{
        key::{PublicKey, SigningKey, test_keys},
        merkle::{leaf_hash, test_tree::naive_root},
        note::NoteKeyType,
        pack::{
            Consistency, Contents, File,
            archive::{END, header, padding},
            blob_path, sums,
        },
        proof::{Node, Plan},
        proof_file::ProofFile,
        statement::Predicate,
    },
};

const ORIGIN: &str = "acta.test/log";
const BLOB: &[u8] = b"a phase tree";
const RUN: uuid::Uuid = uuid::Uuid::from_u128(1);

fn log_key() -> SigningKey {
    test_keys::rfc8032_1()
}

fn portal_key() -> SigningKey {
    test_keys::rfc8032_2()
}

fn agent_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn trust() -> Trust {
    let log = VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&log_key())).unwrap();
    Trust { log, portal: PublicKey::of(&portal_key()) }
}

/// A log in the making.
#[derive(Default, Clone)]
struct Log {
    records: Vec<Vec<u8>>,
    said: Vec<(String, Statement)>,
}

impl Log {
    fn say<P: Predicate>(&mut self, key: &SigningKey, signer: &str, subject: &[u8], said: &P) {
        let subject = Subject::new("it", Sha256Digest::of(subject));
        let statement = Statement::new(vec![subject], said).unwrap();
        self.records.push(statement.sign(key).unwrap().to_canonical_json());
        self.said.push((signer.to_owned(), statement));
    }

    fn enrol(&mut self, agent: &str) {
        let said = AgentKey {
            agent: agent.to_owned(),
            public_key: PublicKey::of(&agent_key()),
            action: AgentKeyAction::Enrolled,
            at: now(),
            authorized_by: "adam".to_owned(),
            owner: Some("olga".to_owned()),
            previous: None,
            reason: None,
        };
        self.say(&portal_key(), "portal", b"key", &said);
    }

    fn run(&mut self, id: u128, retry_of: Option<u128>) {
        let mut said = summary(Outcome::Cancelled);
        said.run.id = uuid::Uuid::from_u128(id);
        said.run.retry_of = retry_of.map(uuid::Uuid::from_u128);
        self.say(&agent_key(), "a", BLOB, &said);
    }

    fn cancel(&mut self) {
        let said = CancelRequest {
            request: RUN,
            run: RUN,
            agent: "a".to_owned(),
            route: None,
            reason: "enough".to_owned(),
            by: person("rita", &[Role::Reviewer], now()),
            at: now(),
        };
        self.say(&portal_key(), "portal", b"run", &said);
    }

    fn play(&mut self, script: &Script) {
        for entry in &script.entries {
            let (key, signer) = match &entry.signer {
                RouteSigner::Portal => (portal_key(), "portal".to_owned()),
                RouteSigner::Agent { name, .. } => (agent_key(), name.clone()),
            };
            match &entry.event {
                RouteEvent::Definition(it) => self.say(&key, &signer, b"r", it.as_ref()),
                RouteEvent::Gate(it) => self.say(&key, &signer, b"r", it.as_ref()),
                RouteEvent::Decision(it) => {
                    let mut it = it.clone();
                    let head = self.head(self.records.len());
                    (it.seen.origin, it.seen.size, it.seen.root) = (head.origin, head.size, head.root);
                    self.say(&key, &signer, b"r", &*it);
                }
                RouteEvent::Canary(it) => self.say(&key, &signer, b"r", it.as_ref()),
                RouteEvent::Retention(it) => self.say(&key, &signer, b"r", it.as_ref()),
                RouteEvent::Order(it) => self.say(&key, &signer, b"r", it.as_ref()),
                RouteEvent::Result(it) => self.say(&key, &signer, b"r", it.as_ref()),
                RouteEvent::Pin(it) => self.say(&key, &signer, b"r", it.as_ref()),
            }
        }
    }

    fn leaves(&self) -> Vec<Sha256Digest> {
        self.records.iter().map(|record| leaf_hash(record)).collect()
    }

    fn head(&self, size: usize) -> TreeHead {
        TreeHead { origin: ORIGIN.to_owned(), size: size as u64, root: naive_root(&self.leaves()[..size]) }
    }

    fn prove(&self, plan: &Plan) -> Vec<Sha256Digest> {
        let leaves = self.leaves();
        let node = |node: Node| {
            let start = (node.index << node.level) as usize;
            Some(naive_root(leaves.get(start..start + (1 << node.level))?))
        };
        plan.assemble(node).unwrap()
    }

    fn pack(&self, about: Topic, earlier: &[u64]) -> Contents {
        let size = self.records.len() as u64;
        let candidates: Vec<_> = self
            .said
            .iter()
            .enumerate()
            .map(|(index, (signer, statement))| Candidate { index: index as u64, signer, statement })
            .collect();
        let entries: Vec<_> = belonging(&about, &candidates)
            .into_iter()
            .map(|(index, why)| super::super::PackedEntry { index, why })
            .collect();
        let indices: Vec<u64> = entries.iter().map(|entry| entry.index).collect();
        let judged_at = matches!(about, Topic::Route(_)).then(now);
        let mut contents = Contents {
            tree_head: self.head(size as usize).sign(&log_key()).unwrap().to_string(),
            consistency: earlier
                .iter()
                .map(|&old| Consistency {
                    size: old,
                    root: self.head(old as usize).root,
                    proof: self.prove(&Plan::consistency(old, size).unwrap()),
                })
                .collect(),
            route_record: None,
            hand_overs: BTreeMap::new(),
            keys: BTreeMap::new(),
            entries: indices.iter().map(|&at| (at, self.records[at as usize].clone())).collect(),
            inclusion: indices
                .iter()
                .map(|&at| (at, self.prove(&Plan::inclusion(at, size).unwrap())))
                .collect(),
            blobs: BTreeMap::new(),
            manifest: Manifest {
                format: FORMAT.to_owned(),
                about,
                origin: ORIGIN.to_owned(),
                tree_size: size,
                log_key: trust().log.to_string(),
                portal_key: trust().portal,
                judged_at,
                entries,
                hand_overs: Vec::new(),
                left_out: Vec::new(),
            },
        };
        contents.keys = contents.keys_by(&trust()).unwrap();
        contents
    }
}

/// A cancelled run and its retry among runs of no interest, with one blob.
fn small() -> Contents {
    let mut log = Log::default();
    log.enrol("a");
    log.run(9, None);
    log.run(1, None);
    log.cancel();
    log.run(2, Some(1));
    log.run(8, None);
    let mut contents = log.pack(Topic::Run(RUN), &[3]);
    contents.blobs.insert(Sha256Digest::of(BLOB), BLOB.len() as u64);
    contents
}

fn route() -> Contents {
    let mut log = Log::default();
    log.enrol("h200-builder");
    let mut script = ready(1);
    script.decide(DecisionKind::Hold, "rita", script::A);
    log.play(&script);
    let seen: BTreeSet<u64> = log
        .said
        .iter()
        .filter_map(|(_, said)| Some(said.predicate::<RouteDecision>().ok()?.seen.size))
        .collect();
    let mut contents = log.pack(Topic::Route(ROUTE.to_owned()), &seen.into_iter().collect::<Vec<_>>());
    let found = checked(&write(&contents)).route_record;
    contents.route_record = Some(jcs::to_vec(&found).unwrap());
    contents
}

fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (path, bytes) in files {
        out.extend(header(path, bytes.len() as u64));
        out.extend(bytes);
        out.extend(vec![0; padding(bytes.len() as u64)]);
    }
    out.extend(END);
    out
}

fn files(contents: &Contents) -> Vec<(String, Vec<u8>)> {
    let bytes = |file: File| match file {
        File::Held { path, bytes } => (path, bytes),
        File::Blob { digest, .. } => (blob_path(&digest), BLOB.to_vec()),
    };
    contents.files().unwrap().into_iter().map(bytes).collect()
}

fn write(contents: &Contents) -> Vec<u8> {
    archive(&files(contents))
}

/// What an attacker does who knows of the sums.
fn with_new_sums(mut files: Vec<(String, Vec<u8>)>) -> Vec<u8> {
    let digests: Vec<_> = files
        .iter()
        .filter(|(path, _)| path != SUMS)
        .map(|(path, bytes)| (path.clone(), Sha256Digest::of(bytes)))
        .collect();
    for (path, bytes) in &mut files {
        if path == SUMS {
            *bytes = sums(&digests).into_bytes();
        }
    }
    archive(&files)
}

fn checked(pack: &[u8]) -> PackReport {
    checked_with(pack, &[])
}

fn checked_with(pack: &[u8], known: &[KnownHead]) -> PackReport {
    unpack(pack, |_| {}).unwrap().check(&trust(), known)
}

fn holds(pack: &[u8]) -> bool {
    unpack(pack, |_| {}).is_ok_and(|pack| pack.check(&trust(), &[]).holds())
}

/// The report says this.
#[track_caller]
fn finds(report: &PackReport, file: &str, what: &str) {
    let found = report.findings.iter().any(|it| it.file == file && it.what.contains(what));
    assert!(found, "{file}: {what}\n{:#?}", report.findings);
}

#[test]
fn a_pack_holds_and_says_what_it_is_about() {
    let report = checked(&write(&small()));
    assert!(report.holds(), "{:#?}", report.findings);
    assert!(report.readme_is_ours);
    assert_eq!(report.about, Topic::Run(RUN));
    let why: Vec<_> = report.entries.iter().map(|entry| (entry.index, entry.why)).collect();
    assert_eq!(why, [(0, Why::Key), (2, Why::Summary), (3, Why::CancelRequest), (4, Why::Attempt)]);
    assert_eq!((report.blobs, report.tree_head.unwrap().size), (1, 6));
    assert_eq!(report.entries[1].signer.as_ref().unwrap().name, "a");
    assert_eq!(write(&small()), write(&small()), "the same evidence gives the same bytes");

    let report = checked(&write(&route()));
    assert!(report.holds(), "{:#?}", report.findings);
    assert_eq!(report.route_record.unwrap().route_name, ROUTE);
}

#[test]
fn every_changed_byte_and_every_cut_is_found() {
    let good = write(&small());
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(!holds(&bad), "byte {at} of {}", good.len());
    }
    for at in (0..good.len()).step_by(97) {
        assert!(unpack(&good[..at], |_| {}).is_err(), "cut at {at}");
    }
}

/// Whoever changes a file can write its sum anew: signatures, proofs and the one spelling still tell. The README alone
/// can be changed so, and the report says that it was.
#[test]
fn every_changed_byte_is_found_even_with_new_sums() {
    let good = files(&small());
    for (position, (path, bytes)) in good.iter().enumerate().filter(|(_, (path, _))| path != SUMS) {
        for at in 0..bytes.len() {
            let mut bad = good.clone();
            bad[position].1[at] ^= 1 << (at % 8);
            let Ok(pack) = unpack(&with_new_sums(bad)[..], |_| {}) else { continue };
            let report = pack.check(&trust(), &[]);
            let noticed = !report.holds() || (path == "README.md" && !report.readme_is_ours);
            assert!(noticed, "byte {at} of {path}");
        }
    }
}

#[test]
fn what_is_missing_or_too_much_is_named() {
    let whole = files(&small());
    let blob = blob_path(&Sha256Digest::of(BLOB));
    for (path, _) in &whole {
        let without: Vec<_> = whole.iter().filter(|(it, _)| it != path).cloned().collect();
        let verdict = unpack(&with_new_sums(without)[..], |_| {}).map(|pack| pack.check(&trust(), &[]));
        match verdict {
            Err(error) => assert!(path == "pack.json" && error.to_string().contains("missing"), "{error}"),
            // A blob may be left out, and nobody decided here on an earlier tree: that they are not here is no lie.
            Ok(report) if *path == blob || path == "consistency.json" => {
                assert!(report.holds(), "{:#?}", report.findings)
            }
            Ok(report) => assert!(report.findings.iter().any(|it| it.file == *path), "{path}: {report:#?}"),
        }
    }
    for (path, at) in [("route-record.json", 5), ("keys/agent-x.pem", 6), ("entries/0000000005.json", 99)] {
        let mut more = whole.clone();
        let at = at.min(more.iter().position(|(it, _)| it.starts_with("proofs/")).unwrap());
        more.insert(at, (path.to_owned(), b"{}".to_vec()));
        let report = checked(&with_new_sums(more));
        finds(&report, path, "no place for this file");
    }
    for (path, at) in [("../x", 0), ("hidden", 3), ("", 1), ("blobs/x", whole.len()), ("tree-head", 4)] {
        let mut more = whole.clone();
        more.insert(at, (path.to_owned(), Vec::new()));
        assert!(unpack(&archive(&more)[..], |_| {}).is_err(), "{path}");
    }
    let mut swapped = whole.clone();
    swapped.swap(0, 1);
    assert!(matches!(unpack(&archive(&swapped)[..], |_| {}), Err(PackError::Unexpected(_))));
}

#[test]
fn entries_that_do_not_belong_and_keys_that_are_not_introduced_are_found() {
    let mut log = Log::default();
    log.enrol("a");
    log.run(1, None);
    log.run(9, None);
    let mut more = log.pack(Topic::Run(RUN), &[]);
    more.manifest.entries.push(super::super::PackedEntry { index: 2, why: Why::Attempt });
    more.entries.insert(2, log.records[2].clone());
    more.inclusion.insert(2, log.prove(&Plan::inclusion(2, 3).unwrap()));
    finds(&checked(&write(&more)), "pack.json", "does not belong");

    let mut without_key = log.pack(Topic::Run(RUN), &[]);
    without_key.manifest.entries.remove(0);
    without_key.entries.remove(&0);
    without_key.inclusion.remove(&0);
    finds(&checked(&write(&without_key)), "entries/0000000001.json", "no entry before it introduces the key");

    let mut claims = log.pack(Topic::Run(RUN), &[]);
    claims.manifest.about = Topic::Run(uuid::Uuid::from_u128(5));
    finds(&checked(&write(&claims)), "pack.json", "holds no entry about what it claims");

    let mut unnamed = log.pack(Topic::Run(RUN), &[]);
    unnamed.blobs.insert(Sha256Digest::of(b"other"), 5);
    let mut bad = files(&unnamed);
    bad.last_mut().unwrap().1 = b"other".to_vec();
    finds(
        &checked(&archive(&bad)),
        &blob_path(&Sha256Digest::of(b"other")),
        "no statement in the pack names",
    );
    bad.last_mut().unwrap().1 = b"otter".to_vec();
    finds(&checked(&archive(&bad)), &blob_path(&Sha256Digest::of(b"other")), "does not have the digest");
}

#[test]
fn a_pack_of_a_stranger_is_not_believed() {
    let stranger = Trust { portal: PublicKey::of(&agent_key()), ..trust() };
    let report = unpack(&write(&small())[..], |_| {}).unwrap().check(&stranger, &[]);
    finds(&report, "entries/0000000000.json", "");
    let other = VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&portal_key())).unwrap();
    let report = unpack(&write(&small())[..], |_| {}).unwrap().check(&Trust { log: other, ..trust() }, &[]);
    finds(&report, "tree-head", "did not sign it");
    let claimed = unpack(&write(&small())[..], |_| {}).unwrap();
    assert_eq!(claimed.claimed_trust().unwrap(), trust());
}

#[test]
fn a_tree_that_a_person_saw_must_be_the_beginning_of_this_one() {
    let good = route();
    assert!(!good.consistency.is_empty(), "the script has a decision");
    let mut without = good.clone();
    without.consistency.clear();
    finds(&checked(&write(&without)), "consistency.json", "saw when deciding");
    let mut wrong = good.clone();
    wrong.consistency[0].root = Sha256Digest::of(b"x");
    let report = checked(&write(&wrong));
    finds(&report, "consistency.json", "saw when deciding");
    finds(&report, "consistency.json", "leads to another root");
    let mut record = good;
    let text = String::from_utf8(record.route_record.clone().unwrap()).unwrap();
    record.route_record = Some(text.replace("\"hold\"", "\"pass\"").into_bytes());
    assert_ne!(record.route_record, Some(text.into_bytes()));
    finds(&checked(&write(&record)), "route-record.json", "not what the entries come to");
}

#[test]
fn two_roots_for_one_size_are_shown_with_both_notes() {
    let pack = write(&small());
    let known = |head: TreeHead| KnownHead {
        source: "mine".to_owned(),
        note: head.sign(&log_key()).unwrap().to_string(),
    };
    let head = checked(&pack).tree_head.unwrap();
    let (size, root) = (head.size, head.root);
    let of = |size, root| TreeHead { origin: ORIGIN.to_owned(), size, root };
    let mut log = Log::default();
    log.enrol("a");
    log.run(9, None);
    log.run(1, None);
    assert!(checked_with(&pack, &[known(of(size, root)), known(log.head(3))]).holds());

    for forked in [of(size, Sha256Digest::of(b"other")), of(3, Sha256Digest::of(b"other"))] {
        let report = checked_with(&pack, &[known(forked.clone())]);
        assert_eq!((report.forks.len(), report.findings.len()), (1, 0), "{report:#?}");
        let fork = &report.forks[0];
        assert_eq!((fork.size, fork.elsewhere, fork.source.as_str()), (forked.size, forked.root, "mine"));
        assert!(fork.notes.iter().all(|note| TreeHead::open(note, &trust().log).is_ok()));
    }
    finds(&checked_with(&pack, &[known(of(4, root))]), "mine", "make the pack with this tree head");
    finds(&checked_with(&pack, &[known(of(9, root))]), "mine", "make the pack with this tree head");
    let foreign =
        KnownHead { note: of(size, root).sign(&agent_key()).unwrap().to_string(), source: "mine".to_owned() };
    finds(&checked_with(&pack, &[foreign]), "mine", "did not sign it");

    // Inside the pack: one of the proofs is under another tree head of the same size, signed by the log too.
    let mut inside = files(&small());
    let other = known(of(size, Sha256Digest::of(b"other"))).note;
    let proof = inside.iter_mut().find(|(path, _)| path.starts_with("proofs/")).unwrap();
    let mut parsed = ProofFile::parse(&String::from_utf8(proof.1.clone()).unwrap()).unwrap();
    parsed.tree_head = other;
    proof.1 = parsed.to_string().into_bytes();
    let report = checked(&with_new_sums(inside));
    assert_eq!(report.forks.len(), 1, "{report:#?}");
}

#[test]
fn a_pack_of_another_version_says_so() {
    let mut files = files(&small());
    let manifest = String::from_utf8(files[0].1.clone()).unwrap();
    for (from, to, says) in [
        (FORMAT, "acta-pack-2", "this version reads"),
        ("{\"about\"", "{ \"about\"", "canonical"),
        ("\"index\":2", "\"index\":0", "order"),
        ("\"treeSize\"", "\"treeSizes\"", "unknown field"),
        ("{\"about\"", "[{\"about\"", "pack.json"),
    ] {
        files[0].1 = manifest.replacen(from, to, 1).into_bytes();
        let error = unpack(&with_new_sums(files.clone())[..], |_| {}).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains(says)), "{to}: {error:?}");
    }
}
