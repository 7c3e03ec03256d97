//! The facts, section by section: a row a fact, a column a run.

use acta_ledger::{
    evidence::code,
    judge::compare::section::{Row, SectionRows},
};
use leptos::prelude::*;

use super::{
    Shown,
    value::{difference, fact},
};
use crate::{
    components::layout::{full_part, scroll},
    format::short,
    i18n::Lang,
};

/// Shows the sections; of those without a difference only that they have none.
pub fn parts(shown: &Shown<'_>) -> AnyView {
    let sections = shown.compared.sections.iter().map(|section| part(section, shown));
    sections.collect_view().into_any()
}

fn part(section: &SectionRows, shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let title = lang.code_text("compare-section", &code(&section.section));
    let rows: Vec<&Row> = section.rows.iter().filter(|row| shown.all || row.differs()).collect();
    let note = if shown.all {
        lang.tr("compare-all-shown", [("n", section.rows.len().into())])
    } else {
        lang.tr("compare-hidden", [("n", section.equal.into())])
    };
    let body = if rows.is_empty() {
        view! { <p>{lang.t("compare-section-equal")}</p> }.into_any()
    } else {
        table(&title, &rows, shown, lang)
    };
    full_part(id(section), title, note, body)
}

/// The anchor of a section, which explanations lead to.
pub fn id(section: &SectionRows) -> &'static str {
    use acta_ledger::judge::compare::section::Section;
    match section.section {
        Section::Inputs => "h-inputs",
        Section::Environment => "h-environment",
        Section::Settings => "h-settings",
        Section::Cache => "h-cache",
        Section::Phases => "h-durations",
        Section::Cancel => "h-cancel",
        Section::Artifacts => "h-artifacts",
        Section::Validation => "h-validation",
    }
}

fn table(title: &str, rows: &[&Row], shown: &Shown<'_>, lang: Lang) -> AnyView {
    let body = rows.iter().map(|row| {
        let cells = row.values.iter().zip(&row.differences).map(|(value, differs)| {
            let differs = differs.as_ref().map(|it| {
                // Of what only the baseline says, the unit is the baseline's.
                let of = value.as_ref().or(row.values[0].as_ref());
                view! { <div class="sub differs">{difference(it, of, lang)}</div> }
            });
            view! { <td>{fact(value.as_ref(), lang)}{differs}</td> }
        });
        view! {
            <tr><th scope="row" class="stick"><code>{short(&row.name, 120)}</code></th>{cells.collect_view()}</tr>
        }
    });
    let table = view! {
        <table class="side-by-side">
            <caption class="vh">{title.to_owned()}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("compare-head-fact")}</th>
                {shown.heads()}
            </tr></thead>
            <tbody>{body.collect_view()}</tbody>
        </table>
    };
    scroll(title, lang, table.into_any())
}
