//! Names of bars: inside where they fit, beside where there is room, else at the end of a leader in a free lane below.

use acta_ledger::evidence::{number::ms, phase_tree::PhaseTree};

use super::{
    canvas::Canvas,
    lanes::{Bar, Lanes, span},
};
use crate::{components::svg::text_width, format, i18n::Lang};

/// The narrowest bar that carries a cut name.
const CUT: f64 = 56.0;

/// Leaders at most.
const LEADERS: usize = 6;

/// What decides over names.
pub struct Naming<'a> {
    /// The size.
    pub canvas: &'a Canvas,
    /// The language.
    pub lang: Lang,
    /// The phases.
    pub tree: &'a PhaseTree,
    /// Whether this is a lens: bars say their duration there, in the whole picture their steps.
    pub enlarged: bool,
    /// What to say of the merged phases.
    pub merged: Option<String>,
    /// Rows below the lanes that leaders may use.
    pub rows: usize,
}

/// A bar's name inside or beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// The bar.
    pub bar: usize,
    /// The text.
    pub text: String,
    /// Where it begins.
    pub x: f64,
    /// How wide it is.
    pub width: f64,
    /// Whether it stands beside the bar.
    pub beside: bool,
}

/// A name at the end of a leader.
#[derive(Debug, Clone, PartialEq)]
pub struct Leader {
    /// The lane it comes from.
    pub from: usize,
    /// The lane (or row below) in which the name stands; the same lane where it stands beside.
    pub to: usize,
    /// Where the leader goes down.
    pub x: f64,
    /// Whether the name stands to the left.
    pub left: bool,
    /// Where the name begins, or ends if it stands to the left.
    pub text_x: f64,
    /// The text.
    pub text: String,
}

/// What is taken already: stretches by lane.
struct Taken(Vec<Vec<(f64, f64)>>);

impl Taken {
    fn free(&self, lane: usize, left: f64, right: f64) -> bool {
        self.0.get(lane).is_some_and(|taken| taken.iter().all(|&(from, to)| right < from || left > to))
    }
}

/// Places names, the widest bars first.
pub fn names(lanes: &Lanes, naming: &Naming<'_>) -> (Vec<Name>, Vec<Leader>) {
    let mut taken = Taken(vec![Vec::new(); lanes.count + naming.rows]);
    for bar in &lanes.bars {
        taken.0[bar.lane].push((bar.left, bar.right));
    }
    for crowd in &lanes.crowds {
        taken.0[crowd.lane].push((crowd.left, crowd.right));
    }
    let mut order: Vec<usize> = (0..lanes.bars.len()).collect();
    let width = |index: usize| lanes.bars[index].right - lanes.bars[index].left;
    order.sort_by(|&a, &b| width(b).total_cmp(&width(a)).then(a.cmp(&b)));
    let mut placed = Vec::new();
    let mut unnamed = Vec::new();
    for index in order {
        if placed.len() >= naming.canvas.names {
            break;
        }
        match place(index, &lanes.bars[index], naming, &taken) {
            Some(name) => {
                taken.0[lanes.bars[index].lane].push((name.x, name.x + name.width));
                placed.push(name);
            }
            None => unnamed.push(index),
        }
    }
    let mut leaders = Vec::new();
    leaders.extend(naming.merged.clone().and_then(|text| lead_crowd(lanes, text, &mut taken, naming)));
    if naming.enlarged {
        for index in unnamed.into_iter().take(LEADERS) {
            let bar = &lanes.bars[index];
            let x = bar.left + 4.0_f64.min((bar.right - bar.left) / 2.0);
            let text = texts(naming, bar.phase).swap_remove(0);
            leaders.extend(lead(bar.lane, x, text, &mut taken, naming));
        }
    }
    (placed, leaders)
}

