//! Gate 2: build environment and recipe.
//!
//! What the run measured counts; what only a person states carries the person's name; where both speak, they must
//! agree. A green build is evidence for this gate and nothing more.

mod file;

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        build::{BuildSummary, BuilderKind, Language, NO_GPU, Outcome},
        code,
        gate::{Check, CheckVerdict, Gate, GateRecord},
        pin::{Pin, Pins},
        route::BundleDigest,
    },
    log::statement::Subject,
};
use serde_json::{Value, json};

use self::file::{Boundary, RecipeFile};
use super::{Common, Saying as _, UNCHAINED, check, conclude, store};
use crate::{
    blob::BlobStore,
    clock,
    error::{CliError, Exit, Result},
    home::Home,
    policy, route, runs,
    statements::{self, Origin},
    ui::Ui,
};

const EXAMPLES: &str = "\
The run is looked for among this agent's own statements, else in the log, where its entry must verify. A simulated build
is refused.

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

/// What the checks are made from.
struct Facts<'a> {
    recipe: &'a RecipeFile,
    summary: &'a BuildSummary,
    /// Who states what only the recipe says.
    by: &'a str,
}

/// Runs gate 2.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let started_at = clock::now();
    let route_name = args.common.route()?;
    let id = runs::parse_run_of("--run", &args.run)?;
    let (recipe, bytes): (RecipeFile, _) = policy::read("--recipe", "the recipe", &args.recipe)?;
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
    let facts = Facts { recipe: &recipe, summary: &summary, by: &by };
    let mut checks = facts.checks(origin);
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

