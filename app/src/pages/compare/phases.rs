//! The phases side by side: the largest difference first, each with its contribution to the whole.

use acta_ledger::judge::compare::{
    phases::{Delta, PhaseRow, PhaseTable},
    why::near,
};
use leptos::prelude::*;

use super::Shown;
use crate::{
    components::{
        layout::{full_part, scroll},
        state::{State, state},
        svg::coordinate,
    },
    format::{NOTHING, count, ms_cell, number, short},
    i18n::Lang,
};

/// Phases below this share of the difference in every run are hidden, unless all are asked for.
const LEAST_SHARE: f64 = 0.01;

/// Shows the part.
pub fn part(shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let problems = shown.tree_problems();
    let (note, body) = match &shown.compared.phases {
        None => (String::new(), view! { <p>{lang.t("compare-phases-none")}</p>{problems} }.into_any()),
        Some(table) => {
            let rows: Vec<&PhaseRow> =
                table.rows.iter().filter(|row| shown.all || matters(row, &table.total_ms)).collect();
            let hidden = table.rows.len() - rows.len();
            let note = if hidden > 0 {
                lang.tr("compare-phases-hidden", [("n", hidden.into())])
            } else {
                lang.tr("compare-phases-shown", [("n", table.phases.into())])
            };
            let body = view! {
                <p class="small quiet">{lang.t("compare-phases-note")}</p>
                {phase_table(&rows, table, shown)}{problems}
            };
            (note, body.into_any())
        }
    };
    full_part("h-phases", lang.t("compare-phases"), note, body)
}

/// Whether a phase is worth a row: it is new, missing, or a part of the difference.
fn matters(row: &PhaseRow, total_ms: &[Option<f64>]) -> bool {
    // Where there is no difference to have a share in, a phase counts by its part of the build call.
    let share = |(delta, total): (&Option<Delta>, &Option<f64>)| {
        let part = |delta: &Delta| delta.own_ms / total.unwrap_or(f64::INFINITY);
        delta.as_ref().map_or(0.0, |it| it.contribution.unwrap_or_else(|| part(it)).abs())
    };
    let runs = 1..row.runs.len();
    row.deltas.iter().zip(total_ms).any(|it| share(it) >= LEAST_SHARE)
        || runs.into_iter().any(|run| row.is_new(run) || row.is_missing(run))
}

fn phase_table(rows: &[&PhaseRow], table: &PhaseTable, shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let names = shown.names();
    let groups = names.iter().enumerate().map(|(run, name)| {
        let columns = if run == 0 { "1" } else { "3" };
        view! { <th scope="colgroup" colspan=columns class="n">{name.clone()}</th> }
    });
    let heads = (0..names.len()).map(|run| {
        let own = view! { <th scope="col" class="n">{lang.t("compare-head-own")}" "<span class="unit">"ms"</span></th> };
        let rest = (run > 0).then(|| {
            view! {
                <th scope="col" class="n">{lang.t("compare-head-delta")}" "<span class="unit">"ms"</span></th>
                <th scope="col" class="n">{lang.t("compare-head-share")}" "<span class="unit">"%"</span></th>
            }
        });
        view! { {own}{rest} }
    });
    let body = rows.iter().map(|row| phase_row(row, shown));
    let table = view! {
        <table class="dense side-by-side">
            <caption class="vh">{lang.t("compare-phases")}</caption>
            <thead>
                <tr><td class="stick"></td>{groups.collect_view()}</tr>
                <tr><th scope="col" class="stick">{lang.t("phase-head-name")}</th>{heads.collect_view()}</tr>
            </thead>
            <tbody>{body.collect_view()}{folded(table, lang)}{total(table, lang)}</tbody>
        </table>
    };
    scroll(&lang.t("compare-phases"), lang, table.into_any())
}

