//! What the page of an agent shows: the life of its keys, its chain, and what it signed.

use acta_ledger::{
    judge::{chain::ChainState, keyring::KeyLife},
    log::timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};

use super::people::MayManage;

/// One key of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// Its life, by the keyring.
    pub life: KeyLife,
    /// When the entry that introduced it was logged.
    pub introduced_on: Timestamp,
    /// When the entry that ended it was.
    pub ended_on: Option<Timestamp>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// Its keys, newest first; never empty.
    pub keys: Vec<KeyRow>,
    /// Its chains of statements, oldest first: one for each enrolment that a statement follows.
    pub chains: Vec<ChainState>,
    /// How many entries it signed.
    pub entries: u64,
    /// When the newest was logged.
    pub last_entry_at: Option<Timestamp>,
    /// How many of each kind, by predicate type.
    pub kinds: Vec<(String, u64)>,
    /// Whether the viewer may revoke its key, and what a form needs for it.
    pub manage: MayManage,
}

impl AgentView {
    /// The key that may sign now.
    pub fn active(&self) -> Option<&KeyRow> {
        self.keys.iter().find(|key| key.life.ended.is_none())
    }
}
