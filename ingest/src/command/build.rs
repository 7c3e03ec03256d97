//! `acta build`

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use acta_ledger::{judge::timing_cache::CachePolicy, log::digest::Sha256Digest};
use clap::Args;
use uuid::Uuid;

use crate::{
    blob,
    builder::{
        artifact::{Destination, partial_path},
        ide::Ide,
        process::Launch,
        progress::Progress,
        protocol::{BuildOrder, CacheOrder},
        request,
        source::Requests,
        supervisor::Watched,
        weights,
        worker_summary::{self, ModelFiles, Ordered},
    },
    caches, clock,
    command::attempt::{Attempt, AttemptArgs, Signed},
    error::{CliError, Exit, Result},
    home::Home,
    job::Job,
    journal::{self, OnPartial},
    ui::Ui,
};

const EXAMPLES: &str = r#"TensorRT runs in a process of its own. Ctrl-C cancels cooperatively: the library stops at its next step. The
plan is written beside its place and renamed when it is whole; an existing one is replaced only then.
Everything is signed and waits in the outbox until the server has it; without a server it just waits.

The library is looked for in --tensorrt-lib, ACTA_TENSORRT_LIB_DIR, the Python environment (VIRTUAL_ENV,
.venv) and the loader's path, in this order.

Examples:
  acta build model.onnx -o model.plan
  acta build model.onnx -o model.plan --route team/route-1 --target sm86 --target sm120 --timeout 20m
  acta build model.onnx -o model.plan --profile input:1x3x224x224:8x3x224x224:16x3x224x224
  acta build model.onnx -o model.plan --json --quiet | jq -r .predicate.outcome
  acta build model.onnx -o model.plan --deadline 2026-11-30T06:00:00Z
  acta build model.onnx -o model.plan --route team/route-1 --purpose production --stop-deadline 90s

In an editor, --ide frames JSON-RPC 2.0 as the Language Server Protocol does. The build begins with the
request
  {"jsonrpc":"2.0","id":1,"method":"acta/build","params":{"workDoneToken":"b1"}}
