//! What another program's build came to.

use std::{collections::BTreeMap, path::Path};

use acta_ffi::BuilderFlag;
use acta_ledger::{
    evidence::{
        artifact::ArtifactKind,
        build::{BuilderKind, Failure, FailureStage, Language, NetworkRecord, Outcome},
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    judge::{
        baseline::BaselineKey,
        outcome::{CommandEndFacts, Expected, command_outcome},
        timing_cache::{self as cache_judge, Observed},
    },
    log::{digest::Sha256Digest, jcs},
};
use serde_json::{Value, json};

use super::inventory::Settled;
use crate::builder::{
    framing::cut,
    protocol::{BuildOrder, ConfigFacts, LibraryFamily},
    request,
    summary::{Findings, UNKNOWN_VERSION, killed, signal_name},
    supervisor::Watched,
    weights::ExternalWeights,
    worker_summary::ModelFiles,
};

/// SIGINT's number.
const INTERRUPT: i32 = 2;

/// How many of the last lines of output a failure holds.
const MAX_LAST_LINES: usize = 8;

/// The longest source of a network that is only known by its command, in bytes.
const MAX_COMMAND_BYTES: usize = 200;

/// What the supervisor itself has of a command.
pub struct Ran<'a> {
    /// The command's words.
    pub command: &'a [String],
    /// The model, where a person named it.
    pub model: Option<(&'a str, &'a ModelFiles)>,
    /// What is missing of them, in words.
    pub problem: Option<String>,
    /// What became of the files.
    pub settled: Settled,
    /// The patterns of the artifacts.
    pub patterns: &'a [String],
    /// What Model Connect wrote of its times.
    pub timing: Option<Value>,
}

/// How it ended, before any file is touched.
pub fn outcome_of(watched: &Watched, expected: Expected) -> Outcome {
    let record = &watched.record;
    let told = &record.told;
    command_outcome(CommandEndFacts {
        killed: watched.killed,
        died: watched.status.is_none() || watched.signal().is_some(),
        died_of_interrupt: watched.signal() == Some(INTERRUPT),
        succeeded: watched.status.is_some_and(|status| status.success()),
        artifacts: expected,
        cancel_requested: record.cancel.is_some(),
        interrupted: watched.interrupted,
        stop_answered: record.cancel.as_ref().is_some_and(|cancel| cancel.acknowledged_ns.is_some()),
        library_says_cancelled: told.library_says_cancelled.is_some(),
        library_says_failed: told.library_error.is_some(),
        stopped_outside_build: told.stopped_outside_build,
    })
}

/// Judges and gathers.
pub fn findings(watched: &Watched, outcome: Outcome, ran: Ran<'_>) -> Findings {
    let record = &watched.record;
    let told = &record.told;
    let network = network(watched, &ran);
    let weights = ran.model.map_or(&[][..], |(_, model)| &model.weights);
    let plan = ran.settled.artifacts.iter().find(|artifact| {
        artifact.is_product() && matches!(artifact.kind, ArtifactKind::Plan | ArtifactKind::Bundle)
    });
    let output_path =
        plan.map(|plan| plan.name.clone()).or_else(|| ran.patterns.first().cloned()).unwrap_or_default();
    let named = record.network.is_some() || ran.model.is_some();
    Findings {
        language: told.language.unwrap_or_else(|| language_of(ran.command)),
        builder: BuilderKind::External,
        outcome,
        failure: failure(watched, outcome, &ran),
        config_hash: Inputs {
            network: named.then_some(&network.digest),
            weights,
            config: told.config.as_ref(),
            command: ran.command,
        }
        .config_hash(),
        settings: settings(watched, ran.timing),
        profiles: told.config.as_ref().map_or_else(Vec::new, |config| config.profiles.clone()),
        timing_cache: timing_cache(record.library.as_ref().map(|library| library.family)),
        output_path,
        cleanup: ran.settled.status,
        artifacts: ran.settled.artifacts,
        network,
    }
}

fn network(watched: &Watched, ran: &Ran<'_>) -> NetworkRecord {
    match (&watched.record.network, ran.model) {
        // What the parser got counts, not what stood in a file before.
        (Some(told), model) => {
            let named = Some(told.source.clone()).filter(|source| !source.is_empty());
            let source = named.or_else(|| model.map(|(path, _)| path.to_owned()));
            NetworkRecord { source: source.unwrap_or_else(|| "unknown".to_owned()), ..told.clone() }
        }
        (None, Some((path, model))) => unread(path.to_owned(), model.digest, model.bytes),
        (None, None) => {
            let words = words(ran.command);
            let command = format!("command: {}", ran.command.join(" "));
            let source = cut(&command, MAX_COMMAND_BYTES).to_owned();
            unread(source, Sha256Digest::of(&words), words.len() as u64)
        }
    }
}

/// A network of which no parser said anything to the agent.
fn unread(source: String, digest: Sha256Digest, bytes: u64) -> NetworkRecord {
    let (inputs, outputs) = (Vec::new(), Vec::new());
    NetworkRecord { source, digest, bytes, layers: None, inputs, outputs, strongly_typed: false }
}

fn words(command: &[String]) -> Vec<u8> {
    jcs::to_vec(&json!(command)).expect("a list of texts always has a canonical form")
}

/// What a command builds from, as far as it is known.
pub struct Inputs<'a> {
    /// The network, where a client or a person named it.
    pub network: Option<&'a Sha256Digest>,
    /// The files of weights beside the model that a person named.
    pub weights: &'a [ExternalWeights],
    /// How a client's builder is set up.
    pub config: Option<&'a ConfigFacts>,
    /// The command's words.
    pub command: &'a [String],
}

