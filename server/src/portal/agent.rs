//! One agent for its page: the keyring and the chain judge, the store counts.

use acta_app::view::agent::{AgentView, KeyRow};
use acta_ledger::{judge::chain::ChainState, log::timestamp::Timestamp};

use super::{ServerPortal, moment};
use crate::{
    activity,
    error::{Answer, Problem},
    store::ledger,
};

impl ServerPortal {
    pub(super) async fn agent_view(&self, name: &str) -> Answer<AgentView> {
        self.may_read()?;
        let (keyring, tree_size) = (self.state.log.keyring(), self.state.log.head().head.size);
        let mut keys = Vec::new();
        for life in keyring.lives().iter().rev().filter(|life| life.agent == name) {
            let ended_on = match &life.ended {
                Some(end) => Some(self.logged_on(end.at).await?),
                None => None,
            };
            let introduced_on = self.logged_on(life.introduced_at).await?;
            keys.push(KeyRow { life: life.clone(), introduced_on, ended_on });
        }
        if keys.is_empty() {
            return Err(Problem::not_found("no such agent").field("agent").found(name));
        }
        let signed = activity::of(&self.state, name).await?;
        Ok(AgentView {
            name: name.to_owned(),
            keys,
            // No entry of the agent has come since they were judged, so they hold up to this size.
            chains: signed.chains.iter().map(|chain| ChainState { tree_size, ..chain.clone() }).collect(),
            entries: signed.entries(),
            last_entry_at: signed.last_at.map(moment).transpose()?,
            kinds: signed.kinds.clone(),
            manage: self.manage()?,
        })
    }

    async fn logged_on(&self, index: u64) -> Answer<Timestamp> {
        let facts = ledger::facts(&self.state.database.read, index).await?;
        let facts = facts.ok_or_else(|| Problem::internal(format_args!("entry {index} is missing")))?;
        moment(facts.logged_at)
    }
}
