//! `acta build`

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        build::{BuildSummary, Outcome, RunRef},
        phase_tree::{PHASE_TREE_MEDIA_TYPE, PhaseTree, assemble::Ending},
    },
    log::{digest::Sha256Digest, key::SigningKey, statement::Statement},
};
use clap::Args;
use serde_json::json;
use uuid::Uuid;

use crate::{
    blob::{self, BlobStore},
    builder::{
        artifact::Destination,
        host,
        protocol::BuildOrder,
        request,
        summary::{self, Context, ModelFiles},
        supervisor::{self, Signals, Watched},
        weights,
    },
    chain::{self, Sealed},
    clock::{self, Epoch},
    command::push::{Pushed, push_now, runtime},
    durable,
    error::{CliError, Exit, Result},
    home::Home,
    outbox,
    runs::{self, RunNote},
    server::ServerFacts,
    ui::{Ui, harmless},
};

const EXAMPLES: &str = "\
TensorRT runs in a process of its own. Ctrl-C cancels cooperatively: the library stops at its next step. The plan is
written beside its place and renamed when it is whole; an existing one is replaced only then. Everything is signed and
waits in the outbox until the server has it; without a server it just waits.

The library is looked for in --tensorrt-lib, ACTA_TENSORRT_LIB_DIR, the Python environment (VIRTUAL_ENV, .venv) and the
loader's path, in this order.

Examples:
  acta build model.onnx -o model.plan
  acta build model.onnx -o model.plan --route team/route-1 --target sm86 --target sm120 --timeout 20m
  acta build model.onnx -o model.plan --profile input:1x3x224x224:8x3x224x224:16x3x224x224
  acta build model.onnx -o model.plan --json --quiet | jq -r .predicate.outcome

Exit codes: 0 completed, 2 usage, 3 build failed, 4 cancelled, 5 crashed or killed, 6 completed and not yet pushed.";

/// Builds an engine under watch, and signs what happened.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Build {
    /// The model, ONNX.
    #[arg(value_name = "MODEL.onnx")]
    pub model: PathBuf,

    /// Where the plan is to stand.
    #[arg(short, long, value_name = "MODEL.plan")]
    pub output: PathBuf,

    /// The route that it is made for.
    #[arg(long, value_name = "ROUTE")]
    pub route: Option<String>,

    /// An input's range of shapes, like input:1x3x224x224:8x3x224x224:16x3x224x224; once an input.
    #[arg(long = "profile", value_name = "NAME:MIN:OPT:MAX")]
    pub profiles: Vec<String>,

    /// A target of TensorRT-RTX, like sm86; none is the library's default.
    #[arg(long = "target", value_name = "smXX")]
    pub targets: Vec<String>,

    /// The builder's optimization level, 0 to 5.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..=5))]
    pub opt_level: Option<i32>,

    /// How many threads the library may use.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=1024))]
    pub threads: Option<i32>,

    /// A builder flag by its name in NvInfer, like `TF32` or `STRIP_PLAN`.
    #[arg(long = "builder-flag", value_name = "NAME")]
    pub flags: Vec<String>,

    /// The timing cache's file: read strictly, written back only by a build that completed.
    #[arg(long, value_name = "FILE")]
    pub timing_cache: Option<PathBuf>,

    /// Cancels when this much time is over: 90s, 10m, 1h30m.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// The library's file, or the folder that it is in.
    #[arg(long, value_name = "PATH")]
    pub tensorrt_lib: Option<PathBuf>,

    /// The run that this one repeats.
    #[arg(long, value_name = "RUN")]
    pub retry_of: Option<String>,

    /// Also writes summary, phase tree, events, snapshots and envelope into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub evidence_dir: Option<PathBuf>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

/// What is signed, and what goes along.
struct Signed {
    summary: BuildSummary,
    sealed: Sealed,
    tree: Option<PhaseTree>,
    /// The tree at the cancel's request and at its acknowledgement.
    snapshots: [Option<PhaseTree>; 2],
}

