//! Canaries (`urn:acta:canary:v1`): a bundle that takes a part of the traffic, the plan for it and what came of it.

use serde::{Deserialize, Serialize};

use super::{chain::ChainLink, number::Count64, route::Thresholds};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// Where a canary stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CanaryPhase {
    /// It is planned.
    Planned,
    /// It takes traffic.
    Running,
    /// It kept its thresholds.
    Pass,
    /// It broke one.
    Failed,
}

/// What is planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanaryPlan {
    /// The share of the traffic, above 0 and at most 1.
    pub traffic_share: f64,
    /// How many requests a verdict needs.
    pub min_samples: u32,
    /// For how long it runs at least.
    pub duration_ms: f64,
    /// What it must keep.
    pub thresholds: Thresholds,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanaryMeasurement {
    /// The raw samples.
    pub samples: Sha256Digest,
    /// How many requests there were, failed ones included.
    pub requests: Count64,
    /// How many failed.
    pub errors: Count64,
    /// The median latency; none where there are too few samples.
    pub p50_ms: Option<f64>,
    /// The 95th percentile.
    pub p95_ms: Option<f64>,
    /// The 99th percentile.
    pub p99_ms: Option<f64>,
}

/// An entry about a canary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CanaryRecord {
    /// The route.
    pub route: String,
    /// The bundle.
    pub bundle: Sha256Digest,
    /// Where it stands.
    pub phase: CanaryPhase,
    /// The plan that it follows.
    pub plan: CanaryPlan,
    /// Where it runs.
    pub runtime_target: String,
    /// What was measured; pass and failed need it.
    pub measurement: Option<CanaryMeasurement>,
    /// What was broken, by the threshold's name.
    pub broken: Vec<String>,
    /// When.
    pub at: Timestamp,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for CanaryRecord {
    const TYPE: &'static str = "urn:acta:canary:v1";
}
