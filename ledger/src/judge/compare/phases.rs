//! Phase trees side by side: a phase is the same in two builds if its path of names is, with the occurrence of each name
//! under its parent. TensorRT may use a name again and may change names between versions, so a bare name says nothing.
//!
//! What is compared is own time, the time in which a phase was open and none under it was. Where phases do not overlap,
//! own times and the time outside of all phases sum up to the build call, and so the differences sum up to its
//! difference: that makes a phase's contribution. Where threads overlap they need not, and contributions are only shares.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::why::near;
use crate::{
    evidence::phase_tree::PhaseTree,
    judge::{baseline::exact_ms, own_time::own_times},
    log::digest::Sha256Digest,
};

/// How many phases a comparison lists, those with the largest differences; the others are counted.
pub const MOST_PHASES: usize = 400;

/// One name of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathStep {
    /// The phase's name.
    pub name: String,
    /// The how-manieth of this name under its parent, counted from 0.
    pub occurrence: u32,
}

/// A phase of one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseOf {
    /// Its id in the run's tree.
    pub id: u32,
    /// How long it was open, in milliseconds.
    pub open_ms: f64,
    /// How long it was open while none under it was, in milliseconds.
    pub own_ms: f64,
}

/// By how much a run differs from the first in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    /// Own time less the first run's, in milliseconds; a phase that is missing takes no time.
    pub own_ms: f64,
    /// Its share of the difference of the whole build calls: 1 is all of it, below 0 it works against it. None where
    /// the build calls took as good as the same time ([`super::why::near`]).
    pub contribution: Option<f64>,
}

/// A phase in all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseRow {
    /// Its path; empty for the time outside of all phases.
    pub path: Vec<PathStep>,
    /// The phase in each run; none where the run does not have it.
    pub runs: Vec<Option<PhaseOf>>,
    /// How each run differs from the first; none for the first, and where one of the two has no tree.
    pub deltas: Vec<Option<Delta>>,
}

impl PhaseRow {
    /// The largest difference of any run, in milliseconds, without its sign.
    pub fn largest_ms(&self) -> f64 {
        self.deltas.iter().flatten().map(|delta| delta.own_ms.abs()).fold(0.0, f64::max)
    }

    /// Whether a run has the phase and the first does not.
    pub fn is_new(&self, run: usize) -> bool {
        !self.path.is_empty() && self.runs[0].is_none() && self.runs[run].is_some()
    }

    /// Whether the first has the phase and a run does not, although it has a tree.
    pub fn is_missing(&self, run: usize) -> bool {
        !self.path.is_empty()
            && self.runs[0].is_some()
            && self.runs[run].is_none()
            && self.deltas[run].is_some()
    }
}

/// The phases of all runs, aligned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseTable {
    /// How long each build call took, in milliseconds; none for a run without a tree.
    pub total_ms: Vec<Option<f64>>,
    /// The phases with the largest difference first, at most [`MOST_PHASES`]; the time outside is among them.
    pub rows: Vec<PhaseRow>,
    /// How many aligned phases there are.
    pub phases: usize,
    /// What the phases that are not listed sum up to, for each run; none as in the rows.
    pub folded: Vec<Option<Delta>>,
}

/// What tells a phase from its siblings. Of a name that was cut, the digest of the whole.
type Key<'a> = (Option<usize>, &'a str, Option<&'a Sha256Digest>, u32);

struct Node<'a> {
    parent: Option<usize>,
    name: &'a str,
    occurrence: u32,
    runs: Vec<Option<PhaseOf>>,
}

/// Aligns trees, one a run; none where fewer than two runs have one.
pub(super) fn phase_table(trees: &[Option<&PhaseTree>]) -> Option<PhaseTable> {
    if trees.iter().flatten().count() < 2 {
        return None;
    }
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut places: HashMap<Key<'_>, usize> = HashMap::new();
    let mut outside = vec![None; trees.len()];
    for (run, tree) in trees.iter().enumerate() {
        let Some(tree) = tree else { continue };
        let own = own_times(tree);
        let mut place_of = vec![0; tree.phases.len()];
        for (id, phase) in tree.phases.iter().enumerate() {
            let parent = phase.parent.filter(|&up| (up as usize) < id).map(|up| place_of[up as usize]);
            let key = (parent, phase.name.as_str(), phase.name_digest.as_ref(), phase.occurrence);
            let place = *places.entry(key).or_insert_with(|| {
                let (name, occurrence) = (phase.name.as_str(), phase.occurrence);
                nodes.push(Node { parent, name, occurrence, runs: vec![None; trees.len()] });
                nodes.len() - 1
            });
            place_of[id] = place;
            let (open_ms, own_ms) = (exact_ms(phase.duration_ns(tree.duration.0)), exact_ms(own[id]));
            nodes[place].runs[run] = Some(PhaseOf { id: id as u32, open_ms, own_ms });
        }
        let outside_ms = exact_ms(outside_ns(tree));
        outside[run] = Some(PhaseOf { id: 0, open_ms: outside_ms, own_ms: outside_ms });
    }
    let total_ms: Vec<Option<f64>> =
        trees.iter().map(|tree| tree.map(|tree| exact_ms(tree.duration.0))).collect();
    Some(table(nodes, outside, total_ms))
}

