//! `acta compare`

mod words;

use acta_ledger::{
    evidence::build::BuildSummary,
    judge::{
        baseline::{BaselineKey, EntryRef},
        comparability::undisturbed,
        compare::{Compared, FEWEST, MOST, Side, compare},
    },
    log::digest::Sha256Digest,
};
use clap::Args;

use super::advise::which;
use crate::{
    error::{CliError, Exit, Result},
    history,
    home::Home,
    lookup::LookupFlags,
    outbox, statements,
    ui::Ui,
};

const EXAMPLES: &str = "\
Compares two to eight runs; the first is the baseline. Says first whether their times may be ranked and,
where not, why not; then only what differs. Runs of this agent are compared here; where one is not, the
server compares, and its answer is its word: acta verify --entry N checks the entries that it rests on.

Examples:
  acta compare 41 42
  acta compare 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f last
  acta compare 41 42 --max-longer 10      # in CI: fails where 42 took over 10 % longer than 41
  acta compare 41 42 43 --json | jq .comparability

Exit codes: 0 compared, 7 --max-longer was given and a run took longer than that, or the times may not be
ranked.";

/// Compares runs: may their times be ranked, and what differs?
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Compare {
    /// Runs: ids, numbers on the server, or `last`; the first is the baseline.
    #[arg(value_name = "RUN", num_args = 2..=8, required = true, add = super::completions::runs())]
    runs: Vec<String>,

    #[command(flatten)]
    lookup: LookupFlags,

    /// Fails where a run took over so many percent longer than the first, or where that cannot be said.
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    max_longer: Option<f64>,

    /// Shows equal facts too.
    #[arg(long)]
    all: bool,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// A run of this agent.
struct Own {
    summary: BuildSummary,
    digest: Sha256Digest,
}

impl Compare {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let own = if self.lookup.names_server() { None } else { self.own(home)? };
        let compared = match own {
            Some(runs) => here(home, &runs)?,
            None => self.ask(home)?,
        };
        let exit = verdict(&compared, self.max_longer);
        if self.json {
            ui.result(&outbox::to_text(&compared)?);
        } else {
            ui.result(&words::lines(&compared, self.all, ui).join("\n"));
        }
        if let (Exit::NotSatisfied, Some(percent)) = (exit, self.max_longer) {
            let why = if compared.comparability.comparable {
                format!("a run took over {percent} % longer than the first")
            } else {
                "the times may not be ranked".to_owned()
            };
            ui.warning(&format!("--max-longer {percent} does not hold: {why}"));
        }
        Ok(exit)
    }

    /// The runs, if all of them are this agent's own.
    fn own(&self, home: &Home) -> Result<Option<Vec<Own>>> {
        let mut runs = Vec::with_capacity(self.runs.len());
        for name in &self.runs {
            // A number is a server's word.
            if name.parse::<u64>().is_ok() {
                return Ok(None);
            }
            let Some((summary, digest)) = statements::own_summary(home, which(home, name)?)? else {
                return Ok(None);
            };
            runs.push(Own { summary, digest });
        }
        Ok(Some(runs))
    }

    fn ask(&self, home: &Home) -> Result<Compared> {
        let client = self.lookup.client(home)?.ok_or_else(|| {
            CliError::usage("not all of these are runs of this agent, and no server is asked")
                .field("RUN")
                .found(self.runs.join(" "))
                .help("acta runs --local lists this agent's; --server URL asks a server")
        })?;
        let mut names = Vec::with_capacity(self.runs.len());
        for name in &self.runs {
            let number = name.parse::<u64>().map(|number| number.to_string());
            names.push(number.or_else(|_| which(home, name).map(|run| run.to_string()))?);
        }
        client
            .compare(&names)
            .map_err(|error| error.explain("the runs cannot be compared", client.base()).exit(Exit::Failure))
    }
}

