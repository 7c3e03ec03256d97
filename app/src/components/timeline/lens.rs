//! The first dense stretch: where a few short phases stand so close that only enlarging shows them.

use acta_ledger::evidence::phase_tree::PhaseTree;

use super::{lanes::span, scale::Scale};

/// Bars narrower than this carry no name and want to be enlarged.
const UNNAMED: f64 = 60.0;

/// A gap of so many pixels parts two stretches.
const GAP: f64 = 16.0;

/// A stretch that is already this much of the picture gains nothing from enlarging.
const WIDEST: f64 = 0.25;

/// Beyond so many phases an enlarged stretch is as crowded as before.
const MOST: usize = 60;

/// The first stretch in which at least three phases are too narrow for a name: from and to.
pub fn first_dense(tree: &PhaseTree, scale: &Scale) -> Option<(u64, u64)> {
    let mut narrow: Vec<(u64, u64)> = (0..tree.phases.len())
        .map(|id| span(tree, id))
        .filter(|&(from, to)| scale.span(from, to).is_some_and(|(left, right)| right - left < UNNAMED))
        .collect();
    narrow.sort_unstable();
    let gap = scale.ns(GAP);
    let widest = scale.ns((scale.right - scale.left) * WIDEST);
    let mut clusters: Vec<(u64, u64, usize)> = Vec::new();
    for (from, to) in narrow {
        match clusters.last_mut() {
            Some(last) if from <= last.1.saturating_add(gap) => {
                last.1 = last.1.max(to);
                last.2 += 1;
            }
            _ => clusters.push((from, to, 1)),
        }
    }
    let dense = |&&(from, to, phases): &&(u64, u64, usize)| {
        let length = to - from;
        (3..=MOST).contains(&phases) && length > 0 && length <= widest
    };
    clusters.iter().find(dense).map(|&(from, to, _)| {
        let margin = (to - from) / 25 + 1;
        let end = to.saturating_add(margin).min(scale.to);
        (from.saturating_sub(margin).max(scale.from), end)
    })
}
