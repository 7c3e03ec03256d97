//! Agent keys (`urn:acta:agent-key:v1`): the life of an agent's key. They live in the log, so that who may sign is
//! itself evidence.
//!
//! | action | signed by | from its entry on |
//! |---|---|---|
//! | `enrolled` | the portal | the key may sign for the agent, which had no key that may |
//! | `rotated` | the agent's old key **and** its new one | the new key may sign, the old one may not |
//! | `revoked` | the portal | the key may not sign; what it signed before stays valid |
//!
//! A rotation needs no word of the portal: nobody but the agent can hand its key on, and the new key shows that whoever
//! names it has it. What each action means is judged in [`crate::judge::keyring`].

use serde::{Deserialize, Serialize};

use crate::log::{
    dsse::{Envelope, EnvelopeError},
    key::PublicKey,
    statement::{Predicate, Subject},
    timestamp::Timestamp,
};

/// One event in the life of an agent's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKey {
    /// The agent's name, unique in the log.
    pub agent: String,
    /// The Ed25519 public key that it is about, standard base64 of 32 bytes; for a rotation the new one.
    pub public_key: PublicKey,
    /// What happened to the key.
    pub action: AgentKeyAction,
    /// When: by the server's clock, or the agent's for a rotation. It informs; only the order of the log decides.
    pub at: Timestamp,
    /// Who had it done: for an enrolment who issued the token, for a revocation who revoked, for a rotation the agent.
    pub authorized_by: String,
    /// The account that owns the agent: its evidence is that person's, who therefore may not approve on it.
    #[serde(default)]
    pub owner: Option<String>,
    /// The key that a rotation replaces; none otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<PublicKey>,
    /// Why a key was revoked; none otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What can happen to an agent's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKeyAction {
    /// From this entry on the key may sign the agent's statements.
    Enrolled,
    /// From this entry on it may, in place of the previous one.
    Rotated,
    /// From this entry on it may no more.
    Revoked,
}

impl Predicate for AgentKey {
    const TYPE: &'static str = "urn:acta:agent-key:v1";
}

impl AgentKey {
    /// The subject of the statement: the key itself, by the digest of its bytes.
    pub fn subject(&self) -> Subject {
        Subject::new(self.agent.clone(), self.public_key.id().0)
    }

    /// Keeps the signatures that such a statement needs, or says which are missing. The rotation's own keys are needed,
    /// whether or not the old one is the agent's: that is what the keyring judges.
    pub fn signed(&self, envelope: &Envelope, portal: &PublicKey) -> Result<Envelope, EnvelopeError> {
        let (keys, needed) = match (self.action, self.previous) {
            (AgentKeyAction::Rotated, Some(previous)) => (vec![previous, self.public_key], 2),
            _ => (vec![*portal], 1),
        };
        envelope.verified(&keys, needed).map(|(envelope, _)| envelope)
    }
}
