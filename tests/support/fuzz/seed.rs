//! Where mutations begin: inputs that are well formed, and what was really signed.

use std::{collections::BTreeMap, sync::OnceLock};

use acta_ledger::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        number::Count64,
    },
    judge::pack::{Candidate, Topic, belonging},
    live::{CancelOrder, FromAgent, Stage, ToAgent},
    log::{
        cosignature::cosign,
        dsse::Envelope,
        entry::Entry,
        key::{PublicKey, SigningKey},
        note::{Note, NoteKeyType, VerifierKey},
        pack::{
            Contents, FORMAT, File, Manifest, PackedEntry,
            archive::{END, header, padding},
        },
        proof_file::ProofFile,
        statement::Statement,
        tile,
        tree_head::TreeHead,
        verification::{LoggedEntry, Material, Trust},
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use uuid::Uuid;

use crate::{
    bundle,
    evidence::{self, TestAgent},
    live, route,
    tree::TestTree,
};

const ORIGIN: &str = "fuzz.example/log";

/// The agent whose signatures are known.
pub fn agent() -> &'static TestAgent {
    static AGENT: OnceLock<TestAgent> = OnceLock::new();
    AGENT.get_or_init(|| TestAgent::new(1))
}

fn portal() -> SigningKey {
    SigningKey::from_bytes(&[2; 32])
}

fn log() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

/// The log's key.
pub fn log_key() -> VerifierKey {
    VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&log())).expect("a name")
}

/// The keys that a checker trusts.
pub fn trust() -> &'static Trust {
    static TRUST: OnceLock<Trust> = OnceLock::new();
    TRUST.get_or_init(|| Trust { log: log_key(), portal: PublicKey::of(&portal()) })
}

/// A tree for proofs: 256 leaves.
pub fn tree() -> &'static TestTree {
    static TREE: OnceLock<TestTree> = OnceLock::new();
    TREE.get_or_init(|| TestTree::numbered(256))
}

/// Envelopes of everything that an agent says.
pub fn envelopes() -> Vec<Vec<u8>> {
    let mut runs = [evidence::summary(1), evidence::summary(2)];
    let (_, named) = evidence::phase_tree(runs[1].run.id);
    runs[1].phase_tree = Some(named);
    let mut envelopes: Vec<Vec<u8>> = runs.iter().map(|run| agent().envelope(run)).collect();
    envelopes.push(agent().acceptance(&evidence::acceptance(1, &[])));
    envelopes.extend(route::everything(agent(), b"a bundle", b"its configuration"));
    envelopes
}

/// The payloads that the agent really signed.
pub fn signed_payloads() -> &'static [Vec<u8>] {
    static PAYLOADS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    PAYLOADS.get_or_init(|| {
        let payload = |bytes: &Vec<u8>| Envelope::parse(bytes).expect("an envelope").payload;
        envelopes().iter().map(payload).collect()
    })
}

fn enrolment() -> Vec<u8> {
    let key = AgentKey {
        agent: "builder-7".to_owned(),
        public_key: agent().public(),
        action: AgentKeyAction::Enrolled,
        at: route::at(),
        authorized_by: "admin".to_owned(),
        owner: None,
        previous: None,
        reason: None,
    };
    let statement = Statement::new(vec![key.subject()], &key).expect("strict JSON");
    let envelope = statement.sign(&portal()).expect("it has a canonical form");
    Entry::of(&envelope).expect("it is short").bytes().to_vec()
}

/// The entries of a small log.
pub fn entries() -> &'static [Vec<u8>] {
    static ENTRIES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    ENTRIES.get_or_init(|| std::iter::once(enrolment()).chain(envelopes()).collect())
}

/// The entries of a small log by index, in base64.
pub fn logged() -> &'static [String] {
    static LOGGED: OnceLock<Vec<String>> = OnceLock::new();
    LOGGED.get_or_init(|| entries().iter().map(|entry| STANDARD.encode(entry)).collect())
}

/// The small log's tree, and its signed tree head.
fn signed_tree() -> (TestTree, String) {
    let size = entries().len() as u64;
    let tree = TestTree::new(entries().to_vec());
    let head = TreeHead { origin: ORIGIN.to_owned(), size, root: tree.root(size) };
    let tree_head = head.sign(&log()).expect("a tree head is a note").to_string();
    (tree, tree_head)
}

