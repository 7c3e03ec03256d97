//! `acta acceptance`

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        acceptance::{AcceptanceRecord, NotRun, Scenario, ScenarioRecord, Verdict},
        build::{BuildSummary, FRAMEWORK},
        code,
    },
    log::{statement::Statement, timestamp::Timestamp},
};
use clap::Args;
use serde_json::json;
use uuid::Uuid;

use crate::{
    acceptance::{
        host::Host,
        portal::Portal,
        runner::{Runner, not_run, stopped},
        show::{Show, matrix},
    },
    chain::{self, Sealed},
    clock,
    command::push::{Pushed, push_now},
    error::{CliError, Exit, Result},
    home::Home,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Eight criteria in ten scenarios. Each scenario makes its own network and builds it on the real library: a
baseline, builds that are asked to stop, the retry. What they left on record is judged, and the matrix is
signed and pushed. A scenario that was not chosen or not reached is not_run, with the reason. Ctrl-C cancels
the build that runs and signs what was reached.

Scenarios: cold_timing_cache, deep_tactic_search, strongly_typed_change, new_gpu_sku, slow_builder_settings,
ctrl_c, programmatic_cancel, service_shutdown, ide_stop, external_event_loop.

programmatic_cancel asks in this process; with --cancel-token over the portal, for a server that this agent
is enrolled with. The token is issued by: acta-server user token NAME --label acceptance --scope cancel

Examples:
  acta acceptance
  acta acceptance --scenario programmatic_cancel --cancel-token ~/.acta-cancel
  acta acceptance --scenario ctrl_c --scenario service_shutdown
  acta acceptance --json --quiet | jq '.predicate.scenarios[] | {scenario, notRun, criteria}'

Exit codes: 0 every scenario that ran passed, 1 one could not be judged whole, 2 usage, 3 no library, 4
stopped, 6 passed and not yet pushed, 7 a criterion does not hold.";

/// Runs the Stuck-Build Acceptance Test on the real library, and signs the matrix.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Acceptance {
    /// A scenario to run, by its name; may be given several times; all of them without it.
    #[arg(long = "scenario", value_name = "NAME", value_parser = parse_scenario)]
    pub scenarios: Vec<Scenario>,

    /// The library's file, or the folder that it is in.
    #[arg(long, value_name = "PATH")]
    pub tensorrt_lib: Option<PathBuf>,

    /// A file with a reviewer's token of the scope `cancel`: `programmatic_cancel` then asks over the portal.
    #[arg(long, value_name = "FILE", conflicts_with = "no_push")]
    pub cancel_token: Option<PathBuf>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

impl Acceptance {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let started_at = clock::now();
        home.create()?;
        chain::signing_key(home)?;
        let facts = ServerFacts::load(home)?;
        let host = Host::start()?;
        let show = Show::new(ui, Scenario::ALL.len());
        let library = self.tensorrt_lib.as_deref();
        let portal = Portal::find(self.cancel_token.as_deref(), facts.as_ref(), &show)?;
        let runner = Runner { home, host: &host, portal: portal.as_ref(), library, show: &show };
        let reached = self.scenarios(&runner, &host, &show);
        show.end();
        let (scenarios, summary) = reached?;
        let Some(summary) = summary else {
            return Err(CliError::failure(
                "the test was stopped before anything was built: nothing was signed",
            )
            .exit(Exit::Cancelled));
        };
        let (record, sealed) = seal(home, scenarios, &summary, started_at)?;
        if !self.json {
            ui.result(&matrix(&record, ui));
        }
        let pushed = match facts.filter(|_| !self.no_push && !host.is_stopped()) {
            None => Pushed::NotAsked,
            Some(facts) => push_now(home, facts, &sealed, ui),
        };
        if self.json {
            let mut object = json!({ "predicate": record, "envelopeDigest": sealed.digest });
            if let Pushed::At(index) = pushed {
                object["entryIndex"] = json!(index);
            }
            ui.result(&object.to_string());
        } else {
            ui.notice(&format!("acta: evidence  entry {}", sealed.digest.short()));
        }
        Ok(exit(&record, host.is_stopped(), &pushed))
    }

    fn scenarios(
        &self,
        runner: &Runner<'_>,
        host: &Host,
        show: &Show,
    ) -> Result<(Vec<ScenarioRecord>, Option<BuildSummary>)> {
        let (mut records, mut summary) = (Vec::with_capacity(Scenario::ALL.len()), None);
        for scenario in Scenario::ALL {
            let record = if !self.scenarios.is_empty() && !self.scenarios.contains(&scenario) {
                let (reason, sentence) = ("not_selected".to_owned(), "it was not chosen".to_owned());
                not_run(scenario, NotRun { reason, sentence })
            } else if host.is_stopped() {
                not_run(scenario, stopped())
            } else {
                let ran = runner.run(scenario)?;
                summary = summary.or(ran.summary);
                ran.record
            };
            show.judged(&record);
            records.push(record);
        }
        Ok((records, summary))
    }
}

fn seal(
    home: &Home,
    scenarios: Vec<ScenarioRecord>,
    summary: &BuildSummary,
    started_at: Timestamp,
) -> Result<(AcceptanceRecord, Sealed)> {
    let blobs = scenarios.iter().flat_map(|it| &it.runs).map(|run| run.listing).collect();
    let mut signed = None;
    let sealed = chain::seal(home, None, blobs, |link| {
        let record = AcceptanceRecord {
            framework: FRAMEWORK.to_owned(),
            id: Uuid::now_v7(),
            tensorrt_version: summary.tensorrt_version.clone(),
            gpu_sku: summary.gpu_sku.clone(),
            builder: summary.builder,
            host: summary.host.clone(),
            started_at,
            finished_at: clock::now(),
            scenarios,
            chain: link,
        };
        let wrong = |found: String| CliError::failure("the matrix cannot be signed").found(found);
        record.check().map_err(wrong)?;
        let statement =
            Statement::new(vec![record.subject()], &record).map_err(|error| wrong(error.to_string()))?;
        signed = Some(record);
        Ok(statement)
    })?;
    Ok((signed.ok_or_else(|| CliError::failure("nothing was signed"))?, sealed))
}

fn exit(record: &AcceptanceRecord, stopped: bool, pushed: &Pushed) -> Exit {
    let ran = record.scenarios.iter().filter(|scenario| scenario.not_run.is_none());
    let verdict = Verdict::of(ran.map(|scenario| scenario.verdict()));
    match verdict {
        Verdict::Fail => Exit::NotSatisfied,
        _ if stopped => Exit::Cancelled,
        Verdict::NotRun => Exit::Failure,
        Verdict::Pass if matches!(pushed, Pushed::Waits) => Exit::NotPushed,
        Verdict::Pass => Exit::Completed,
    }
}

fn parse_scenario(text: &str) -> Result<Scenario, String> {
    Scenario::ALL.into_iter().find(|scenario| code(scenario) == text).ok_or_else(|| {
        format!("expected one of {}", Scenario::ALL.map(|scenario| code(&scenario)).join(", "))
    })
}
