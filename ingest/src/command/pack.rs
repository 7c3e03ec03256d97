//! `acta pack`

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read as _},
    path::{Path, PathBuf},
};

use acta_ledger::log::{
    pack::check::{PackReport, unpack},
    verification::Trust,
};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;

use super::{
    bundle::reading::{Watched, bar},
    verify::pack::{known_heads, show},
};
use crate::{
    client::Client,
    durable,
    error::{CliError, Exit, Result},
    home::Home,
    pins,
    server::ServerFacts,
    trust::{KeyFlags, Source},
    ui::Ui,
};

const EXAMPLES: &str = "\
The server gathers what belongs; this machine verifies the pack before it gets its name, so that a file that
is there is a pack that holds. It is a tar archive whose README.md says how to check it with openssl and a
shell.

Exit codes: 0 packed, 1 not (the server cannot be reached, or what it sent does not hold), 2 an input is
wrong, or the log signed two histories (then one JSON object or the report stands on stdout).

Examples:
  acta pack --run 42 -o run-42.acta
  acta pack --route tiny-qwen2 -o tiny-qwen2.acta --blobs all
  acta pack --bundle sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \\
      -o bundle.acta --blobs none
  acta pack --route tiny-qwen2 -o tiny-qwen2.acta --tree-head seen-last-month";

/// Packs evidence into one file.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Pack {
    /// A run, by its id or its number.
    #[arg(long, value_name = "ID", required_unless_present_any = ["bundle", "route"])]
    pub run: Option<String>,

    /// A bundle, by its digest.
    #[arg(long, value_name = "DIGEST", conflicts_with = "run")]
    pub bundle: Option<String>,

    /// A route, by its name.
    #[arg(long, value_name = "ROUTE", conflicts_with_all = ["run", "bundle"])]
    pub route: Option<String>,

    /// Where to write it; a file that is there is replaced when the new one holds.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Which blobs go along: small ones have at most 1 MiB.
    #[arg(long, value_name = "WHICH", default_value = "small")]
    pub blobs: Choice,

    /// A tree head that you have: the pack shows that this tree goes on from there.
    #[arg(long, value_name = "FILE")]
    pub tree_head: Vec<PathBuf>,

    /// The server's address; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// The keys, and the token.
    #[command(flatten)]
    pub keys: KeyFlags,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Which blobs go along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Those of at most 1 MiB.
    Small,
    /// All.
    All,
    /// None.
    None,
}

