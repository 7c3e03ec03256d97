//! The Stuck-Build Acceptance Test (`urn:acta:stuck-build-test:v1`): eight criteria, judged in ten fault scenarios.
//!
//! The record is small: what each verdict rests on are the build summaries of the runs that the scenario made, each an
//! entry of its own, named by run and entry digest. [`crate::judge::acceptance`] gives the verdicts, so whoever has those
//! entries and their blobs can judge again and must get the same matrix.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    build::{BuilderKind, HostRecord, Outcome},
    cancel::CancelSource,
    chain::ChainLink,
};
use crate::log::{
    digest::Sha256Digest,
    statement::{Predicate, Subject},
    timestamp::Timestamp,
};

/// How many runs a scenario names at most.
pub const MAX_RUNS: usize = 8;

/// The longest sentence in bytes.
pub const MAX_SENTENCE_BYTES: usize = 160;

/// What must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// An uncancelled build of the same configuration is on record with every fact.
    Baseline,
    /// The phase tree can be rebuilt from the event log.
    Observable,
    /// The required source reaches the builder, which answers at a step.
    Interruptible,
    /// Every cancel's latencies are measured, or counted as censored.
    Measured,
    /// No partial artifact is left where a consumer would look.
    Cleaned,
    /// The timing cache's decision is recorded, and a suspect cache is never reused.
    CacheSafe,
    /// A retry follows the recorded policy and completes.
    Retryable,
    /// Progress is never taken for correctness.
    Separated,
}

impl Criterion {
    /// All of them, in the order of the test.
    pub const ALL: [Self; 8] = [
        Self::Baseline,
        Self::Observable,
        Self::Interruptible,
        Self::Measured,
        Self::Cleaned,
        Self::CacheSafe,
        Self::Retryable,
        Self::Separated,
    ];
}

/// What is done to a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scenario {
    /// The timing cache's file is missing, then damaged.
    ColdTimingCache,
    /// Much to choose from: a wide network at the deepest optimization level.
    DeepTacticSearch,
    /// The same graph with other element types.
    StronglyTypedChange,
    /// Another compute capability than that of the build before.
    NewGpuSku,
    /// Settings that make the build slow on purpose.
    SlowBuilderSettings,
    /// Ctrl-C at the terminal.
    CtrlC,
    /// A request through the program's own interface.
    ProgrammaticCancel,
    /// The shutdown of the service that the build runs in.
    ServiceShutdown,
    /// An editor's stop button.
    IdeStop,
    /// A task of the calling program's own event loop.
    ExternalEventLoop,
}

impl Scenario {
    /// All of them, in the order of the test.
    pub const ALL: [Self; 10] = [
        Self::ColdTimingCache,
        Self::DeepTacticSearch,
        Self::StronglyTypedChange,
        Self::NewGpuSku,
        Self::SlowBuilderSettings,
        Self::CtrlC,
        Self::ProgrammaticCancel,
        Self::ServiceShutdown,
        Self::IdeStop,
        Self::ExternalEventLoop,
    ];

    /// The source from which the cancel must come. Faults of the build itself are cancelled through the program's
    /// interface.
    pub fn required_source(self) -> CancelSource {
        match self {
            Self::CtrlC => CancelSource::CtrlC,
            Self::ServiceShutdown => CancelSource::Service,
            Self::IdeStop => CancelSource::Ide,
            Self::ExternalEventLoop => CancelSource::EventLoop,
            Self::ColdTimingCache
            | Self::DeepTacticSearch
            | Self::StronglyTypedChange
            | Self::NewGpuSku
            | Self::SlowBuilderSettings
            | Self::ProgrammaticCancel => CancelSource::Api,
        }
    }
}

/// What a criterion, a scenario or the whole test came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It was looked at, or could not be: nothing can be said.
    NotRun,
    /// It does not hold.
    Fail,
}

impl Verdict {
    /// What several of them come to: one failure is a failure, and only passes are a pass.
    pub fn of(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().max().unwrap_or(Self::NotRun)
    }
}

/// One criterion in one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriterionRecord {
    /// Which.
    pub criterion: Criterion,
    /// What it came to.
    pub verdict: Verdict,
    /// Why, as a fixed name.
    pub reason: String,
    /// The same in words, with the numbers.
    pub sentence: String,
    /// The runs that it rests on, by their place in the scenario's `runs`, counted from 0.
    pub evidence: Vec<u8>,
}

/// Why a run was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The configuration before the change, where the scenario is a change.
    Reference,
    /// The same configuration as the faulted one, not cancelled.
    Baseline,
    /// The build under the fault, which is asked to stop.
    Faulted,
    /// The retry after it.
    Retry,
}

/// A run that a scenario made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScenarioRun {
    /// What for.
    pub role: Role,
    /// The run.
    pub run: Uuid,
    /// The digest of the entry that tells of it.
    pub entry_digest: Sha256Digest,
    /// How it ended.
    pub outcome: Outcome,
    /// The blob of its [`FolderListing`].
    pub listing: Sha256Digest,
}

/// The media type of a [`FolderListing`].
pub const FOLDER_LISTING_MEDIA_TYPE: &str = "application/vnd.acta.folder-listing+json";

