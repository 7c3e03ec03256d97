//! SHA-256 digests: the address of every blob, entry and key.

use std::{fmt, io, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest; written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Digest(pub [u8; 32]);

/// A text that is not a SHA-256 digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a SHA-256 digest is 64 lower-case hexadecimal digits, found {found:?}")]
pub struct DigestError {
    found: String,
}

impl Sha256Digest {
    /// Hashes the bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hashes several slices as if they stood one behind the other.
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hasher = Hasher::default();
        for part in parts {
            hasher.update(part);
        }
        hasher.finish()
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Takes exactly 32 bytes.
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The first twelve digits: what a page shows beside the link to the whole.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Pages and answers are full of them: two table look-ups a byte, and one piece.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (byte, pair) in self.0.iter().zip(text.chunks_exact_mut(2)) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{self}")
    }
}

impl FromStr for Sha256Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let error = || DigestError { found: text.chars().take(80).collect() };
        let bytes = text.as_bytes();
        if bytes.len() != 64 {
            return Err(error());
        }
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut digest = [0; 32];
        for (out, pair) in digest.iter_mut().zip(bytes.chunks_exact(2)) {
            *out =
                nibble(pair[0]).zip(nibble(pair[1])).map(|(high, low)| high << 4 | low).ok_or_else(error)?;
        }
        Ok(Self(digest))
    }
}

impl Serialize for Sha256Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Hashes a stream piece by piece.
#[derive(Clone, Default)]
pub struct Hasher {
    inner: Sha256,
    bytes: u64,
}

impl Hasher {
    /// Takes the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.inner.update(piece);
        self.bytes += piece.len() as u64;
    }

    /// How many bytes were taken so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The digest of everything taken.
    pub fn finish(self) -> Sha256Digest {
        Sha256Digest(self.inner.finalize().into())
    }
}

/// Whatever is written is taken; it never fails.
impl io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_spelling_is_read() {
        let text = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let empty = Sha256Digest::of(b"");
        assert_eq!(empty.to_string(), text);
        assert_eq!(text.parse(), Ok(empty));
        for wrong in ["", "e3b0", &text.to_uppercase(), &text.replace('e', "g"), &format!("{text}00"), "é"] {
            assert!(wrong.parse::<Sha256Digest>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn pieces_hash_like_the_whole() {
        let mut hasher = Hasher::default();
        hasher.update(b"ab");
        hasher.update(b"c");
        assert_eq!(hasher.bytes(), 3);
        assert_eq!(hasher.finish(), Sha256Digest::of(b"abc"));
        assert_eq!(Sha256Digest::of_parts(&[b"a", b"", b"bc"]), Sha256Digest::of(b"abc"));
    }
}
