//! The agents' chains, followed entry by entry: what is kept grows with the agents and the gaps, not with the log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Finding;
use crate::{evidence::chain::ChainLink, log::digest::Sha256Digest};

/// Every agent's chain so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChainFold {
    agents: BTreeMap<String, Chain>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Chain {
    /// The highest number so far, and the digest of the entry that has it.
    last: u64,
    digest: Option<Sha256Digest>,
    /// Numbers below that were not seen: first, last, and the entry behind them.
    missing: Vec<(u64, u64, u64)>,
}

impl ChainFold {
    /// Takes an agent's next statement; a fork is named at once, a gap only at the end, for it may still be filled.
    pub fn take(
        &mut self,
        agent: &str,
        index: u64,
        digest: Sha256Digest,
        link: ChainLink,
    ) -> Option<Finding> {
        let fork = || Finding::ChainFork { agent: agent.to_owned(), sequence: link.sequence, index };
        let chain = match self.agents.get_mut(agent) {
            Some(chain) => chain,
            None => self.agents.entry(agent.to_owned()).or_default(),
        };
        if link.sequence <= chain.last {
            return (!chain.fill(link.sequence)).then(fork);
        }
        let follows = link.sequence == chain.last + 1;
        if !follows {
            chain.missing.push((chain.last + 1, link.sequence - 1, index));
        }
        let fits = !follows || link.previous == chain.digest;
        (chain.last, chain.digest) = (link.sequence, Some(digest));
        (!fits).then(fork)
    }

    /// The numbers that are missing up to here.
    pub fn gaps(&self) -> impl Iterator<Item = Finding> {
        self.agents.iter().flat_map(|(agent, chain)| {
            chain.missing.iter().map(|&(first, last, index)| Finding::ChainGap {
                agent: agent.clone(),
                first,
                last,
                index,
            })
        })
    }
}

impl Chain {
    /// Takes a number out of the gaps; whether it was in one.
    fn fill(&mut self, sequence: u64) -> bool {
        let Some(at) = self.missing.iter().position(|(first, last, _)| (*first..=*last).contains(&sequence))
        else {
            return false;
        };
        let (first, last, index) = self.missing.remove(at);
        let rest = [(first, sequence - 1, index), (sequence + 1, last, index)];
        self.missing.splice(at..at, rest.into_iter().filter(|(first, last, _)| first <= last));
        true
    }
}
