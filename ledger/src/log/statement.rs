//! in-toto Statement v1: which artifacts (by digest) something is said about, and what (the predicate).

use std::{borrow::Cow, collections::BTreeMap};

use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny, MapAccess},
};
use serde_json::Value;

use super::{
    digest::Sha256Digest,
    dsse::{Envelope, PAYLOAD_TYPE},
    jcs::{self, JsonError},
    key::SigningKey,
    part::{Kind, Part},
};
use crate::evidence::chain::ChainLink;

/// The value of `_type`.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// An artifact that a statement speaks about; matched by digest, the name is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The artifact's name where the statement was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Digests by algorithm; ours always hold `sha256`.
    pub digest: BTreeMap<String, String>,
}

impl Subject {
    /// Names an artifact by its SHA-256 digest.
    pub fn new(name: impl Into<String>, digest: Sha256Digest) -> Self {
        Self { name: Some(name.into()), digest: BTreeMap::from([("sha256".to_owned(), digest.to_string())]) }
    }

    /// The SHA-256 digest, if the subject has a well-formed one.
    pub fn sha256(&self) -> Option<Sha256Digest> {
        self.digest.get("sha256")?.parse().ok()
    }
}

/// A statement whose predicate is still plain JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Always [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// What is spoken about.
    pub subject: Vec<Subject>,
    /// Which kind of predicate, with its major version.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What is said.
    #[serde(default)]
    pub predicate: Value,
}

/// A noun of ours that can stand as a predicate.
pub trait Predicate: Serialize + DeserializeOwned {
    /// The predicate type, `urn:acta:<noun>:v1`.
    const TYPE: &'static str;
}

/// Why bytes are not a statement, or not the one that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    /// Not strict JSON.
    #[error("the statement is {0}")]
    Json(#[from] JsonError),
    /// JSON that is not of a statement's shape, or not strict: a key that stands twice, a number that is not exact.
    #[error("not an in-toto statement: {0}")]
    Shape(#[source] serde_json::Error),
    /// `_type` is another.
    #[error("_type is {found:?}, expected {STATEMENT_TYPE:?}")]
    Type {
        /// What stood there.
        found: String,
    },
    /// The envelope's payload type is another.
    #[error("payloadType is {found:?}, expected {PAYLOAD_TYPE:?}")]
    PayloadType {
        /// What stood there.
        found: String,
    },
    /// It speaks about nothing.
    #[error("the statement names no subject, expected at least one artifact by its sha256 digest")]
    NoSubject,
    /// A subject has no SHA-256 digest.
    #[error("subject {index} has no well-formed sha256 digest")]
    Subject {
        /// Which subject, counted from 0.
        index: usize,
    },
    /// The predicate type is another than the reader asked for.
    #[error("predicateType is {found:?}, expected {expected:?}")]
    PredicateType {
        /// What stood there.
        found: String,
        /// What was asked for.
        expected: &'static str,
    },
    /// The predicate does not have its type's shape.
    #[error("the predicate of {predicate_type}: {error}")]
    Predicate {
        /// The type it claims.
        predicate_type: String,
        /// Where it breaks.
        error: serde_json::Error,
    },
}

impl Statement {
    /// Makes a statement about the subjects.
    pub fn new<P: Predicate>(subject: Vec<Subject>, predicate: &P) -> Result<Self, JsonError> {
        // Through the strict reader, so that nothing leaves this machine that the server would refuse.
        let predicate = jcs::parse(&jcs::to_vec(predicate)?)?;
        Ok(Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject,
            predicate_type: P::TYPE.to_owned(),
            predicate,
        })
    }

    /// Signs the statement's canonical bytes.
    pub fn sign(&self, key: &SigningKey) -> Result<Envelope, JsonError> {
        Ok(Envelope::sign(jcs::to_vec(self)?, PAYLOAD_TYPE, key))
    }

    /// Reads the statement out of an envelope; does not verify signatures.
    pub fn from_envelope(envelope: &Envelope) -> Result<Self, StatementError> {
        if envelope.payload_type != PAYLOAD_TYPE {
            return Err(StatementError::PayloadType { found: envelope.payload_type.clone() });
        }
        Self::parse(&envelope.payload)
    }

    /// Reads a statement's bytes strictly. It needs a subject, and every subject a SHA-256 digest.
    pub fn parse(payload: &[u8]) -> Result<Self, StatementError> {
        let written: Written<'_, Value> = Written::read(payload)?;
        Ok(Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject: written.subject,
            predicate_type: written.predicate_type.into_owned(),
            predicate: written.predicate,
        })
    }

    /// Reads the predicate as the noun `P`.
    pub fn predicate<P: Predicate>(&self) -> Result<P, StatementError> {
        if self.predicate_type != P::TYPE {
            return Err(StatementError::PredicateType {
                found: self.predicate_type.clone(),
                expected: P::TYPE,
            });
        }
        P::deserialize(&self.predicate)
            .map_err(|error| StatementError::Predicate { predicate_type: self.predicate_type.clone(), error })
    }
}

