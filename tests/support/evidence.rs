//! Evidence for tests: an agent with a key, and build summaries that are well formed and say that they are simulated.

use std::collections::BTreeMap;

use acta_ledger::{
    evidence::{
        acceptance::{
            AcceptanceRecord, Criterion, CriterionRecord, NotRun, Role, Scenario, ScenarioRecord,
            ScenarioRun, Verdict,
        },
        artifact::CleanupStatus,
        build::{
            BuildSummary, BuilderKind, Durations, FRAMEWORK, HostRecord, Language, NO_GPU, NetworkRecord,
            Outcome, PhaseTreeRef, Resources, RetryPolicy, RunRef, ValidationStatus,
        },
        cancel::{CancelSource, CancelState},
        chain::ChainLink,
        number::ms,
        phase_tree::{
            PhaseTree,
            assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
        },
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    log::{
        digest::Sha256Digest,
        key::{PublicKey, SigningKey, sign},
        statement::{Statement, Subject},
        timestamp::Timestamp,
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use uuid::Uuid;

/// An agent's key and what it has to say.
pub struct TestAgent {
    /// Its key.
    pub key: SigningKey,
}

impl TestAgent {
    /// An agent whose key comes from a seed.
    pub fn new(seed: u8) -> Self {
        Self { key: SigningKey::from_bytes(&[seed; 32]) }
    }

    /// Its public key.
    pub fn public(&self) -> PublicKey {
        PublicKey::of(&self.key)
    }

    /// The body of an enrolment request.
    pub fn enrolment(&self, token: &str) -> Value {
        let public_key = self.public().to_base64();
        let message = format!("acta-enrol-v1\n{token}\n{public_key}");
        let signature = STANDARD.encode(sign(&self.key, message.as_bytes()));
        json!({ "token": token, "publicKey": public_key, "signature": signature })
    }

    /// A signed envelope of a matrix, as JSON bytes.
    pub fn acceptance(&self, record: &AcceptanceRecord) -> Vec<u8> {
        let statement = Statement::new(vec![record.subject()], record).expect("a matrix is strict JSON");
        statement.sign(&self.key).expect("a statement has a canonical form").to_canonical_json()
    }

    /// A signed envelope of the summary, as JSON bytes.
    pub fn envelope(&self, summary: &BuildSummary) -> Vec<u8> {
        let subject = Subject::new(summary.network.source.clone(), summary.network.digest);
        let statement = Statement::new(vec![subject], summary).expect("a summary is strict JSON");
        statement.sign(&self.key).expect("a statement has a canonical form").to_canonical_json()
    }
}

/// A summary of a run that a number stands for; it names no blob.
pub fn summary(number: u128) -> BuildSummary {
    let at = |text: &str| text.parse::<Timestamp>().expect("a moment");
    BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: "1.7.1.116".to_owned(),
        language: Language::Cpp,
        build_config_hash: Sha256Digest::of(b"configuration"),
        gpu_sku: NO_GPU.to_owned(),
        timing_cache_mode: TimingCacheMode::NotApplicable,
        cancel_source: CancelSource::None,
        cancel_latency_ms: None,
        cleanup_status: CleanupStatus::NotNeeded,
        retry_policy: RetryPolicy::None,
        validation_status: ValidationStatus::Pending,
        run: RunRef {
            id: Uuid::from_u128(number),
            route: Some("test/route".to_owned()),
            attempt: 1,
            retry_of: None,
        },
        outcome: Outcome::Completed,
        builder: BuilderKind::Simulated,
        started_at: at("2026-11-29T20:00:00Z"),
        finished_at: at("2026-11-29T20:00:02Z"),
        library: None,
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
            source: format!("models/net-{number}.onnx"),
            digest: Sha256Digest::of(&number.to_be_bytes()),
            bytes: 16,
            layers: Some(3),
            inputs: Vec::new(),
            outputs: Vec::new(),
            strongly_typed: true,
        },
        settings: BTreeMap::new(),
        profiles: Vec::new(),
        command_line: vec!["acta".to_owned(), "build".to_owned()],
        purpose: None,
        command_digest: None,
        duration_ms: Durations {
            total: 2000.0,
            build: Some(1500.5),
            serialize: Some(100.25),
            ..Durations::default()
        },
        phase_tree: None,
        events: None,
        log: None,
        resources: Resources::default(),
        output_path: "net.plan".to_owned(),
        artifacts: Vec::new(),
        timing_cache: TimingCacheRecord {
            file: None,
            digest_before: None,
            digest_after: None,
            bytes_before: None,
            bytes_after: None,
            policy: "strict".to_owned(),
            reasons: vec!["no library took part".to_owned()],
            changes: None,
        },
        cancel: None,
        failure: None,
        chain: ChainLink::new(1, None),
    }
}

/// A matrix of the acceptance test that a number stands for: one scenario ran, as builds of these runs.
pub fn acceptance(number: u128, runs: &[(BuildSummary, Sha256Digest)]) -> AcceptanceRecord {
    let first = summary(number);
    let listing = Sha256Digest::of(LISTING);
    let roles = [Role::Baseline, Role::Faulted, Role::Retry];
    let made = runs.iter().zip(roles).map(|((summary, entry_digest), role)| ScenarioRun {
        role,
        run: summary.run.id,
        entry_digest: *entry_digest,
        outcome: summary.outcome,
        listing,
    });
    let made: Vec<ScenarioRun> = made.collect();
    let criterion = |criterion| CriterionRecord {
        criterion,
        verdict: Verdict::NotRun,
        reason: "not_a_library".to_owned(),
        sentence: "a simulated builder shows nothing".to_owned(),
        evidence: vec![0],
    };
    let scenario = |scenario| match scenario {
        Scenario::CtrlC => ScenarioRecord {
            scenario,
            not_run: None,
            criteria: Criterion::ALL.map(criterion).to_vec(),
            runs: made.clone(),
        },
        _ => {
            let (reason, sentence) = ("not_selected".to_owned(), "it was not chosen".to_owned());
            let not_run = Some(NotRun { reason, sentence });
            ScenarioRecord { scenario, not_run, criteria: Vec::new(), runs: Vec::new() }
        }
    };
    AcceptanceRecord {
        framework: FRAMEWORK.to_owned(),
        id: Uuid::from_u128(number),
        tensorrt_version: first.tensorrt_version,
        gpu_sku: first.gpu_sku,
        builder: first.builder,
        host: first.host,
        started_at: first.started_at,
        finished_at: first.finished_at,
        scenarios: Scenario::ALL.map(scenario).to_vec(),
        chain: ChainLink::new(1, None),
    }
}

/// The folder listing that a matrix of [`acceptance`] names.
pub const LISTING: &[u8] = b"{}";

/// A small phase tree as a blob, and what a summary says of it.
pub fn phase_tree(run: Uuid) -> (Vec<u8>, PhaseTreeRef) {
    let mut builder = PhaseTreeBuilder::new(run);
    let mut event = |at: u64, name: &str, kind: RawKind<'_>| {
        builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None });
    };
    event(1_000_000, "Building engine", RawKind::Start { parent: None, steps: 2 });
    event(2_000_000, "Optimizing graph", RawKind::Start { parent: Some("Building engine".into()), steps: 1 });
    event(902_000_000, "Optimizing graph", RawKind::Step { step: 0, answered_stop: false });
    event(903_000_000, "Optimizing graph", RawKind::Finish);
    event(904_000_000, "Building engine", RawKind::Finish);
    let tree = builder.finish(1_000_000_000, Ending::Returned);
    let bytes = serde_json::to_vec(&tree).expect("a tree is JSON");
    let named = tree_ref(&tree, &bytes);
    (bytes, named)
}

/// What a summary says of a phase tree.
pub fn tree_ref(tree: &PhaseTree, bytes: &[u8]) -> PhaseTreeRef {
    PhaseTreeRef {
        digest: Sha256Digest::of(bytes),
        bytes: bytes.len() as u64,
        phases: tree.phases.len() as u32,
        callbacks: tree.callbacks,
        lost_events: tree.lost_events,
        longest_silence_ms: ms(tree.silence.map_or(0, |silence| silence.length_ns())),
        longest_silence_in: tree
            .silence
            .and_then(|silence| silence.phase)
            .map(|phase| tree.phases[phase as usize].name.clone()),
    }
}
