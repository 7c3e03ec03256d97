//! The five gates, one file each: what is looked at, what was found, and the record that is signed.
//!
//! A runner gathers [`Check`]s and hands a [`GateRecord`] to [`conclude`], which does the rest the same way for all:
//! long values become blobs, the record is signed and waits in the outbox, it is pushed, shown, and the exit code says
//! whether the gate is satisfied. What "satisfied" means is the ledger's judgement, not a runner's.

pub mod bundle;
pub mod checkpoint;
pub mod parity;
pub mod plan;
pub mod recipe;
pub mod release;
mod table;

pub use acta_ledger::evidence::gate::check;
pub use table::{short, words};

use std::path::Path;

use acta_ledger::{
    evidence::{
        build::BlobRef,
        chain::ChainLink,
        gate::{GateRecord, GateState},
        pin::Pins,
    },
    judge::gate::{GateContext, GateJudgement, judge},
    log::{
        jcs,
        statement::{Statement, Subject},
    },
};
use clap::Args;
use serde_json::json;

use crate::{
    blob::BlobStore,
    builder::framing::cut,
    chain::{self, Sealed},
    command::push::{Pushed, push_now},
    error::{CliError, Exit, Result},
    home::Home,
    server::ServerFacts,
    ui::Ui,
};

/// The place of a record that has none yet; [`sign_and_store`] gives it one.
pub const UNCHAINED: ChainLink = ChainLink::new(0, None);

/// How long a check's value may be in canonical JSON; a longer one becomes a blob.
const MAX_VALUE_BYTES: usize = 1024;
/// How long a check's reason may be.
const MAX_REASON_BYTES: usize = 600;
/// How long a record may be: in an envelope it grows by a third, and an entry has at most 65,535 bytes.
const MAX_RECORD_BYTES: usize = 46_000;

/// What every gate's command takes.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// The route.
    #[arg(long, value_name = "ROUTE")]
    pub route: String,

    /// The account of the person who states what the agent cannot measure; none is the user who runs the program.
    #[arg(long, value_name = "ACCOUNT", env = "ACTA_ACCOUNT")]
    pub by: Option<String>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, judgement, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

impl Common {
    /// The route's name, checked.
    pub fn route(&self) -> Result<String> {
        route_name(&self.route)
    }

    /// Who states facts, by account. A fact that a person states needs a name.
    pub fn person(&self) -> Result<String> {
        let user = || std::env::var("USER").ok();
        let name = self.by.clone().or_else(user).map(|name| name.trim().to_owned());
        let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
            CliError::usage("nobody is named for what a person states")
                .field("--by")
                .expected("the account of the person who states it")
        })?;
        if name.len() > 200 || name.chars().any(char::is_control) {
            return Err(CliError::usage("this is no account's name").field("--by").found(cut(&name, 200)));
        }
        Ok(name)
    }
}

/// A route's name, checked.
pub fn route_name(name: &str) -> Result<String> {
    if acta_ledger::evidence::route::is_route_name(name) {
        return Ok(name.to_owned());
    }
    Err(CliError::usage("this is no route's name")
        .field("ROUTE")
        .found(cut(name, 200))
        .expected("lower-case letters, digits and single hyphens, at most 100 characters"))
}

/// A record that is signed and waits in the outbox.
pub struct Stored {
    /// As it was signed.
    pub record: GateRecord,
    /// Its entry.
    pub sealed: Sealed,
}

/// Gives the record its place in the chain, signs it and puts it into the outbox. The blobs that its checks name must
/// be stored already; values that are too long for an entry are stored as blobs here.
pub fn sign_and_store(home: &Home, subjects: Vec<Subject>, mut record: GateRecord) -> Result<Stored> {
    chain::signing_key(home)?;
    fit(&mut record, &BlobStore::new(home.blobs()))?;
    let mut blobs = record.blobs();
    blobs.sort_unstable();
    blobs.dedup();
    let sealed = chain::seal(home, record.run, blobs, |link| {
        record.chain = link;
        Statement::new(subjects, &record).map_err(|error| {
            CliError::failure("the record cannot be written as canonical JSON").found(error.to_string())
        })
    })?;
    Ok(Stored { record, sealed })
}

