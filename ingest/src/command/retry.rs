//! `acta retry`

use std::{
    env,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::build::{BuildSummary, RetryPolicy},
    judge::{
        advice::{DIAGNOSIS, RunFacts, known_engine},
        baseline::{BaselineKey, EntryRef},
    },
};
use clap::Args;

use super::{
    advise::{which, words},
    attempt::AttemptArgs,
    build::{Build, model_files},
    run::Run,
};
use crate::{
    builder::{
        external::order::{CommandOrder, inputs},
        protocol::BuildOrder,
        request,
    },
    error::{CliError, Exit, Result},
    history,
    home::Home,
    job::Job,
    journal::OnPartial,
    runs::{Ordered, RunNote},
    statements,
    ui::Ui,
};

const EXAMPLES: &str = "\
Does what the run's evidence recommends: retry_cold builds again without a timing cache, retry_with_cache
with it. rollback builds nothing and says which engine to go back to; investigate builds nothing and says
what to look at. Inputs and settings are those of the run: the model must still have the same digest.
Of a run of `acta run` the same command runs again in the same folder, for the same artifacts, with the
environment of this call.

Examples:
  acta retry last
  acta retry 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --timeout 30m --json
  acta retry last --anyway";

/// Tries a run again, as its evidence recommends.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Retry {
    /// The run's id, or `last`.
    #[arg(value_name = "RUN")]
    pub run: String,

    /// Builds again although the evidence does not recommend it; cold, unless it had completed.
    #[arg(long)]
    pub anyway: bool,

    /// Cancels when this much time is over: 90s, 10m, 1h30m.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// How long the stop of a service may take, from SIGTERM to the end of everything; else systemd is asked.
    #[arg(long, value_name = "TIME")]
    pub stop_deadline: Option<String>,

    /// Also writes summary, phase tree, events, snapshots and envelope into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub evidence_dir: Option<PathBuf>,

    /// What becomes of a plan that was not finished; of a build only.
    #[arg(long, value_name = "WHAT")]
    pub on_partial: Option<OnPartial>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

