//! What a scenario leaves in which everything went as it should.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::*;
use crate::evidence::{
    acceptance::{CACHES, ListedFile, PLANS},
    artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
    build::{
        BlobRef, Durations, FRAMEWORK, HostRecord, Language, LibraryRecord, LibraryVersion, NO_GPU,
        NetworkRecord, PhaseTreeRef, Resources, RetryPolicy, RunRef, TensorRecord, ValidationStatus,
    },
    cancel::{CancelRecord, CancelSource, CancelState},
    chain::ChainLink,
    event::EVENT_LOG_MEDIA_TYPE,
    number::Count64,
    phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    timing_cache::{TimingCacheMode, TimingCacheRecord},
};
use crate::log::timestamp::Timestamp;

pub(super) fn at(ms: i64) -> Timestamp {
    Timestamp::from_unix_ms(1_796_000_000_000 + ms).unwrap()
}

/// One run as it should be.
pub(super) fn attempt(number: u128, role: Role, scenario: Scenario) -> (ScenarioRun, AttemptEvidence) {
    let id = Uuid::from_u128(number);
    let cancelled = role == Role::Faulted;
    let (tree, events) = observed(id, cancelled);
    let (changed, typed) = (role == Role::Reference, scenario == Scenario::StronglyTypedChange);
    let mut settings = BTreeMap::new();
    if matches!(scenario, Scenario::DeepTacticSearch | Scenario::SlowBuilderSettings) {
        settings.insert("optimizationLevel".to_owned(), json!(5));
    }
    if scenario == Scenario::SlowBuilderSettings {
        settings.insert("threads".to_owned(), json!(1));
    }
    if scenario == Scenario::NewGpuSku {
        settings.insert("targets".to_owned(), json!([if changed { "sm86" } else { "sm120" }]));
    }
    let dtype = if typed && !changed { "float16" } else { "float32" };
    let tensor =
        |name: &str| TensorRecord { name: name.to_owned(), dtype: dtype.to_owned(), dims: vec![8, 64] };
    let network = if typed && changed { "float network" } else { "network" };
    let plan = Artifact {
        name: "/tmp/x/plans/model.plan".to_owned(),
        kind: ArtifactKind::Plan,
        bytes: 4,
        digest: Some(Sha256Digest::of(b"plan")),
        disposition: Disposition::Kept,
        media_type: None,
        digest_before: None,
    };
    let partial = Artifact {
        name: "/tmp/x/plans/.model.plan.acta-partial".to_owned(),
        kind: ArtifactKind::PartialPlan,
        digest: None,
        disposition: Disposition::Removed,
        ..plan.clone()
    };
    let cold = scenario == Scenario::ColdTimingCache && role != Role::Retry;
    let offered = (cold && cancelled).then(|| Sha256Digest::of(b"no cache"));
    let tree_ref = PhaseTreeRef {
        digest: Sha256Digest::of(&tree),
        bytes: tree.len() as u64,
        phases: 2,
        callbacks: 5,
        lost_events: 0,
        longest_silence_ms: 900.0,
        longest_silence_in: None,
    };
    let blob = |bytes: &[u8]| BlobRef {
        digest: Sha256Digest::of(bytes),
        bytes: bytes.len() as u64,
        media_type: EVENT_LOG_MEDIA_TYPE.to_owned(),
    };
    let summary = BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: "1.7.1.116".to_owned(),
        language: Language::Cpp,
        build_config_hash: Sha256Digest::of(format!("{changed}").as_bytes()),
        gpu_sku: NO_GPU.to_owned(),
        timing_cache_mode: TimingCacheMode::NotApplicable,
        cancel_source: if cancelled { scenario.required_source() } else { CancelSource::None },
        cancel_latency_ms: cancelled.then_some(12.5),
        cleanup_status: if cancelled { CleanupStatus::Cleaned } else { CleanupStatus::NotNeeded },
        retry_policy: if cancelled { RetryPolicy::RetryCold } else { RetryPolicy::None },
        validation_status: if cancelled {
            ValidationStatus::NotApplicable
        } else {
            ValidationStatus::Pending
        },
        run: RunRef {
            id,
            route: None,
            attempt: if role == Role::Retry { 2 } else { 1 },
            retry_of: (role == Role::Retry).then(|| Uuid::from_u128(number - 1)),
        },
        outcome: if cancelled { Outcome::Cancelled } else { Outcome::Completed },
        builder: BuilderKind::TensorrtRtx,
        started_at: at(0),
        finished_at: at(1000),
        library: Some(LibraryRecord {
            path: "/lib/libtensorrt_rtx.so".to_owned(),
            digest: Sha256Digest::of(b"library"),
            version: LibraryVersion { major: 1, minor: 7, patch: 1, build: 116 },
            parser_path: None,
            parser_digest: None,
        }),
        host: HostRecord {
            os: "test".to_owned(),
            kernel: "test".to_owned(),
            architecture: "x86_64".to_owned(),
            cpus: 2,
            container: None,
            driver: None,
            cuda: None,
        },
        gpu: None,
        network: NetworkRecord {
            source: "model.onnx".to_owned(),
            digest: Sha256Digest::of(network.as_bytes()),
            bytes: 7,
            layers: Some(3),
            inputs: vec![tensor("x")],
            outputs: vec![tensor("y")],
            strongly_typed: true,
        },
        settings,
        profiles: Vec::new(),
        command_line: vec!["acta".to_owned()],
        purpose: None,
        command_digest: None,
        duration_ms: Durations {
            build: Some(900.0),
            serialize: (!cancelled).then_some(30.0),
            total: 1000.0,
            ..Durations::default()
        },
        phase_tree: Some(tree_ref),
        events: Some(blob(&events)),
        log: Some(blob(b"log")),
        resources: Resources { peak_rss_bytes: Some(1), cpu_ms: Some(1.0), ..Resources::default() },
        output_path: "/tmp/x/plans/model.plan".to_owned(),
        artifacts: vec![if cancelled { partial } else { plan }],
        timing_cache: TimingCacheRecord {
            file: cold.then(|| "/tmp/x/caches/timing.cache".to_owned()),
            digest_before: offered,
            digest_after: None,
            bytes_before: None,
            bytes_after: None,
            policy: "strict".to_owned(),
            reasons: vec!["TensorRT-RTX makes no use of a timing cache".to_owned()],
            changes: None,
        },
        cancel: cancelled.then(|| cancel(scenario.required_source())),
        failure: None,
        chain: ChainLink::new(1, None),
    };
    let file =
        |name: String, content: &[u8]| ListedFile { name, bytes: 4, digest: Sha256Digest::of(content) };
    let before: Vec<_> = offered.iter().map(|_| file(format!("{CACHES}timing.cache"), b"no cache")).collect();
    let made = (!cancelled).then(|| file(format!("{PLANS}model.plan"), b"plan"));
    let after = before.iter().cloned().chain(made).collect();
    let listing = serde_json::to_vec(&FolderListing { run: id, before, after }).unwrap();
    let run = ScenarioRun {
        role,
        run: id,
        entry_digest: Sha256Digest::of(&number.to_be_bytes()),
        outcome: summary.outcome,
        listing: Sha256Digest::of(&listing),
    };
    (run, AttemptEvidence { summary, tree: Some(tree), events: Some(events), listing })
}

