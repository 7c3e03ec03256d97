//! Model Connect's validation (`trtmc.validation-result/v2`): one model and workload, reference against bundle.
//!
//! Only a comparison that ran, agreed and passed is a pass: a skip is none. A bundle that failed, was built again and
//! then passed shows both.

use std::collections::BTreeMap;

use acta_ledger::evidence::gate::CheckVerdict;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Outcome, Parsed, SourceFile,
    reading::{json, schema, shown, typed},
};
use crate::error::Result;

const SCHEMA: &str = "trtmc.validation-result/v2";
/// How many of a comparison's failures are kept; all are in the file.
const MAX_FAILURES: usize = 50;

/// A validation, in the tool's form and in ours.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Validation {
    model: String,
    workload: String,
    execution: Execution,
    comparison: Comparison,
    validation: Status,
    #[serde(default)]
    raw_result: Option<RawResult>,
    #[serde(default)]
    bundle_revalidation: Option<Revalidation>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Execution {
    status: String,
    #[serde(default)]
    exit_code: Option<i64>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Comparison {
    status: String,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    primary_metric: Option<Value>,
    #[serde(default)]
    metrics: BTreeMap<String, Value>,
    #[serde(default)]
    failures: Vec<Value>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Status {
    status: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct RawResult {
    #[serde(default)]
    bundle_built: Option<bool>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Revalidation {
    attempted: bool,
    #[serde(default)]
    trigger: Option<String>,
    #[serde(default)]
    outcome: Option<String>,
    #[serde(default)]
    initial: Option<Initial>,
}

/// The attempt before the bundle was built again.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all(serialize = "camelCase"))]
struct Initial {
    execution_status: String,
    validation_status: String,
    comparison_status: String,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    metrics: BTreeMap<String, Value>,
}

/// Reads the report.
pub fn parse(file: &SourceFile) -> Result<Parsed> {
    let value = json(file)?;
    let dialect = schema(file, &value, &[SCHEMA])?;
    let mut validation: Validation = typed(file, value, SCHEMA)?;
    let failures = validation.comparison.failures.len();
    validation.comparison.failures.truncate(MAX_FAILURES);
    let mut parsed = Parsed::new(&dialect, &validation)?;
    if failures > MAX_FAILURES {
        parsed.note("failures_left_out", format!("{failures} failures, the first {MAX_FAILURES} are kept"));
    }
    let again = validation.bundle_revalidation.as_ref().filter(|again| again.attempted);
    if let Some(initial) = again.and_then(|again| again.initial.as_ref()) {
        let error = initial.error.as_deref().unwrap_or("no reason given");
        parsed.note(
            "first_attempt",
            format!("on the bundle as it stood: {} ({})", shown(&initial.validation_status), shown(error)),
        );
    }
    let mut outcome = outcome(&validation);
    if let Some(again) = again {
        let how = again.outcome.as_deref().unwrap_or("no outcome");
        outcome.text.push_str(&format!("; the bundle was built again in between: {}", shown(how)));
    }
    parsed.outcome = Some(outcome);
    Ok(parsed)
}

fn outcome(validation: &Validation) -> Outcome {
    let words = [&validation.execution.status, &validation.comparison.status, &validation.validation.status];
    let verdict = match words.map(String::as_str) {
        ["completed", "agreement", "passed"] => CheckVerdict::Pass,
        [_, "disagreement", _] | [_, _, "failed"] => CheckVerdict::Fail,
        ["error", ..] => CheckVerdict::Error,
        [_, _, "skipped" | "not_compared"] | ["not_run", ..] | [_, "not_run", _] => CheckVerdict::NotRun,
        _ => CheckVerdict::Hold,
    };
    let [execution, comparison, status] = words.map(|word| shown(word));
    Outcome { verdict, text: format!("execution {execution}, comparison {comparison}, validation {status}") }
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    #[test]
    fn only_what_ran_and_agreed_passes() {
        for (execution, comparison, validation, expected) in [
            ("completed", "agreement", "passed", CheckVerdict::Pass),
            ("completed", "disagreement", "failed", CheckVerdict::Fail),
            ("completed", "disagreement", "passed", CheckVerdict::Fail),
            ("completed", "not_run", "skipped", CheckVerdict::NotRun),
            ("not_run", "not_run", "skipped", CheckVerdict::NotRun),
            ("error", "not_run", "not_compared", CheckVerdict::Error),
            ("completed", "agreement", "skipped", CheckVerdict::NotRun),
            ("completed", "agreement", "splendid", CheckVerdict::Hold),
        ] {
            let text = format!(
                r#"{{"schema_version":"{SCHEMA}","model":"m","workload":"w","execution":{{"status":"{execution}"}},
                    "comparison":{{"status":"{comparison}"}},"validation":{{"status":"{validation}"}}}}"#
            );
            let outcome = parse(&file("comparison.json", &text)).unwrap().outcome.unwrap();
            assert_eq!(outcome.verdict, expected, "{}", outcome.text);
        }
    }

    #[test]
    fn another_version_is_named() {
        for text in [r#"{"schema_version":"trtmc.validation-result/v3"}"#, "{}", "[]"] {
            let error = parse(&file("comparison.json", text)).unwrap_err().to_string();
            assert!(error.contains("is not known") && error.contains(SCHEMA), "{error}");
        }
        let text = format!(r#"{{"schema_version":"{SCHEMA}","model":"m"}}"#);
        let error = parse(&file("comparison.json", &text)).unwrap_err().to_string();
        assert!(error.contains("missing field `workload`"), "{error}");
    }
}
