//! A canary's plan and samples.

use std::path::Path;

use acta_ledger::{
    evidence::{
        canary::{CanaryMeasurement, CanaryPhase, CanaryPlan},
        code,
        number::Count64,
        route::{BundleDigest, Policy, Thresholds, runtime_target},
    },
    judge::{
        canary::{CanaryVerdict, Traffic, verdict},
        percentile::Percentile,
    },
    log::digest::Sha256Digest,
};

use super::measure::{self, Measured};
use crate::{
    error::{CliError, Result},
    import::{environment::Environment, reading::shown, sample::Figures},
    policy,
};

/// What samples came to.
pub struct Judged {
    /// Where the canary stands.
    pub phase: CanaryPhase,
    /// What it came to.
    pub verdict: CanaryVerdict,
    /// The thresholds that were broken, by name.
    pub broken: Vec<String>,
    /// What was measured.
    pub measurement: CanaryMeasurement,
    /// The samples' bytes.
    pub bytes: Vec<u8>,
}

/// Reads a bundle's digest.
pub fn parse_bundle(text: &str) -> Result<BundleDigest> {
    text.parse().map_err(|_| {
        CliError::usage("this is no bundle's digest")
            .field("--bundle")
            .found(shown(text))
            .expected("sha256: and 64 hexadecimal digits, as `acta bundle inspect` prints it")
    })
}

/// Reads a plan; it may ask for more than the route's policy, never for less.
pub fn read_plan(field: &str, path: &Path, of_route: Option<&Policy>) -> Result<(CanaryPlan, Vec<u8>)> {
    let (plan, bytes): (CanaryPlan, _) = policy::read(field, "the canary's plan", path)?;
    let wrong = |what: &str, found: String, expected: String| {
        Err(CliError::usage(format!("the canary's plan {what}"))
            .field(format!("{field} {}", path.display()))
            .found(found)
            .expected(expected))
    };
    if !(plan.traffic_share > 0.0 && plan.traffic_share <= 1.0) {
        let expected = "trafficShare above 0 and at most 1".to_owned();
        return wrong("takes no sensible share of the traffic", plan.traffic_share.to_string(), expected);
    }
    if !(plan.duration_ms.is_finite() && plan.duration_ms > 0.0) {
        return wrong("has no duration", plan.duration_ms.to_string(), "durationMs above 0".to_owned());
    }
    if plan.thresholds == Thresholds::default() {
        return wrong("keeps nothing", "no threshold".to_owned(), "at least one threshold".to_owned());
    }
    let of_route = of_route.map(|policy| policy.canary);
    if let Some(least) = of_route.map(|canary| canary.min_samples).filter(|least| plan.min_samples < *least) {
        let expected = format!("minSamples of at least {least}, by the route's policy");
        return wrong("has too few samples", plan.min_samples.to_string(), expected);
    }
    if let Some(limits) = of_route.map(|canary| canary.thresholds)
        && let Some((name, found, expected)) = looser(&plan.thresholds, &limits)
    {
        return wrong(
            "is looser than the route's policy",
            format!("{name} {found}"),
            format!("{name} {expected}"),
        );
    }
    Ok((plan, bytes))
}

/// The first threshold of the plan that asks for less than the policy's.
fn looser(plan: &Thresholds, limits: &Thresholds) -> Option<(&'static str, String, String)> {
    let memory = |limit: &Thresholds| limit.memory_bytes.map(|bytes| bytes.0 as f64);
    let most = [
        ("p50Ms", plan.p50_ms, limits.p50_ms),
        ("p95Ms", plan.p95_ms, limits.p95_ms),
        ("p99Ms", plan.p99_ms, limits.p99_ms),
        ("memoryBytes", memory(plan), memory(limits)),
        ("errorRate", plan.error_rate, limits.error_rate),
        // More is better here, so that the signs are turned.
        ("throughputPerS", plan.throughput_per_s.map(|it| -it), limits.throughput_per_s.map(|it| -it)),
    ];
    let shown = |value: f64| value.abs().to_string();
    most.into_iter().find_map(|(name, plan, limit)| {
        let limit = limit?;
        // A NaN is no limit.
        let kept = plan.is_some_and(|plan| plan <= limit);
        (!kept).then(|| (name, plan.map_or_else(|| "missing".to_owned(), shown), shown(limit)))
    })
}