fn place(index: usize, bar: &Bar, naming: &Naming<'_>, taken: &Taken) -> Option<Name> {
    let texts = texts(naming, bar.phase);
    let room = bar.right - bar.left;
    let name = |text: &str, x: f64, beside: bool| Name {
        bar: index,
        text: text.to_owned(),
        x,
        width: text_width(text),
        beside,
    };
    let fits_inside = |text: &str| text_width(text) + 14.0 <= room;
    if let Some(text) = texts.iter().find(|text| fits_inside(text)) {
        return Some(name(text, bar.left + 6.0, false));
    }
    let x = bar.right + 6.0;
    let fits_beside = |text: &&String| {
        let end = x + text_width(text);
        end <= naming.canvas.width - 10.0 && taken.free(bar.lane, x - 4.0, end + 4.0)
    };
    if let Some(text) = texts.iter().find(fits_beside) {
        return Some(name(text, x, true));
    }
    // In a lens a leader says it whole.
    if naming.enlarged || room < CUT {
        return None;
    }
    let whole = texts.last()?;
    let cut = (8..whole.chars().count()).rev().map(|most| format::short(whole, most));
    cut.into_iter().find(|text| fits_inside(text)).map(|text| name(&text, bar.left + 6.0, false))
}

/// Says what the merged phases are: beside the lowest crowd where there is room, else below it.
fn lead_crowd(lanes: &Lanes, text: String, taken: &mut Taken, naming: &Naming<'_>) -> Option<Leader> {
    let crowd = lanes.crowds.iter().max_by_key(|crowd| crowd.lane)?;
    let (from, end) = (crowd.right + 16.0, crowd.right + 16.0 + text_width(&text));
    if end <= naming.canvas.width - 10.0 && taken.free(crowd.lane, crowd.right + 1.0, end + 4.0) {
        taken.0[crowd.lane].push((crowd.right, end));
        let (lane, x) = (crowd.lane, crowd.right + 4.0);
        return Some(Leader { from: lane, to: lane, x, left: false, text_x: from, text });
    }
    lead(crowd.lane, (crowd.left + crowd.right) / 2.0, text, taken, naming)
}

/// Finds a free stretch in the lanes below for a text, reached by a line that crosses nothing.
fn lead(lane: usize, x: f64, text: String, taken: &mut Taken, naming: &Naming<'_>) -> Option<Leader> {
    let width = text_width(&text);
    for to in lane + 1..taken.0.len() {
        let right = ((x + 12.0, x + 12.0 + width), false);
        let left = ((x - 12.0 - width, x - 12.0), true);
        let side = [right, left].into_iter().find(|&((from, end), _)| {
            let inside = from >= 8.0 && end <= naming.canvas.width - 10.0;
            inside && taken.free(to, from.min(x) - 6.0, end.max(x) + 6.0)
        });
        if let Some(((from, end), left)) = side {
            taken.0[to].push((from.min(x), end.max(x)));
            (lane + 1..to).for_each(|lane| taken.0[lane].push((x - 1.0, x + 1.0)));
            return Some(Leader { from: lane, to, x, left, text_x: if left { end } else { from }, text });
        }
        if !taken.free(to, x - 3.0, x + 3.0) {
            return None;
        }
    }
    None
}

/// What a bar can say, the longest first.
fn texts(naming: &Naming<'_>, phase: u32) -> Vec<String> {
    let (lang, phase) = (naming.lang, &naming.tree.phases[phase as usize]);
    let name = format::short(&phase.name, 60);
    let (from, to) = span(naming.tree, phase.id as usize);
    let details = if naming.enlarged {
        format::seconds(ms(to - from), lang)
    } else {
        let steps = [
            ("done", format::count(phase.steps_completed, lang).into()),
            ("all", format::count(phase.steps_announced.max(0) as u64, lang).into()),
        ];
        lang.tr("timeline-steps", steps)
    };
    let mut texts = vec![format!("{name}, {details}"), name];
    if phase.answered_stop {
        texts.insert(0, format!("{}, {}", texts[0], lang.t("timeline-answered-stop")));
    }
    texts
}
