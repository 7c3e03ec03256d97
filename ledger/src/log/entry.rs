//! Entries: the leaves of the log. An entry is an envelope's canonical bytes, at most 65,535 of them.
//!
//! Same bytes, same entry: whoever offers an entry twice gets the first index back.

use super::{digest::Sha256Digest, dsse::Envelope, merkle::leaf_hash, tile::MAX_ENTRY_BYTES};

/// An entry's bytes, with what is computed from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    bytes: Vec<u8>,
}

/// The entry is longer than a leaf may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the entry has {found} bytes, at most {MAX_ENTRY_BYTES} are taken; put what is big into a blob and name its digest"
)]
pub struct EntryTooLong {
    /// How long it is.
    pub found: usize,
}

impl Entry {
    /// Makes the entry of an envelope.
    pub fn of(envelope: &Envelope) -> Result<Self, EntryTooLong> {
        let bytes = envelope.to_canonical_json();
        if bytes.len() > MAX_ENTRY_BYTES {
            Err(EntryTooLong { found: bytes.len() })
        } else {
            Ok(Self { bytes })
        }
    }

    /// The leaf's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The digest of the bytes: the entry's address.
    pub fn digest(&self) -> Sha256Digest {
        Sha256Digest::of(&self.bytes)
    }

    /// The leaf's hash in the tree.
    pub fn leaf_hash(&self) -> Sha256Digest {
        leaf_hash(&self.bytes)
    }
}
