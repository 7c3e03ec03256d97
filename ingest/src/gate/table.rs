//! A gate's record as a person reads it.

use acta_ledger::{
    evidence::{
        code,
        gate::{Check, CheckVerdict, FactClass, GateRecord, GateState},
    },
    judge::gate::{GateJudgement, GateReason},
};
use serde_json::Value;

use crate::{
    builder::framing::cut,
    ui::{Ui, visible_line},
};

/// How much of a value stands in a line.
const MAX_VALUE: usize = 70;

/// The record's checks, a line each, and the verdict.
pub fn of(record: &GateRecord, judgement: &GateJudgement, ui: Ui) -> String {
    let mut lines = vec![format!("gate {} of route {}", record.gate, record.route)];
    let widest = record.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for check in &record.checks {
        lines.push(line(check, widest, ui));
        if let Some(reason) = &check.reason {
            lines.push(format!("  {:16}{:widest$}  {}", "", "", visible_line(reason)));
        }
    }
    let state = code(&judgement.state).replace('_', " ");
    let color = if judgement.state == GateState::Satisfied { 32 } else { 31 };
    lines.push(format!("gate {} is {}", record.gate, ui.paint(&state, color)));
    lines.extend(judgement.reasons.iter().map(|reason| format!("  {}", words(reason))));
    lines.join("\n")
}

fn line(check: &Check, widest: usize, ui: Ui) -> String {
    let (word, color) = match check.verdict {
        CheckVerdict::Pass => ("pass", 32),
        CheckVerdict::NotApplicable => ("not applicable", 36),
        CheckVerdict::NotRun => ("not run", 33),
        CheckVerdict::Hold => ("hold", 33),
        CheckVerdict::Fail => ("fail", 31),
        CheckVerdict::Error => ("error", 31),
    };
    let word = ui.paint(&format!("{word:16}"), color);
    let class = match (check.class, &check.stated_by) {
        (FactClass::Measured, _) => "measured".to_owned(),
        (FactClass::StatedByBundle, _) => "stated by the bundle".to_owned(),
        (FactClass::StatedByPerson, by) => {
            format!("stated by {}", by.as_ref().map_or_else(|| "nobody".to_owned(), |by| visible_line(by)))
        }
        (FactClass::VendorClaim, _) => "a vendor's claim".to_owned(),
    };
    format!("  {word}{:widest$}  {class:20}  {}", check.name, brief(&check.value))
}

/// A check's value on one line: what is long is counted.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(items) if items.len() != 1 => format!("{} entries", items.len()),
        Value::Object(members) => {
            let plain = members.iter().filter(|(_, value)| !value.is_null());
            let shown: Vec<String> = plain.map(|(key, value)| format!("{key} {}", inner(value))).collect();
            short(&shown.join(", ").into())
        }
        value => short(value),
    }
}

fn inner(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            text[..12].to_owned()
        }
        Value::String(text) => text.clone(),
        Value::Array(items) => items.len().to_string(),
        Value::Object(members) => format!("of {} values", members.len()),
        value => value.to_string(),
    }
}

/// A value on one line.
pub fn short(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        value => value.to_string(),
    };
    let text = visible_line(&text);
    let kept = cut(&text, MAX_VALUE);
    if kept.len() < text.len() { format!("{kept}…") } else { text }
}

/// A reason in words.
pub fn words(reason: &GateReason) -> String {
    match reason {
        GateReason::NoRecord => "nothing is on record".to_owned(),
        GateReason::CheckMissing { check } => format!("{check}: not on record"),
        GateReason::CheckNotPassed { check, verdict } => {
            format!("{check}: {}", code(verdict).replace('_', " "))
        }
        GateReason::CheckMustApply { check } => format!("{check}: must hold, and was said not to apply"),
        GateReason::VendorClaim { check } => format!("{check}: a vendor's claim satisfies nothing"),
        GateReason::NotMeasured { check } => format!("{check}: only stated, must be measured"),
        GateReason::Unexplained { check } => format!("{check}: without a reason or a name"),
        GateReason::Simulated => "it rests on a simulated build".to_owned(),
        GateReason::OtherTarget { found, expected } => format!(
            "measured on {}, the route's target is {}",
            found.as_deref().map_or_else(|| "an unnamed target".to_owned(), visible_line),
            visible_line(expected)
        ),
        GateReason::BeforeGate { gate } => format!("gate {gate} must be passed first"),
        GateReason::PinDiffers(change) => visible_line(&change.to_string()),
        GateReason::PinNotObserved { pin } => format!("{}: pinned, and not on record", code(pin)),
    }
}
