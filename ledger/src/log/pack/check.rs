//! Checking a pack, offline and from its bytes alone: [`check`].
//!
//! 1. **archive**: its files are those that its manifest asks for, each in its one spelling; none more, none missing;
//! 2. **tree head**: the log's key signed it, or keys that it was handed over to;
//! 3. **entries**: each is under that tree head, and signed by a key that might sign at its index;
//! 4. **what belongs**: the entries are those that [`belonging`] picks among them, so none is here without a reason;
//! 5. **earlier trees**: every tree that a person saw when deciding is the beginning of this one;
//! 6. **route**: judged anew from the entries, the route's record is the one in the pack, byte for byte;
//! 7. **blobs**: each has its digest, and a statement here names it.
//!
//! What is wrong is collected, so that one report names all of it; only an archive that cannot be read on ends at once.
//! Two tree heads that the log's key signed for one size and with two roots are proof that the log lies: [`Fork`].
//!
//! The keys that are trusted come from elsewhere, see [`Trust`]. Whoever has none may take those that the pack claims
//! ([`claimed_trust`]); then the pack agrees with itself, and whose log it is from remains to be known.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    Consistency, Contents, FORMAT, File, LeftOut, MAX_ENTRIES, MAX_HELD_BYTES, Manifest, SUMS,
    archive::{ArchiveError, Reader},
    blob_path, entry_path, hand_over_path, proof_path, sums,
};
use crate::{
    evidence::{decision::RouteDecision, log_key::LogKey, route::RouteRecord},
    judge::{
        keyring::{KeyLife, Keyring, SignedBy},
        log_key::LogKeys,
        pack::{Candidate, Topic, Why, belonging},
        route::{RouteEntry, RouteEvent, RouteLog, Signer as RouteSigner, judge_route},
    },
    log::{
        digest::{Hasher, Sha256Digest},
        dsse::Envelope,
        jcs,
        key::PublicKey,
        mention::mentioned,
        merkle::leaf_hash,
        note::VerifierKey,
        proof::{verify_consistency, verify_inclusion},
        proof_file::ProofFile,
        statement::{Predicate as _, Statement},
        tree_head::TreeHead,
        verification::{HandOver, LoggedEntry, Signer, Trust, log_keys},
    },
};

/// Why a file cannot be checked at all: it is no pack, or damaged so that reading on makes no sense.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// It is not a pack's archive, or damaged between its files.
    #[error("this is no whole evidence pack: {0}")]
    Archive(#[from] ArchiveError),
    /// A file that no pack has, or in another order.
    #[error("this is no whole evidence pack: it holds {0:?}, which no pack has at that place")]
    Unexpected(String),
    /// Too much to be held in memory.
    #[error("the pack's files beside blobs have more than {MAX_HELD_BYTES} bytes")]
    TooLarge,
    /// The manifest is missing or not one.
    #[error("pack.json: {0}")]
    Manifest(String),
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The pack's file that it is about.
    pub file: String,
    /// The entry that it is about, where it is about one.
    pub entry: Option<u64>,
    /// What is wrong.
    pub what: String,
    /// What was found.
    pub found: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
}

/// Two tree heads of one size and with two roots, both signed by the log's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fork {
    /// The size.
    pub size: u64,
    /// The pack's root for it.
    pub in_pack: Sha256Digest,
    /// The other root.
    pub elsewhere: Sha256Digest,
    /// Where the other tree head is from.
    pub source: String,
    /// Both signed notes, or the pack's and the one that its consistency proof leads to.
    pub notes: [String; 2],
}

/// One entry of the pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedEntry {
    /// Its index.
    pub index: u64,
    /// Why it belongs.
    pub why: Why,
    /// What kind of statement it is, where it could be read.
    pub predicate_type: Option<String>,
    /// Who signed it, where that could be verified.
    pub signer: Option<Signer>,
    /// Whether it is under the tree head and signed by a key that might sign it.
    pub holds: bool,
}

