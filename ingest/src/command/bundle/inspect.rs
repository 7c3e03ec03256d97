//! `acta bundle inspect`

use std::path::PathBuf;

use acta_ledger::evidence::bundle::{Inspection, Level, SectionRole, Verdict};
use clap::Args;

use super::reading;
use crate::{
    error::{Exit, Result},
    gate::short,
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
The file and every section are hashed in one pass, with memory that does not follow the file's length. What
the header says is only what the bundle states of itself.

Exit code 0 if every rule of the format holds (there may be findings), 1 if one is broken: its name is
printed.

Examples:
  acta bundle inspect model.bundle
  acta bundle inspect model.bundle --json | jq -r '.errors[].rule'";

/// How many sections the table shows; JSON holds them all.
const MAX_SHOWN: usize = 64;

/// Reads a bundle and holds it to every rule of the format.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Inspect {
    /// The bundle.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Inspect {
    /// Runs the command.
    pub fn run(&self, ui: Ui) -> Result<Exit> {
        let inspection = reading::read("FILE", &self.file, ui)?;
        if self.json {
            ui.result(&crate::outbox::to_text(&inspection)?);
        } else {
            ui.result(&table(&inspection, ui));
        }
        Ok(match inspection.verdict {
            Verdict::Valid => Exit::Completed,
            Verdict::Invalid => {
                for error in &inspection.errors {
                    ui.error(&format!("{}: {}", error.rule.code(), error.text));
                }
                Exit::Failure
            }
        })
    }
}

/// The inspection as a person reads it.
fn table(inspection: &Inspection, ui: Ui) -> String {
    let mut lines = vec![
        format!("digest      sha256:{}", inspection.digest),
        format!("bytes       {}", inspection.bytes.0),
        format!("verdict     {}", verdict(inspection, ui)),
    ];
    if let (Some(dialect), Some(class)) = (inspection.dialect, inspection.class) {
        let class = acta_ledger::evidence::code(&class);
        lines.push(format!("dialect     {dialect:?}, {class}"));
    }
    if !inspection.header.is_empty() {
        lines.push("header (stated by the bundle)".to_owned());
        let keys: Vec<String> = inspection.header.keys().map(|key| short(&key.clone().into())).collect();
        let widest = keys.iter().map(|key| key.chars().count()).max().unwrap_or(0);
        let values = inspection.header.values();
        lines
            .extend(keys.iter().zip(values).map(|(key, value)| format!("  {key:widest$}  {}", short(value))));
    }
    if let Some(runtime) = &inspection.optimized {
        lines.push(format!(
            "runtime     {} for {} (stated by the bundle)",
            visible_line(&runtime.implementation_id),
            visible_line(&runtime.model_id)
        ));
    }
    if let Some(slot) = &inspection.kernel_slot {
        let (id, abi) = (visible_line(&slot.id), slot.abi_sha256);
        lines.push(format!("kernel      slot {id}, interface {abi} (stated by the bundle)"));
    }
    lines.extend(sections(inspection));
    for finding in &inspection.findings {
        let level = match finding.level {
            Level::Note => "note",
            Level::Attention => "attention",
            Level::High => "high",
        };
        lines.push(format!("{level:11} {}: {}", finding.finding.code(), finding.text));
    }
    if inspection.left_out > 0 {
        lines.push(format!("            {} more were counted and not kept", inspection.left_out));
    }
    lines.join("\n")
}

fn verdict(inspection: &Inspection, ui: Ui) -> String {
    match (inspection.verdict, inspection.clean) {
        (Verdict::Valid, true) => ui.paint("valid, clean", 32),
        (Verdict::Valid, false) => ui.paint("valid, somebody should look at the findings", 33),
        (Verdict::Invalid, _) => ui.paint("invalid", 31),
    }
}

fn sections(inspection: &Inspection) -> Vec<String> {
    if inspection.sections.is_empty() {
        return Vec::new();
    }
    let shown = &inspection.sections[..inspection.sections.len().min(MAX_SHOWN)];
    let names: Vec<String> = shown.iter().map(|section| short(&section.name.clone().into())).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut lines = vec![format!("sections    {}", inspection.sections.len())];
    for (section, name) in shown.iter().zip(&names) {
        let bytes = section.bytes.map_or_else(|| "?".to_owned(), |bytes| bytes.0.to_string());
        let digest = section
            .digest
            .map_or_else(|| "not in the file, or shared".to_owned(), |digest| digest.to_string());
        let role = match section.role {
            SectionRole::Engine => "  engine",
            SectionRole::Artifact => "  artifact",
            SectionRole::Other => "",
        };
        lines.push(format!("  {name:widest$}  {bytes:>12}  {digest}{role}"));
    }
    if shown.len() < inspection.sections.len() {
        lines.push(format!("  and {} more (--json has them all)", inspection.sections.len() - shown.len()));
    }
    lines
}
