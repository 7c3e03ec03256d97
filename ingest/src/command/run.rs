//! `acta run`

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use acta_ledger::evidence::build::Outcome;
use clap::Args;
use tokio::process::Command;
use uuid::Uuid;

use crate::{
    builder::{
        external::{
            inventory::Inventory,
            left::{self, RUN_VARIABLE},
            order::{CommandOrder, inputs},
            relay::Relays,
            summary::{self, Ran},
            timing::TimingFile,
        },
        process::Launch,
        progress::Progress,
        protocol::LogSeverity,
        supervisor::Watched,
        worker_summary::ModelFiles,
    },
    clock,
    command::{
        attempt::{AttemptArgs, disk},
        build::{model_files, text},
    },
    error::{CliError, Exit, Result},
    home::Home,
    job::Job,
    journal::{OnPartial, Scene},
    quarantine::{Quarantine, Why},
    ui::Ui,
};

/// How often a file of build times is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

const EXAMPLES: &str = "\
The command runs in a process group of its own, with nothing on its stdin; what it prints goes on to stdout
and stderr (with --json: all to stderr), and its last lines into the evidence. A monitor in it (acta_monitor
for Python, acta_monitor.hpp for C++; see ingest/clients) reports phases and hears cancels; a command
without one is watched all the same.

Ctrl-C, SIGTERM, SIGHUP and --timeout ask it to stop: by its monitor, which answers at TensorRT's next step;
without one, or while it does not build, it gets SIGINT, as from a terminal. The second Ctrl-C says what the
third would break; the third kills it. What matches --artifact and was made by a run that did not complete
goes into the quarantine (acta quarantine list).

The command finds its run's id in ACTA_RUN. If this program dies, the command goes on; the next build
on this machine stops what is left of it, sets its files apart and signs that the run crashed. acta retry runs
the same again.

Examples:
  acta run --artifact 'out/*.plan' -- python build.py
  acta run --artifact model.plan --model model.onnx --route team/route-1 \\
      --timeout 20m -- ./my-builder model.onnx
  acta run --artifact llm.bundle --build-timing build-timing.json -- \\
    trtmc build MODEL -o llm.bundle --build-timing-json build-timing.json
  acta run --json --quiet --artifact model.plan -- python build.py | jq -r .predicate.outcome
  acta run --purpose production --stop-deadline 90s --artifact model.plan -- python build.py

Exit codes: 0 completed, 2 usage, 3 the command failed or an artifact is missing, 4 cancelled, 5 crashed or
killed, 6 completed and not yet pushed.";

