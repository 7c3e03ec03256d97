//! From what was watched to what is signed.

use std::{collections::BTreeMap, path::Path};

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        build::{
            BuildSummary, BuilderKind, Durations, FRAMEWORK, Failure, FailureStage, GpuRecord, HostRecord,
            Language, LibraryRecord, NO_GPU, NetworkRecord, Outcome, PhaseTreeRef, RunRef, ValidationStatus,
        },
        cancel::CancelSource,
        chain::ChainLink,
        number::ms,
        phase_tree::PhaseTree,
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    judge::{
        outcome::{EndFacts, outcome, retry_policy},
        timing_cache as cache_judge,
    },
    log::{digest::Sha256Digest, jcs, statement::Subject},
};
use serde_json::{Value, json};

use super::{
    artifact::Cleaned,
    cancel::Around,
    framing::cut,
    protocol::{BuildOrder, LibraryFamily},
    record::Record,
    request,
    supervisor::Watched,
    weights::ExternalWeights,
};
use crate::clock::Epoch;

/// How many words of the command line are kept, and how long each may be.
const MAX_WORDS: (usize, usize) = (64, 256);

/// How many files of weights the summary names; the config hash is of all.
const MAX_WEIGHTS: usize = 32;

/// How long a summary may be: in an envelope it grows by a third, and an entry has at most 65,535 bytes.
const MAX_SUMMARY_BYTES: usize = 46_000;

