//! A small ledger of our own: an agent, runs of every outcome, a log whose signatures and proofs are real.

use acta_app::view::{AgentRow, EntryRow, EntryView, LedgerView, RunLink, RunRow, RunView, Verification};
use acta_ledger::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        build::{
            BlobRef, BuildSummary, BuilderKind, Durations, FRAMEWORK, Failure, FailureStage, HostRecord,
            Language, LibraryRecord, LibraryVersion, NO_GPU, NetworkRecord, Outcome, PhaseTreeRef,
            ProfileRecord, Resources, RetryPolicy, RunRef, TensorRecord, ValidationStatus,
        },
        cancel::{CancelRecord, CancelSource, CancelState},
        chain::ChainLink,
        code,
        number::{Count64, ms},
        phase_tree::{
            PhaseTree,
            assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
        },
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    log::{
        digest::Sha256Digest,
        entry::Entry,
        key::{PublicKey, SigningKey},
        merkle::node_hash,
        note::{NoteKeyType, VerifierKey},
        proof::{Node, Plan},
        statement::{Statement, Subject},
        timestamp::Timestamp,
        tree_head::TreeHead,
        verification::{LoggedEntry, Material, Trust, verify},
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use uuid::Uuid;

const ORIGIN: &str = "acta.example/ledger";
const AGENT: &str = "builder-03";
const SECOND: u64 = 1_000_000_000;

/// When the first run began.
fn begin() -> Timestamp {
    "2026-11-29T20:31:07.000Z".parse().unwrap()
}

/// A run and what it was.
pub struct Run {
    pub summary: BuildSummary,
    pub tree: Option<PhaseTree>,
}

/// Everything that the pages of a test can ask for.
pub struct Ledger {
    log_key: SigningKey,
    portal_key: SigningKey,
    agent_key: SigningKey,
    entries: Vec<Entry>,
    pub runs: Vec<Run>,
    /// Statements that the agent's chain lacks.
    pub missing: Vec<u64>,
}

impl Ledger {
    /// A ledger of these runs: entry 0 enrols the agent, entry n holds run n.
    pub fn of(runs: Vec<Run>) -> Self {
        let [log_key, portal_key, agent_key] = [7, 8, 9].map(|seed| SigningKey::from_bytes(&[seed; 32]));
        let enrolment = AgentKey {
            agent: AGENT.to_owned(),
            public_key: PublicKey::of(&agent_key),
            action: AgentKeyAction::Enrolled,
            at: begin(),
            authorized_by: "admin-1".to_owned(),
        };
        let statement = Statement::new(vec![enrolment.subject()], &enrolment).unwrap();
        let mut entries = vec![Entry::of(&statement.sign(&portal_key).unwrap()).unwrap()];
        for run in &runs {
            let subject = Subject::new(run.summary.network.source.clone(), run.summary.network.digest);
            let statement = Statement::new(vec![subject], &run.summary).unwrap();
            entries.push(Entry::of(&statement.sign(&agent_key).unwrap()).unwrap());
        }
        Self { log_key, portal_key, agent_key, entries, runs, missing: Vec::new() }
    }

    fn size(&self) -> u64 {
        self.entries.len() as u64
    }

    fn node(&self, node: Node) -> Option<Sha256Digest> {
        match node.level {
            0 => self.entries.get(node.index as usize).map(Entry::leaf_hash),
            level => {
                let child = |index| self.node(Node { level: level - 1, index });
                Some(node_hash(&child(node.index * 2)?, &child(node.index * 2 + 1)?))
            }
        }
    }

    fn logged(&self, index: u64) -> LoggedEntry {
        let plan = Plan::inclusion(index, self.size()).unwrap();
        LoggedEntry {
            record: STANDARD.encode(self.entries[index as usize].bytes()),
            index,
            inclusion: plan.assemble(|node| self.node(node)).unwrap(),
        }
    }

    fn root(&self) -> Sha256Digest {
        let mut frontier = acta_ledger::log::merkle::Frontier::default();
        self.entries.iter().for_each(|entry| frontier.append(entry.leaf_hash()));
        frontier.root()
    }

    fn tree_head(&self) -> String {
        let head = TreeHead { origin: ORIGIN.to_owned(), size: self.size(), root: self.root() };
        head.sign(&self.log_key).unwrap().to_string()
    }

    /// What the island fetches.
    pub fn material(&self, index: u64) -> Material {
        Material {
            entry: self.logged(index),
            enrolment: (index > 0).then(|| self.logged(0)),
            tree_head: self.tree_head(),
        }
    }

    fn trust(&self) -> Trust {
        let log = VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&self.log_key)).unwrap();
        Trust { log, portal: PublicKey::of(&self.portal_key) }
    }

    fn verification(&self, index: u64) -> Verification {
        let trust = self.trust();
        Verification {
            report: verify(&self.material(index), &trust),
            log_key: trust.log.to_string(),
            portal_key: trust.portal.to_base64(),
        }
    }

    fn link(&self, number: usize) -> RunLink {
        let run = &self.runs[number - 1].summary;
        RunLink {
            id: run.run.id.to_string(),
            number: number as u64,
            outcome: code(&run.outcome),
            attempt: run.run.attempt,
        }
    }

    pub fn run_view(&self, number: usize) -> Option<RunView> {
        let run = self.runs.get(number.checked_sub(1)?)?;
        let entry = &self.entries[number];
        let id = run.summary.run.id;
        let other = |wanted: &dyn Fn(&Run) -> bool| -> Vec<RunLink> {
            (1..=self.runs.len()).filter(|&n| wanted(&self.runs[n - 1])).map(|n| self.link(n)).collect()
        };
        Some(RunView {
            number: number as u64,
            entry: number as u64,
            entry_digest: entry.digest(),
            agent: AGENT.to_owned(),
            logged_at: run.summary.finished_at,
            summary: run.summary.clone(),
            tree: run.tree.clone(),
            tree_problem: None,
            statement: serde_json::to_string_pretty(&run.summary).unwrap(),
            verification: self.verification(number as u64),
            retry_of: other(&|other| run.summary.run.retry_of == Some(other.summary.run.id)).pop(),
            retried_by: other(&|other| other.summary.run.retry_of == Some(id)),
        })
    }

    pub fn row(&self, number: usize) -> RunRow {
        let summary = &self.runs[number - 1].summary;
        let cancel = summary.cancel.as_ref();
        RunRow {
            id: summary.run.id.to_string(),
            number: number as u64,
            network: summary.network.source.rsplit('/').next().unwrap().to_owned(),
            route: summary.run.route.clone(),
            attempt: summary.run.attempt,
            builder: code(&summary.builder),
            outcome: code(&summary.outcome),
            total_ms: summary.duration_ms.total,
            build_ms: summary.duration_ms.build.zip(summary.duration_ms.serialize).map(|(a, b)| a + b),
            silence_ms: summary.phase_tree.as_ref().map(|tree| tree.longest_silence_ms),
            cancel_latency_ms: cancel.and_then(|cancel| cancel.request_to_ack_ms),
            cancel_censored_ms: cancel.and_then(|cancel| cancel.censored_after_ms),
            cleanup: code(&summary.cleanup_status),
            validation: code(&summary.validation_status),
            cache_mode: code(&summary.timing_cache_mode),
            gpu_sku: summary.gpu_sku.clone(),
            tensorrt_version: summary.tensorrt_version.clone(),
            started_at: summary.started_at,
            entry: number as u64,
            agent: AGENT.to_owned(),
        }
    }

    pub fn entry_view(&self, index: u64) -> Option<EntryView> {
        let entry = self.entries.get(index as usize)?;
        let text: serde_json::Value = serde_json::from_slice(entry.bytes()).unwrap();
        let payload = STANDARD.decode(text["payload"].as_str().unwrap()).unwrap();
        let statement: serde_json::Value = serde_json::from_slice(&payload).unwrap();
        let subject = &statement["subject"][0];
        let logged = self.logged(index);
        Some(EntryView {
            index,
            digest: entry.digest(),
            leaf_hash: entry.leaf_hash(),
            bytes: entry.bytes().len() as u64,
            logged_at: begin().plus_ms(index as i64 * 60_000).unwrap(),
            predicate_type: statement["predicateType"].as_str().map(str::to_owned),
            run: (index > 0).then(|| self.link(index as usize)),
            subjects: vec![(
                subject["name"].as_str().unwrap().to_owned(),
                subject["digest"]["sha256"].as_str().unwrap().to_owned(),
            )],
            statement: serde_json::to_string_pretty(&statement).unwrap(),
            envelope: serde_json::to_string_pretty(&text).unwrap(),
            inclusion: logged.inclusion,
            tree_head: self.tree_head(),
            verification: self.verification(index),
            log_size: self.size(),
        })
    }

    pub fn ledger_view(&self) -> LedgerView {
        let key = PublicKey::of(&self.agent_key);
        let entries = (0..self.size()).rev().take(12).map(|index| {
            let view = self.entry_view(index).unwrap();
            EntryRow {
                index,
                digest: view.digest,
                predicate_type: view.predicate_type.unwrap(),
                signer: if index == 0 { "portal" } else { AGENT }.to_owned(),
                logged_at: view.logged_at,
                run: view.run,
            }
        });
        let trust = self.trust();
        LedgerView {
            origin: ORIGIN.to_owned(),
            size: self.size(),
            root: self.root(),
            signed_at: begin(),
            tree_head: self.tree_head(),
            log_key: trust.log.to_string(),
            portal_key: trust.portal.to_base64(),
            agents: vec![AgentRow {
                name: AGENT.to_owned(),
                key_id: key.id().to_string(),
                public_key: key.to_base64(),
                enrolled_at: 0,
                entries: self.size() - 1,
                last_entry_at: Some(begin()),
                missing: self.missing.clone(),
            }],
            entries: entries.collect(),
            before: self.size().checked_sub(12).filter(|&before| before > 0),
        }
    }
}