/// Runs any builder under watch, and signs what happened.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// A pattern of files that the command is run for; without a fresh one the run has failed. May be given again.
    #[arg(long = "artifact", value_name = "GLOB")]
    pub artifacts: Vec<String>,

    /// The model that is built, where the command's monitor does not say it.
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// The file of build times that Model Connect writes: taken in as phases.
    #[arg(long, value_name = "FILE")]
    pub build_timing: Option<PathBuf>,

    #[command(flatten)]
    pub attempt: AttemptArgs,

    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Run {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let model = self.model.as_deref().map(named_model).transpose()?;
        let mut attempt = self.attempt.begin(Uuid::now_v7(), home, ui)?;
        let listening = attempt.listen()?;
        let command = self.order(model.as_ref())?;
        let inventory = Inventory::take(&self.artifacts)?;
        let outputs: Vec<PathBuf> = self.artifacts.iter().map(PathBuf::from).collect();
        let outputs: Vec<PathBuf> = outputs.into_iter().chain(inventory.paths().cloned()).collect();
        attempt.look_for_a_way_back(&outputs)?;
        let progress = Progress::new(ui, "running the command");
        let (relays, writing) = Relays::start(self.attempt.json, &progress.screen())
            .map_err(|error| CliError::failure("cannot start a thread").found(error.to_string()))?;
        let timing = self.build_timing.clone().map(TimingFile::new);
        let scene = Scene {
            inventory: inventory.clone(),
            build_timing: timing.as_ref().and_then(TimingFile::written),
            session: left::session(),
        };
        let mut journal = attempt.journal(Job::Command { command }, OnPartial::Quarantine)?;
        if let Err(error) = journal.about_to_start(scene) {
            journal.end()?;
            return Err(error);
        }
        let began_ms = clock::now().unix_ms();
        let timing = timing.map(|file| Arc::new(Mutex::new(file)));
        if let Some(timing) = timing.clone() {
            listening.spawn(async move {
                loop {
                    tokio::time::sleep(LOOK_EVERY).await;
                    timing.lock().unwrap_or_else(PoisonError::into_inner).look();
                }
            });
        }
        let launch = Launch::command(self.program(attempt.run.id), relays);
        let (mut watched, ()) = match attempt.watch(listening, launch, progress, async { Ok(()) }) {
            Ok(watched) => watched,
            // If nothing was started, nothing is left to be said; else the next start signs what became of the run.
            Err(error) if journal.was_seen() => return Err(error),
            Err(error) => {
                journal.end()?;
                return Err(error);
            }
        };
        writing.finish();

        if let Some(timing) = &timing {
            take_in(&mut watched, &mut timing.lock().unwrap_or_else(PoisonError::into_inner))?;
        }
        let changes = inventory.changes(&watched.record.told.artifacts, began_ms);
        let (expected, problem) = (changes.expected, changes.problem.clone());
        let outcome = summary::outcome_of(&watched, expected);
        let completed = matches!(outcome, Outcome::Completed | Outcome::CancelRequestedButCompleted);
        let unfinished = (!completed).then_some(Why::UnfinishedBuild);
        let settled = changes.settle(unfinished, attempt.run.id, &Quarantine::new(home));
        let cleaned_ns = clock::monotonic_ns();
        for line in &settled.lines {
            watched.record.note(LogSeverity::Info, line, cleaned_ns).map_err(|error| disk(&error))?;
        }
        let signed = attempt.sign(watched, cleaned_ns, |watched| {
            let timing = timing.map(|file| file.lock().unwrap_or_else(PoisonError::into_inner).report());
            let model = model.as_ref().map(|(path, files)| (path.as_str(), files));
            let (command, patterns) = (&self.command[..], &self.artifacts[..]);
            let ran = Ran { command, model, problem, settled, patterns, timing };
            summary::findings(watched, outcome, ran)
        })?;
        journal.end()?;
        attempt.conclude(&signed)
    }

    fn order(&self, model: Option<&(String, ModelFiles)>) -> Result<CommandOrder> {
        Ok(CommandOrder {
            command: self.command.clone(),
            artifacts: self.artifacts.clone(),
            model: model.map(|(path, _)| path.clone()),
            inputs: model.map(|(_, files)| inputs(files)),
            build_timing: self
                .build_timing
                .as_deref()
                .map(|path| text("--build-timing", path))
                .transpose()?,
        })
    }

    fn program(&self, run: Uuid) -> Command {
        let (program, arguments) = self.command.split_first().expect("clap asks for at least one word");
        let mut command = Command::new(program);
        command.args(arguments).env(RUN_VARIABLE, run.to_string());
        command
    }
}

/// The model that a person named: it must be a file that can be read.
fn named_model(path: &Path) -> Result<(String, ModelFiles)> {
    let wrong = |found: String| {
        CliError::usage("the model cannot be read")
            .field("--model")
            .found(found)
            .expected("the file that the command builds from")
    };
    if !path.is_file() {
        return Err(wrong(format!("{}: no file", path.display())));
    }
    let files = model_files(path).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    Ok((text("--model", path)?, files))
}

/// Takes Model Connect's times in as phases, unless a monitor told better ones.
fn take_in(watched: &mut Watched, timing: &mut TimingFile) -> Result<()> {
    timing.look();
    if watched.record.tree.callbacks() > 0 {
        return Ok(());
    }
    for report in timing.reports() {
        watched.record.take(report).map_err(|error| disk(&error))?;
    }
    Ok(())
}