impl Retry {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let run = which(home, &self.run)?;
        let (summary, ordered) = on_record(home, run)?;
        let with_cache = self.follow(home, &summary, ui)?;
        let evidence_dir = self.evidence_dir.as_deref().map(std::path::absolute).transpose();
        let evidence_dir = evidence_dir.map_err(|error| {
            CliError::usage("the folder cannot be named").field("--evidence-dir").found(error.to_string())
        })?;
        // The order's paths start where the first attempt was started.
        env::set_current_dir(&ordered.cwd).map_err(|error| {
            CliError::io("go to the folder of the first attempt,", &ordered.cwd, &error).exit(Exit::Usage)
        })?;
        let attempt = AttemptArgs {
            route: summary.run.route.clone(),
            timeout: self.timeout.clone(),
            deadline: None,
            stop_deadline: self.stop_deadline.clone(),
            purpose: summary.purpose,
            retry_of: Some(run.to_string()),
            evidence_dir,
            no_push: self.no_push,
            json: self.json,
        };
        let number = summary.run.attempt.saturating_add(1);
        match &ordered.job {
            Job::Build { order } => {
                check_inputs(&summary, order)?;
                let what = if with_cache { "with its timing cache" } else { "cold" };
                ui.notice(&format!("acta: attempt {number} of run {run}, {what}"));
                let on_partial = self.on_partial.unwrap_or_default();
                Build { on_partial, attempt, ..build_of(order, with_cache) }.run(home, ui)
            }
            Job::Command { command } => {
                self.check_command(&summary, command, &ordered.cwd)?;
                let what = "the same command in the same folder; what it does with a timing cache is its own";
                ui.notice(&format!("acta: attempt {number} of run {run}: {what}"));
                Run { attempt, ..run_of(command) }.run(home, ui)
            }
        }
    }

    /// The command must be the one that is signed, and the model what it was.
    fn check_command(&self, summary: &BuildSummary, command: &CommandOrder, folder: &Path) -> Result<()> {
        if self.on_partial.is_some() {
            return Err(CliError::usage("what becomes of a command's unfinished files is not a choice")
                .field("--on-partial")
                .found("the run is of a command")
                .expected("a run of acta build; a command's files are always set apart"));
        }
        let digest = command.digest(folder);
        if summary.command_digest != Some(digest) {
            let signed =
                summary.command_digest.map_or_else(|| "none".to_owned(), |it| format!("sha256 {it}"));
            return Err(CliError::usage("what was noted of the run does not agree with its evidence")
                .field("commandDigest")
                .found(format!("sha256 {digest}"))
                .expected(signed)
                .help("run the command anew: acta run"));
        }
        let Some(model) = command.model.as_deref().map(Path::new) else { return Ok(()) };
        let now = model_files(model).map_err(|error| {
            CliError::io("read the model", model, &error).field("--model").exit(Exit::Usage)
        })?;
        if Some(inputs(&now)) != command.inputs {
            return Err(CliError::usage("the model, or a file of weights beside it, is not what it was")
                .field("--model")
                .found(format!("{}: sha256 {}", model.display(), now.digest))
                .help("restore it, or run the command anew: acta run"));
        }
        Ok(())
    }

    /// Whether the retry uses the cache; refuses where the evidence recommends no retry.
    fn follow(&self, home: &Home, summary: &BuildSummary, ui: Ui) -> Result<bool> {
        let refuse = |what: &str| {
            CliError::usage(what)
                .field("retryPolicy")
                .found(acta_ledger::evidence::code(&summary.retry_policy))
                .expected("retry_cold or retry_with_cache")
        };
        match summary.retry_policy {
            RetryPolicy::RetryCold => Ok(false),
            RetryPolicy::RetryWithCache => Ok(true),
            RetryPolicy::None if self.anyway => Ok(summary.timing_cache.file.is_some()),
            RetryPolicy::Investigate | RetryPolicy::Rollback if self.anyway => Ok(false),
            RetryPolicy::None => {
                Err(refuse("there is nothing to retry: an engine came out")
                    .help("--anyway builds it once more"))
            }
            RetryPolicy::Investigate => {
                ui.notice("look first:");
                DIAGNOSIS.iter().for_each(|step| ui.notice(&format!("  - {}", words::step(*step))));
                Err(refuse("the evidence asks for a person to look first")
                    .help("acta advise says more; --anyway builds again, cold"))
            }
            RetryPolicy::Rollback => {
                let known = self.way_back(home, summary)?;
                Err(refuse("it failed twice in the same phase, and a known engine exists")
                    .help(format!("{known}\n--anyway builds again, cold")))
            }
        }
    }

    /// Which engine to go back to, and how.
    fn way_back(&self, home: &Home, summary: &BuildSummary) -> Result<String> {
        let digest = acta_ledger::log::digest::Sha256Digest::of(b"");
        let entry = EntryRef { run: summary.run.id, digest, index: None };
        let history = history::load(home, BaselineKey::of(summary), summary.run.id)?;
        let run = RunFacts::of(summary, None, entry);
        let known = known_engine(&run, &history.runs).and_then(|known| Some((known, known.plan?)));
        Ok(match (known, &summary.run.route) {
            (Some((known, plan)), Some(route)) => format!(
                "go back to the engine of run {} (sha256 {plan}): a reviewer orders the rollback of route {route} in \
                 the portal, `acta rollback show {route}` shows what came of it",
                known.run
            ),
            (Some((known, plan)), None) => {
                format!("go back to the engine of run {} at {} (sha256 {plan})", known.run, known.output)
            }
            (None, _) => "go back to the engine that was in use".to_owned(),
        })
    }
}

/// The run's evidence and its order; both of this agent.
fn on_record(home: &Home, run: uuid::Uuid) -> Result<(BuildSummary, Ordered)> {
    let missing = |found: &str| {
        CliError::usage("the run cannot be retried here")
            .field("RUN")
            .found(format!("{run}: {found}"))
            .help("retry it on the machine that built it: the model and its settings are there")
    };
    let (summary, _) =
        statements::own_summary(home, run)?.ok_or_else(|| missing("not built by this agent"))?;
    let note = RunNote::load(home, run)?.ok_or_else(|| missing("its note is gone"))?;
    let ordered = note.order.ok_or_else(|| missing("it was not noted what was ordered"))?;
    Ok((summary, ordered))
}

