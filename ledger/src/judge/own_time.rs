//! Own time: how long a phase was open while none of the phases under it was. It sums up to the build, shares do not.

use std::collections::HashMap;

use crate::evidence::phase_tree::PhaseTree;

/// Own times in nanoseconds, by phase id. Phases under the same parent may overlap (several threads): the time they
/// cover together is taken off once.
pub fn own_times(tree: &PhaseTree) -> Vec<u64> {
    let end = tree.duration.0;
    let span = |id: usize| {
        let phase = &tree.phases[id];
        (phase.started.0, phase.finished.map_or(end, |at| at.0).max(phase.started.0))
    };
    let mut own: Vec<u64> = (0..tree.phases.len()).map(|id| span(id).1 - span(id).0).collect();
    // Phases stand in the order of their beginning: one pass knows up to where each parent is covered already.
    let mut order: Vec<usize> = (0..tree.phases.len()).collect();
    order.sort_by_key(|&id| tree.phases[id].started);
    let mut covered: Vec<u64> = vec![0; tree.phases.len()];
    for id in order {
        let Some(parent) = tree.phases[id].parent.map(|parent| parent as usize).filter(|&up| up < id) else {
            continue;
        };
        let (parent_from, parent_to) = span(parent);
        let (from, to) = span(id);
        let from = from.max(covered[parent]).max(parent_from);
        let to = to.min(parent_to);
        if to > from {
            own[parent] = own[parent].saturating_sub(to - from);
            covered[parent] = to;
        }
    }
    own
}

/// All phases of one name together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByName<'a> {
    /// The name.
    pub name: &'a str,
    /// How many phases carry it.
    pub phases: usize,
    /// Their own times together, in nanoseconds.
    pub own_ns: u64,
}

/// Own times by name, the most first; names with the same time by name.
pub fn by_name<'a>(tree: &'a PhaseTree, own: &[u64]) -> Vec<ByName<'a>> {
    let mut sums: HashMap<&str, (usize, u64)> = HashMap::new();
    for (phase, &own) in tree.phases.iter().zip(own) {
        let sum = sums.entry(phase.name.as_str()).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(own));
    }
    let mut names: Vec<_> =
        sums.into_iter().map(|(name, (phases, own_ns))| ByName { name, phases, own_ns }).collect();
    names.sort_by(|a, b| b.own_ns.cmp(&a.own_ns).then_with(|| a.name.cmp(b.name)));
    names
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::evidence::{
        cancel::CancelState,
        phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    };

    fn tree(events: &[(u64, &str, Option<&str>)], end: u64) -> PhaseTree {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        for &(at, name, parent) in events {
            let kind = match parent {
                Some("end") => RawKind::Finish,
                parent => RawKind::Start {
                    parent: parent.filter(|name| !name.is_empty()).map(Into::into),
                    steps: 1,
                },
            };
            builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None });
        }
        builder.finish(end, Ending::Returned)
    }

    #[test]
    fn what_children_cover_together_is_taken_off_once() {
        let tree = tree(
            &[
                (0, "root", Some("")),
                (10, "a", Some("root")),
                (20, "b", Some("root")),
                (30, "a", Some("end")),
                (50, "b", Some("end")),
                (60, "c", Some("root")),
            ],
            100,
        );
        // The root is open for 100; a and b cover 10 to 50 together, c covers 60 to the end.
        assert_eq!(own_times(&tree), [20, 20, 30, 40]);
        let names = by_name(&tree, &own_times(&tree));
        assert_eq!((names[0].name, names[0].own_ns), ("c", 40));
        assert_eq!(names.iter().map(|name| name.own_ns).sum::<u64>(), 110);
    }

    #[test]
    fn a_tree_without_phases_has_no_times() {
        assert!(own_times(&tree(&[], 10)).is_empty());
    }
}
