//! Model Connect's evaluation of a validation's gates (`trtmc.validation-gate-evaluation/v1`).
//!
//! `observation_only` means that there was no policy to hold the metrics against: no pass. `invalid` is no verdict at all.

use acta_ledger::evidence::{gate::CheckVerdict, number::Count64};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Outcome, Parsed, SourceFile,
    reading::{json, schema, shown, typed},
};
use crate::error::Result;

const SCHEMA: &str = "trtmc.validation-gate-evaluation/v1";

#[derive(Debug, Deserialize)]
struct Evaluation {
    status: String,
    #[serde(default)]
    sample_count: Option<u64>,
    checks: Vec<Checked>,
    #[serde(default)]
    issues: Vec<Issue>,
}

/// One of its checks, in the tool's form and in ours.
#[derive(Debug, Deserialize, Serialize)]
struct Checked {
    gate: String,
    metric: String,
    operator: String,
    actual: Value,
    required: Value,
    verdict: String,
}

/// Why it is invalid.
#[derive(Debug, Deserialize, Serialize)]
struct Issue {
    code: String,
    #[serde(default)]
    gate: Option<String>,
    #[serde(default)]
    metric: Option<String>,
    #[serde(default)]
    value: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    status: &'a str,
    sample_count: Option<Count64>,
    checks: &'a [Checked],
    issues: &'a [Issue],
}

/// Reads the report.
pub fn parse(file: &SourceFile) -> Result<Parsed> {
    let value = json(file)?;
    let dialect = schema(file, &value, &[SCHEMA])?;
    let evaluation: Evaluation = typed(file, value, SCHEMA)?;
    let report = Report {
        status: &evaluation.status,
        sample_count: evaluation.sample_count.map(Count64),
        checks: &evaluation.checks,
        issues: &evaluation.issues,
    };
    let mut parsed = Parsed::new(&dialect, &report)?;
    parsed.outcome = Some(outcome(&evaluation));
    Ok(parsed)
}

fn outcome(evaluation: &Evaluation) -> Outcome {
    let all_pass =
        !evaluation.checks.is_empty() && evaluation.checks.iter().all(|check| check.verdict == "pass");
    let any_fail = evaluation.checks.iter().any(|check| check.verdict == "fail");
    let (verdict, why) = match evaluation.status.as_str() {
        "pass" if all_pass && evaluation.issues.is_empty() => (CheckVerdict::Pass, None),
        "pass" => (CheckVerdict::Hold, Some("it says pass, and not every check of it does".to_owned())),
        "fail" => (CheckVerdict::Fail, failed(evaluation)),
        _ if any_fail => (CheckVerdict::Fail, failed(evaluation)),
        "observation_only" => {
            (CheckVerdict::NotRun, Some("there was no policy to hold it against".to_owned()))
        }
        "invalid" => {
            let codes: Vec<String> = evaluation.issues.iter().map(|issue| shown(&issue.code)).collect();
            (CheckVerdict::Hold, Some(codes.join(", ")))
        }
        _ => (CheckVerdict::Hold, None),
    };
    let status = shown(&evaluation.status);
    Outcome {
        verdict,
        text: why.map_or_else(|| format!("status {status}"), |why| format!("status {status}: {why}")),
    }
}

fn failed(evaluation: &Evaluation) -> Option<String> {
    let failed = evaluation.checks.iter().filter(|check| check.verdict != "pass").take(5);
    let words = failed.map(|check| {
        let operator = &check.operator;
        format!(
            "{} is {}, required {} {}",
            shown(&check.metric),
            check.actual,
            shown(operator),
            check.required
        )
    });
    Some(words.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    #[test]
    fn only_a_whole_pass_passes() {
        let check = |verdict: &str| {
            format!(
                r#"{{"gate":"g","metric":"m","operator":">=","actual":0.9,"required":0.8,"verdict":"{verdict}"}}"#
            )
        };
        for (status, checks, issues, expected) in [
            ("pass", check("pass"), "", CheckVerdict::Pass),
            ("pass", String::new(), "", CheckVerdict::Hold),
            ("pass", check("fail"), "", CheckVerdict::Hold),
            ("pass", check("pass"), r#"{"code":"x"}"#, CheckVerdict::Hold),
            ("fail", check("fail"), "", CheckVerdict::Fail),
            ("observation_only", String::new(), "", CheckVerdict::NotRun),
            ("observation_only", check("fail"), "", CheckVerdict::Fail),
            ("invalid", String::new(), r#"{"code":"empty_gate_policy"}"#, CheckVerdict::Hold),
            ("fine", check("pass"), "", CheckVerdict::Hold),
        ] {
            let text = format!(
                r#"{{"schema_version":"{SCHEMA}","status":"{status}","sample_count":9,"checks":[{checks}],"issues":[{issues}]}}"#
            );
            let outcome = parse(&file("gate.json", &text)).unwrap().outcome.unwrap();
            assert_eq!(outcome.verdict, expected, "{status}: {}", outcome.text);
        }
    }
}