/// Whatever tells which kind of predicate it holds, and can be asked for it.
pub trait Says {
    /// The predicate type.
    fn predicate_type(&self) -> &str;

    /// The predicate as the noun `P`.
    fn says<P: Predicate>(&self) -> Result<P, StatementError>;
}

impl Says for Statement {
    fn predicate_type(&self) -> &str {
        &self.predicate_type
    }

    fn says<P: Predicate>(&self) -> Result<P, StatementError> {
        self.predicate()
    }
}

/// A statement that was read as strictly as a [`Statement`], its predicate left where it stands: for whoever goes through
/// many and looks into few.
#[derive(Debug)]
pub struct Outline<'a> {
    payload: &'a [u8],
    predicate_type: Cow<'a, str>,
    chain: Option<ChainLink>,
}

impl<'a> Outline<'a> {
    /// Reads the outline of an envelope's statement; does not verify signatures.
    pub fn of(envelope: &'a Envelope) -> Result<Self, StatementError> {
        if envelope.payload_type != PAYLOAD_TYPE {
            return Err(StatementError::PayloadType { found: envelope.payload_type.clone() });
        }
        let written: Written<'_, Part<InChain>> = Written::read(&envelope.payload)?;
        let chain = match written.predicate {
            Part::Read(InChain(chain)) => chain,
            Part::Missing | Part::Other => None,
        };
        Ok(Self { payload: &envelope.payload, predicate_type: written.predicate_type, chain })
    }

    /// The place that it claims in its agent's chain; none where it claims none, as the portal's statements do.
    pub fn chain(&self) -> Option<ChainLink> {
        self.chain
    }
}

impl Says for Outline<'_> {
    fn predicate_type(&self) -> &str {
        &self.predicate_type
    }

    fn says<P: Predicate>(&self) -> Result<P, StatementError> {
        #[derive(Deserialize)]
        struct Only<P> {
            predicate: P,
        }
        if self.predicate_type != P::TYPE {
            let found = self.predicate_type.clone().into_owned();
            return Err(StatementError::PredicateType { found, expected: P::TYPE });
        }
        // The whole was read strictly before, so that nothing can be understood in two ways here.
        let read: Result<Only<P>, _> = serde_json::from_slice(self.payload);
        let predicate_type = || self.predicate_type.clone().into_owned();
        read.map(|only| only.predicate)
            .map_err(|error| StatementError::Predicate { predicate_type: predicate_type(), error })
    }
}

/// Reads a statement that says a `P` in one pass, as strictly as an [`Outline`] and what it says are read in two. `P` has to
/// have a `chain`, for only what `P` reads is checked to be a place in one. None where the statement says something else or
/// anything is wrong with it: what, the outline tells.
pub(crate) fn read_at_once<P: Predicate>(envelope: &Envelope) -> Option<P> {
    // The predicate stands before its type. That this finds it is no proof, and that it does not costs a second pass.
    let named = [br#""predicateType":""#, P::TYPE.as_bytes(), b"\""].concat();
    let from_behind = || envelope.payload.windows(named.len()).rev();
    if envelope.payload_type != PAYLOAD_TYPE || !from_behind().any(|bytes| bytes == named) {
        return None;
    }
    let written: Written<'_, Option<P>> = Written::read(&envelope.payload).ok()?;
    written.predicate.filter(|_| written.predicate_type == P::TYPE)
}

/// A statement as it is written, with a predicate of which `P` takes what it wants.
#[derive(Deserialize)]
#[serde(expecting = "a statement, which is an object")]
struct Written<'a, P> {
    #[serde(rename = "_type", borrow)]
    statement_type: Cow<'a, str>,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType", borrow)]
    predicate_type: Cow<'a, str>,
    #[serde(default)]
    predicate: P,
}

impl<'a, P: Deserialize<'a> + Default> Written<'a, P> {
    fn read(payload: &'a [u8]) -> Result<Self, StatementError> {
        let written: Self = jcs::read(payload).map_err(|error| match error {
            JsonError::Refused(error) if error.is_data() => StatementError::Shape(error),
            error => StatementError::Json(error),
        })?;
        if written.statement_type != STATEMENT_TYPE {
            return Err(StatementError::Type { found: written.statement_type.into_owned() });
        }
        if written.subject.is_empty() {
            return Err(StatementError::NoSubject);
        }
        match written.subject.iter().position(|subject| subject.sha256().is_none()) {
            Some(index) => Err(StatementError::Subject { index }),
            None => Ok(written),
        }
    }
}

