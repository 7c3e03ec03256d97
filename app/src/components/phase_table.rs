//! The phases as a table: the authority behind the picture. A large tree shows the phases with the most own time and
//! folds the others into a row of their parent.

mod rows;

use acta_ledger::{
    evidence::{
        number::ms,
        phase_tree::{Phase, PhaseState, PhaseTree},
    },
    judge::{own_time::own_times, silence::share},
};
use leptos::prelude::*;
pub use rows::{MOST_ROWS, Row, rows};

use super::{
    layout::scroll,
    state::{State, state},
    timeline::{depths, span},
};
use crate::{
    format::{count, ms_cell, number, seconds, short},
    i18n::Lang,
};

/// A tree with everything that both the table and the picture ask of it.
pub struct PhaseRows {
    rows: Vec<Row>,
    depths: Vec<usize>,
}

impl PhaseRows {
    /// Decides which phases have a row.
    pub fn new(tree: &PhaseTree) -> Self {
        Self { rows: rows(tree, &own_times(tree), MOST_ROWS), depths: depths(tree) }
    }

    /// The ids of the phases that have a row.
    pub fn shown(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().filter_map(|row| match row {
            Row::Phase(id) => Some(*id),
            Row::Folded { .. } => None,
        })
    }
}

/// Shows the table.
pub fn phase_table(tree: &PhaseTree, phases: &PhaseRows, json: String, lang: Lang) -> AnyView {
    let rows = phases.rows.iter().map(|row| match *row {
        Row::Phase(id) => phase_row(tree, id, phases.depths[id as usize], lang),
        Row::Folded { depth, phases, own_ns } => folded_row(depth, phases, own_ns, lang),
    });
    let caption = lang.t("phases-caption");
    let head = [
        ("", "phase-head-duration", "ms"),
        ("share-head", "phase-head-share", "%"),
        ("", "phase-head-silence", "ms"),
        ("", "phase-head-start", "ms"),
        ("", "phase-head-steps", ""),
    ]
    .map(|(class, key, unit)| {
        let unit = (!unit.is_empty()).then(|| view! { " "<span class="unit">{unit}</span> });
        view! { <th scope="col" class=format!("n {class}").trim().to_owned()>{lang.t(key)}{unit}</th> }
    });
    let table = view! {
        <table>
            <caption>{caption}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("phase-head-name")}</th>
                {head.collect_view()}
                <th scope="col">{lang.t("phase-head-state")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let shown = phases.shown().count();
    let folded = (shown < tree.phases.len()).then(|| {
        let values = [
            ("shown", count(shown as u64, lang).into()),
            ("hidden", count((tree.phases.len() - shown) as u64, lang).into()),
        ];
        view! {
            <p class="small quiet">
                {lang.tr("phases-folded", values)}" "<a href=json>{lang.t("phases-all-json")}</a>
            </p>
        }
    });
    let early = tree.phases.iter().any(|phase| phase.state == PhaseState::FinishedEarly);
    let early = early.then(|| view! { <p class="small quiet">{lang.t("phases-early")}</p> });
    view! { {scroll(&lang.t("section-phases"), lang, table.into_any())}{folded}{early} }.into_any()
}

fn depth_class(depth: usize) -> String {
    if depth == 0 { String::new() } else { format!("d{}", depth.min(5)) }
}

fn phase_row(tree: &PhaseTree, id: u32, depth: usize, lang: Lang) -> AnyView {
    let phase = &tree.phases[id as usize];
    let (from, to) = span(tree, id as usize);
    let part = share((to - from) as f64, tree.duration.0 as f64);
    let percent =
        part.map_or_else(|| crate::format::NOTHING.to_owned(), |part| number(part * 100.0, 1, lang));
    let width = part.map_or(0.0, |part| (part * 100.0).max(0.6));
    let bar = view! {
        <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect class="fill" width=super::svg::coordinate(width) height="8"></rect>
        </svg>
    };
    let again = (phase.occurrence > 0).then(|| {
        let values = [("n", count(u64::from(phase.occurrence) + 1, lang).into())];
        view! { " "<span class="quiet">{lang.tr("phase-occurrence", values)}</span> }
    });
    let steps = format!(
        "{} / {}",
        count(phase.steps_completed, lang),
        count(phase.steps_announced.max(0) as u64, lang)
    );
    view! {
        <tr id=format!("phase-{id}")>
            <th scope="row" class="stick">
                <span class=depth_class(depth)><bdi>{short(&phase.name, 256)}</bdi>{again}</span>
            </th>
            <td class="n">{ms_cell(ms(to - from), lang)}</td>
            <td class="n">{percent}{bar}</td>
            <td class="n">{ms_cell(ms(phase.longest_silence.0), lang)}</td>
            <td class="n">{ms_cell(ms(phase.started.0), lang)}</td>
            <td class="n">{steps}</td>
            <td>{phase_state(phase, lang)}</td>
        </tr>
    }
    .into_any()
}

fn folded_row(depth: usize, phases: usize, own_ns: u64, lang: Lang) -> AnyView {
    let values = [
        ("n", phases.into()),
        ("shown", count(phases as u64, lang).into()),
        ("duration", seconds(ms(own_ns), lang).into()),
    ];
    view! {
        <tr class="past">
            <th scope="row" class="stick" colspan="7">
                <span class=depth_class(depth)>{lang.tr("phases-folded-row", values)}</span>
            </th>
        </tr>
    }
    .into_any()
}

fn phase_state(phase: &Phase, lang: Lang) -> AnyView {
    if phase.answered_stop {
        return state(State::Attention, lang.t("phase-state-answered-stop")).into_any();
    }
    let word = lang.code_text("phase-state", &acta_ledger::evidence::code(&phase.state));
    match phase.state {
        // Ordinary rows stay plain: a column of green says nothing.
        PhaseState::Finished => word.into_any(),
        PhaseState::FinishedEarly | PhaseState::Running => state(State::Neutral, word).into_any(),
        PhaseState::Interrupted => state(State::Attention, word).into_any(),
        PhaseState::OpenAtCrash => state(State::Bad, word).into_any(),
    }
}
