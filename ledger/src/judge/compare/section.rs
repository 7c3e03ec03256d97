//! The facts of runs by section, row by row, each beside the baseline's.
//!
//! A row is named as the evidence names it. What is different in every two runs by nature (ids, moments, the place in the
//! agent's chain) is no row: it stands in the head of the comparison.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::fact::{Difference, Fact, difference};
use crate::{
    evidence::{
        artifact::Artifact,
        build::{BuildSummary, TensorRecord},
        code,
        number::Count64,
    },
    log::digest::Sha256Digest,
};

/// What facts are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The network.
    Inputs,
    /// Library, GPU and machine.
    Environment,
    /// What the builder was asked for.
    Settings,
    /// The timing cache.
    Cache,
    /// Times, callbacks and what the worker used.
    Phases,
    /// The cancel, and how cleaning up ended.
    Cancel,
    /// The files.
    Artifacts,
    /// How it ended and whether the engine was validated.
    Validation,
}

impl Section {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Inputs,
        Self::Environment,
        Self::Settings,
        Self::Cache,
        Self::Phases,
        Self::Cancel,
        Self::Artifacts,
        Self::Validation,
    ];

    fn facts(self, summary: &BuildSummary) -> Vec<(String, Fact)> {
        let mut facts = Facts::default();
        match self {
            Self::Inputs => inputs(summary, &mut facts),
            Self::Environment => environment(summary, &mut facts),
            Self::Settings => settings(summary, &mut facts),
            Self::Cache => cache(summary, &mut facts),
            Self::Phases => phases(summary, &mut facts),
            Self::Cancel => cancel(summary, &mut facts),
            Self::Artifacts => artifacts(summary, &mut facts),
            Self::Validation => validation(summary, &mut facts),
        }
        facts.0
    }
}

/// One fact of every run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its name, as the evidence has it.
    pub name: String,
    /// What each run says, in their order; none where a run says nothing.
    pub values: Vec<Option<Fact>>,
    /// How each differs from the first; none where it does not.
    pub differences: Vec<Option<Difference>>,
}

impl Row {
    /// Whether any run differs from the first.
    pub fn differs(&self) -> bool {
        self.differences.iter().any(Option::is_some)
    }
}

/// The rows of one section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionRows {
    /// The section.
    pub section: Section,
    /// Its rows.
    pub rows: Vec<Row>,
    /// How many of them are equal in all runs.
    pub equal: usize,
}

/// The rows of all sections.
pub(super) fn sections(runs: &[&BuildSummary]) -> Vec<SectionRows> {
    Section::ALL
        .into_iter()
        .map(|section| {
            let rows = rows(runs.iter().map(|summary| section.facts(summary)));
            let equal = rows.iter().filter(|row| !row.differs()).count();
            SectionRows { section, rows, equal }
        })
        .collect()
}

/// Rows by name, in the order in which the names come.
fn rows(runs: impl ExactSizeIterator<Item = Vec<(String, Fact)>>) -> Vec<Row> {
    let count = runs.len();
    let mut rows: Vec<Row> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (run, facts) in runs.enumerate() {
        for (name, fact) in facts {
            let place = *places.entry(name).or_insert_with_key(|name| {
                let (values, differences) = (vec![None; count], vec![None; count]);
                rows.push(Row { name: name.clone(), values, differences });
                rows.len() - 1
            });
            rows[place].values[run] = Some(fact);
        }
    }
    for row in &mut rows {
        let (first, values) = (row.values[0].as_ref(), row.values.iter());
        row.differences = values.map(|value| difference(first, value.as_ref())).collect();
    }
    rows
}

/// Facts that are being collected; what is not known is left out.
#[derive(Default)]
struct Facts(Vec<(String, Fact)>);

