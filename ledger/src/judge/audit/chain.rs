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
    /// Numbers below that were not seen.
    missing: Vec<Gap>,
}

/// Numbers that were not seen, and what stands at their two ends: whatever fills them must fit both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Gap {
    first: u64,
    last: u64,
    /// The entry behind them.
    index: u64,
    /// The digest of the statement before the first; none where there is none, or where an earlier state did not keep it.
    #[serde(default)]
    before: Option<Sha256Digest>,
    /// What the entry behind them names as the one before it.
    #[serde(default)]
    named: Option<Sha256Digest>,
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

    /// Takes an agent's next statement; forks are named at once, a gap only at the end, for it may still be filled.
    pub fn take(&mut self, agent: &str, index: u64, digest: Sha256Digest, link: ChainLink) -> Vec<Finding> {
        let chain = match self.agents.get_mut(agent) {
            Some(chain) => chain,
            None => self.agents.entry(agent.to_owned()).or_default(),
        };
        let fork = |sequence, index| Finding::ChainFork { agent: agent.to_owned(), sequence, index };
        // Only the first names no other one.
        let mut misfits: Vec<Finding> = Vec::new();
        let of_its_own = (link.sequence == 1) == link.previous.is_none();
        if !of_its_own {
            misfits.push(fork(link.sequence, index));
        }
        if link.sequence <= chain.last {
            match chain.fill(index, digest, link) {
                None => misfits = vec![fork(link.sequence, index)],
                Some(fits) => {
                    if of_its_own && !fits.before {
                        misfits.push(fork(link.sequence, index));
                    }
                    misfits.extend(fits.behind.map(|behind| fork(link.sequence + 1, behind)));
                }
            }
            return misfits;
        }
        if link.sequence == chain.last + 1 {
            if of_its_own && link.previous != chain.digest {
                misfits.push(fork(link.sequence, index));
            }
        } else if !explains(&mut self.unread, chain, index, link.sequence) {
            let (first, last) = (chain.last + 1, link.sequence - 1);
            chain.missing.push(Gap { first, last, index, before: chain.digest, named: link.previous });
        }
        (chain.last, chain.entry, chain.digest) = (link.sequence, index, Some(digest));
        misfits
    }

    /// The numbers that are missing up to here.
    pub fn gaps(&self) -> impl Iterator<Item = Finding> {
        let ended = self.ended.iter().map(|(agent, chain)| (agent, chain));
        self.agents.iter().chain(ended).flat_map(|(agent, chain)| {
            chain.missing.iter().map(|gap| Finding::ChainGap {
                agent: agent.clone(),
                first: gap.first,
                last: gap.last,
                index: gap.index,
            })
        })
    }
}

/// Whether entries that are nobody's word stand where the numbers between a chain's last one and `sequence` are missing,
/// one for each; they explain no other gap then.
fn explains(unread: &mut BTreeSet<u64>, chain: &Chain, index: u64, sequence: u64) -> bool {
    let numbers = sequence - 1 - chain.last;
    let after = if chain.last == 0 { 0 } else { chain.entry + 1 };
    let wanted = usize::try_from(numbers).unwrap_or(usize::MAX);
    let explained: Vec<u64> = unread.range(after..index).take(wanted).copied().collect();
    let all = explained.len() as u64 == numbers;
    if all {
        unread.retain(|entry| !explained.contains(entry));
    }
    all
}

/// How a statement that came late fits into its gap.
struct Fits {
    /// Whether it names the statement before it.
    before: bool,
    /// The entry behind it, if that one names another statement.
    behind: Option<u64>,
}