/// What is handed out for checks of that log's entries.
pub fn materials() -> Vec<Vec<u8>> {
    let size = entries().len() as u64;
    let (tree, tree_head) = signed_tree();
    let entry = |index: u64| LoggedEntry {
        record: STANDARD.encode(&tree.leaves[index as usize]),
        index,
        inclusion: tree.inclusion(index, size),
    };
    let material = |index| Material {
        entry: entry(index),
        key_history: (index > 0).then(|| entry(0)).into_iter().collect(),
        hand_overs: Vec::new(),
        tree_head: tree_head.clone(),
    };
    (0..size).map(|index| serde_json::to_vec(&material(index)).expect("JSON")).collect()
}

/// The proof files of that log's entries, one with bytes that nobody vouches for.
pub fn proof_files() -> Vec<Vec<u8>> {
    let size = entries().len() as u64;
    let (tree, tree_head) = signed_tree();
    let file = |index| {
        let (inclusion, tree_head) = (tree.inclusion(index, size), tree_head.clone());
        let extra = (index == 1).then(|| b"anything".to_vec());
        ProofFile { extra, index, inclusion, tree_head }.to_string().into_bytes()
    };
    (0..size).map(file).collect()
}

/// Packs about two runs of that log, one with its blob.
pub fn packs() -> &'static [Vec<u8>] {
    static PACKS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    PACKS.get_or_init(|| [1, 2].map(|number| pack_about(Uuid::from_u128(number))).to_vec())
}

fn pack_about(run: Uuid) -> Vec<u8> {
    let (tree, tree_head) = signed_tree();
    let (about, size) = (Topic::Run(run), entries().len() as u64);
    let said: Vec<Statement> =
        statements().iter().map(|it| Statement::parse(it).expect("a statement")).collect();
    let candidates: Vec<Candidate<'_>> = (0..)
        .zip(&said)
        .map(|(index, statement)| Candidate {
            index,
            signer: if index == 0 { "portal" } else { "builder-7" },
            statement,
        })
        .collect();
    let entries: Vec<PackedEntry> =
        belonging(&about, &candidates).into_iter().map(|(index, why)| PackedEntry { index, why }).collect();
    let (tree_bytes, named) = evidence::phase_tree(run);
    let names_blob = run == Uuid::from_u128(2);
    let blobs = names_blob.then_some((named.digest, tree_bytes.len() as u64)).into_iter().collect();
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        about,
        origin: ORIGIN.to_owned(),
        tree_size: size,
        log_key: log_key().to_string(),
        portal_key: trust().portal,
        judged_at: None,
        entries,
        hand_overs: Vec::new(),
        left_out: Vec::new(),
    };
    let indices: Vec<u64> = manifest.entries.iter().map(|entry| entry.index).collect();
    let mut contents = Contents {
        tree_head,
        consistency: Vec::new(),
        route_record: None,
        hand_overs: BTreeMap::new(),
        keys: BTreeMap::new(),
        entries: indices.iter().map(|&at| (at, tree.leaves[at as usize].clone())).collect(),
        inclusion: indices.iter().map(|&at| (at, tree.inclusion(at, size))).collect(),
        blobs,
        manifest,
    };
    contents.keys = contents.keys_by(trust()).expect("the entries introduce their keys");
    archived(&contents, &tree_bytes)
}

/// The pack's archive; `blob` are the bytes of the only blob there may be.
fn archived(contents: &Contents, blob: &[u8]) -> Vec<u8> {
    let mut archive = Vec::new();
    for file in contents.files().expect("a pack's files are JSON and texts") {
        archive.extend(header(&file.path(), file.bytes()));
        match &file {
            File::Held { bytes, .. } => archive.extend(bytes),
            File::Blob { .. } => archive.extend(blob),
        }
        archive.extend(vec![0; padding(file.bytes())]);
    }
    archive.extend(END);
    archive
}

/// Statements of every kind.
pub fn statements() -> Vec<Vec<u8>> {
    let payload = |bytes: &Vec<u8>| Envelope::parse(bytes).expect("an envelope").payload;
    entries().iter().map(payload).collect()
}

/// JSON of every kind of value.
pub fn json() -> Vec<Vec<u8>> {
    let odd =
        json!([null, true, -0.5, 9_007_199_254_740_991_u64, "\u{7}\u{10000}\u{fffd}", {"b": {}, "a": []}]);
    statements().into_iter().chain([odd.to_string().into_bytes()]).collect()
}

