//! The checks of a pack, one after the other; each collects what does not hold.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    super::{Consistency, blob_path, entry_path, hand_over_path, proof_path},
    CheckedEntry, Finding, Fork, KnownHead, Unpacked, finding, named_digests,
};
use crate::{
    evidence::{code, decision::RouteDecision, log_key::LogKey, route::RouteRecord},
    judge::{
        keyring::Keyring,
        log_key::LogKeys,
        pack::{Candidate, Topic, belonging},
        route::{RouteEntry, RouteEvent, RouteLog, Signer as RouteSigner, judge_route},
    },
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        jcs,
        merkle::leaf_hash,
        proof::{verify_consistency, verify_inclusion},
        proof_file::ProofFile,
        statement::{Predicate as _, Statement},
        tree_head::TreeHead,
        verification::{HandOver, LoggedEntry, Signer, Trust, log_keys},
    },
};

/// An entry whose statement could be read.
struct ReadEntry {
    index: u64,
    signer: RouteSigner,
    statement: Statement,
}

/// A pack under check: what was read so far, and what was found.
pub(super) struct Checking {
    pub(super) pack: Unpacked,
    pub(super) keys: LogKeys,
    pub(super) hand_overs: Vec<HandOver>,
    pub(super) head: Option<TreeHead>,
    pub(super) consistency: Vec<Consistency>,
    pub(super) inclusion: BTreeMap<u64, Vec<Sha256Digest>>,
    pub(super) keyring: Keyring,
    read: Vec<ReadEntry>,
    pub(super) checked: Vec<CheckedEntry>,
    pub(super) forks: Vec<Fork>,
}

impl Checking {
    /// Verifies the tree head and reads what the other checks need.
    pub(super) fn begin(mut pack: Unpacked, trust: &Trust) -> Self {
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

    pub(super) fn wrong(&mut self, finding: Finding) {
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

    pub(super) fn entries(&mut self, trust: &Trust) {
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
        let (signer, of_route) = (Signer::of(signed_by, trust), signed_by.into());
        // How the log's key was handed on is settled before the tree head is believed.
        if statement.predicate_type != LogKey::TYPE {
            self.keyring.apply(index, &envelope, &statement).map_err(|error| error.to_string())?;
        }
        let kind = statement.predicate_type.clone();
        self.read.push(ReadEntry { index, signer: of_route, statement });
        Ok((kind, signer))
    }

    /// The entries are exactly those that belong, for the reasons that the manifest gives.
    pub(super) fn what_belongs(&mut self) {
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
                    found: Some(code(&packed.why)),
                    expected: Some(why.map_or_else(|| "that it is not here".to_owned(), code)),
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

    pub(super) fn earlier_trees(&mut self) {
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

    pub(super) fn known_heads(&mut self, known: &[KnownHead]) {
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
    pub(super) fn route(&mut self) -> Option<(RouteRecord, Vec<u8>)> {
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

    pub(super) fn named_blobs(&mut self) {
        let named: BTreeSet<Sha256Digest> = named_digests(self.read.iter().map(|entry| &entry.statement));
        for digest in self.pack.blobs.keys().copied().collect::<Vec<_>>() {
            if !named.contains(&digest) {
                self.wrong(finding(&blob_path(&digest), None, "no statement in the pack names this blob"));
            }
        }
    }
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
