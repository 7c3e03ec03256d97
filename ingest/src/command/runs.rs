//! `acta runs`

use acta_ledger::{
    evidence::{build::BuildSummary, code},
    judge::filter::{Bounds, Filter, FilterError, RunKind, file_name},
    log::timestamp::Timestamp,
};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    client::Client,
    clock,
    error::{CliError, Exit, Result},
    format::{time, words},
    home::Home,
    lookup::LookupFlags,
    runs, statements,
    table::{self, Column, Fit},
    ui::Ui,
};

const EXAMPLES: &str = "\
Lists the newest runs first: those that the server knows where this agent is enrolled or --server names one,
else this agent's own. The numbers are the server's.

Examples:
  acta runs
  acta runs --outcome cancelled --route bench/residual --limit 5
  acta runs 'gpu:H200 cache:cold duration>10m age<7d'
  acta runs --local --json | jq -r '.runs[].id'
  acta runs --server https://acta.example --token \"$TOKEN\"";

/// Lists runs, the newest first.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Runs {
    #[command(flatten)]
    lookup: LookupFlags,

    #[command(flatten)]
    filter: RunFilter,

    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// Goes on where an earlier list ended, as its `next` says.
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Which runs.
#[derive(Debug, Default, Args)]
pub struct RunFilter {
    /// A filter as the portal's address has it, like 'gpu:H200 cache:cold outcome:cancelled age<7d'.
    #[arg(value_name = "FILTER")]
    filter: Option<String>,

    /// Only runs of this route.
    #[arg(long, value_name = "ROUTE")]
    route: Option<String>,

    /// Only runs that ended so: completed, cancelled, failed, crashed, ...
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,

    /// Only runs for this GPU.
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,

    /// Only runs whose network's file name contains this.
    #[arg(long, value_name = "TEXT")]
    network: Option<String>,
}

/// A run in a list, by the names of the server's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunLine {
    /// Its id.
    pub id: String,
    /// Its number in the log; none where no server was asked.
    pub number: Option<u64>,
    /// The network's file name.
    pub network: String,
    /// The route.
    pub route: Option<String>,
    /// Which attempt.
    pub attempt: u32,
    /// What built.
    pub builder: String,
    /// How it ended.
    pub outcome: String,
    /// The whole attempt, in milliseconds.
    pub total_ms: f64,
    /// From the cancel's request to its acknowledgement, in milliseconds.
    pub request_to_ack_ms: Option<f64>,
    /// Where the cancel was never acknowledged: its latency is longer than this.
    pub censored_after_ms: Option<f64>,
    /// What became of the timing cache.
    pub timing_cache_mode: String,
    /// The GPU.
    pub gpu_sku: String,
    /// The library's version.
    pub tensorrt_version: String,
    /// When it began.
    pub started_at: Timestamp,
}

/// A page of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPage {
    /// The number of the run behind which the next page begins; none on the last.
    pub after: Option<u64>,
    /// The runs.
    pub runs: Vec<RunLine>,
}

/// What is shown.
struct Listed {
    from: String,
    runs: Vec<RunLine>,
    next: Option<String>,
}

impl Runs {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let listed = match self.lookup.client(home)? {
            Some(client) => self.of_server(&client)?,
            None => self.own(home)?,
        };
        if self.json {
            let object = json!({ "from": listed.from, "runs": listed.runs, "next": listed.next });
            ui.result(&object.to_string());
            return Ok(Exit::Completed);
        }
        if listed.runs.is_empty() {
            ui.notice(&format!("no runs; asked: {}", listed.from));
            return Ok(Exit::Completed);
        }
        let rows: Vec<Vec<String>> = listed.runs.iter().map(RunLine::cells).collect();
        ui.result(&table::lines(&COLUMNS, &rows, table::terminal_width()).join("\n"));
        if let Some(next) = listed.next {
            ui.notice(&format!("there are more: --after {next}"));
        }
        Ok(Exit::Completed)
    }
}

impl Runs {
    /// The cursor of a server's list is the number of the last run that it has shown: what is logged meanwhile moves nothing.
    fn of_server(&self, client: &Client) -> Result<Listed> {
        let mut after = match self.after.as_deref() {
            None => None,
            Some(cursor) => Some(cursor.parse::<u64>().map_err(|_| {
                CliError::usage("this is no place in a list")
                    .field("--after")
                    .found(cursor)
                    .expected("the `next` of an earlier list of this server")
            })?),
        };
        let (limit, filter) = (self.limit as usize, self.filter.read()?.to_string());
        let mut runs: Vec<RunLine> = Vec::new();
        loop {
            let place = after.map(|number| number.to_string());
            let mut fields = vec![("q", filter.as_str())];
            fields.extend(place.as_deref().map(|number| ("after", number)));
            let answer = client.runs(&fields).map_err(|error| {
                let error = error.explain("the runs cannot be listed", client.base());
                error.exit(Exit::Failure).help("acta runs --local shows this agent's own")
            })?;
            runs.extend(answer.runs);
            after = answer.after;
            if after.is_none() || runs.len() >= limit {
                break;
            }
        }
        let more = after.is_some() || runs.len() > limit;
        runs.truncate(limit);
        let next = runs.last().filter(|_| more).and_then(|last| last.number).map(|number| number.to_string());
        Ok(Listed { from: client.base().to_owned(), runs, next })
    }

