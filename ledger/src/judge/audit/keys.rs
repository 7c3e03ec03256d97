//! Interim: the log's keys.
use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::{
    evidence::agent_key::AgentKey,
    log::{
        key::{KeyId, PublicKey},
        statement::Statement,
    },
};

/// Interim.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogKeys {
    portal: PublicKey,
    agents: BTreeMap<KeyId, (String, PublicKey)>,
}

impl LogKeys {
    /// Interim.
    pub fn new(portal: PublicKey) -> Self {
        Self { portal, agents: BTreeMap::new() }
    }
    /// Interim.
    pub fn all(&self) -> HashMap<KeyId, PublicKey> {
        let agents = self.agents.iter().map(|(id, (_, key))| (*id, *key));
        agents.chain([(self.portal.id(), self.portal)]).collect()
    }
    /// Interim.
    pub fn signer(&self, key: &KeyId) -> Result<Option<String>, String> {
        if *key == self.portal.id() {
            return Ok(None);
        }
        self.agents.get(key).map(|(name, _)| Some(name.clone())).ok_or_else(|| "unknown".to_owned())
    }
    /// Interim.
    pub fn take(&mut self, _index: u64, signer: KeyId, statement: &Statement) -> Result<(), String> {
        if signer != self.portal.id() {
            return Err("only the portal's key introduces keys".to_owned());
        }
        let record: AgentKey = statement.predicate().map_err(|error| error.to_string())?;
        self.agents.insert(record.public_key.id(), (record.agent, record.public_key));
        Ok(())
    }
}