impl Facts<'_> {
    fn checks(&self, origin: Origin) -> Vec<Check> {
        let (recipe, summary) = (self.recipe, self.summary);
        let environment = &recipe.environment;
        vec![
            self.sources(),
            self.os_or_container(),
            self.python(),
            self.stated("model_connect", environment.model_connect.as_deref(), "environment.modelConnect"),
            self.both("tensorrt", environment.tensorrt.as_deref(), Some(summary.tensorrt_version.as_str())),
            self.both("cuda", environment.cuda.as_deref(), summary.host.cuda.as_deref()),
            self.both("gpu", environment.gpu.as_deref(), Some(summary.gpu_sku.as_str())),
            self.both("driver", environment.driver.as_deref(), summary.host.driver.as_deref()),
            self.stated("recipe", Some(recipe.name.as_str()), "name"),
            self.stated("documented_family", recipe.documented_family.as_deref(), "documentedFamily"),
            self.commands(),
            self.stated("precision", recipe.precision.as_deref(), "precision"),
            self.may_be_none("quantization", recipe.quantization.as_deref()),
            self.may_be_none("topology", recipe.topology.as_deref()),
            self.parallelism(),
            self.boundaries("custom_kernels", "customKernels", recipe.custom_kernels.as_deref()),
            self.boundaries("tvm_ffi_boundaries", "tvmFfiBoundaries", recipe.tvm_ffi_boundaries.as_deref()),
            self.build_run(origin),
        ]
    }

    fn person(&self, name: &str, verdict: CheckVerdict, value: Value) -> Check {
        check(name, verdict, value).stated_by(self.by)
    }

    fn absent(&self, name: &str, key: &str) -> Check {
        check(name, CheckVerdict::Hold, Value::Null)
            .because(format!("the recipe file does not say it: {key}"))
    }

    /// What only the recipe says.
    fn stated(&self, name: &str, value: Option<&str>, key: &str) -> Check {
        match value.map(str::trim).filter(|value| !value.is_empty()) {
            Some(value) => self.person(name, CheckVerdict::Pass, json!(value)),
            None => self.absent(name, key),
        }
    }

    /// What only the recipe says, and what may not apply.
    fn may_be_none(&self, name: &str, value: Option<&str>) -> Check {
        match value.map(str::trim) {
            Some("none") => self
                .person(name, CheckVerdict::NotApplicable, json!("none"))
                .because("the recipe says that there is none"),
            value => self.stated(name, value, name),
        }
    }

    /// What the recipe and the run say: they must agree.
    fn both(&self, name: &str, stated: Option<&str>, measured: Option<&str>) -> Check {
        let stated = stated.map(str::trim).filter(|stated| !stated.is_empty());
        let measured = measured.filter(|measured| !measured.is_empty() && *measured != "unknown");
        let none = |text: &str| text == "none" || text == NO_GPU;
        match (stated, measured) {
            (None, Some(measured)) => check(name, CheckVerdict::Pass, json!(measured)),
            (Some(stated), Some(measured)) if stated == measured || none(stated) && none(measured) => {
                check(name, CheckVerdict::Pass, json!(measured))
            }
            (Some(stated), Some(measured)) => {
                check(name, CheckVerdict::Fail, json!({ "stated": stated, "measured": measured }))
                    .because(format!("the recipe says {stated}, the run measured {measured}"))
            }
            (Some(stated), None) => self.person(name, CheckVerdict::Pass, json!(stated)),
            (None, None) if self.summary.gpu_sku == NO_GPU && name == "driver" => {
                check(name, CheckVerdict::Pass, json!(NO_GPU))
            }
            (None, None) => check(name, CheckVerdict::Hold, Value::Null)
                .because(format!("neither the run nor the recipe says it: environment.{name}")),
        }
    }

    fn sources(&self) -> Check {
        let name = "canonical_sources";
        let sources = &self.recipe.sources;
        let lacking = sources.iter().find_map(|source| {
            let lacks = source.lacks();
            (!lacks.is_empty()).then(|| format!("{} lacks: {}", source.url, lacks.join(", ")))
        });
        match lacking {
            _ if sources.is_empty() => self.absent(name, "sources"),
            Some(reason) => self.person(name, CheckVerdict::Hold, json!(sources)).because(reason),
            None => self.person(name, CheckVerdict::Pass, json!(sources)),
        }
    }

    fn os_or_container(&self) -> Check {
        let host = &self.summary.host;
        let environment = &self.recipe.environment;
        let value = json!({
            "os": host.os,
            "kernel": host.kernel,
            "architecture": host.architecture,
            "containerRuntime": host.container,
            "container": environment.container,
        });
        match &environment.os {
            Some(stated) if *stated != host.os => check("os_or_container", CheckVerdict::Fail, value)
                .because(format!("the recipe says {stated}, the run measured {}", host.os)),
            _ => check("os_or_container", CheckVerdict::Pass, value),
        }
    }

    fn python(&self) -> Check {
        match self.recipe.environment.python.as_deref().map(str::trim) {
            None if self.summary.language == Language::Cpp => {
                check("python", CheckVerdict::NotApplicable, json!("none"))
                    .because("the builder was called from C++")
            }
            None => self.absent("python", "environment.python"),
            stated => self.may_be_none("python", stated),
        }
    }

    fn commands(&self) -> Check {
        let (stated, ran) = (&self.recipe.build_commands, &self.summary.command_line);
        let value = json!({ "recipe": stated, "run": ran });
        if stated.iter().all(|command| command.trim().is_empty()) {
            return self.absent("build_commands", "buildCommands");
        }
        self.person("build_commands", CheckVerdict::Pass, value)
    }

    fn parallelism(&self) -> Check {
        let name = "tensor_parallelism";
        match self.recipe.tensor_parallelism {
            None => self.absent(name, "tensorParallelism"),
            Some(0) => self
                .person(name, CheckVerdict::Fail, json!(0))
                .because("tensors cannot be split over no device"),
            Some(1) => self
                .person(name, CheckVerdict::NotApplicable, json!(1))
                .because("the recipe says that tensors are not split"),
            Some(devices) => self.person(name, CheckVerdict::Pass, json!(devices)),
        }
    }

    fn boundaries(&self, name: &str, key: &str, boundaries: Option<&[Boundary]>) -> Check {
        let Some(boundaries) = boundaries else { return self.absent(name, key) };
        if boundaries.is_empty() {
            return self
                .person(name, CheckVerdict::NotApplicable, json!([]))
                .because("the recipe says that there are none");
        }
        let lacking: Vec<String> = boundaries
            .iter()
            .filter_map(|boundary| {
                let lacks = boundary.lacks();
                (!lacks.is_empty()).then(|| format!("{} lacks: {}", boundary.name, lacks.join(", ")))
            })
            .collect();
        if lacking.is_empty() {
            self.person(name, CheckVerdict::Pass, json!(boundaries))
        } else {
            self.person(name, CheckVerdict::Hold, json!(boundaries)).because(lacking.join("; "))
        }
    }

    fn build_run(&self, origin: Origin) -> Check {
        let summary = self.summary;
        let value = json!({
            "run": summary.run.id,
            "attempt": summary.run.attempt,
            "outcome": summary.outcome,
            "builder": summary.builder,
            "buildConfigHash": summary.build_config_hash,
            "plan": summary.plan().and_then(|plan| plan.digest),
            "foundIn": match origin {
                Origin::Here => "this agent's statements",
                Origin::Log => "the log, verified",
            },
        });
        match summary.outcome {
            Outcome::Completed | Outcome::CancelRequestedButCompleted if summary.plan().is_some() => {
                check("build_run", CheckVerdict::Pass, value)
            }
            outcome => check("build_run", CheckVerdict::Fail, value)
                .because(format!("the run is {}: no plan came out of it", code(&outcome).replace('_', " "))),
        }
    }
}
