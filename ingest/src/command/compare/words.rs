//! A comparison in words.

use acta_ledger::{
    evidence::code,
    judge::{
        comparability::Ground,
        compare::{
            Compared,
            fact::{Difference, Fact},
            phases::PathStep,
            section::{Row, Section, SectionRows},
            why::{Cause, What, Why},
        },
    },
};

use crate::{
    format::{bytes, signed_time, time, words},
    table::{self, Column, Fit},
    ui::{Ui, visible_line},
};

/// How runs are called beside each other.
const LETTERS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];

/// How many causes of a difference are named.
const MOST_CAUSES: usize = 8;

/// The verdict, the runs, what differs, and why the times do.
pub fn lines(compared: &Compared, all: bool, ui: Ui) -> Vec<String> {
    let mut lines = verdict(compared, ui);
    lines.push(String::new());
    lines.extend(runs(compared));
    for rows in &compared.sections {
        lines.extend(section(rows, compared.runs.len(), all));
    }
    for why in compared.why.iter().filter(|why| why.comparability.comparable) {
        lines.extend(causes(why));
    }
    lines
}

fn verdict(compared: &Compared, ui: Ui) -> Vec<String> {
    if compared.comparability.comparable {
        let mut lines = vec![ui.paint("comparable", 32)];
        lines.extend(compared.why.iter().filter_map(beside));
        return lines;
    }
    let mut lines = vec![format!("{}: the times are not ranked", ui.paint("not comparable", 33))];
    lines.extend(compared.comparability.because.iter().map(|objection| {
        let values = objection.values.iter().zip(LETTERS);
        let values: Vec<String> = values
            .map(|(value, letter)| match objection.ground {
                Ground::Network => format!("{letter} {}", value.get(..12).unwrap_or(value)),
                _ => format!("{letter} {}", words(value)),
            })
            .collect();
        visible_line(&format!("  {}: {}", ground(objection.ground), values.join(", ")))
    }));
    lines
}

fn ground(ground: Ground) -> &'static str {
    match ground {
        Ground::Real => "a simulated builder makes its times up",
        Ground::Completed => "not every run ended undisturbed",
        Ground::Network => "the networks differ",
        Ground::GpuSku => "the GPUs differ",
        Ground::TensorrtVersion => "the TensorRT versions differ",
        Ground::Builder => "the builders differ",
        Ground::Cache => "the timing caches began in different states",
    }
}

/// The letter of a run. A server may speak of one that nobody asked for.
fn letter(why: &Why) -> &'static str {
    LETTERS.get(why.run).copied().unwrap_or("?")
}

/// How a run's time stands to the first's.
fn beside(why: &Why) -> Option<String> {
    let (by, letter) = (why.by_ms?, letter(why));
    if why.is_near() {
        return Some(format!("  {letter} took as long as A ({}, below 1 %)", signed_time(by)));
    }
    let than = if by > 0.0 { "longer" } else { "less" };
    let times = why.ratio.map_or_else(String::new, |ratio| format!(" ({ratio:.2} times)"));
    Some(format!("  {letter} took {} {than} than A{times}", time(by.abs())))
}

fn runs(compared: &Compared) -> Vec<String> {
    const COLUMNS: [Column; 6] = [
        Column::text("", Fit::Keep),
        Column::text("RUN", Fit::Keep),
        Column::text("OUTCOME", Fit::Cut),
        Column::number("TOTAL", Fit::Keep),
        Column::text("NETWORK", Fit::Cut),
        Column::text("ROUTE", Fit::Drop),
    ];
    let rows: Vec<Vec<String>> = compared
        .runs
        .iter()
        .zip(LETTERS)
        .map(|(run, letter)| {
            vec![
                letter.to_owned(),
                run.run.to_string(),
                words(&code(&run.outcome)),
                time(run.total_ms),
                run.network.clone(),
                run.route.clone().unwrap_or_default(),
            ]
        })
        .collect();
    table::lines(&COLUMNS, &rows, table::terminal_width())
}

fn name(section: Section) -> &'static str {
    match section {
        Section::Inputs => "inputs",
        Section::Environment => "environment",
        Section::Settings => "settings",
        Section::Cache => "timing cache",
        Section::Phases => "durations and resources",
        Section::Cancel => "cancel and cleanup",
        Section::Artifacts => "artifacts",
        Section::Validation => "outcome and validation",
    }
}

