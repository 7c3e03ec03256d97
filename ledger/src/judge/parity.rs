//! Whether what a candidate puts out agrees with the reference: texts, token ids, JSON documents and numeric arrays.
//!
//! A number agrees where `|candidate - reference| <= absolute + relative * |reference|`; without a tolerance it must be
//! the same. A NaN agrees with nothing, not even with a NaN, unless the tolerance says so; an infinity only with itself.
//! Shapes and element types must be the same before a single number is looked at.

mod json;
mod tensor;
mod tolerance;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use tensor::{Dtype, Number, Tensor};
pub use tolerance::{Kind, PathRule, Tolerance, ToleranceError, TopK};

use crate::evidence::{gate::CheckVerdict, number::Count64};

/// How many differences of a case are kept.
pub const MAX_DIFFERENCES: usize = 10;

/// How many characters of a differing value are kept.
const MAX_SHOWN: usize = 120;

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A text.
    Text(String),
    /// Token ids.
    TokenIds(Vec<i64>),
    /// A JSON document.
    Json(Value),
    /// Arrays by name; a file of one nameless array has one with an empty name.
    Arrays(Vec<(String, Tensor)>),
}

/// A place at which two values differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Difference {
    /// Where: an index like `[0,3]`, a JSON pointer, a line and character.
    pub at: String,
    /// What the reference has there.
    pub reference: String,
    /// What the candidate has there.
    pub candidate: String,
}

/// What comparing two contents came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Comparison {
    /// Whether the candidate agrees.
    pub agrees: bool,
    /// How many values were compared: lines of a text, tokens, scalars of a document, elements of arrays.
    pub compared: Count64,
    /// How many of them differ by more than the tolerance.
    pub differing: Count64,
    /// The largest absolute difference of two finite numbers.
    pub max_absolute: Option<f64>,
    /// The largest difference of two finite numbers relative to the reference.
    pub max_relative: Option<f64>,
    /// The share of equal tokens, or of the top k that both have, 0 to 1.
    pub agreement: Option<f64>,
    /// Why nothing could be compared: kinds, names, shapes or element types.
    pub mismatch: Option<String>,
    /// The first differences, at most [`MAX_DIFFERENCES`].
    pub first: Vec<Difference>,
}

impl Comparison {
    fn mismatch(text: String) -> Self {
        Self { mismatch: Some(text), ..Self::default() }
    }

    fn count(&mut self, agrees: bool, difference: impl FnOnce() -> Difference) {
        self.compared.0 += 1;
        if !agrees {
            self.differing.0 += 1;
            if self.first.len() < MAX_DIFFERENCES {
                self.first.push(difference());
            }
        }
    }

    /// Compares two numbers and remembers how far they are apart.
    fn number(&mut self, reference: Number, candidate: Number, tolerance: &Tolerance) -> bool {
        let (agrees, apart) = tolerance.agree(reference, candidate);
        if let Some(apart) = apart {
            let raise = |most: &mut Option<f64>, value: f64| {
                if value.is_finite() && most.is_none_or(|most| value > most) {
                    *most = Some(value);
                }
            };
            raise(&mut self.max_absolute, apart);
            if reference.as_f64() != 0.0 {
                raise(&mut self.max_relative, apart / reference.as_f64().abs());
            }
        }
        agrees
    }
}

/// One case of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CaseResult {
    /// The case's name.
    pub name: String,
    /// What its files hold.
    pub kind: Kind,
    /// Why it could not be compared: a file is missing or cannot be read.
    pub problem: Option<String>,
    /// What comparing came to.
    pub comparison: Option<Comparison>,
}

impl CaseResult {
    /// Whether the candidate agrees.
    pub fn passed(&self) -> bool {
        self.problem.is_none() && self.comparison.as_ref().is_some_and(|it| it.agrees)
    }

    /// Why it did not pass, in one sentence.
    pub fn why_not(&self) -> Option<String> {
        if self.passed() {
            return None;
        }
        let Some(comparison) = self.comparison.as_ref().filter(|_| self.problem.is_none()) else {
            return Some(self.problem.clone().unwrap_or_else(|| "it was not compared".to_owned()));
        };
        Some(match (&comparison.mismatch, comparison.first.first()) {
            (Some(mismatch), _) => mismatch.clone(),
            (None, Some(first)) => format!(
                "{} of {} differ, first at {}: reference {}, candidate {}",
                comparison.differing.0, comparison.compared.0, first.at, first.reference, first.candidate
            ),
            (None, None) => "too little agrees".to_owned(),
        })
    }
}

/// What a set of cases says. A set without a case says nothing.
pub fn verdict(cases: &[CaseResult]) -> CheckVerdict {
    if cases.is_empty() {
        CheckVerdict::NotRun
    } else if cases.iter().all(CaseResult::passed) {
        CheckVerdict::Pass
    } else {
        CheckVerdict::Fail
    }
}

/// Compares what the candidate put out with the reference.
pub fn compare(reference: &Content, candidate: &Content, tolerance: &Tolerance) -> Comparison {
    match (reference, candidate) {
        (Content::Text(reference), Content::Text(candidate)) => texts(reference, candidate),
        (Content::TokenIds(reference), Content::TokenIds(candidate)) => {
            tokens(reference, candidate, tolerance)
        }
        (Content::Json(reference), Content::Json(candidate)) => {
            json::compare(reference, candidate, tolerance)
        }
        (Content::Arrays(reference), Content::Arrays(candidate)) => {
            tensor::compare(reference, candidate, tolerance)
        }
        _ => Comparison::mismatch("the two files hold different kinds of content".to_owned()),
    }
}

fn texts(reference: &str, candidate: &str) -> Comparison {
    let mut comparison = Comparison::default();
    // A carriage return is a difference like any other: `split` keeps it where `lines` would not.
    let (mut left, mut right) = (reference.split('\n'), candidate.split('\n'));
    for line in 1.. {
        let (left, right) = (left.next(), right.next());
        if left.is_none() && right.is_none() {
            break;
        }
        comparison.count(left == right, || {
            let (left, right) = (left.unwrap_or("(end)"), right.unwrap_or("(end)"));
            let same = left.chars().zip(right.chars()).take_while(|(a, b)| a == b).count();
            let from = |text: &str| shown(&text.chars().skip(same).collect::<String>());
            Difference {
                at: format!("line {line}, character {}", same + 1),
                reference: from(left),
                candidate: from(right),
            }
        });
    }
    comparison.agrees = comparison.differing.0 == 0;
    comparison
}

fn tokens(reference: &[i64], candidate: &[i64], tolerance: &Tolerance) -> Comparison {
    let mut comparison = Comparison::default();
    let shown = |token: Option<&i64>| token.map_or_else(|| "(end)".to_owned(), ToString::to_string);
    for index in 0..reference.len().max(candidate.len()) {
        let (left, right) = (reference.get(index), candidate.get(index));
        comparison.count(left == right, || Difference {
            at: format!("[{index}]"),
            reference: shown(left),
            candidate: shown(right),
        });
    }
    let (compared, differing) = (comparison.compared.0, comparison.differing.0);
    comparison.agreement = (compared > 0).then(|| (compared - differing) as f64 / compared as f64);
    comparison.agrees = match tolerance.agreement {
        Some(least) => comparison.agreement.unwrap_or(1.0) >= least,
        None => differing == 0,
    };
    comparison
}

/// A foreign text as it is kept beside a difference.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests;