impl Facts {
    fn put(&mut self, name: impl Into<String>, fact: impl Into<Option<Fact>>) {
        if let Some(fact) = fact.into() {
            self.0.push((name.into(), fact));
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        self.put(name, Fact::Text(text.to_owned()));
    }

    fn maybe_text(&mut self, name: &str, text: Option<&String>) {
        self.put(name, text.cloned().map(Fact::Text));
    }

    fn code(&mut self, name: &str, value: &impl Serialize) {
        self.put(name, Fact::Code(code(value)));
    }

    fn digest(&mut self, name: impl Into<String>, digest: Option<Sha256Digest>) {
        self.put(name, digest.map(Fact::Digest));
    }

    fn ms(&mut self, name: &str, ms: Option<f64>) {
        self.put(name, ms.map(Fact::DurationMs));
    }

    fn bytes(&mut self, name: impl Into<String>, bytes: Option<u64>) {
        self.put(name, bytes.map(|bytes| Fact::Bytes(Count64(bytes))));
    }

    fn count(&mut self, name: &str, count: Option<u64>) {
        self.put(name, count.map(|count| Fact::Count(Count64(count))));
    }

    fn version(&mut self, name: &str, version: Option<&String>) {
        self.put(name, version.cloned().map(Fact::Version));
    }
}

fn inputs(summary: &BuildSummary, facts: &mut Facts) {
    let network = &summary.network;
    let tensor = |tensor: &TensorRecord| {
        let dims: Vec<String> = tensor.dims.iter().map(ToString::to_string).collect();
        format!("{} {}[{}]", tensor.name, tensor.dtype, dims.join("x"))
    };
    let tensors = |tensors: &[TensorRecord]| Fact::Set(tensors.iter().map(tensor).collect());
    facts.text("network.source", &network.source);
    facts.digest("network.digest", Some(network.digest));
    facts.bytes("network.bytes", Some(network.bytes));
    facts.count("network.layers", network.layers.map(u64::from));
    facts.put("network.inputs", tensors(&network.inputs));
    facts.put("network.outputs", tensors(&network.outputs));
    facts.put("network.stronglyTyped", Fact::Flag(network.strongly_typed));
    facts.maybe_text("run.route", summary.run.route.as_ref());
}

fn environment(summary: &BuildSummary, facts: &mut Facts) {
    facts.code("builder", &summary.builder);
    facts.version("tensorrtVersion", Some(&summary.tensorrt_version));
    facts.code("language", &summary.language);
    if let Some(library) = &summary.library {
        facts.text("library.path", &library.path);
        facts.digest("library.digest", Some(library.digest));
        facts.digest("library.parserDigest", library.parser_digest);
    }
    facts.text("gpuSku", &summary.gpu_sku);
    if let Some(gpu) = &summary.gpu {
        facts.text("gpu.name", &gpu.name);
        facts.text("gpu.uuid", &gpu.uuid);
        facts.version("gpu.computeCapability", Some(&gpu.compute_capability));
    }
    let host = &summary.host;
    facts.version("host.driver", host.driver.as_ref());
    facts.version("host.cuda", host.cuda.as_ref());
    facts.text("host.os", &host.os);
    facts.text("host.kernel", &host.kernel);
    facts.text("host.architecture", &host.architecture);
    facts.count("host.cpus", Some(host.cpus.into()));
    facts.maybe_text("host.container", host.container.as_ref());
}

fn settings(summary: &BuildSummary, facts: &mut Facts) {
    facts.digest("buildConfigHash", Some(summary.build_config_hash));
    for (name, value) in &summary.settings {
        facts.put(format!("settings.{name}"), of_json(value));
    }
    for profile in &summary.profiles {
        let shapes = json!({ "min": profile.min, "opt": profile.opt, "max": profile.max });
        facts.put(format!("profiles.{}", profile.input), Fact::Json(shapes));
    }
    facts.put("commandLine", Fact::Set(summary.command_line.iter().cloned().collect()));
}

/// A setting: a list of names is a set, a whole number is a count.
fn of_json(value: &Value) -> Fact {
    let texts = |items: &Vec<Value>| items.iter().map(|it| it.as_str().map(str::to_owned)).collect();
    match value {
        Value::Bool(flag) => Fact::Flag(*flag),
        Value::String(text) => Fact::Text(text.clone()),
        Value::Array(items) => {
            let texts: Option<BTreeSet<String>> = texts(items);
            texts.map_or_else(|| Fact::Json(value.clone()), Fact::Set)
        }
        other => Fact::Json(other.clone()),
    }
}

fn cache(summary: &BuildSummary, facts: &mut Facts) {
    let cache = &summary.timing_cache;
    facts.code("timingCacheMode", &summary.timing_cache_mode);
    facts.put("timingCache.policy", Fact::Code(cache.policy.clone()));
    facts.maybe_text("timingCache.file", cache.file.as_ref());
    facts.digest("timingCache.digestBefore", cache.digest_before);
    facts.digest("timingCache.digestAfter", cache.digest_after);
    facts.bytes("timingCache.bytesBefore", cache.bytes_before);
    facts.bytes("timingCache.bytesAfter", cache.bytes_after);
    if let Some(changes) = cache.changes {
        facts.count("timingCache.changes.added", Some(changes.added));
        facts.count("timingCache.changes.removed", Some(changes.removed));
        facts.count("timingCache.changes.changed", Some(changes.changed));
    }
    facts.put("timingCache.reasons", Fact::Set(cache.reasons.iter().cloned().collect()));
}

fn phases(summary: &BuildSummary, facts: &mut Facts) {
    let durations = summary.duration_ms;
    facts.ms("durationMs.parse", durations.parse);
    facts.ms("durationMs.build", durations.build);
    facts.ms("durationMs.serialize", durations.serialize);
    facts.ms("durationMs.write", durations.write);
    facts.ms("durationMs.total", Some(durations.total));
    if let Some(tree) = &summary.phase_tree {
        facts.count("phaseTree.phases", Some(tree.phases.into()));
        facts.count("phaseTree.callbacks", Some(tree.callbacks));
        facts.count("phaseTree.lostEvents", Some(tree.lost_events));
        facts.ms("phaseTree.longestSilenceMs", Some(tree.longest_silence_ms));
        facts.maybe_text("phaseTree.longestSilenceIn", tree.longest_silence_in.as_ref());
    }
    let used = summary.resources;
    facts.bytes("resources.peakRssBytes", used.peak_rss_bytes);
    facts.ms("resources.cpuMs", used.cpu_ms);
    facts.count("resources.peakThreads", used.peak_threads.map(u64::from));
    facts.bytes("resources.writtenBytes", used.written_bytes);
    facts.bytes("resources.peakGpuMemoryBytes", used.peak_gpu_memory_bytes);
    facts.count("resources.peakGpuUtilizationPercent", used.peak_gpu_utilization_percent.map(u64::from));
}

fn cancel(summary: &BuildSummary, facts: &mut Facts) {
    facts.code("cancelSource", &summary.cancel_source);
    if let Some(cancel) = &summary.cancel {
        facts.ms("cancel.requestToDeliveryMs", cancel.request_to_delivery_ms);
        let latency = cancel.request_to_ack_ms.map(Fact::DurationMs);
        facts.put("cancel.requestToAckMs", latency.or(cancel.censored_after_ms.map(Fact::LongerThanMs)));
        facts.ms("cancel.ackToReturnMs", cancel.ack_to_return_ms);
        facts.ms("cancel.ackToCleanupMs", cancel.ack_to_cleanup_ms);
        facts.maybe_text("cancel.reason", cancel.reason.as_ref());
        facts.maybe_text("cancel.who", cancel.who.as_ref());
        let deferred = cancel.deferrals.iter().map(|it| code(&it.window)).collect::<BTreeSet<_>>();
        facts.put("cancel.deferrals", Fact::Set(deferred));
    }
    facts.code("cleanupStatus", &summary.cleanup_status);
    facts.code("retryPolicy", &summary.retry_policy);
}

fn artifacts(summary: &BuildSummary, facts: &mut Facts) {
    facts.text("outputPath", &summary.output_path);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for artifact in &summary.artifacts {
        let kind = code(&artifact.kind);
        let nth = seen.entry(kind.clone()).or_default();
        let name = if *nth == 0 { kind } else { format!("{kind}[{nth}]") };
        *nth += 1;
        of_artifact(artifact, &name, facts);
    }
}

fn of_artifact(artifact: &Artifact, name: &str, facts: &mut Facts) {
    facts.put(format!("{name}.name"), Fact::Text(artifact.name.clone()));
    facts.put(format!("{name}.disposition"), Fact::Code(code(&artifact.disposition)));
    facts.bytes(format!("{name}.bytes"), Some(artifact.bytes));
    facts.digest(format!("{name}.digest"), artifact.digest);
}

fn validation(summary: &BuildSummary, facts: &mut Facts) {
    facts.code("outcome", &summary.outcome);
    facts.code("validationStatus", &summary.validation_status);
    facts.count("run.attempt", Some(summary.run.attempt.into()));
    if let Some(failure) = &summary.failure {
        facts.code("failure.stage", &failure.stage);
        facts.text("failure.message", &failure.message);
        facts.count("failure.signal", failure.signal.and_then(|signal| u64::try_from(signal).ok()));
    }
}
