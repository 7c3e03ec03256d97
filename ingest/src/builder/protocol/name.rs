//! A phase's name on the wire: the library may give any bytes, of any length.

use acta_ledger::{evidence::phase_tree::assemble::RawName, log::digest::Sha256Digest};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

/// How many bytes of a phase's name travel; of a longer one the digest goes along.
pub const NAME_BYTES: usize = 512;

/// A phase's name on the wire: bounded bytes, with the digest of the whole where they are not the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name's bytes, or the first 512 of them.
    pub bytes: Vec<u8>,
    /// The digest of the whole, where `bytes` was cut.
    pub digest: Option<Sha256Digest>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WireName {
    Plain(String),
    Parts {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Sha256Digest>,
    },
}

impl Name {
    /// The name with at most [`NAME_BYTES`] bytes and, where it was longer, the digest of the whole.
    pub fn bounded(mut self) -> Self {
        if self.bytes.len() > NAME_BYTES {
            self.digest.get_or_insert_with(|| Sha256Digest::of(&self.bytes));
            self.bytes.truncate(NAME_BYTES);
        }
        self
    }

    /// The name as the phase tree takes it.
    pub fn raw(&self) -> RawName<'_> {
        RawName { bytes: &self.bytes, digest: self.digest }
    }
}

impl Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = std::str::from_utf8(&self.bytes).ok();
        match (text, self.digest) {
            (Some(text), None) => serializer.serialize_str(text),
            (text, digest) => WireName::Parts {
                text: text.map(str::to_owned),
                base64: text.is_none().then(|| STANDARD.encode(&self.bytes)),
                digest,
            }
            .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let (bytes, digest) = match WireName::deserialize(deserializer)? {
            WireName::Plain(text) => (text.into_bytes(), None),
            WireName::Parts { text: Some(text), base64: None, digest } => (text.into_bytes(), digest),
            WireName::Parts { text: None, base64: Some(base64), digest } => {
                (STANDARD.decode(base64).map_err(D::Error::custom)?, digest)
            }
            WireName::Parts { .. } => return Err(D::Error::custom("a name has a text or base64")),
        };
        Ok(Self { bytes, digest })
    }
}
