//! `acta advise`

pub mod words;

use std::path::Path;

use acta_ledger::{
    judge::{
        advice::{Advice, RunFacts, Verdict, advise},
        baseline::{Baseline, BaselineKey, EntryRef},
    },
    log::digest::Sha256Digest,
};
use clap::Args;
use uuid::Uuid;

use crate::{
    blob,
    builder::{
        kind::{self, Ground},
        protocol::Report,
        summary::UNKNOWN_VERSION,
    },
    client::Client,
    clock,
    error::{CliError, Exit, Result},
    history,
    home::Home,
    job::Job,
    journal::{self, Found, JournalNote, LiveNote},
    outbox,
    server::ServerFacts,
    statements,
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
Answers four questions about a run: should it continue, should it be cancelled, should a retry use the
timing cache, should the system go back to a known engine? Each answer says what it rests on. It is advice:
nothing is done.

That a build is silent is no reason to cancel it: most of a healthy build makes no callback. A silence
counts only beside those of builds of the same kind, and never alone.

Examples:
  acta advise last
  acta advise 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --json | jq .answers";

/// Answers the four questions about a run: continue, cancel, retry with the cache, go back.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Advise {
    /// The run's id, or `last`.
    #[arg(value_name = "RUN", add = super::completions::runs())]
    pub run: String,

    /// Asks the server, which knows the runs of other agents too.
    #[arg(long)]
    pub ask_server: bool,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Advise {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let advice = of(home, which(home, &self.run)?, self.ask_server)?;
        if self.json {
            ui.result(&outbox::to_text(&advice)?);
        } else {
            show(&advice, ui);
        }
        Ok(Exit::Completed)
    }
}

/// The advice on a run: by what this agent knows where it is its own, else by the server.
pub fn of(home: &Home, run: Uuid, ask_server: bool) -> Result<Advice> {
    let own = if ask_server { None } else { own_facts(home, run)? };
    match own {
        Some((facts, baseline, history)) => Ok(advise(&facts, &history, &baseline)),
        None => ask(home, run),
    }
}

/// The run of an id, or the last one of this agent, over or not.
pub fn which(home: &Home, text: &str) -> Result<Uuid> {
    if text != "last" {
        return crate::runs::parse_run_of("RUN", text);
    }
    let running = journal::look(home)?.into_iter().filter_map(|found| match found {
        Found::Running(running) => Some(running.0.run.id),
        _ => None,
    });
    let signed = statements::own_summaries(home, 1)?.into_iter().map(|(summary, _)| summary.run.id);
    running.chain(signed).max().ok_or_else(|| {
        CliError::usage("there is no last run")
            .field("RUN")
            .found("this agent has made none")
            .help("acta build")
    })
}

type Known = (RunFacts, Baseline, Vec<RunFacts>);

/// What this agent knows of a run of its own; none if it is not its own.
fn own_facts(home: &Home, run: Uuid) -> Result<Option<Known>> {
    for found in journal::look(home)? {
        if let Found::Running(going) = found
            && let (note, Some(live)) = *going
            && note.run.id == run
        {
            let facts = running(&note, &live);
            let history = history::load(home, facts.key.clone(), run)?;
            return Ok(Some((facts, history.baseline, history.runs)));
        }
    }
    let Some((summary, digest)) = statements::own_summary(home, run)? else { return Ok(None) };
    let entry = EntryRef { run, digest, index: statements::index_of(home, &digest)? };
    let tree = history::tree(home, &summary);
    let history = history::load(home, BaselineKey::of(&summary), run)?;
    let facts = RunFacts::of(&summary, tree.as_ref(), entry);
    Ok(Some((facts, history.baseline, history.runs)))
}

