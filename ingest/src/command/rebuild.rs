//! `acta rebuild`

mod original;
mod plan;

use std::{
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        build::{BuildSummary, Outcome},
        chain::ChainLink,
        code,
        rebuild::{
            MAX_VALUE_BYTES, Obstacle, ObstacleKind, PlanDifference, RebuildRecord, RebuiltRun, Verdict,
        },
    },
    judge::rebuild::{Inputs, Judged, judge, obstacle_in_inputs, obstacle_in_record},
    live::cut,
    log::{digest::Hasher, statement::Statement},
};
use clap::Args;
use serde_json::{Value, json};

use self::original::Original;
use super::{
    attempt::{Attempt, AttemptArgs, Signed},
    build::{Build, text},
    bundle::reading::{Watched, bar, open},
    push::{Pushed, push_now},
    retry::build_of,
};
use crate::{
    builder::{
        probe,
        progress::Progress,
        protocol::BuildOrder,
        request, weights,
        worker_summary::{ModelFiles, weights_setting},
    },
    chain, clock,
    error::{CliError, Exit, Result},
    home::Home,
    server::ServerFacts,
    trust::KeyFlags,
    ui::{Ui, harmless},
};

const EXAMPLES: &str = "\
TensorRT-RTX plans that are built ahead of time are the same bytes for the same inputs. A rebuild takes what
the run's signed summary recorded, checks each input that is here against it, builds in a run of its own with
the same worker, and signs what came of it:
  reproduced      the same bytes came out
  not_reproduced  another plan came out; the first differing setting is named, or the first differing byte
  not_comparable  the run has no plan, or an input here is another: model, weights, the library's build number
A rebuild by the agent of the run itself is signed as well, and counts apart: it is not independent.
TensorRT-RTX makes no use of a timing cache, so a rebuild offers none.

The summary comes from this agent's own statements or from the log, verified under the keys that are trusted;
--pack takes it from an evidence pack and asks nobody. Ctrl-C cancels the rebuild; then its own run is signed
as cancelled, and nothing is said about the run.

Exit codes: 0 reproduced, 7 not reproduced, 8 not comparable, 6 reproduced and not yet pushed, 4 cancelled,
2 an input is wrong and nothing was signed, 1 something else failed.

Examples:
  acta rebuild --run 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --model model.onnx
  acta rebuild --run 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --model model.onnx --key /srv/acta/second-agent
  acta rebuild --run last --model model.onnx --pack run.acta --plan model.plan --json
  acta rebuild --run last --model model.onnx --server https://acta.example --timeout 30m";

/// Builds again what a run recorded, and signs whether the plan came out the same.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Rebuild {
    /// The run's id, or `last` for this agent's own last one.
    #[arg(long, value_name = "RUN")]
    pub run: String,

    /// The model, ONNX; its weights stand beside it.
    #[arg(long, value_name = "MODEL.onnx")]
    pub model: PathBuf,

    /// Where the new plan is to stand; none is MODEL.rebuilt.plan here.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The run's own plan, where it is at hand: the first differing byte can then be told.
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,

    /// Signs as another agent: the folder that holds its key, as --home names one.
    #[arg(long, value_name = "FOLDER")]
    pub key: Option<PathBuf>,

    /// Takes the summary from an evidence pack.
    #[arg(long, value_name = "FILE.acta", conflicts_with = "server")]
    pub pack: Option<PathBuf>,

    /// Takes the summary from the log of this server; none is this agent's own statements, then its server.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// The library's file, or the folder that it is in.
    #[arg(long, value_name = "PATH")]
    pub tensorrt_lib: Option<PathBuf>,

    /// Cancels when this much time is over: 90s, 10m, 1h30m.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// The keys, and the token.
    #[command(flatten)]
    pub keys: KeyFlags,

    /// Prints one JSON object: predicate, independent, rebuilt, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

/// What is known of a run whose rebuild was tried.
struct Tried {
    judged: Judged,
    rebuilt: Option<RebuiltRun>,
    /// What `acta build --json` would have printed of the rebuild's own run.
    object: Option<Value>,
}

