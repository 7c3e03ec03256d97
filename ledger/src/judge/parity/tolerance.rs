//! Tolerances, and which of them make sense for what.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Number;

/// What a case's files hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A text in UTF-8.
    Text,
    /// A JSON array of token ids.
    TokenIds,
    /// A JSON document.
    Json,
    /// Numbers: `.npy`, or JSON.
    Array,
}

/// How many of the largest k elements of a row both must have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct TopK {
    /// How many.
    pub k: u32,
    /// Which share of them at least, over all rows, 0 to 1.
    pub agreement: f64,
}

/// What holds for a part of a JSON document.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct PathRule {
    /// How far numbers may be apart.
    #[serde(default)]
    pub absolute: Option<f64>,
    /// How far numbers may be apart, relative to the reference.
    #[serde(default)]
    pub relative: Option<f64>,
    /// Whether the part is left out.
    #[serde(default)]
    pub ignore: bool,
}

/// How far a candidate may be from the reference. What is not said must be the same.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Tolerance {
    /// How far numbers may be apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute: Option<f64>,
    /// How far numbers may be apart, relative to the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// Whether a NaN agrees with a NaN.
    #[serde(default)]
    pub nan_equal: bool,
    /// Which share of the token ids must be equal at their places, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// The top-k rule for arrays. With it, elements are held to a distance only where one is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<TopK>,
    /// Rules for parts of a JSON document, by JSON pointer; `*` stands for any one key or index.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub paths: BTreeMap<String, PathRule>,
}

/// Why a tolerance makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tolerance's {key} {why}")]
pub struct ToleranceError {
    /// Which part of it.
    pub key: String,
    /// What is wrong.
    pub why: &'static str,
}

impl Tolerance {
    /// Says whether every part makes sense, and for this kind.
    pub fn check(&self, kind: Kind) -> Result<(), ToleranceError> {
        let refuse = |bad: bool, key: &str, why| {
            if bad { Err(ToleranceError { key: key.to_owned(), why }) } else { Ok(()) }
        };
        let numbers = matches!(kind, Kind::Array | Kind::Json);
        for (key, value) in [("absolute", self.absolute), ("relative", self.relative)] {
            refuse(value.is_some() && !numbers, key, "is for numbers, not for this kind")?;
            refuse(value.is_some_and(|value| !is_distance(value)), key, "must be finite and not negative")?;
        }
        refuse(self.nan_equal && kind != Kind::Array, "nan_equal", "is for arrays only")?;
        refuse(self.agreement.is_some() && kind != Kind::TokenIds, "agreement", "is for token ids only")?;
        refuse(self.agreement.is_some_and(|it| !is_share(it)), "agreement", "must be above 0 and at most 1")?;
        refuse(self.top_k.is_some() && kind != Kind::Array, "top_k", "is for arrays only")?;
        if let Some(top) = self.top_k {
            refuse(top.k == 0, "top_k.k", "must be at least 1")?;
            refuse(!is_share(top.agreement), "top_k.agreement", "must be above 0 and at most 1")?;
        }
        refuse(!self.paths.is_empty() && kind != Kind::Json, "paths", "are for JSON only")?;
        for (path, rule) in &self.paths {
            let key = format!("paths.{path:?}");
            refuse(!path.starts_with('/'), &key, "must be a JSON pointer like /choices/*/score")?;
            let distances = [rule.absolute, rule.relative];
            let bad = distances.into_iter().flatten().any(|value| !is_distance(value));
            refuse(bad, &key, "holds a distance that is not finite or negative")?;
            let both = rule.ignore && distances.iter().any(Option::is_some);
            refuse(both, &key, "is ignored and held to a distance")?;
        }
        Ok(())
    }

    /// Whether a distance between numbers is stated.
    pub(super) fn has_distance(&self) -> bool {
        self.absolute.is_some() || self.relative.is_some()
    }

    /// Whether two numbers agree, and how far finite ones are apart.
    pub(super) fn agree(&self, reference: Number, candidate: Number) -> (bool, Option<f64>) {
        if let (Number::Integer(a), Number::Integer(b)) = (reference, candidate)
            && a == b
        {
            return (true, Some(0.0));
        }
        let (a, b) = (reference.as_f64(), candidate.as_f64());
        if a.is_nan() || b.is_nan() {
            return (self.nan_equal && a.is_nan() && b.is_nan(), None);
        }
        if a.is_infinite() || b.is_infinite() {
            return (a == b, None);
        }
        // Integers are subtracted as integers: two neighbours beyond 2^53 are one double.
        let apart = match (reference, candidate) {
            (Number::Integer(a), Number::Integer(b)) => (a - b).unsigned_abs() as f64,
            _ => (a - b).abs(),
        };
        let limit = self.absolute.unwrap_or(0.0) + self.relative.unwrap_or(0.0) * a.abs();
        (apart <= limit, Some(apart))
    }
}

fn is_distance(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn is_share(value: f64) -> bool {
    value > 0.0 && value <= 1.0
}
