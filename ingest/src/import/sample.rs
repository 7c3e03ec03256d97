//! Raw latencies, and the percentiles that follow from them.

use acta_ledger::{
    evidence::number::Count64,
    judge::percentile::{Percentile, SampleError, Samples},
};
use serde::{Deserialize, Serialize};

use super::{SourceFile, reading::wrong};
use crate::error::Result;

/// The name of our rule for percentiles; trtexec's own is the nearest rank.
pub const RULE: &str = "linear_interpolation";

/// Whether requests before the steady state are among the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarmUpState {
    /// They are not.
    Excluded,
    /// They are.
    Included,
    /// Nobody says.
    Unknown,
}

/// What is known of the warm-up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WarmUp {
    /// Whether it is among the samples.
    pub state: WarmUpState,
    /// How that is known, or by which rule it was dropped.
    pub rule: String,
    /// How many requests it had, where that is known.
    #[serde(default)]
    pub requests: Option<Count64>,
}

impl WarmUp {
    /// Nothing is known.
    pub fn unknown() -> Self {
        Self { state: WarmUpState::Unknown, rule: "nobody says".to_owned(), requests: None }
    }
}

/// Raw latencies in milliseconds, in the order in which they were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Latency {
    /// What was measured, as its source names it.
    pub metric: String,
    /// The samples, without a warm-up that was dropped.
    pub samples_ms: Vec<f64>,
    /// What is known of the warm-up.
    pub warm_up: WarmUp,
    /// How long measuring took, where that is known.
    pub duration_ms: Option<f64>,
    /// How many requests failed; none where nobody counted.
    pub errors: Option<Count64>,
    /// How many requests ran at once, where that is known.
    pub concurrency: Option<u32>,
}

/// What follows from the samples, with everything that a figure must say about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// How many samples.
    pub n: Count64,
    /// The rule for percentiles.
    pub rule: String,
    /// Whether the warm-up is in.
    pub warm_up: WarmUpState,
    /// The smallest.
    pub min_ms: f64,
    /// Their mean.
    pub mean_ms: f64,
    /// The largest.
    pub max_ms: f64,
    /// The median.
    pub p50: Percentile,
    /// The 90th percentile.
    pub p90: Percentile,
    /// The 95th percentile.
    pub p95: Percentile,
    /// The 99th percentile.
    pub p99: Percentile,
}

impl Latency {
    /// The samples, refused if one is no measurement.
    pub fn samples(&self) -> Result<Samples, SampleError> {
        Samples::new(&self.samples_ms)
    }

    /// What follows from them.
    pub fn figures(&self) -> Result<Figures, SampleError> {
        let samples = self.samples()?;
        Ok(Figures {
            n: Count64(samples.count() as u64),
            rule: RULE.to_owned(),
            warm_up: self.warm_up.state,
            min_ms: samples.min(),
            mean_ms: samples.mean(),
            max_ms: samples.max(),
            p50: samples.percentile(500),
            p90: samples.percentile(900),
            p95: samples.percentile(950),
            p99: samples.percentile(990),
        })
    }
}

/// Refuses samples of which one is no measurement; `place` names a sample as its file does.
pub fn check(file: &SourceFile, latency: &Latency, place: impl Fn(usize) -> String) -> Result<Samples> {
    latency.samples().map_err(|error| {
        let field = match error {
            SampleError::NotFinite { index } | SampleError::Negative { index, .. } => place(index),
            SampleError::Empty | SampleError::AllZero => latency.metric.clone(),
        };
        wrong(file, &field, "the samples are no measurements")
            .found(error.to_string())
            .expected("finite numbers that are not negative, at least one of them above zero")
            .help("measure again: a sample is never repaired or left out")
    })
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    fn latency(samples_ms: Vec<f64>) -> Latency {
        let metric = "latency_ms".to_owned();
        let warm_up = WarmUp::unknown();
        Latency { metric, samples_ms, warm_up, duration_ms: None, errors: None, concurrency: None }
    }

    #[test]
    fn figures_say_how_they_came_about() {
        let figures = latency((1..=50).rev().map(f64::from).collect()).figures().unwrap();
        assert_eq!((figures.n.0, figures.rule.as_str(), figures.warm_up), (50, RULE, WarmUpState::Unknown));
        assert_eq!(figures.p50, Percentile::Value { value: 25.5 });
        assert_eq!(figures.p99, Percentile::Insufficient { found: 50, needed: 100 });
    }

    #[test]
    fn what_is_no_measurement_is_refused_by_its_place() {
        for (samples, expected) in [
            (vec![], "there are no samples"),
            (vec![0.0, 0.0], "all samples are zero"),
            (vec![1.0, -1.0], "line 2"),
            (vec![f64::NAN], "line 1"),
        ] {
            let error =
                check(&file("a", ""), &latency(samples), |index| format!("line {}", index + 1)).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
