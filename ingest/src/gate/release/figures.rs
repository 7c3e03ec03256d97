//! Figures as checks, each with n, the rule and the warm-up, held against the policy's limits by the ledger.

use acta_ledger::{
    evidence::{
        code,
        gate::{Check, CheckVerdict},
        route::Thresholds,
    },
    judge::{
        canary::{CanaryVerdict, Metric, Traffic, hold_against},
        percentile::{Percentile, SampleError},
    },
    log::digest::Sha256Digest,
};
use serde_json::{Value, json};

use super::measure::Measured;
use crate::{
    error::{CliError, Result},
    gate::check,
    import::sample::{Figures, WarmUpState},
};

/// Everything that was measured, and what the ledger says of it.
pub struct Figured {
    figures: Option<(Figures, Sha256Digest)>,
    source: Option<String>,
    warm_up: Option<Value>,
    errors: Option<(u64, u64)>,
    throughput: Option<(f64, Option<u32>, Sha256Digest)>,
    memory: Option<(u64, Sha256Digest)>,
    limits: Thresholds,
    broken: Vec<Metric>,
}

fn refused(error: SampleError) -> CliError {
    CliError::usage("the samples are no measurements").field("--latency").found(error.to_string())
}

impl Figured {
    /// Holds the measurements against the limits.
    pub fn new(
        source: Option<(&Measured, Sha256Digest)>,
        throughput: Option<(f64, Option<u32>, Sha256Digest)>,
        memory: Option<(u64, Sha256Digest)>,
        limits: &Thresholds,
    ) -> Result<Self> {
        let Some((measured, blob)) = source else {
            let (figures, source, warm_up, errors, broken) = (None, None, None, None, Vec::new());
            return Ok(Self {
                figures,
                source,
                warm_up,
                errors,
                throughput,
                memory,
                limits: *limits,
                broken,
            });
        };
        let latency = &measured.latency;
        let figures = latency.figures().map_err(refused)?;
        let count = latency.samples_ms.len() as u64;
        let errors = latency.errors.map(|errors| errors.0);
        let of_latency = latency.duration_ms.filter(|duration| *duration > 0.0);
        let of_latency =
            of_latency.map(|duration| (count as f64 * 1000.0 / duration, latency.concurrency, blob));
        let throughput = throughput.or(of_latency);
        let traffic = Traffic {
            latencies_ms: &latency.samples_ms,
            errors: errors.unwrap_or(0),
            // The time in which so many requests make that throughput.
            duration_ms: throughput.map_or(0.0, |(per_s, ..)| count as f64 * 1000.0 / per_s),
            memory_bytes: memory.map(|(bytes, _)| bytes),
        };
        let (broken, _) = hold_against(&traffic, limits).map_err(refused)?;
        Ok(Self {
            warm_up: Some(json!(latency.warm_up)),
            source: Some(measured.source.clone()),
            figures: Some((figures, blob)),
            errors: errors.map(|errors| (errors, count.saturating_add(errors))),
            throughput,
            memory,
            limits: *limits,
            broken,
        })
    }

    /// The checks, in the order of the gate's requirements.
    pub fn checks(&self) -> Vec<Check> {
        let limit = |value: Option<f64>| json!(value);
        vec![
            self.warm_up(),
            self.percentile("latency_p50", Metric::P50Ms, |figures| figures.p50, limit(self.limits.p50_ms)),
            self.percentile("latency_p95", Metric::P95Ms, |figures| figures.p95, limit(self.limits.p95_ms)),
            self.percentile("latency_p99", Metric::P99Ms, |figures| figures.p99, limit(self.limits.p99_ms)),
            self.throughput(),
            self.memory(),
            self.errors(),
        ]
    }

    fn warm_up(&self) -> Check {
        let value = self.warm_up.clone().unwrap_or(Value::Null);
        let (verdict, reason) = match self.figures.as_ref().map(|(figures, _)| figures.warm_up) {
            Some(WarmUpState::Excluded | WarmUpState::Included) => (CheckVerdict::Pass, None),
            Some(WarmUpState::Unknown) => {
                (CheckVerdict::NotRun, Some("the samples do not say whether the warm-up is among them"))
            }
            None => (CheckVerdict::NotRun, Some("there are no samples")),
        };
        self.finish(check("warm_up", verdict, value), reason.map(str::to_owned))
    }

    fn percentile(
        &self,
        name: &str,
        metric: Metric,
        pick: fn(&Figures) -> Percentile,
        limit: Value,
    ) -> Check {
        let Some((figures, _)) = &self.figures else {
            return check(name, CheckVerdict::NotRun, Value::Null).because("there are no samples");
        };
        let mut value = json!({
            "n": figures.n, "rule": figures.rule, "warmUp": figures.warm_up, "source": self.source, "limitMs": limit,
        });
        match pick(figures) {
            Percentile::Value { value: ms } => {
                value["ms"] = json!(ms);
                let (verdict, reason) = self.held(metric, &format!("{ms:.3} ms"), &limit);
                self.finish(check(name, verdict, value), reason)
            }
            Percentile::Insufficient { found, needed } => {
                let reason = format!("insufficient samples: {found}, needs {needed}");
                self.finish(check(name, CheckVerdict::NotRun, value), Some(reason))
            }
        }
    }