impl Inputs<'_> {
    /// The digest of the builder's inputs: what a client told of them makes the same as the worker's; else it is of the
    /// command's words, and of the network where a person named it.
    pub fn config_hash(&self) -> Sha256Digest {
        match (self.network, self.config) {
            (Some(network), Some(config)) if config.flags_off == 0 => {
                let order = BuildOrder {
                    profiles: config.profiles.clone(),
                    targets: config.targets.clone(),
                    optimization_level: config.optimization_level,
                    threads: config.threads,
                    flags: flags(config.flags_on),
                    ..BuildOrder::default()
                };
                request::config_hash(network, self.weights, &order)
            }
            _ => {
                let inputs = json!({
                    "schema": "urn:acta:command-config:v1",
                    "command": self.command,
                    "network": self.network,
                    "externalWeights": self.weights,
                    "config": self.config,
                });
                let bytes = jcs::to_vec(&inputs);
                Sha256Digest::of(&bytes.expect("texts and small integers have a canonical form"))
            }
        }
    }

    /// The kind of build that it is, with this library on this GPU: the same before its end as in its summary.
    pub fn kind(&self, library: Option<(LibraryFamily, String)>, gpu_sku: String) -> BaselineKey {
        let (family, version) = library.unzip();
        BaselineKey {
            builder: BuilderKind::External,
            tensorrt_version: version.unwrap_or_else(|| UNKNOWN_VERSION.to_owned()),
            gpu_sku,
            build_config_hash: self.config_hash(),
            cache: timing_cache(family).0.into(),
        }
    }
}

fn flags(bits: u32) -> Vec<String> {
    BuilderFlag::in_bits(bits).map(|flag| flag.name().to_owned()).collect()
}

/// The settings by the names that the worker gives them.
fn settings(watched: &Watched, timing: Option<Value>) -> BTreeMap<String, Value> {
    let told = &watched.record.told;
    let mut settings = BTreeMap::new();
    let mut put = |name: &str, there: bool, value: Value| {
        if there {
            settings.insert(name.to_owned(), value);
        }
    };
    if let Some(config) = &told.config {
        put("flags", config.flags_on != 0, json!(flags(config.flags_on)));
        put("flagsOff", config.flags_off != 0, json!(flags(config.flags_off)));
        put("optimizationLevel", config.optimization_level.is_some(), json!(config.optimization_level));
        let targets: Vec<String> = config.targets.iter().map(|target| format!("sm{target}")).collect();
        put("targets", !targets.is_empty(), json!(targets));
        put("threads", config.threads.is_some(), json!(config.threads));
    }
    put("client", told.client.is_some(), json!(told.client));
    put("clients", told.clients > 1, json!(told.clients));
    put("buildTiming", timing.is_some(), json!(timing));
    settings
}

/// Another program attached the cache, or none: the agent saw neither.
fn timing_cache(family: Option<LibraryFamily>) -> (TimingCacheMode, TimingCacheRecord) {
    let rtx = family == Some(LibraryFamily::TensorrtRtx);
    let (mode, reasons) = if rtx {
        cache_judge::judge(&Observed { rtx, ..Observed::default() })
    } else {
        let unknown = "another program called the library: whether it attached a timing cache is not known to the agent";
        (TimingCacheMode::NotApplicable, vec![unknown.to_owned()])
    };
    let record = TimingCacheRecord {
        file: None,
        digest_before: None,
        digest_after: None,
        bytes_before: None,
        bytes_after: None,
        policy: "none: the command's own".to_owned(),
        reasons,
        changes: None,
    };
    (mode, record)
}

/// The surface, where no client said it: by the program that was started.
fn language_of(command: &[String]) -> Language {
    let program = command.first().map(String::as_str).unwrap_or_default();
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_python = name.starts_with("python") || name.ends_with(".py");
    if is_python { Language::Python } else { Language::Cpp }
}

fn failure(watched: &Watched, outcome: Outcome, ran: &Ran<'_>) -> Option<Failure> {
    let told = watched.record.failure.clone();
    let code = watched.status.and_then(|status| status.code());
    let mut records: Vec<String> = told.as_ref().map_or_else(Vec::new, |told| told.records.clone());
    records.extend(watched.record.told.library_error.clone());
    let lines = &watched.tail.lines;
    let last = lines.iter().skip(lines.len().saturating_sub(MAX_LAST_LINES));
    records.extend(last.map(|(stream, line)| format!("{stream}: {line}")));
    let (stage, message) = match outcome {
        Outcome::Completed | Outcome::CancelRequestedButCompleted | Outcome::Cancelled => return None,
        Outcome::Killed => (FailureStage::Worker, killed("command", watched.record.cancel.as_ref())),
        Outcome::Crashed => {
            let message = match watched.signal() {
                Some(signal) => format!("the command died of signal {signal}{}", signal_name(signal)),
                None => "the command ended, and the system does not say how".to_owned(),
            };
            (FailureStage::Worker, message)
        }
        Outcome::Failed => match (told, code) {
            (Some(told), _) => (told.stage, told.message),
            (None, Some(0)) => {
                let problem = ran.problem.clone().unwrap_or_else(|| "nothing came out".to_owned());
                (FailureStage::Build, format!("the command ended with status 0, but {problem}"))
            }
            (None, Some(code)) => {
                let signal = code - 128;
                let shell = match signal_name(signal) {
                    "" => String::new(),
                    name => format!(": so a shell says that a process died of signal {signal}{name}"),
                };
                (FailureStage::Build, format!("the command ended with status {code}{shell}"))
            }
            (None, None) => (FailureStage::Build, "the command failed".to_owned()),
        },
    };
    Some(Failure { stage, message, records, signal: watched.signal() })
}
