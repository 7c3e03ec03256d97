//! Agent keys (`urn:acta:agent-key:v1`): the portal's word that a key belongs to an agent. They live in the log, so
//! that who may sign is itself evidence.

use serde::{Deserialize, Serialize};

use crate::log::{
    key::PublicKey,
    statement::{Predicate, Subject},
    timestamp::Timestamp,
};

/// The enrolment of an agent's key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentKey {
    /// The agent's name, unique in the log.
    pub agent: String,
    /// Its Ed25519 public key, standard base64 of 32 bytes.
    pub public_key: PublicKey,
    /// What happened to the key.
    pub action: AgentKeyAction,
    /// When, by the server's clock.
    pub at: Timestamp,
    /// Who issued the token that it was enrolled with.
    pub authorized_by: String,
    /// The account that owns the agent: its evidence is that person's, who therefore may not approve on it.
    #[serde(default)]
    pub owner: Option<String>,
}

/// What can happen to an agent's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKeyAction {
    /// From this entry on the key may sign the agent's statements.
    Enrolled,
}

impl Predicate for AgentKey {
    const TYPE: &'static str = "urn:acta:agent-key:v1";
}

impl AgentKey {
    /// The subject of the statement: the key itself, by the digest of its bytes.
    pub fn subject(&self) -> Subject {
        Subject::new(self.agent.clone(), self.public_key.id().0)
    }
}
