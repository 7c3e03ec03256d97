//! The agents' chains, followed entry by entry: what is kept grows with the agents and the gaps, not with the log.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Finding;
use crate::{evidence::chain::ChainLink, log::digest::Sha256Digest};

/// Every agent's chain so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainFold {
    agents: BTreeMap<String, Chain>,
    /// Chains that ended with a revoked key and have gaps: an agent that is enrolled anew begins a chain anew.
    ended: Vec<(String, Chain)>,
    /// Entries that are nobody's word, because they are damaged or no key signed them, and that no gap is put down to.
    unread: BTreeSet<u64>,
}

/// How many unread entries are remembered; beyond them a gap is named although a damaged entry may be behind it.
const MAX_UNREAD: usize = 1000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Chain {
    /// The highest number so far, the entry that has it, and that entry's digest.
    last: u64,
    entry: u64,
    digest: Option<Sha256Digest>,
    /// Numbers below that were not seen: first, last, and the entry behind them.
    missing: Vec<(u64, u64, u64)>,
}

impl ChainFold {
    /// Takes an entry that is nobody's word. It is named for itself; a gap that it explains is not named a second time.
    pub fn take_unread(&mut self, index: u64) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.insert(index);
        }
    }

    /// The agent is enrolled, for the first time or anew: its next statement is its first.
    pub fn begin(&mut self, agent: &str) {
        if let Some((name, chain)) = self.agents.remove_entry(agent)
            && !chain.missing.is_empty()
        {
            self.ended.push((name, chain));
        }
    }

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
            let numbers = link.sequence - 1 - chain.last;
            let after = if chain.last == 0 { 0 } else { chain.entry + 1 };
            let explained: Vec<u64> = self
                .unread
                .range(after..index)
                .take(usize::try_from(numbers).unwrap_or(usize::MAX))
                .copied()
                .collect();
            if explained.len() as u64 == numbers {
                self.unread.retain(|entry| !explained.contains(entry));
            } else {
                chain.missing.push((chain.last + 1, link.sequence - 1, index));
            }
        }
        let fits = !follows || link.previous == chain.digest;
        (chain.last, chain.entry, chain.digest) = (link.sequence, index, Some(digest));
        (!fits).then(fork)
    }

    /// The numbers that are missing up to here.
    pub fn gaps(&self) -> impl Iterator<Item = Finding> {
        let ended = self.ended.iter().map(|(agent, chain)| (agent, chain));
        self.agents.iter().chain(ended).flat_map(|(agent, chain)| {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u64) -> Sha256Digest {
        Sha256Digest::of(&number.to_be_bytes())
    }

    /// Takes statements by number, each naming the one with the number before; 0 stands for an entry nobody can read.
    /// Gives the findings' names and numbers, those of the end included.
    fn fold(numbers: &[u64]) -> Vec<(&'static str, u64, u64)> {
        let mut chains = ChainFold::default();
        let mut findings = Vec::new();
        for (index, &sequence) in (0..).zip(numbers) {
            if sequence == 0 {
                chains.take_unread(index);
                continue;
            }
            let previous = (sequence > 1).then(|| digest(sequence - 1));
            findings.extend(chains.take("a", index, digest(sequence), ChainLink { sequence, previous }));
        }
        findings.extend(chains.gaps());
        let short = |finding: &Finding| match finding {
            Finding::ChainGap { first, last, .. } => (finding.name(), *first, *last),
            Finding::ChainFork { sequence, index, .. } => (finding.name(), *sequence, *index),
            _ => (finding.name(), 0, 0),
        };
        findings.iter().map(short).collect()
    }

    #[test]
    fn gaps_and_forks() {
        for (numbers, expected) in [
            (&[1, 2, 3][..], &[][..]),
            (&[2, 3], &[("chain gap", 1, 1)]),
            (&[1, 4, 6], &[("chain gap", 2, 3), ("chain gap", 5, 5)]),
            // What comes late fills its place.
            (&[1, 5, 3], &[("chain gap", 2, 2), ("chain gap", 4, 4)]),
            (&[1, 3, 2, 4], &[]),
            // One number twice.
            (&[1, 2, 2], &[("chain fork", 2, 2)]),
            (&[1, 1], &[("chain fork", 1, 1)]),
            // An entry that cannot be read explains one missing number, and no more.
            (&[1, 0, 3], &[]),
            (&[0, 2], &[]),
            (&[1, 0, 4], &[("chain gap", 2, 3)]),
            (&[1, 0, 3, 5], &[("chain gap", 4, 4)]),
            (&[0, 1, 3], &[("chain gap", 2, 2)]),
        ] {
            assert_eq!(fold(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn another_statement_before_it_is_a_fork() {
        let mut chains = ChainFold::default();
        let first = ChainLink { sequence: 1, previous: None };
        assert_eq!(chains.take("a", 0, digest(1), first), None);
        let other = ChainLink { sequence: 2, previous: Some(digest(9)) };
        let finding = Finding::ChainFork { agent: "a".to_owned(), sequence: 2, index: 1 };
        assert_eq!(chains.take("a", 1, digest(2), other), Some(finding));
        assert_eq!(chains.take("b", 2, digest(3), first), None, "each agent has a chain of its own");
    }
}
