//! Gate 5: release, canary, rollback.
//!
//! Percentiles come from raw samples by the ledger's own rule, and every figure says n, the rule and whether the warm-up
//! is in. What a tool printed is never a measurement. Limits are those of the route's policy, and whether a figure keeps
//! one is the ledger's judgement.

pub mod canary;
mod figures;
pub mod measure;
mod readiness;
pub mod site;

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        gate::{Check, CheckVerdict, Gate, GateRecord},
        route::Thresholds,
    },
    log::digest::Sha256Digest,
};
use serde_json::{Value, json};

use self::{
    canary::Judged,
    figures::Figured,
    measure::Measured,
    site::{Site, SiteArgs},
};
use super::{Common, UNCHAINED, check, conclude, store};
use crate::{
    blob::BlobStore,
    chain, clock,
    error::{CliError, Exit, Result},
    home::Home,
    ui::Ui,
};

const EXAMPLES: &str = "\
Latencies come from one place: --latency (a JSON array of milliseconds, our own latency file,
observations.jsonl of Model Connect, --exportTimes of trtexec) or an import that holds samples. The 99th
percentile needs 100 samples, else it is \"insufficient samples\". Limits are those of the route's policy,
from the server or --policy.

The way back (retained, tested) is read from the log through the server.

Examples:
  acta gate 5 --route tiny-qwen2 --bundle tiny.bundle --import 9f86d081884c... \\
      --cold-build 019ad0c6-2f4e-7c4b-8d3e-... \\
    --memory telemetry.json --concurrency at-16.json --canary-plan canary.toml --cache-and-storage 'plan cache on NVMe'
  acta gate 5 --route tiny-qwen2 --bundle tiny.bundle --latency latency.json --policy policy.toml \\
    --environment target.toml --not-applicable concurrency='one request at a time by contract' --by ana";

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What every gate takes.
    #[command(flatten)]
    pub common: Common,

    /// Where it is measured.
    #[command(flatten)]
    pub site: SiteArgs,

    /// Raw latencies.
    #[arg(long, value_name = "FILE")]
    pub latency: Option<PathBuf>,

    /// For how long trtexec warmed up, where --latency is its export.
    #[arg(long, value_name = "MS", default_value_t = 200.0)]
    pub warm_up_ms: f64,

    /// Requests and their time, where latencies alone do not say the throughput.
    #[arg(long, value_name = "FILE")]
    pub throughput: Option<PathBuf>,

    /// Memory at its peak, or Model Connect's telemetry.json.
    #[arg(long, value_name = "FILE")]
    pub memory: Option<PathBuf>,

    /// Raw latencies of requests that ran at once.
    #[arg(long, value_name = "FILE")]
    pub concurrency: Option<PathBuf>,

    /// The run that built the plan in the bundle without a timing cache.
    #[arg(long, value_name = "RUN")]
    pub cold_build: Option<String>,

    /// How caches and storage behave, in words.
    #[arg(long, value_name = "TEXT")]
    pub cache_and_storage: Option<String>,

    /// The canary's plan.
    #[arg(long, value_name = "FILE")]
    pub canary_plan: Option<PathBuf>,

    /// The canary's raw samples.
    #[arg(long, value_name = "FILE", requires = "canary_plan")]
    pub canary: Option<PathBuf>,
}

/// Runs gate 5.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let started_at = clock::now();
    chain::signing_key(home)?;
    let site = args.site.look(home, ui, &args.common, Gate::Release)?;
    let limits = limits(&site)?;
    let mut pile = Pile::default();
    let measured = args.latency(&site, &mut pile)?;
    let figured = args.figured(&site, measured.as_ref(), &limits, &mut pile)?;
    let cold = readiness::cold_build(home, args.cold_build.as_deref(), &site)?;

    let mut checks = vec![cold.check];
    checks.extend(figured.checks());
    checks.push(args.cache_and_storage(&site)?);
    checks.push(args.concurrency(&limits, &mut pile)?);
    checks.extend(args.canary(home, &site, &mut pile)?);
    checks.extend(readiness::way_back(home, &site));
    checks.extend(said_by_reports(&site));

    let blobs = BlobStore::new(home.blobs());
    pile.store(&blobs)?;
    site.store_documents(&blobs)?;
    let record = GateRecord {
        route: site.route.clone(),
        gate: Gate::Release,
        checkpoint_revision: None,
        bundle: Some(site.inspection.digest),
        run: None,
        builder: cold.builder,
        runtime_target: Some(site.runtime_target.clone()),
        observed: site.observed.clone(),
        checks: site.finish(checks),
        authors: args.common.by.clone().into_iter().collect(),
        started_at,
        finished_at: clock::now(),
        chain: UNCHAINED,
    };
    conclude(home, ui, &args.common, &site.pins(), site.subjects(), record)
}

/// What the route's policy asks; without one nothing could be held against anything.
fn limits(site: &Site) -> Result<Thresholds> {
    site.policy.as_ref().map(|policy| policy.thresholds).ok_or_else(|| {
        CliError::usage("the route's policy is not known")
            .field("--policy")
            .expected("the policy's file: neither this agent nor its server knows the route")
    })
}

/// Bytes that become blobs once everything is known.
#[derive(Default)]
struct Pile(Vec<Vec<u8>>);

impl Pile {
    /// Adds bytes; their digest is that of the blob.
    fn add(&mut self, bytes: Vec<u8>) -> Sha256Digest {
        let digest = Sha256Digest::of(&bytes);
        self.0.push(bytes);
        digest
    }

    fn store(self, blobs: &BlobStore) -> Result<()> {
        self.0.iter().try_for_each(|bytes| store(blobs, bytes, "application/json").map(drop))
    }
}

