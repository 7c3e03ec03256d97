//! DSSE envelopes (Dead Simple Signing Envelope 1.0.2) with Ed25519.
//!
//! What is signed is the pre-authentication encoding of type and payload bytes, so nothing rests on how JSON is
//! written. `keyid` is a hint that anyone may have changed: it never decides. A threshold counts distinct keys.

use std::borrow::Cow;

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    jcs::{self, JsonError},
    key::{self, BusyKey, KeyId, PublicKey, SigningKey},
    part::Part,
    strict::Strict,
};

/// The payload type of every statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The largest number of signatures that are looked at.
pub const MAX_SIGNATURES: usize = 16;

/// One signature of an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeSignature {
    /// Which key may have made it: a hint.
    pub keyid: String,
    /// The signature's bytes.
    pub sig: Vec<u8>,
}

/// A payload with its type and its signatures, not verified by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The bytes that were signed.
    pub payload: Vec<u8>,
    /// What the bytes are.
    pub payload_type: String,
    /// Who signed.
    pub signatures: Vec<EnvelopeSignature>,
}

/// Why an envelope is refused.
#[derive(Debug, thiserror::Error)]
pub enum EnvelopeError {
    /// It is not strict JSON.
    #[error("the envelope is {0}")]
    Json(#[from] JsonError),
    /// A field is missing or of the wrong kind.
    #[error("the envelope's field {field} {expected}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What is expected of it.
        expected: &'static str,
    },
    /// Too few known keys signed it.
    #[error("{valid} of the {threshold} needed signatures by known keys verify, {offered} were offered")]
    TooFewSignatures {
        /// How many distinct known keys signed.
        valid: usize,
        /// How many are needed.
        threshold: usize,
        /// How many signatures the envelope holds.
        offered: usize,
    },
}

impl Envelope {
    /// Signs a payload with one key; the key's id goes along as the hint.
    pub fn sign(payload: Vec<u8>, payload_type: &str, key: &SigningKey) -> Self {
        let mut envelope = Self { payload, payload_type: payload_type.to_owned(), signatures: Vec::new() };
        envelope.cosign(key);
        envelope
    }

    /// Adds the signature of a further key.
    pub fn cosign(&mut self, key: &SigningKey) {
        let sig = key::sign(key, &pae(&self.payload_type, &self.payload)).to_vec();
        self.signatures.push(EnvelopeSignature { keyid: PublicKey::of(key).id().to_string(), sig });
    }

    /// Reads an envelope's JSON; unknown members are ignored, standard and URL-safe base64 are both read.
    pub fn parse(json: &[u8]) -> Result<Self, EnvelopeError> {
        jcs::read::<Written<'_>>(json)?.envelope()
    }

    /// Takes an envelope out of JSON that was read strictly.
    pub fn from_json(value: &Value) -> Result<Self, EnvelopeError> {
        Written::deserialize(Strict::new(value)).map_err(JsonError::from)?.envelope()
    }

