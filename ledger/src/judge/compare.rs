//! Two to eight runs side by side: the first is the baseline, each of the others is held against it.
//!
//! [`section`] lays the facts out row by row, [`fact`] says how two facts of one kind differ, [`phases`] aligns the phase
//! trees, [`why`] explains the times, and [`super::comparability`] says whether times may be ranked at all. A comparison
//! of a run with itself finds nothing, and turning two runs around turns every difference around: both are tested.

pub mod fact;
pub mod phases;
pub mod section;
pub mod why;

#[cfg(test)]
pub(super) mod tests;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::{
    phases::{PhaseTable, phase_table},
    section::{SectionRows, sections},
    why::{Why, why},
};
use super::{
    baseline::EntryRef,
    comparability::{Comparability, comparability},
    distribution::Distribution,
};
use crate::{
    evidence::{
        build::{BuildSummary, Outcome},
        bundle::{BundleDiff, Manifest, differences},
        phase_tree::PhaseTree,
    },
    log::timestamp::Timestamp,
};

/// How many runs a comparison has at least.
pub const FEWEST: usize = 2;

/// How many it has at most: more do not fit beside each other on a page.
pub const MOST: usize = 8;

/// A number of runs that cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{found} runs cannot be compared: name 2 to 8 of them, the baseline first")]
pub struct CountError {
    /// How many there were.
    pub found: usize,
}

/// What is known of one run.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The entry of its summary.
    pub entry: EntryRef,
    /// The summary.
    pub summary: &'a BuildSummary,
    /// Its phase tree; none where it has none or it cannot be read.
    pub tree: Option<&'a PhaseTree>,
    /// The bundle that its plan is in, as gate 3 saw it.
    pub bundle: Option<&'a Manifest>,
    /// The whole times, in milliseconds, of builds of its kind ([`super::baseline::BaselineKey`]) that completed
    /// undisturbed, itself included.
    pub kin_total_ms: &'a [f64],
    /// How many builds of its kind there are, however they ended.
    pub kin: u64,
}

/// A run in the head of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The run.
    pub run: Uuid,
    /// The entry of its summary.
    pub entry: EntryRef,
    /// The network's source.
    pub network: String,
    /// The route.
    pub route: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took, in milliseconds.
    pub total_ms: f64,
    /// When it began.
    pub started_at: Timestamp,
}

/// A comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// The runs; the first is the baseline.
    pub runs: Vec<Head>,
    /// Whether the times of all of them may be ranked.
    pub comparability: Comparability,
    /// Places of the runs from the shortest time to the longest; empty where they may not be ranked.
    pub ranking: Vec<usize>,
    /// The facts, section by section.
    pub sections: Vec<SectionRows>,
    /// The phases; none where fewer than two runs have a tree.
    pub phases: Option<PhaseTable>,
    /// Why each run but the first took longer or less long than the first.
    pub why: Vec<Why>,
    /// How the bundle of each run differs from the first's; none where one of the two has none, and for the first.
    pub bundles: Vec<Option<BundleDiff>>,
    /// How long builds of each run's kind take, in milliseconds.
    pub distributions: Vec<Distribution>,
}

/// Compares runs with the first of them.
pub fn compare(sides: &[Side<'_>]) -> Result<Compared, CountError> {
    if !(FEWEST..=MOST).contains(&sides.len()) {
        return Err(CountError { found: sides.len() });
    }
    let summaries: Vec<&BuildSummary> = sides.iter().map(|side| side.summary).collect();
    let trees: Vec<Option<&PhaseTree>> = sides.iter().map(|side| side.tree).collect();
    let comparability = comparability(&summaries);
    let total = |run: &usize| summaries[*run].duration_ms.total;
    let mut ranking: Vec<usize> =
        if comparability.comparable { (0..sides.len()).collect() } else { Vec::new() };
    ranking.sort_by(|a, b| total(a).total_cmp(&total(b)));
    let sections = sections(&summaries);
    let phases = phase_table(&trees);
    let why = (1..sides.len()).map(|run| why(run, sides, &sections, phases.as_ref())).collect();
    let against_first = |side: &Side<'_>| Some(differences(sides[0].bundle?, side.bundle?));
    let bundles = [None].into_iter().chain(sides[1..].iter().map(against_first)).collect();
    let distributions = sides.iter().map(|side| Distribution::of(side.kin_total_ms, side.kin)).collect();
    let runs = sides.iter().map(head).collect();
    Ok(Compared { runs, comparability, ranking, sections, phases, why, bundles, distributions })
}

fn head(side: &Side<'_>) -> Head {
    let summary = side.summary;
    Head {
        run: summary.run.id,
        entry: side.entry,
        network: summary.network.source.clone(),
        route: summary.run.route.clone(),
        outcome: summary.outcome,
        total_ms: summary.duration_ms.total,
        started_at: summary.started_at,
    }
}