fn phase_row(row: &PhaseRow, shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let cells = row.runs.iter().enumerate().map(|(run, phase)| {
        let own = phase.map_or_else(
            || NOTHING.into_any(),
            |phase| {
                let ms = ms_cell(phase.own_ms, lang);
                match shown.phase_href(run, phase.id).filter(|_| !row.path.is_empty()) {
                    Some(href) => view! { <a href=href>{ms}</a> }.into_any(),
                    None => ms.into_any(),
                }
            },
        );
        let word = if row.is_new(run) {
            Some(state(State::Attention, lang.t("compare-phase-new")))
        } else if row.is_missing(run) {
            Some(state(State::Neutral, lang.t("compare-phase-missing")))
        } else {
            None
        };
        let word = word.map(|word| view! { <span class="sub">{word}</span> });
        view! { <td class="n">{own}{word}</td>{(run > 0).then(|| delta(row.deltas[run], lang))} }
    });
    view! { <tr><th scope="row" class="stick">{name(row, lang)}</th>{cells.collect_view()}</tr> }.into_any()
}

/// The phase's own name, and above what it stands.
fn name(row: &PhaseRow, lang: Lang) -> AnyView {
    let Some((last, above)) = row.path.split_last() else {
        return lang.t("compare-outside").into_any();
    };
    let again = (last.occurrence > 0).then(|| {
        let values = [("n", count(u64::from(last.occurrence) + 1, lang).into())];
        view! { " "<span class="quiet">{lang.tr("phase-occurrence", values)}</span> }
    });
    let above: Vec<String> = above
        .iter()
        .map(|step| match step.occurrence {
            0 => step.name.clone(),
            n => format!("{} ({})", step.name, n + 1),
        })
        .collect();
    let above = (!above.is_empty())
        .then(|| view! { <span class="sub"><bdi>{short(&above.join(" > "), 160)}</bdi></span> });
    view! { <bdi>{short(&last.name, 120)}</bdi>{again}{above} }.into_any()
}

/// A difference and its share, with a bar from the middle: more to the right, less to the left.
fn delta(delta: Option<Delta>, lang: Lang) -> AnyView {
    let Some(delta) = delta else {
        return view! { <td class="n">{NOTHING}</td><td class="n">{NOTHING}</td> }.into_any();
    };
    let sign = if delta.own_ms < 0.0 { "−" } else { "+" };
    let ms = format!("{sign}{}", ms_cell(delta.own_ms.abs(), lang));
    let share = delta.contribution;
    let percent = share.map_or_else(|| NOTHING.to_owned(), |share| number(share * 100.0, 0, lang));
    let bar = share.map(|share| {
        let width = (share.abs() * 100.0).clamp(1.0, 100.0);
        let (class, x) = if share < 0.0 { ("less", 100.0 - width) } else { ("more", 100.0) };
        view! {
            <svg class="share" viewBox="0 0 200 8" preserveAspectRatio="none" aria-hidden="true">
                <path class="zero" d="M100 0v8"></path>
                <rect class=class x=coordinate(x) width=coordinate(width) height="8"></rect>
            </svg>
        }
    });
    view! { <td class="n">{ms}</td><td class="n">{percent}{bar}</td> }.into_any()
}

/// The phases that are not listed.
fn folded(table: &PhaseTable, lang: Lang) -> AnyView {
    if table.folded.iter().all(Option::is_none) {
        return ().into_any();
    }
    let hidden = (table.phases + 1).saturating_sub(table.rows.len());
    let cells = table.folded.iter().enumerate().map(|(run, sum)| {
        view! { <td class="n">{NOTHING}</td>{(run > 0).then(|| delta(*sum, lang))} }
    });
    let values = [("n", hidden.into()), ("shown", count(hidden as u64, lang).into())];
    view! {
        <tr class="past">
            <th scope="row" class="stick">{lang.tr("compare-phases-folded", values)}</th>{cells.collect_view()}
        </tr>
    }
    .into_any()
}

/// The build calls as a whole.
fn total(table: &PhaseTable, lang: Lang) -> AnyView {
    let cells = table.total_ms.iter().enumerate().map(|(run, total)| {
        let shown = total.map_or_else(|| NOTHING.to_owned(), |ms| ms_cell(ms, lang));
        let by = (*total).zip(table.total_ms[0]).map(|(this, first)| Delta {
            own_ms: this - first,
            contribution: (!near(first, this)).then_some(1.0),
        });
        view! { <td class="n">{shown}</td>{(run > 0).then(|| delta(by, lang))} }
    });
    view! {
        <tr class="total"><th scope="row" class="stick">{lang.t("compare-total")}</th>{cells.collect_view()}</tr>
    }
    .into_any()
}
