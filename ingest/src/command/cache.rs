//! `acta cache`

use std::{fs, path::PathBuf};

use acta_ledger::{evidence::timing_cache::KnownCache, log::digest::Sha256Digest};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    caches::Caches,
    error::{CliError, Exit, Result},
    home::Home,
    ui::{Ui, visible_line},
};

/// The largest cache that is taken on record.
const MAX_BYTES: u64 = 4 << 30;

const EXAMPLES: &str = "\
A timing cache is used only if its digest is on record: written by a build of this agent for the same
TensorRT, GPU, driver and class of configurations, or added here by somebody who knows where it comes from.
TensorRT-RTX makes no use of timing caches.

Examples:
  acta cache list
  acta cache add trtexec.cache
  acta build model.onnx -o model.plan --timing-cache trtexec.cache --timing-cache-policy read-only";

/// Shows the timing caches that are on record, or adds one.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum CacheCommand {
    /// Lists what is on record.
    #[command(after_help = EXAMPLES)]
    List(List),
    /// Takes a cache of another tool on record: you vouch for it.
    #[command(after_help = EXAMPLES)]
    Add(Add),
}

/// Lists.
#[derive(Debug, Args)]
pub struct List {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Adds.
#[derive(Debug, Args)]
pub struct Add {
    /// The cache's file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl CacheCommand {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let caches = Caches::new(home.caches());
        match self {
            Self::List(command) => command.run(&caches, home, ui),
            Self::Add(command) => command.run(&caches, ui),
        }
    }

    /// Whether it prints JSON.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::List(command) => command.json,
            Self::Add(command) => command.json,
        }
    }
}

impl List {
    fn run(&self, caches: &Caches, home: &Home, ui: Ui) -> Result<Exit> {
        let known = caches.list().map_err(|error| CliError::io("read", &home.caches(), &error))?;
        let stands = |cache: &KnownCache| {
            fs::read(&cache.file).is_ok_and(|bytes| Sha256Digest::of(&bytes) == cache.digest)
        };
        if self.json {
            let caches: Vec<_> =
                known.iter().map(|cache| json!({ "cache": cache, "standsThere": stands(cache) })).collect();
            ui.result(&json!({ "caches": caches }).to_string());
            return Ok(Exit::Completed);
        }
        if known.is_empty() {
            ui.notice("no timing cache is on record");
        }
        for cache in &known {
            let kind = cache.kind.as_ref().map_or_else(
                || "vouched for by a person".to_owned(),
                |kind| {
                    let gpu = kind.gpu_sku.as_deref().unwrap_or("no GPU named");
                    format!("TensorRT {}, {gpu}, settings {}", kind.tensorrt, kind.config_class.short())
                },
            );
            let there = if stands(cache) { "" } else { "  (not there any more)" };
            ui.result(&format!(
                "sha256 {}  {}  {:>12} bytes  {kind}\n    {}{there}",
                cache.digest.short(),
                cache.at,
                cache.bytes,
                visible_line(&cache.file)
            ));
        }
        Ok(Exit::Completed)
    }
}

impl Add {
    fn run(&self, caches: &Caches, ui: Ui) -> Result<Exit> {
        let wrong = |what: &str| CliError::usage(what).field("FILE").found(self.file.display().to_string());
        let there = fs::metadata(&self.file).map_err(|error| {
            wrong("the cache cannot be found").expected(format!("a file that can be read ({error})"))
        })?;
        if !there.is_file() || there.len() == 0 || there.len() > MAX_BYTES {
            return Err(
                wrong("this is no timing cache").expected(format!("a file of 1 to {MAX_BYTES} bytes"))
            );
        }
        let io = |error: std::io::Error| CliError::io("take on record", &self.file, &error);
        let bytes = fs::read(&self.file).map_err(io)?;
        let file = std::path::absolute(&self.file).map_err(io)?;
        let known = caches.note(&bytes, &file, None, None, None).map_err(io)?;
        if self.json {
            ui.result(&json!({ "cache": known }).to_string());
        } else {
            ui.result(&format!("on record: sha256 {}, {} bytes", known.digest, known.bytes));
        }
        Ok(Exit::Completed)
    }
}
