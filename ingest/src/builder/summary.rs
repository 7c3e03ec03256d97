//! From what was watched to what is signed: what every build has in common, whoever called the library.
//!
//! What only one kind of build can tell (what was ordered, what it made, how it ended) comes as [`Findings`], from
//! [`super::worker_summary`] or [`super::external::summary`].

use std::{collections::BTreeMap, path::Path};

use acta_ledger::{
    evidence::{
        artifact::{Artifact, CleanupStatus},
        build::{
            BuildSummary, BuilderKind, Durations, FRAMEWORK, Failure, GpuRecord, HostRecord, Language,
            LibraryRecord, NO_GPU, NetworkRecord, Outcome, PhaseTreeRef, ProfileRecord, Purpose, RunRef,
            ValidationStatus,
        },
        cancel::CancelSource,
        chain::ChainLink,
        number::ms,
        phase_tree::PhaseTree,
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    judge::outcome::retry_policy,
    log::{digest::Sha256Digest, jcs, statement::Subject},
};
use serde_json::Value;

use super::{
    cancel::{Around, Cancel},
    framing::cut,
    record::Record,
    stop::StopDeadline,
    supervisor::Watched,
};
use crate::clock::Epoch;

/// How many words of the command line are kept, and how long each may be.
const MAX_WORDS: (usize, usize) = (64, 256);

/// How long a summary may be: in an envelope it grows by a third, and an entry has at most 65,535 bytes.
const MAX_SUMMARY_BYTES: usize = 46_000;

/// The library's version where nobody said it.
pub const UNKNOWN_VERSION: &str = "unknown";

/// What one kind of build tells.
#[derive(Clone)]
pub struct Findings {
    /// The surface that called the library.
    pub language: Language,
    /// What built.
    pub builder: BuilderKind,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, where it did.
    pub failure: Option<Failure>,
    /// The digest of the builder's inputs.
    pub config_hash: Sha256Digest,
    /// The network.
    pub network: NetworkRecord,
    /// Builder settings that are not the library's defaults.
    pub settings: BTreeMap<String, Value>,
    /// The optimization profile.
    pub profiles: Vec<ProfileRecord>,
    /// What became of the timing cache.
    pub timing_cache: (TimingCacheMode, TimingCacheRecord),
    /// Where the plan was to be written.
    pub output_path: String,
    /// The inventory.
    pub artifacts: Vec<Artifact>,
    /// How cleaning up ended.
    pub cleanup: CleanupStatus,
}

/// Everything beside what was watched and what was found.
pub struct Context<'a> {
    /// Which run and attempt.
    pub run: RunRef,
    /// The pair of clock readings that gives moments their calendar times.
    pub epoch: Epoch,
    /// When the attempt began, in nanoseconds of the monotonic clock.
    pub began_ns: u64,
    /// When cleaning up had ended.
    pub cleaned_ns: u64,
    /// Now: a window that is open was open at least until now.
    pub now_ns: u64,
    /// The machine.
    pub host: HostRecord,
    /// The GPU, where one took part.
    pub gpu: Option<GpuRecord>,
    /// The phase tree and its blob.
    pub tree: Option<(&'a PhaseTree, Sha256Digest, u64)>,
    /// The command line.
    pub command_line: Vec<String>,
    /// What it is built for, where somebody said so.
    pub purpose: Option<Purpose>,
    /// The digest of what `acta run` was given, where it was.
    pub command_digest: Option<Sha256Digest>,
    /// Who runs the program.
    pub who: Option<String>,
}

/// Puts the summary together.
pub fn summarize(
    watched: &Watched,
    findings: Findings,
    context: &Context<'_>,
    link: ChainLink,
) -> BuildSummary {
    let record = &watched.record;
    let cancel = record.cancel.as_ref().map(|cancel| {
        let around = Around {
            began_ns: record.times.build_began,
            returned_ns: record.times.build_returned,
            written_ns: record.times.write_ended,
            ended_ns: watched.ended_ns,
            cleaned_ns: context.cleaned_ns,
            windows: record.windows.spans(),
            now_ns: context.now_ns,
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
    let made_something = findings.artifacts.iter().any(Artifact::is_product);
    let validation = if made_something { ValidationStatus::Pending } else { ValidationStatus::NotApplicable };
    let (timing_cache_mode, timing_cache) = findings.timing_cache;
    let mut summary = BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: record
            .library
            .as_ref()
            .map_or_else(|| UNKNOWN_VERSION.to_owned(), |library| library.version.to_string()),
        language: findings.language,
        build_config_hash: findings.config_hash,
        gpu_sku,
        timing_cache_mode,
        cancel_source,
        cancel_latency_ms: cancel.as_ref().and_then(|cancel| cancel.request_to_ack_ms),
        cleanup_status: findings.cleanup,
        retry_policy: retry_policy(findings.outcome, timing_cache_mode),
        validation_status: validation,
        run: context.run.clone(),
        outcome: findings.outcome,
        builder: findings.builder,
        started_at: context.epoch.at(context.began_ns),
        finished_at: context.epoch.at(context.cleaned_ns),
        library: library(watched),
        host: context.host.clone(),
        gpu: context.gpu.clone(),
        network: findings.network,
        settings: findings.settings,
        profiles: findings.profiles,
        command_line: command_line(&context.command_line),
        purpose: context.purpose,
        command_digest: context.command_digest,
        duration_ms: durations(record, context),
        phase_tree: context.tree.map(|(tree, digest, bytes)| tree_ref(tree, digest, bytes)),
        events: watched.blobs.events.clone(),
        log: watched.blobs.log.clone(),
        resources: watched.resources,
        output_path: findings.output_path,
        artifacts: findings.artifacts,
        timing_cache,
        cancel,
        failure: findings.failure,
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
        summary.profiles.truncate(keep);
        summary.artifacts.truncate(keep);
        if let Some(cancel) = &mut summary.cancel {
            cancel.open_at_request.truncate(keep * 4);
            cancel.open_at_acknowledgement.truncate(keep * 4);
        }
        if let Some(failure) = &mut summary.failure {
            failure.records.truncate(keep);
        }
    }
}

/// What the statement speaks about: what came out and stands there, and the network.
pub fn subjects(summary: &BuildSummary) -> Vec<Subject> {
    let name = |path: &str| {
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| path.to_owned())
    };
    let made = summary.artifacts.iter().filter(|artifact| artifact.is_product());
    let made = made.filter_map(|artifact| Some(Subject::new(name(&artifact.name), artifact.digest?)));
    let network = Subject::new(name(&summary.network.source), summary.network.digest);
    made.chain([network]).collect()
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

fn durations(record: &Record, context: &Context<'_>) -> Durations {
    let times = &record.times;
    let between = |from: Option<u64>, to: Option<u64>| Some(ms(to?.saturating_sub(from?)));
    let last_callback = times
        .build_began
        .filter(|_| record.tree.callbacks() > 0)
        .map(|began| began.saturating_add(record.tree.last_event_ns()));
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

/// Why a builder was killed.
pub fn killed(noun: &str, cancel: Option<&Cancel>) -> String {
    let Some(escalated) = cancel.and_then(|cancel| cancel.escalation.as_ref()) else {
        return format!("the {noun} was killed because it did not stop in time");
    };
    match &escalated.deadline {
        Some(StopDeadline { span, from }) => format!(
            "the {noun} was killed by policy: it had not stopped, and the stop of the service may take {span:?} ({from})"
        ),
        None => format!("the {noun} was killed by a person, who pressed Ctrl-C for the third time"),
    }
}

/// What a signal is called, in brackets; empty for an uncommon one.
pub fn signal_name(signal: i32) -> &'static str {
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
