//! Which entries belong to an evidence pack: a pure function of the log.
//!
//! Whoever has the whole log gets the same set as the server, which asks its indexes for candidates first: a superset
//! of what belongs gives the same answer, because an entry is judged by what it says and by what the chosen ones name.
//!
//! | about | what belongs |
//! |---|---|
//! | a run | its summary, every attempt that it retries or that retries it, requests to cancel one of them, the acceptance test that made it, every rebuild of it (or by it) with the other run's summary |
//! | a route | every entry of the fold: its definition and policy, gates, pins, canaries, decisions, retentions, orders, results |
//! | a bundle | every route that has evidence for it, with all of that route; imports that are bound to it; the runs that its gates name |
//!
//! To each of them: every statement about the keys of the agents that signed, and about the log's own keys.
//!
//! Advice is no entry: it is judged from entries, anew by every reader.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::route::RouteEvent;
use crate::{
    evidence::{
        acceptance::AcceptanceRecord, agent_key::AgentKey, build::BuildSummary,
        cancel_request::CancelRequest, import::ImportRecord, log_key::LogKey, rebuild::RebuildRecord,
    },
    log::{
        digest::Sha256Digest,
        statement::{Predicate as _, Statement},
    },
};

/// What a pack is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// One run, by its id.
    Run(Uuid),
    /// One bundle, by its digest.
    Bundle(Sha256Digest),
    /// One route, by its name.
    Route(String),
}

/// Why an entry belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It is the summary of the run.
    Summary,
    /// It is the summary of another attempt at the same build.
    Attempt,
    /// Somebody asked one of the builds to stop.
    CancelRequest,
    /// The acceptance test made the build.
    Acceptance,
    /// It says what a rebuild of the run came to, or is the summary of the other run of that rebuild.
    Rebuild,
    /// It is an entry of the route.
    Route,
    /// It is bound to the bundle.
    Import,
    /// It introduces, replaces or ends a key of an agent that signed.
    Key,
    /// It hands the log's key on.
    LogKey,
}

/// An entry that may belong.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its index.
    pub index: u64,
    /// Who signed it: an agent's name, or `portal`.
    pub signer: &'a str,
    /// What it says.
    pub statement: &'a Statement,
}

/// What a candidate says, as far as it matters here.
enum Said {
    Run { id: Uuid, retry_of: Option<Uuid> },
    CancelRequest { run: Uuid },
    Acceptance { runs: Vec<Uuid> },
    Rebuild { run: Uuid, rebuilt: Option<Uuid> },
    Route { route: String, bundle: Option<Sha256Digest>, run: Option<Uuid> },
    Import { bundle: Sha256Digest },
    Key { agent: String },
    LogKey,
}

/// The indices of those that belong, in order, each with why. What cannot be read as what it claims to be is left out.
pub fn belonging(topic: &Topic, candidates: &[Candidate<'_>]) -> BTreeMap<u64, Why> {
    let said: Vec<(u64, &str, Said)> =
        candidates.iter().filter_map(|it| Some((it.index, it.signer, read(it.statement)?))).collect();
    let mut chosen = BTreeMap::new();
    match topic {
        Topic::Run(run) => choose_runs(&BTreeSet::from([*run]), &said, &mut chosen),
        Topic::Route(name) => choose_route(name, &said, &mut chosen),
        Topic::Bundle(bundle) => choose_bundle(*bundle, &said, &mut chosen),
    }
    choose_keys(&said, &mut chosen);
    chosen
}

fn read(statement: &Statement) -> Option<Said> {
    Some(match statement.predicate_type.as_str() {
        BuildSummary::TYPE => {
            let run = statement.predicate::<BuildSummary>().ok()?.run;
            Said::Run { id: run.id, retry_of: run.retry_of }
        }
        CancelRequest::TYPE => Said::CancelRequest { run: statement.predicate::<CancelRequest>().ok()?.run },
        AcceptanceRecord::TYPE => {
            let record: AcceptanceRecord = statement.predicate().ok()?;
            let runs = record.scenarios.iter().flat_map(|scenario| &scenario.runs);
            Said::Acceptance { runs: runs.map(|run| run.run).collect() }
        }
        RebuildRecord::TYPE => {
            let record: RebuildRecord = statement.predicate().ok()?;
            Said::Rebuild { run: record.run, rebuilt: record.rebuilt.map(|rebuilt| rebuilt.run) }
        }
        ImportRecord::TYPE => Said::Import { bundle: statement.predicate::<ImportRecord>().ok()?.bundle },
        AgentKey::TYPE => Said::Key { agent: statement.predicate::<AgentKey>().ok()?.agent },
        LogKey::TYPE => Said::LogKey,
        _ => {
            let event = RouteEvent::read(statement).ok()??;
            let run = match &event {
                RouteEvent::Gate(record) => record.run,
                _ => None,
            };
            Said::Route { route: event.route().to_owned(), bundle: event.bundle(), run }
        }
    })
}

type Read<'a> = [(u64, &'a str, Said)];

