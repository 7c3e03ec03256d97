//! Signed notes (C2SP signed-note): a text that people can read, with signature lines below it.
//!
//! ```text
//! <text, ends in a newline>
//! <empty line>
//! — <key name> <base64(4-byte key id || signature)>
//! ```
//! A line of an unknown key is passed over; a line of a known key that does not verify makes the whole note bad.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    digest::Sha256Digest,
    key::{self, KeyError, PublicKey, SigningKey},
};

/// The largest number of signature lines that are looked at.
pub const MAX_SIGNATURES: usize = 64;

/// What a note key signs with: the type byte of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKeyType {
    /// Plain Ed25519 over the text (0x01).
    Ed25519,
    /// Ed25519 cosignature with a time (0x04), see [`super::cosignature`].
    Cosignature,
}

impl NoteKeyType {
    fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 0x01,
            Self::Cosignature => 0x04,
        }
    }
}

/// A note key's name and public half; written `name+id+base64(type || key)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: NoteKeyType,
    key: PublicKey,
}

/// One signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSignature {
    /// The key's name.
    pub name: String,
    /// The key's 4-byte id: a hint, never security.
    pub id: [u8; 4],
    /// What follows the id.
    pub payload: Vec<u8>,
}

/// A note, not verified by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The text, its last newline included.
    pub text: String,
    /// The signature lines in their order.
    pub signatures: Vec<NoteSignature>,
}

/// Why a note or a note key is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// The bytes are not a note.
    #[error("not a signed note: {0}")]
    Malformed(&'static str),
    /// The key string is not one.
    #[error("not a verifier key (name+id+base64): {0}")]
    Key(&'static str),
    /// The key itself is not acceptable.
    #[error(transparent)]
    PublicKey(#[from] KeyError),
    /// A known key's line does not verify.
    #[error("the signature by {0} is not valid")]
    BadSignature(String),
    /// No known key signed.
    #[error("no known key signed the note")]
    Unsigned,
}

impl VerifierKey {
    /// Names a public key. The name must not be empty and hold neither spaces nor `+`.
    pub fn new(name: &str, kind: NoteKeyType, key: PublicKey) -> Result<Self, NoteError> {
        if !is_key_name(name) {
            return Err(NoteError::Key("the name is empty or holds a space or a plus sign"));
        }
        Ok(Self { name: name.to_owned(), kind, key })
    }

    /// Reads `name+id+base64(type || key)`.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(material)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NoteError::Key("two plus signs are expected"));
        };
        let bytes = STANDARD.decode(material).map_err(|_| NoteError::Key("the key is not base64"))?;
        let kind = match bytes.first() {
            Some(0x01) => NoteKeyType::Ed25519,
            Some(0x04) => NoteKeyType::Cosignature,
            _ => return Err(NoteError::Key("the key type is not known")),
        };
        let raw = bytes[1..].try_into().map_err(|_| NoteError::Key("the key is not 32 bytes"))?;
        let key = Self::new(name, kind, PublicKey::from_bytes(&raw)?)?;
        if hex4(key.id()) == id { Ok(key) } else { Err(NoteError::Key("the id does not belong to the key")) }
    }

    /// The key's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it signs with.
    pub fn kind(&self) -> NoteKeyType {
        self.kind
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }

    /// The first four bytes of SHA-256(name || 0x0A || type || key).
    pub fn id(&self) -> [u8; 4] {
        let digest =
            Sha256Digest::of_parts(&[self.name.as_bytes(), b"\n", &[self.kind.byte()], self.key.as_bytes()]);
        [digest.0[0], digest.0[1], digest.0[2], digest.0[3]]
    }

    pub(super) fn made(&self, signature: &NoteSignature) -> bool {
        signature.name == self.name && signature.id == self.id()
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let material = [&[self.kind.byte()][..], self.key.as_bytes()].concat();
        write!(f, "{}+{}+{}", self.name, hex4(self.id()), STANDARD.encode(material))
    }
}

impl Note {
    /// Takes a text that is to be signed: not empty, ends in a newline, no other control characters.
    pub fn new(text: String) -> Result<Self, NoteError> {
        check_characters(&text)?;
        if text.ends_with('\n') {
            Ok(Self { text, signatures: Vec::new() })
        } else {
            Err(NoteError::Malformed("the text must end in a newline"))
        }
    }

    /// Adds a plain Ed25519 signature under the key's name.
    pub fn sign(&mut self, name: &str, signing: &SigningKey) -> Result<(), NoteError> {
        let verifier = VerifierKey::new(name, NoteKeyType::Ed25519, PublicKey::of(signing))?;
        let payload = key::sign(signing, self.text.as_bytes()).to_vec();
        self.signatures.push(NoteSignature { name: name.to_owned(), id: verifier.id(), payload });
        Ok(())
    }