    fn held(&self, metric: Metric, found: &str, limit: &Value) -> (CheckVerdict, Option<String>) {
        if self.broken.contains(&metric) {
            (CheckVerdict::Fail, Some(format!("{found}, the policy's limit is {limit}")))
        } else {
            (CheckVerdict::Pass, None)
        }
    }

    fn finish(&self, check: Check, reason: Option<String>) -> Check {
        let check = match &self.figures {
            Some((_, blob)) => check.resting_on(*blob),
            None => check,
        };
        match reason {
            Some(reason) => check.because(reason),
            None => check,
        }
    }

    fn throughput(&self) -> Check {
        let limit = json!(self.limits.throughput_per_s);
        let Some((per_s, concurrency, blob)) = self.throughput else {
            return check("throughput", CheckVerdict::NotRun, Value::Null)
                .because("the samples do not say how long measuring took: --throughput");
        };
        let value = json!({ "perS": per_s, "concurrency": concurrency, "limitPerS": limit });
        // Without latencies nothing was held against the limit above.
        let broken = self.figures.is_none() && self.limits.throughput_per_s.is_some();
        let (verdict, reason) = match broken {
            true => (CheckVerdict::NotRun, Some("there are no samples to hold beside it".to_owned())),
            false => self.held(Metric::ThroughputPerS, &format!("{per_s:.3} per second"), &limit),
        };
        let check = check("throughput", verdict, value).resting_on(blob);
        if let Some(reason) = reason { check.because(reason) } else { check }
    }

    fn memory(&self) -> Check {
        let limit = json!(self.limits.memory_bytes);
        let Some((bytes, blob)) = self.memory else {
            return check("memory", CheckVerdict::NotRun, Value::Null)
                .because("memory was not sampled: missing, not zero (--memory)");
        };
        let value = json!({ "peakBytes": bytes.to_string(), "limitBytes": limit });
        let (verdict, reason) = match self.figures.is_none() && self.limits.memory_bytes.is_some() {
            true => (CheckVerdict::NotRun, Some("there are no samples to hold beside it".to_owned())),
            false => self.held(Metric::MemoryBytes, &format!("{bytes} bytes"), &limit),
        };
        let check = check("memory", verdict, value).resting_on(blob);
        if let Some(reason) = reason { check.because(reason) } else { check }
    }

    fn errors(&self) -> Check {
        let limit = json!(self.limits.error_rate);
        let Some((errors, requests)) = self.errors else {
            return self.finish(
                check("errors", CheckVerdict::NotRun, Value::Null),
                Some("nobody counted the requests that failed".to_owned()),
            );
        };
        let rate = errors as f64 / requests.max(1) as f64;
        let value = json!({ "errors": errors, "requests": requests, "rate": rate, "limit": limit });
        let (verdict, reason) = self.held(Metric::ErrorRate, &format!("{errors} of {requests}"), &limit);
        self.finish(check("errors", verdict, value), reason)
    }
}

/// Requests that ran at once: their figures, and whether some failed.
pub fn concurrency(measured: &Measured, blob: Sha256Digest, limits: &Thresholds) -> Result<Check> {
    let latency = &measured.latency;
    let refuse = |what: &str, found: String, expected: &str| {
        Err(CliError::usage(what).field("--concurrency").found(found).expected(expected))
    };
    let at_once = latency.concurrency.unwrap_or(0);
    if at_once < 2 {
        return refuse(
            "no requests ran at once",
            at_once.to_string(),
            "concurrency of at least 2 in the file",
        );
    }
    let figures = latency.figures().map_err(refused)?;
    let value = json!({
        "concurrency": at_once, "n": figures.n, "warmUp": figures.warm_up, "rule": figures.rule,
        "p50Ms": figures.p50.value(), "p95Ms": figures.p95.value(), "p99Ms": figures.p99.value(),
        "errors": latency.errors,
    });
    let Some(errors) = latency.errors else {
        return Ok(check("concurrency", CheckVerdict::NotRun, value)
            .because("nobody counted the requests that failed")
            .resting_on(blob));
    };
    let traffic = Traffic {
        latencies_ms: &latency.samples_ms,
        errors: errors.0,
        duration_ms: latency.duration_ms.unwrap_or(0.0),
        memory_bytes: measured.peak_memory_bytes,
    };
    // Latencies under load are shown; the policy's limits for them are those of single requests.
    let only = Thresholds { error_rate: Some(limits.error_rate.unwrap_or(0.0)), ..Thresholds::default() };
    let (broken, _) = hold_against(&traffic, &only).map_err(refused)?;
    let check = if broken.is_empty() {
        check("concurrency", CheckVerdict::Pass, value)
    } else {
        check("concurrency", CheckVerdict::Fail, value)
            .because(format!("{} requests failed with {at_once} at once", errors.0))
    };
    Ok(check.resting_on(blob))
}