/// Compares runs of this agent, with what it knows of builds of their kinds.
fn here(home: &Home, runs: &[Own]) -> Result<Compared> {
    let known = statements::own_summaries(home, history::MAX_RUNS)?;
    let mut sides = Vec::with_capacity(runs.len());
    for own in runs {
        let key = BaselineKey::of(&own.summary);
        let kin = known.iter().filter(|(summary, _)| BaselineKey::of(summary) == key);
        let totals = kin.clone().filter(|(summary, _)| undisturbed(summary));
        let totals: Vec<f64> = totals.map(|(summary, _)| summary.duration_ms.total).collect();
        let index = statements::index_of(home, &own.digest)?;
        let entry = EntryRef { run: own.summary.run.id, digest: own.digest, index };
        sides.push((own, entry, history::tree(home, &own.summary), totals, kin.count() as u64));
    }
    let sides: Vec<Side<'_>> = sides
        .iter()
        .map(|(own, entry, tree, totals, kin)| Side {
            entry: *entry,
            summary: &own.summary,
            tree: tree.as_ref(),
            // What gate 3 saw of a bundle is known to the log of its route.
            bundle: None,
            kin_total_ms: totals,
            kin: *kin,
        })
        .collect();
    compare(&sides).map_err(|error| {
        CliError::usage(error.to_string())
            .field("RUN")
            .found(error.found.to_string())
            .expected(format!("{FEWEST} to {MOST} runs"))
    })
}

/// With which code a comparison ends.
fn verdict(compared: &Compared, max_longer: Option<f64>) -> Exit {
    let Some(percent) = max_longer else { return Exit::Completed };
    let limit = 1.0 + percent / 100.0;
    let within = compared.why.iter().all(|why| why.ratio.is_some_and(|ratio| ratio <= limit));
    if compared.comparability.comparable && within { Exit::Completed } else { Exit::NotSatisfied }
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').trim().parse::<f64>().ok();
    percent
        .filter(|percent| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| "expected a number of percent, 0 or more, like 10".to_owned())
}

#[cfg(test)]
mod tests {
    use acta_ledger::judge::{comparability::Comparability, compare::why::Why};

    use super::*;

    fn compared(comparable: bool, ratios: &[Option<f64>]) -> Compared {
        let comparability = Comparability { comparable, because: Vec::new() };
        let why = ratios.iter().enumerate().map(|(at, &ratio)| Why {
            run: at + 1,
            comparability: comparability.clone(),
            by_ms: None,
            ratio,
            usual: None,
            causes: Vec::new(),
        });
        Compared {
            runs: Vec::new(),
            why: why.collect(),
            comparability,
            ranking: Vec::new(),
            sections: Vec::new(),
            phases: None,
            bundles: Vec::new(),
            distributions: Vec::new(),
        }
    }

    #[test]
    fn a_limit_holds_only_where_every_run_keeps_it_and_may_be_ranked() {
        for (comparable, ratios, limit, exit) in [
            (true, vec![Some(5.0)], None, Exit::Completed),
            (false, vec![None], None, Exit::Completed),
            (true, vec![Some(1.1)], Some(10.0), Exit::Completed),
            (true, vec![Some(0.2)], Some(0.0), Exit::Completed),
            (true, vec![Some(1.0), Some(1.11)], Some(10.0), Exit::NotSatisfied),
            (true, vec![None], Some(10.0), Exit::NotSatisfied),
            (false, vec![None], Some(10.0), Exit::NotSatisfied),
        ] {
            assert_eq!(verdict(&compared(comparable, &ratios), limit), exit, "{ratios:?} {limit:?}");
        }
    }

    #[test]
    fn percents_are_numbers() {
        assert_eq!((parse_percent("10"), parse_percent("2.5 %")), (Ok(10.0), Ok(2.5)));
        for wrong in ["", "x", "-1", "inf", "NaN"] {
            assert!(parse_percent(wrong).is_err(), "{wrong}");
        }
    }
}
