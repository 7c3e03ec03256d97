//! `acta runs`

use acta_ledger::{
    evidence::{build::BuildSummary, code},
    log::timestamp::Timestamp,
};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    client::Client,
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
    /// How many runs the filter lets through.
    pub matching: u64,
    /// Which page, counted from 1.
    pub page: u32,
    /// Runs a page.
    pub page_size: u32,
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
    /// The cursor of a server's list is how many runs it has shown.
    fn of_server(&self, client: &Client) -> Result<Listed> {
        let shown = self.after.as_deref().map_or(Ok(0), |cursor| {
            cursor.parse::<usize>().map_err(|_| {
                CliError::usage("this is no place in a list")
                    .field("--after")
                    .found(cursor)
                    .expected("the `next` of an earlier list of this server")
            })
        })?;
        let wanted = shown + self.limit as usize;
        let (mut runs, mut page, mut skipped) = (Vec::new(), 1, 0);
        loop {
            let number = page.to_string();
            let fields = [self.filter.fields(), vec![("page", &number)]].concat();
            let answer = client.runs(&fields).map_err(|error| {
                let error = error.explain("the runs cannot be listed", client.base());
                error.exit(Exit::Failure).help("acta runs --local shows this agent's own")
            })?;
            let (size, matching) = (answer.page_size.max(1) as usize, answer.matching as usize);
            if page == 1 && shown >= size {
                // Only the first answer says how long a page is.
                (page, skipped) = ((shown / size + 1) as u32, shown / size * size);
                continue;
            }
            runs.extend(answer.runs);
            if skipped + runs.len() >= wanted.min(matching) {
                let next = (wanted < matching).then(|| wanted.to_string());
                let runs = runs.into_iter().skip(shown - skipped).take(self.limit as usize).collect();
                return Ok(Listed { from: client.base().to_owned(), runs, next });
            }
            page += 1;
        }
    }

    fn own(&self, home: &Home) -> Result<Listed> {
        let before = self.after.as_deref().map(|cursor| runs::parse_run_of("--after", cursor)).transpose()?;
        let mut own: Vec<BuildSummary> =
            statements::own_summaries(home, usize::MAX)?.into_iter().map(|(summary, _)| summary).collect();
        own.retain(|it| before.is_none_or(|before| it.run.id < before) && self.filter.lets_through(it));
        own.sort_by_key(|summary| std::cmp::Reverse(summary.run.id));
        own.dedup_by_key(|summary| summary.run.id);
        let limit = self.limit as usize;
        let next = own.get(limit).and(own.get(limit - 1)).map(|last| last.run.id.to_string());
        let runs = own.iter().take(limit).map(RunLine::of).collect();
        Ok(Listed { from: "here".to_owned(), runs, next })
    }
}

impl RunFilter {
    /// The fields of the server's list.
    fn fields(&self) -> Vec<(&str, &str)> {
        let fields =
            [("route", &self.route), ("outcome", &self.outcome), ("gpu", &self.gpu), ("q", &self.network)];
        fields.into_iter().filter_map(|(field, value)| Some((field, value.as_deref()?))).collect()
    }

    /// The same judgement on a run of this agent.
    fn lets_through(&self, summary: &BuildSummary) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        is(&self.route, summary.run.route.as_deref())
            && is(&self.outcome, Some(&code(&summary.outcome)))
            && is(&self.gpu, Some(&summary.gpu_sku))
            && self.network.as_deref().is_none_or(|part| file_name(&summary.network.source).contains(part))
    }
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
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
            "total": 9, "matching": 1, "page": 1, "pageSize": 50,
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
        for width in [60, 80, 110] {
            let lines = table::lines(&COLUMNS, &rows, Some(width));
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            assert!(lines[1].starts_with("019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f"), "{lines:?}");
        }
    }
}