/// What checking a pack came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PackReport {
    /// What it is about.
    pub about: Topic,
    /// The tree head, where it could be verified: log, size and root.
    pub tree_head: Option<HeadFacts>,
    /// The entries.
    pub entries: Vec<CheckedEntry>,
    /// How many blobs it holds.
    pub blobs: u64,
    /// How many bytes they have.
    pub blob_bytes: u64,
    /// Blobs that the server keeps and did not take along.
    pub left_out: Vec<LeftOut>,
    /// The route's record as it was judged anew, where the pack is about a route.
    pub route_record: Option<RouteRecord>,
    /// Whether its README is the one that this version writes; another may hold commands that nobody reviewed.
    pub readme_is_ours: bool,
    /// Everything that does not hold.
    pub findings: Vec<Finding>,
    /// Two roots for one size.
    pub forks: Vec<Fork>,
}

/// A verified tree head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadFacts {
    /// Which log.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The root over them.
    pub root: Sha256Digest,
}

impl PackReport {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.findings.is_empty() && self.forks.is_empty()
    }
}

/// A tree head that the checker has from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownHead {
    /// Where it is from: a file's name.
    pub source: String,
    /// The signed note.
    pub note: String,
}

/// A pack, read and not yet judged.
pub struct Unpacked {
    manifest: Manifest,
    held: BTreeMap<String, Vec<u8>>,
    digests: Vec<(String, Sha256Digest)>,
    blobs: BTreeMap<Sha256Digest, u64>,
    findings: Vec<Finding>,
}

/// Reads a pack's archive; blobs are hashed as they come and not held. `progress` is told how many bytes were read.
pub fn unpack(read: impl Read, mut progress: impl FnMut(u64)) -> Result<Unpacked, PackError> {
    let mut reader = Reader::new(read);
    let (mut held, mut digests) = (BTreeMap::new(), Vec::new());
    let (mut blobs, mut findings) = (BTreeMap::new(), Vec::new());
    let (mut held_bytes, mut last) = (0_u64, None);
    while let Some(head) = reader.next_file()? {
        let place = place(&head.path).ok_or_else(|| PackError::Unexpected(head.path.clone()))?;
        let order = Some((place, head.path.clone()));
        if last >= order {
            return Err(PackError::Unexpected(head.path));
        }
        last = order;
        let mut hasher = Hasher::default();
        if let Some(named) = head.path.strip_prefix("blobs/") {
            let named: Sha256Digest = named.parse().map_err(|_| PackError::Unexpected(head.path.clone()))?;
            reader.contents(&head, |piece| hasher.update(piece))?;
            let digest = hasher.finish();
            if digest != named {
                findings.push(Finding {
                    found: Some(digest.to_string()),
                    expected: Some(named.to_string()),
                    ..finding(&head.path, None, "the blob does not have the digest that it is named by")
                });
            }
            blobs.insert(named, head.bytes);
            digests.push((head.path, digest));
        } else {
            held_bytes = held_bytes.saturating_add(head.bytes);
            if held_bytes > MAX_HELD_BYTES {
                return Err(PackError::TooLarge);
            }
            let mut contents = Vec::new();
            reader.contents(&head, |piece| contents.extend_from_slice(piece))?;
            if head.path != SUMS {
                digests.push((head.path.clone(), Sha256Digest::of(&contents)));
            }
            held.insert(head.path, contents);
        }
        progress(reader.position());
    }
    let manifest = held.get("pack.json").ok_or_else(|| PackError::Manifest("it is missing".to_owned()))?;
    let manifest = read_manifest(manifest)?;
    Ok(Unpacked { manifest, held, digests, blobs, findings })
}

/// Where a file stands among the others; none for a file that no pack has.
fn place(path: &str) -> Option<usize> {
    const FIRST: [&str; 6] =
        ["pack.json", "README.md", SUMS, "tree-head", "consistency.json", "route-record.json"];
    const THEN: [&str; 5] = ["hand-overs/", "keys/", "entries/", "proofs/", "blobs/"];
    let then = || THEN.iter().position(|folder| path.starts_with(folder)).map(|at| FIRST.len() + at);
    FIRST.iter().position(|name| *name == path).or_else(then)
}

