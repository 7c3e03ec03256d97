//! The tool's own form, as far as it is read: fields that are not here are the tool's business.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Run {
    pub(super) run_id: String,
    pub(super) status: String,
    pub(super) started_at: String,
    pub(super) finished_at: Option<String>,
    pub(super) measurement_policy: Policy,
    pub(super) preparation: Preparation,
    pub(super) environment: RunEnvironment,
    pub(super) cells: Vec<Cell>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Policy {
    pub(super) warmup_excluded: bool,
    pub(super) load_excluded: bool,
    pub(super) timing_scope: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Preparation {
    pub(super) bundles: Vec<Prepared>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Prepared {
    pub(super) bundle: String,
    pub(super) status: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct RunEnvironment {
    #[serde(default)]
    pub(super) gpus: Vec<Gpu>,
    pub(super) worker_build: Option<WorkerBuild>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Gpu {
    pub(super) name: String,
    pub(super) uuid: Option<String>,
    pub(super) driver_version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct WorkerBuild {
    pub(super) configuration: Option<String>,
    pub(super) source_revision: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cell {
    pub(super) name: String,
    pub(super) model: String,
    pub(super) operation: String,
    pub(super) status: String,
    pub(super) case_digest: Option<String>,
    pub(super) artifact_dir: Option<String>,
    pub(super) error: Option<String>,
    pub(super) load_ms: Option<f64>,
    pub(super) pipeline_type: Option<String>,
    pub(super) metrics: Option<Metrics>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Metrics {
    pub(super) sample_count: u64,
    pub(super) latency_ms: Printed,
}

/// What the tool printed of its latencies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Printed {
    pub(super) min: f64,
    pub(super) mean: f64,
    pub(super) p50: f64,
    pub(super) p95: f64,
    pub(super) max: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ResolvedCase {
    pub(super) bundle_path: Option<String>,
    pub(super) resolved_case_digest: Option<String>,
    pub(super) measurement: Measurement,
    pub(super) request: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Measurement {
    pub(super) iterations: u64,
    pub(super) warmup: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Telemetry {
    pub(super) mode: String,
    pub(super) sampler: Option<String>,
    pub(super) error: Option<String>,
    pub(super) samples: Vec<BTreeMap<String, Value>>,
}
