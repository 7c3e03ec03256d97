//! Evidence packs (`x.acta`): one file that holds everything that verifying some entries needs, and nothing else.
//!
//! A pack is a plain tar archive, so that everybody can open it, written in the one way that [`archive`] describes, so
//! that the same evidence gives the same bytes and nothing can hide between the files. Its files, in their order:
//!
//! ```text
//! pack.json                     what it is about, which entries, which keys (canonical JSON)
//! README.md                     how to check it with nothing of ours
//! SHA256SUMS                    the digest of every other file, for sha256sum -c
//! tree-head                     the signed tree head (C2SP checkpoint)
//! consistency.json              that the trees which persons saw are the beginning of this one
//! route-record.json             a route's record, to be recomputed from the entries
//! hand-overs/<index>.tree-head  a tree head that both keys signed, where the log's key was handed on
//! keys/<what>.pem               every public key that signed something here
//! entries/<index>.json          the entries' bytes as the log holds them (DSSE envelopes)
//! proofs/<index>.tlog-proof     their places under the tree head (C2SP tlog-proof)
//! blobs/<sha256>                the blobs that were chosen
//! ```
//! What a pack cannot show: that no entry was left out. It says which tree it was made from; whoever has that whole log
//! finds what belongs by the same function, [`crate::judge::pack::belonging`].

pub mod archive;
pub mod check;
mod readme;

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use super::{
    digest::Sha256Digest,
    dsse::Envelope,
    jcs::{self, JsonError},
    key::PublicKey,
    proof_file,
    statement::{Predicate as _, Statement},
    timestamp::Timestamp,
    verification::{HandOver, LoggedEntry, Trust, log_keys},
};
use crate::{
    evidence::agent_key::AgentKey,
    judge::{
        keyring::Keyring,
        pack::{Topic, Why},
    },
};

/// How packs are called.
pub const EXTENSION: &str = "acta";

/// The media type under which a server hands them out.
pub const MEDIA_TYPE: &str = "application/vnd.acta.pack+tar";

/// The value of [`Manifest::format`].
pub const FORMAT: &str = "acta-pack-1";

/// The most entries that a pack holds.
pub const MAX_ENTRIES: usize = 20_000;

/// The most bytes of all files but the blobs: they are held in memory while a pack is made or checked.
pub const MAX_HELD_BYTES: u64 = 256 << 20;

/// The longest blob that a pack can hold: tar's plain length field ends there.
pub const MAX_BLOB_BYTES: u64 = (8 << 30) - 1;

/// Up to which length blobs are taken along where nothing else is asked for: 1 MiB.
pub const SMALL_BLOB_BYTES: u64 = 1 << 20;

/// Which blobs a pack takes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blobs {
    /// Those of at most 1 MiB.
    #[default]
    Small,
    /// All of them.
    All,
    /// None.
    None,
}

impl Blobs {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::Small, Self::All, Self::None];

    /// Whether a blob of this length is taken along.
    pub fn takes(self, bytes: u64) -> bool {
        match self {
            Self::None => false,
            Self::Small => bytes <= SMALL_BLOB_BYTES,
            Self::All => bytes <= MAX_BLOB_BYTES,
        }
    }
}

/// What a pack says of itself, in `pack.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Always [`FORMAT`].
    pub format: String,
    /// What it is about.
    pub about: Topic,
    /// Which log.
    pub origin: String,
    /// The size of the tree that it was made from: what belongs was looked for in all of it.
    pub tree_size: u64,
    /// The log's key as it was when it was trusted, `name+id+base64`: a claim, see [`check`].
    pub log_key: String,
    /// The portal's key: a claim too.
    pub portal_key: PublicKey,
    /// The moment for which a route is judged (an override may end by itself); none where the pack is about no route.
    pub judged_at: Option<Timestamp>,
    /// The entries, in order.
    pub entries: Vec<PackedEntry>,
    /// Those of them that hand the log's key on and have a tree head of both keys here.
    pub hand_overs: Vec<u64>,
    /// Blobs that the server keeps and that were not taken along.
    pub left_out: Vec<LeftOut>,
}

/// An entry of a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackedEntry {
    /// Its index.
    pub index: u64,
    /// Why it belongs.
    pub why: Why,
}

/// A blob that was not taken along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LeftOut {
    /// Its digest.
    pub digest: Sha256Digest,
    /// How long it is.
    pub bytes: u64,
}

/// That an earlier tree is the beginning of the pack's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Consistency {
    /// The earlier size; at least 1.
    pub size: u64,
    /// The earlier root.
    pub root: Sha256Digest,
    /// The proof (RFC 6962, section 2.1.2).
    pub proof: Vec<Sha256Digest>,
}

/// Everything in a pack but the blobs' bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The signed tree head.
    pub tree_head: String,
    /// Earlier trees, in the order of their sizes.
    pub consistency: Vec<Consistency>,
    /// A route's record, in canonical JSON.
    pub route_record: Option<Vec<u8>>,
    /// Tree heads that both keys signed, by the entry that hands the key on.
    pub hand_overs: BTreeMap<u64, String>,
    /// Public keys by their files' names, without `.pem`.
    pub keys: BTreeMap<String, PublicKey>,
    /// The entries' bytes by their index.
    pub entries: BTreeMap<u64, Vec<u8>>,
    /// The hashes from each entry's sibling upward.
    pub inclusion: BTreeMap<u64, Vec<Sha256Digest>>,
    /// The blobs: digests and lengths, in order.
    pub blobs: BTreeMap<Sha256Digest, u64>,
}