fn read_manifest(bytes: &[u8]) -> Result<Manifest, PackError> {
    let wrong = |what: String| PackError::Manifest(what);
    let (value, canonical) = jcs::parse_canonical(bytes).map_err(|error| wrong(error.to_string()))?;
    let format = value["format"].as_str().unwrap_or_default();
    if format != FORMAT {
        return Err(wrong(format!("the format is {format:?}, this version reads {FORMAT:?}")));
    }
    if !canonical {
        return Err(wrong("it is not in canonical form".to_owned()));
    }
    let manifest: Manifest = serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    if manifest.entries.len() > MAX_ENTRIES {
        return Err(wrong(format!("it names more than {MAX_ENTRIES} entries")));
    }
    if manifest.judged_at.is_some() != matches!(manifest.about, Topic::Route(_)) {
        return Err(wrong("judgedAt stands where a route is judged, and nowhere else".to_owned()));
    }
    let sorted = manifest.entries.is_sorted_by(|a, b| a.index < b.index);
    if !sorted || !manifest.hand_overs.is_sorted_by(|a, b| a < b) {
        return Err(wrong("its entries are not in their order".to_owned()));
    }
    Ok(manifest)
}

fn finding(file: &str, entry: Option<u64>, what: impl Into<String>) -> Finding {
    Finding { file: file.to_owned(), entry, what: what.into(), found: None, expected: None }
}

impl Unpacked {
    /// What the pack says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The keys that the pack claims.
    pub fn claimed_trust(&self) -> Result<Trust, PackError> {
        let log = VerifierKey::parse(&self.manifest.log_key)
            .map_err(|error| PackError::Manifest(format!("logKey: {error}")))?;
        Ok(Trust { log, portal: self.manifest.portal_key })
    }

    /// Judges the pack by the keys that are trusted and the tree heads that are known.
    pub fn check(self, trust: &Trust, known: &[KnownHead]) -> PackReport {
        let mut checking = Checking::begin(self, trust);
        checking.entries(trust);
        checking.what_belongs();
        checking.earlier_trees();
        checking.known_heads(known);
        let record = checking.route();
        checking.named_blobs();
        let readme_is_ours = checking.files(trust, record.as_ref().map(|(_, bytes)| bytes.clone()));
        let pack = checking.pack;
        PackReport {
            about: pack.manifest.about,
            tree_head: checking.head.map(|TreeHead { origin, size, root }| HeadFacts { origin, size, root }),
            entries: checking.checked,
            blobs: pack.blobs.len() as u64,
            blob_bytes: pack.blobs.values().sum(),
            left_out: pack.manifest.left_out,
            route_record: record.map(|(record, _)| record),
            readme_is_ours,
            findings: pack.findings,
            forks: checking.forks,
        }
    }
}

/// An entry whose statement could be read.
struct ReadEntry {
    index: u64,
    signer: RouteSigner,
    statement: Statement,
}

struct Checking {
    pack: Unpacked,
    keys: LogKeys,
    hand_overs: Vec<HandOver>,
    head: Option<TreeHead>,
    consistency: Vec<Consistency>,
    inclusion: BTreeMap<u64, Vec<Sha256Digest>>,
    keyring: Keyring,
    read: Vec<ReadEntry>,
    checked: Vec<CheckedEntry>,
    forks: Vec<Fork>,
}

impl Checking {
    /// Verifies the tree head and reads what the other checks need.
    fn begin(mut pack: Unpacked, trust: &Trust) -> Self {
        let inclusion = read_proofs(&mut pack);
        let hand_overs: Vec<HandOver> =
            pack.manifest.hand_overs.iter().filter_map(|at| hand_over(&pack, &inclusion, *at)).collect();
        let keys = log_keys(trust, &hand_overs).unwrap_or_else(|error| {
            pack.findings.push(finding("hand-overs", None, error));
            LogKeys::new(trust.log.clone())
        });
        let note = pack.text("tree-head").unwrap_or_default();
        let head = match keys.open(&note) {
            Ok(head) => Some(head),
            Err(error) => {
                pack.findings.push(finding("tree-head", None, error.to_string()));
                None
            }
        };
        if let Some(head) = &head {
            let says = (pack.manifest.origin.clone(), pack.manifest.tree_size);
            if (&head.origin, head.size) != (&says.0, says.1) {
                pack.findings.push(Finding {
                    found: Some(format!("{} of {} entries", says.0, says.1)),
                    expected: Some(format!("{} of {} entries", head.origin, head.size)),
                    ..finding("pack.json", None, "it names another tree than the signed tree head")
                });
            }
        }
        let consistency = match pack.held.get("consistency.json").map(|bytes| read_consistency(bytes)) {
            None => Vec::new(),
            Some(Ok(read)) => read,
            Some(Err(error)) => {
                pack.findings.push(finding("consistency.json", None, error));
                Vec::new()
            }
        };
        let mut checking = Self {
            keyring: Keyring::new(trust.portal, keys.clone()),
            pack,
            keys,
            hand_overs,
            head,
            consistency,
            inclusion,
            read: Vec::new(),
            checked: Vec::new(),
            forks: Vec::new(),
        };
        checking.foreign_heads();
        checking
    }

