//! Where a build was silent: the stretches in which the library made no callback.
//!
//! Of the longest one the tree knows both ends to the nanosecond. The others are read from the activity, stretch by
//! stretch: what is given back is silent for certain, and by less than two stretches shorter than it may have been.

use crate::evidence::phase_tree::PhaseTree;

/// A silent stretch, in nanoseconds since the build call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Where it begins.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
}

impl Stretch {
    /// Its length in nanoseconds.
    pub fn length(&self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// How much of it lies between two moments.
    pub fn within(&self, from: u64, to: u64) -> u64 {
        self.to.min(to).saturating_sub(self.from.max(from))
    }
}

/// The silent stretches of at least `shortest` nanoseconds, at most `most` of them (the longest), by their beginning.
pub fn silences(tree: &PhaseTree, shortest: u64, most: usize) -> Vec<Stretch> {
    let end = tree.duration.0;
    let exact = tree
        .silence
        .map(|silence| Stretch { from: silence.from.0.min(end), to: silence.to.0.min(end) })
        .filter(|stretch| stretch.length() > 0);
    let mut found: Vec<Stretch> = exact.into_iter().collect();
    let mut open: Option<u64> = None;
    let bin = tree.activity.bin.0.max(1);
    let starts = (0_u64..).map(|index| index.saturating_mul(bin));
    let silent = tree.activity.counts.iter().map(|&count| count == 0);
    for (start, silent) in starts.zip(silent.chain([tree.callbacks > 0, false])) {
        let start = start.min(end);
        match (silent, open) {
            (true, None) => open = Some(start),
            (false, Some(from)) => {
                // The stretch behind the last one that was counted reaches to the end.
                let counted = (tree.activity.counts.len() as u64).saturating_mul(bin);
                let to = if start >= counted.min(end) { end } else { start };
                found.push(Stretch { from, to });
                open = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    if let Some(exact) = exact {
        found.retain(|stretch| *stretch == exact || stretch.within(exact.from, exact.to) == 0);
        found.dedup();
    }
    found.retain(|stretch| stretch.length() >= shortest.max(1));
    found.sort_by_key(|stretch| std::cmp::Reverse(stretch.length()));
    found.truncate(most);
    found.sort_by_key(|stretch| stretch.from);
    found
}

/// A part's share of a whole, from 0 to 1; none where there is no whole or either is no measurement.
pub fn share(part: f64, whole: f64) -> Option<f64> {
    let share = part / whole;
    (part >= 0.0 && whole > 0.0 && share.is_finite()).then(|| share.min(1.0))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::evidence::{
        number::Count64,
        phase_tree::{Activity, Silence, assemble::PhaseTreeBuilder},
    };

    fn tree(duration: u64, bin: u64, counts: &[u32], longest: Option<(u64, u64)>) -> PhaseTree {
        let mut tree = PhaseTreeBuilder::new(Uuid::nil()).snapshot(duration);
        tree.callbacks = counts.iter().map(|&count| u64::from(count)).sum();
        tree.activity = Activity { bin: Count64(bin), counts: counts.to_vec() };
        tree.silence =
            longest.map(|(from, to)| Silence { from: Count64(from), to: Count64(to), phase: None });
        tree
    }

    fn found(tree: &PhaseTree, shortest: u64, most: usize) -> Vec<(u64, u64)> {
        silences(tree, shortest, most).into_iter().map(|stretch| (stretch.from, stretch.to)).collect()
    }

    #[test]
    fn the_longest_is_exact_and_the_others_are_read_from_the_activity() {
        let tree = tree(100, 10, &[1, 0, 0, 0, 2, 0, 1, 0, 0], Some((8, 43)));
        assert_eq!(found(&tree, 1, 9), [(8, 43), (50, 60), (70, 100)]);
        assert_eq!(found(&tree, 20, 9), [(8, 43), (70, 100)]);
        assert_eq!(found(&tree, 1, 1), [(8, 43)]);
    }

    #[test]
    fn odd_trees_have_no_silence_that_leaves_them() {
        assert_eq!(found(&tree(100, 10, &[], None), 1, 9), []);
        assert_eq!(found(&tree(0, 0, &[0, 1, 0], Some((5, 3))), 1, 9), []);
        assert_eq!(found(&tree(15, 10, &[1, 0, 0, 0], Some((90, 95))), 1, 9), [(10, 15)]);
        let far = tree(u64::MAX, u64::MAX, &[1, 0, 0], None);
        assert!(found(&far, 1, 9).iter().all(|&(from, to)| from < to));
    }

    #[test]
    fn a_share_needs_a_whole() {
        assert_eq!(share(1.0, 4.0), Some(0.25));
        assert_eq!(share(5.0, 4.0), Some(1.0));
        for (part, whole) in [(1.0, 0.0), (0.0, 0.0), (-1.0, 4.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert_eq!(share(part, whole), None);
        }
    }
}
