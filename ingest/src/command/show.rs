//! `acta show`

mod words;

use acta_ledger::judge::advice::{Advice, Verdict};
use clap::Args;
use serde_json::{Value, json};

use super::advise;
use crate::{
    error::{Exit, Result},
    home::Home,
    journal::{self, Found},
    lookup::{self, Known, LookupFlags},
    outbox,
    statements::Origin,
    ui::Ui,
};

const EXAMPLES: &str = "\
Shows what a run was, did and left behind, in short: how it ended and why, the facts, the phases with the
most time of their own, the cancel step by step, the files, and the advice. A run of this agent is read from
its own statements; another one from the server's log, verified under the pinned keys (or those of --log-key
and --portal-key).

Examples:
  acta show last
  acta show 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f
  acta show 42 --server https://acta.example
  acta show last --json | jq .summary.durationMs";

/// Shows a run: how it ended and why, facts, phases, cancel, files, advice.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Show {
    /// The run's id, its number on the server, or `last`.
    #[arg(value_name = "RUN", add = super::completions::runs())]
    run: String,

    #[command(flatten)]
    lookup: LookupFlags,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Show {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        if let Some(running) = self.going(home)? {
            let advice = advise::of(home, running, false)?;
            if self.json {
                let object = json!({ "run": running, "isOver": false, "advice": outbox::to_value(&advice)? });
                ui.result(&object.to_string());
            } else {
                ui.result(&format!("run {running} goes on"));
                advise::show(&advice, ui);
            }
            return Ok(Exit::Completed);
        }
        let known = lookup::find(home, &self.run, &self.lookup, ui)?;
        let advice = self.advice(home, &known);
        if self.json {
            ui.result(&object(&known, advice.as_ref())?.to_string());
        } else {
            ui.result(&words::lines(&known, ui).join("\n"));
            if let Some(advice) = advice {
                ui.result(&brief(&advice, ui).join("\n"));
            }
        }
        Ok(Exit::Completed)
    }

    /// The run, if it is one of this agent's that goes on.
    fn going(&self, home: &Home) -> Result<Option<uuid::Uuid>> {
        if self.lookup.names_server() || (self.run != "last" && self.run.parse::<uuid::Uuid>().is_err()) {
            return Ok(None);
        }
        // Whoever has no run at all may still know a server: that is found out below.
        let Ok(run) = advise::which(home, &self.run) else { return Ok(None) };
        let running = journal::look(home)?.into_iter().any(|found| match found {
            Found::Running(running) => running.0.run.id == run,
            _ => false,
        });
        Ok(running.then_some(run))
    }

    /// The advice; a run is shown also where nobody can give one.
    fn advice(&self, home: &Home, known: &Known) -> Option<Advice> {
        let run = known.summary.run.id;
        match known.origin {
            Origin::Here => advise::of(home, run, false).ok(),
            Origin::Log => self.lookup.client(home).ok()??.advice(run).ok()?,
        }
    }
}

fn object(known: &Known, advice: Option<&Advice>) -> Result<Value> {
    Ok(json!({
        "run": known.summary.run.id,
        "isOver": true,
        "from": match known.origin { Origin::Here => "here", Origin::Log => "log" },
        "entry": outbox::to_value(&known.entry)?,
        "headline": words::headline(&known.summary, known.tree.as_ref()),
        "summary": outbox::to_value(&known.summary)?,
        "longestPhases": words::longest(known.tree.as_ref()).iter().map(words::Longest::object).collect::<Vec<_>>(),
        "advice": advice.map(outbox::to_value).transpose()?,
    }))
}

/// The answers on a line each; `acta advise` gives their reasons.
fn brief(advice: &Advice, ui: Ui) -> Vec<String> {
    let mut lines = vec![format!("\nadvice (acta advise {} says why)", advice.run)];
    for answer in &advice.answers {
        let (word, colour) = match answer.answer {
            Verdict::Yes => ("yes", 32),
            Verdict::No => ("no", 36),
            Verdict::EvidenceMissing => ("evidence is missing", 33),
        };
        let question = advise::words::question(answer.question);
        lines.push(format!("  {question}  {}", ui.paint(word, colour)));
    }
    lines
}
