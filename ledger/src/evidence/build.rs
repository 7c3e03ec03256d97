//! The build summary (`urn:acta:build-summary:v1`): what one attempt to build an engine was, did and left behind.
//!
//! The first eleven fields are those of the Stuck-Build Acceptance Test, exactly as other tools read them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::{
    artifact::{Artifact, CleanupStatus},
    cancel::{CancelRecord, CancelSource},
    chain::ChainLink,
    timing_cache::{TimingCacheMode, TimingCacheRecord},
};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// The value of `framework`.
pub const FRAMEWORK: &str = "Optijara Stuck-Build Acceptance Test";

/// The value of `gpuSku` where no GPU took part.
pub const NO_GPU: &str = "none (ahead-of-time)";

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A plan came out and nobody had asked to stop.
    Completed,
    /// The library stopped because it was asked to.
    Cancelled,
    /// It was asked to stop and a whole plan came out all the same.
    CancelRequestedButCompleted,
    /// The library, the parser or the agent refused or failed.
    Failed,
    /// The worker process died.
    Crashed,
    /// The worker process was killed because it would not stop.
    Killed,
}

/// What built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuilderKind {
    /// TensorRT-RTX.
    TensorrtRtx,
    /// Enterprise TensorRT.
    Tensorrt,
    /// Another program, watched from outside.
    External,
    /// No library at all: for faults that a library cannot be made to show. No gate accepts it.
    Simulated,
}

/// The surface that called the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// The Python API.
    Python,
    /// The C++ API; `acta build` itself calls it.
    Cpp,
}

/// What should be done next, by the recorded policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryPolicy {
    /// Again, without a timing cache.
    RetryCold,
    /// Again, with the timing cache.
    RetryWithCache,
    /// Back to a known engine.
    Rollback,
    /// A person has to look first.
    Investigate,
    /// Nothing.
    None,
}

/// Whether the engine was validated: progress is never taken for correctness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationStatus {
    /// There is nothing to validate.
    NotApplicable,
    /// Not yet.
    Pending,
    /// It passed.
    Pass,
    /// It failed.
    Fail,
}

/// What an engine is built for, as whoever starts the build says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It is to be served: while nothing else could be, the build is not given up lightly, see
    /// [`judge::window`](crate::judge::window).
    Production,
    /// It is to be tried: nothing depends on it.
    Trial,
}

/// Which run, and which attempt of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRef {
    /// The run's id.
    pub id: Uuid,
    /// The route it is made for.
    pub route: Option<String>,
    /// Which attempt, counted from 1.
    pub attempt: u32,
    /// The attempt before.
    pub retry_of: Option<Uuid>,
}

/// The four version numbers of a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LibraryVersion {
    /// Major.
    pub major: u32,
    /// Minor.
    pub minor: u32,
    /// Patch.
    pub patch: u32,
    /// Build.
    pub build: u32,
}

impl std::fmt::Display for LibraryVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}.{}", self.major, self.minor, self.patch, self.build)
    }
}

/// The library that was really loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LibraryRecord {
    /// Its resolved path.
    pub path: String,
    /// The digest of that file.
    pub digest: Sha256Digest,
    /// All four version numbers, as the library itself says them.
    pub version: LibraryVersion,
    /// The ONNX parser's resolved path.
    pub parser_path: Option<String>,
    /// The digest of that file.
    pub parser_digest: Option<Sha256Digest>,
}

/// The machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostRecord {
    /// Name and version of the operating system.
    pub os: String,
    /// The kernel's release.
    pub kernel: String,
    /// The processor architecture.
    pub architecture: String,
    /// Processors available to the worker.
    pub cpus: u32,
    /// The container runtime, where one is recognised.
    pub container: Option<String>,
    /// The NVIDIA driver's version; none without one.
    pub driver: Option<String>,
    /// The CUDA version that the driver offers; none without one.
    pub cuda: Option<String>,
}

/// The GPU that took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GpuRecord {
    /// Its name.
    pub name: String,
    /// Its UUID.
    pub uuid: String,
    /// Its compute capability, like `9.0`.
    pub compute_capability: String,
}

/// An input or output of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TensorRecord {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub dtype: String,
    /// Its dimensions; -1 where dynamic.
    pub dims: Vec<i64>,
}

/// The network that was built.
///
/// Where another program built, and neither it nor a person named its network, the source is `command: ...`, and
/// digest and length are those of the command's words as canonical JSON: what was built is then known no better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkRecord {
    /// The file it was read from.
    pub source: String,
    /// The file's digest.
    pub digest: Sha256Digest,
    /// The file's length in bytes.
    pub bytes: u64,
    /// Layers after parsing; none if it was not parsed.
    pub layers: Option<u32>,
    /// Inputs after parsing.
    pub inputs: Vec<TensorRecord>,
    /// Outputs after parsing.
    pub outputs: Vec<TensorRecord>,
    /// Whether element types are binding.
    pub strongly_typed: bool,
}

/// One input's shapes of an optimization profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProfileRecord {
    /// The input.
    pub input: String,
    /// The smallest shape.
    pub min: Vec<i64>,
    /// The shape that is optimized for.
    pub opt: Vec<i64>,
    /// The largest shape.
    pub max: Vec<i64>,
}