/// What the canary came to.
pub fn canary(verdict: &CanaryVerdict, value: Value, broken: &[String]) -> Check {
    let name = "canary_result";
    match verdict {
        CanaryVerdict::Pass => check(name, CheckVerdict::Pass, value),
        CanaryVerdict::Failed { .. } => {
            check(name, CheckVerdict::Fail, value).because(format!("it broke {}", broken.join(", ")))
        }
        CanaryVerdict::TooEarly { open } => {
            let open: Vec<String> = open.iter().map(code).collect();
            let open = if open.is_empty() {
                String::new()
            } else {
                format!(", nothing to judge {} by", open.join(", "))
            };
            check(name, CheckVerdict::Hold, value)
                .because(format!("too few requests or too little time{open}"))
        }
        CanaryVerdict::Refused { error } => {
            check(name, CheckVerdict::Error, value).because(error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::number::Count64;

    use super::*;
    use crate::import::sample::{Latency, WarmUp};

    fn measured(samples_ms: Vec<f64>) -> Measured {
        let warm_up = WarmUp { state: WarmUpState::Excluded, rule: "r".to_owned(), requests: None };
        let (metric, errors) = ("samplesMs".to_owned(), Some(Count64(0)));
        let latency =
            Latency { metric, samples_ms, warm_up, duration_ms: Some(1000.0), errors, concurrency: Some(1) };
        Measured { latency, peak_memory_bytes: None, source: "raw samples".to_owned() }
    }

    fn verdicts(measured: &Measured, memory: Option<u64>) -> Vec<(String, CheckVerdict)> {
        let limits = Thresholds {
            p50_ms: Some(20.0),
            p99_ms: Some(30.0),
            throughput_per_s: Some(90.0),
            memory_bytes: Some(Count64(1000)),
            error_rate: Some(0.01),
            ..Thresholds::default()
        };
        let blob = Sha256Digest::of(b"samples");
        let memory = memory.map(|bytes| (bytes, blob));
        let figured = Figured::new(Some((measured, blob)), None, memory, &limits).unwrap();
        figured.checks().into_iter().map(|check| (check.name, check.verdict)).collect()
    }

    #[test]
    fn figures_are_held_against_the_limits() {
        use CheckVerdict::{Fail, NotRun, Pass};
        let slow = (0..100).map(|i| if i % 20 == 0 { 90.0 } else { 10.0 }).collect();
        for (name, measured, memory, expected) in [
            ("all good", measured(vec![10.0; 100]), Some(1000), [Pass, Pass, Pass, Pass, Pass, Pass, Pass]),
            ("a slow tail", measured(slow), Some(1001), [Pass, Pass, Pass, Fail, Pass, Fail, Pass]),
            ("few samples", measured(vec![10.0; 50]), None, [Pass, Pass, Pass, NotRun, Fail, NotRun, Pass]),
            ("one sample", measured(vec![10.0]), None, [Pass, NotRun, NotRun, NotRun, Fail, NotRun, Pass]),
            ("slow", measured(vec![25.0; 100]), None, [Pass, Fail, Pass, Pass, Pass, NotRun, Pass]),
        ] {
            let found: Vec<CheckVerdict> =
                verdicts(&measured, memory).into_iter().map(|(_, verdict)| verdict).collect();
            assert_eq!(found, expected, "{name}");
        }
        let mut failing = measured(vec![10.0; 100]);
        failing.latency.errors = Some(Count64(2));
        assert_eq!(verdicts(&failing, None)[6].1, Fail);
        failing.latency.errors = None;
        failing.latency.warm_up = WarmUp::unknown();
        failing.latency.duration_ms = None;
        let found = verdicts(&failing, None);
        assert_eq!((found[0].1, found[4].1, found[6].1), (NotRun, NotRun, NotRun));
    }

    #[test]
    fn a_run_without_samples_shows_what_is_missing() {
        let figured = Figured::new(None, None, None, &Thresholds::default()).unwrap();
        assert!(
            figured
                .checks()
                .iter()
                .all(|check| check.verdict == CheckVerdict::NotRun && check.reason.is_some())
        );
    }

    #[test]
    fn concurrency_shows_figures_and_judges_failures() {
        let blob = Sha256Digest::of(b"");
        let at = |concurrency, errors: Option<u64>| {
            let mut measured = measured(vec![30.0; 100]);
            measured.latency.concurrency = concurrency;
            measured.latency.errors = errors.map(Count64);
            concurrency_verdict(&measured, blob)
        };
        fn concurrency_verdict(measured: &Measured, blob: Sha256Digest) -> Option<CheckVerdict> {
            concurrency(measured, blob, &Thresholds::default()).ok().map(|check| check.verdict)
        }
        assert_eq!(at(Some(16), Some(0)), Some(CheckVerdict::Pass));
        assert_eq!(at(Some(16), Some(1)), Some(CheckVerdict::Fail));
        assert_eq!(at(Some(16), None), Some(CheckVerdict::NotRun));
        assert_eq!(at(Some(1), Some(0)), None);
        assert_eq!(at(None, Some(0)), None);
    }
}