    fn wrong(&mut self, finding: Finding) {
        self.pack.findings.push(finding);
    }

    /// A proof under another tree head than the pack's: two roots for one size where the log's key signed both.
    fn foreign_heads(&mut self) {
        let note = self.pack.text("tree-head").unwrap_or_default();
        let indices: Vec<u64> = self.pack.manifest.entries.iter().map(|entry| entry.index).collect();
        for index in indices {
            let path = proof_path(index);
            let Some(proof) = self.pack.text(&path).and_then(|text| ProofFile::parse(&text).ok()) else {
                continue;
            };
            if proof.tree_head != note {
                self.wrong(finding(&path, Some(index), "it is under another tree head than the pack's"));
                self.compare(&KnownHead { source: path, note: proof.tree_head });
            }
        }
    }

    /// Whether a tree head of the log contradicts the pack's; false where it cannot be told.
    fn compare(&mut self, known: &KnownHead) -> bool {
        let (Some(head), Ok(other)) = (&self.head, self.keys.open(&known.note)) else { return false };
        let here = if other.size == head.size {
            Some(head.root)
        } else {
            self.consistency.iter().find(|it| it.size == other.size && proves(it, head)).map(|it| it.root)
        };
        let Some(root) = here else { return false };
        if root != other.root {
            let notes = [self.pack.text("tree-head").unwrap_or_default(), known.note.clone()];
            self.forks.push(Fork {
                size: other.size,
                in_pack: root,
                elsewhere: other.root,
                source: known.source.clone(),
                notes,
            });
        }
        true
    }

    fn entries(&mut self, trust: &Trust) {
        for packed in self.pack.manifest.entries.clone() {
            let (index, path) = (packed.index, entry_path(packed.index));
            let Some(record) = self.pack.held.get(&path).cloned() else {
                // That the file is missing is found where the files are compared.
                self.checked.push(CheckedEntry {
                    index,
                    why: packed.why,
                    predicate_type: None,
                    signer: None,
                    holds: false,
                });
                continue;
            };
            let included = self.included(index, &record);
            let signed = self.signed(index, &record, trust);
            let holds = included.is_ok() && signed.is_ok();
            if let Err(found) = included {
                self.wrong(found);
            }
            let (predicate_type, signer) = match signed {
                Ok((kind, signer)) => (Some(kind), Some(signer)),
                Err(error) => {
                    self.wrong(finding(&path, Some(index), error));
                    (None, None)
                }
            };
            self.checked.push(CheckedEntry { index, why: packed.why, predicate_type, signer, holds });
        }
    }

    fn included(&self, index: u64, record: &[u8]) -> Result<(), Finding> {
        let path = proof_path(index);
        let Some(head) = &self.head else {
            return Err(finding(&path, Some(index), "without a tree head nothing can be said of its place"));
        };
        let Some(inclusion) = self.inclusion.get(&index) else {
            return Err(finding(&path, Some(index), "there is no proof of its place"));
        };
        let leaf = leaf_hash(record);
        verify_inclusion(&leaf, index, head.size, &head.root, inclusion).map_err(|error| Finding {
            found: Some(format!("leaf hash {leaf}")),
            expected: Some(format!("the entry at {index} of the tree with the root {}", head.root)),
            ..finding(&path, Some(index), error.to_string())
        })
    }

