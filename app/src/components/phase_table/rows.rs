//! Which phases have a row.

use acta_ledger::evidence::phase_tree::PhaseTree;

use crate::components::timeline::depths;

/// Up to so many phases each has a row; larger trees show so many at most.
pub const MOST_ROWS: usize = 400;

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A phase.
    Phase(u32),
    /// Phases under one parent that have no row, with everything under them.
    Folded {
        /// How deep they stand.
        depth: usize,
        /// How many.
        phases: usize,
        /// Their own times together, in nanoseconds.
        own_ns: u64,
    },
}

/// The rows of a tree, in the order of a walk through it; a folded row stands last under its parent.
pub fn rows(tree: &PhaseTree, own: &[u64], most: usize) -> Vec<Row> {
    let shown = shown(tree, own, most);
    let depths = depths(tree);
    let parent = |id: usize| tree.phases[id].parent.map(|up| up as usize).filter(|&up| up < id);
    // Everything under a phase counts with it: children stand behind their parents, so one pass backwards does it.
    let mut sizes = vec![1_usize; tree.phases.len()];
    let mut times = own.to_vec();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); tree.phases.len()];
    let mut roots = Vec::new();
    for id in (0..tree.phases.len()).rev() {
        match parent(id) {
            Some(up) => {
                sizes[up] += sizes[id];
                times[up] = times[up].saturating_add(times[id]);
                children[up].push(id);
            }
            None => roots.push(id),
        }
    }
    let folded = |siblings: &[usize]| {
        let hidden = || siblings.iter().filter(|&&id| !shown[id]);
        let depth = depths[*hidden().next()?];
        let own_ns = hidden().fold(0_u64, |sum, &id| sum.saturating_add(times[id]));
        Some(Row::Folded { depth, phases: hidden().map(|&id| sizes[id]).sum(), own_ns })
    };
    let mut out = Vec::new();
    // Siblings were collected backwards, so the first stands on top of the stack.
    let mut stack: Vec<Result<usize, Row>> = folded(&roots).map(Err).into_iter().collect();
    stack.extend(roots.iter().filter(|&&id| shown[id]).map(|&id| Ok(id)));
    while let Some(next) = stack.pop() {
        match next {
            Ok(id) => {
                out.push(Row::Phase(id as u32));
                stack.extend(folded(&children[id]).map(Err));
                stack.extend(children[id].iter().filter(|&&child| shown[child]).map(|&child| Ok(child)));
            }
            Err(row) => out.push(row),
        }
    }
    out
}

/// The phases with the most own time, with all they stand under, as long as there is room.
fn shown(tree: &PhaseTree, own: &[u64], most: usize) -> Vec<bool> {
    let phases = tree.phases.len();
    if phases <= most {
        return vec![true; phases];
    }
    let mut shown = vec![false; phases];
    let mut by_time: Vec<usize> = (0..phases).collect();
    by_time.sort_by(|&a, &b| own[b].cmp(&own[a]).then(a.cmp(&b)));
    // Half of the room is enough for the largest; the other half is for what they stand under and for folded rows.
    let mut room = most / 2;
    for id in by_time.into_iter().take(most) {
        let up = |id: &usize| tree.phases[*id].parent.map(|up| up as usize).filter(|up| up < id);
        let missing: Vec<usize> =
            std::iter::successors(Some(id), up).take_while(|&id| !shown[id]).take(room + 1).collect();
        if missing.len() <= room {
            room -= missing.len();
            missing.into_iter().for_each(|id| shown[id] = true);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use acta_ledger::{
        evidence::{
            cancel::CancelState,
            phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
        },
        judge::own_time::own_times,
    };
    use uuid::Uuid;

    use super::*;

    /// A root with `groups` phases under it, each with `leaves` of growing length.
    fn tree(groups: usize, leaves: usize) -> PhaseTree {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        let mut at = 0;
        let mut record = |at, name: &str, parent: Option<&str>, start| {
            let kind = if start {
                RawKind::Start { parent: parent.map(Into::into), steps: 1 }
            } else {
                RawKind::Finish
            };
            builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None });
        };
        record(0, "root", None, true);
        for _ in 0..groups {
            record(at, "group", Some("root"), true);
            for leaf in 0..leaves {
                record(at, "leaf", Some("group"), true);
                at += leaf as u64 + 1;
                record(at, "leaf", None, false);
            }
            record(at, "group", None, false);
        }
        builder.finish(at, Ending::Returned)
    }

    fn counted(rows: &[Row]) -> usize {
        rows.iter().map(|row| if let Row::Folded { phases, .. } = row { *phases } else { 1 }).sum()
    }

    #[test]
    fn a_small_tree_has_a_row_for_each_phase_in_order() {
        let tree = tree(2, 2);
        let rows = rows(&tree, &own_times(&tree), 400);
        assert_eq!(rows, (0..7).map(Row::Phase).collect::<Vec<_>>());
    }

    #[test]
    fn a_large_tree_shows_the_largest_and_counts_the_others() {
        let tree = tree(30, 100);
        let own = own_times(&tree);
        let rows = rows(&tree, &own, 400);
        assert!(rows.len() <= 400, "{}", rows.len());
        assert_eq!(counted(&rows), tree.phases.len());
        assert_eq!(rows[0], Row::Phase(0));
        let sum: u64 = rows
            .iter()
            .map(|row| match *row {
                Row::Phase(id) => own[id as usize],
                Row::Folded { own_ns, .. } => own_ns,
            })
            .sum();
        assert_eq!(sum, own.iter().sum::<u64>());
        // The last leaf of each group is its largest.
        assert!(rows.contains(&Row::Phase(101)) && !rows.contains(&Row::Phase(2)));
    }

    #[test]
    fn a_tree_that_is_one_long_chain_is_folded_too() {
        let mut tree = tree(1, 3_000);
        for id in 1..tree.phases.len() {
            tree.phases[id].parent = Some(id as u32 - 1);
        }
        let rows = rows(&tree, &own_times(&tree), 400);
        assert!(rows.len() <= 400);
        assert_eq!(counted(&rows), tree.phases.len());
    }
}
