//! What a worker's build came to.

use std::collections::BTreeMap;

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        build::{BuilderKind, Failure, FailureStage, Language, NetworkRecord, Outcome},
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    judge::{
        outcome::{EndFacts, outcome},
        rebuild::WEIGHTS,
        timing_cache::CachePolicy,
    },
    log::digest::Sha256Digest,
};
use serde_json::{Value, json};

use super::{
    artifact::Cleaned,
    external::inventory::PLAN_MEDIA_TYPE,
    protocol::{BuildOrder, LibraryFamily},
    record::Record,
    request,
    summary::{Findings, killed, signal_name},
    supervisor::Watched,
    weights::ExternalWeights,
};

/// How many files of weights the summary names; the config hash is of all.
const MAX_WEIGHTS: usize = 32;

/// What the supervisor itself has of a worker's build.
pub struct Ordered<'a> {
    /// What was ordered.
    pub order: &'a BuildOrder,
    /// The model's files, as the supervisor read them.
    pub model: &'a ModelFiles,
    /// What was found when cleaning up.
    pub cleaned: &'a Cleaned,
    /// The plan that stands under its name, where one does.
    pub plan: Option<(Sha256Digest, u64)>,
    /// The timing cache, where it was set apart.
    pub cache: Option<&'a Artifact>,
}

/// Judges and gathers.
pub fn findings(watched: &Watched, context: &Ordered<'_>) -> Findings {
    let record = &watched.record;
    let outcome = end_of(watched, context.plan.is_some());
    let network = network(record, context);
    Findings {
        language: Language::Cpp,
        builder: builder_kind(record, context.order),
        outcome,
        failure: failure(watched, outcome, context.cleaned),
        config_hash: request::config_hash(&network.digest, &context.model.weights, context.order),
        network,
        settings: settings(record, context),
        profiles: context.order.profiles.clone(),
        timing_cache: timing_cache(watched, context.order),
        output_path: context.order.output.clone(),
        artifacts: artifacts(context),
        cleanup: match (context.cleaned.status, context.cache) {
            (CleanupStatus::NotNeeded | CleanupStatus::Cleaned, Some(_)) => CleanupStatus::Quarantined,
            (status, _) => status,
        },
    }
}

/// The model's files.
#[derive(Debug, Clone)]
pub struct ModelFiles {
    /// The digest of the model file itself.
    pub digest: Sha256Digest,
    /// Its length in bytes.
    pub bytes: u64,
    /// The files in which it keeps weights.
    pub weights: Vec<ExternalWeights>,
}

/// How the attempt ended.
fn end_of(watched: &Watched, plan_written: bool) -> Outcome {
    let record = &watched.record;
    let done = record.done.as_ref();
    outcome(EndFacts {
        killed: watched.killed,
        worker_died: done.is_none(),
        plan_written,
        cancel_requested: record.cancel.is_some(),
        stop_answered: record.cancel.as_ref().is_some_and(|cancel| cancel.acknowledged_ns.is_some()),
        library_says_cancelled: done.is_some_and(|done| done.library_says_cancelled.is_some()),
        stopped_outside_build: done.is_some_and(|done| done.stopped_outside_build),
    })
}

fn builder_kind(record: &Record, order: &BuildOrder) -> BuilderKind {
    match record.library.as_ref().map(|library| library.family) {
        Some(LibraryFamily::TensorrtRtx) => BuilderKind::TensorrtRtx,
        Some(LibraryFamily::Tensorrt) => BuilderKind::Tensorrt,
        // No library was loaded: the one that was meant, by its name; RTX is looked for first.
        None if order.library.as_deref().is_some_and(|path| path.contains("nvinfer")) => {
            BuilderKind::Tensorrt
        }
        None => BuilderKind::TensorrtRtx,
    }
}

fn network(record: &Record, context: &Ordered<'_>) -> NetworkRecord {
    let source = context.order.model.clone();
    match &record.network {
        // What the parser got counts, not what stood in the file before.
        Some(network) => NetworkRecord { source, ..network.clone() },
        None => NetworkRecord {
            source,
            digest: context.model.digest,
            bytes: context.model.bytes,
            layers: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            strongly_typed: true,
        },
    }
}

/// What the library holds, if it got so far; else what was asked for.
fn settings(record: &Record, context: &Ordered<'_>) -> BTreeMap<String, Value> {
    let mut settings = builder_settings(record, context.order);
    if !context.model.weights.is_empty() {
        settings.insert(WEIGHTS.to_owned(), weights_setting(&context.model.weights));
    }
    settings
}