impl Build {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let (began_ns, epoch) = (clock::monotonic_ns(), Epoch::now());
        let timeout = self.timeout.as_deref().map(request::parse_duration).transpose()?;
        let order = self.order(Uuid::now_v7())?;
        home.create()?;
        let (signing, _) = chain::signing_key(home)?;
        let facts = ServerFacts::load(home)?;
        let run = self.run_ref(order.run, home, facts.as_ref(), ui)?;
        self.check_model()?;
        if let Some(folder) = &self.evidence_dir {
            fs::create_dir_all(folder).map_err(|error| {
                CliError::io("create", folder, &error).field("--evidence-dir").exit(Exit::Usage)
            })?;
        }
        // Before the partial file is made: a signal that comes from now on cancels, and leaves nothing behind.
        let runtime = runtime()?;
        let signals = runtime.block_on(async { Signals::listen() })?;
        let destination = Destination::prepare(&self.output, order.run)?;
        let order = BuildOrder { partial: text("--output", destination.partial())?, ..order };
        ui.notice(&format!("acta: run {}", run.id));
        let blobs = BlobStore::new(home.blobs());
        let model = self.model.clone();
        let watching = async {
            // Beside the build: nobody waits for it.
            let hashing = tokio::task::spawn_blocking(move || model_files(&model));
            let watched = supervisor::watch(order.clone(), timeout, signals, &blobs, ui).await?;
            let digest = hashing.await.map_err(|error| CliError::failure(error.to_string()))?;
            let unreadable = |error| CliError::io("read", &self.model, &error).exit(Exit::Usage);
            Ok((watched, digest.map_err(unreadable)?))
        };
        let (watched, model) = runtime.block_on(watching).inspect_err(|_: &CliError| {
            destination.clean();
        })?;
        let signed =
            sign(home, &signing, &blobs, watched, &model, &order, run, &destination, epoch, began_ns)?;
        self.tell(&signed, ui);
        if let Some(folder) = &self.evidence_dir {
            signed.write_files(folder, &blobs)?;
        }
        let index = match facts.filter(|_| !self.no_push) {
            None => Pushed::NotAsked,
            Some(facts) => push_now(home, facts, &signed.sealed, ui),
        };
        if self.json {
            let mut object = json!({
                "predicate": signed.summary,
                "envelopeDigest": signed.sealed.digest,
            });
            if let Pushed::At(index) = index {
                object["entryIndex"] = json!(index);
            }
            ui.result(&object.to_string());
        }
        Ok(match (signed.summary.outcome, index) {
            (Outcome::Completed | Outcome::CancelRequestedButCompleted, Pushed::Waits) => Exit::NotPushed,
            (Outcome::Completed | Outcome::CancelRequestedButCompleted, _) => Exit::Completed,
            (Outcome::Failed, _) => Exit::BuildFailed,
            (Outcome::Cancelled, _) => Exit::Cancelled,
            (Outcome::Crashed | Outcome::Killed, _) => Exit::Crashed,
        })
    }

    /// Reads the options into what the worker is ordered; the partial file is not known yet.
    fn order(&self, run: Uuid) -> Result<BuildOrder> {
        let optional =
            |field, path: &Option<PathBuf>| path.as_deref().map(|path| text(field, path)).transpose();
        let profiles: Vec<_> =
            self.profiles.iter().map(|profile| request::parse_profile(profile)).collect::<Result<_>>()?;
        let twice = profiles
            .iter()
            .enumerate()
            .find(|(index, profile)| profiles[..*index].iter().any(|other| other.input == profile.input));
        if let Some((_, profile)) = twice {
            return Err(CliError::usage("an input has two ranges")
                .field("--profile")
                .found(profile.input.clone())
                .expected("one --profile an input"));
        }
        Ok(BuildOrder {
            run,
            model: text("MODEL", &self.model)?,
            partial: String::new(),
            output: text("--output", &self.output)?,
            library: optional("--tensorrt-lib", &self.tensorrt_lib)?,
            profiles,
            targets: self
                .targets
                .iter()
                .map(|target| request::parse_target(target))
                .collect::<Result<_>>()?,
            optimization_level: self.opt_level,
            threads: self.threads,
            flags: self.flags.iter().map(|flag| request::parse_flag(flag)).collect::<Result<_>>()?,
            timing_cache: optional("--timing-cache", &self.timing_cache)?,
        })
    }

    fn run_ref(&self, id: Uuid, home: &Home, facts: Option<&ServerFacts>, ui: Ui) -> Result<RunRef> {
        let route = self.route.as_deref().map(request::parse_route).transpose()?;
        let retry_of = self.retry_of.as_deref().map(runs::parse_run).transpose()?;
        let attempt = match retry_of {
            Some(run) => runs::attempt_after(home, facts, run, ui)?,
            None => 1,
        };
        Ok(RunRef { id, route, attempt, retry_of })
    }

    /// The model must be a file that can be read: else there is nothing to speak about.
    fn check_model(&self) -> Result<()> {
        let wrong = |what: &str| CliError::usage(what).field("MODEL").found(self.model.display().to_string());
        let there = fs::metadata(&self.model)
            .map_err(|error| wrong("the model cannot be found").expected(format!("a file ({error})")))?;
        if !there.is_file() {
            return Err(wrong("the model is no file").help("name the .onnx file itself"));
        }
        if there.len() == 0 {
            return Err(wrong("the model is empty").expected("an ONNX model of more than 0 bytes"));
        }
        File::open(&self.model)
            .map_err(|error| wrong("the model cannot be read").expected(format!("a file ({error})")))?;
        let same = |path: &Path| path.canonicalize().ok();
        if same(&self.model).is_some_and(|model| same(&self.output) == Some(model)) {
            return Err(wrong("the output is the model itself").help("choose another name for the plan"));
        }
        Ok(())
    }

    fn tell(&self, signed: &Signed, ui: Ui) {
        let summary = &signed.summary;
        let what = match summary.outcome {
            Outcome::Completed => ui.paint("completed", 32),
            Outcome::CancelRequestedButCompleted => {
                ui.paint("completed, although a cancel was requested", 33)
            }
            Outcome::Cancelled => ui.paint("cancelled", 33),
            Outcome::Failed => ui.paint("failed", 31),
            Outcome::Crashed => ui.paint("crashed", 31),
            Outcome::Killed => ui.paint("killed", 31),
        };
        let mut lines = vec![format!("acta: {what} in {:.0} ms", summary.duration_ms.total)];
        if let Some(plan) = summary.plan() {
            let digest = plan.digest.map_or_else(String::new, |digest| digest.short());
            lines.push(format!("      plan      {} ({} bytes, sha256 {digest})", plan.name, plan.bytes));
        }
        if let Some(cancel) = &summary.cancel {
            lines.push(match (cancel.request_to_ack_ms, cancel.censored_after_ms) {
                (Some(latency), _) => format!("      cancel    acknowledged after {latency:.1} ms"),
                (None, Some(censored)) => format!("      cancel    not acknowledged within {censored:.1} ms"),
                (None, None) => "      cancel    requested".to_owned(),
            });
        }
        if let Some(failure) = &summary.failure {
            lines.push(format!("      because   {}", harmless(&failure.message)));
            lines.extend(
                failure.records.iter().take(3).map(|record| format!("                {}", harmless(record))),
            );
        }
        lines.push(format!("      evidence  entry {}", signed.sealed.digest.short()));
        ui.notice(&lines.join("\n"));
    }
}

