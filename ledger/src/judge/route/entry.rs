//! What the fold reads: a route's entries as typed events with their place in the log, and the proof of completeness.

use std::ops::Range;

use crate::{
    evidence::{
        canary::CanaryRecord,
        decision::RouteDecision,
        gate::GateRecord,
        pin::PinObservation,
        retention::RetentionRecord,
        rollback::{RollbackOrder, RollbackResult},
        route::RouteDefinition,
    },
    judge::keyring::SignedBy,
    log::{
        digest::Sha256Digest,
        statement::{Predicate as _, Says, StatementError},
        timestamp::Timestamp,
    },
};

/// Who signed an entry, as the log's own key entries say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signer {
    /// The portal, on behalf of a signed-in person.
    Portal,
    /// An agent.
    Agent {
        /// Its name.
        name: String,
        /// Who owns it; none where that is not known.
        owner: Option<String>,
    },
}

impl From<SignedBy<'_>> for Signer {
    fn from(signed_by: SignedBy<'_>) -> Self {
        match signed_by {
            SignedBy::Portal => Self::Portal,
            SignedBy::Agent(life) => Self::Agent { name: life.agent.clone(), owner: life.owner.clone() },
        }
    }
}

/// An entry that may concern a route.
#[derive(Debug, Clone, PartialEq)]
pub enum RouteEvent {
    /// The route was set up or changed.
    Definition(Box<RouteDefinition>),
    /// A gate was run.
    Gate(Box<GateRecord>),
    /// Somebody decided.
    Decision(Box<RouteDecision>),
    /// A canary was planned, began or ended.
    Canary(Box<CanaryRecord>),
    /// A bundle is kept, or no longer is.
    Retention(Box<RetentionRecord>),
    /// A deployment, a rollback or a drill was ordered.
    Order(Box<RollbackOrder>),
    /// The agent beside the runtime reported a step.
    Result(Box<RollbackResult>),
    /// A pinned fact was found to be another.
    Pin(Box<PinObservation>),
}

impl RouteEvent {
    /// Reads a statement; none where it is of another kind.
    pub fn read(statement: &impl Says) -> Result<Option<Self>, StatementError> {
        Ok(Some(match statement.predicate_type() {
            RouteDefinition::TYPE => Self::Definition(Box::new(statement.says()?)),
            GateRecord::TYPE => Self::Gate(Box::new(statement.says()?)),
            RouteDecision::TYPE => Self::Decision(Box::new(statement.says()?)),
            CanaryRecord::TYPE => Self::Canary(Box::new(statement.says()?)),
            RetentionRecord::TYPE => Self::Retention(Box::new(statement.says()?)),
            RollbackOrder::TYPE => Self::Order(Box::new(statement.says()?)),
            RollbackResult::TYPE => Self::Result(Box::new(statement.says()?)),
            PinObservation::TYPE => Self::Pin(Box::new(statement.says()?)),
            _ => return Ok(None),
        }))
    }

    /// The route that it concerns.
    pub fn route(&self) -> &str {
        match self {
            Self::Definition(it) => &it.route,
            Self::Gate(it) => &it.route,
            Self::Decision(it) => &it.route,
            Self::Canary(it) => &it.route,
            Self::Retention(it) => &it.route,
            Self::Order(it) => &it.route,
            Self::Result(it) => &it.route,
            Self::Pin(it) => &it.route,
        }
    }

    /// The bundle that it concerns, where it concerns one.
    pub fn bundle(&self) -> Option<Sha256Digest> {
        match self {
            Self::Definition(_) | Self::Pin(_) => None,
            Self::Gate(it) => it.bundle,
            Self::Decision(it) => Some(it.bundle_digest.0),
            Self::Canary(it) => Some(it.bundle),
            Self::Retention(it) => Some(it.bundle.digest),
            Self::Order(it) => Some(it.to),
            Self::Result(it) => Some(it.to),
        }
    }