impl Rebuild {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let signer =
            self.key.clone().map_or_else(|| Ok(home.clone()), |folder| Home::locate(Some(folder)))?;
        home.create()?;
        signer.create()?;
        chain::signing_key(&signer)?;
        let original = original::find(self, home, ui)?;
        self.check_files(&original)?;
        let independent = original.is_of(&signer)?.map(|own| !own);
        if independent == Some(false) {
            ui.notice(
                "acta: the run is this agent's own: what comes of this counts apart from what others say",
            );
        }
        let obstacle = match obstacle_in_record(&original.summary) {
            Some(obstacle) => Err(obstacle),
            None => self.inputs(&original.summary, ui)?,
        };
        let tried = match obstacle {
            Err(obstacle) => Tried { judged: not_comparable(obstacle), rebuilt: None, object: None },
            Ok(order) => {
                let build = self.build(order)?;
                let (attempt, signed) =
                    build.build(&signer, ui, |_| Progress::new(ui, "starting the worker"))?;
                if signed.summary.outcome == Outcome::Cancelled {
                    return self.cancelled(attempt, &signed, ui);
                }
                let judged = self.judge(&original, &signed.summary)?;
                let rebuilt = RebuiltRun { run: signed.summary.run.id, entry: signed.sealed.digest };
                let (_, object) = attempt.finish(&signed)?;
                Tried { judged, rebuilt: Some(rebuilt), object: Some(object) }
            }
        };
        self.conclude(&signer, &original, independent, tried, ui)
    }

    /// What can be seen to be wrong before anything is read whole.
    fn check_files(&self, original: &Original) -> Result<()> {
        let (_, bytes) = open("--model", &self.model)?;
        if bytes == 0 {
            return Err(CliError::usage("the model is empty")
                .field("--model")
                .found(self.model.display().to_string())
                .expected("an ONNX model of more than 0 bytes"));
        }
        let Some(path) = &self.plan else { return Ok(()) };
        plan::check(path, original.summary.plan().and_then(|plan| plan.digest))?;
        let same = |path: &Path| path.canonicalize().ok();
        if same(path).is_some_and(|plan| same(&self.output()) == Some(plan)) {
            return Err(CliError::usage("the new plan would replace the run's own")
                .field("--output")
                .found(self.output().display().to_string())
                .help("choose another name for the new plan"));
        }
        Ok(())
    }

    fn output(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| {
            let mut name = self.model.file_stem().unwrap_or_default().to_owned();
            name.push(".rebuilt.plan");
            name.into()
        })
    }

    /// Checks every input that is here; gives the order that the record stands for, or what is in the way.
    fn inputs(&self, original: &BuildSummary, ui: Ui) -> Result<Result<BuildOrder, Obstacle>> {
        let order = match order_of(original) {
            Ok(order) => order,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let model = self.model_files(ui)?;
        let library = probe::look(self.tensorrt_lib.as_deref())?;
        let here = Inputs {
            builder: library.builder(),
            tensorrt_version: library.version.to_string(),
            network: model.digest,
            weights: weights_setting(&model.weights),
        };
        if let Some(obstacle) = obstacle_in_inputs(original, &here) {
            return Ok(Err(obstacle));
        }
        let library = self.tensorrt_lib.as_deref().map(|path| text("--tensorrt-lib", path)).transpose()?;
        let (model, output) = (text("--model", &self.model)?, text("--output", &self.output())?);
        Ok(Ok(BuildOrder { model, output, library, ..order }))
    }

    /// Reads the model with a bar: whole models are gigabytes.
    fn model_files(&self, ui: Ui) -> Result<ModelFiles> {
        let (file, bytes) = open("--model", &self.model)?;
        let bar = bar(ui, &self.model, bytes);
        let mut reading = BufReader::with_capacity(1 << 20, Watched { inner: file, bar: &bar });
        let mut hasher = Hasher::default();
        let read = io::copy(&mut reading, &mut hasher);
        bar.finish_and_clear();
        let bytes = read.map_err(|error| CliError::io("read", &self.model, &error).exit(Exit::Usage))?;
        Ok(ModelFiles { digest: hasher.finish(), bytes, weights: weights::external(&self.model) })
    }

    /// The command that builds it, as a run of its own.
    fn build(&self, order: BuildOrder) -> Result<Build> {
        let attempt = AttemptArgs {
            timeout: self.timeout.clone(),
            no_push: self.no_push,
            json: self.json,
            ..AttemptArgs::default()
        };
        Ok(Build { attempt, ..build_of(&order, false) })
    }

    /// The judgement, with the first differing byte where both plans are at hand.
    fn judge(&self, original: &Original, rebuilt: &BuildSummary) -> Result<Judged> {
        let mut judged = judge(&original.summary, rebuilt);
        if let (Some(plans), Some(before)) = (&mut judged.plans, &self.plan) {
            plans.first_offset = plan::first_difference(before, Path::new(&rebuilt.output_path))?;
        }
        Ok(judged)
    }

    /// A rebuild that was cancelled says nothing about the run: only its own run is signed.
    fn cancelled(&self, attempt: Attempt<'_>, signed: &Signed, ui: Ui) -> Result<Exit> {
        let (exit, object) = attempt.finish(signed)?;
        ui.notice("acta: the rebuild was cancelled: nothing is said about the run");
        if self.json {
            ui.result(&json!({ "predicate": null, "rebuilt": object }).to_string());
        }
        Ok(exit)
    }

    /// Signs, stores, pushes, tells.
    fn conclude(
        &self,
        signer: &Home,
        original: &Original,
        independent: Option<bool>,
        tried: Tried,
        ui: Ui,
    ) -> Result<Exit> {
        let Judged { verdict, obstacle, differing, plans } = tried.judged;
        let mut record = RebuildRecord {
            run: original.summary.run.id,
            entry: original.entry,
            plan: original.summary.plan().and_then(|plan| plan.digest),
            rebuilt: tried.rebuilt,
            verdict,
            obstacle,
            differing,
            plans,
            at: clock::now(),
            chain: ChainLink::new(0, None),
        };
        record
            .check()
            .map_err(|error| CliError::failure("the rebuild cannot be put on record").found(error))?;
        let sealed = chain::seal(signer, None, Vec::new(), |link| {
            record.chain = link;
            Statement::new(record.subjects(), &record).map_err(|error| {
                CliError::failure("the record cannot be written as canonical JSON").found(error.to_string())
            })
        })?;
        let pushed = match ServerFacts::load(signer)?.filter(|_| !self.no_push) {
            None => Pushed::NotAsked,
            Some(facts) => push_now(signer, facts, &sealed, ui),
        };
        if self.json {
            let mut object = json!({
                "predicate": record,
                "independent": independent,
                "rebuilt": tried.object,
                "envelopeDigest": sealed.digest,
            });
            if let Pushed::At(index) = pushed {
                object["entryIndex"] = json!(index);
            }
            ui.result(&object.to_string());
        } else {
            show(&record, ui);
        }
        Ok(match (verdict, pushed) {
            (Verdict::Reproduced, Pushed::Waits) => Exit::NotPushed,
            (Verdict::Reproduced, _) => Exit::Completed,
            (Verdict::NotReproduced, _) => Exit::NotSatisfied,
            (Verdict::NotComparable, _) => Exit::NotComparable,
        })
    }
}

