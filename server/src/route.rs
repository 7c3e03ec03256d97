//! Routes on the server: reads a route's entries for the fold, and writes what persons decide.
//!
//! The server decides nothing. Before it signs for a person it runs the same fold that every reader will run, and
//! refuses what the fold would not count: so a decision that is in the log is one that meant something when it was made.

pub mod act;

use std::{collections::HashMap, sync::Arc};

use acta_ledger::{
    evidence::{
        decision::SeenHead,
        route::{BundleDigest, ValidationStatus},
    },
    judge::route::{RouteEntry, RouteEvent, RouteLog, RouteState, Signer, judge_bundle, judge_route},
    log::digest::Sha256Digest,
};

use crate::{
    clock,
    error::{Answer, Problem},
    startup::AppState,
    statement::{self, ReadEntry, damaged},
    store,
};

/// The accounts that own agents, as far as they were looked up.
type Owners = HashMap<String, Option<String>>;

/// A route's entries up to the newest tree head, and that tree head.
pub async fn read(state: &AppState, route: &str) -> Answer<(RouteLog, SeenHead)> {
    let head = state.log.head().head;
    let log = read_until(state, route, head.size).await?;
    Ok((log, SeenHead { origin: head.origin, size: head.size, root: head.root }))
}

/// A route's entries in the tree of `size` entries.
pub async fn read_until(state: &AppState, route: &str, size: u64) -> Answer<RouteLog> {
    read_with(state, route, size, &mut Owners::new()).await
}

async fn read_with(state: &AppState, route: &str, size: u64, owners: &mut Owners) -> Answer<RouteLog> {
    let mut entries = Vec::new();
    for index in store::route::entries(&state.database.read, route, size).await? {
        entries.push(entry(state, index, owners).await?);
    }
    // The projection is made by the log's writer in the entries' own transaction, so it has examined every one of them.
    Ok(RouteLog::whole(size, entries))
}

/// What an entry says about a route, and who signed it: an agent's name, or `portal`.
pub struct Event {
    leaf: Sha256Digest,
    signer: String,
    event: RouteEvent,
}

async fn entry(state: &AppState, index: u64, owners: &mut Owners) -> Answer<RouteEntry> {
    let read = match state.events.get(index) {
        Some(read) => read,
        None => {
            let read = Arc::new(read_event(state, index).await?);
            state.events.keep(index, Arc::clone(&read));
            read
        }
    };
    let signer = if read.signer == "portal" {
        Signer::Portal
    } else {
        // An owner is not the entry's to say, and may be another by now.
        let name = read.signer.clone();
        let owner = match owners.get(&name) {
            Some(owner) => owner.clone(),
            None => {
                let agent = store::agent::by_name(&state.database.read, &name).await?;
                owners.entry(name.clone()).or_insert(agent.and_then(|agent| agent.owner)).clone()
            }
        };
        Signer::Agent { name, owner }
    };
    Ok(RouteEntry { index, leaf: read.leaf, signer, event: read.event.clone() })
}

async fn read_event(state: &AppState, index: u64) -> Answer<Event> {
    let ReadEntry { stored, statement, signer } = statement::read(state, index).await?;
    let event = RouteEvent::read(&statement).map_err(|error| damaged(index, &error))?;
    let event = event.ok_or_else(|| damaged(index, &"it concerns no route"))?;
    Ok(Event { leaf: stored.leaf_hash, signer, event })
}

/// Every route with its state for its newest bundle, and its entries; all of them as they were in one tree.
pub async fn all(state: &AppState) -> Answer<Vec<(String, RouteState, RouteLog)>> {
    let (size, now, mut owners) = (state.log.head().head.size, clock::now(), Owners::new());
    let mut routes = Vec::new();
    for name in store::route::names(&state.database.read).await? {
        let log = read_with(state, &name, size, &mut owners).await?;
        // A route that came into the log after that tree is not in it.
        if !log.entries.is_empty() {
            let judged = judge_route(&name, &log, now);
            routes.push((name, judged, log));
        }
    }
    Ok(routes)
}

/// Whether each route may be served now, for its newest bundle.
pub async fn states(state: &AppState) -> Answer<HashMap<String, ValidationStatus>> {
    let routes = all(state).await?.into_iter();
    Ok(routes.map(|(name, judged, _)| (name, judged.record.validation_status)).collect())
}

/// The state of a route, for its newest bundle or for the one that is asked for.
pub async fn state_of(
    state: &AppState,
    route: &str,
    bundle: Option<BundleDigest>,
) -> Answer<(RouteState, RouteLog, SeenHead)> {
    let (log, seen) = read(state, route).await?;
    if log.entries.is_empty() {
        return Err(Problem::not_found("no such route").field("route").found(route));
    }
    let now = clock::now();
    let judged = match bundle {
        Some(bundle) => judge_bundle(route, bundle, &log, now),
        None => judge_route(route, &log, now),
    };
    Ok((judged, log, seen))
}