fn model_files(model: &Path) -> io::Result<ModelFiles> {
    let (digest, bytes) = blob::digest_file(model)?;
    Ok(ModelFiles { digest, bytes, weights: weights::external(model) })
}

/// Cleans up, judges, signs and stores.
#[expect(clippy::too_many_arguments, reason = "one call, and every argument is another thing")]
fn sign(
    home: &Home,
    signing: &SigningKey,
    blobs: &BlobStore,
    mut watched: Watched,
    model: &ModelFiles,
    order: &BuildOrder,
    run: RunRef,
    destination: &Destination,
    epoch: Epoch,
    began_ns: u64,
) -> Result<Signed> {
    let cleaned = destination.clean();
    let cleaned_ns = clock::monotonic_ns();
    let disk = |error: std::io::Error| {
        CliError::failure("the evidence cannot be written to disk").found(error.to_string())
    };
    // A worker that died after the rename had no time to tell: the partial file is gone, and the plan is whole.
    let renamed = watched.record.done.is_none() && cleaned.partial.is_none();
    let plan = match watched.record.plan {
        Some(plan) => Some(plan),
        None if renamed => blob::digest_file(destination.output()).ok(),
        None => None,
    };
    let tree = finish_tree(&mut watched);
    let tree_blob = match &tree {
        None => None,
        Some(tree) => {
            let bytes = serde_json::to_vec(tree).map_err(|error| disk(error.into()))?;
            Some(blobs.put(&bytes, PHASE_TREE_MEDIA_TYPE).map_err(disk)?)
        }
    };
    let context = Context {
        order,
        epoch,
        began_ns,
        cleaned_ns,
        model,
        host: host::record(watched.gpu.as_ref()),
        gpu: watched.gpu.as_ref().map(|facts| facts.gpu.clone()),
        tree: tree.as_ref().zip(tree_blob.as_ref()).map(|(tree, blob)| (tree, blob.digest, blob.bytes)),
        cleaned: &cleaned,
        plan,
        command_line: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
        who: std::env::var("USER").ok().filter(|user| !user.is_empty()),
        run,
    };
    let mut signed = None;
    let names: Vec<Sha256Digest> = tree_blob
        .iter()
        .map(|blob| blob.digest)
        .chain(watched.blobs.events.iter().chain(&watched.blobs.log).map(|blob| blob.digest))
        .collect();
    let sealed = chain::seal(home, signing, Some(order.run), names, |link| {
        let summary = summary::summarize(&watched, &context, link);
        let statement = Statement::new(summary::subjects(&summary), &summary).map_err(|error| {
            CliError::failure("the summary cannot be written as canonical JSON").found(error.to_string())
        })?;
        signed = Some(summary);
        Ok(statement)
    })?;
    let summary = signed.ok_or_else(|| CliError::failure("nothing was signed"))?;
    RunNote::of(&summary, sealed.digest).save(home)?;
    let snapshots = [watched.record.at_request.take(), watched.record.at_acknowledgement.take()];
    Ok(Signed { summary, sealed, tree, snapshots })
}