and reports as $/progress under that token: begin, report (message, phase, step, total), end.
$/cancelRequest with the request's id, or window/workDoneProgress/cancel with the token, cancels; so does an
editor that closes stdin. The answer is what --json prints, also of a build that was cancelled: read
predicate.outcome. Try it in a shell:
  m='{"jsonrpc":"2.0","id":1,"method":"acta/build"}'
  (printf 'Content-Length: %d\r\n\r\n%s' ${#m} "$m"; sleep 60) | acta build model.onnx -o model.plan --ide

Exit codes: 0 completed, 2 usage, 3 build failed, 4 cancelled, 5 crashed or killed, 6 completed and not yet
pushed."#;

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

    /// How the timing cache is treated; without --timing-cache, that of the agent's own library of caches.
    #[arg(long, value_name = "POLICY", value_parser = parse_policy)]
    pub timing_cache_policy: Option<CachePolicy>,

    /// What becomes of a plan that was not finished.
    #[arg(long, value_name = "WHAT", default_value = "remove")]
    pub on_partial: OnPartial,

    /// The library's file, or the folder that it is in.
    #[arg(long, value_name = "PATH")]
    pub tensorrt_lib: Option<PathBuf>,

    /// Speaks JSON-RPC with an editor on stdin and stdout, instead of printing.
    #[arg(long, conflicts_with = "json")]
    pub ide: bool,

    #[command(flatten)]
    pub attempt: AttemptArgs,
}

impl Build {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let waiting = "starting the worker";
        if !self.ide {
            let (attempt, signed) = self.build(home, ui, |_| Progress::new(ui, waiting))?;
            return attempt.conclude(&signed);
        }
        let ide = Ide::connect()?;
        let title = format!("TensorRT build of {}", self.model.display());
        let built = self.build(home, ui, |requests| {
            ide.attach(requests);
            Progress::editor(ui, waiting, ide.begin(&title))
        });
        let done = built.and_then(|(attempt, signed)| attempt.finish(&signed));
        ide.end(done.as_ref().map(|(_, object)| object));
        done.map(|(exit, _)| exit)
    }

    /// Builds and signs. Whoever sees the build gets by `host` what they may ask to stop with, and gives the view.
    pub fn build<'a>(
        &'a self,
        home: &'a Home,
        ui: Ui,
        host: impl FnOnce(&Requests) -> Progress,
    ) -> Result<(Attempt<'a>, Signed)> {
        let order = self.order(Uuid::now_v7(), home)?;
        let mut attempt = self.attempt.begin(order.run, home, ui)?;
        self.check_model()?;
        // Before the partial file is made.
        let listening = attempt.listen()?;
        let progress = host(listening.requests());
        attempt.look_for_a_way_back(std::slice::from_ref(&self.output))?;
        let partial = partial_path(&self.output, attempt.run.id).unwrap_or_default();
        let worker_lock = Some(journal::worker_lock(home, attempt.run.id));
        let order = BuildOrder { partial: text("--output", &partial)?, worker_lock, ..order };
        let mut journal = attempt.journal(Job::Build { order: Box::new(order.clone()) }, self.on_partial)?;
        let destination = match Destination::prepare(&self.output, attempt.run.id) {
            Ok(destination) => destination,
            Err(error) => {
                journal.end()?;
                return Err(error);
            }
        };
        journal.partial_made(destination.partial())?;
        let model = self.model.clone();
        let hashing = async {
            let digest = tokio::task::spawn_blocking(move || model_files(&model)).await;
            let unreadable = |error| CliError::io("read", &self.model, &error).exit(Exit::Usage);
            digest.map_err(|error| CliError::failure(error.to_string()))?.map_err(unreadable)
        };
        let launch = Launch::worker(order.clone())?;
        let clean = || destination.clean(self.on_partial, home, attempt.run.id);
        let watching = attempt.watch(listening, launch, progress, hashing);
        // If this fails, the journal stays: the next start signs what became of the run.
        let (watched, model) = watching.inspect_err(|_| drop(clean()))?;
        let cleaned = clean();
        let cleaned_ns = clock::monotonic_ns();
        let plan = plan_of(&watched, &destination, cleaned.partial.is_none());
        let cache = watched.record.cache.as_ref().and_then(|cache| {
            caches::set_apart(home, attempt.run.id, Path::new(cache.file.as_deref()?), cache.doubt?, ui)
        });
        let signed = attempt.sign(watched, cleaned_ns, |watched| {
            let cache = cache.as_ref();
            let ordered = Ordered { order: &order, model: &model, cleaned: &cleaned, plan, cache };
            worker_summary::findings(watched, &ordered)
        })?;
        journal.end()?;
        Ok((attempt, signed))
    }

    /// Reads the options into what the worker is ordered; the partial file is not known yet.
    pub fn order(&self, run: Uuid, home: &Home) -> Result<BuildOrder> {
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
            cache: self.cache_order(home)?,
            worker_lock: None,
        })
    }

    fn cache_order(&self, home: &Home) -> Result<CacheOrder> {
        let policy = self.timing_cache_policy.unwrap_or_default();
        let from_library =
            self.timing_cache.is_none() && self.timing_cache_policy.is_some() && policy != CachePolicy::Off;
        if policy == CachePolicy::Off && self.timing_cache.is_some() {
            return Err(CliError::usage("a cache is named and switched off")
                .field("--timing-cache-policy")
                .found("off")
                .help("leave out --timing-cache, or choose another policy"));
        }
        Ok(CacheOrder { policy, library: Some(text("ACTA_HOME", &home.caches())?), from_library })
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
}

/// The model and whatever files it keeps weights in.
pub fn model_files(model: &Path) -> io::Result<ModelFiles> {
    let (digest, bytes) = blob::digest_file(model)?;
    Ok(ModelFiles { digest, bytes, weights: weights::external(model) })
}

/// The plan, by the worker's word. A worker that died after the rename had no time to tell: the partial file is gone, and
/// the plan is whole.
fn plan_of(watched: &Watched, destination: &Destination, partial_gone: bool) -> Option<(Sha256Digest, u64)> {
    let renamed = watched.record.done.is_none() && partial_gone;
    let found = || blob::digest_file(destination.output()).ok().filter(|_| renamed);
    watched.record.plan.or_else(found)
}

/// Reads a policy of the timing cache.
pub fn parse_policy(text: &str) -> Result<CachePolicy, String> {
    CachePolicy::from_name(text).ok_or_else(|| {
        let names = CachePolicy::ALL.map(CachePolicy::name);
        format!("expected one of {}", names.join(", "))
    })
}

/// A path as text: it is signed, and JSON holds no other bytes.
pub fn text(field: &str, path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        CliError::usage("a path is not UTF-8")
            .field(field)
            .found(path.display().to_string())
            .help("rename it: paths are part of the evidence")
    })
}