    fn signed(&mut self, index: u64, record: &[u8], trust: &Trust) -> Result<(String, Signer), String> {
        let envelope = Envelope::parse(record).map_err(|error| error.to_string())?;
        let statement = Statement::from_envelope(&envelope).map_err(|error| error.to_string())?;
        let (_, signed_by) = self.keyring.signer(index, &envelope).map_err(|error| error.to_string())?;
        let (signer, of_route) = match signed_by {
            SignedBy::Portal => {
                let key_id = trust.portal.id();
                let name = "portal".to_owned();
                (Signer { key_id, name, introduced_at: None, ended: None }, RouteSigner::Portal)
            }
            SignedBy::Agent(life) => (
                Signer {
                    key_id: life.public_key.id(),
                    name: life.agent.clone(),
                    introduced_at: Some(life.introduced_at),
                    ended: life.ended.clone(),
                },
                RouteSigner::Agent { name: life.agent.clone(), owner: life.owner.clone() },
            ),
        };
        // How the log's key was handed on is settled before the tree head is believed.
        if statement.predicate_type != LogKey::TYPE {
            self.keyring.apply(index, &envelope, &statement).map_err(|error| error.to_string())?;
        }
        let kind = statement.predicate_type.clone();
        self.read.push(ReadEntry { index, signer: of_route, statement });
        Ok((kind, signer))
    }

    /// The entries are exactly those that belong, for the reasons that the manifest gives.
    fn what_belongs(&mut self) {
        let candidates: Vec<Candidate<'_>> = self
            .read
            .iter()
            .map(|entry| Candidate {
                index: entry.index,
                signer: match &entry.signer {
                    RouteSigner::Portal => "portal",
                    RouteSigner::Agent { name, .. } => name,
                },
                statement: &entry.statement,
            })
            .collect();
        let belonging = belonging(&self.pack.manifest.about, &candidates);
        let unread: BTreeSet<u64> =
            self.checked.iter().filter(|entry| entry.signer.is_none()).map(|entry| entry.index).collect();
        for packed in self.pack.manifest.entries.clone() {
            let why = belonging.get(&packed.index);
            if why != Some(&packed.why) && !unread.contains(&packed.index) {
                self.wrong(Finding {
                    found: Some(crate::evidence::code(&packed.why)),
                    expected: Some(
                        why.map_or_else(|| "that it is not here".to_owned(), crate::evidence::code),
                    ),
                    ..finding(
                        "pack.json",
                        Some(packed.index),
                        "the entry does not belong for the reason given",
                    )
                });
            }
        }
        if belonging.is_empty() {
            self.wrong(finding("pack.json", None, "it holds no entry about what it claims to be about"));
        }
    }

    fn earlier_trees(&mut self) {
        let Some(head) = self.head.clone() else { return };
        for item in self.consistency.clone() {
            let proved = verify_consistency(item.size, &item.root, head.size, &head.root, &item.proof);
            if let Err(error) = proved {
                let what = format!("the tree of {} entries: {error}", item.size);
                self.wrong(finding("consistency.json", None, what));
            }
        }
        let seen: Vec<_> = self
            .read
            .iter()
            .filter(|entry| entry.statement.predicate_type == RouteDecision::TYPE)
            .filter_map(|entry| Some((entry.index, entry.statement.predicate::<RouteDecision>().ok()?.seen)))
            .collect();
        for (index, seen) in seen {
            let item = self.consistency.iter().find(|item| item.size == seen.size);
            if seen.size == 0 {
                continue;
            }
            let found = item.map(|item| item.root);
            if seen.origin != head.origin || found != Some(seen.root) {
                self.wrong(Finding {
                    found: Some(found.map_or_else(|| "no proof".to_owned(), |root| format!("root {root}"))),
                    expected: Some(format!("root {} of {} for {} entries", seen.root, seen.origin, seen.size)),
                    ..finding(
                        "consistency.json",
                        Some(index),
                        "the tree that the person saw when deciding is not shown to be the beginning of this one",
                    )
                });
            }
        }
    }

    fn known_heads(&mut self, known: &[KnownHead]) {
        for known in known {
            if let Err(error) = self.keys.open(&known.note) {
                self.wrong(finding(&known.source, None, error.to_string()));
            } else if !self.compare(known) && self.head.is_some() {
                let what = "nothing in the pack leads from one of the two trees to the other: make the pack with this \
                            tree head";
                self.wrong(finding(&known.source, None, what));
            }
        }
    }