/// A tree and its event log.
pub(super) fn observed(run: Uuid, stopped: bool) -> (Vec<u8>, Vec<u8>) {
    let mut builder = PhaseTreeBuilder::new(run);
    let mut log = Vec::new();
    let mut event = |at: u64, name: &str, kind: RawKind<'_>| {
        let line =
            builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None });
        serde_json::to_writer(&mut log, &line).unwrap();
        log.push(b'\n');
    };
    event(1, "Building engine", RawKind::Start { parent: None, steps: 2 });
    event(2, "Optimizing graph", RawKind::Start { parent: Some("Building engine".into()), steps: 1 });
    event(900_000_000, "Optimizing graph", RawKind::Step { step: 0, answered_stop: stopped });
    event(900_000_001, "Optimizing graph", RawKind::Finish);
    event(900_000_002, "Building engine", RawKind::Finish);
    (serde_json::to_vec(&builder.finish(930_000_000, Ending::Returned)).unwrap(), log)
}

pub(super) fn cancel(source: CancelSource) -> CancelRecord {
    CancelRecord {
        request: None,
        source,
        reason: None,
        who: None,
        requested_at: at(500),
        delivered_at: Some(at(501)),
        acknowledged_at: Some(at(512)),
        returned_at: Some(at(513)),
        cleaned_at: Some(at(514)),
        request_to_delivery_ms: Some(0.5),
        request_to_ack_ms: Some(12.5),
        ack_to_return_ms: Some(0.5),
        ack_to_cleanup_ms: Some(1.5),
        censored_after_ms: None,
        requested_offset_ns: Some(Count64(5)),
        acknowledged_offset_ns: Some(Count64(900_000_000)),
        returned_offset_ns: None,
        cleaned_offset_ns: None,
        open_at_request: vec![0],
        open_at_acknowledgement: vec![0, 1],
        phase_at_request: None,
        deferrals: Vec::new(),
        escalation: None,
    }
}

