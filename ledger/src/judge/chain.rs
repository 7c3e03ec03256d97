//! What an agent's chain of statements shows: whether each one follows the one before it, or which are missing.
//!
//! An agent numbers its statements from 1 and names the entry before each by its digest. Whoever withholds a statement,
//! loses one, or goes on from a restored backup leaves a mark here. A judgement holds up to a tree size: a number that is
//! missing there may come later, when an outbox is drained.
//!
//! An agent that was enrolled anew after its key was revoked begins a chain anew: what stands between is told apart by
//! the entries of the enrolments. A rotation of the key goes on with the same chain.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{evidence::chain::ChainLink, log::digest::Sha256Digest};

/// One statement of the agent: where it stands in the log and in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Linked {
    /// The entry.
    pub index: u64,
    /// The entry's digest, which the next statement names.
    pub digest: Sha256Digest,
    /// Its place in the chain.
    pub link: ChainLink,
}

/// One thing that is wrong with a chain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fault", rename_all_fields = "camelCase")]
pub enum ChainFault {
    /// The numbers `from..=to` are not in the log.
    Missing {
        /// The first missing number.
        from: u64,
        /// The last missing number.
        to: u64,
    },
    /// Several statements bear the same number: two histories of one agent.
    Forked {
        /// The number.
        sequence: u64,
        /// Their entries.
        entries: Vec<u64>,
    },
    /// A statement names another one before it than the log holds under that number.
    WrongPrevious {
        /// The statement's entry.
        entry: u64,
        /// What it names; none if it names nothing.
        found: Option<Sha256Digest>,
        /// What the log holds under the number before; none where the statement is the first.
        expected: Option<Sha256Digest>,
    },
    /// A statement has the number 0: the first one has 1.
    NoNumber {
        /// The statement's entry.
        entry: u64,
    },
}

/// What a chain came to, up to a tree size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainState {
    /// The entry that enrolled the agent for this chain; none if no enrolment comes before its statements.
    pub enrolled_at: Option<u64>,
    /// How many statements the log holds.
    pub statements: u64,
    /// The largest number.
    pub last_sequence: u64,
    /// The entry of the statement with that number.
    pub last_entry: u64,
    /// What is wrong, in the order of the numbers.
    pub faults: Vec<ChainFault>,
    /// Up to which tree size this holds.
    pub tree_size: u64,
}

impl ChainState {
    /// How many statements are missing.
    pub fn missing(&self) -> u64 {
        let span = |fault: &ChainFault| match fault {
            ChainFault::Missing { from, to } => to - from + 1,
            _ => 0,
        };
        self.faults.iter().map(span).fold(0, u64::saturating_add)
    }

    /// The missing numbers, one by one, at most `limit`.
    pub fn missing_numbers(&self, limit: usize) -> Vec<u64> {
        let numbers = |fault: &ChainFault| match fault {
            ChainFault::Missing { from, to } => *from..=*to,
            #[expect(clippy::reversed_empty_ranges, reason = "the other faults miss no number")]
            _ => 1..=0,
        };
        self.faults.iter().flat_map(numbers).take(limit).collect()
    }

    /// The entries that contradict others: one of several with a number, or after another entry than it names.
    pub fn contradicting(&self) -> BTreeSet<u64> {
        let entries = |fault: &ChainFault| match fault {
            ChainFault::Missing { .. } => Vec::new(),
            ChainFault::Forked { entries, .. } => entries.clone(),
            ChainFault::WrongPrevious { entry, .. } | ChainFault::NoNumber { entry } => vec![*entry],
        };
        self.faults.iter().flat_map(entries).collect()
    }
}

/// Judges an agent's statements, those at or beyond `tree_size` left out. `enrolled_at` are the entries of its
/// enrolments. One state for each chain that holds a statement, oldest first; the order of what is given is no matter.
pub fn judge(statements: &[Linked], enrolled_at: &[u64], tree_size: u64) -> Vec<ChainState> {
    let mut starts = enrolled_at.to_vec();
    starts.sort_unstable();
    let mut chains: BTreeMap<Option<u64>, Vec<Linked>> = BTreeMap::new();
    for statement in statements.iter().filter(|statement| statement.index < tree_size) {
        let before = starts.partition_point(|start| *start < statement.index);
        let start = before.checked_sub(1).map(|at| starts[at]);
        chains.entry(start).or_default().push(*statement);
    }
    chains.into_iter().map(|(start, statements)| one(start, statements, tree_size)).collect()
}

fn one(enrolled_at: Option<u64>, mut statements: Vec<Linked>, tree_size: u64) -> ChainState {
    statements.sort_by_key(|statement| (statement.link.sequence, statement.index));
    statements.dedup_by_key(|statement| statement.index);
    let mut by_number: BTreeMap<u64, Vec<Linked>> = BTreeMap::new();
    for statement in &statements {
        by_number.entry(statement.link.sequence).or_default().push(*statement);
    }
    let mut faults = Vec::new();
    let mut expected = 1;
    for (number, bearers) in &by_number {
        if *number == 0 {
            faults.extend(bearers.iter().map(|it| ChainFault::NoNumber { entry: it.index }));
            continue;
        }
        if *number > expected {
            faults.push(ChainFault::Missing { from: expected, to: number - 1 });
        }
        if bearers.len() > 1 {
            let entries = bearers.iter().map(|it| it.index).collect();
            faults.push(ChainFault::Forked { sequence: *number, entries });
        }
        let before = by_number.get(&(number - 1)).filter(|_| *number > 1);
        faults.extend(bearers.iter().filter_map(|it| wrong_previous(it, *number, before)));
        expected = number.saturating_add(1);
    }
    let last = statements.last();
    ChainState {
        enrolled_at,
        statements: statements.len() as u64,
        last_sequence: last.map_or(0, |it| it.link.sequence),
        last_entry: last.map_or(0, |it| it.index),
        faults,
        tree_size,
    }
}

/// Nothing can be said where the statement before is missing, but that one must be named.
fn wrong_previous(statement: &Linked, number: u64, before: Option<&Vec<Linked>>) -> Option<ChainFault> {
    let found = statement.link.previous;
    let candidates: BTreeSet<Sha256Digest> = before.into_iter().flatten().map(|it| it.digest).collect();
    let fits = match found {
        None => number == 1,
        Some(found) => number > 1 && (candidates.is_empty() || candidates.contains(&found)),
    };
    let expected = candidates.first().copied();
    (!fits).then_some(ChainFault::WrongPrevious { entry: statement.index, found, expected })
}

#[cfg(test)]
mod tests;