/// The files of weights as a summary lists them; null where there are none.
pub fn weights_setting(weights: &[ExternalWeights]) -> Value {
    if weights.is_empty() { Value::Null } else { json!(weights[..weights.len().min(MAX_WEIGHTS)]) }
}

fn builder_settings(record: &Record, order: &BuildOrder) -> BTreeMap<String, Value> {
    if let Some(held) = record.done.as_ref().map(|done| &done.settings).filter(|held| !held.is_empty()) {
        return held.clone();
    }
    let mut asked = BTreeMap::new();
    let mut put = |name: &str, there: bool, value: Value| {
        if there {
            asked.insert(name.to_owned(), value);
        }
    };
    put("flags", !order.flags.is_empty(), json!(order.flags));
    put("optimizationLevel", order.optimization_level.is_some(), json!(order.optimization_level));
    let targets: Vec<String> = order.targets.iter().map(|target| format!("sm{target}")).collect();
    put("targets", !targets.is_empty(), json!(targets));
    put("threads", order.threads.is_some(), json!(order.threads));
    asked
}

fn artifacts(context: &Ordered<'_>) -> Vec<Artifact> {
    let plan = context.plan.map(|(digest, bytes)| Artifact {
        name: context.order.output.clone(),
        kind: ArtifactKind::Plan,
        bytes,
        digest: Some(digest),
        disposition: Disposition::Kept,
        media_type: Some(PLAN_MEDIA_TYPE.to_owned()),
        digest_before: None,
    });
    plan.into_iter().chain(context.cleaned.partial.clone()).chain(context.cache.cloned()).collect()
}

/// What the worker said of the cache; where it died before, what must be assumed.
fn timing_cache(watched: &Watched, order: &BuildOrder) -> (TimingCacheMode, TimingCacheRecord) {
    let record = &watched.record;
    let file = order.timing_cache.clone();
    let policy = order.cache.concerns(file.is_some()).map_or("none", CachePolicy::name).to_owned();
    if let Some(facts) = record.cache.clone() {
        let cache = TimingCacheRecord {
            file: facts.file.or(file),
            digest_before: facts.digest_before,
            digest_after: facts.digest_after,
            bytes_before: facts.bytes_before,
            bytes_after: facts.bytes_after,
            policy,
            reasons: facts.reasons,
            changes: facts.changes,
        };
        return (facts.mode, cache);
    }
    let family = record.library.as_ref().map(|library| library.family);
    let meant = file.is_some() || order.cache.from_library;
    let (mode, reason) = match (family, meant, record.times.build_began) {
        (Some(LibraryFamily::TensorrtRtx), ..) => {
            (TimingCacheMode::NotApplicable, "TensorRT-RTX makes no use of a timing cache")
        }
        (_, false, _) => (TimingCacheMode::Cold, "none was offered"),
        (_, true, None) => (TimingCacheMode::Discarded, "the build call was never made"),
        (_, true, Some(_)) => (
            TimingCacheMode::Quarantined,
            "the worker's last word on it is missing: what came back is not kept",
        ),
    };
    let cache = TimingCacheRecord {
        file,
        digest_before: None,
        digest_after: None,
        bytes_before: None,
        bytes_after: None,
        policy,
        reasons: vec![reason.to_owned()],
        changes: None,
    };
    (mode, cache)
}

fn failure(watched: &Watched, outcome: Outcome, cleaned: &Cleaned) -> Option<Failure> {
    let record = &watched.record;
    let told = record.failure.clone();
    let mut failure = match outcome {
        Outcome::Completed | Outcome::CancelRequestedButCompleted | Outcome::Cancelled => return None,
        Outcome::Killed => Failure {
            stage: FailureStage::Worker,
            message: killed("worker", record.cancel.as_ref()),
            records: Vec::new(),
            signal: watched.signal(),
        },
        Outcome::Crashed => Failure {
            stage: FailureStage::Worker,
            message: match (watched.signal(), watched.status.and_then(|status| status.code())) {
                (Some(signal), _) => format!("the worker died of signal {signal}{}", signal_name(signal)),
                (None, Some(code)) => format!("the worker ended with code {code} and without a last word"),
                (None, None) => "the worker ended without a last word".to_owned(),
            },
            records: told.map_or_else(Vec::new, |told| told.records),
            signal: watched.signal(),
        },
        Outcome::Failed => match told {
            Some(told) => {
                Failure { stage: told.stage, message: told.message, records: told.records, signal: None }
            }
            None => Failure {
                stage: FailureStage::Build,
                message: "the library returned no plan and said nothing".to_owned(),
                records: Vec::new(),
                signal: None,
            },
        },
    };
    failure.records.extend(cleaned.problem.clone());
    Some(failure)
}