fn section(rows: &SectionRows, runs: usize, all: bool) -> Vec<String> {
    let shown: Vec<&Row> = rows.rows.iter().filter(|row| all || row.differs()).collect();
    let head = match (rows.equal, all) {
        (0, _) => name(rows.section).to_owned(),
        (equal, true) => format!("{} ({equal} equal)", name(rows.section)),
        (equal, false) => format!("{} ({equal} equal, hidden)", name(rows.section)),
    };
    if shown.is_empty() {
        return vec![String::new(), format!("{head}: no difference")];
    }
    let columns: Vec<Column> = [Column::text("FACT", Fit::Cut)]
        .into_iter()
        .chain(LETTERS.iter().take(runs).map(|letter| Column::text(letter, Fit::Cut)))
        .collect();
    let cells: Vec<Vec<String>> = shown
        .iter()
        .map(|row| {
            let values =
                row.values.iter().zip(&row.differences).map(|(value, it)| cell(value.as_ref(), it.as_ref()));
            [row.name.clone()].into_iter().chain(values).collect()
        })
        .collect();
    let width = table::terminal_width().map(|width| width.saturating_sub(2));
    let table = table::lines(&columns, &cells, width);
    [String::new(), head].into_iter().chain(table.into_iter().map(|line| format!("  {line}"))).collect()
}

/// A fact, with how far it is from the baseline's where that is an amount.
fn cell(value: Option<&Fact>, difference: Option<&Difference>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    let by = match (value, difference) {
        (Fact::DurationMs(_), Some(Difference::Amount { by, .. })) => format!(" ({})", signed_time(*by)),
        (_, Some(Difference::Amount { ratio: Some(ratio), .. })) => format!(" ({ratio:.2} times)"),
        _ => String::new(),
    };
    format!("{}{by}", fact(value))
}

fn fact(fact: &Fact) -> String {
    match fact {
        Fact::Code(text) | Fact::Text(text) | Fact::Version(text) => text.clone(),
        Fact::Digest(digest) => digest.short(),
        Fact::DurationMs(ms) => time(*ms),
        Fact::LongerThanMs(ms) => format!("> {}", time(*ms)),
        Fact::Bytes(length) => bytes(length.0),
        Fact::Count(count) => count.0.to_string(),
        Fact::Flag(flag) => (if *flag { "yes" } else { "no" }).to_owned(),
        Fact::Set(items) => items.iter().cloned().collect::<Vec<_>>().join(" "),
        Fact::Json(value) => value.to_string(),
    }
}

fn causes(why: &Why) -> Vec<String> {
    let letter = letter(why);
    if why.causes.is_empty() {
        return vec![String::new(), format!("why {letter} differs from A: nothing that was measured")];
    }
    let named = why.causes.iter().take(MOST_CAUSES).map(|it| visible_line(&format!("  {}", cause(it))));
    let mut lines = vec![String::new(), format!("why {letter} differs from A")];
    lines.extend(named);
    if why.causes.len() > MOST_CAUSES {
        lines.push(format!("  and {} more: --json", why.causes.len() - MOST_CAUSES));
    }
    lines
}

fn cause(cause: &Cause) -> String {
    let side = |value: &Option<Fact>| value.as_ref().map_or_else(|| "-".to_owned(), fact);
    match &cause.what {
        What::Differs { row, before, after, .. } => format!("{row}: {} -> {}", side(before), side(after)),
        What::Phase { path, by_ms, share, .. } if path.is_empty() => {
            took("outside of all phases", *by_ms, *share)
        }
        What::Phase { path, by_ms, share, .. } => took(&phase(path), *by_ms, *share),
        What::Segment { segment, by_ms, share } => took(&words(&code(segment)), *by_ms, *share),
    }
}

fn phase(path: &[PathStep]) -> String {
    path.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(" > ")
}

fn took(what: &str, by_ms: f64, share: Option<f64>) -> String {
    let share = match share {
        None => String::new(),
        Some(share) if share > 1.0 => ", more than the whole difference".to_owned(),
        Some(share) if share < 0.0 => ", against the difference".to_owned(),
        Some(share) => format!(", {:.0} % of the difference", share * 100.0),
    };
    format!("{} {what}{share}", signed_time(by_ms))
}
