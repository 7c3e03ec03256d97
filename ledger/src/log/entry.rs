//! Entries: the leaves of the log. An entry is an envelope's canonical bytes, at most 65,535 of them.
//!
//! Same bytes, same entry: whoever offers an entry twice gets the first index back.

use super::{digest::Sha256Digest, dsse::Envelope, merkle::leaf_hash, tile::MAX_ENTRY_BYTES};

/// An entry's bytes, with what is computed from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    bytes: Vec<u8>,
    digest: Sha256Digest,
    leaf_hash: Sha256Digest,
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
            let (digest, leaf_hash) = (Sha256Digest::of(&bytes), leaf_hash(&bytes));
            Ok(Self { bytes, digest, leaf_hash })
        }
    }

    /// The leaf's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The digest of the bytes: the entry's address.
    pub fn digest(&self) -> Sha256Digest {
        self.digest
    }

    /// The leaf's hash in the tree.
    pub fn leaf_hash(&self) -> Sha256Digest {
        self.leaf_hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{dsse::PAYLOAD_TYPE, key::test_keys};

    /// The longest entry is as long as the two bytes of its length in a bundle can say.
    #[test]
    fn an_entry_has_65535_bytes_and_not_one_more() {
        let envelope = |payload: usize, hint: usize| {
            let mut envelope = Envelope::sign(vec![b'x'; payload], PAYLOAD_TYPE, &test_keys::rfc8032_1());
            // The payload grows by four bytes at a time, the hint by one.
            envelope.signatures[0].keyid = "k".repeat(hint);
            envelope
        };
        let shortest = envelope(0, 0).to_canonical_json().len();
        let payload = (MAX_ENTRY_BYTES - shortest) / 4 * 3;
        let hint = (MAX_ENTRY_BYTES - shortest) % 4;
        let entry = Entry::of(&envelope(payload, hint)).unwrap();
        assert_eq!(entry.bytes().len(), 65_535);
        assert_eq!(Entry::of(&envelope(payload, hint + 1)), Err(EntryTooLong { found: 65_536 }));
    }
}