/// A run that completed, of these phases.
pub fn run(number: u64, network: &str, tree: Option<PhaseTree>) -> Run {
    let started_at = begin().plus_ms(number as i64 * 137_000).unwrap();
    let build = tree.as_ref().map(|tree| ms(tree.duration.0));
    let total = build.map_or(41.2, |build| build + 61.5);
    let reference = tree.as_ref().map(|tree| PhaseTreeRef {
        digest: Sha256Digest::of(b"tree"),
        bytes: 4_096,
        phases: tree.phases.len() as u32,
        callbacks: tree.callbacks,
        lost_events: tree.lost_events,
        longest_silence_ms: tree.silence.map_or(0.0, |silence| ms(silence.length_ns())),
        longest_silence_in: tree
            .silence
            .and_then(|silence| silence.phase)
            .map(|id| tree.phases[id as usize].name.clone()),
    });
    let blob = |name: &str, media_type: &str| BlobRef {
        digest: Sha256Digest::of(name.as_bytes()),
        bytes: 340_284,
        media_type: media_type.to_owned(),
    };
    let tensor = |name: &str| TensorRecord {
        name: name.to_owned(),
        dtype: "fp32".to_owned(),
        dims: vec![-1, 3, 224, 224],
    };
    let version = LibraryVersion { major: 1, minor: 7, patch: 1, build: 116 };
    let summary = BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: version.to_string(),
        language: Language::Cpp,
        build_config_hash: Sha256Digest::of(b"config"),
        gpu_sku: NO_GPU.to_owned(),
        timing_cache_mode: TimingCacheMode::NotApplicable,
        cancel_source: CancelSource::None,
        cancel_latency_ms: None,
        cleanup_status: CleanupStatus::NotNeeded,
        retry_policy: RetryPolicy::None,
        validation_status: ValidationStatus::Pending,
        run: RunRef {
            id: Uuid::from_u128(u128::from(number)),
            route: Some(format!("bench/{}", network.split('-').next().unwrap())),
            attempt: 1,
            retry_of: None,
        },
        outcome: Outcome::Completed,
        builder: BuilderKind::TensorrtRtx,
        started_at,
        finished_at: started_at.plus_ms(total as i64).unwrap(),
        library: Some(LibraryRecord {
            path: "/opt/tensorrt-rtx/lib/libtensorrt_rtx.so.1.7.1".to_owned(),
            digest: Sha256Digest::of(b"library"),
            version,
            parser_path: Some("/opt/tensorrt-rtx/lib/libtensorrt_onnxparser_rtx.so.1.7.1".to_owned()),
            parser_digest: Some(Sha256Digest::of(b"parser")),
        }),
        host: HostRecord {
            os: "Debian GNU/Linux 12".to_owned(),
            kernel: "6.1.0-26-amd64".to_owned(),
            architecture: "x86_64".to_owned(),
            cpus: 2,
            container: None,
            driver: None,
            cuda: None,
        },
        gpu: None,
        network: NetworkRecord {
            source: format!("/models/{network}.onnx"),
            digest: Sha256Digest::of(network.as_bytes()),
            bytes: 136_677,
            layers: Some(3_901),
            inputs: vec![tensor("input")],
            outputs: vec![tensor("output")],
            strongly_typed: true,
        },
        settings: [("builderOptimizationLevel".to_owned(), 4.into())].into(),
        profiles: vec![ProfileRecord {
            input: "input".to_owned(),
            min: vec![1, 3, 224, 224],
            opt: vec![8, 3, 224, 224],
            max: vec![16, 3, 224, 224],
        }],
        command_line: vec!["acta".to_owned(), "build".to_owned(), format!("{network}.onnx")],
        duration_ms: Durations {
            parse: Some(18.4),
            // The call ends with serializing, in which the library makes no callback.
            build: build.map(|build| build * 0.99),
            serialize: build.map(|build| build * 0.01),
            write: Some(12.2),
            total,
        },
        phase_tree: reference,
        events: tree.as_ref().map(|_| blob("events", "application/x-ndjson")),
        log: Some(blob("log", "text/plain")),
        resources: Resources {
            peak_rss_bytes: Some(1_310_000_000),
            cpu_ms: Some(10_420.0),
            peak_threads: Some(9),
        },
        output_path: format!("/engines/{network}.plan"),
        artifacts: vec![artifact(
            &format!("{network}.plan"),
            ArtifactKind::Plan,
            4_101_332,
            Disposition::Kept,
        )],
        timing_cache: TimingCacheRecord {
            file: None,
            digest_before: None,
            digest_after: None,
            bytes_before: None,
            bytes_after: None,
            policy: "never".to_owned(),
            reasons: vec!["TensorRT-RTX has no timing cache at build time".to_owned()],
        },
        cancel: None,
        failure: None,
        chain: ChainLink { sequence: number, previous: None },
    };
    Run { summary, tree }
}

