//! trtexec, `--exportProfile`: the number of runs, then one object a layer.
//!
//! The tool does not escape names, so that a quotation mark or a backslash in a layer's name makes the file invalid
//! JSON. Such a file is read line by line, with the name up to the last `", "timeMs"` of its line, and the document says
//! so. A file that ends too early is refused either way.

use acta_ledger::{evidence::number::Count64, log::jcs};
use serde::Serialize;
use serde_json::Value;

use super::{
    Parsed, SourceFile,
    reading::{json, not_json, shown, wrong},
};
use crate::error::{CliError, Result};

/// How many layers a profile may have.
const MAX_LAYERS: usize = 1 << 20;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// How many runs the times are summed over.
    runs: Count64,
    /// Whether the file is valid JSON.
    valid_json: bool,
    /// The layers' times added up.
    total_ms: f64,
    layers: Vec<Layer>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    name: String,
    time_ms: f64,
    average_ms: f64,
    /// None in files of versions that do not write it.
    median_ms: Option<f64>,
    percentage: f64,
}

/// Reads the report.
pub fn parse(file: &SourceFile) -> Result<Parsed> {
    let strict = json(file);
    let (entries, broken) = match strict {
        Ok(Value::Array(entries)) => (entries, None),
        Ok(other) => return Err(unlike(file, &other.to_string())),
        Err(error) => {
            let said = error.found.clone().unwrap_or_default();
            (tolerant(file, &said)?, Some(said))
        }
    };
    let (first, layers) = entries.split_first().ok_or_else(|| unlike(file, "an empty array"))?;
    let runs = first.get("count").and_then(Value::as_u64).filter(|runs| *runs > 0);
    let runs = runs.ok_or_else(|| {
        wrong(file, "[0].count", "the number of runs is missing")
            .found(first.to_string())
            .expected("a number above 0")
    })?;
    if layers.is_empty() || layers.len() > MAX_LAYERS {
        return Err(wrong(file, "", "the profile has no layers, or too many").found(layers.len().to_string()));
    }
    let layers: Vec<Layer> = layers
        .iter()
        .enumerate()
        .map(|(index, entry)| layer(file, index + 1, entry))
        .collect::<Result<_>>()?;
    let report = Report {
        runs: Count64(runs),
        valid_json: broken.is_none(),
        total_ms: layers.iter().map(|layer| layer.time_ms).sum(),
        layers,
    };
    let mut parsed = Parsed::new("exportProfile", &report)?;
    if let Some(said) = broken {
        parsed.note(
            "invalid_json",
            format!("the tool wrote a name without escaping it ({said}); read line by line"),
        );
    }
    Ok(parsed)
}

fn unlike(file: &SourceFile, found: &str) -> CliError {
    wrong(file, "", "this is no exported profile")
        .found(shown(found))
        .expected("an array of {\"count\":N} and one object a layer, as trtexec --exportProfile writes it")
}

fn layer(file: &SourceFile, index: usize, entry: &Value) -> Result<Layer> {
    let no_measurement = |key: &str, value: Option<&Value>| {
        wrong(file, &format!("[{index}].{key}"), "this is no measurement")
            .found(value.map_or_else(|| "none".to_owned(), Value::to_string))
            .expected("a number that is not negative")
    };
    let optional = |key: &str| {
        let value = entry.get(key);
        let number = value.and_then(Value::as_f64);
        match (value, number) {
            (None, _) => Ok(None),
            (_, Some(number)) if number >= 0.0 => Ok(Some(number)),
            _ => Err(no_measurement(key, value)),
        }
    };
    let number = |key: &str| optional(key)?.ok_or_else(|| no_measurement(key, None));
    let name = entry.get("name").and_then(Value::as_str).ok_or_else(|| {
        wrong(file, &format!("[{index}].name"), "the layer has no name").found(shown(&entry.to_string()))
    })?;
    Ok(Layer {
        name: name.to_owned(),
        time_ms: number("timeMs")?,
        average_ms: number("averageMs")?,
        median_ms: optional("medianMs")?,
        percentage: number("percentage")?,
    })
}

/// Reads the tool's lines, whose names may hold anything but a line's end.
fn tolerant(file: &SourceFile, said: &str) -> Result<Vec<Value>> {
    let text = std::str::from_utf8(&file.bytes).map_err(|_| not_json(file, said))?;
    let body = text.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    // Without the closing bracket the tool was stopped while it wrote.
    let body = body.ok_or_else(|| not_json(file, said))?;
    let mut entries = Vec::new();
    for line in body.lines() {
        let line = line.trim().trim_start_matches(',').trim();
        if line.is_empty() {
            continue;
        }
        let entry =
            match line.strip_prefix("{ \"name\" : \"").and_then(|rest| rest.rsplit_once("\", \"timeMs\"")) {
                Some((name, rest)) => {
                    let numbers = jcs::parse(format!("{{\"timeMs\"{rest}").as_bytes());
                    numbers.ok().and_then(|mut numbers| {
                        let name = Value::String(name.to_owned());
                        numbers.as_object_mut()?.insert("name".to_owned(), name);
                        Some(numbers)
                    })
                }
                None => jcs::parse(line.as_bytes()).ok(),
            };
        entries.push(entry.ok_or_else(|| not_json(file, said))?);
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    fn profile(names: &[&str]) -> String {
        let layers = names.iter().map(|name| {
            format!(", {{ \"name\" : \"{name}\", \"timeMs\" : 1.5, \"averageMs\" : 0.75, \"medianMs\" : 0.7, \"percentage\" : 50 }}\n")
        });
        format!("[\n  {{ \"count\" : 2 }}\n{}]\n", layers.collect::<String>())
    }

    #[test]
    fn names_that_were_not_escaped_are_read_and_flagged() {
        for (names, valid) in [
            (&["a", "b"][..], true),
            (&["a \"quoted\" name", "b"], false),
            (&[r"back\slash", r#"ends with ", "timeMs" : 3"#], false),
            (&["\u{7}bell", "[trainStation1]"], false),
        ] {
            let parsed = parse(&file("profile.json", &profile(names))).unwrap();
            assert_eq!(parsed.report["validJson"], valid, "{names:?}");
            assert_eq!(parsed.notes.iter().any(|note| note.code == "invalid_json"), !valid);
            let read: Vec<&str> = parsed.report["layers"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it["name"].as_str().unwrap())
                .collect();
            assert_eq!(read, names);
            assert_eq!(
                (parsed.report["runs"].as_str(), parsed.report["totalMs"].as_f64()),
                (Some("2"), Some(3.0))
            );
        }
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        let good = profile(&["a \"b\""]);
        for (text, words) in [
            (good[..good.len() - 3].to_owned(), "readable JSON"),
            (good.replace("1.5", "NaN"), "readable JSON"),
            (good.replace("1.5", "-1"), "[1].timeMs"),
            (profile(&["a"]).replace("\"count\" : 2", "\"count\" : 0"), "[0].count"),
            (profile(&[]), "no layers"),
            ("{}".to_owned(), "no exported profile"),
            ("[]".to_owned(), "no exported profile"),
            (String::new(), "ends too early"),
        ] {
            let error = parse(&file("profile.json", &text)).unwrap_err().to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