    /// Reads a note; verifies nothing.
    pub fn parse(note: &str) -> Result<Self, NoteError> {
        check_characters(note)?;
        let split =
            note.rfind("\n\n").ok_or(NoteError::Malformed("no empty line stands before the signatures"))?;
        let (text, lines) = (&note[..split + 1], &note[split + 2..]);
        let lines = lines.strip_suffix('\n').ok_or(NoteError::Malformed("the last line is not finished"))?;
        if lines.split('\n').count() > MAX_SIGNATURES {
            return Err(NoteError::Malformed("more than 64 signatures"));
        }
        let signatures = lines.split('\n').map(parse_signature).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), signatures })
    }

    /// Verifies the plain Ed25519 lines by the known keys; says which of them signed.
    pub fn verify<'k>(&self, known: &'k [VerifierKey]) -> Result<Vec<&'k VerifierKey>, NoteError> {
        let mut signers = Vec::new();
        for signature in &self.signatures {
            let made_by = known.iter().find(|key| key.kind == NoteKeyType::Ed25519 && key.made(signature));
            if let Some(key) = made_by {
                if !key.key.verify(self.text.as_bytes(), &signature.payload) {
                    return Err(NoteError::BadSignature(key.name.clone()));
                }
                if !signers.contains(&key) {
                    signers.push(key);
                }
            }
        }
        if signers.is_empty() { Err(NoteError::Unsigned) } else { Ok(signers) }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| {
            let material = [&signature.id[..], &signature.payload].concat();
            writeln!(f, "\u{2014} {} {}", signature.name, STANDARD.encode(material))
        })
    }
}

fn parse_signature(line: &str) -> Result<NoteSignature, NoteError> {
    let malformed = NoteError::Malformed("a signature line is '— name base64'");
    let (name, material) =
        line.strip_prefix("\u{2014} ").and_then(|rest| rest.split_once(' ')).ok_or(malformed.clone())?;
    let bytes = STANDARD.decode(material).map_err(|_| malformed.clone())?;
    match bytes.split_first_chunk::<4>() {
        Some((id, payload)) if is_key_name(name) && !payload.is_empty() => {
            Ok(NoteSignature { name: name.to_owned(), id: *id, payload: payload.to_vec() })
        }
        _ => Err(malformed),
    }
}

fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '+')
}

fn check_characters(text: &str) -> Result<(), NoteError> {
    let bad = |c: char| c < '\u{20}' && c != '\n';
    if text.contains(bad) { Err(NoteError::Malformed("a control character stands in it")) } else { Ok(()) }
}

fn hex4(id: [u8; 4]) -> String {
    format!("{:08x}", u32::from_be_bytes(id))
}

#[cfg(test)]
mod tests {
    use super::{super::key::test_keys, *};

    const SPEC_KEY: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    const SPEC_NOTE: &str = "This is an example message.\n\n\u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

    #[test]
    fn the_specifications_example_verifies() {
        let key = VerifierKey::parse(SPEC_KEY).unwrap();
        assert_eq!(key.to_string(), SPEC_KEY);
        let note = Note::parse(SPEC_NOTE).unwrap();
        assert_eq!(note.to_string(), SPEC_NOTE);
        assert_eq!(note.verify(std::slice::from_ref(&key)).unwrap(), [&key]);
    }

    #[test]
    fn unknown_lines_pass_and_bad_known_ones_do_not() {
        let mut note = Note::new("a\n\nb\n".to_owned()).unwrap();
        note.sign("one", &test_keys::rfc8032_1()).unwrap();
        note.sign("two", &test_keys::rfc8032_2()).unwrap();
        let key = |name, signing: &SigningKey| {
            VerifierKey::new(name, NoteKeyType::Ed25519, PublicKey::of(signing)).unwrap()
        };
        let (one, two) = (key("one", &test_keys::rfc8032_1()), key("two", &test_keys::rfc8032_2()));
        let mut read = Note::parse(&note.to_string()).unwrap();
        assert_eq!(read, note);
        assert_eq!(read.verify(std::slice::from_ref(&two)).unwrap(), [&two]);
        assert_eq!(read.verify(&[]), Err(NoteError::Unsigned));
        read.signatures[0].payload[5] ^= 1;
        assert!(read.verify(std::slice::from_ref(&two)).is_ok());
        assert_eq!(read.verify(&[two, one]), Err(NoteError::BadSignature("one".to_owned())));
    }

    #[test]
    fn malformed_notes_and_keys_are_refused() {
        for (from, to) in [
            ("\n\n", "\n"),
            ("foo Uw2", "foo\tUw2"),
            ("\u{2014} ", "- "),
            ("QM=\n", "QM="),
            ("Uw2", "%w2"),
            ("foo ", "foo+ "),
            ("This", "\u{0}"),
        ] {
            assert!(Note::parse(&SPEC_NOTE.replace(from, to)).is_err(), "{from:?} -> {to:?}");
        }
        assert!(Note::parse(&format!("{SPEC_NOTE}\u{2014} x AAAA\n")).is_err());
        assert!(Note::parse("").is_err());
        assert!(Note::new("no newline".to_owned()).is_err());
        for text in [
            "",
            "a+b",
            "a b+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
            "x+00000000+AAAA",
            &SPEC_KEY.replace("530d", "530e"),
            &SPEC_KEY.replace("foo", "bar"),
        ] {
            assert!(VerifierKey::parse(text).is_err(), "{text}");
        }
    }
}
