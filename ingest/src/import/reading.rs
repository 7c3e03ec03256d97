//! What reading foreign JSON has in common.

use acta_ledger::log::{jcs, timestamp::Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::SourceFile;
use crate::{
    builder::framing::cut,
    error::{CliError, Result},
};

/// How much of a foreign text stands in an error.
const MAX_SHOWN: usize = 200;

/// An error about a field of a file.
pub fn wrong(file: &SourceFile, field: &str, what: &str) -> CliError {
    let path = file.path.display();
    let field = if field.is_empty() { path.to_string() } else { format!("{field} in {path}") };
    CliError::usage(what).field(field)
}

/// A foreign text, cut for an error.
pub fn shown(text: &str) -> String {
    let kept = cut(text, MAX_SHOWN);
    format!("{kept:?}{}", if kept.len() < text.len() { "..." } else { "" })
}

/// Reads a file as one strict JSON value.
pub fn json(file: &SourceFile) -> Result<Value> {
    jcs::parse(&file.bytes).map_err(|error| not_json(file, &error.to_string()))
}

/// A file that is no JSON; the reader's words say where it breaks.
pub fn not_json(file: &SourceFile, found: &str) -> CliError {
    let error =
        wrong(file, "", "the report is not readable JSON").found(found).expected("one whole JSON document");
    let holds = |word: &[u8]| file.bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word));
    if found.contains("EOF") {
        error.help("the file ends too early: was the tool stopped while it wrote?")
    } else if holds(b"NaN") || holds(b"Infinity") {
        error.help("NaN and Infinity are no JSON: a measurement that was not made cannot be imported")
    } else {
        error
    }
}

/// Reads a value's typed form; fields that we do not know are another tool's business.
pub fn typed<T: DeserializeOwned>(file: &SourceFile, value: Value, expected: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|error| {
        wrong(file, "", "the report does not have its schema's shape")
            .found(error.to_string())
            .expected(expected)
    })
}

/// The report's schema, which must be one of those that are known.
pub fn schema(file: &SourceFile, value: &Value, known: &[&str]) -> Result<String> {
    let found = match value.get("schema_version") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    if known.contains(&found.as_str()) {
        return Ok(found);
    }
    let error = wrong(file, "schema_version", "the report's schema is not known");
    let found = if found.is_empty() { "none".to_owned() } else { shown(&found) };
    Err(error
        .found(found)
        .expected(known.join(" or "))
        .help("check FORMAT; a newer `acta` may know this version"))
}

/// A moment in a report.
pub fn moment(file: &SourceFile, field: &str, text: &str) -> Result<Timestamp> {
    text.parse().map_err(|error| {
        wrong(file, field, "this is no moment in time").found(shown(text)).expected(format!("{error}"))
    })
}

/// A number that must be finite and not negative.
pub fn measured(file: &SourceFile, field: &str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(wrong(file, field, "this is no measurement")
            .found(value.to_string())
            .expected("a number that is finite and not negative"))
    }
}

/// The lines of a JSON-lines file, each a JSON value, with their numbers from 1.
pub fn lines(file: &SourceFile) -> Result<Vec<(usize, Value)>> {
    let text = std::str::from_utf8(&file.bytes).map_err(|error| {
        wrong(file, "", "the file is not UTF-8").found(error.to_string()).expected("one JSON object a line")
    })?;
    let mut values = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() {
            continue;
        }
        let value = jcs::parse(line.as_bytes()).map_err(|error| {
            let found = error.to_string().replace("line 1 column", "column");
            let error = wrong(file, &format!("line {number}"), "the line is not readable JSON");
            error
                .found(format!("line {number}: {found}: {}", shown(line)))
                .expected("one JSON object; NaN and Infinity are no JSON")
        })?;
        values.push((number, value));
    }
    Ok(values)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A file of this name and content.
    pub fn file(name: &str, content: &str) -> SourceFile {
        SourceFile {
            path: name.into(),
            name: name.to_owned(),
            folder: "001-case".to_owned(),
            modified: "2026-11-29T20:00:00Z".parse().unwrap(),
            bytes: content.as_bytes().to_vec(),
        }
    }

    #[test]
    fn errors_say_where() {
        let error = json(&file("a.json", "{\"a\":[1,")).unwrap_err().to_string();
        assert!(error.contains("EOF") && error.contains("stopped while it wrote"), "{error}");
        let error = json(&file("a.json", "{\"a\":NaN}")).unwrap_err().to_string();
        assert!(error.contains("line 1 column 6") && error.contains("are no JSON"), "{error}");
        let error = lines(&file("o.jsonl", "{\"a\":1}\n\n{\"a\":NaN}\n")).unwrap_err().to_string();
        assert!(
            error.contains("line 3") && error.contains("column 6") && error.contains("o.jsonl"),
            "{error}"
        );
        let value = serde_json::json!({ "schema_version": "trtmc.benchmark-run/v9" });
        let error = schema(&file("r.json", ""), &value, &["trtmc.benchmark-run/v1"]).unwrap_err().to_string();
        assert!(
            error.contains("run/v9") && error.contains("run/v1") && error.contains("schema_version"),
            "{error}"
        );
        let error = schema(&file("r.json", ""), &serde_json::json!([]), &["1"]).unwrap_err().to_string();
        assert!(error.contains("found: none"), "{error}");
        for bad in [f64::NAN, f64::INFINITY, -0.001] {
            assert!(
                measured(&file("r.json", ""), "load_ms", bad).unwrap_err().to_string().contains("load_ms")
            );
        }
    }
}