    /// Judges the route anew and compares the record.
    fn route(&mut self) -> Option<(RouteRecord, Vec<u8>)> {
        let Topic::Route(name) = &self.pack.manifest.about else { return None };
        let entries = self
            .read
            .iter()
            .filter_map(|entry| {
                let event = RouteEvent::read(&entry.statement).ok()??;
                let leaf = leaf_hash(self.pack.held.get(&entry_path(entry.index))?);
                let signer = entry.signer.clone();
                (event.route() == name).then_some(RouteEntry { index: entry.index, leaf, signer, event })
            })
            .collect();
        let log = RouteLog::whole(self.head.as_ref()?.size, entries);
        let record = judge_route(name, &log, self.pack.manifest.judged_at?).record;
        let bytes = jcs::to_vec(&record).ok()?;
        let found = self.pack.held.get("route-record.json").cloned().unwrap_or_default();
        if found != bytes {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            self.wrong(Finding {
                found: Some(text(&found)),
                expected: Some(text(&bytes)),
                ..finding("route-record.json", None, "it is not what the entries come to")
            });
        }
        Some((record, bytes))
    }

    fn named_blobs(&mut self) {
        let named: BTreeSet<Sha256Digest> = named_digests(self.read.iter().map(|entry| &entry.statement));
        for digest in self.pack.blobs.keys().copied().collect::<Vec<_>>() {
            if !named.contains(&digest) {
                self.wrong(finding(&blob_path(&digest), None, "no statement in the pack names this blob"));
            }
        }
    }

    /// Writes the pack anew from what was understood, and compares file by file. Says whether the README is ours.
    fn files(&mut self, trust: &Trust, route_record: Option<Vec<u8>>) -> bool {
        let log = self.claimed_log_keys(trust);
        if self.pack.manifest.portal_key != trust.portal {
            self.wrong(Finding {
                found: Some(self.pack.manifest.portal_key.to_base64()),
                expected: Some(trust.portal.to_base64()),
                ..finding("pack.json", None, "portalKey is not the portal's key")
            });
        }
        let contents = Contents {
            manifest: self.pack.manifest.clone(),
            tree_head: self.pack.text("tree-head").unwrap_or_default(),
            consistency: self.consistency.clone(),
            route_record,
            hand_overs: self
                .pack
                .manifest
                .hand_overs
                .iter()
                .map(|at| (*at, self.pack.text(&hand_over_path(*at)).unwrap_or_default()))
                .collect(),
            keys: public_keys(&log, self.keyring.lives(), &trust.portal),
            entries: self
                .pack
                .manifest
                .entries
                .iter()
                .map(|entry| {
                    (entry.index, self.pack.held.get(&entry_path(entry.index)).cloned().unwrap_or_default())
                })
                .collect(),
            inclusion: self
                .pack
                .manifest
                .entries
                .iter()
                .map(|entry| (entry.index, self.inclusion.get(&entry.index).cloned().unwrap_or_default()))
                .collect(),
            blobs: self.pack.blobs.clone(),
        };
        let files = match contents.files() {
            Ok(files) => files,
            Err(error) => {
                self.wrong(finding("pack.json", None, error.to_string()));
                return false;
            }
        };
        let mut readme_is_ours = false;
        let mut expected = BTreeSet::new();
        for file in files {
            let path = file.path();
            let File::Held { bytes, .. } = file else {
                expected.insert(path);
                continue;
            };
            match (self.pack.held.get(&path), path.as_str()) {
                (None, _) => self.wrong(finding(&path, None, "the file is missing")),
                // What it must say follows from the other files as they are, see below.
                (Some(_), SUMS) => {}
                (Some(found), "README.md") => readme_is_ours = *found == bytes,
                (Some(found), _) if *found != bytes => {
                    self.wrong(finding(&path, None, "the file is not written as a pack writes it"));
                }
                _ => {}
            }
            expected.insert(path);
        }
        let extra: Vec<String> =
            self.pack.held.keys().filter(|path| !expected.contains(*path)).cloned().collect();
        for path in extra {
            self.wrong(finding(&path, None, "the pack has no place for this file"));
        }
        self.sums();
        readme_is_ours
    }

