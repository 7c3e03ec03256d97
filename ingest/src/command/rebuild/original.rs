//! Where the run's signed summary comes from: an evidence pack, this agent's own statements, or a log.

use std::{
    fs,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::build::BuildSummary,
    judge::pack::Why,
    log::{digest::Sha256Digest, dsse::Envelope, statement::Statement},
};
use uuid::Uuid;

use super::Rebuild;
use crate::{
    client::Client,
    command::{advise::which, verify::pack},
    error::{CliError, Exit, Result},
    home::Home,
    lookup::Remote,
    runs,
    server::ServerFacts,
    statements::{self, Logged},
    trust::Source,
    ui::Ui,
};

/// The run's summary, as it was signed.
pub struct Original {
    /// What it says.
    pub summary: BuildSummary,
    /// Its entry's digest.
    pub entry: Sha256Digest,
    /// Who signed it.
    signer: Signer,
}

/// Who signed a summary.
enum Signer {
    /// The agent of this folder.
    Here(PathBuf),
    /// The agent of this name.
    Named(String),
}

impl Original {
    /// Whether the run is that of the agent of `home`; none where that agent does not know its own name.
    pub fn is_of(&self, home: &Home) -> Result<Option<bool>> {
        let name = ServerFacts::load(home)?.map(|facts| facts.agent);
        Ok(match &self.signer {
            // One folder may have several names.
            Signer::Here(folder) => Some(fs::canonicalize(folder).ok() == fs::canonicalize(home.root()).ok()),
            Signer::Named(signer) => name.map(|name| name == *signer),
        })
    }
}

/// Finds it.
pub fn find(command: &Rebuild, home: &Home, ui: Ui) -> Result<Original> {
    let run = match command.run.as_str() {
        "last" => which(home, "last")?,
        text => runs::parse_run_of("--run", text)?,
    };
    if let Some(pack) = &command.pack {
        return from_pack(command, pack, run, home, ui);
    }
    if command.server.is_none()
        && let Some((summary, entry)) = statements::own_summary(home, run)?
    {
        return Ok(Original { summary, entry, signer: Signer::Here(home.root().to_owned()) });
    }
    from_log(command, run, home, ui)
}

/// From the log, with signature, inclusion and tree head verified.
fn from_log(command: &Rebuild, run: Uuid, home: &Home, ui: Ui) -> Result<Original> {
    let (url, facts) = ServerFacts::addressed(command.server.as_deref(), ServerFacts::load(home)?)
        .map_err(|error| error.help("name the log with --server, or take the run from a pack with --pack"))?;
    let client = Client::new(&url, command.keys.token(facts.as_ref()));
    let remote = Remote::of(client, &command.keys, facts.as_ref(), ui)?;
    let entry = remote.client.run_entry(run).map_err(|error| error.explain("the run", &url))?;
    let entry = entry.ok_or_else(|| {
        CliError::usage("the run is not on record")
            .field("--run")
            .found(format!("{run}: the log of {url} has no such run"))
            .help("name the server that has it, or take it from a pack with --pack")
    })?;
    let Logged { predicate, signer, digest } = remote.summary(entry, Some(run))?;
    Ok(Original { summary: predicate, entry: digest, signer: Signer::Named(signer) })
}

/// From a pack that holds, offline.
fn from_pack(command: &Rebuild, path: &Path, run: Uuid, home: &Home, ui: Ui) -> Result<Original> {
    let unpacked = pack::unpacked("--pack", path, ui)?;
    let (trust, source) = match command.keys.offline(ServerFacts::load(home)?.as_ref())? {
        Some(known) => known,
        None => (pack::claimed_trust(&unpacked, path)?, Source::Server),
    };
    warn_of_claimed_keys(source, ui);
    let of_run =
        unpacked.manifest().entries.iter().filter(|it| matches!(it.why, Why::Summary | Why::Attempt));
    // The newest counts.
    let found = of_run.rev().find_map(|it| {
        let record = unpacked.record(it.index)?;
        let statement = Statement::from_envelope(&Envelope::parse(record).ok()?).ok()?;
        let summary = statement.predicate::<BuildSummary>().ok()?;
        (summary.run.id == run).then(|| (it.index, summary, Sha256Digest::of(record)))
    });
    let report = unpacked.check(&trust, &[]);
    if let Some(finding) = report.findings.first() {
        return Err(pack::bad(path, format!("{}: {}", finding.file, finding.what)));
    }
    if !report.holds() {
        let exit = if report.forks.is_empty() { Exit::Failure } else { Exit::FORKED };
        return Err(pack::bad(path, "the log signed two histories".to_owned()).exit(exit));
    }
    let (index, summary, entry) = found.ok_or_else(|| {
        CliError::usage("the pack has no summary of the run")
            .field("--run")
            .found(run.to_string())
            .help("a pack of the run has it: acta pack --run ID")
    })?;
    let signer = report.entries.into_iter().find(|it| it.index == index).and_then(|it| it.signer);
    let signer = signer.ok_or_else(|| pack::bad(path, format!("entry {index}: nobody signed it")))?.name;
    Ok(Original { summary, entry, signer: Signer::Named(signer) })
}

fn warn_of_claimed_keys(source: Source, ui: Ui) {
    if source == Source::Server {
        ui.warning(
            "the keys are the other side's own word: the summary is signed and logged, and whose log it is from is \
             not known.\n  what to do: enrol, or give --log-key and --portal-key from another source",
        );
    }
}
