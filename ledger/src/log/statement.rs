//! in-toto Statement v1: which artifacts (by digest) something is said about, and what (the predicate).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    digest::Sha256Digest,
    dsse::{Envelope, PAYLOAD_TYPE},
    jcs::{self, JsonError},
    key::SigningKey,
};

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
    /// JSON, but not of a statement's shape.
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

    /// Reads a statement's bytes strictly. Every subject needs a SHA-256 digest.
    pub fn parse(payload: &[u8]) -> Result<Self, StatementError> {
        let mut value = jcs::parse(payload)?;
        // Read through the shape below, the whole predicate would be built a second time.
        let predicate = value.as_object_mut().and_then(|members| members.remove("predicate"));
        let mut statement: Self = serde_json::from_value(value).map_err(StatementError::Shape)?;
        statement.predicate = predicate.unwrap_or_default();
        if statement.statement_type != STATEMENT_TYPE {
            return Err(StatementError::Type { found: statement.statement_type });
        }
        match statement.subject.iter().position(|subject| subject.sha256().is_none()) {
            Some(index) => Err(StatementError::Subject { index }),
            None => Ok(statement),
        }
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

#[cfg(test)]
mod tests {
    use super::{super::key::test_keys, *};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Noun {
        count: u32,
    }
    impl Predicate for Noun {
        const TYPE: &'static str = "urn:acta:noun:v1";
    }

    #[test]
    fn a_predicate_comes_back_as_it_was_signed() {
        let subject = Subject::new("a.plan", Sha256Digest::of(b"plan"));
        let statement = Statement::new(vec![subject], &Noun { count: 3 }).unwrap();
        let envelope = statement.sign(&test_keys::rfc8032_1()).unwrap();
        let read = Statement::from_envelope(&envelope).unwrap();
        assert_eq!(read, statement);
        assert_eq!(read.subject[0].sha256(), Some(Sha256Digest::of(b"plan")));
        assert_eq!(read.predicate::<Noun>().unwrap(), Noun { count: 3 });
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
        let good = whole(STATEMENT_TYPE, &format!(r#""sha256":"{}""#, Sha256Digest::of(b"")));
        let statement = Statement::parse(good.as_bytes()).unwrap();
        assert!(statement.predicate::<Noun>().unwrap_err().to_string().contains("urn:acta:noun:v1"));
    }
}
