//! The keyring: who may sign which entry, folded from the log's own statements about keys.
//!
//! A key of an agent may sign the entries `[from, until)`: from the one after its enrolment or rotation, until its own
//! rotation (which is the last entry that it signs) or its revocation. **The order of the log decides, never a time that
//! somebody claims**: a statement dated before a revocation and logged after it is refused.
//!
//! One key serves one purpose and one agent, once: a key that was the log's, the portal's, another agent's or that ended
//! is never accepted again.
//!
//! What leaving an entry out can do: without an introduction fewer signatures are valid. Without a rotation or a
//! revocation a key seems to live on, but only until the next statement about that agent, which then no longer fits. So
//! whoever has the whole log knows; whoever is shown a part knows that what is shown was valid *unless an end of the key
//! was kept back*, and must say so. See [`crate::log::verification`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::log_key::{LogKeyError, LogKeys};
use crate::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        log_key::LogKey,
    },
    log::{
        dsse::{Envelope, EnvelopeError},
        key::{KeyId, PublicKey},
        statement::{Predicate as _, Statement, StatementError},
    },
};

/// One key of an agent and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyLife {
    /// Whose key it is.
    pub agent: String,
    /// The key.
    pub public_key: PublicKey,
    /// The entry that introduced it: it may sign those after it.
    pub introduced_at: u64,
    /// The key that it follows; none where it was enrolled.
    pub previous: Option<KeyId>,
    /// Who had it introduced.
    pub authorized_by: String,
    /// The account that owns the agent.
    pub owner: Option<String>,
    /// How it ended; none as long as it may sign.
    pub ended: Option<KeyEnd>,
}

/// How the life of a key ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyEnd {
    /// The entry that ended it.
    pub at: u64,
    /// Who had it ended.
    pub by: String,
    /// Why it was revoked; none where another key follows it.
    pub reason: Option<String>,
}

impl KeyLife {
    /// The first entry that the key may sign.
    pub fn from(&self) -> u64 {
        self.introduced_at.saturating_add(1)
    }

    /// The first entry that it may not sign any more. A rotation is signed by the key that it ends, a revocation is not.
    pub fn until(&self) -> Option<u64> {
        self.ended.as_ref().map(|end| if end.reason.is_some() { end.at } else { end.at.saturating_add(1) })
    }

    /// Whether the key may sign entry `index`, or why not.
    pub fn signs(&self, index: u64) -> Result<(), KeyRefusal> {
        let agent = || self.agent.clone();
        if index < self.from() {
            return Err(KeyRefusal::NotYet { agent: agent(), introduced_at: self.introduced_at });
        }
        match (&self.ended, self.until()) {
            (Some(end), Some(until)) if index >= until => Err(match &end.reason {
                Some(reason) => KeyRefusal::Revoked { agent: agent(), at: end.at, reason: reason.clone() },
                None => KeyRefusal::Rotated { agent: agent(), at: end.at },
            }),
            _ => Ok(()),
        }
    }
}

/// Whose signature it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedBy<'k> {
    /// The portal's.
    Portal,
    /// An agent's, by this key.
    Agent(&'k KeyLife),
}

/// Why a key may not sign an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// No entry introduces it.
    #[error("no entry before it introduces the key {0}")]
    Unknown(KeyId),
    /// It signs tree heads.
    #[error("the key {0} is the log's: it signs tree heads and nothing else")]
    Log(KeyId),
    /// It is introduced by a later entry.
    #[error(
        "agent {agent}'s key is introduced by entry {introduced_at}: it signs only what comes after that"
    )]
    NotYet {
        /// Whose key it is.
        agent: String,
        /// The entry that introduces it.
        introduced_at: u64,
    },
    /// Another key follows it.
    #[error("agent {agent}'s key was replaced by entry {at}: it signs nothing after that")]
    Rotated {
        /// Whose key it is.
        agent: String,
        /// The entry of the rotation.
        at: u64,
    },
    /// It was revoked.
    #[error("agent {agent}'s key was revoked by entry {at} ({reason}): it signs nothing from there on")]
    Revoked {
        /// Whose key it was.
        agent: String,
        /// The entry of the revocation.
        at: u64,
        /// Why.
        reason: String,
    },
}