/// Makes the record fit into an entry.
fn fit(record: &mut GateRecord, blobs: &BlobStore) -> Result<()> {
    let unwritable = |error: &dyn std::fmt::Display| {
        CliError::failure("a check cannot be stored").found(error.to_string())
    };
    for check in &mut record.checks {
        if let Some(reason) = &mut check.reason {
            let kept = cut(reason, MAX_REASON_BYTES).len();
            if kept < reason.len() {
                reason.truncate(kept);
                reason.push('…');
            }
        }
        let bytes = jcs::to_vec(&check.value).map_err(|error| unwritable(&error))?;
        if bytes.len() > MAX_VALUE_BYTES {
            let blob = blobs.put(&bytes, "application/json").map_err(|error| unwritable(&error))?;
            let entries = check.value.as_array().map(Vec::len).or(check.value.as_object().map(|it| it.len()));
            check.value = json!({ "blob": blob.digest, "bytes": blob.bytes.to_string(), "entries": entries });
            if !check.evidence.contains(&blob.digest) {
                check.evidence.push(blob.digest);
            }
        }
    }
    let bytes = jcs::to_vec(record).map_err(|error| unwritable(&error))?.len();
    if bytes > MAX_RECORD_BYTES {
        return Err(CliError::failure("the gate's record is too long for an entry")
            .found(format!("{bytes} bytes"))
            .expected(format!("at most {MAX_RECORD_BYTES}")));
    }
    Ok(())
}

/// Where the gate stands by this record alone: what must come before it, and whether it is the newest, only the route
/// knows.
pub fn judge_alone(record: &GateRecord, pins: &Pins) -> GateJudgement {
    let context = GateContext {
        runtime_target: record.runtime_target.as_deref().unwrap_or_default(),
        pins,
        before_open_since: Some(0),
    };
    judge(record.gate, Some((1, record)), &context)
}

/// Signs, stores, pushes and shows a gate's record; the exit code says whether the gate is satisfied.
pub fn conclude(
    home: &Home,
    ui: Ui,
    common: &Common,
    pins: &Pins,
    subjects: Vec<Subject>,
    record: GateRecord,
) -> Result<Exit> {
    let facts = ServerFacts::load(home)?;
    let stored = sign_and_store(home, subjects, record)?;
    let judgement = judge_alone(&stored.record, pins);
    let pushed = match facts.filter(|_| !common.no_push) {
        None => Pushed::NotAsked,
        Some(facts) => push_now(home, facts, &stored.sealed, ui),
    };
    if common.json {
        let mut object = json!({
            "predicate": stored.record,
            "judgement": judgement,
            "envelopeDigest": stored.sealed.digest,
        });
        if let Pushed::At(index) = pushed {
            object["entryIndex"] = json!(index);
        }
        ui.result(&object.to_string());
    } else {
        ui.result(&table::of(&stored.record, &judgement, ui));
        ui.notice(&format!("evidence  entry {}", stored.sealed.digest.short()));
    }
    Ok(match (judgement.state, pushed) {
        (GateState::Satisfied, Pushed::Waits) => Exit::NotPushed,
        (GateState::Satisfied, _) => Exit::Completed,
        _ => Exit::NotSatisfied,
    })
}

/// Stores a small file as a blob: it is evidence as a whole, and never longer than `most` bytes.
pub fn store_file(
    blobs: &BlobStore,
    field: &str,
    path: &Path,
    most: u64,
    media_type: &str,
) -> Result<(BlobRef, Vec<u8>)> {
    let bytes = read_bounded(field, path, most)?;
    Ok((store(blobs, &bytes, media_type)?, bytes))
}

/// Stores bytes as a blob.
pub fn store(blobs: &BlobStore, bytes: &[u8], media_type: &str) -> Result<BlobRef> {
    blobs
        .put(bytes, media_type)
        .map_err(|error| CliError::failure("the evidence cannot be written to disk").found(error.to_string()))
}

/// Reads a file of at most `most` bytes.
pub fn read_bounded(field: &str, path: &Path, most: u64) -> Result<Vec<u8>> {
    use std::io::Read as _;
    let wrong = |what: &str| CliError::usage(what).field(field).found(path.display().to_string());
    let unreadable =
        |error: std::io::Error| wrong("the file cannot be read").expected(format!("a file ({error})"));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(wrong("this is no file"));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(wrong("the file is too long").expected(format!("at most {most} bytes")));
    }
    Ok(bytes)
}