    /// When it happened, by the clock of whoever says it. It informs; only the index orders.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Definition(it) => it.at,
            Self::Gate(it) => it.finished_at,
            Self::Decision(it) => it.at,
            Self::Canary(it) => it.at,
            Self::Retention(it) => it.at,
            Self::Order(it) => it.at,
            Self::Result(it) => it.at,
            Self::Pin(it) => it.at,
        }
    }
}

/// An entry with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteEntry {
    /// Its index in the log.
    pub index: u64,
    /// Its leaf hash.
    pub leaf: Sha256Digest,
    /// Who signed it.
    pub signer: Signer,
    /// What it says.
    pub event: RouteEvent,
}

/// What a reader has seen of a log: which entries it looked at, and those of them that may concern a route.
///
/// The last word counts, so an entry that is left out could turn "no" into "yes": a later hold, a failed run of a gate,
/// a changed pin. A reader therefore says which indices it examined, and the fold denies unless they are all indices
/// from 0 to the tree head's size.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RouteLog {
    /// The size of the tree head that was read up to.
    pub size: u64,
    /// Which indices were examined, whatever was found there.
    pub examined: Vec<Range<u64>>,
    /// The entries that may concern a route, in any order.
    pub entries: Vec<RouteEntry>,
}

impl RouteLog {
    /// A log that was read from its first entry to its last.
    pub fn whole(size: u64, entries: Vec<RouteEntry>) -> Self {
        Self { size, examined: std::iter::once(0..size).collect(), entries }
    }

    /// The first stretch that was not examined.
    pub fn gap(&self) -> Option<Range<u64>> {
        let mut ranges: Vec<&Range<u64>> = self.examined.iter().collect();
        ranges.sort_by_key(|range| range.start);
        let mut next = 0;
        for range in ranges {
            if range.start > next {
                return Some(next..range.start.min(self.size)).filter(|gap| !gap.is_empty());
            }
            next = next.max(range.end);
        }
        (next < self.size).then_some(next..self.size)
    }

    /// The same reader without one entry: it is gone, and so is the claim of having examined its index.
    pub fn without(&self, index: u64) -> Self {
        let cut = |range: &Range<u64>| {
            if range.contains(&index) {
                vec![range.start..index, index + 1..range.end]
            } else {
                vec![range.clone()]
            }
        };
        Self {
            size: self.size,
            examined: self.examined.iter().flat_map(cut).filter(|range| !range.is_empty()).collect(),
            entries: self.entries.iter().filter(|entry| entry.index != index).cloned().collect(),
        }
    }

    /// The log as it was when it had `size` entries.
    pub fn until(&self, size: u64) -> Self {
        let size = size.min(self.size);
        let cut = |range: &Range<u64>| range.start.min(size)..range.end.min(size);
        Self {
            size,
            examined: self.examined.iter().map(cut).filter(|range| !range.is_empty()).collect(),
            entries: self.entries.iter().filter(|entry| entry.index < size).cloned().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_found() {
        let log = |size, examined: &[(u64, u64)]| RouteLog {
            size,
            examined: examined.iter().map(|&(from, to)| from..to).collect(),
            entries: Vec::new(),
        };
        for (size, examined, gap) in [
            (0, &[][..], None),
            (3, &[(0, 3)], None),
            (3, &[(2, 3), (0, 2)], None),
            (3, &[(0, 2), (1, 3)], None),
            (3, &[], Some(0..3)),
            (3, &[(1, 3)], Some(0..1)),
            (3, &[(0, 1), (2, 3)], Some(1..2)),
            (9, &[(0, 3)], Some(3..9)),
        ] {
            assert_eq!(log(size, examined).gap(), gap, "{size} {examined:?}");
        }
        let whole = RouteLog::whole(5, Vec::new());
        for index in 0..5 {
            assert_eq!(whole.without(index).gap(), Some(index..index + 1));
        }
        assert_eq!(whole.until(2), RouteLog::whole(2, Vec::new()));
    }
}