/// The model must be what it was, and the order that of the evidence.
fn check_inputs(summary: &BuildSummary, order: &BuildOrder) -> Result<()> {
    let model = std::path::Path::new(&order.model);
    let now = model_files(model)
        .map_err(|error| CliError::io("read the model", model, &error).field("MODEL").exit(Exit::Usage))?;
    if now.digest != summary.network.digest {
        return Err(CliError::usage("the model is not the one that was built")
            .field("MODEL")
            .found(format!("{}: sha256 {}", order.model, now.digest))
            .expected(format!("sha256 {}", summary.network.digest))
            .help("restore it, or build the new one: acta build"));
    }
    let hash = request::config_hash(&now.digest, &now.weights, order);
    if hash != summary.build_config_hash {
        return Err(CliError::usage("what was noted of the run does not agree with its evidence")
            .field("buildConfigHash")
            .found(hash.to_string())
            .expected(summary.build_config_hash.to_string())
            .help("weights beside the model may have changed; build anew: acta build"));
    }
    Ok(())
}

/// `acta run` of the same command.
fn run_of(order: &CommandOrder) -> Run {
    Run {
        artifacts: order.artifacts.clone(),
        model: order.model.clone().map(PathBuf::from),
        build_timing: order.build_timing.clone().map(PathBuf::from),
        attempt: AttemptArgs::default(),
        command: order.command.clone(),
    }
}

/// The command that gives this order.
pub fn build_of(order: &BuildOrder, with_cache: bool) -> Build {
    let shape = |dims: &[i64]| dims.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
    let profile = |it: &acta_ledger::evidence::build::ProfileRecord| {
        format!("{}:{}:{}:{}", it.input, shape(&it.min), shape(&it.opt), shape(&it.max))
    };
    Build {
        model: PathBuf::from(&order.model),
        output: PathBuf::from(&order.output),
        profiles: order.profiles.iter().map(profile).collect(),
        targets: order.targets.iter().map(|target| format!("sm{target}")).collect(),
        opt_level: order.optimization_level,
        threads: order.threads,
        flags: order.flags.clone(),
        timing_cache: order.timing_cache.clone().filter(|_| with_cache).map(PathBuf::from),
        timing_cache_policy: order.cache.concerns(order.timing_cache.is_some()).filter(|_| with_cache),
        on_partial: OnPartial::Remove,
        tensorrt_lib: order.library.clone().map(PathBuf::from),
        ide: false,
        attempt: AttemptArgs::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::protocol::CacheOrder;

    #[test]
    fn a_retry_gives_the_same_order() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().to_owned())).unwrap();
        let order = BuildOrder {
            run: uuid::Uuid::nil(),
            model: "m.onnx".to_owned(),
            partial: String::new(),
            output: "m.plan".to_owned(),
            library: Some("/lib".to_owned()),
            profiles: vec![request::parse_profile("in:0:1x3:4x3:8x3").unwrap()],
            targets: vec![86, 120],
            optimization_level: Some(2),
            threads: Some(3),
            flags: vec!["TF32".to_owned()],
            timing_cache: Some("c".to_owned()),
            cache: CacheOrder {
                policy: acta_ledger::judge::timing_cache::CachePolicy::ReadOnly,
                ..Default::default()
            },
            worker_lock: None,
        };
        let network = acta_ledger::log::digest::Sha256Digest::of(b"network");
        let hash = |order: &BuildOrder| request::config_hash(&network, &[], order);
        let again = build_of(&order, true).order(uuid::Uuid::nil(), &home).unwrap();
        assert_eq!(hash(&again), hash(&order));
        assert_eq!((again.timing_cache.as_deref(), &again.profiles), (Some("c"), &order.profiles));
        let cold = build_of(&order, false).order(uuid::Uuid::nil(), &home).unwrap();
        assert_eq!((&cold.timing_cache, cold.cache.concerns(false)), (&None, None));
    }
}