fn heads() -> Vec<TreeHead> {
    let head = |size| TreeHead { origin: ORIGIN.to_owned(), size, root: tree().root(size) };
    [0, 1, 255].map(head).to_vec()
}

/// The texts of tree heads that the log really signed.
pub fn signed_notes() -> &'static [String] {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(|| heads().iter().map(ToString::to_string).collect())
}

/// Signed tree heads, the last with a witness's line.
pub fn notes() -> Vec<Vec<u8>> {
    let mut notes: Vec<Note> = heads().iter().map(|head| head.sign(&log()).expect("a note")).collect();
    let last = notes.last_mut().expect("there are some");
    last.signatures.push(cosign(&last.text, "witness", 1_700_000_000, &portal()).expect("a name"));
    notes.iter().map(|note| note.to_string().into_bytes()).collect()
}

/// Texts of tree heads.
pub fn tree_heads() -> Vec<Vec<u8>> {
    heads().iter().map(|head| head.to_string().into_bytes()).collect()
}

/// Keys of a log and of a witness.
pub fn verifier_keys() -> Vec<Vec<u8>> {
    let witness = VerifierKey::new("w", NoteKeyType::Cosignature, PublicKey::of(&portal())).expect("a name");
    [log_key(), witness].map(|key| key.to_string().into_bytes()).to_vec()
}

/// Paths of tiles and bundles.
pub fn tile_paths() -> Vec<Vec<u8>> {
    ["0/000", "63/x001/000.p/255", "entries/x001/x234/067", "2/999.p/1"].map(|path| path.into()).to_vec()
}

/// Bundles of entries.
pub fn entry_bundles() -> Vec<Vec<u8>> {
    let bundle = |entries: &[&[u8]]| tile::entry_bundle(entries).expect("they are short");
    let full = [&b"x"[..]; 256];
    vec![bundle(&[]), bundle(&[b"", b"\0", b"hello"]), bundle(&full)]
}

fn proof(first: u8, second: u8, hashes: &[acta_ledger::log::digest::Sha256Digest]) -> Vec<u8> {
    [first, second].into_iter().chain(hashes.iter().flat_map(|hash| hash.0)).collect()
}

/// Inclusion proofs: index, size, hashes.
pub fn inclusion_proofs() -> Vec<Vec<u8>> {
    let pairs = [(0, 1), (0, 8), (5, 8), (6, 7), (100, 129), (254, 255)];
    pairs.map(|(i, n)| proof(i, n, &tree().inclusion(u64::from(i), u64::from(n)))).to_vec()
}

/// Consistency proofs: old size, new size, hashes.
pub fn consistency_proofs() -> Vec<Vec<u8>> {
    let pairs = [(1, 1), (1, 8), (6, 8), (3, 7), (4, 8), (129, 255)];
    pairs.map(|(m, n)| proof(m, n, &tree().consistency(u64::from(m), u64::from(n)))).to_vec()
}

/// Small bundles, whole and broken.
pub fn bundles() -> Vec<Vec<u8>> {
    let samples = [bundle::clean(), bundle::unclean(), bundle::malformed(), bundle::malformed_content()];
    let bytes = samples.into_iter().flatten().map(|sample| sample.bytes);
    bytes.filter(|bytes| bytes.len() < 8192).collect()
}

/// Messages of the live channel.
pub fn live_messages() -> Vec<Vec<u8>> {
    let build = FromAgent::Build(Box::new(live::build(Uuid::nil())));
    let state = |stage| FromAgent::State(Box::new(live::state(stage)));
    let said = [build, state(Stage::Building), state(Stage::Writing)];
    let envelope = serde_json::from_slice(&envelopes()[0]).expect("an envelope is JSON");
    let order = ToAgent::Cancel(CancelOrder { envelope, held: Count64(3_000_000) });
    let told = serde_json::to_vec(&order).expect("JSON");
    said.iter().map(|said| serde_json::to_vec(said).expect("JSON")).chain([told]).collect()
}

/// Phase trees.
pub fn phase_trees() -> Vec<Vec<u8>> {
    vec![evidence::phase_tree(Uuid::nil()).0]
}

/// Callbacks of two phases, one in the other.
pub fn callbacks() -> Vec<Vec<u8>> {
    let nested = [[0, 0, 0xff, 1], [0, 1, 0, 9], [2, 1, 0, 200], [3, 1, 0, 30], [2, 0, 7, 3], [3, 0, 0, 1]];
    vec![nested.concat()]
}
