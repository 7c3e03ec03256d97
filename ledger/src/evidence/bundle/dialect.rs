//! The two dialects of the header. They share magic and layout; `format` and `length` tell B from A's `size`.
//!
//! * **A**, the legacy header (up to 2026-08-28): model, TensorRT version, GPU and date, sections by `{offset, size}`.
//! * **B**, the fixed v1 header: exactly `format` (1), `family`, `task`, `backend` and `sections` by `{offset, length}`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    header::{Extent, Header, SectionsShape},
    rule::{FindingKind, Level, Notes, Rule},
    text,
};

/// How a header is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dialect {
    /// The legacy header, with `size`.
    A,
    /// The fixed v1 header, with `format` and `length`.
    B,
}

/// What dialect A's writer always writes, with whether it is a text.
const A_ALWAYS: [(&str, bool); 14] = [
    ("model_id", true),
    ("model_type", true),
    ("family", true),
    ("trt_version", true),
    ("trt_abi", true),
    ("gpu_name", true),
    ("created_at", true),
    ("precision", true),
    ("vocab_size", false),
    ("hidden_size", false),
    ("num_layers", false),
    ("num_attention_heads", false),
    ("num_key_value_heads", false),
    ("max_cache_length", false),
];

/// What it writes where there is something to write.
const A_OPTIONAL: [&str; 6] = [
    "runtime_strategy",
    "quantization",
    "tokenizer_add_special_tokens",
    "io_map",
    "defaults",
    "max_batch_size",
];

/// What dialect B has beside `format` and `sections`.
const B_TEXTS: [&str; 3] = ["family", "task", "backend"];

/// Which dialect a header is written in.
pub(super) fn of(header: &Header) -> Dialect {
    let uses = |extent: fn(&super::header::RawSection) -> Extent| {
        header.sections.iter().any(|section| extent(section) != Extent::Missing)
    };
    let only_length = uses(|section| section.length) && !uses(|section| section.size);
    if header.fields.contains_key("format") || only_length { Dialect::B } else { Dialect::A }
}

/// Judges everything of the header but its sections.
pub(super) fn check(header: &Header, dialect: Dialect, notes: &mut Notes) {
    match header.shape {
        SectionsShape::Object => {}
        SectionsShape::Missing => {
            notes.error(
                Rule::SectionsMissing,
                Some("sections"),
                None,
                "the key sections is missing".to_owned(),
            );
        }
        SectionsShape::NotObject => {
            notes.error(
                Rule::SectionsNotObject,
                Some("sections"),
                None,
                "sections is not an object".to_owned(),
            );
        }
    }
    match dialect {
        Dialect::A => check_a(header, notes),
        Dialect::B => check_b(header, notes),
    }
    for (key, value) in &header.fields {
        if holds_unusual_text(value) || key.chars().any(text::is_unusual) {
            let text = format!("the value of {} holds control or invisible characters", text::name(key));
            notes.finding(FindingKind::UnusualText, Level::Attention, Some(key), None, text);
        }
    }
    if header.fields_not_kept {
        let text =
            "the header's values are too big to be kept whole; they are covered by the file's digest only";
        notes.finding(FindingKind::HeaderValuesNotKept, Level::Attention, None, None, text.to_owned());
    }
}

fn check_a(header: &Header, notes: &mut Notes) {
    for (key, is_text) in A_ALWAYS {
        match header.fields.get(key) {
            None if header.fields_not_kept => {}
            None => {
                let level = if key == "model_id" { Level::Attention } else { Level::Note };
                let text = format!("the key {key} is missing, which the writer always writes");
                notes.finding(FindingKind::HeaderKeyAbsent, level, Some(key), None, text);
            }
            Some(value) if is_text && !value.is_string() || !is_text && !value.is_u64() => {
                let text =
                    format!("the value of {key} is no {}", if is_text { "text" } else { "unsigned integer" });
                notes.finding(FindingKind::HeaderValueType, Level::Attention, Some(key), None, text);
            }
            Some(value) if value == "" => {
                let text = format!("{key} is empty");
                notes.finding(FindingKind::HeaderValueBlank, Level::Note, Some(key), None, text);
            }
            Some(_) => {}
        }
    }
    for key in header.fields.keys() {
        if !A_ALWAYS.iter().any(|(known, _)| known == key) && !A_OPTIONAL.contains(&key.as_str()) {
            let text = format!("the key {} is none of the writer's", text::name(key));
            notes.finding(FindingKind::HeaderKeyUnknown, Level::Note, Some(key), None, text);
        }
    }
}

fn check_b(header: &Header, notes: &mut Notes) {
    match header.fields.get("format") {
        None => notes.error(
            Rule::HeaderKeyMissing,
            Some("format"),
            None,
            "dialect B: the key format is missing".to_owned(),
        ),
        Some(value) => match value.as_u64() {
            Some(1) => {}
            Some(other) => {
                let text = format!("dialect B: format {other} is not supported, only 1 is");
                notes.error(Rule::FormatUnsupported, Some("format"), None, text);
            }
            None => {
                let text = "dialect B: format is not the integer 1".to_owned();
                notes.error(Rule::FormatNotInteger, Some("format"), None, text);
            }
        },
    }
    for key in B_TEXTS {
        match header.fields.get(key) {
            None => {
                let text = format!("dialect B: the key {key} is missing");
                notes.error(Rule::HeaderKeyMissing, Some(key), None, text);
            }
            Some(Value::String(value)) if value.is_empty() => {
                let text = format!("dialect B: {key} is empty");
                notes.error(Rule::HeaderValueEmpty, Some(key), None, text);
            }
            Some(Value::String(value)) => {
                if key == "backend" && !is_plain_name(value) {
                    let text = format!("{key} is not a lower-case name: \"{}\"", text::name(value));
                    notes.finding(FindingKind::HeaderValueUnusual, Level::Attention, Some(key), None, text);
                }
            }
            Some(_) => {
                let text = format!("dialect B: {key} is not a text");
                notes.error(Rule::HeaderValueNotText, Some(key), None, text);
            }
        }
    }
    for key in header.fields.keys().filter(|key| *key != "format" && !B_TEXTS.contains(&key.as_str())) {
        let text = format!("dialect B: the key {} is not supported", text::name(key));
        notes.error(Rule::HeaderKeyUnsupported, Some(key), None, text);
    }
    let text = "this dialect names no model, TensorRT version, GPU or date: provenance is unknown";
    notes.finding(FindingKind::ProvenanceUnknown, Level::Note, None, None, text.to_owned());
}

fn is_plain_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn holds_unusual_text(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().any(text::is_unusual),
        Value::Array(items) => items.iter().any(holds_unusual_text),
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.chars().any(text::is_unusual) || holds_unusual_text(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