/// How long each part took. A part that was not reached is none.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Durations {
    /// Reading and parsing the network.
    pub parse: Option<f64>,
    /// From the build call to the end of the last phase.
    pub build: Option<f64>,
    /// From there to the return of the build call: the library serializes and makes no callback.
    pub serialize: Option<f64>,
    /// Writing the plan to disk, syncing and renaming it.
    pub write: Option<f64>,
    /// The whole attempt.
    pub total: f64,
}

/// Where the phase tree is and what it says in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseTreeRef {
    /// The blob.
    pub digest: Sha256Digest,
    /// Its length in bytes.
    pub bytes: u64,
    /// How many phases.
    pub phases: u32,
    /// How many callbacks.
    pub callbacks: u64,
    /// How many events were lost before they could be recorded.
    pub lost_events: u64,
    /// The longest stretch without a callback.
    pub longest_silence_ms: f64,
    /// The innermost phase that was open in it.
    pub longest_silence_in: Option<String>,
}

/// A blob by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlobRef {
    /// Its digest.
    pub digest: Sha256Digest,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its media type.
    pub media_type: String,
}

/// What the worker used at most.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resources {
    /// Resident memory at its peak.
    pub peak_rss_bytes: Option<u64>,
    /// Processor time, user and system together.
    pub cpu_ms: Option<f64>,
    /// Threads at their most.
    pub peak_threads: Option<u32>,
    /// Bytes written to storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// Memory in use on the whole GPU at its peak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_gpu_memory_bytes: Option<u64>,
    /// How busy the whole GPU was at its busiest, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_gpu_utilization_percent: Option<u32>,
}

/// Why an attempt failed, as the library says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Where it failed.
    pub stage: FailureStage,
    /// The first message that explains it.
    pub message: String,
    /// Every record of the error recorder and the parser, bounded.
    pub records: Vec<String>,
    /// The signal that ended the worker, where one did.
    pub signal: Option<i32>,
}

/// Where an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureStage {
    /// Before anything was built: the library, the file, the settings.
    Setup,
    /// Reading the network.
    Parse,
    /// Building.
    Build,
    /// Writing the plan.
    Write,
    /// The worker died.
    Worker,
}

/// The whole summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BuildSummary {
    /// Always [`FRAMEWORK`].
    pub framework: String,
    /// The loaded library's version; `unknown` if none could be loaded.
    pub tensorrt_version: String,
    /// The surface that called the builder.
    pub language: Language,
    /// The digest of the builder's inputs in canonical JSON.
    pub build_config_hash: Sha256Digest,
    /// The GPU's name, or [`NO_GPU`].
    pub gpu_sku: String,
    /// What became of the timing cache.
    pub timing_cache_mode: TimingCacheMode,
    /// Who asked to stop.
    pub cancel_source: CancelSource,
    /// From request to acknowledgement; null where nothing was measured.
    pub cancel_latency_ms: Option<f64>,
    /// How cleaning up ended.
    pub cleanup_status: CleanupStatus,
    /// What should be done next.
    pub retry_policy: RetryPolicy,
    /// Whether the engine was validated.
    pub validation_status: ValidationStatus,

    /// Which run and attempt.
    pub run: RunRef,
    /// How it ended.
    pub outcome: Outcome,
    /// What built.
    pub builder: BuilderKind,
    /// When the attempt began, by the agent's clock.
    pub started_at: Timestamp,
    /// When it had ended.
    pub finished_at: Timestamp,
    /// The loaded library; none if none could be loaded.
    pub library: Option<LibraryRecord>,
    /// The machine.
    pub host: HostRecord,
    /// The GPU; none where none took part.
    pub gpu: Option<GpuRecord>,
    /// The network.
    pub network: NetworkRecord,
    /// Every builder setting that is not the library's default.
    pub settings: BTreeMap<String, Value>,
    /// The optimization profile, an entry an input.
    pub profiles: Vec<ProfileRecord>,
    /// The command that was given.
    pub command_line: Vec<String>,
    /// How long each part took.
    pub duration_ms: Durations,
    /// The phase tree; none if no phase ever began.
    pub phase_tree: Option<PhaseTreeRef>,
    /// The event log.
    pub events: Option<BlobRef>,
    /// The library's and the worker's log lines.
    pub log: Option<BlobRef>,
    /// What the worker used.
    pub resources: Resources,
    /// Where the plan was to be written.
    pub output_path: String,
    /// The inventory.
    pub artifacts: Vec<Artifact>,
    /// The timing cache's record.
    pub timing_cache: TimingCacheRecord,
    /// What it is built for, where somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
    /// The digest of what `acta run` was given: command, folder, patterns, model. Two runs with one digest ran the same
    /// command for the same artifacts. None of other builds, and of runs before it was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_digest: Option<Sha256Digest>,
    /// The cancel, where there was one.
    pub cancel: Option<CancelRecord>,
    /// Why it failed, where it did.
    pub failure: Option<Failure>,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for BuildSummary {
    const TYPE: &'static str = "urn:acta:build-summary:v1";
}

impl BuildSummary {
    /// The blobs that the summary names: they must be stored before it is logged.
    pub fn blobs(&self) -> Vec<Sha256Digest> {
        let tree = self.phase_tree.iter().map(|tree| tree.digest);
        tree.chain(self.events.iter().chain(&self.log).map(|blob| blob.digest)).collect()
    }

    /// The plan that came out, where one did.
    pub fn plan(&self) -> Option<&Artifact> {
        use super::artifact::{ArtifactKind, Disposition};
        self.artifacts
            .iter()
            .find(|artifact| artifact.kind == ArtifactKind::Plan && artifact.disposition == Disposition::Kept)
    }
}