fn choose_runs(wanted: &BTreeSet<Uuid>, said: &Read<'_>, chosen: &mut BTreeMap<u64, Why>) {
    let mut family = wanted.clone();
    // Attempts are few; each round finds at least one more or is the last.
    loop {
        let before = family.len();
        for (_, _, it) in said {
            if let Said::Run { id, retry_of: Some(earlier) } = it
                && (family.contains(id) || family.contains(earlier))
            {
                family.extend([*id, *earlier]);
            }
        }
        if family.len() == before {
            break;
        }
    }
    let of_rebuilds = other_runs(wanted, said);
    for (index, _, it) in said {
        let why = match it {
            Said::Run { id, .. } if wanted.contains(id) => Why::Summary,
            Said::Run { id, .. } if family.contains(id) => Why::Attempt,
            Said::Run { id, .. } if of_rebuilds.contains(id) => Why::Rebuild,
            Said::Rebuild { run, rebuilt }
                if wanted.contains(run) || rebuilt.is_some_and(|it| wanted.contains(&it)) =>
            {
                Why::Rebuild
            }
            Said::CancelRequest { run } if family.contains(run) => Why::CancelRequest,
            Said::Acceptance { runs } if runs.iter().any(|run| wanted.contains(run)) => Why::Acceptance,
            _ => continue,
        };
        chosen.insert(*index, why);
    }
}

/// The other runs of the rebuilds that the wanted ones take part in, on either side.
fn other_runs(wanted: &BTreeSet<Uuid>, said: &Read<'_>) -> BTreeSet<Uuid> {
    let pairs = said.iter().filter_map(|(_, _, it)| match it {
        Said::Rebuild { run, rebuilt: Some(rebuilt) } => Some([*run, *rebuilt]),
        _ => None,
    });
    pairs.filter(|pair| pair.iter().any(|run| wanted.contains(run))).flatten().collect()
}

fn choose_route(name: &str, said: &Read<'_>, chosen: &mut BTreeMap<u64, Why>) {
    let of_route = said.iter().filter(|(_, _, it)| matches!(it, Said::Route { route, .. } if route == name));
    chosen.extend(of_route.map(|(index, ..)| (*index, Why::Route)));
}

fn choose_bundle(bundle: Sha256Digest, said: &Read<'_>, chosen: &mut BTreeMap<u64, Why>) {
    let (mut routes, mut runs) = (BTreeSet::new(), BTreeSet::new());
    for (index, _, it) in said {
        match it {
            Said::Route { route, bundle: Some(of), run } if *of == bundle => {
                routes.insert(route.clone());
                runs.extend(*run);
            }
            Said::Import { bundle: of } if *of == bundle => {
                chosen.insert(*index, Why::Import);
            }
            _ => {}
        }
    }
    for route in &routes {
        choose_route(route, said, chosen);
    }
    choose_runs(&runs, said, chosen);
}

fn choose_keys(said: &Read<'_>, chosen: &mut BTreeMap<u64, Why>) {
    let signers: BTreeSet<&str> =
        said.iter().filter(|(index, ..)| chosen.contains_key(index)).map(|(_, signer, _)| *signer).collect();
    for (index, _, it) in said {
        match it {
            Said::Key { agent } if signers.contains(agent.as_str()) => chosen.insert(*index, Why::Key),
            Said::LogKey => chosen.insert(*index, Why::LogKey),
            _ => continue,
        };
    }
}

#[cfg(test)]
mod tests;