fn table(nodes: Vec<Node<'_>>, outside: Vec<Option<PhaseOf>>, total_ms: Vec<Option<f64>>) -> PhaseTable {
    let own = |phase: &Option<PhaseOf>| phase.map_or(0.0, |phase| phase.own_ms);
    let deltas = |runs: &[Option<PhaseOf>]| -> Vec<Option<Delta>> {
        let differs = |run: usize| {
            let totals = (total_ms[0]?, total_ms[run]?);
            (run > 0).then(|| delta(own(&runs[run]) - own(&runs[0]), totals))
        };
        (0..runs.len()).map(differs).collect()
    };
    let phases = nodes.len();
    let mut order: Vec<(Option<usize>, Vec<Option<Delta>>, f64)> = Vec::with_capacity(phases + 1);
    let largest =
        |deltas: &[Option<Delta>]| deltas.iter().flatten().map(|it| it.own_ms.abs()).fold(0.0, f64::max);
    for (place, runs) in
        nodes.iter().enumerate().map(|(place, node)| (Some(place), &node.runs)).chain([(None, &outside)])
    {
        let deltas = deltas(runs);
        let most = largest(&deltas);
        order.push((place, deltas, most));
    }
    // Rows that differ by the same are in the order of the trees: the sort keeps it.
    order.sort_by(|a, b| b.2.total_cmp(&a.2));
    let rest = order.split_off(order.len().min(MOST_PHASES));
    let rows = order.into_iter().map(|(place, deltas, _)| {
        let runs = place.map_or_else(|| outside.clone(), |place| nodes[place].runs.clone());
        PhaseRow { path: place.map_or_else(Vec::new, |place| path(&nodes, place)), runs, deltas }
    });
    let rows = rows.collect();
    let folded = (0..total_ms.len()).map(|run| {
        let totals = (total_ms[0]?, total_ms[run]?);
        let sum = rest.iter().filter_map(|(_, deltas, _)| deltas[run]).map(|delta| delta.own_ms).sum();
        (run > 0 && !rest.is_empty()).then(|| delta(sum, totals))
    });
    let folded = folded.collect();
    PhaseTable { total_ms, rows, phases, folded }
}

fn delta(own_ms: f64, (first, this): (f64, f64)) -> Delta {
    Delta { own_ms, contribution: (!near(first, this)).then(|| own_ms / (this - first)) }
}