    /// The log's keys from the one that the pack names, which may be an earlier one than the checker trusts; both must
    /// lead to the same.
    fn claimed_log_keys(&mut self, trust: &Trust) -> LogKeys {
        let named = VerifierKey::parse(&self.pack.manifest.log_key).map_err(|error| error.to_string());
        let keys = named.and_then(|log| log_keys(&Trust { log, portal: trust.portal }, &self.hand_overs));
        match keys {
            Ok(keys) if keys.newest().key == self.keys.newest().key => keys,
            other => {
                let found = other.map_or_else(|error| error, |keys| keys.newest().key.to_string());
                self.wrong(Finding {
                    found: Some(found),
                    expected: Some(self.keys.newest().key.to_string()),
                    ..finding(
                        "pack.json",
                        None,
                        "logKey is not the log's key, nor one that was handed on to it",
                    )
                });
                self.keys.clone()
            }
        }
    }

    fn sums(&mut self) {
        let found = self.pack.text(SUMS).unwrap_or_default();
        let expected = sums(&self.pack.digests);
        if found != expected {
            let differs = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
            let (expected, found) = differs.unwrap_or(("as many lines as files", "another number"));
            let (expected, found) = (Some(expected.to_owned()), Some(found.to_owned()));
            self.wrong(Finding {
                found,
                expected,
                ..finding(SUMS, None, "it does not list the files as they are")
            });
        }
    }
}

impl Unpacked {
    fn text(&self, path: &str) -> Option<String> {
        String::from_utf8(self.held.get(path)?.clone()).ok()
    }
}

/// The digests that statements speak of or mention: a pack holds no other blob.
pub fn named_digests<'a>(statements: impl Iterator<Item = &'a Statement>) -> BTreeSet<Sha256Digest> {
    let mut named = BTreeSet::new();
    for statement in statements {
        named.extend(statement.subject.iter().filter_map(super::super::statement::Subject::sha256));
        named.extend(mentioned(&statement.predicate));
    }
    named
}

/// The public keys of a pack by the names of their files.
pub fn public_keys(log: &LogKeys, agents: &[KeyLife], portal: &PublicKey) -> BTreeMap<String, PublicKey> {
    let mut keys = BTreeMap::from([("portal".to_owned(), *portal)]);
    for (at, life) in log.lives().enumerate() {
        let name = if at == 0 { "log".to_owned() } else { format!("log-{}", at + 1) };
        keys.insert(name, *life.key.public_key());
    }
    for life in agents {
        keys.insert(format!("agent-{}", life.public_key.id()), life.public_key);
    }
    keys
}

fn proves(item: &Consistency, head: &TreeHead) -> bool {
    verify_consistency(item.size, &item.root, head.size, &head.root, &item.proof).is_ok()
}

fn read_proofs(pack: &mut Unpacked) -> BTreeMap<u64, Vec<Sha256Digest>> {
    let mut proofs = BTreeMap::new();
    for entry in pack.manifest.entries.clone() {
        let path = proof_path(entry.index);
        let Some(bytes) = pack.held.get(&path) else { continue };
        let read = std::str::from_utf8(bytes)
            .map_err(|error| error.to_string())
            .and_then(|text| ProofFile::parse(text).map_err(|error| error.to_string()));
        match read {
            Ok(proof) if proof.index == entry.index => {
                proofs.insert(entry.index, proof.inclusion);
            }
            Ok(proof) => pack.findings.push(Finding {
                found: Some(format!("index {}", proof.index)),
                expected: Some(format!("index {}", entry.index)),
                ..finding(&path, Some(entry.index), "it is the proof of another entry")
            }),
            Err(error) => pack.findings.push(finding(&path, Some(entry.index), error)),
        }
    }
    proofs
}

fn hand_over(pack: &Unpacked, inclusion: &BTreeMap<u64, Vec<Sha256Digest>>, index: u64) -> Option<HandOver> {
    let record = STANDARD.encode(pack.held.get(&entry_path(index))?);
    let statement = LoggedEntry { record, index, inclusion: inclusion.get(&index)?.clone() };
    Some(HandOver { statement, tree_head: pack.text(&hand_over_path(index))? })
}

fn read_consistency(bytes: &[u8]) -> Result<Vec<Consistency>, String> {
    let value = jcs::parse(bytes).map_err(|error| error.to_string())?;
    let items: Vec<Consistency> = serde_json::from_value(value).map_err(|error| error.to_string())?;
    if items.is_sorted_by(|a, b| a.size < b.size) {
        Ok(items)
    } else {
        Err("the earlier trees are not in the order of their sizes".to_owned())
    }
}

#[cfg(test)]
mod tests;
