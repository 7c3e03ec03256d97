//! Reports of other tools, one file a format: read, checked, and brought into one form.
//!
//! A report is foreign text. It is read whole, within bounds, before anything is stored; what is not understood is an
//! error that names the file, the field, what was found and what is known. What a report says of itself (a status, a
//! printed percentile) is kept beside what the agent computes from its raw samples and never stands in for it.

pub mod bind;
pub mod document;
pub mod environment;
pub mod reading;
pub mod sample;
mod trtexec_layers;
mod trtexec_log;
mod trtexec_profile;
mod trtexec_times;
mod trtmc_benchmark;
mod trtmc_build_timing;
mod trtmc_gate;
mod trtmc_validation;

use std::path::{Path, PathBuf};

use acta_ledger::{
    evidence::{gate::CheckVerdict, import::ImportNote},
    log::timestamp::Timestamp,
};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::{environment::Environment, sample::Latency};
use crate::{
    error::{CliError, Result},
    gate::read_bounded,
};

/// The longest file of a report: 64 MiB of exported times are 250,000 queries.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// The longest log: a detailed one of a large network has some 100 MB.
const MAX_LOG_BYTES: u64 = 256 << 20;

/// A format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Model Connect, `trtmc-bench run`: result.json with observations.jsonl and telemetry.json, or their folder.
    TrtmcBenchmark,
    /// Model Connect, comparison.json of a validation.
    TrtmcValidation,
    /// Model Connect, the evaluation of a validation's gates.
    TrtmcGate,
    /// Model Connect, build-timing.json.
    TrtmcBuildTiming,
    /// trtexec, `--exportTimes`.
    TrtexecTimes,
    /// trtexec, `--exportProfile`.
    TrtexecProfile,
    /// trtexec, `--exportLayerInfo`.
    TrtexecLayers,
    /// trtexec, what it printed.
    TrtexecLog,
}

impl Format {
    /// Its name, as the command line and the record write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TrtmcBenchmark => "trtmc-benchmark",
            Self::TrtmcValidation => "trtmc-validation",
            Self::TrtmcGate => "trtmc-gate",
            Self::TrtmcBuildTiming => "trtmc-build-timing",
            Self::TrtexecTimes => "trtexec-times",
            Self::TrtexecProfile => "trtexec-profile",
            Self::TrtexecLayers => "trtexec-layers",
            Self::TrtexecLog => "trtexec-log",
        }
    }

    /// The schema of the document that it is brought into.
    pub fn document_schema(self) -> String {
        format!("urn:acta:import-{}:v1", self.name())
    }
}

/// A file of a report.
#[derive(Debug, Clone)]
pub struct SourceFile {
    /// Where it was read.
    pub path: PathBuf,
    /// Its name, without folders.
    pub name: String,
    /// The name of its folder.
    pub folder: String,
    /// When it was last changed.
    pub modified: Timestamp,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a tool concluded, for gate 4.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outcome {
    /// What it means for a gate.
    pub verdict: CheckVerdict,
    /// Why, in words.
    pub text: String,
}

/// A report that was read and understood.
#[derive(Debug)]
pub struct Parsed {
    /// The schema or dialect that was found.
    pub dialect: String,
    /// When the report was made, where it says so itself.
    pub reported_at: Option<Timestamp>,
    /// The bundle's path, where the report names one.
    pub names_bundle: Option<String>,
    /// The machine, where the report names it.
    pub environment: Environment,
    /// Raw latencies, where it has them.
    pub latency: Option<Latency>,
    /// Memory at its peak in bytes, where it was sampled.
    pub peak_memory_bytes: Option<u64>,
    /// What the tool concluded.
    pub outcome: Option<Outcome>,
    /// What a reader should know.
    pub notes: Vec<ImportNote>,
    /// The report itself, in the format's own typed form.
    pub report: Value,
}

impl Parsed {
    /// A report of which nothing but its own form is known yet.
    fn new(dialect: &str, report: &impl Serialize) -> Result<Self> {
        let report = serde_json::to_value(report).map_err(|error| {
            CliError::failure("the report cannot be brought into our form").found(error.to_string())
        })?;
        Ok(Self {
            dialect: dialect.to_owned(),
            reported_at: None,
            names_bundle: None,
            environment: Environment::default(),
            latency: None,
            peak_memory_bytes: None,
            outcome: None,
            notes: Vec::new(),
            report,
        })
    }

    fn note(&mut self, code: &str, text: impl Into<String>) {
        self.notes.push(ImportNote { code: code.to_owned(), text: text.into() });
    }
}

/// What the caller says about how a report is to be read.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// For how long trtexec warmed up.
    pub warm_up_ms: f64,
}

/// Reads the files of a report; a folder stands for what the format keeps in one.
pub fn read_files(format: Format, paths: &[PathBuf]) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(read_file(format, path)?);
        } else if format == Format::TrtmcBenchmark {
            for path in trtmc_benchmark::files_of(path)? {
                files.push(read_file(format, &path)?);
            }
        } else {
            return Err(CliError::usage("this is a folder")
                .field("FILE")
                .found(path.display().to_string())
                .expected(format!("the file of a {} report", format.name())));
        }
    }
    Ok(files)
}

fn read_file(format: Format, path: &Path) -> Result<SourceFile> {
    let most = if format == Format::TrtexecLog { MAX_LOG_BYTES } else { MAX_FILE_BYTES };
    let bytes = read_bounded("FILE", path, most)?;
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(name)).unwrap_or_default();
    let modified = bind::modified(path)?;
    Ok(SourceFile { path: path.to_owned(), name: name(path), folder, modified, bytes })
}

/// Reads a report.
pub fn parse(format: Format, files: &[SourceFile], options: Options) -> Result<Parsed> {
    match format {
        Format::TrtmcBenchmark => trtmc_benchmark::parse(files),
        Format::TrtmcValidation => trtmc_validation::parse(only(format, files)?),
        Format::TrtmcGate => trtmc_gate::parse(only(format, files)?),
        Format::TrtmcBuildTiming => trtmc_build_timing::parse(only(format, files)?),
        Format::TrtexecTimes => trtexec_times::parse(only(format, files)?, options.warm_up_ms),
        Format::TrtexecProfile => trtexec_profile::parse(only(format, files)?),
        Format::TrtexecLayers => trtexec_layers::parse(only(format, files)?),
        Format::TrtexecLog => trtexec_log::parse(only(format, files)?),
    }
}

fn only(format: Format, files: &[SourceFile]) -> Result<&SourceFile> {
    match files {
        [file] => Ok(file),
        files => Err(CliError::usage(format!("a {} report is one file", format.name()))
            .field("FILE")
            .found(format!("{} files", files.len()))
            .help("import each on its own")),
    }
}

/// Raw latencies in observations of Model Connect that stand alone.
pub fn observations(file: &SourceFile) -> Result<Latency> {
    trtmc_benchmark::observations(file)
}

/// Memory at its peak in a telemetry of Model Connect that stands alone.
pub fn peak_memory(file: &SourceFile) -> Result<Option<u64>> {
    trtmc_benchmark::peak_memory(file)
}