/// A scenario in which everything is as it should be: reference, baseline, cancelled, retry.
pub(super) fn good(scenario: Scenario) -> ScenarioFacts {
    let mut facts = ScenarioFacts::default();
    let all = [(1, Role::Reference), (2, Role::Baseline), (3, Role::Faulted), (4, Role::Retry)];
    let changes = matches!(scenario, Scenario::StronglyTypedChange | Scenario::NewGpuSku);
    for (number, role) in all.into_iter().filter(|(_, role)| changes || *role != Role::Reference) {
        let (run, evidence) = attempt(number, role, scenario);
        facts.runs.push(run);
        facts.evidence.push(evidence);
    }
    facts
}

impl ScenarioFacts {
    pub(super) fn of(&mut self, role: Role) -> &mut AttemptEvidence {
        let position = self.runs.iter().position(|run| run.role == role).unwrap();
        &mut self.evidence[position]
    }

    pub(super) fn relist(&mut self, role: Role, change: impl FnOnce(&mut FolderListing)) {
        let position = self.runs.iter().position(|run| run.role == role).unwrap();
        let mut listing: FolderListing = serde_json::from_slice(&self.evidence[position].listing).unwrap();
        change(&mut listing);
        let bytes = serde_json::to_vec(&listing).unwrap();
        self.runs[position].listing = Sha256Digest::of(&bytes);
        self.evidence[position].listing = bytes;
    }

    pub(super) fn end(&mut self, role: Role, outcome: Outcome) {
        let position = self.runs.iter().position(|run| run.role == role).unwrap();
        self.runs[position].outcome = outcome;
        self.evidence[position].summary.outcome = outcome;
    }

    /// Writes another event log, as an agent that lost something would have signed it.
    pub(super) fn relog(&mut self, role: Role, change: impl FnOnce(&mut Vec<String>)) {
        let evidence = self.of(role);
        let text = String::from_utf8(evidence.events.take().unwrap()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        let bytes = (lines.join("\n") + "\n").into_bytes();
        evidence.summary.events.as_mut().unwrap().digest = Sha256Digest::of(&bytes);
        evidence.events = Some(bytes);
    }

    pub(super) fn retree(&mut self, role: Role, change: impl FnOnce(&mut PhaseTree)) {
        let evidence = self.of(role);
        let mut tree: PhaseTree = serde_json::from_slice(&evidence.tree.take().unwrap()).unwrap();
        change(&mut tree);
        let bytes = serde_json::to_vec(&tree).unwrap();
        evidence.summary.phase_tree.as_mut().unwrap().digest = Sha256Digest::of(&bytes);
        evidence.tree = Some(bytes);
    }

    pub(super) fn remove(&mut self, role: Role) {
        let position = self.runs.iter().position(|run| run.role == role).unwrap();
        self.runs.remove(position);
        self.evidence.remove(position);
    }
}
