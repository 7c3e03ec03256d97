//! One scenario from its first build to its verdicts.

use std::{fs, path::Path, time::Duration};

use acta_ledger::{
    evidence::{
        acceptance::{
            FOLDER_LISTING_MEDIA_TYPE, FolderListing, ListedFile, NotRun, Role, Scenario, ScenarioRecord,
            ScenarioRun,
        },
        build::{BuildSummary, FailureStage, Outcome},
    },
    judge::acceptance::{AttemptEvidence, ScenarioFacts, judge},
    log::digest::Sha256Digest,
};

use super::{
    attempt::{Made, Maker, Stop},
    folder::Folder,
    host::Host,
    portal::Portal,
    recipe::{Order, Recipe, Way, recipe},
    show::Show,
};
use crate::{
    blob::BlobStore,
    command::{attempt::disk, build::text},
    error::{CliError, Exit, Result},
    home::Home,
    outbox,
};

/// At which percentages of the baseline's build a cancel is tried, until a step answers.
const SHARES: [u32; 4] = [40, 25, 15, 8];

/// After how long a build of the test is cancelled as a CI job would be: none takes nearly as long.
const TIMEOUT: &str = "10m";

/// Runs scenarios.
pub struct Runner<'a> {
    /// The agent's folder.
    pub home: &'a Home,
    /// The program around the builds.
    pub host: &'a Host,
    /// The portal, where it can be asked to stop a build.
    pub portal: Option<&'a Portal>,
    /// The library's file or folder, where one is named.
    pub library: Option<&'a Path>,
    /// The view.
    pub show: &'a Show,
}

/// What a scenario came to.
pub struct Ran {
    /// The record.
    pub record: ScenarioRecord,
    /// The summary of its first build: library, GPU, host.
    pub summary: Option<BuildSummary>,
}

impl Runner<'_> {
    /// Runs a scenario.
    pub fn run(&self, scenario: Scenario) -> Result<Ran> {
        let mut course = Course {
            runner: self,
            scenario,
            folder: Folder::new()?,
            blobs: BlobStore::new(self.home.blobs()),
            facts: ScenarioFacts::default(),
        };
        if let Err(error) = course.follow(&recipe(scenario, self.portal.is_some())) {
            // The signal that stops the test can reach a build before it listens: it dies of it and leaves no record.
            if !self.host.is_stopped() {
                return Err(error);
            }
            self.show.say(&format!("acta: the build that was stopped is not on record: {error}"));
        }
        let Course { facts, .. } = course;
        let summary = facts.evidence.first().map(|evidence| evidence.summary.clone());
        let record = if self.host.is_stopped() {
            ScenarioRecord { runs: facts.runs, ..not_run(scenario, stopped()) }
        } else {
            ScenarioRecord { scenario, not_run: None, criteria: judge(scenario, &facts), runs: facts.runs }
        };
        Ok(Ran { record, summary })
    }
}

/// The record of a scenario that is not run.
pub fn not_run(scenario: Scenario, reason: NotRun) -> ScenarioRecord {
    ScenarioRecord { scenario, not_run: Some(reason), criteria: Vec::new(), runs: Vec::new() }
}

/// The test was stopped.
pub fn stopped() -> NotRun {
    NotRun { reason: "stopped".to_owned(), sentence: "the test was stopped before its end".to_owned() }
}

/// A scenario under way.
struct Course<'a> {
    runner: &'a Runner<'a>,
    scenario: Scenario,
    folder: Folder,
    blobs: BlobStore,
    facts: ScenarioFacts,
}