/// Of a predicate just the place in a chain that it claims.
struct InChain(Option<ChainLink>);

impl<'de> Kind<'de> for InChain {
    fn object<A: MapAccess<'de>>(mut access: A) -> Result<Part<Self>, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "camelCase")]
        enum Member {
            Chain,
            #[serde(other)]
            Other,
        }
        let mut chain = None;
        while let Some(member) = access.next_key()? {
            match member {
                Member::Chain => chain = access.next_value()?,
                Member::Other => drop(access.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Part::Read(Self(chain)))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::key::test_keys, *};

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Noun {
        count: u32,
        #[serde(default)]
        chain: Option<ChainLink>,
    }
    impl Predicate for Noun {
        const TYPE: &'static str = "urn:acta:noun:v1";
    }

    #[test]
    fn a_predicate_comes_back_as_it_was_signed() {
        let subject = Subject::new("a.plan", Sha256Digest::of(b"plan"));
        let statement = Statement::new(vec![subject], &Noun { count: 3, chain: None }).unwrap();
        let envelope = statement.sign(&test_keys::rfc8032_1()).unwrap();
        let read = Statement::from_envelope(&envelope).unwrap();
        assert_eq!(read, statement);
        assert_eq!(read.subject[0].sha256(), Some(Sha256Digest::of(b"plan")));
        assert_eq!(read.predicate::<Noun>().unwrap(), Noun { count: 3, chain: None });
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |json: &str| Statement::parse(json.as_bytes()).unwrap_err().to_string();
        let whole = |kind: &str, digest: &str| {
            format!(r#"{{"_type":"{kind}","subject":[{{"digest":{{{digest}}}}}],"predicateType":"urn:x"}}"#)
        };
        assert!(error(&whole("https://in-toto.io/Statement/v0.1", r#""sha256":"00""#)).contains("expected"));
        assert!(error(&whole(STATEMENT_TYPE, r#""sha1":"00""#)).contains("subject 0"));
        assert!(error("[]").contains("not an in-toto statement"));
        assert!(error("{").contains("not acceptable JSON"));
        let about_nothing = format!(r#"{{"_type":"{STATEMENT_TYPE}","subject":[],"predicateType":"urn:x"}}"#);
        assert!(error(&about_nothing).contains("names no subject"));
        let good = whole(STATEMENT_TYPE, &format!(r#""sha256":"{}""#, Sha256Digest::of(b"")));
        let statement = Statement::parse(good.as_bytes()).unwrap();
        assert!(statement.predicate::<Noun>().unwrap_err().to_string().contains("urn:acta:noun:v1"));
    }

    /// Whoever reads the outline believes and refuses what whoever reads the whole does.
    #[test]
    fn the_outline_says_what_the_whole_says() {
        let subject = format!(r#""subject":[{{"digest":{{"sha256":"{}"}}}}]"#, Sha256Digest::of(b""));
        let head = format!(r#""_type":"{STATEMENT_TYPE}","predicateType":"urn:acta:noun:v1",{subject}"#);
        let previous = Sha256Digest::of(b"before");
        for predicate in [
            r#"{"count":3}"#.to_owned(),
            format!(r#"{{"count":3,"chain":{{"sequence":7,"previous":"{previous}"}}}}"#),
            r#"{"count":3,"chain":{"sequence":7,"previous":null},"more":[{"a":1}]}"#.to_owned(),
            r#"{"count":3,"chain":null}"#.to_owned(),
            r#"{"count":"three"}"#.to_owned(),
            r#"{"count":3,"chain":{"sequence":-7}}"#.to_owned(),
            r#"{"count":3,"more":{"a":1,"a":1}}"#.to_owned(),
            r#"{"count":9007199254740993}"#.to_owned(),
            "null".to_owned(),
            "[{}, 1.5]".to_owned(),
            "-3".to_owned(),
            "\"text\"".to_owned(),
        ] {
            let payload = format!(r#"{{{head},"predicate":{predicate}}}"#).into_bytes();
            let envelope = Envelope::sign(payload, PAYLOAD_TYPE, &test_keys::rfc8032_1());
            let whole = Statement::from_envelope(&envelope)
                .and_then(|statement| Ok((ChainLink::of(&statement)?, statement.says::<Noun>().ok())));
            let outline =
                Outline::of(&envelope).map(|outline| (outline.chain(), outline.says::<Noun>().ok()));
            let at_once = read_at_once::<Noun>(&envelope);
            assert_eq!(at_once, outline.as_ref().ok().and_then(|(_, noun)| noun.clone()), "{predicate}");
            assert_eq!(whole.ok(), outline.ok(), "{predicate}");
        }
    }
}
