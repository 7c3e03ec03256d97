//! Gate 2: build environment and recipe.
//!
//! What the run measured counts; what only a person states carries the person's name; where both speak, they must
//! agree. A green build is evidence for this gate and nothing more.

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        build::BuilderKind,
        gate::{Gate, GateRecord},
        pin::{Pin, Pins},
        recipe::Recipe,
        route::BundleDigest,
    },
    judge::recipe,
    log::statement::Subject,
};

use super::{Common, UNCHAINED, conclude, store};
use crate::{
    blob::BlobStore,
    clock,
    error::{CliError, Exit, Result},
    home::Home,
    policy, route, runs, statements,
    ui::Ui,
};

const EXAMPLES: &str = "\
The run is looked for among this agent's own statements, else in the log, where its entry must verify. A
simulated build is refused.

The recipe file is TOML or JSON; a key that is not known is refused, one that is missing is a hold:
  name, statedBy, documentedFamily, buildCommands, precision, quantization, topology, tensorParallelism,
  environment { container, os, python, modelConnect, tensorrt, cuda, gpu, driver },
  sources [{ url, date, digest, title }],
  customKernels and tvmFfiBoundaries [{ name, source, flags, versions, review, scan, signature, fallback, owner }]
An empty list of kernels or boundaries says that there are none; \"none\" says that something does not apply.

The recipe is pinned by its file's digest (sha256:...), or by its name where the route's policy pins the name.

Example:
  acta gate 2 --route tiny-qwen2 --run 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --recipe recipe.toml --by ana";

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What every gate takes.
    #[command(flatten)]
    pub common: Common,

    /// The run that built, as `acta build` printed it.
    #[arg(long, value_name = "RUN")]
    pub run: String,

    /// The recipe file.
    #[arg(long, value_name = "FILE")]
    pub recipe: PathBuf,

    /// The bundle that came of it, as sha256:...; without it gate 3 says so by naming the run.
    #[arg(long, value_name = "DIGEST")]
    pub bundle: Option<BundleDigest>,

    /// The route's policy; none is what the server knows.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
}

/// Runs gate 2.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let started_at = clock::now();
    let route_name = args.common.route()?;
    let id = runs::parse_run_of("--run", &args.run)?;
    let (recipe, bytes): (Recipe, _) = policy::read("--recipe", "the recipe", &args.recipe)?;
    let given = args.policy.as_deref().map(policy::read_policy).transpose()?;
    let (summary, origin) = statements::run_summary(home, id)?;
    if summary.builder == BuilderKind::Simulated {
        return Err(CliError::usage("a simulated build is evidence for no gate")
            .field("--run")
            .found(id.to_string())
            .help("nothing was signed; build with a real library"));
    }
    let pins = match given {
        Some(policy) => policy.pins,
        None => route::definition(home, &route_name, ui).map(|it| it.policy.pins).unwrap_or_default(),
    };
    let by = match &recipe.stated_by {
        Some(by) if !by.trim().is_empty() => by.trim().to_owned(),
        _ => args.common.person()?,
    };
    let blob = store(&BlobStore::new(home.blobs()), &bytes, "text/plain")?;
    let mut checks = recipe::checks(&recipe, &summary, &by);
    checks.push(recipe::build_run(&summary, origin.words()));
    for check in &mut checks {
        if check.stated_by.is_some() {
            check.evidence.push(blob.digest);
        }
    }
    let digest = format!("sha256:{}", blob.digest);
    let recipe_pin = if pins.get(Pin::Recipe) == Some(recipe.name.as_str()) { &recipe.name } else { &digest };
    let mut observed = Pins::default();
    observed.0.insert(Pin::Recipe, recipe_pin.clone());
    observed.0.insert(Pin::Tensorrt, summary.tensorrt_version.clone());
    if let Some(revision) = &recipe.environment.model_connect {
        observed.0.insert(Pin::ModelConnect, revision.clone());
    }
    let record = GateRecord {
        route: route_name,
        gate: Gate::Build,
        checkpoint_revision: None,
        bundle: args.bundle.map(|bundle| bundle.0),
        run: Some(id),
        builder: Some(summary.builder),
        runtime_target: None,
        observed,
        checks,
        authors: vec![by.clone()],
        started_at,
        finished_at: clock::now(),
        chain: UNCHAINED,
    };
    let plan = summary.plan().and_then(|plan| Some(Subject::new(name_of(&plan.name), plan.digest?)));
    let subjects =
        plan.into_iter().chain([Subject::new(name_of(&summary.network.source), summary.network.digest)]);
    conclude(home, ui, &args.common, &pins, subjects.collect(), record)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
