//! Statements that this agent signed, and those that the log holds, read back and verified.

use acta_ledger::{
    evidence::build::BuildSummary,
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        key::PublicKey,
        statement::{Predicate, Statement},
        verification::{Trust, verify},
    },
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use uuid::Uuid;

use crate::{
    client::Client,
    error::{CliError, Result},
    home::Home,
    outbox::{Item, Outbox, Shelf},
    rotation,
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

impl Origin {
    /// As a check's value says it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Here => "this agent's statements",
            Self::Log => "the log, verified",
        }
    }
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
    let keys = rotation::own_keys(home)?;
    for (shelf, name) in names {
        if let Some(predicate) = read(&outbox.read(shelf, &name)?, &keys)?
            && wanted(&predicate)
        {
            return Ok(Some(predicate));
        }
    }
    Ok(None)
}

/// The newest build summaries that this agent signed and nobody refused, with their entries' digests, newest first.
pub fn own_summaries(home: &Home, most: usize) -> Result<Vec<(BuildSummary, Sha256Digest)>> {
    let outbox = Outbox::new(home);
    let mut names: Vec<(Shelf, String)> = Vec::new();
    for shelf in [Shelf::Waiting, Shelf::Sent] {
        names.extend(outbox.names(shelf)?.into_iter().map(|name| (shelf, name)));
    }
    names.sort_unstable_by(|(_, a), (_, b)| b.cmp(a));
    let keys = rotation::own_keys(home)?;
    let mut found = Vec::new();
    for (shelf, name) in names {
        if found.len() == most {
            break;
        }
        let item = outbox.read(shelf, &name)?;
        // An item without a run is no build: its signature need not be checked to know that.
        if item.run.is_some()
            && let Some(summary) = read(&item, &keys)?
        {
            found.push((summary, item.digest));
        }
    }
    Ok(found)
}

/// The summary of one run of this agent's own, with its entry's digest.
pub fn own_summary(home: &Home, run: Uuid) -> Result<Option<(BuildSummary, Sha256Digest)>> {
    let outbox = Outbox::new(home);
    let keys = rotation::own_keys(home)?;
    for shelf in [Shelf::Waiting, Shelf::Sent] {
        for name in outbox.names(shelf)?.iter().rev() {
            let item = outbox.read(shelf, name)?;
            if item.run == Some(run)
                && let Some(summary) = read::<BuildSummary>(&item, &keys)?
            {
                return Ok(Some((summary, item.digest)));
            }
        }
    }
    Ok(None)
}

/// The index of an entry in the log, if the log holds it.
pub fn index_of(home: &Home, digest: &Sha256Digest) -> Result<Option<u64>> {
    let outbox = Outbox::new(home);
    let ending = format!("-{}", digest.short());
    for name in outbox.names(Shelf::Sent)?.iter().rev().filter(|name| name.ends_with(&ending)) {
        let item = outbox.read(Shelf::Sent, name)?;
        if item.digest == *digest {
            return Ok(outbox.receipt(item.sequence, digest)?.map(|receipt| receipt.index));
        }
    }
    Ok(None)
}

/// Reads an item's statement, if it is of that kind; the signature must be this agent's.
fn read<P: Predicate>(item: &Item, own: &[PublicKey]) -> Result<Option<P>> {
    let damaged = |error: &dyn std::fmt::Display| {
        CliError::failure(format!("statement {} is damaged", item.sequence)).found(error.to_string())
    };
    let entry = item.entry()?;
    let envelope = Envelope::parse(entry.bytes()).map_err(|error| damaged(&error))?;
    envelope.verified(own, 1).map_err(|error| damaged(&error))?;
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
    let entry = client.run_entry(run).map_err(|error| error.explain("the run", client.base()))?;
    let entry = entry.ok_or_else(|| unknown("neither this agent nor the server knows it"))?;
    let (summary, _): (BuildSummary, _) = from_log(&client, &facts, entry)?;
    if summary.run.id == run {
        Ok((summary, Origin::Log))
    } else {
        Err(CliError::failure("the server names the entry of another run")
            .field(format!("entry {entry}"))
            .found(summary.run.id.to_string())
            .expected(run.to_string()))
    }
}

/// A statement of the log, verified.
pub struct Logged<P> {
    /// What it says.
    pub predicate: P,
    /// The signer's name.
    pub signer: String,
    /// The entry's digest.
    pub digest: Sha256Digest,
}

/// Reads an entry of the log and verifies it under the pinned keys; the signer's name goes along.
pub fn from_log<P: Predicate>(client: &Client, facts: &ServerFacts, entry: u64) -> Result<(P, String)> {
    let logged = verified(client, &facts.trust()?, entry)?;
    Ok((logged.predicate, logged.signer))
}

/// Reads an entry of a log and verifies it under these keys.
pub fn verified<P: Predicate>(client: &Client, trust: &Trust, entry: u64) -> Result<Logged<P>> {
    let material = client
        .verification(EntryName::Index(entry))
        .map_err(|error| error.explain(&format!("entry {entry}"), client.base()))?;
    let report = verify(&material, trust);
    let unverified = |found: String| {
        CliError::failure("an entry of the log does not verify")
            .field(format!("entry {entry}"))
            .found(found)
            .help("tell the log's operator; nothing was signed")
    };
    if let Some(check) = report.checks.iter().find(|check| !check.holds) {
        return Err(unverified(check.detail.clone()));
    }
    if report.index != entry {
        return Err(unverified(format!("the material of entry {}", report.index)));
    }
    let damaged = |error: &dyn std::fmt::Display| {
        CliError::failure("an entry of the log cannot be read")
            .field(format!("entry {entry}"))
            .found(error.to_string())
    };
    let record = STANDARD.decode(&material.entry.record).map_err(|error| damaged(&error))?;
    let envelope = Envelope::parse(&record).map_err(|error| damaged(&error))?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| damaged(&error))?;
    let predicate = statement.predicate().map_err(|error| damaged(&error))?;
    let signer = report.signer.map(|signer| signer.name).unwrap_or_default();
    Ok(Logged { predicate, signer, digest: Sha256Digest::of(&record) })
}