    /// Writes the envelope in canonical JSON.
    pub fn to_canonical_json(&self) -> Vec<u8> {
        // Written out member by member, in the canonical order: base64 needs no escapes, and a payload of many kilobytes
        // need not be looked through for them.
        let text = |text: &str| jcs::to_vec(&text).expect("a text always has a canonical form");
        let (payload, kind) = (STANDARD.encode(&self.payload), text(&self.payload_type));
        let mut json = Vec::with_capacity(payload.len() + kind.len() + 64 + 256 * self.signatures.len());
        json.extend_from_slice(br#"{"payload":""#);
        json.extend_from_slice(payload.as_bytes());
        json.extend_from_slice(br#"","payloadType":"#);
        json.extend_from_slice(&kind);
        json.extend_from_slice(br#","signatures":["#);
        for (number, signature) in self.signatures.iter().enumerate() {
            json.extend_from_slice(if number == 0 { &br#"{"keyid":"#[..] } else { &br#",{"keyid":"#[..] });
            json.extend_from_slice(&text(&signature.keyid));
            json.extend_from_slice(br#","sig":""#);
            json.extend_from_slice(STANDARD.encode(&signature.sig).as_bytes());
            json.extend_from_slice(br#""}"#);
        }
        json.extend_from_slice(b"]}");
        json
    }

    /// Keeps just the signatures that known keys really made, hints put right, and says whose they are.
    ///
    /// Without this anybody could change a hint or add a worthless signature and so get the same statement into the
    /// log a second time. Fails if fewer than `threshold` distinct keys signed.
    pub fn verified(
        &self,
        known: &[PublicKey],
        threshold: usize,
    ) -> Result<(Envelope, Vec<PublicKey>), EnvelopeError> {
        let made = self.made_by(known);
        if made.is_empty() || made.len() < threshold {
            let (valid, offered) = (made.len(), self.signatures.len());
            return Err(EnvelopeError::TooFewSignatures { valid, threshold: threshold.max(1), offered });
        }
        let kept = |(key, at): &(PublicKey, usize)| EnvelopeSignature {
            keyid: key.id().to_string(),
            sig: self.signatures[*at].sig.clone(),
        };
        let signatures = made.iter().map(kept).collect();
        let envelope =
            Envelope { payload: self.payload.clone(), payload_type: self.payload_type.clone(), signatures };
        Ok((envelope, made.into_iter().map(|(key, _)| key).collect()))
    }

    /// Which of the known keys signed it, each once.
    pub fn signers(&self, known: &[&BusyKey]) -> Vec<PublicKey> {
        self.made_by(known).into_iter().map(|(key, _)| key).collect()
    }

    /// Each known key that signed, with the number of its first signature that verifies.
    fn made_by<K: Checks>(&self, known: &[K]) -> Vec<(PublicKey, usize)> {
        let message = pae(&self.payload_type, &self.payload);
        let mut made: Vec<(PublicKey, usize)> = Vec::new();
        for (at, signature) in self.signatures.iter().take(MAX_SIGNATURES).enumerate() {
            let hint = signature.keyid.parse().ok().map(KeyId);
            let (hinted, others): (Vec<&K>, Vec<_>) =
                known.iter().partition(|key| known.len() > 1 && hint == Some(key.key().id()));
            let key = hinted.into_iter().chain(others).find(|key| key.checks(&message, &signature.sig));
            let key = key.map(|key| *key.key());
            made.extend(key.filter(|key| made.iter().all(|(signer, _)| signer != key)).map(|key| (key, at)));
        }
        made
    }

    /// The key ids that the signatures hint at, as far as they are ids.
    pub fn hinted_keys(&self) -> impl Iterator<Item = KeyId> {
        self.signatures.iter().filter_map(|signature| signature.keyid.parse().ok().map(KeyId))
    }
}

/// A key that checks signatures, in whatever way.
trait Checks {
    fn key(&self) -> &PublicKey;
    fn checks(&self, message: &[u8], signature: &[u8]) -> bool;
}

impl Checks for PublicKey {
    fn key(&self) -> &PublicKey {
        self
    }

    fn checks(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verify(message, signature)
    }
}

impl Checks for &BusyKey {
    fn key(&self) -> &PublicKey {
        BusyKey::key(self)
    }

    fn checks(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verify(message, signature)
    }
}

/// An envelope as it is written, before base64 is decoded and before anything is missed.
#[derive(Deserialize)]
#[serde(expecting = "an envelope, which is an object")]
struct Written<'a> {
    #[serde(default, borrow)]
    payload: Part<Cow<'a, str>>,
    #[serde(default, borrow, rename = "payloadType")]
    payload_type: Part<Cow<'a, str>>,
    #[serde(default, borrow)]
    signatures: Part<Vec<WrittenSignature<'a>>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a signature, which is an object")]
struct WrittenSignature<'a> {
    #[serde(default, borrow)]
    keyid: Part<Cow<'a, str>>,
    #[serde(default, borrow)]
    sig: Part<Cow<'a, str>>,
}

impl Written<'_> {
    fn envelope(self) -> Result<Envelope, EnvelopeError> {
        let payload = base64(self.payload, "payload")?;
        let payload_type = text(self.payload_type, "payloadType")?.into_owned();
        let Part::Read(offered) = self.signatures else {
            return Err(EnvelopeError::Field { field: "signatures", expected: "must be a list" });
        };
        if offered.len() > MAX_SIGNATURES {
            let expected = "holds more than 16 signatures";
            return Err(EnvelopeError::Field { field: "signatures", expected });
        }
        let signature = |signature: WrittenSignature<'_>| {
            let keyid = match signature.keyid {
                Part::Missing => String::new(),
                keyid => text(keyid, "signatures[].keyid")?.into_owned(),
            };
            Ok(EnvelopeSignature { keyid, sig: base64(signature.sig, "signatures[].sig")? })
        };
        let signatures = offered.into_iter().map(signature).collect::<Result<_, EnvelopeError>>()?;
        Ok(Envelope { payload, payload_type, signatures })
    }
}

fn text<'a>(part: Part<Cow<'a, str>>, field: &'static str) -> Result<Cow<'a, str>, EnvelopeError> {
    match part {
        Part::Read(text) => Ok(text),
        Part::Missing | Part::Other => Err(EnvelopeError::Field { field, expected: "must be a text" }),
    }
}

fn base64(part: Part<Cow<'_, str>>, field: &'static str) -> Result<Vec<u8>, EnvelopeError> {
    let Part::Read(text) = part else {
        return Err(EnvelopeError::Field { field, expected: "must be a base64 text" });
    };
    decode(&text).ok_or(EnvelopeError::Field { field, expected: "is not valid base64" })
}

/// The pre-authentication encoding: the bytes that a signature is made over.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut message = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    message.extend_from_slice(payload);
    message
}

fn decode(text: &str) -> Option<Vec<u8>> {
    const ANY_PADDING: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    const EITHER: [GeneralPurpose; 2] = [
        GeneralPurpose::new(&alphabet::STANDARD, ANY_PADDING),
        GeneralPurpose::new(&alphabet::URL_SAFE, ANY_PADDING),
    ];
    EITHER.iter().find_map(|engine| engine.decode(text).ok())
}

#[cfg(test)]
mod tests {
    use super::{
        super::{digest::Sha256Digest, key::test_keys},
        *,
    };

    const STATEMENT: &str = r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"cancelLatencyMs":412,"cleanupStatus":"cleaned"},"predicateType":"https://ledger.example/predicate/trt-build-summary/v1","subject":[{"digest":{"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"name":"resnet50.engine"}]}"#;

    #[test]
    fn the_specifications_own_message() {
        let message = pae("http://example.com/HelloWorld", b"hello world");
        assert_eq!(message, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
        let envelope =
            Envelope::sign(b"hello world".to_vec(), "http://example.com/HelloWorld", &test_keys::rfc8032_1());
        assert_eq!(
            STANDARD.encode(&envelope.signatures[0].sig),
            "4DHX3Zn4qpBKvEj7maE8O9u9bjXEnPLLnyXVUJ2PXJR8DSLcL3QDpFvfJOj3pB/SPHsl6Jg4boxsMb6KvuYABw=="
        );
    }

    #[test]
    fn a_statement_becomes_the_known_entry() {
        let (value, canonical) = jcs::parse_canonical(STATEMENT.as_bytes()).unwrap();
        assert!(canonical);
        let payload = jcs::to_vec(&value).unwrap();
        let digest = |bytes: &[u8]| Sha256Digest::of(bytes).to_string();
        assert_eq!(digest(&payload), "508643b5d51ca1b3f18d95dc3423b7729a39f7f5c206ef4d66ce306e492d3611");
        let message = pae(PAYLOAD_TYPE, &payload);
        assert_eq!(message.len(), 346);
        assert_eq!(digest(&message), "56daa15f44ba6c2a4cc8fcdf86a7f3ea6595dc309dce1066f250c742dec093d0");
        let envelope = Envelope::sign(payload, PAYLOAD_TYPE, &test_keys::rfc8032_1());
        assert_eq!(
            STANDARD.encode(&envelope.signatures[0].sig),
            "MyXNmah28D0wGug07AAvXSc6FI8wbWQtUzrwuf4d+Yr+b/6o6hNK86p4STjoETh9T7/MOQc/SKZ/k/+im/FUCw=="
        );
        let json = envelope.to_canonical_json();
        assert_eq!(json.len(), 652);
        assert_eq!(digest(&json), "e10025deaa4185e864924abaac407bfdcdbbe91dd986f4e97d7228398afc7177");
        assert_eq!(
            super::super::merkle::leaf_hash(&json).to_string(),
            "fb9f9ea8e8c1f5d5d5bcdb600e063b2f8b875be0974f53e65f9bd518e8bf461b"
        );
        assert_eq!(Envelope::parse(&json).unwrap(), envelope);
    }

    #[test]
    fn the_bytes_are_the_canonical_form_whatever_stands_in_the_texts() {
        let key = test_keys::rfc8032_1();
        let mut envelope =
            Envelope::sign(b"payload \xff".to_vec(), "a \"b\" \\ \n \u{1} \u{7f} \u{2028} \u{1f600}", &key);
        for keyid in ["", "\u{8}\"'/é", "\u{1f}"] {
            let bytes = envelope.to_canonical_json();
            let (value, canonical) = jcs::parse_canonical(&bytes).unwrap();
            assert!(canonical, "{}", String::from_utf8_lossy(&bytes));
            assert_eq!(Envelope::from_json(&value).unwrap(), envelope);
            envelope.signatures.push(EnvelopeSignature { keyid: keyid.to_owned(), sig: vec![7; 64] });
        }
        envelope.signatures.clear();
        assert!(jcs::parse_canonical(&envelope.to_canonical_json()).unwrap().1);
    }

    #[test]
    fn only_real_signatures_of_known_keys_count() {
        let (key, other) = (test_keys::rfc8032_1(), test_keys::rfc8032_2());
        let (public, other_public) = (PublicKey::of(&key), PublicKey::of(&other));
        let good = Envelope::sign(b"{}".to_vec(), PAYLOAD_TYPE, &key);
        let signature = good.signatures[0].clone();
        let with = |change: &dyn Fn(&mut Envelope)| {
            let mut envelope = good.clone();
            change(&mut envelope);
            envelope
        };
        let refused = |envelope: Envelope, threshold| {
            envelope.verified(&[public, other_public], threshold).unwrap_err();
        };
        refused(with(&|e| e.payload = b"{} ".to_vec()), 1);
        refused(with(&|e| e.payload_type.push('x')), 1);
        refused(with(&|e| e.signatures.clear()), 1);
        refused(with(&|e| e.signatures[0].sig = vec![0; 64]), 1);
        refused(with(&|e| e.signatures.push(signature.clone())), 2);
        refused(with(&|e| e.signatures.clear()), 0);
        assert!(good.verified(&[other_public], 1).is_err());

        let wrong_hint = with(&|e| e.signatures[0].keyid = other_public.id().to_string());
        let bad_first = with(&|e| {
            e.signatures.insert(0, EnvelopeSignature { keyid: public.id().to_string(), sig: vec![1; 64] });
        });
        for altered in [wrong_hint, bad_first, with(&|e| e.signatures[0].keyid.clear())] {
            let (normal, signers) = altered.verified(&[other_public, public], 1).unwrap();
            assert_eq!(signers, [public]);
            assert_eq!(normal, good, "an altered copy is the same entry");
        }
    }

    #[test]
    fn both_base64_alphabets_are_read_and_garbage_is_not() {
        let envelope = |payload: &str| {
            format!(r#"{{"payload":"{payload}","payloadType":"t","signatures":[{{"sig":"AA=="}}],"more":1}}"#)
        };
        for same in ["+/+/", "-_-_"] {
            assert_eq!(Envelope::parse(envelope(same).as_bytes()).unwrap().payload, [0xfb, 0xff, 0xbf]);
        }
        assert_eq!(Envelope::parse(envelope("AA").as_bytes()).unwrap().payload, [0]);
        for garbage in ["A", "A A=", "+-AA", "AB=C", "é"] {
            let error = Envelope::parse(envelope(garbage).as_bytes()).unwrap_err().to_string();
            assert!(error.contains("payload is not valid base64"), "{garbage}: {error}");
        }
        for (json, field) in [
            (r#"{"payloadType":"t","signatures":[]}"#, "payload"),
            (r#"{"payload":"","signatures":[]}"#, "payloadType"),
            (r#"{"payload":"","payloadType":"t"}"#, "signatures"),
            (r#"{"payload":"","payloadType":"t","signatures":[{}]}"#, "signatures[].sig"),
            (r#"{"payload":"","payloadType":"t","signatures":[{"keyid":1,"sig":""}]}"#, "signatures[].keyid"),
        ] {
            assert!(Envelope::parse(json.as_bytes()).unwrap_err().to_string().contains(field));
        }
    }
}