fn artifact(name: &str, kind: ArtifactKind, bytes: u64, disposition: Disposition) -> Artifact {
    let digest = (bytes > 0).then(|| Sha256Digest::of(name.as_bytes()));
    Artifact { name: name.to_owned(), kind, bytes, digest, disposition }
}

impl Run {
    /// The same run, cancelled: asked and answered at these offsets.
    pub fn cancelled(mut self, requested: u64, answered: Option<u64>) -> Self {
        let summary = &mut self.summary;
        let returned = self.tree.as_ref().map_or(requested, |tree| tree.duration.0);
        let call = summary.started_at.plus_ms(30).unwrap();
        let clock = |ns: u64| call.plus_ms((ns / 1_000_000) as i64);
        let open = self.tree.as_ref().map_or_else(Vec::new, |tree| open_at(tree, requested));
        let open_then =
            answered.and_then(|at| self.tree.as_ref().map(|tree| open_at(tree, at))).unwrap_or_default();
        let latency = answered.map(|at| ms(at.saturating_sub(requested)));
        summary.cancel = Some(CancelRecord {
            source: CancelSource::Api,
            reason: Some("wrong precision in the recipe".to_owned()),
            who: Some("reviewer-2".to_owned()),
            requested_at: clock(requested).unwrap(),
            delivered_at: clock(requested),
            acknowledged_at: answered.and_then(clock),
            returned_at: clock(returned),
            cleaned_at: clock(returned + 31_000_000),
            request_to_delivery_ms: Some(0.4),
            request_to_ack_ms: latency,
            ack_to_return_ms: answered.map(|at| ms(returned.saturating_sub(at))),
            ack_to_cleanup_ms: answered.map(|at| ms((returned + 31_000_000).saturating_sub(at))),
            censored_after_ms: answered.is_none().then(|| ms(returned.saturating_sub(requested))),
            requested_offset_ns: Some(Count64(requested)),
            acknowledged_offset_ns: answered.map(Count64),
            returned_offset_ns: Some(Count64(returned)),
            cleaned_offset_ns: Some(Count64(returned + 31_000_000)),
            open_at_request: open,
            open_at_acknowledgement: open_then,
            deferrals: Vec::new(),
        });
        summary.outcome = Outcome::Cancelled;
        summary.cancel_source = CancelSource::Api;
        summary.cancel_latency_ms = latency;
        summary.cleanup_status = CleanupStatus::Cleaned;
        summary.retry_policy = RetryPolicy::RetryCold;
        summary.validation_status = ValidationStatus::NotApplicable;
        summary.duration_ms.write = None;
        summary.artifacts =
            vec![artifact("engine.plan.part", ArtifactKind::PartialPlan, 0, Disposition::Removed)];
        self
    }