/// Raw latencies with the blob that holds them.
struct Source {
    measured: Measured,
    blob: Sha256Digest,
}

impl Args {
    /// Raw latencies, from exactly one place.
    fn latency(&self, site: &Site, pile: &mut Pile) -> Result<Option<Source>> {
        let mut sources = Vec::new();
        if let Some(path) = &self.latency {
            let (measured, bytes) = measure::read_latency("--latency", path, self.warm_up_ms)?;
            sources.push(Source { measured, blob: pile.add(bytes) });
        }
        for (document, bytes) in &site.documents {
            if let Some(latency) = document.latency.clone() {
                latency.samples().map_err(|error| {
                    CliError::usage("the import's samples are no measurements")
                        .field("--import")
                        .found(error.to_string())
                })?;
                let peak_memory_bytes = document.peak_memory_bytes.map(|bytes| bytes.0);
                let source = document.format().to_owned();
                let measured = Measured { latency, peak_memory_bytes, source };
                sources.push(Source { measured, blob: Sha256Digest::of(bytes) });
            }
        }
        if sources.len() > 1 {
            return Err(CliError::usage("there are several sets of latencies")
                .field("--latency, --import")
                .found(format!("{} sets", sources.len()))
                .expected("one: samples of different measurements are never mixed"));
        }
        let source = sources.pop();
        // A run that failed has no samples, and that is worth a record: the gate says what is missing.
        if source.is_none() && site.documents.is_empty() {
            return Err(CliError::usage("there are no latencies")
                .field("--latency")
                .expected("raw samples: --latency FILE, or --import of a report that holds them"));
        }
        Ok(source)
    }

    fn figured(
        &self,
        site: &Site,
        source: Option<&Source>,
        limits: &Thresholds,
        pile: &mut Pile,
    ) -> Result<Figured> {
        let throughput = match &self.throughput {
            None => None,
            Some(path) => {
                let (per_s, concurrency, bytes) = measure::read_throughput("--throughput", path)?;
                Some((per_s, concurrency, pile.add(bytes)))
            }
        };
        let memory = match &self.memory {
            Some(path) => {
                let (bytes, raw) = measure::read_memory("--memory", path)?;
                Some((bytes, pile.add(raw)))
            }
            None => {
                let of_source = source.and_then(|it| Some((it.measured.peak_memory_bytes?, it.blob)));
                of_source.or_else(|| {
                    site.documents.iter().find_map(|(document, bytes)| {
                        let peak = document.peak_memory_bytes?.0;
                        Some((peak, Sha256Digest::of(bytes)))
                    })
                })
            }
        };
        Figured::new(source.map(|it| (&it.measured, it.blob)), throughput, memory, limits)
    }

    fn cache_and_storage(&self, site: &Site) -> Result<Check> {
        let bytes = site.inspection.bytes;
        let name = "cache_and_storage";
        match self.cache_and_storage.as_deref().map(str::trim) {
            Some(text) if !text.is_empty() => {
                let value = json!({ "bundleBytes": bytes, "behaviour": text });
                Ok(check(name, CheckVerdict::Pass, value).stated_by(&self.common.person()?))
            }
            _ => Ok(check(name, CheckVerdict::NotRun, json!({ "bundleBytes": bytes }))
                .because("say how caches and storage behave: --cache-and-storage")),
        }
    }

    fn concurrency(&self, limits: &Thresholds, pile: &mut Pile) -> Result<Check> {
        let name = "concurrency";
        let Some(path) = &self.concurrency else {
            return Ok(check(name, CheckVerdict::NotRun, Value::Null)
                .because("nothing was measured with requests at once: --concurrency"));
        };
        let (measured, bytes) = measure::read_latency("--concurrency", path, self.warm_up_ms)?;
        figures::concurrency(&measured, pile.add(bytes), limits)
    }

    /// The plan, and what the canary came to where there are samples.
    fn canary(&self, home: &Home, site: &Site, pile: &mut Pile) -> Result<Vec<Check>> {
        let Some(path) = &self.canary_plan else {
            return Ok(vec![readiness::canary_on_record(home, site)?]);
        };
        let (plan, bytes) = canary::read_plan("--canary-plan", path, site.policy.as_ref())?;
        let value = serde_json::to_value(&plan)
            .map_err(|error| CliError::failure("the plan cannot be written").found(error.to_string()))?;
        let planned = check("canary_plan", CheckVerdict::Pass, value);
        let planned = planned.stated_by(&self.common.person()?).resting_on(pile.add(bytes));
        let Some(path) = &self.canary else { return Ok(vec![planned]) };
        let Judged { verdict, broken, measurement, bytes, .. } =
            canary::read_and_judge("--canary", path, &plan)?;
        let value = json!({ "verdict": verdict, "measurement": measurement });
        let result = figures::canary(&verdict, value, &broken).resting_on(pile.add(bytes));
        Ok(vec![planned, result])
    }
}

/// What the imported reports say of themselves that a reviewer must see.
fn said_by_reports(site: &Site) -> Vec<Check> {
    let notes = site.documents.iter().flat_map(|(document, bytes)| {
        let blob = Sha256Digest::of(bytes);
        document.notes.iter().map(move |note| (note, blob))
    });
    let held = [("run_failed", "report_completed"), ("simulated_pipeline", "report_of_a_real_pipeline")];
    notes
        .filter_map(|(note, blob)| {
            let (_, name) = held.iter().find(|(code, _)| *code == note.code)?;
            Some(
                check(name, CheckVerdict::Hold, json!(note.code)).because(note.text.clone()).resting_on(blob),
            )
        })
        .collect()
}
