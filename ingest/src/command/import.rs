//! `acta import`

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        chain::ChainLink,
        code,
        import::{ImportRecord, ImportedFile},
    },
    judge::percentile::Percentile,
    log::statement::{Statement, Subject},
};
use clap::Args;
use serde_json::json;

use super::push::{Pushed, push_now};
use crate::{
    blob::BlobStore,
    chain, clock,
    error::{CliError, Exit, Result},
    gate::{route_name, store},
    home::Home,
    import::{
        self, Format, Options,
        bind::{self, BundleFile},
        document::Document,
    },
    server::ServerFacts,
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
The report's files are kept as they are, and a document in one form for all formats is stored beside them;
gates 4 and 5 take it with --import. Reports name a bundle by its path or not at all, so the bundle is
hashed now: a report that names another path, or is older than the bundle, is refused. What cannot be read
leaves nothing behind.

Formats: trtmc-benchmark (a run's folder, or result.json with one case's observations.jsonl, telemetry.json
and resolved-case.json), trtmc-validation, trtmc-gate, trtmc-build-timing, trtexec-times, trtexec-profile,
trtexec-layers, trtexec-log.

Examples:
  acta import trtmc-benchmark runs/9f48880d --bundle model.bundle --route tiny-qwen2
  acta import trtmc-benchmark result.json observations.jsonl --bundle model.bundle \\
      --bundle-as /mnt/models/model.bundle
  acta import trtexec-times times.json --bundle model.bundle --json | jq -r .document";

/// How many of a report's files an import may have.
const MAX_FILES: usize = 64;

/// Imports a report of another tool, bound to a bundle.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Import {
    /// The report's format.
    #[arg(value_name = "FORMAT", hide_possible_values = true)]
    pub format: Format,

    /// The report's files.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// The bundle that the report is about.
    #[arg(long, value_name = "FILE")]
    pub bundle: PathBuf,

    /// The path that this bundle had where the report was made, if the report names another than --bundle.
    #[arg(long, value_name = "PATH")]
    pub bundle_as: Option<String>,

    /// The route that it is for.
    #[arg(long, value_name = "ROUTE")]
    pub route: Option<String>,

    /// The account of the person who brings the report.
    #[arg(long, value_name = "ACCOUNT", env = "ACTA_ACCOUNT")]
    pub by: Option<String>,

    /// For how long trtexec warmed up (its --warmUp): queries that began before are left out.
    #[arg(long, value_name = "MS", default_value_t = 200.0)]
    pub warm_up_ms: f64,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, document, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

impl Import {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let route = self.route.as_deref().map(route_name).transpose()?;
        chain::signing_key(home)?;
        let facts = ServerFacts::load(home)?;
        // Everything is read and understood before anything is stored.
        let files = import::read_files(self.format, &self.files)?;
        if files.len() > MAX_FILES {
            return Err(CliError::usage("these are too many files")
                .field("FILE")
                .found(files.len().to_string()));
        }
        let parsed = import::parse(self.format, &files, Options { warm_up_ms: self.warm_up_ms })?;
        let bundle = BundleFile::read(&self.bundle)?;
        let (bound_by, reported_at) = bind::bind(&bundle, self.bundle_as.as_deref(), &files, &parsed)?;

        let blobs = BlobStore::new(home.blobs());
        let kept = files
            .into_iter()
            .map(|file| {
                let media_type = media_type(&file.name);
                Ok(ImportedFile { blob: store(&blobs, &file.bytes, media_type)?, name: file.name })
            })
            .collect::<Result<Vec<_>>>()?;
        let observed = parsed.environment.pins();
        let document = Document::new(self.format, bundle.digest, bound_by, kept.clone(), parsed);
        let stored = document.store(&blobs)?;
        let mut record = ImportRecord {
            route,
            bundle: bundle.digest,
            format: self.format.name().to_owned(),
            dialect: document.dialect.clone(),
            bound_by,
            reported_at,
            document: stored,
            files: kept,
            notes: document.notes.clone(),
            observed,
            by: self.by.clone(),
            at: clock::now(),
            chain: ChainLink::new(0, None),
        };
        let names = record.blobs();
        let sealed = chain::seal(home, None, names, |link| {
            record.chain = link;
            Statement::new(vec![Subject::new(bundle.name(), bundle.digest)], &record).map_err(|error| {
                CliError::failure("the record cannot be written as canonical JSON").found(error.to_string())
            })
        })?;
        let pushed = match facts.filter(|_| !self.no_push) {
            None => Pushed::NotAsked,
            Some(facts) => push_now(home, facts, &sealed, ui),
        };
        self.tell(&record, &document, ui);
        if self.json {
            let mut object = json!({
                "predicate": record,
                "document": record.document.digest,
                "figures": document.figures,
                "outcome": document.outcome,
                "envelopeDigest": sealed.digest,
            });
            if let Pushed::At(index) = pushed {
                object["entryIndex"] = json!(index);
            }
            ui.result(&object.to_string());
        } else {
            ui.result(&format!("document {}", record.document.digest));
        }
        Ok(if matches!(pushed, Pushed::Waits) { Exit::NotPushed } else { Exit::Completed })
    }

    fn tell(&self, record: &ImportRecord, document: &Document, ui: Ui) {
        let mut lines = vec![format!(
            "acta: {} ({}) of {}, bound to sha256:{} by {}",
            record.format,
            visible_line(&record.dialect),
            record.reported_at,
            record.bundle.short(),
            code(&record.bound_by).replace('_', " "),
        )];
        if let Some(figures) = &document.figures {
            let number = |percentile: Percentile| {
                percentile
                    .value()
                    .map_or_else(|| "insufficient samples".to_owned(), |value| format!("{value:.3} ms"))
            };
            let warm_up = code(&figures.warm_up);
            lines.push(format!(
                "      n {}, p50 {}, p95 {}, p99 {} ({}, warm-up {warm_up})",
                figures.n.0,
                number(figures.p50),
                number(figures.p95),
                number(figures.p99),
                figures.rule.replace('_', " "),
            ));
        }
        if let Some(outcome) = &document.outcome {
            lines.push(format!(
                "      {}: {}",
                code(&outcome.verdict).replace('_', " "),
                visible_line(&outcome.text)
            ));
        }
        ui.notice(&lines.join("\n"));
        for note in &document.notes {
            ui.warning(&format!("{}: {}", note.code, visible_line(&note.text)));
        }
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("json") => "application/json",
        Some("jsonl") => "application/x-ndjson",
        _ => "text/plain",
    }
}
