//! `acta canary`

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        canary::{CanaryPhase, CanaryRecord},
        chain::ChainLink,
        code,
    },
    log::statement::{Statement, Subject},
};
use clap::{Args, Subcommand};
use serde_json::json;

use super::push::{Pushed, push_now};
use crate::{
    blob::BlobStore,
    chain, clock,
    error::{CliError, Exit, Result},
    gate::{
        release::canary::{self, Judged},
        route_name, store,
    },
    home::Home,
    import::environment::Environment,
    route,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Without --running and --samples the plan goes on record; with --running that the bundle takes traffic; with
--samples the raw samples, judged against the plan's thresholds. A plan that asks for less than the route's
policy is refused.

Plan (TOML or JSON): trafficShare, minSamples, durationMs, thresholds {p50Ms, p95Ms, p99Ms, throughputPerS,
memoryBytes, errorRate}. Samples (JSON): samplesMs, errors, durationMs, and where measured peakMemoryBytes.

Exit codes: 0 on record (with samples: passed, or not yet decided), 7 the canary failed, 6 on record and not
yet pushed.

Examples:
  acta canary push --route tiny-qwen2 --bundle sha256:9f86... --plan canary.toml
  acta canary push --route tiny-qwen2 --bundle sha256:9f86... --plan canary.toml --running
  acta canary push --route tiny-qwen2 --bundle sha256:9f86... --plan canary.toml \\
      --samples canary.json --json";

/// Canaries.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Canary {
    /// Puts a canary's plan, its start or what it came to on record.
    #[command(after_help = EXAMPLES)]
    Push(Push),
}

impl Canary {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        match self {
            Self::Push(command) => command.run(home, ui),
        }
    }

    /// Whether it prints one JSON object, also of an error.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Push(command) => command.json,
        }
    }
}

/// Puts a canary's plan, its start or what it came to on record.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Push {
    /// The route.
    #[arg(long, value_name = "ROUTE")]
    pub route: String,

    /// The bundle, as sha256:<hex>.
    #[arg(long, value_name = "DIGEST")]
    pub bundle: String,

    /// The plan.
    #[arg(long, value_name = "FILE")]
    pub plan: PathBuf,

    /// Says that the bundle takes traffic now.
    #[arg(long, conflicts_with = "samples")]
    pub running: bool,

    /// The raw samples.
    #[arg(long, value_name = "FILE")]
    pub samples: Option<PathBuf>,

    /// Where it runs, as <interface>_on_<gpu>; none is the route's runtime target, where the server says it.
    #[arg(long, value_name = "TARGET")]
    pub runtime_target: Option<String>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, verdict, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

impl Push {
    fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let route = route_name(&self.route)?;
        let bundle = canary::parse_bundle(&self.bundle)?;
        chain::signing_key(home)?;
        let facts = ServerFacts::load(home)?;
        let definition = route::definition(home, &route, ui);
        let (plan, _) = canary::read_plan("--plan", &self.plan, definition.as_ref().map(|it| &it.policy))?;
        let runtime_target = self.target(definition.map(|it| it.runtime_target))?;
        let judged = match &self.samples {
            None => None,
            Some(path) => Some(canary::read_and_judge("--samples", path, &plan)?),
        };
        let blobs = BlobStore::new(home.blobs());
        let mut verdict = None;
        let (phase, measurement, broken) = match judged {
            None if self.running => (CanaryPhase::Running, None, Vec::new()),
            None => (CanaryPhase::Planned, None, Vec::new()),
            Some(Judged { phase, verdict: came_to, broken, measurement, bytes }) => {
                store(&blobs, &bytes, "application/json")?;
                verdict = Some(came_to);
                (phase, Some(measurement), broken)
            }
        };
        let names = measurement.iter().map(|measurement| measurement.samples).collect();
        let mut record = CanaryRecord {
            route,
            bundle: bundle.0,
            phase,
            plan,
            runtime_target,
            measurement,
            broken,
            at: clock::now(),
            chain: ChainLink::new(0, None),
        };
        let sealed = chain::seal(home, None, names, |link| {
            record.chain = link;
            Statement::new(vec![Subject::new("bundle", bundle.0)], &record).map_err(|error| {
                CliError::failure("the record cannot be written as canonical JSON").found(error.to_string())
            })
        })?;
        let pushed = match facts.filter(|_| !self.no_push) {
            None => Pushed::NotAsked,
            Some(facts) => push_now(home, facts, &sealed, ui),
        };
        if self.json {
            let mut object =
                json!({ "predicate": record, "verdict": verdict, "envelopeDigest": sealed.digest });
            if let Pushed::At(index) = pushed {
                object["entryIndex"] = json!(index);
            }
            ui.result(&object.to_string());
        } else {
            let broken = if record.broken.is_empty() {
                String::new()
            } else {
                format!(": {}", record.broken.join(", "))
            };
            ui.result(&format!("canary {}{broken}", code(&record.phase)));
        }
        Ok(match (record.phase, pushed) {
            (CanaryPhase::Failed, _) => Exit::NotSatisfied,
            (_, Pushed::Waits) => Exit::NotPushed,
            _ => Exit::Completed,
        })
    }

    /// Where the canary runs: what is stated, what the route says and what this machine is must be one.
    fn target(&self, of_route: Option<String>) -> Result<String> {
        let stated = self.runtime_target.clone();
        let target = match (stated, of_route) {
            (Some(stated), Some(of_route)) if stated != of_route => {
                return Err(CliError::usage("the canary runs on another target than the route's")
                    .field("--runtime-target")
                    .found(stated)
                    .expected(of_route));
            }
            (Some(target), _) | (None, Some(target)) => target,
            (None, None) => {
                return Err(CliError::usage("where the canary runs is not known")
                    .field("--runtime-target")
                    .expected(
                        "<interface>_on_<gpu>: neither this agent nor its server knows the route's target",
                    ));
            }
        };
        canary::check_target(&target, &Environment::of_this_machine())?;
        Ok(target)
    }
}
