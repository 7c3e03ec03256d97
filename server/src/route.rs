//! Routes on the server: reads a route's entries for the fold, and writes what persons decide.
//!
//! The server decides nothing. Before it signs for a person it runs the same fold that every reader will run, and
//! refuses what the fold would not count: so a decision that is in the log is one that meant something when it was made.

pub mod act;

use acta_ledger::{
    evidence::{decision::SeenHead, route::BundleDigest},
    judge::route::{RouteEntry, RouteEvent, RouteLog, RouteState, Signer, judge_bundle, judge_route},
};

use crate::{
    clock,
    error::{Answer, Problem},
    startup::AppState,
    statement::{self, ReadEntry, damaged},
    store,
};

/// A route's entries up to the newest tree head, and that tree head.
pub async fn read(state: &AppState, route: &str) -> Answer<(RouteLog, SeenHead)> {
    let head = state.log.head().head;
    let log = read_until(state, route, head.size).await?;
    Ok((log, SeenHead { origin: head.origin, size: head.size, root: head.root }))
}

/// A route's entries in the tree of `size` entries.
pub async fn read_until(state: &AppState, route: &str, size: u64) -> Answer<RouteLog> {
    let mut entries = Vec::new();
    for index in store::route::entries(&state.database.read, route, size).await? {
        entries.push(entry(state, index).await?);
    }
    // The projection is made by the log's writer in the entries' own transaction, so it has examined every one of them.
    Ok(RouteLog::whole(size, entries))
}

async fn entry(state: &AppState, index: u64) -> Answer<RouteEntry> {
    let ReadEntry { stored, statement, signer } = statement::read(state, index).await?;
    let event = RouteEvent::read(&statement).map_err(|error| damaged(index, &error))?;
    let event = event.ok_or_else(|| damaged(index, &"it concerns no route"))?;
    let signer = if signer == "portal" {
        Signer::Portal
    } else {
        let owner = store::agent::by_name(&state.database.read, &signer).await?.and_then(|agent| agent.owner);
        Signer::Agent { name: signer, owner }
    };
    Ok(RouteEntry { index, leaf: stored.leaf_hash, signer, event })
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