    /// The same run, with another outcome.
    pub fn ended(mut self, outcome: Outcome, cleanup: CleanupStatus) -> Self {
        let summary = &mut self.summary;
        (summary.outcome, summary.cleanup_status) = (outcome, cleanup);
        if outcome == Outcome::CancelRequestedButCompleted {
            summary.validation_status = ValidationStatus::Pending;
            summary.artifacts = vec![artifact("late.plan", ArtifactKind::Plan, 4_101_332, Disposition::Kept)];
        }
        if matches!(outcome, Outcome::Failed | Outcome::Crashed | Outcome::Killed) {
            summary.retry_policy = RetryPolicy::Investigate;
            summary.validation_status = ValidationStatus::NotApplicable;
            summary.artifacts = vec![artifact(
                "engine.plan.part",
                ArtifactKind::PartialPlan,
                8_192,
                Disposition::Quarantined,
            )];
            let crashed = outcome == Outcome::Crashed;
            summary.failure = Some(Failure {
                stage: if crashed { FailureStage::Worker } else { FailureStage::Build },
                message: "Error Code 10: Could not find any implementation for node gemm_1".to_owned(),
                records: vec!["[E] [optimizer.cpp] Error Code 10".to_owned()],
                signal: crashed.then_some(11),
            });
        }
        self
    }