/// Why a statement about a key is refused.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// Keys that must sign it did not.
    #[error(transparent)]
    Signature(#[from] EnvelopeError),
    /// It is not of its type's shape.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// A field is missing or one too many.
    #[error("the statement's field {field} {expected}")]
    Field {
        /// Which field.
        field: &'static str,
        /// What is expected of it.
        expected: &'static str,
    },
    /// The agent has a key.
    #[error("agent {agent:?} has a key that may sign, introduced by entry {entry}")]
    HasKey {
        /// Which agent.
        agent: String,
        /// The entry that introduced its key.
        entry: u64,
    },
    /// The agent has no key, or none any more.
    #[error("agent {agent:?} has no key that may sign")]
    NoKey {
        /// Which agent.
        agent: String,
    },
    /// The statement is about another key than the agent's.
    #[error("key {found} is not the one that signs for agent {agent:?}, which is {expected}")]
    NotTheKey {
        /// Which agent.
        agent: String,
        /// The key that the statement names.
        found: KeyId,
        /// The agent's.
        expected: KeyId,
    },
    /// The key serves another purpose, or did.
    #[error("key {key} is taken: it is or was {purpose}, and one key never serves two purposes")]
    Taken {
        /// The key.
        key: KeyId,
        /// What it serves or served.
        purpose: Purpose,
    },
    /// Entries are taken in their order.
    #[error("entry {index} comes after entry {after} was taken: statements are taken in the log's order")]
    Order {
        /// The entry.
        index: u64,
        /// The last one that was taken.
        after: u64,
    },
    /// The log's key cannot be handed over so.
    #[error(transparent)]
    LogKey(#[from] LogKeyError),
}

/// What a key serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// It signs tree heads.
    Log,
    /// It signs the portal's statements.
    Portal,
    /// It signs the statements of the agent of this name.
    Agent(String),
    /// It cosigns tree heads as the witness of this name.
    Witness(String),
}

impl std::fmt::Display for Purpose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Log => f.write_str("the log's"),
            Self::Portal => f.write_str("the portal's"),
            Self::Agent(name) => write!(f, "agent {name:?}'s"),
            Self::Witness(name) => write!(f, "witness {name:?}'s"),
        }
    }
}

/// What a statement about an agent's key changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyChange {
    /// A key begins.
    Begins,
    /// The agent's key ends, another begins.
    Follows,
    /// The agent's key ends.
    Ends,
}

/// Judges a statement about an agent's key.
///
/// `active` is the agent's key that may sign now; `purpose_of` says what a key serves or ever served. Signatures are
/// judged by [`AgentKey::signed`].
pub fn judge(
    said: &AgentKey,
    active: Option<&KeyLife>,
    purpose_of: impl FnOnce(&PublicKey) -> Option<Purpose>,
) -> Result<KeyChange, KeyringError> {
    let field = |field, expected| Err(KeyringError::Field { field, expected });
    let agent = || said.agent.clone();
    let the_key = |found: KeyId| match active {
        None => Err(KeyringError::NoKey { agent: agent() }),
        Some(life) if life.public_key.id() != found => {
            Err(KeyringError::NotTheKey { agent: agent(), found, expected: life.public_key.id() })
        }
        Some(_) => Ok(()),
    };
    let change = match (said.action, said.previous, said.reason.as_deref()) {
        (AgentKeyAction::Enrolled | AgentKeyAction::Revoked, Some(_), _) => {
            return field("predicate.previous", "stands only in a rotation");
        }
        (AgentKeyAction::Enrolled | AgentKeyAction::Rotated, _, Some(_)) => {
            return field("predicate.reason", "stands only in a revocation");
        }
        (AgentKeyAction::Rotated, None, _) => {
            return field("predicate.previous", "must name the key that is replaced");
        }
        (AgentKeyAction::Revoked, _, None | Some("")) => {
            return field("predicate.reason", "must say why the key is revoked");
        }
        (AgentKeyAction::Enrolled, ..) => match active {
            Some(life) => return Err(KeyringError::HasKey { agent: agent(), entry: life.introduced_at }),
            None => KeyChange::Begins,
        },
        (AgentKeyAction::Rotated, Some(previous), _) => {
            the_key(previous.id())?;
            KeyChange::Follows
        }
        (AgentKeyAction::Revoked, ..) => {
            the_key(said.public_key.id())?;
            KeyChange::Ends
        }
    };
    if change != KeyChange::Ends
        && let Some(purpose) = purpose_of(&said.public_key)
    {
        return Err(KeyringError::Taken { key: said.public_key.id(), purpose });
    }
    Ok(change)
}