/// Ends the phase tree; none if no phase ever began.
fn finish_tree(watched: &mut Watched) -> Option<PhaseTree> {
    let record = &mut watched.record;
    let began = record.times.build_began?;
    if record.tree.callbacks() == 0 {
        return None;
    }
    let (end, ending) = match record.times.build_returned {
        Some(returned) => (returned, Ending::Returned),
        None => (watched.ended_ns, Ending::Crashed),
    };
    let counters = (!watched.counters.samples.is_empty()).then(|| watched.counters.clone());
    Some(PhaseTree { counters, ..record.tree.clone().finish(end.saturating_sub(began), ending) })
}

/// The files that `--evidence-dir` may hold.
const EVIDENCE_FILES: [&str; 7] = [
    "summary.json",
    "envelope.json",
    "phase-tree.json",
    "snapshot-at-request.json",
    "snapshot-at-acknowledgement.json",
    "events.ndjson",
    "log.ndjson",
];

impl Signed {
    /// Writes everything as files, for whoever collects a build's artifacts.
    fn write_files(&self, folder: &Path, blobs: &BlobStore) -> Result<()> {
        // Files of an earlier run would be taken for this one's.
        for name in EVIDENCE_FILES {
            fs::remove_file(folder.join(name)).ok();
        }
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            durable::write(&path, bytes, 0o644).map_err(|error| CliError::io("write", &path, &error))
        };
        write("summary.json", &outbox::to_json(&self.summary)?)?;
        write("envelope.json", &self.sealed.envelope)?;
        if let Some(tree) = &self.tree {
            write("phase-tree.json", &outbox::to_json(tree)?)?;
        }
        let names = ["snapshot-at-request.json", "snapshot-at-acknowledgement.json"];
        for (name, snapshot) in names.into_iter().zip(&self.snapshots) {
            if let Some(snapshot) = snapshot {
                write(name, &outbox::to_json(snapshot)?)?;
            }
        }
        for (name, blob) in [("events.ndjson", &self.summary.events), ("log.ndjson", &self.summary.log)] {
            if let Some(blob) = blob {
                let from = blobs.path(&blob.digest);
                write(name, &fs::read(&from).map_err(|error| CliError::io("read", &from, &error))?)?;
            }
        }
        Ok(())
    }
}

/// A path as text: it is signed, and JSON holds no other bytes.
fn text(field: &str, path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        CliError::usage("a path is not UTF-8")
            .field(field)
            .found(path.display().to_string())
            .help("rename it: paths are part of the evidence")
    })
}