impl Chain {
    /// Takes a number out of the gaps, and says how it fits; none if it was in none.
    fn fill(&mut self, index: u64, digest: Sha256Digest, link: ChainLink) -> Option<Fits> {
        let number = link.sequence;
        let at = self.missing.iter().position(|gap| (gap.first..=gap.last).contains(&number))?;
        let gap = self.missing.remove(at);
        let other = |known: Option<Sha256Digest>, found: Option<Sha256Digest>| {
            known.is_some_and(|known| found.is_some_and(|found| found != known))
        };
        let before = number > gap.first || !other(gap.before, link.previous);
        let behind = (number == gap.last && other(Some(digest), gap.named)).then_some(gap.index);
        let lower = Gap { last: number - 1, index, named: link.previous, ..gap };
        let upper = Gap { first: number + 1, before: Some(digest), ..gap };
        self.missing.splice(at..at, [lower, upper].into_iter().filter(|gap| gap.first <= gap.last));
        Some(Fits { before, behind })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::judge::chain::{ChainFault, Linked, judge};

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
            findings.extend(chains.take("a", index, digest(sequence), ChainLink::new(sequence, previous)));
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
        let first = ChainLink::new(1, None);
        assert_eq!(chains.take("a", 0, digest(1), first), []);
        let other = ChainLink::new(2, Some(digest(9)));
        let finding = Finding::ChainFork { agent: "a".to_owned(), sequence: 2, index: 1 };
        assert_eq!(chains.take("a", 1, digest(2), other), [finding]);
        assert_eq!(chains.take("b", 2, digest(3), first), [], "each agent has a chain of its own");
    }

    /// An audit that was interrupted before gaps knew their ends goes on.
    #[test]
    fn gaps_of_an_earlier_state_are_read() {
        let earlier = r#"{"agents":{"a":{"last":3,"entry":1,"digest":null,"missing":[[2,2,1]]}},"ended":[],"unread":[]}"#;
        let mut chains: ChainFold = serde_json::from_str(earlier).unwrap();
        assert_eq!(chains.gaps().count(), 1);
        assert_eq!(chains.take("a", 2, digest(2), ChainLink::new(2, Some(digest(1)))), []);
        assert_eq!(chains.gaps().count(), 0);
    }

    /// Statements in the order of the log: a number, and which digest is named as the one before.
    fn logs() -> impl Strategy<Value = Vec<(u64, Option<u64>)>> {
        let previous = |number: u64| {
            let right = if number > 1 { Just(Some(number - 1)).boxed() } else { Just(None).boxed() };
            prop_oneof![8 => right, 1 => Just(None), 1 => (50..53_u64).prop_map(Some)]
        };
        prop::collection::vec((0..7_u64).prop_flat_map(move |number| (Just(number), previous(number))), 0..8)
    }

    proptest! {
        /// Entry by entry or all at once: the same numbers are missing, and something contradicts in both or in neither;
        /// where no number stands twice, the same entries do.
        #[test]
        fn the_fold_finds_what_the_whole_judgement_finds(log in logs()) {
            let linked: Vec<Linked> = (0..).zip(&log).map(|(index, (sequence, previous))| Linked {
                index,
                digest: digest(*sequence),
                link: ChainLink::new(*sequence, previous.map(digest)),
            }).collect();
            let mut chains = ChainFold::default();
            let forks: BTreeSet<u64> = linked
                .iter()
                .flat_map(|it| chains.take("a", it.index, it.digest, it.link))
                .filter_map(|finding| match finding {
                    Finding::ChainFork { index, .. } => Some(index),
                    _ => None,
                })
                .collect();
            let gaps: Vec<(u64, u64)> = chains.gaps().filter_map(|finding| match finding {
                Finding::ChainGap { first, last, .. } => Some((first, last)),
                _ => None,
            }).collect();
            let whole = judge(&linked, &[], linked.len() as u64);
            let faults = || whole.iter().flat_map(|chain| &chain.faults);
            let missing: Vec<(u64, u64)> = faults().filter_map(|fault| match fault {
                ChainFault::Missing { from, to } => Some((*from, *to)),
                _ => None,
            }).collect();
            prop_assert_eq!(gaps, missing);
            let contradicting: BTreeSet<u64> =
                whole.iter().flat_map(|chain| chain.contradicting()).collect();
            prop_assert_eq!(forks.is_empty(), contradicting.is_empty(), "{:?} {:?}", forks, contradicting);
            if faults().all(|fault| !matches!(fault, ChainFault::Forked { .. })) {
                prop_assert_eq!(forks, contradicting);
            }
        }
    }
}
