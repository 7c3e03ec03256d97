//! Which phase is drawn where: one lane a depth, more where threads overlap, and what is too short merged into crowds.

use acta_ledger::{evidence::phase_tree::PhaseTree, judge::silence::Stretch};

use super::scale::Scale;

/// Depths that have a lane of their own; deeper phases join the crowd of the last.
pub const MAX_DEPTHS: usize = 8;

/// Lanes that one depth can have, where its phases overlap.
const MAX_SLOTS: usize = 3;

/// Hatched stretches that are drawn at most.
const MAX_HUSHES: usize = 80;

/// The narrowest bar in pixels; what is narrower joins a crowd.
const MIN_BAR: f64 = 4.0;

/// How much may be drawn one by one.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bars.
    pub bars: usize,
    /// The width of a crowd's column in pixels.
    pub column: f64,
}

/// A phase that is wide enough to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The phase.
    pub phase: u32,
    /// The lane, counted from the top.
    pub lane: usize,
    /// The left edge.
    pub left: f64,
    /// The right edge.
    pub right: f64,
    /// Silent stretches inside it, from left to right.
    pub hushes: Vec<(f64, f64)>,
}

/// A stretch of phases that are too narrow to be drawn one by one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowd {
    /// The lane.
    pub lane: usize,
    /// The left edge.
    pub left: f64,
    /// The right edge.
    pub right: f64,
    /// How much of that time they fill: 1 (less than a third), 2 or 3 (more than two thirds).
    pub level: u8,
}

/// Everything that is drawn in the lanes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lanes {
    /// Phases of their own.
    pub bars: Vec<Bar>,
    /// Merged phases.
    pub crowds: Vec<Crowd>,
    /// How many phases were merged.
    pub merged: usize,
    /// How many lanes there are.
    pub count: usize,
    /// The first lane of each depth.
    pub first_of_depth: Vec<usize>,
}

/// The depths of all phases.
pub fn depths(tree: &PhaseTree) -> Vec<usize> {
    let mut depths = Vec::with_capacity(tree.phases.len());
    for (id, phase) in tree.phases.iter().enumerate() {
        let parent = phase.parent.map(|up| up as usize).filter(|&up| up < id);
        depths.push(parent.map_or(0, |up: usize| depths[up] + 1));
    }
    depths
}

/// Where a phase begins and ends, whatever its record says.
pub fn span(tree: &PhaseTree, id: usize) -> (u64, u64) {
    let phase = &tree.phases[id];
    let end = phase.finished.map_or(tree.duration.0, |at| at.0);
    (phase.started.0, end.max(phase.started.0))
}

/// Lays out the phases that are open between the scale's ends.
pub fn layout(
    tree: &PhaseTree,
    depths: &[usize],
    scale: &Scale,
    silences: &[Stretch],
    bounds: Bounds,
) -> Lanes {
    let shown: Vec<(usize, f64, f64)> = (0..tree.phases.len())
        .filter_map(|id| {
            let (from, to) = span(tree, id);
            // What only touches an end is not open in between.
            let inside = from < scale.to && (to > scale.from || from >= scale.from);
            let (left, right) = scale.span(from, to).filter(|_| inside)?;
            Some((id, left, right))
        })
        .collect();
    let narrowest = narrowest(&shown, bounds.bars);
    let depth_count = shown.iter().map(|&(id, ..)| depths[id].min(MAX_DEPTHS - 1) + 1).max().unwrap_or(0);
    let mut slots: Vec<Vec<f64>> = vec![Vec::new(); depth_count];
    let mut placed = Vec::new();
    let mut narrow = Vec::new();
    let mut by_start = shown;
    by_start.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    for (id, left, right) in by_start {
        let depth = depths[id];
        if right - left < narrowest || depth >= MAX_DEPTHS {
            narrow.push((id, left, right));
            continue;
        }
        let slots = &mut slots[depth];
        let free = slots.iter().position(|&end| end <= left + 0.05);
        match free {
            Some(slot) => slots[slot] = right,
            None if slots.len() < MAX_SLOTS => slots.push(right),
            None => {
                narrow.push((id, left, right));
                continue;
            }
        }
        placed.push((id, depth, free.unwrap_or(slots.len() - 1), left, right));
    }
    let mut first_of_depth = Vec::with_capacity(depth_count);
    let mut count = 0;
    for slots in &slots {
        first_of_depth.push(count);
        count += slots.len().max(1);
    }
    let mut hushes_left = MAX_HUSHES;
    let bars = placed
        .into_iter()
        .map(|(id, depth, slot, left, right)| {
            let hushes = hushes(tree, id, scale, silences, hushes_left);
            hushes_left -= hushes.len();
            Bar { phase: id as u32, lane: first_of_depth[depth] + slot, left, right, hushes }
        })
        .collect();
    let merged = narrow.len();
    let crowds = crowds(&narrow, depths, &first_of_depth, scale, bounds.column);
    Lanes { bars, crowds, merged, count, first_of_depth }
}

/// How wide a bar must be, so that there are no more than `most`.
fn narrowest(shown: &[(usize, f64, f64)], most: usize) -> f64 {
    let mut widths: Vec<f64> =
        shown.iter().map(|&(_, left, right)| right - left).filter(|&width| width >= MIN_BAR).collect();
    if widths.len() <= most {
        return MIN_BAR;
    }
    widths.sort_by(|a, b| b.total_cmp(a));
    // Strictly wider than the first that has no place any more.
    widths[most] + 1e-9
}

fn hushes(tree: &PhaseTree, id: usize, scale: &Scale, silences: &[Stretch], most: usize) -> Vec<(f64, f64)> {
    let (from, to) = span(tree, id);
    silences
        .iter()
        .filter(|silence| silence.from < to && silence.to > from)
        .filter_map(|silence| scale.span(silence.from.max(from), silence.to.min(to)))
        .filter(|(left, right)| right - left >= 3.0)
        .take(most)
        .collect()
}

fn crowds(
    narrow: &[(usize, f64, f64)],
    depths: &[usize],
    first_of_depth: &[usize],
    scale: &Scale,
    column: f64,
) -> Vec<Crowd> {
    let width = (scale.right - scale.left).max(0.0);
    let columns = (width / column).ceil().max(1.0) as usize;
    let mut filled = vec![0.0_f64; first_of_depth.len() * columns];
    for &(id, left, right) in narrow {
        let row = depths[id].min(MAX_DEPTHS - 1) * columns;
        let (left, right) = (left - scale.left, right - scale.left);
        let first = ((left / column) as usize).min(columns - 1);
        let last = ((right / column) as usize).min(columns - 1);
        for at in first..=last {
            let (from, to) = (at as f64 * column, (at + 1) as f64 * column);
            // Even a phase of no length at all leaves a trace.
            filled[row + at] += (right.min(to) - left.max(from)).max(1e-6);
        }
    }
    let mut out = Vec::new();
    for (depth, row) in filled.chunks(columns).enumerate() {
        let level = |filled: f64| match filled / column {
            share if share <= 0.0 => 0_u8,
            share if share < 1.0 / 3.0 => 1,
            share if share < 2.0 / 3.0 => 2,
            _ => 3,
        };
        let mut at = 0;
        while at < columns {
            let here = level(row[at]);
            let run = row[at..].iter().take_while(|&&filled| level(filled) == here).count();
            if here > 0 {
                let left = scale.left + at as f64 * column;
                let right = (scale.left + (at + run) as f64 * column).min(scale.right);
                out.push(Crowd { lane: first_of_depth[depth], left, right, level: here });
            }
            at += run;
        }
    }
    out
}
