//! Statements that this agent signed, and those that the log holds, read back and verified.

use acta_ledger::{
    evidence::build::BuildSummary,
    log::{
        dsse::Envelope,
        key::PublicKey,
        statement::{Predicate, Statement},
        verification::verify,
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use uuid::Uuid;

use crate::{
    chain,
    client::Client,
    error::{CliError, Result},
    home::Home,
    outbox::{Item, Outbox, Shelf},
    server::{EntryName, ServerFacts},
};

/// Where a statement was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Among those that this agent signed.
    Here,
    /// In the log, verified under the pinned keys.
    Log,
}

/// Gives every statement of a kind that this agent signed and nobody refused, newest first, until `wanted` says so.
pub fn newest_own<P: Predicate>(home: &Home, mut wanted: impl FnMut(&P) -> bool) -> Result<Option<P>> {
    let outbox = Outbox::new(home);
    let mut names: Vec<(Shelf, String)> = Vec::new();
    for shelf in [Shelf::Waiting, Shelf::Sent] {
        names.extend(outbox.names(shelf)?.into_iter().map(|name| (shelf, name)));
    }
    // A name begins with the statement's number.
    names.sort_unstable_by(|(_, a), (_, b)| b.cmp(a));
    let (_, key) = chain::signing_key(home)?;
    for (shelf, name) in names {
        if let Some(predicate) = read(&outbox.read(shelf, &name)?, key)?
            && wanted(&predicate)
        {
            return Ok(Some(predicate));
        }
    }
    Ok(None)
}

/// Reads an item's statement, if it is of that kind; the signature must be this agent's.
fn read<P: Predicate>(item: &Item, key: PublicKey) -> Result<Option<P>> {
    let damaged = |error: &dyn std::fmt::Display| {
        CliError::failure(format!("statement {} is damaged", item.sequence)).found(error.to_string())
    };
    let entry = item.entry()?;
    let envelope = Envelope::parse(entry.bytes()).map_err(|error| damaged(&error))?;
    envelope.verified(&[key], 1).map_err(|error| damaged(&error))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| damaged(&error))?;
    if statement.predicate_type == P::TYPE {
        statement.predicate().map(Some).map_err(|error| damaged(&error))
    } else {
        Ok(None)
    }
}

/// Finds the summary of a run: among this agent's own statements, else in the log.
pub fn run_summary(home: &Home, run: Uuid) -> Result<(BuildSummary, Origin)> {
    if let Some(summary) = newest_own(home, |summary: &BuildSummary| summary.run.id == run)? {
        return Ok((summary, Origin::Here));
    }
    let unknown = |found: &str| {
        CliError::usage("the run is not on record").field("--run").found(format!("{run}: {found}"))
    };
    let Some(facts) = ServerFacts::load(home)? else {
        return Err(unknown("this agent does not know it, and is not enrolled with a server")
            .help("name a run of `acta build` on this machine, or enrol"));
    };
    let client = Client::new(&facts.url, Some(&facts.api_token));
    let ask = |error: crate::client::CallError| error.explain("the run", client.base());
    let Some(entry) = client.run_entry(run).map_err(ask)? else {
        return Err(unknown("neither this agent nor the server knows it"));
    };
    let material = client.verification(EntryName::Index(entry)).map_err(ask)?;
    let report = verify(&material, &facts.trust()?);
    if let Some(check) = report.checks.iter().find(|check| !check.holds) {
        return Err(CliError::failure("the run's entry does not verify")
            .field(format!("entry {entry}"))
            .found(check.detail.clone())
            .help("tell the log's operator; nothing was signed"));
    }
    let damaged = |error: &dyn std::fmt::Display| {
        CliError::failure("the run's entry cannot be read")
            .field(format!("entry {entry}"))
            .found(error.to_string())
    };
    let record = STANDARD.decode(&material.entry.record).map_err(|error| damaged(&error))?;
    let envelope = Envelope::parse(&record).map_err(|error| damaged(&error))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| damaged(&error))?;
    let summary: BuildSummary = statement.predicate().map_err(|error| damaged(&error))?;
    if summary.run.id == run {
        Ok((summary, Origin::Log))
    } else {
        Err(damaged(&format!("it is about run {}", summary.run.id)))
    }
}