    fn own(&self, home: &Home) -> Result<Listed> {
        let before = self.after.as_deref().map(|cursor| runs::parse_run_of("--after", cursor)).transpose()?;
        let mut own: Vec<BuildSummary> =
            statements::own_summaries(home, usize::MAX)?.into_iter().map(|(summary, _)| summary).collect();
        let filter = self.filter.read()?;
        own.retain(|it| before.is_none_or(|before| it.run.id < before) && lets_through(&filter, it));
        own.sort_by_key(|summary| std::cmp::Reverse(summary.run.id));
        own.dedup_by_key(|summary| summary.run.id);
        let limit = self.limit as usize;
        let next = own.get(limit).and(own.get(limit - 1)).map(|last| last.run.id.to_string());
        let runs = own.iter().take(limit).map(RunLine::of).collect();
        Ok(Listed { from: "here".to_owned(), runs, next })
    }
}

/// The server's judgement on a run of this agent. Nobody here knows whether a route may be served.
fn lets_through(filter: &Filter, summary: &BuildSummary) -> bool {
    let within = |bounds: Bounds, value: Option<f64>| {
        let ((above, below), value) = (bounds.numbers(), value.unwrap_or(-1.0));
        above < value && value < below
    };
    let cancel = summary.cancel.as_ref();
    let (after, until) = filter.begun(clock::now());
    filter.admits(&RunKind::of(summary), |_| None)
        && (after..=until).contains(&summary.started_at.unix_ms())
        && within(filter.duration, Some(summary.duration_ms.total))
        && within(filter.silence, summary.phase_tree.as_ref().map(|tree| tree.longest_silence_ms))
        && within(filter.latency, cancel.and_then(|it| it.request_to_ack_ms.or(it.censored_after_ms)))
}

impl RunFilter {
    /// The filter, in the one grammar that the server reads as well.
    fn read(&self) -> Result<Filter> {
        let refused = |error: FilterError| {
            let refusal = CliError::usage("the filter cannot be understood").field(error.field);
            refusal.found(error.found).expected(error.expected)
        };
        let mut filter: Filter = self.filter.as_deref().unwrap_or_default().parse().map_err(refused)?;
        for (field, value) in [("route", &self.route), ("outcome", &self.outcome), ("gpu", &self.gpu)] {
            filter.set(field, value.as_deref().unwrap_or_default()).map_err(refused)?;
        }
        filter.words.extend(self.network.clone());
        Ok(filter)
    }
}

/// The id is whole: it is what every other command takes.
const COLUMNS: [Column; 8] = [
    Column::text("RUN", Fit::Keep),
    Column::number("NO", Fit::Drop),
    Column::text("OUTCOME", Fit::Cut),
    Column::number("TOTAL", Fit::Keep),
    Column::text("NETWORK", Fit::Cut),
    Column::number("CANCEL", Fit::Drop),
    Column::text("BEGAN (UTC)", Fit::Drop),
    Column::text("ROUTE", Fit::Drop),
];

impl RunLine {
    fn of(summary: &BuildSummary) -> Self {
        let cancel = summary.cancel.as_ref();
        Self {
            id: summary.run.id.to_string(),
            number: None,
            network: file_name(&summary.network.source).to_owned(),
            route: summary.run.route.clone(),
            attempt: summary.run.attempt,
            builder: code(&summary.builder),
            outcome: code(&summary.outcome),
            total_ms: summary.duration_ms.total,
            request_to_ack_ms: cancel.and_then(|cancel| cancel.request_to_ack_ms),
            censored_after_ms: cancel.and_then(|cancel| cancel.censored_after_ms),
            timing_cache_mode: code(&summary.timing_cache_mode),
            gpu_sku: summary.gpu_sku.clone(),
            tensorrt_version: summary.tensorrt_version.clone(),
            started_at: summary.started_at,
        }
    }

    fn cells(&self) -> Vec<String> {
        let cancel = match (self.request_to_ack_ms, self.censored_after_ms) {
            (Some(ms), _) => time(ms),
            (None, Some(ms)) => format!("> {}", time(ms)),
            (None, None) => String::new(),
        };
        let began = self.started_at.to_string();
        vec![
            self.id.clone(),
            self.number.map_or_else(String::new, |number| number.to_string()),
            words(&self.outcome),
            time(self.total_ms),
            self.network.clone(),
            cancel,
            began[..16].replace('T', " "),
            self.route.clone().unwrap_or_default(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_a_server_is_read_and_shown() {
        let answer = json!({
            "total": 9, "matching": 1, "moreMatching": false, "q": "", "sort": "-started", "pageSize": 50,
            "before": null, "after": null,
            "runs": [{
                "id": "019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f", "number": 3, "entry": 7, "agent": "builder-7",
                "network": "tiny.onnx", "route": null, "attempt": 2, "builder": "tensorrt_rtx",
                "outcome": "cancel_requested_but_completed", "totalMs": 1234.5, "buildMs": null,
                "longestSilenceMs": null, "requestToAckMs": null, "censoredAfterMs": 900.0,
                "cleanupStatus": "clean", "validationStatus": "pending", "timingCacheMode": "cold",
                "gpuSku": "H200", "tensorrtVersion": "1.2.0.54", "startedAt": "2026-11-30T06:00:00.000Z",
                "phases": 0, "phaseTree": null, "artifacts": [],
            }],
        });
        let page: RunPage = serde_json::from_value(answer).unwrap();
        let cells = page.runs[0].cells();
        assert_eq!(cells[1..4], ["3", "cancel requested but completed", "1.2 s"]);
        assert_eq!(cells[5..7], ["> 900 ms", "2026-11-30 06:00"]);
        let rows = [cells];
        // Names are cut to eight columns at least: narrower terminals wrap.
        for width in [64, 80, 110] {
            let lines = table::lines(&COLUMNS, &rows, Some(width));
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            assert!(lines[1].starts_with("019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f"), "{lines:?}");
        }
    }
}