    /// The same run, as the next attempt after another.
    pub fn retry_of(mut self, other: u64) -> Self {
        self.summary.run.retry_of = Some(Uuid::from_u128(u128::from(other)));
        self.summary.run.attempt = 2;
        self
    }

    /// The same run of the simulated builder.
    pub fn simulated(mut self) -> Self {
        self.summary.builder = BuilderKind::Simulated;
        self
    }
}

fn open_at(tree: &PhaseTree, at: u64) -> Vec<u32> {
    let open = |start: u64, end: Option<Count64>| start <= at && end.is_none_or(|end| end.0 >= at);
    tree.phases.iter().filter(|phase| open(phase.started.0, phase.finished)).map(|phase| phase.id).collect()
}

/// Twelve phases, most of the time silent in the last: the shape of a real cancelled build.
pub fn slow_tree() -> PhaseTree {
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let mut record = |at: u64, name: &str, kind: RawKind<'_>| {
        builder.record(RawEvent {
            at: at * 1_000,
            thread: 0,
            name: name.into(),
            kind,
            cancel: CancelState::None,
        });
    };
    let start =
        |parent: Option<&'static str>, steps| RawKind::Start { parent: parent.map(Into::into), steps };
    let step = |answered_stop| RawKind::Step { step: 0, answered_stop };
    let (root, sub, costs) = ("Building engine", "Building engine from subgraph", "Computing profile costs");
    let refit = "Determining refit engines";
    record(14_102, root, start(None, 6));
    record(14_123, "Cloning network graph", start(Some(root), 4));
    (0..4).for_each(|n| record(20_000 + n, "Cloning network graph", step(false)));
    record(29_200, "Cloning network graph", RawKind::Finish);
    record(40_000, "Preparing graph for optimization", start(Some(root), 4));
    (0..4).for_each(|n| record(60_000 + n, "Preparing graph for optimization", step(false)));
    record(121_000, "Preparing graph for optimization", RawKind::Finish);
    record(121_100, sub, start(Some(root), 1));
    record(121_200, "Optimizing graph", start(Some(sub), 30));
    record(146_000, "Optimizing graph", RawKind::Finish);
    record(146_200, costs, start(Some(sub), 5));
    for (n, name) in
        ["Timing tactics", "Timing graph nodes", "Timing tensor reformats"].into_iter().enumerate()
    {
        let at = 160_000 + n as u64 * 700;
        record(at, name, start(Some(costs), 3));
        record(at + 100, name, step(false));
        record(at + 640, name, RawKind::Finish);
    }
    record(162_000, refit, start(Some(costs), 1));
    record(5_277_200, refit, step(true));
    for (at, name) in [(5_277_300, refit), (5_480_000, costs), (5_484_000, sub), (5_486_800, root)] {
        record(at, name, RawKind::Finish);
    }
    builder.finish(5_487 * SECOND / 1_000, Ending::Returned)
}
