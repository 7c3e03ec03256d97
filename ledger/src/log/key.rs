//! Ed25519 public keys and their ids. A key serves one purpose: an agent's statements, the portal's statements, or the
//! log's tree heads; never two.

mod busy;

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
pub use busy::{BusyKey, Tables};
pub use ed25519_dalek::SigningKey;
use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::digest::Sha256Digest;

/// The id of a public key: the SHA-256 digest of its 32 bytes. In an envelope it is a hint, never a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyId(pub Sha256Digest);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A public key that is safe to accept: canonical encoding, not of small order. Written as standard base64.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// Why bytes are not an acceptable public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Not base64 of 32 bytes.
    #[error("a public key is standard base64 of 32 bytes")]
    Encoding,
    /// The bytes name no curve point, or name one by another than its canonical encoding.
    #[error("the public key is not a canonical Ed25519 point")]
    NotCanonical,
    /// The point has a small order: signatures under it prove nothing.
    #[error("the public key is of small order: signatures under it prove nothing")]
    SmallOrder,
}

impl PublicKey {
    /// Accepts the 32 bytes of a key.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        // y must be below p = 2^255 - 19; the decompression itself reduces silently.
        let mut y = *bytes;
        y[31] &= 0x7f;
        let beyond_p = y[31] == 0x7f && y[1..31].iter().all(|&byte| byte == 0xff) && y[0] >= 0xed;
        if beyond_p {
            return Err(KeyError::NotCanonical);
        }
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::NotCanonical)?;
        if key.is_weak() { Err(KeyError::SmallOrder) } else { Ok(Self(key)) }
    }

    /// The public half of a signing key.
    pub fn of(key: &SigningKey) -> Self {
        Self(key.verifying_key())
    }

    /// Reads standard base64.
    pub fn from_base64(text: &str) -> Result<Self, KeyError> {
        let bytes = STANDARD.decode(text).map_err(|_| KeyError::Encoding)?;
        Self::from_bytes(&bytes.try_into().map_err(|_| KeyError::Encoding)?)
    }

    /// Writes standard base64.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0.as_bytes())
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The key's id.
    pub fn id(&self) -> KeyId {
        KeyId(Sha256Digest::of(self.0.as_bytes()))
    }

    /// Checks a signature strictly (no small-order components, no malleable encodings).
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.0.verify_strict(message, &signature).is_ok())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ed25519:{}", self.to_base64())
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_base64())
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_base64(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// Signs a message.
pub fn sign(key: &SigningKey, message: &[u8]) -> [u8; 64] {
    use ed25519_dalek::Signer as _;
    key.sign(message).to_bytes()
}

#[cfg(test)]
pub(crate) mod test_keys {
    use super::SigningKey;

    fn seed(hex: &str) -> SigningKey {
        SigningKey::from_bytes(hex.parse::<super::Sha256Digest>().unwrap().as_bytes())
    }

    /// RFC 8032, section 7.1, test 1.
    pub(crate) fn rfc8032_1() -> SigningKey {
        seed("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    }

    /// RFC 8032, section 7.1, test 2.
    pub(crate) fn rfc8032_2() -> SigningKey {
        seed("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc8032_vector() {
        let key = test_keys::rfc8032_1();
        let public = PublicKey::of(&key);
        assert_eq!(
            Sha256Digest(*public.as_bytes()).to_string(),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        );
        let signature = sign(&key, b"");
        assert!(public.verify(b"", &signature));
        assert!(!public.verify(b"x", &signature));
        assert!(!public.verify(b"", &signature[..63]));
        assert_eq!(PublicKey::from_base64(&public.to_base64()), Ok(public));
    }

    #[test]
    fn weak_and_non_canonical_keys_are_refused() {
        let point = |first: u8, rest: u8, last: u8| {
            let mut bytes = [rest; 32];
            bytes[0] = first;
            bytes[31] = last;
            PublicKey::from_bytes(&bytes)
        };
        assert_eq!(point(1, 0, 0), Err(KeyError::SmallOrder)); // the identity
        assert_eq!(point(0, 0, 0), Err(KeyError::SmallOrder)); // order 4
        assert_eq!(point(0xec, 0xff, 0x7f), Err(KeyError::SmallOrder)); // order 2
        for first in 0xed..=0xff {
            assert_eq!(point(first, 0xff, 0x7f), Err(KeyError::NotCanonical));
            assert_eq!(point(first, 0xff, 0xff), Err(KeyError::NotCanonical));
        }
        assert_eq!(PublicKey::from_base64("AAAA"), Err(KeyError::Encoding));
        assert_eq!(PublicKey::from_base64("%"), Err(KeyError::Encoding));
    }
}