/// Where the names of the consumer's files begin in a listing.
pub const PLANS: &str = "plans/";

/// Where the names of timing caches begin in a listing.
pub const CACHES: &str = "caches/";

/// A file as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListedFile {
    /// Its name, beginning with [`PLANS`] or [`CACHES`]; hidden files are listed too.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its digest.
    pub digest: Sha256Digest,
}

/// What stood in the scenario's folders before a run and after it (blob).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderListing {
    /// The run.
    pub run: Uuid,
    /// Before it began, sorted by name.
    pub before: Vec<ListedFile>,
    /// After it had ended, sorted by name.
    pub after: Vec<ListedFile>,
}

/// Why a scenario was not run, in a fixed name and in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NotRun {
    /// `not_selected`, `stopped` or `no_interface`.
    pub reason: String,
    /// The same in words.
    pub sentence: String,
}

/// One scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScenarioRecord {
    /// Which.
    pub scenario: Scenario,
    /// Why it was not run; none if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<NotRun>,
    /// The eight criteria in their order; empty if it was not run.
    pub criteria: Vec<CriterionRecord>,
    /// The runs in the order in which they were made.
    pub runs: Vec<ScenarioRun>,
}

impl ScenarioRecord {
    /// What it came to.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.criteria.iter().map(|criterion| criterion.verdict))
    }

    /// One of its criteria; none if it was not run.
    pub fn criterion(&self, wanted: Criterion) -> Option<&CriterionRecord> {
        self.criteria.iter().find(|criterion| criterion.criterion == wanted)
    }
}

/// One run of the whole test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptanceRecord {
    /// Always [`super::build::FRAMEWORK`].
    pub framework: String,
    /// Its id.
    pub id: Uuid,
    /// The loaded library's version; `unknown` if nothing was built.
    pub tensorrt_version: String,
    /// The GPU's name, or [`super::build::NO_GPU`].
    pub gpu_sku: String,
    /// What built.
    pub builder: BuilderKind,
    /// The machine.
    pub host: HostRecord,
    /// When it began, by the agent's clock.
    pub started_at: Timestamp,
    /// When it had ended.
    pub finished_at: Timestamp,
    /// The ten scenarios in their order.
    pub scenarios: Vec<ScenarioRecord>,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for AcceptanceRecord {
    const TYPE: &'static str = "urn:acta:stuck-build-test:v1";
}

/// How many scenarios came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Those that were run.
    pub ran: usize,
    /// Those of which every criterion holds.
    pub passed: usize,
    /// Those of which a criterion does not hold.
    pub failed: usize,
}

impl AcceptanceRecord {
    /// What the statement speaks about: the test itself has no bytes, so it is known by its id's digest.
    pub fn subject(&self) -> Subject {
        let name = format!("stuck-build-test:{}", self.id);
        let digest = Sha256Digest::of(name.as_bytes());
        Subject::new(name, digest)
    }

    /// The blobs that the record names: they must be stored before it is logged.
    pub fn blobs(&self) -> Vec<Sha256Digest> {
        self.scenarios.iter().flat_map(|scenario| &scenario.runs).map(|run| run.listing).collect()
    }

    /// How many scenarios came to what.
    pub fn tally(&self) -> Tally {
        let ran = || self.scenarios.iter().filter(|scenario| scenario.not_run.is_none());
        let with = |wanted| ran().filter(|scenario| scenario.verdict() == wanted).count();
        Tally { ran: ran().count(), passed: with(Verdict::Pass), failed: with(Verdict::Fail) }
    }

    /// Whether it has the test's shape: each scenario once and in order, each that ran with the eight criteria.
    pub fn check(&self) -> Result<(), String> {
        let named: Vec<Scenario> = self.scenarios.iter().map(|scenario| scenario.scenario).collect();
        if named != Scenario::ALL {
            return Err("scenarios: expected the ten of the test, each once and in order".to_owned());
        }
        for scenario in &self.scenarios {
            let name = super::code(&scenario.scenario);
            let criteria: Vec<Criterion> = scenario.criteria.iter().map(|it| it.criterion).collect();
            let whole = criteria == Criterion::ALL;
            if whole == scenario.not_run.is_some() || !(whole || criteria.is_empty()) {
                return Err(format!(
                    "scenarios.{name}.criteria: expected the eight of the test, or none and notRun"
                ));
            }
            if scenario.runs.len() > MAX_RUNS {
                return Err(format!("scenarios.{name}.runs: expected at most {MAX_RUNS}"));
            }
            for criterion in &scenario.criteria {
                if criterion.evidence.iter().any(|&place| usize::from(place) >= scenario.runs.len()) {
                    let which = super::code(&criterion.criterion);
                    return Err(format!(
                        "scenarios.{name}.criteria.{which}.evidence: expected runs of the scenario"
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_is_a_failure_and_only_passes_are_a_pass() {
        use Verdict::{Fail, NotRun, Pass};
        for (all, expected) in [
            (vec![], NotRun),
            (vec![Pass, Pass], Pass),
            (vec![Pass, NotRun], NotRun),
            (vec![NotRun, Fail, Pass], Fail),
        ] {
            assert_eq!(Verdict::of(all.clone()), expected, "{all:?}");
        }
    }
}