/// All keys that the log has introduced, in its order.
#[derive(Debug, Clone)]
pub struct Keyring {
    portal: PublicKey,
    log: LogKeys,
    witnesses: Vec<(PublicKey, String)>,
    lives: Vec<KeyLife>,
    by_key: BTreeMap<KeyId, usize>,
    /// The newest key of each agent.
    by_agent: BTreeMap<String, usize>,
    last: Option<u64>,
}

impl Keyring {
    /// Begins with the keys that are trusted without proof.
    pub fn new(portal: PublicKey, log: LogKeys) -> Self {
        Self {
            portal,
            log,
            witnesses: Vec::new(),
            lives: Vec::new(),
            by_key: BTreeMap::new(),
            by_agent: BTreeMap::new(),
            last: None,
        }
    }

    /// Sets a witness's key apart: no statement may introduce it for anything else.
    pub fn reserve(&mut self, witness: PublicKey, name: &str) {
        self.witnesses.push((witness, name.to_owned()));
    }

    /// Takes the entry at `index`: does nothing unless it speaks about a key. Refuses it if keys that must sign it did
    /// not, or if it contradicts what came before; then nothing is changed.
    pub fn apply(
        &mut self,
        index: u64,
        envelope: &Envelope,
        statement: &Statement,
    ) -> Result<(), KeyringError> {
        match statement.predicate_type.as_str() {
            AgentKey::TYPE => {
                let said: AgentKey = statement.predicate()?;
                said.signed(envelope, &self.portal)?;
                self.take(index, &said)
            }
            LogKey::TYPE => {
                let said: LogKey = statement.predicate()?;
                envelope.verified(&[self.portal], 1)?;
                self.follow(index, &said)
            }
            _ => Ok(()),
        }
    }

    fn follow(&mut self, index: u64, said: &LogKey) -> Result<(), KeyringError> {
        self.in_order(index)?;
        if let Some(purpose) = self.purpose_of(&said.public_key).filter(|purpose| *purpose != Purpose::Log) {
            return Err(KeyringError::Taken { key: said.public_key.id(), purpose });
        }
        self.log.hand_over(index, said)?;
        self.last = Some(index);
        Ok(())
    }

    fn take(&mut self, index: u64, said: &AgentKey) -> Result<(), KeyringError> {
        self.in_order(index)?;
        let active = self.active(&said.agent);
        let owner = said.owner.clone().or_else(|| active.and_then(|life| life.owner.clone()));
        let change = judge(said, active, |key| self.purpose_of(key))?;
        if matches!(change, KeyChange::Follows | KeyChange::Ends)
            && let Some(at) = self.by_agent.get(&said.agent)
        {
            let (by, reason) = (said.authorized_by.clone(), said.reason.clone());
            self.lives[*at].ended = Some(KeyEnd { at: index, by, reason });
        }
        if matches!(change, KeyChange::Begins | KeyChange::Follows) {
            self.by_key.insert(said.public_key.id(), self.lives.len());
            self.by_agent.insert(said.agent.clone(), self.lives.len());
            self.lives.push(KeyLife {
                agent: said.agent.clone(),
                public_key: said.public_key,
                introduced_at: index,
                previous: said.previous.map(|key| key.id()),
                authorized_by: said.authorized_by.clone(),
                owner,
                ended: None,
            });
        }
        self.last = Some(index);
        Ok(())
    }

    fn in_order(&self, index: u64) -> Result<(), KeyringError> {
        match self.last {
            Some(after) if index <= after => Err(KeyringError::Order { index, after }),
            _ => Ok(()),
        }
    }