fn path(nodes: &[Node<'_>], place: usize) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let mut at = Some(place);
    while let Some(node) = at.map(|place| &nodes[place]) {
        steps.push(PathStep { name: node.name.to_owned(), occurrence: node.occurrence });
        at = node.parent;
    }
    steps.reverse();
    steps
}

/// How long no phase was open during the build call, in nanoseconds: before the first, and while the library serializes.
fn outside_ns(tree: &PhaseTree) -> u64 {
    let end = tree.duration.0;
    let root = |phase: &&crate::evidence::phase_tree::Phase| phase.parent.is_none_or(|up| up >= phase.id);
    let mut spans: Vec<(u64, u64)> = tree
        .phases
        .iter()
        .filter(root)
        .map(|phase| (phase.started.0.min(end), phase.finished.map_or(end, |at| at.0.min(end))))
        .collect();
    spans.sort_unstable();
    let (mut covered, mut until) = (0, 0);
    for (from, to) in spans {
        let from = from.max(until);
        covered += to.saturating_sub(from);
        until = until.max(to);
    }
    end - covered
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::evidence::{
        cancel::CancelState,
        phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    };

    const MS: u64 = 1_000_000;

    /// A tree of one root with these children, each open for so many milliseconds, and a tail of 10 ms.
    fn tree(children: &[(&str, u64)]) -> PhaseTree {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        let mut at = 0;
        let mut say = |at: u64, name: &str, kind: RawKind<'_>| {
            builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None });
        };
        say(at, "root", RawKind::Start { parent: None, steps: 1 });
        for &(name, open_ms) in children {
            say(at, name, RawKind::Start { parent: Some("root".into()), steps: 1 });
            at += open_ms * MS;
            say(at, name, RawKind::Finish);
        }
        say(at, "root", RawKind::Finish);
        builder.finish(at + 10 * MS, Ending::Returned)
    }

    fn of<'a>(table: &'a PhaseTable, path: &[(&str, u32)]) -> &'a PhaseRow {
        let same = |row: &&PhaseRow| {
            row.path.iter().map(|step| (step.name.as_str(), step.occurrence)).eq(path.iter().copied())
        };
        table.rows.iter().find(same).unwrap()
    }

    #[test]
    fn a_phase_is_found_by_its_path_and_occurrence() {
        let a = tree(&[("tactics", 100), ("tactics", 20), ("gone", 5)]);
        let b = tree(&[("tactics", 100), ("tactics", 50), ("new", 7)]);
        let table = phase_table(&[Some(&a), Some(&b)]).unwrap();
        assert_eq!(table.total_ms, [Some(135.0), Some(167.0)]);
        let second = of(&table, &[("root", 0), ("tactics", 1)]);
        assert_eq!(second.deltas, [None, Some(Delta { own_ms: 30.0, contribution: Some(30.0 / 32.0) })]);
        assert_eq!(table.rows[0], *second, "the largest difference stands first");
        let (new, gone) = (of(&table, &[("root", 0), ("new", 0)]), of(&table, &[("root", 0), ("gone", 0)]));
        assert!(new.is_new(1) && !new.is_missing(1));
        assert!(gone.is_missing(1) && !gone.is_new(1));
        assert_eq!(gone.deltas[1].unwrap().own_ms, -5.0);
        assert_eq!(of(&table, &[("root", 0), ("tactics", 0)]).largest_ms(), 0.0);
        // The time outside of all phases is a row without a path, and neither new nor missing.
        assert_eq!(of(&table, &[]).runs[0].unwrap().own_ms, 10.0);
        assert_eq!((table.phases, table.rows.len()), (5, 6));
    }

    #[test]
    fn a_run_without_a_tree_is_left_out_and_two_trees_are_needed() {
        let a = tree(&[("x", 1)]);
        assert_eq!(phase_table(&[Some(&a), None]), None);
        let table = phase_table(&[None, Some(&a), Some(&a)]).unwrap();
        assert!(table.rows.iter().all(|row| row.deltas == [None, None, None]), "nothing to compare with");
        let table = phase_table(&[Some(&a), None, Some(&a)]).unwrap();
        assert!(table.rows.iter().all(|row| row.deltas[1].is_none() && row.deltas[2].is_some()));
        assert!(!of(&table, &[("root", 0)]).is_missing(1), "nothing is known of it");
        let empty = PhaseTreeBuilder::new(Uuid::nil()).snapshot(0);
        assert_eq!(
            phase_table(&[Some(&empty), Some(&empty)]).unwrap().rows[0].deltas[1].unwrap().contribution,
            None
        );
    }

    #[test]
    fn many_phases_are_bounded_and_the_rest_is_counted() {
        let names: Vec<String> = (0..1_000).map(|n| format!("node {n}")).collect();
        let long: Vec<(&str, u64)> =
            names.iter().enumerate().map(|(n, name)| (name.as_str(), n as u64)).collect();
        let short: Vec<(&str, u64)> = long.iter().map(|&(name, ms)| (name, ms / 2)).collect();
        let table = phase_table(&[Some(&tree(&short)), Some(&tree(&long))]).unwrap();
        assert_eq!((table.rows.len(), table.phases), (MOST_PHASES, 1_001));
        assert_eq!(table.rows[0].path.last().unwrap().name, "node 999");
        let listed: f64 = table.rows.iter().filter_map(|row| row.deltas[1]).map(|delta| delta.own_ms).sum();
        let total = table.total_ms[1].unwrap() - table.total_ms[0].unwrap();
        assert!((listed + table.folded[1].unwrap().own_ms - total).abs() < 1e-6);
    }

    fn children() -> impl Strategy<Value = Vec<(&'static str, u64)>> {
        prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), 0_u64..100), 0..8)
    }

    proptest! {
        /// A tree beside itself differs nowhere.
        #[test]
        fn a_tree_does_not_differ_from_itself(children in children()) {
            let tree = tree(&children);
            let table = phase_table(&[Some(&tree), Some(&tree)]).unwrap();
            for row in &table.rows {
                prop_assert_eq!(row.deltas[1].unwrap().own_ms, 0.0);
                prop_assert!(!row.is_new(1) && !row.is_missing(1));
            }
        }

        /// Turned around, every difference changes its sign, contributions stay, new becomes missing; and the
        /// differences sum up to that of the build calls.
        #[test]
        fn turned_around_it_is_the_same_table(a in children(), b in children()) {
            let (a, b) = (tree(&a), tree(&b));
            let there = phase_table(&[Some(&a), Some(&b)]).unwrap();
            let back = phase_table(&[Some(&b), Some(&a)]).unwrap();
            prop_assert_eq!(there.rows.len(), back.rows.len());
            let mut sum = 0.0;
            for row in &there.rows {
                let path: Vec<(&str, u32)> =
                    row.path.iter().map(|step| (step.name.as_str(), step.occurrence)).collect();
                let other = of(&back, &path);
                let (one, two) = (row.deltas[1].unwrap(), other.deltas[1].unwrap());
                prop_assert_eq!(one.own_ms, -two.own_ms);
                prop_assert_eq!(one.contribution, two.contribution);
                prop_assert_eq!(row.is_new(1), other.is_missing(1));
                sum += one.own_ms;
            }
            let total = there.total_ms[1].unwrap() - there.total_ms[0].unwrap();
            prop_assert!((sum - total).abs() < 1e-6, "{} {}", sum, total);
        }
    }
}