/// Everything beside what was watched.
pub struct Context<'a> {
    /// What was ordered.
    pub order: &'a BuildOrder,
    /// Which run and attempt.
    pub run: RunRef,
    /// The pair of clock readings that gives moments their calendar times.
    pub epoch: Epoch,
    /// When the attempt began, in nanoseconds of the monotonic clock.
    pub began_ns: u64,
    /// When cleaning up had ended.
    pub cleaned_ns: u64,
    /// The model's files, as the supervisor read them.
    pub model: &'a ModelFiles,
    /// The machine.
    pub host: HostRecord,
    /// The GPU, where one took part.
    pub gpu: Option<GpuRecord>,
    /// The phase tree and its blob.
    pub tree: Option<(&'a PhaseTree, Sha256Digest, u64)>,
    /// What was found when cleaning up.
    pub cleaned: &'a Cleaned,
    /// The plan that stands under its name, where one does.
    pub plan: Option<(Sha256Digest, u64)>,
    /// The command line.
    pub command_line: Vec<String>,
    /// Who runs the program.
    pub who: Option<String>,
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
pub fn end_of(watched: &Watched, plan_written: bool) -> Outcome {
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

/// Puts the summary together.
pub fn summarize(watched: &Watched, context: &Context<'_>, link: ChainLink) -> BuildSummary {
    let record = &watched.record;
    let outcome = end_of(watched, context.plan.is_some());
    let network = network(record, context);
    let (mode, cache_record) = timing_cache(watched, context.order);
    let cancel = record.cancel.as_ref().map(|cancel| {
        let around = Around {
            began_ns: record.times.build_began,
            returned_ns: record.times.build_returned,
            written_ns: record.times.write_ended,
            ended_ns: watched.ended_ns,
            cleaned_ns: context.cleaned_ns,
        };
        cancel.record(context.epoch, around, context.who.clone())
    });
    let monitor_failed = record.done.as_ref().is_some_and(|done| !done.monitor_panics.is_empty());
    let cancel_source = match &cancel {
        Some(cancel) => cancel.source,
        None if monitor_failed || record.stop_without_request => CancelSource::MonitorException,
        None => CancelSource::None,
    };
    let gpu_sku = context.gpu.as_ref().map_or_else(|| NO_GPU.to_owned(), |gpu| gpu.name.clone());
    let validation =
        if context.plan.is_some() { ValidationStatus::Pending } else { ValidationStatus::NotApplicable };
    let mut summary = BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: record
            .library
            .as_ref()
            .map_or_else(|| "unknown".to_owned(), |library| library.version.to_string()),
        language: Language::Cpp,
        build_config_hash: request::config_hash(&network.digest, &context.model.weights, context.order),
        gpu_sku,
        timing_cache_mode: mode,
        cancel_source,
        cancel_latency_ms: cancel.as_ref().and_then(|cancel| cancel.request_to_ack_ms),
        cleanup_status: context.cleaned.status,
        retry_policy: retry_policy(outcome, mode),
        validation_status: validation,
        run: context.run.clone(),
        outcome,
        builder: builder_kind(record, context.order),
        started_at: context.epoch.at(context.began_ns),
        finished_at: context.epoch.at(context.cleaned_ns),
        library: library(watched),
        host: context.host.clone(),
        gpu: context.gpu.clone(),
        network,
        settings: settings(record, context),
        profiles: context.order.profiles.clone(),
        command_line: command_line(&context.command_line),
        duration_ms: durations(record, context),
        phase_tree: context.tree.map(|(tree, digest, bytes)| tree_ref(tree, digest, bytes)),
        events: watched.blobs.events.clone(),
        log: watched.blobs.log.clone(),
        resources: watched.resources,
        output_path: context.order.output.clone(),
        artifacts: artifacts(context),
        timing_cache: cache_record,
        cancel,
        failure: failure(watched, outcome, context.cleaned),
        chain: link,
    };
    fit(&mut summary);
    summary
}

/// Shortens the lists until the summary fits into an entry: what is long is in the log's blob anyway.
fn fit(summary: &mut BuildSummary) {
    for keep in [16, 8, 4, 1] {
        if jcs::to_vec(summary).is_ok_and(|bytes| bytes.len() <= MAX_SUMMARY_BYTES) {
            return;
        }
        summary.network.inputs.truncate(keep);
        summary.network.outputs.truncate(keep);
        summary.command_line.truncate(keep * 2);
        summary.timing_cache.reasons.truncate(keep);
        if let Some(failure) = &mut summary.failure {
            failure.records.truncate(keep);
        }
    }
}

/// What the statement speaks about: the plan, if one stands there, and the network.
pub fn subjects(summary: &BuildSummary) -> Vec<Subject> {
    let name = |path: &str| {
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| path.to_owned())
    };
    let plan = summary.plan().and_then(|plan| Some(Subject::new(name(&plan.name), plan.digest?)));
    let network = Subject::new(name(&summary.network.source), summary.network.digest);
    plan.into_iter().chain([network]).collect()
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

fn library(watched: &Watched) -> Option<LibraryRecord> {
    let loaded = watched.record.library.as_ref()?;
    let (digest, parser_digest) = watched.library_digests?;
    Some(LibraryRecord {
        path: loaded.path.clone(),
        digest,
        version: loaded.version,
        parser_path: loaded.parser_path.clone(),
        parser_digest,
    })
}

fn network(record: &Record, context: &Context<'_>) -> NetworkRecord {
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
fn settings(record: &Record, context: &Context<'_>) -> BTreeMap<String, Value> {
    let mut settings = builder_settings(record, context.order);
    if !context.model.weights.is_empty() {
        let named = &context.model.weights[..context.model.weights.len().min(MAX_WEIGHTS)];
        settings.insert("externalWeights".to_owned(), json!(named));
    }
    settings
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

fn durations(record: &Record, context: &Context<'_>) -> Durations {
    let times = &record.times;
    let between = |from: Option<u64>, to: Option<u64>| Some(ms(to?.saturating_sub(from?)));
    let last_callback = times
        .build_began
        .filter(|_| record.tree.callbacks() > 0)
        .map(|began| began + record.tree.last_event_ns());
    let returned_with_plan = times.build_returned.filter(|_| times.write_began.is_some());
    Durations {
        parse: between(times.parse_began, times.parse_ended),
        build: between(times.build_began, last_callback.or(times.build_returned)),
        serialize: between(last_callback, returned_with_plan),
        write: between(times.write_began, times.write_ended),
        total: ms(context.cleaned_ns.saturating_sub(context.began_ns)),
    }
}

fn tree_ref(tree: &PhaseTree, digest: Sha256Digest, bytes: u64) -> PhaseTreeRef {
    let silence = tree.silence;
    let in_phase = silence.and_then(|silence| tree.phases.get(silence.phase? as usize));
    PhaseTreeRef {
        digest,
        bytes,
        phases: u32::try_from(tree.phases.len()).unwrap_or(u32::MAX),
        callbacks: tree.callbacks,
        lost_events: tree.lost_events,
        longest_silence_ms: silence.map_or(0.0, |silence| ms(silence.length_ns())),
        longest_silence_in: in_phase.map(|phase| phase.name.clone()),
    }
}

fn artifacts(context: &Context<'_>) -> Vec<Artifact> {
    let plan = context.plan.map(|(digest, bytes)| Artifact {
        name: context.order.output.clone(),
        kind: ArtifactKind::Plan,
        bytes,
        digest: Some(digest),
        disposition: Disposition::Kept,
    });
    plan.into_iter().chain(context.cleaned.partial.clone()).collect()
}

/// What the worker said of the cache; where it died before, what must be assumed.
fn timing_cache(watched: &Watched, order: &BuildOrder) -> (TimingCacheMode, TimingCacheRecord) {
    let record = &watched.record;
    let file = order.timing_cache.clone();
    let policy = cache_judge::POLICY.to_owned();
    if let Some(facts) = record.cache.clone() {
        let cache = TimingCacheRecord {
            file,
            digest_before: facts.digest_before,
            digest_after: facts.digest_after,
            bytes_before: facts.bytes_before,
            bytes_after: facts.bytes_after,
            policy,
            reasons: facts.reasons,
        };
        return (facts.mode, cache);
    }
    let family = record.library.as_ref().map(|library| library.family);
    let (mode, reason) = match (family, &file, record.times.build_began) {
        (Some(LibraryFamily::TensorrtRtx), ..) => {
            (TimingCacheMode::NotApplicable, "TensorRT-RTX makes no use of a timing cache")
        }
        (_, None, _) => (TimingCacheMode::Cold, "none was offered"),
        (_, Some(_), None) => (TimingCacheMode::Discarded, "the build call was never made"),
        (_, Some(_), Some(_)) => (
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
            message: "the worker was killed because it did not stop in time".to_owned(),
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
    if cleaned.status == CleanupStatus::Failed {
        failure.records.extend(cleaned.problem.clone());
    }
    Some(failure)
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL: somebody killed it, or the system ran out of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

fn command_line(words: &[String]) -> Vec<String> {
    words.iter().take(MAX_WORDS.0).map(|word| cut(word, MAX_WORDS.1).to_owned()).collect()
}
