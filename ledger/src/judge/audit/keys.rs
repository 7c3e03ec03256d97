//! The life of the log's keys as an audit remembers it: the entries that speak about keys, and the keyring that they
//! come to. What is kept are the entries themselves, so that nothing of a remembered state is taken on trust but which
//! entries they were.

use std::collections::HashMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};

use crate::{
    judge::{
        keyring::{Keyring, SignedBy},
        log_key::LogKeys,
        route::Signer,
    },
    log::{
        dsse::Envelope,
        key::{KeyId, PublicKey},
        note::VerifierKey,
        statement::Statement,
    },
};

/// Every statement about a key so far, and what they come to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct KeyHistory {
    ring: Keyring,
    entries: Vec<(u64, Vec<u8>)>,
}

/// How a history is written: the keys that are trusted without proof, and the entries in base64.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    log_key: String,
    portal_key: PublicKey,
    entries: Vec<(u64, String)>,
}

impl KeyHistory {
    /// Begins with the keys that are trusted without proof.
    pub fn new(log: VerifierKey, portal: PublicKey) -> Self {
        Self { ring: Keyring::new(portal, LogKeys::pinned(log)), entries: Vec::new() }
    }

    /// The log's keys: who signs a tree head of which size.
    pub fn log(&self) -> &LogKeys {
        self.ring.log()
    }

    /// Every key that signed statements at some time.
    pub fn all(&self) -> HashMap<KeyId, PublicKey> {
        let agents = self.ring.lives().iter().map(|life| life.public_key);
        agents.chain([*self.ring.portal()]).map(|key| (key.id(), key)).collect()
    }

    /// Whose statement it is, of those whose signatures verify: an agent's name, or none for the portal. The error says
    /// which of the keys may not sign entry `index`, and why.
    pub fn signer(&self, index: u64, signers: &[KeyId]) -> Result<Option<String>, Option<(KeyId, String)>> {
        let mut refused = None;
        for key in signers {
            match self.ring.may_sign(key, index) {
                Ok(SignedBy::Portal) => return Ok(None),
                Ok(SignedBy::Agent(life)) => return Ok(Some(life.agent.clone())),
                Err(error) => refused = refused.or(Some((*key, error.to_string()))),
            }
        }
        Err(refused)
    }

    /// Who signed the envelope at an index, as a route's fold asks for it.
    pub fn route_signer(&self, index: u64, envelope: &Envelope) -> Result<Signer, String> {
        let (_, signer) = self.ring.signer(index, envelope).map_err(|error| error.to_string())?;
        Ok(signer.into())
    }

    /// Takes an entry that speaks about a key; refused if keys that must sign it did not, or if it contradicts the others.
    pub fn take(&mut self, index: u64, record: &[u8]) -> Result<(), String> {
        let envelope = Envelope::parse(record).map_err(|error| error.to_string())?;
        let statement = Statement::from_envelope(&envelope).map_err(|error| error.to_string())?;
        self.ring.apply(index, &envelope, &statement).map_err(|error| error.to_string())?;
        self.entries.push((index, record.to_vec()));
        Ok(())
    }
}

impl From<KeyHistory> for Written {
    fn from(history: KeyHistory) -> Self {
        let first = history.ring.log().lives().next().map(|life| life.key.to_string());
        Self {
            log_key: first.unwrap_or_default(),
            portal_key: *history.ring.portal(),
            entries: history
                .entries
                .iter()
                .map(|(index, record)| (*index, STANDARD.encode(record)))
                .collect(),
        }
    }
}

impl TryFrom<Written> for KeyHistory {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let log = VerifierKey::parse(&written.log_key).map_err(|error| error.to_string())?;
        let mut history = Self::new(log, written.portal_key);
        for (index, record) in written.entries {
            let record = STANDARD.decode(record).map_err(|_| format!("entry {index} is not base64"))?;
            history.take(index, &record).map_err(|error| format!("entry {index}: {error}"))?;
        }
        Ok(history)
    }
}