fn not_comparable(obstacle: Obstacle) -> Judged {
    Judged { verdict: Verdict::NotComparable, obstacle: Some(obstacle), differing: Vec::new(), plans: None }
}

/// The order that a summary's settings stand for. Settings that no option of `acta build` asks for follow from others;
/// whether they came out the same is judged when the rebuild has ended.
fn order_of(summary: &BuildSummary) -> Result<BuildOrder, Obstacle> {
    let unknown = |name: &str, value: &Value| Obstacle {
        kind: ObstacleKind::UnknownSetting,
        expected: Some(cut(&format!("{name} {value}"), MAX_VALUE_BYTES).to_owned()),
        found: None,
    };
    let setting = |name: &str| summary.settings.get(name).cloned().unwrap_or_default();
    let texts = |name: &str| match setting(name) {
        Value::Null => Ok(Vec::new()),
        value => serde_json::from_value::<Vec<String>>(value.clone()).map_err(|_| unknown(name, &value)),
    };
    let number = |name: &str| {
        let value = setting(name);
        serde_json::from_value::<Option<i32>>(value.clone()).map_err(|_| unknown(name, &value))
    };
    let targets = texts("targets")?;
    let flags = texts("flags")?;
    Ok(BuildOrder {
        profiles: summary.profiles.clone(),
        targets: targets
            .iter()
            .map(|target| request::parse_target(target).map_err(|_| unknown("targets", &json!(target))))
            .collect::<Result<_, _>>()?,
        optimization_level: number("optimizationLevel")?,
        threads: number("threads")?,
        flags: flags
            .iter()
            .map(|flag| request::parse_flag(flag).map_err(|_| unknown("flags", &json!(flag))))
            .collect::<Result<_, _>>()?,
        ..BuildOrder::default()
    })
}

/// Says what came of it.
fn show(record: &RebuildRecord, ui: Ui) {
    let plan = record.plan.map_or_else(|| "none".to_owned(), |plan| format!("sha256 {plan}"));
    let verdict = code(&record.verdict);
    let verdict = match record.verdict {
        Verdict::Reproduced => ui.paint(&verdict, 32),
        Verdict::NotReproduced => ui.paint(&verdict, 31),
        Verdict::NotComparable => ui.paint(&verdict, 33),
    };
    ui.result(&format!("rebuild     {verdict}"));
    ui.result(&format!("run         {}, plan {plan}", record.run));
    let beside = |expected: &Option<String>, found: &Option<String>| {
        let word = |text: &Option<String>| text.as_deref().map_or_else(|| "nothing".to_owned(), harmless);
        format!("the run has {}, here is {}", word(expected), word(found))
    };
    if let Some(obstacle) = &record.obstacle {
        ui.result(&format!(
            "because     {}: {}",
            code(&obstacle.kind),
            match &obstacle.expected {
                None => obstacle.found.as_deref().map(harmless).unwrap_or_default(),
                Some(_) => beside(&obstacle.expected, &obstacle.found),
            }
        ));
    }
    for setting in &record.differing {
        let sides = beside(&setting.expected, &setting.found);
        ui.result(&format!("differs     {}: {sides}", harmless(&setting.name)));
    }
    if let Some(PlanDifference { expected_bytes, found_bytes, found, first_offset }) = record.plans {
        ui.result(&format!("new plan    sha256 {found}"));
        let at = first_offset.map_or_else(
            || "where is not known: give the run's plan with --plan".to_owned(),
            |at| format!("the first differing byte is {}", at.0),
        );
        ui.result(&format!("bytes       {} before, {} now; {at}", expected_bytes.0, found_bytes.0));
    }
}

#[cfg(test)]
mod tests;
