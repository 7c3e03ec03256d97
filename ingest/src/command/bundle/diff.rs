//! `acta bundle diff`

use std::path::PathBuf;

use acta_ledger::evidence::{
    bundle::{BundleDiff, SectionDifference, Verdict, diff},
    number::Count64,
};
use clap::Args;
use serde_json::Value;

use super::reading;
use crate::{
    error::{Exit, Result},
    gate::short,
    outbox,
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
Exit code 0 if both could be compared, whether they differ or not; 1 if one of them breaks a rule of the
format: what is said of its sections is then not all there is.

Examples:
  acta bundle diff old.bundle new.bundle
  acta bundle diff old.bundle new.bundle --json | jq '.sections[].name'";

/// Compares two bundles.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Diff {
    /// The first bundle.
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,

    /// The second bundle.
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Diff {
    /// Runs the command.
    pub fn run(&self, ui: Ui) -> Result<Exit> {
        let before = reading::read("BEFORE", &self.before, ui)?;
        let after = reading::read("AFTER", &self.after, ui)?;
        let difference = diff(&before, &after);
        if self.json {
            ui.result(&outbox::to_text(&difference)?);
        } else {
            ui.result(&table(&difference));
        }
        let mut exit = Exit::Completed;
        for (inspection, path) in [(&before, &self.before), (&after, &self.after)] {
            if inspection.verdict == Verdict::Invalid {
                for error in &inspection.errors {
                    ui.error(&format!("{}: {}: {}", path.display(), error.rule.code(), error.text));
                }
                exit = Exit::Failure;
            }
        }
        Ok(exit)
    }
}

/// The differences as a person reads them.
fn table(difference: &BundleDiff) -> String {
    if difference.same {
        return format!("the same file: sha256:{}", difference.before);
    }
    let mut lines = vec![
        format!("before      sha256:{}", difference.before),
        format!("after       sha256:{}", difference.after),
    ];
    if let Some((before, after)) = &difference.dialect {
        let name = |dialect: &Option<_>| dialect.map_or("unreadable".to_owned(), |it| format!("{it:?}"));
        lines.push(format!("dialect     {} -> {}", name(before), name(after)));
    }
    if let Some((before, after)) = &difference.class {
        let name =
            |class: &Option<_>| class.as_ref().map_or("unreadable".to_owned(), acta_ledger::evidence::code);
        lines.push(format!("class       {} -> {}", name(before), name(after)));
    }
    let side = |value: &Option<Value>| value.as_ref().map_or_else(|| "absent".to_owned(), short);
    lines.extend(difference.header.iter().map(|change| {
        format!(
            "header      {}: {} -> {}",
            visible_line(&change.key),
            side(&change.before),
            side(&change.after)
        )
    }));
    let bytes = |bytes: Option<Count64>| bytes.map_or_else(|| "?".to_owned(), |bytes| bytes.0.to_string());
    lines.extend(difference.sections.iter().map(|change| {
        let name = short(&change.name.clone().into());
        match change.difference {
            SectionDifference::Added => format!("added       {name}: {} bytes", bytes(change.bytes_after)),
            SectionDifference::Removed => {
                format!("removed     {name}: {} bytes", bytes(change.bytes_before))
            }
            SectionDifference::Changed => {
                let (before, after) = (bytes(change.bytes_before), bytes(change.bytes_after));
                format!("changed     {name}: {before} -> {after} bytes")
            }
            SectionDifference::Unknown => format!("unknown     {name}: one of the two cannot be hashed"),
        }
    }));
    lines.push(format!("equal       {} sections, byte for byte", difference.equal_sections));
    lines.join("\n")
}