impl Pack {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let facts = if home.server().exists() { ServerFacts::load(home)? } else { None };
        let (url, facts) = ServerFacts::addressed(self.server.as_deref(), facts)?;
        let client = Client::new(&url, self.keys.token(facts.as_ref()));
        let (trust, source) = self.keys.resolve(None, facts.as_ref(), &client)?;
        let temporary = durable::temporary_in(durable::folder_of(&self.output));
        let made = self.fetch(home, &client, &trust, &temporary, ui).and_then(|report| {
            self.judge(&report, source, ui)?;
            durable::rename(&temporary, &self.output)
                .map_err(|error| CliError::io("write", &self.output, &error))?;
            Ok(report)
        });
        if made.is_err() {
            fs::remove_file(&temporary).ok();
        }
        let report = made?;
        if self.json {
            let object = json!({
                "file": self.output, "keysFrom": source.code(), "holds": true, "report": report,
            });
            ui.result(&object.to_string());
        } else {
            show(&report, ui);
            ui.result(&format!("packed      {}", self.output.display()));
        }
        Ok(Exit::Completed)
    }

    /// What the server is asked.
    fn query(&self, home: &Home, client: &Client, trust: &Trust) -> Result<String> {
        let about = match (&self.run, &self.bundle, &self.route) {
            (Some(run), ..) => format!("run={}", plain("--run", run)?),
            (_, Some(bundle), _) => {
                format!("bundle={}", plain("--bundle", bundle.strip_prefix("sha256:").unwrap_or(bundle))?)
            }
            (_, _, Some(route)) => format!("route={}", plain("--route", route)?),
            (None, None, None) => return Err(CliError::usage("it is not clear what is to be packed")),
        };
        let blobs = match self.blobs {
            Choice::Small => "small",
            Choice::All => "all",
            Choice::None => "none",
        };
        let mut query = format!("{about}&blobs={blobs}");
        // The server proves the way from one earlier tree; the oldest one leads over all that come after it only by
        // proofs of their own, so one file is what it takes.
        if let [file] = &self.tree_head[..] {
            let known = known_heads(std::slice::from_ref(file))?;
            let head = known.first().map(|known| pins::open(home, client, trust, &known.note));
            if let Some(Ok(head)) = head.filter(|head| head.as_ref().is_ok_and(|head| head.size > 0)) {
                query.push_str(&format!("&since={}", head.size));
            }
        } else if self.tree_head.len() > 1 {
            return Err(CliError::usage("a pack is made from one known tree head")
                .field("--tree-head")
                .found(self.tree_head.len().to_string())
                .expected("one file"));
        }
        Ok(query)
    }

    /// Fetches the pack into a file beside its place, and checks it there.
    fn fetch(&self, home: &Home, client: &Client, trust: &Trust, file: &Path, ui: Ui) -> Result<PackReport> {
        let query = self.query(home, client, trust)?;
        let (length, body) = client.pack(&query).map_err(|error| {
            error.explain("the evidence cannot be packed", client.base()).exit(Exit::Failure)
        })?;
        let bar = bar(ui, &self.output, length.unwrap_or(0));
        let received = receive(body, file, &bar);
        bar.finish_and_clear();
        let bytes = received.map_err(|error| {
            CliError::failure("the pack could not be received whole")
                .found(error.to_string())
                .help("try again; if it stays so, a blob on the server is damaged: its log names it")
        })?;
        if length.is_some_and(|length| length != bytes) {
            return Err(CliError::failure("the pack could not be received whole")
                .found(format!("{bytes} bytes"))
                .expected(format!("{} bytes", length.unwrap_or(0))));
        }
        let read = File::open(file).map_err(|error| CliError::io("read", file, &error))?;
        let pack = unpack(BufReader::new(read), |_| {})
            .map_err(|error| CliError::failure("the server sent no pack").found(error.to_string()))?;
        Ok(pack.check(trust, &known_heads(&self.tree_head)?))
    }

    /// A pack that does not hold is not kept.
    fn judge(&self, report: &PackReport, source: Source, ui: Ui) -> Result<()> {
        if source == Source::Server {
            ui.warning(
                "the keys are the server's own word: this proves that the log agrees with itself, not whose log it \
                 is.\n  what to do: enrol, or give --log-key and --portal-key from another source",
            );
        }
        if report.holds() {
            return Ok(());
        }
        let exit = if report.forks.is_empty() { Exit::Failure } else { Exit::FORKED };
        show(report, ui);
        Err(CliError::failure("what the server sent does not hold; it was not kept").exit(exit))
    }
}

fn receive(body: impl io::Read, file: &Path, bar: &ProgressBar) -> io::Result<u64> {
    let mut out = OpenOptions::new().write(true).create_new(true).open(file)?;
    let bytes = io::copy(&mut Watched { inner: body, bar }.take(u64::MAX), &mut out)?;
    out.sync_all()?;
    Ok(bytes)
}

/// What may stand in a query as it is: ids, digests and the names that routes have.
fn plain<'a>(field: &str, text: &'a str) -> Result<&'a str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '~');
    if !text.is_empty() && text.chars().all(fits) {
        Ok(text)
    } else {
        Err(CliError::usage("this names nothing that could be packed")
            .field(field)
            .found(text)
            .expected("a run's id or number, 64 hexadecimal digits, or a route's name"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_go_into_a_query() {
        assert_eq!(plain("--route", "team/tiny-qwen2").unwrap(), "team/tiny-qwen2");
        for wrong in ["", "a b", "a&since=1", "a#b", "ü", "%2e"] {
            assert!(plain("--route", wrong).is_err(), "{wrong}");
        }
    }
}