    /// What a key serves or ever served.
    pub fn purpose_of(&self, key: &PublicKey) -> Option<Purpose> {
        if *key == self.portal {
            return Some(Purpose::Portal);
        }
        if self.log.knows(key) {
            return Some(Purpose::Log);
        }
        let witness = self.witnesses.iter().find(|(witness, _)| witness == key);
        witness
            .map(|(_, name)| Purpose::Witness(name.clone()))
            .or_else(|| self.life(&key.id()).map(|life| Purpose::Agent(life.agent.clone())))
    }

    /// Whose key may sign entry `index`, by the statements taken so far.
    pub fn may_sign(&self, key: &KeyId, index: u64) -> Result<SignedBy<'_>, KeyRefusal> {
        if *key == self.portal.id() {
            return Ok(SignedBy::Portal);
        }
        if self.log.lives().any(|life| life.key.public_key().id() == *key) {
            return Err(KeyRefusal::Log(*key));
        }
        let life = self.life(key).ok_or(KeyRefusal::Unknown(*key))?;
        life.signs(index).map(|()| SignedBy::Agent(life))
    }

    /// Finds whose signature the envelope at `index` carries, and that it may: the envelope with that signature alone.
    ///
    /// Hints only order the tries. Where a key signed that may not, the error says which and why.
    pub fn signer<'k>(
        &'k self,
        index: u64,
        envelope: &Envelope,
    ) -> Result<(Envelope, SignedBy<'k>), SignatureRefusal> {
        let hinted: Vec<KeyId> = envelope.hinted_keys().collect();
        let known = || self.lives.iter().map(|life| life.public_key).chain([self.portal]);
        let (first, rest): (Vec<_>, Vec<_>) = known().partition(|key| hinted.contains(&key.id()));
        let mut refusal = None;
        for key in first.into_iter().chain(rest) {
            let Ok((normal, _)) = envelope.verified(&[key], 1) else { continue };
            match self.may_sign(&key.id(), index) {
                Ok(signer) => return Ok((normal, signer)),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        Err(match (refusal, hinted.first()) {
            (Some(refusal), _) => SignatureRefusal::Key(refusal),
            (None, Some(id)) if self.may_sign(id, index).is_err() => {
                SignatureRefusal::Key(self.may_sign(id, index).err().unwrap_or(KeyRefusal::Unknown(*id)))
            }
            (None, _) => SignatureRefusal::Unsigned { offered: envelope.signatures.len() },
        })
    }

    /// A key's life.
    pub fn life(&self, key: &KeyId) -> Option<&KeyLife> {
        self.by_key.get(key).map(|at| &self.lives[*at])
    }

    /// The key that may sign for an agent now.
    pub fn active(&self, agent: &str) -> Option<&KeyLife> {
        self.newest(agent).filter(|life| life.ended.is_none())
    }

    /// The key that was introduced last for an agent, whatever became of it.
    pub fn newest(&self, agent: &str) -> Option<&KeyLife> {
        self.by_agent.get(agent).map(|at| &self.lives[*at])
    }

    /// The entries that enrolled an agent, the first time and anew: each begins a chain of statements.
    pub fn enrolments(&self, agent: &str) -> Vec<u64> {
        let enrolled = |life: &&KeyLife| life.agent == agent && life.previous.is_none();
        self.lives.iter().filter(enrolled).map(|life| life.introduced_at).collect()
    }

    /// All agents' keys in the order in which they were introduced.
    pub fn lives(&self) -> &[KeyLife] {
        &self.lives
    }

    /// The log's keys.
    pub fn log(&self) -> &LogKeys {
        &self.log
    }

    /// The portal's key.
    pub fn portal(&self) -> &PublicKey {
        &self.portal
    }
}

/// Why nobody's signature counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureRefusal {
    /// A key signed that may not, or is not known.
    #[error(transparent)]
    Key(#[from] KeyRefusal),
    /// No signature verifies.
    #[error("none of the {offered} signatures verifies by a key that the log introduced")]
    Unsigned {
        /// How many the envelope holds.
        offered: usize,
    },
}

#[cfg(test)]
mod tests;
