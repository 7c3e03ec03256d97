//! Model Connect's build times (`build-timing.json`, schema 1): seconds by phase.
//!
//! The tool writes the file again after every phase, so that a build that was stopped leaves one without `total_s`.

use std::collections::BTreeMap;

use acta_ledger::evidence::gate::CheckVerdict;
use serde::{Deserialize, Serialize};

use super::{
    Outcome, Parsed, SourceFile,
    reading::{json, measured, schema, typed},
};
use crate::error::Result;

const SCHEMA: &str = "1";
const WRITTEN: &str = "bundle_write_s";

#[derive(Debug, Deserialize)]
struct Timing {
    output_path: Option<String>,
    phases: BTreeMap<String, f64>,
    total_s: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Seconds by phase, by the tool's names.
    phases_s: BTreeMap<String, f64>,
    total_s: Option<f64>,
    finished: bool,
}

/// Reads the report.
pub fn parse(file: &SourceFile) -> Result<Parsed> {
    let value = json(file)?;
    schema(file, &value, &[SCHEMA])?;
    let timing: Timing = typed(file, value, "output_path, phases and total_s")?;
    for (phase, seconds) in &timing.phases {
        measured(file, &format!("phases.{phase}"), *seconds)?;
    }
    if let Some(total) = timing.total_s {
        measured(file, "total_s", total)?;
    }
    let finished = timing.total_s.is_some() && timing.phases.contains_key(WRITTEN);
    let report = Report { phases_s: timing.phases, total_s: timing.total_s, finished };
    let mut parsed = Parsed::new("build-timing/1", &report)?;
    parsed.names_bundle = timing.output_path;
    if !finished {
        parsed.note(
            "unfinished_build",
            "there is no total, or no bundle was written: the build did not finish",
        );
        let text = "the build did not finish".to_owned();
        parsed.outcome = Some(Outcome { verdict: CheckVerdict::Fail, text });
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    #[test]
    fn a_build_that_was_stopped_is_seen() {
        let whole =
            r#"{"schema_version":1,"output_path":"/a.bundle","phases":{"bundle_write_s":0.5},"total_s":2.5}"#;
        let parsed = parse(&file("t.json", whole)).unwrap();
        assert_eq!(
            (parsed.names_bundle.as_deref(), parsed.report["finished"].as_bool()),
            (Some("/a.bundle"), Some(true))
        );
        for (from, to) in [(r#","total_s":2.5"#, ""), ("bundle_write_s", "weights_loading_s")] {
            let parsed = parse(&file("t.json", &whole.replace(from, to))).unwrap();
            assert_eq!(parsed.notes[0].code, "unfinished_build");
        }
        for (from, to, words) in [
            ("0.5", "-0.5", "phases.bundle_write_s"),
            ("2.5", "-1", "total_s"),
            (":1,", ":2,", "is not known"),
            ("0.5", "\"0.5\"", "invalid type"),
        ] {
            let error = parse(&file("t.json", &whole.replacen(from, to, 1))).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