/// Reads raw samples and holds them against the plan.
pub fn read_and_judge(field: &str, path: &Path, plan: &CanaryPlan) -> Result<Judged> {
    let (Measured { latency, peak_memory_bytes, .. }, bytes) = measure::read_canary(field, path)?;
    let errors = latency.errors.unwrap_or_default().0;
    let duration_ms = latency.duration_ms.unwrap_or_default();
    let traffic =
        Traffic { latencies_ms: &latency.samples_ms, errors, duration_ms, memory_bytes: peak_memory_bytes };
    let came_to = verdict(plan, &traffic);
    let (phase, broken) = match &came_to {
        CanaryVerdict::Pass => (CanaryPhase::Pass, Vec::new()),
        CanaryVerdict::Failed { broken } => (CanaryPhase::Failed, broken.iter().map(code).collect()),
        CanaryVerdict::TooEarly { .. } => (CanaryPhase::Running, Vec::new()),
        CanaryVerdict::Refused { error } => {
            return Err(CliError::usage("the samples are no measurements")
                .field(format!("{field} {}", path.display()))
                .found(error.to_string())
                .expected("finite numbers that are not negative"));
        }
    };
    let figures = latency.figures().ok();
    let percentile =
        |pick: fn(&Figures) -> Percentile| figures.as_ref().and_then(|figures| pick(figures).value());
    let measurement = CanaryMeasurement {
        samples: Sha256Digest::of(&bytes),
        requests: Count64((latency.samples_ms.len() as u64).saturating_add(errors)),
        errors: Count64(errors),
        p50_ms: percentile(|figures| figures.p50),
        p95_ms: percentile(|figures| figures.p95),
        p99_ms: percentile(|figures| figures.p99),
    };
    Ok(Judged { phase, verdict: came_to, broken, measurement, bytes })
}

/// A target names the GPU of the machine that it is; a machine with another GPU is another target.
pub fn check_target(target: &str, machine: &Environment) -> Result<()> {
    let Some(gpu) = &machine.gpu else { return Ok(()) };
    let (interface, _) = target.split_once("_on_").unwrap_or((target, ""));
    let here = runtime_target(interface, gpu);
    if here == target {
        return Ok(());
    }
    Err(CliError::usage("this machine is not the route's runtime target")
        .field("runtime target")
        .found(here)
        .expected(target.to_owned())
        .help("run this beside the runtime: a result of another GPU proves nothing about this one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_never_looser_than_the_policy() {
        let limits = Thresholds {
            p99_ms: Some(30.0),
            throughput_per_s: Some(50.0),
            memory_bytes: Some(Count64(1000)),
            ..Thresholds::default()
        };
        let same = limits;
        let plan = |change: fn(&mut Thresholds)| {
            let mut plan = same;
            change(&mut plan);
            looser(&plan, &limits).map(|(name, ..)| name)
        };
        assert_eq!(plan(|_| {}), None);
        assert_eq!(plan(|plan| plan.p99_ms = Some(29.0)), None);
        assert_eq!(plan(|plan| plan.p50_ms = Some(1.0)), None);
        assert_eq!(plan(|plan| plan.p99_ms = Some(31.0)), Some("p99Ms"));
        assert_eq!(plan(|plan| plan.p99_ms = Some(f64::NAN)), Some("p99Ms"));
        assert_eq!(plan(|plan| plan.p99_ms = None), Some("p99Ms"));
        assert_eq!(plan(|plan| plan.throughput_per_s = Some(49.0)), Some("throughputPerS"));
        assert_eq!(plan(|plan| plan.throughput_per_s = Some(60.0)), None);
        assert_eq!(plan(|plan| plan.memory_bytes = Some(Count64(1001))), Some("memoryBytes"));
    }

    #[test]
    fn a_machine_with_another_gpu_is_another_target() {
        let machine =
            |gpu: Option<&str>| Environment { gpu: gpu.map(str::to_owned), ..Environment::default() };
        check_target("native_cpp_on_nvidia_h200", &machine(None)).unwrap();
        check_target("native_cpp_on_nvidia_h200", &machine(Some("NVIDIA H200"))).unwrap();
        let error =
            check_target("native_cpp_on_nvidia_h200", &machine(Some("NVIDIA L40S"))).unwrap_err().to_string();
        assert!(error.contains("native_cpp_on_nvidia_l40s"), "{error}");
    }
}
