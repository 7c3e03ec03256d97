//! Whether a canary kept its thresholds.

use serde::{Deserialize, Serialize};

use super::percentile::{SampleError, Samples};
use crate::evidence::{canary::CanaryPlan, route::Thresholds};

/// A threshold that a measurement is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The median latency.
    P50Ms,
    /// The 95th percentile.
    P95Ms,
    /// The 99th percentile.
    P99Ms,
    /// Requests a second.
    ThroughputPerS,
    /// Memory.
    MemoryBytes,
    /// The share of failed requests.
    ErrorRate,
}

/// What the requests did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic<'a> {
    /// Latencies of the requests that were answered.
    pub latencies_ms: &'a [f64],
    /// How many failed.
    pub errors: u64,
    /// How long it ran.
    pub duration_ms: f64,
    /// Memory at its peak, where it was measured.
    pub memory_bytes: Option<u64>,
}

/// What a canary came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum CanaryVerdict {
    /// It kept every threshold.
    Pass,
    /// It broke some.
    Failed {
        /// Which.
        broken: Vec<Metric>,
    },
    /// It has not run for long enough, or had too few requests.
    TooEarly {
        /// Thresholds that cannot be judged yet.
        open: Vec<Metric>,
    },
    /// What was sent is no measurement.
    Refused {
        /// Why.
        error: SampleError,
    },
}

/// Which thresholds are broken, and which cannot be judged.
pub fn hold_against(
    traffic: &Traffic<'_>,
    limits: &Thresholds,
) -> Result<(Vec<Metric>, Vec<Metric>), SampleError> {
    let answered = traffic.latencies_ms.len() as u64;
    let samples = match Samples::new(traffic.latencies_ms) {
        // Where every request failed there is nothing to measure, and the error rate says it.
        Err(SampleError::Empty) if traffic.errors > 0 => None,
        samples => Some(samples?),
    };
    let requests = answered.saturating_add(traffic.errors).max(1) as f64;
    let percentile = |per_mille| samples.as_ref().and_then(|samples| samples.percentile(per_mille).value());
    let timed = traffic.duration_ms.is_finite() && traffic.duration_ms > 0.0;
    let throughput = timed.then(|| answered as f64 * 1000.0 / traffic.duration_ms);
    let most = |value: Option<f64>, limit: f64| value.map(|value| value <= limit);
    let judged = [
        (Metric::P50Ms, limits.p50_ms.map(|limit| most(percentile(500), limit))),
        (Metric::P95Ms, limits.p95_ms.map(|limit| most(percentile(950), limit))),
        (Metric::P99Ms, limits.p99_ms.map(|limit| most(percentile(990), limit))),
        (Metric::ThroughputPerS, limits.throughput_per_s.map(|limit| throughput.map(|value| value >= limit))),
        (
            Metric::MemoryBytes,
            limits.memory_bytes.map(|limit| traffic.memory_bytes.map(|value| value <= limit.0)),
        ),
        (
            Metric::ErrorRate,
            limits.error_rate.map(|limit| most(Some(traffic.errors as f64 / requests), limit)),
        ),
    ];
    let of = |wanted: Option<bool>| -> Vec<Metric> {
        judged.iter().filter(|(_, kept)| *kept == Some(wanted)).map(|(metric, _)| *metric).collect()
    };
    Ok((of(Some(false)), of(None)))
}

/// What the canary came to. A broken threshold counts at once; a pass needs all samples and all of the time.
pub fn verdict(plan: &CanaryPlan, traffic: &Traffic<'_>) -> CanaryVerdict {
    let requests = (traffic.latencies_ms.len() as u64).saturating_add(traffic.errors);
    match hold_against(traffic, &plan.thresholds) {
        Err(SampleError::Empty) => CanaryVerdict::TooEarly { open: Vec::new() },
        Err(error) => CanaryVerdict::Refused { error },
        Ok(_) if requests < u64::from(plan.min_samples) => CanaryVerdict::TooEarly { open: Vec::new() },
        Ok((broken, _)) if !broken.is_empty() => CanaryVerdict::Failed { broken },
        Ok((_, open)) if !open.is_empty() => CanaryVerdict::TooEarly { open },
        Ok(_) if traffic.duration_ms >= plan.duration_ms => CanaryVerdict::Pass,
        Ok(_) => CanaryVerdict::TooEarly { open: Vec::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        let thresholds = Thresholds { p99_ms: Some(30.0), error_rate: Some(0.01), ..Thresholds::default() };
        let plan = CanaryPlan { traffic_share: 0.1, min_samples: 50, duration_ms: 1000.0, thresholds };
        let fast = vec![10.0; 200];
        let slow: Vec<f64> = (0..200).map(|i| if i % 50 == 0 { 90.0 } else { 10.0 }).collect();
        let failed = |metric| CanaryVerdict::Failed { broken: vec![metric] };
        let early = |open| CanaryVerdict::TooEarly { open };
        for (latencies, errors, duration, expected) in [
            (&fast[..], 0, 1000.0, CanaryVerdict::Pass),
            (&fast, 2, 1000.0, CanaryVerdict::Pass),
            (&fast, 3, 1000.0, failed(Metric::ErrorRate)),
            (&slow, 0, 10.0, failed(Metric::P99Ms)),
            (&fast, 0, 999.0, early(vec![])),
            (&fast[..60], 0, 1000.0, early(vec![Metric::P99Ms])),
            (&fast[..20], 0, 1000.0, early(vec![])),
            (&[], 0, 1000.0, early(vec![])),
            (&[], 60, 1000.0, failed(Metric::ErrorRate)),
            (
                &[-1.0],
                0,
                1000.0,
                CanaryVerdict::Refused { error: SampleError::Negative { index: 0, value: -1.0 } },
            ),
        ] {
            let traffic =
                Traffic { latencies_ms: latencies, errors, duration_ms: duration, memory_bytes: None };
            assert_eq!(verdict(&plan, &traffic), expected, "{} {errors} {duration}", latencies.len());
        }
    }
}