/// What is known of a run that goes on.
fn running(note: &JournalNote, live: &LiveNote) -> RunFacts {
    let library = match &live.library {
        Some(Report::Library { family, version, .. }) => Some((*family, version.to_string())),
        _ => None,
    };
    let network = live.network.as_ref().map(|network| network.digest);
    let model = note.job.model().map(|model| note.path(model));
    let digest = network.or_else(|| model.as_ref().and_then(|model| Some(blob::digest_file(model).ok()?.0)));
    let (key, source, output) = match &note.job {
        Job::Build { order } => {
            let (family, version) = library.unzip();
            let version = version.unwrap_or_else(|| UNKNOWN_VERSION.to_owned());
            // Without the model nothing is of its kind.
            let named = digest.unwrap_or_else(|| Sha256Digest::of(b""));
            let model = model.as_deref().unwrap_or(Path::new(""));
            (kind::of(order, model, &named, family, version), order.model.clone(), order.output.clone())
        }
        Job::Command { command } => {
            let config = live.told.as_ref().and_then(|told| told.config.as_ref());
            let key = Ground::of(model.as_deref()).kind(command, network.as_ref(), config, library);
            let told = live.network.as_ref().map(|network| network.source.clone());
            let source = told.filter(|source| !source.is_empty()).or_else(|| command.model.clone());
            (key, source.unwrap_or_default(), command.artifacts.first().cloned().unwrap_or_default())
        }
    };
    RunFacts {
        run: note.run.id,
        entry: None,
        outcome: None,
        route: note.run.route.clone(),
        retry_of: note.run.retry_of,
        network: digest,
        source,
        strongly_typed: live.network.as_ref().map(|network| network.strongly_typed),
        key,
        cache_mode: None,
        output,
        plan: None,
        stopped_in: None,
        situation: live.situation(clock::monotonic_ns()),
        busy_per_mille: live.busy_per_mille,
    }
}

/// What the server answers.
fn ask(home: &Home, run: Uuid) -> Result<Advice> {
    let Some(facts) = ServerFacts::load(home)? else {
        return Err(CliError::usage("the run is not on record")
            .field("RUN")
            .found(format!("{run}: this agent does not know it, and is not enrolled with a server"))
            .help("name a run of `acta build` on this machine, or enrol"));
    };
    let client = Client::new(&facts.url, Some(&facts.api_token));
    let advice = client.advice(run).map_err(|error| error.explain("the advice", client.base()))?;
    advice.ok_or_else(|| {
        CliError::usage("the run is not on record")
            .field("RUN")
            .found(format!("{run}: neither this agent nor the server knows it"))
            .help("acta push, if it waits in another agent's outbox")
    })
}

/// Prints the advice with its reasons.
pub fn show(advice: &Advice, ui: Ui) {
    let mut lines = vec![format!("run {}", advice.run)];
    if let Some(verdict) = &advice.verdict {
        lines.extend(words::verdict(verdict).into_iter().map(|line| format!("  {}", visible_line(&line))));
    }
    for answer in &advice.answers {
        let (mark, colour) = match answer.answer {
            Verdict::Yes => ("yes", 32),
            Verdict::No => ("no", 36),
            Verdict::EvidenceMissing => ("evidence is missing", 33),
        };
        lines.push(format!("\n{}  {}", words::question(answer.question), ui.paint(mark, colour)));
        lines.extend(
            answer.reasons.iter().map(|reason| format!("  - {}", visible_line(&words::reason(reason)))),
        );
        if !answer.rests_on.is_empty() {
            let entries = answer.rests_on.iter().map(|entry| match entry.index {
                Some(index) => format!("entry {index}"),
                None => format!("sha256 {}", entry.digest.short()),
            });
            lines.push(format!("    rests on: {}", entries.collect::<Vec<_>>().join(", ")));
        }
    }
    if !advice.diagnosis.is_empty() {
        lines.push("\nIt stopped twice in the same phase. Before a third attempt:".to_owned());
        lines.extend(advice.diagnosis.iter().map(|step| format!("  - {}", words::step(*step))));
    }
    ui.result(&lines.join("\n"));
}