impl Course<'_> {
    fn follow(&mut self, recipe: &Recipe) -> Result<()> {
        if let Some(reference) = &recipe.reference {
            let made = self.build(Role::Reference, reference, None)?;
            if made.outcome != Outcome::Completed {
                return Ok(());
            }
        }
        if self.runner.host.is_stopped() {
            return Ok(());
        }
        let baseline = self.build(Role::Baseline, &recipe.order, None)?;
        if baseline.outcome != Outcome::Completed || self.runner.host.is_stopped() {
            return Ok(());
        }
        if recipe.damage_cache {
            self.folder.damage_cache()?;
        }
        let Some(cancelled) = self.cancel(recipe, &baseline)? else { return Ok(()) };
        self.retry(&cancelled)
    }

    /// Retries as the evidence recommends; where `acta retry` refuses, nothing is on record.
    fn retry(&mut self, cancelled: &BuildSummary) -> Result<()> {
        let Runner { home, host, portal, show, .. } = *self.runner;
        let run = cancelled.run.id.to_string();
        let arguments = ["retry", &run, "--timeout", TIMEOUT, "--no-push"].map(str::to_owned);
        let before = self.begin(Role::Retry)?;
        match (Maker { home, host, portal }).retry(&arguments) {
            Ok(made) => self.note(Role::Retry, made, before).map(drop),
            Err(error) => {
                show.say(&format!("acta: the retry was refused: {error}"));
                Ok(())
            }
        }
    }

    /// Tries earlier and earlier until a step answers; the run that was cancelled, if one was.
    fn cancel(&mut self, recipe: &Recipe, baseline: &BuildSummary) -> Result<Option<BuildSummary>> {
        let call_ms =
            baseline.duration_ms.build.unwrap_or(0.0) + baseline.duration_ms.serialize.unwrap_or(0.0);
        for share in SHARES {
            let after = Duration::from_secs_f64((call_ms * f64::from(share) / 100_000.0).clamp(0.0, 3600.0));
            let stop = Stop { way: recipe.way, after };
            let made = self.build(Role::Faulted, &recipe.order, Some(stop))?;
            if self.runner.host.is_stopped() {
                return Ok(None);
            }
            match made.outcome {
                Outcome::Cancelled => return Ok(Some(made)),
                Outcome::Completed | Outcome::CancelRequestedButCompleted => {}
                Outcome::Failed | Outcome::Crashed | Outcome::Killed => return Ok(None),
            }
        }
        Ok(None)
    }

    fn build(&mut self, role: Role, order: &Order, stop: Option<Stop>) -> Result<BuildSummary> {
        let mut arguments = self.arguments(order)?;
        // The portal sees a build only of an agent that speaks to it.
        if stop.is_none_or(|stop| stop.way != Way::Portal) {
            arguments.push("--no-push".to_owned());
        }
        let before = self.begin(role)?;
        let Runner { home, host, portal, .. } = *self.runner;
        let made = Maker { home, host, portal }.make(&arguments, stop)?;
        self.note(role, made, before)
    }

    /// Leaves nothing of earlier attempts, and lists what stands there.
    fn begin(&self, role: Role) -> Result<Vec<ListedFile>> {
        self.runner.show.begins(self.scenario, role);
        self.folder.empty_plans()?;
        self.folder.list()
    }

    /// Notes what came of an attempt, with what it left behind.
    fn note(&mut self, role: Role, made: Made, before: Vec<ListedFile>) -> Result<BuildSummary> {
        let Made { summary, digest, asked } = made;
        self.runner.show.ended(self.scenario, role, &summary);
        self.check_library(&summary)?;
        let listing = FolderListing { run: summary.run.id, before, after: self.folder.list()? };
        let listing = outbox::to_json(&listing)?;
        let blob = self.blobs.put(&listing, FOLDER_LISTING_MEDIA_TYPE).map_err(|error| disk(&error))?;
        // A build that was over before it was to be asked is one more that nobody cancelled.
        let role = if role == Role::Faulted && !asked { Role::Baseline } else { role };
        let read =
            |digest: Option<Sha256Digest>| digest.and_then(|digest| fs::read(self.blobs.path(&digest)).ok());
        let evidence = AttemptEvidence {
            tree: read(summary.phase_tree.as_ref().map(|tree| tree.digest)),
            events: read(summary.events.as_ref().map(|events| events.digest)),
            listing,
            summary: summary.clone(),
        };
        let run = ScenarioRun {
            role,
            run: summary.run.id,
            entry_digest: digest,
            outcome: summary.outcome,
            listing: blob.digest,
        };
        self.facts.runs.push(run);
        self.facts.evidence.push(evidence);
        Ok(summary)
    }

    /// Without a library there is nothing to test.
    fn check_library(&self, summary: &BuildSummary) -> Result<()> {
        let failure = summary.failure.as_ref().filter(|failure| failure.stage == FailureStage::Setup);
        match failure.filter(|_| summary.library.is_none()) {
            None => Ok(()),
            Some(failure) => Err(CliError::failure("the test needs a TensorRT library")
                .found(failure.message.clone())
                .help("install TensorRT-RTX (pip install tensorrt-rtx), or name the library: --tensorrt-lib PATH")
                .exit(Exit::BuildFailed)),
        }
    }

    /// The arguments of `acta build`: the same for a build in this process and for one of its own, but for pushing.
    fn arguments(&self, order: &Order) -> Result<Vec<String>> {
        let name = acta_ledger::evidence::code(&self.scenario).replace('_', "-");
        let model = self.folder.model(&name, &order.network.encode())?;
        let mut arguments = vec!["build".to_owned(), text("MODEL", &model)?];
        let mut option = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        option("--output", text("--output", &self.folder.plan())?);
        option("--timeout", TIMEOUT.to_owned());
        if let Some(target) = order.target {
            option("--target", format!("sm{target}"));
        }
        if let Some(level) = order.level {
            option("--opt-level", level.to_string());
        }
        if let Some(threads) = order.threads {
            option("--threads", threads.to_string());
        }
        if order.cache {
            option("--timing-cache", text("--timing-cache", &self.folder.cache())?);
        }
        if let Some(library) = self.runner.library {
            option("--tensorrt-lib", text("--tensorrt-lib", library)?);
        }
        Ok(arguments)
    }
}
