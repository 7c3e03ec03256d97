//! `acta bundle retain`

use std::{
    fs,
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        build::BlobRef,
        bundle::{Verdict, inspect},
        retention::{RetentionRecord, RetentionState},
    },
    log::{
        statement::{Statement, Subject},
        timestamp::Timestamp,
    },
};
use clap::Args;
use serde_json::json;

use super::reading::{self, Watched};
use crate::{
    blob::{self, BlobStore, BlobWriter},
    chain, clock,
    command::push::{Pushed, push_now},
    error::{CliError, Exit, Result},
    gate::route_name,
    home::Home,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Both files are stored under their digests and read back before anything is signed; a bundle that breaks a
rule of the format is not retained. The statement is pushed after both blobs.

Exit codes: 0 retained, 1 not, 2 an input is wrong, 6 retained here and not yet pushed.

Examples:
  acta bundle retain model.bundle --route tiny-qwen2 --runtime-config runtime.json
  acta bundle retain model.bundle --route tiny-qwen2 --runtime-config runtime.json --until 2027-03-31";

/// The longest runtime configuration.
const MAX_CONFIG_BYTES: u64 = 64 << 20;

/// Keeps a bundle and its runtime configuration.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Retain {
    /// The bundle.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The route.
    #[arg(long, value_name = "ROUTE")]
    pub route: String,

    /// The configuration that the runtime needs with it.
    #[arg(long, value_name = "FILE")]
    pub runtime_config: PathBuf,

    /// Until when both are kept at least; none is for as long as the route lives.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

impl Retain {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let route = route_name(&self.route)?;
        let at = clock::now();
        let retained_until = self.until.as_deref().map(|text| until(text, at)).transpose()?;
        home.create()?;
        chain::signing_key(home)?;
        let facts = ServerFacts::load(home)?;
        let blobs = BlobStore::new(home.blobs());
        // Looked at before the long work: a wrong name should not cost an hour.
        let (config, config_bytes) = reading::open("--runtime-config", &self.runtime_config)?;
        if config_bytes == 0 || config_bytes > MAX_CONFIG_BYTES {
            return Err(CliError::usage("this is no runtime configuration")
                .field("--runtime-config")
                .found(format!("{config_bytes} bytes"))
                .expected(format!("1 to {MAX_CONFIG_BYTES} bytes")));
        }
        let bundle = store_bundle(&blobs, &self.file, ui)?;
        let config = store_config(&blobs, &self.runtime_config, config.take(config_bytes + 1))?;
        if config.bytes != config_bytes {
            return Err(CliError::failure("the runtime configuration changed while it was read")
                .field("--runtime-config")
                .help("nothing was signed; try again when nobody writes to it"));
        }
        for (blob, path) in [(&bundle, &self.file), (&config, &self.runtime_config)] {
            read_back(&blobs, blob, path)?;
        }
        let mut record = RetentionRecord {
            route,
            bundle,
            runtime_config: config,
            state: RetentionState::Retained,
            retained_until,
            at,
            purged_by: None,
            chain: None,
        };
        let subjects = vec![Subject::new(name(&self.file), record.bundle.digest), {
            Subject::new(name(&self.runtime_config), record.runtime_config.digest)
        }];
        let sealed = chain::seal(home, None, record.blobs().to_vec(), |link| {
            record.chain = Some(link);
            Statement::new(subjects, &record).map_err(|error| {
                CliError::failure("the record cannot be written as canonical JSON").found(error.to_string())
            })
        })?;
        ui.notice(&format!(
            "retained  sha256:{}\n  with    sha256:{} as its runtime configuration\nevidence  entry {}",
            record.bundle.digest,
            record.runtime_config.digest,
            sealed.digest.short()
        ));
        let pushed = match facts.filter(|_| !self.no_push) {
            None => Pushed::NotAsked,
            Some(facts) => push_now(home, facts, &sealed, ui),
        };
        if self.json {
            let mut object = json!({ "predicate": record, "envelopeDigest": sealed.digest });
            if let Pushed::At(index) = pushed {
                object["entryIndex"] = json!(index);
            }
            ui.result(&object.to_string());
        } else {
            ui.result(&format!("sha256:{}", record.bundle.digest));
        }
        Ok(if matches!(pushed, Pushed::Waits) { Exit::NotPushed } else { Exit::Completed })
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// A day, or a moment, in the future.
fn until(text: &str, now: Timestamp) -> Result<Timestamp> {
    let wrong = |what: &str| CliError::usage(what).field("--until").found(text);
    let day = format!("{text}T23:59:59Z");
    let until: Timestamp = text.parse().or_else(|_| day.parse()).map_err(|_| {
        wrong("this is no date").expected("a day (2027-03-31) or a moment (2027-03-31T12:00:00Z)")
    })?;
    if until <= now {
        return Err(wrong("the retention would have ended already").expected("a date in the future"));
    }
    Ok(until)
}

fn store_bundle(blobs: &BlobStore, path: &Path, ui: Ui) -> Result<BlobRef> {
    let (file, bytes) = reading::open("FILE", path)?;
    let bar = reading::bar(ui, path, bytes);
    let mut writer = blobs.writer().map_err(|error| disk(&error))?;
    let inspection = inspect(Watched { inner: Tee { reader: file, writer: &mut writer }, bar: &bar }, bytes);
    bar.finish_and_clear();
    let inspection = inspection.map_err(|error| reading::failed("FILE", path, &error))?;
    if inspection.verdict == Verdict::Invalid {
        let rules: Vec<&str> = inspection.errors.iter().map(|error| error.rule.code()).collect();
        return Err(CliError::failure("the bundle breaks a rule of the format and is not retained")
            .field("FILE")
            .found(rules.join(", "))
            .help("see: acta bundle inspect FILE"));
    }
    writer.finish("application/octet-stream").map_err(|error| disk(&error))
}

fn store_config(blobs: &BlobStore, path: &Path, mut reader: impl Read) -> Result<BlobRef> {
    let mut writer = blobs.writer().map_err(|error| disk(&error))?;
    io::copy(&mut reader, &mut writer)
        .map_err(|error| CliError::io("copy", path, &error).field("--runtime-config"))?;
    writer.finish("application/octet-stream").map_err(|error| disk(&error))
}

/// Reads a blob back: what the disk gives must be what was written.
fn read_back(blobs: &BlobStore, blob: &BlobRef, from: &Path) -> Result<()> {
    let path = blobs.path(&blob.digest);
    let (digest, bytes) =
        blob::digest_file(&path).map_err(|error| CliError::io("read back", &path, &error))?;
    if (digest, bytes) == (blob.digest, blob.bytes) {
        return Ok(());
    }
    // It would stand under a name that it does not deserve.
    fs::remove_file(&path).ok();
    Err(CliError::failure("what the disk gives back is not what was written")
        .field(from.display().to_string())
        .found(format!("sha256:{digest}"))
        .expected(format!("sha256:{}", blob.digest))
        .help("nothing was signed; check the disk"))
}

fn disk(error: &io::Error) -> CliError {
    CliError::failure("the bundle cannot be stored").found(error.to_string()).help("nothing was signed")
}

/// Writes what is read.
struct Tee<'a> {
    reader: fs::File,
    writer: &'a mut BlobWriter,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(buffer)?;
        self.writer.write_all(&buffer[..got])?;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retention_ends_in_the_future() {
        let now: Timestamp = "2026-11-29T10:00:00Z".parse().unwrap();
        assert_eq!(until("2026-11-29", now).unwrap().to_string(), "2026-11-29T23:59:59.000Z");
        assert_eq!(until("2027-01-01T00:00:00Z", now).unwrap().to_string(), "2027-01-01T00:00:00.000Z");
        for wrong in ["2026-11-28", "2026-11-29T09:00:00Z", "tomorrow", "", "2026-02-30"] {
            assert!(until(wrong, now).unwrap_err().to_string().contains("--until"), "{wrong}");
        }
    }
}