/// A file of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum File {
    /// One that is held in memory.
    Held {
        /// Its name.
        path: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A blob, whose bytes come from wherever blobs are kept.
    Blob {
        /// Its digest.
        digest: Sha256Digest,
        /// Its length.
        bytes: u64,
    },
}

impl File {
    /// Its name in the archive.
    pub fn path(&self) -> String {
        match self {
            Self::Held { path, .. } => path.clone(),
            Self::Blob { digest, .. } => blob_path(digest),
        }
    }

    /// Its length.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Held { bytes, .. } => bytes.len() as u64,
            Self::Blob { bytes, .. } => *bytes,
        }
    }
}

impl Contents {
    /// The public keys that belong into the pack: the log's and the portal's, and every agent's key that its entries
    /// introduce. An error says which entry cannot be read or does not fit those before it.
    pub fn keys_by(&self, trust: &Trust) -> Result<BTreeMap<String, PublicKey>, String> {
        let hand_overs = self.manifest.hand_overs.iter().filter_map(|at| {
            let record = STANDARD.encode(self.entries.get(at)?);
            let statement = LoggedEntry { record, index: *at, inclusion: self.inclusion.get(at)?.clone() };
            Some(HandOver { statement, tree_head: self.hand_overs.get(at)?.clone() })
        });
        let log = log_keys(trust, &hand_overs.collect::<Vec<_>>())?;
        let mut keyring = Keyring::new(trust.portal, log.clone());
        for (index, record) in &self.entries {
            let at = |error: &dyn std::fmt::Display| format!("entry {index}: {error}");
            let envelope = Envelope::parse(record).map_err(|error| at(&error))?;
            let statement = Statement::from_envelope(&envelope).map_err(|error| at(&error))?;
            if statement.predicate_type == AgentKey::TYPE {
                keyring.apply(*index, &envelope, &statement).map_err(|error| at(&error))?;
            }
        }
        Ok(check::public_keys(&log, keyring.lives(), &trust.portal))
    }

    /// The pack's files in their order.
    pub fn files(&self) -> Result<Vec<File>, JsonError> {
        let mut held: Vec<(String, Vec<u8>)> = vec![("tree-head".to_owned(), self.tree_head.clone().into())];
        if !self.consistency.is_empty() {
            held.push(("consistency.json".to_owned(), jcs::to_vec(&self.consistency)?));
        }
        held.extend(self.route_record.iter().map(|record| ("route-record.json".to_owned(), record.clone())));
        held.extend(self.hand_overs.iter().map(|(at, note)| (hand_over_path(*at), note.clone().into())));
        held.extend(self.keys.iter().map(|(name, key)| (key_path(name), pem(key).into())));
        held.extend(self.entries.iter().map(|(at, record)| (entry_path(*at), record.clone())));
        held.extend(self.inclusion.iter().map(|(index, inclusion)| {
            let (inclusion, tree_head) = (inclusion.clone(), self.tree_head.clone());
            let proof = proof_file::ProofFile { extra: None, index: *index, inclusion, tree_head };
            (proof_path(*index), proof.to_string().into_bytes())
        }));
        let blobs = self.blobs.iter().map(|(&digest, &bytes)| File::Blob { digest, bytes });
        let mut files = vec![
            ("pack.json".to_owned(), jcs::to_vec(&self.manifest)?),
            (
                "README.md".to_owned(),
                readme::readme(&self.manifest, self.route_record.is_some()).into_bytes(),
            ),
        ];
        let digests: Vec<(String, Sha256Digest)> = files
            .iter()
            .chain(&held)
            .map(|(path, bytes)| (path.clone(), Sha256Digest::of(bytes)))
            .chain(self.blobs.keys().map(|digest| (blob_path(digest), *digest)))
            .collect();
        files.push((SUMS.to_owned(), sums(&digests).into_bytes()));
        files.extend(held);
        Ok(files.into_iter().map(|(path, bytes)| File::Held { path, bytes }).chain(blobs).collect())
    }
}

const SUMS: &str = "SHA256SUMS";

/// The text that `sha256sum` writes of files with these names.
fn sums(digests: &[(String, Sha256Digest)]) -> String {
    digests.iter().map(|(path, digest)| format!("{digest}  {path}\n")).collect()
}

/// Ten digits, so that the names sort like the numbers up to ten thousand million entries.
fn entry_path(index: u64) -> String {
    format!("entries/{index:010}.json")
}

fn proof_path(index: u64) -> String {
    format!("proofs/{index:010}.{}", proof_file::EXTENSION)
}

fn hand_over_path(index: u64) -> String {
    format!("hand-overs/{index:010}.tree-head")
}

fn key_path(name: &str) -> String {
    format!("keys/{name}.pem")
}

fn blob_path(digest: &Sha256Digest) -> String {
    format!("blobs/{digest}")
}

/// A public key as openssl reads it: `SubjectPublicKeyInfo` (RFC 8410) in PEM.
pub fn pem(key: &PublicKey) -> String {
    /// A sequence of the algorithm's identifier 1.3.101.112 and a bit string of 32 bytes.
    const PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
    let spki = [&PREFIX[..], key.as_bytes()].concat();
    format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(spki))
}
