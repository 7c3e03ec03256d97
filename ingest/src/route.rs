//! What the server knows of a route.

use acta_ledger::{
    evidence::{
        pin::PinObservation,
        route::{RouteDefinition, RouteRecord},
    },
    judge::route::{EntryKind, RouteState},
};
use serde::Deserialize;

use crate::{
    client::{CallError, Client},
    error::{CliError, Result},
    home::Home,
    server::ServerFacts,
    statements::from_log,
    ui::Ui,
};

/// What the server answers about a route.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteAnswer {
    /// The record, in its seven fixed names.
    pub record: RouteRecord,
    /// Everything that the fold says.
    pub state: RouteState,
    /// Up to which size of the log this was judged.
    pub log_size: u64,
}

/// Asks the server that the agent is enrolled with; none where there is none, or where it does not know the route.
pub fn ask(home: &Home, route: &str) -> Result<Option<RouteAnswer>, CallError> {
    let facts = ServerFacts::load(home).map_err(|error| CallError::Malformed(error.what.clone()))?;
    let Some(facts) = facts else { return Ok(None) };
    match Client::new(&facts.url, Some(&facts.api_token)).route(route) {
        Err(CallError::Answered { status: 404, .. }) => Ok(None),
        answer => answer.map(Some),
    }
}

/// How the route is set up and which pins it has now, by verified entries of the log; none where it is not set up. A
/// server that does not answer is no reason to stop.
pub fn definition(home: &Home, route: &str, ui: Ui) -> Option<RouteDefinition> {
    let known = ask(home, route).map_err(|error| error.to_string()).and_then(|answer| {
        answer.map_or(Ok(None), |answer| read(home, route, &answer).map_err(|it| it.to_string()))
    });
    known.unwrap_or_else(|error| {
        ui.warning(&format!("how the route is set up is not known here: {error}"));
        None
    })
}

/// The newest definition of the route's history, with the pins that were observed since.
fn read(home: &Home, route: &str, answer: &RouteAnswer) -> Result<Option<RouteDefinition>> {
    let facts = ServerFacts::require(home)?;
    let client = Client::new(&facts.url, Some(&facts.api_token));
    let history = &answer.state.history;
    let newest =
        history.iter().filter(|item| item.kind == EntryKind::Definition).map(|item| item.entry.index).max();
    let Some(index) = newest else { return Ok(None) };
    let (mut definition, signer): (RouteDefinition, _) = from_log(&client, &facts, index)?;
    if signer != "portal" || definition.route != route {
        return Err(CliError::failure("the server names an entry that does not set up the route")
            .field(format!("entry {index}"))
            .found(format!("a definition of {} by {signer}", definition.route)));
    }
    let since = history.iter().filter(|item| item.entry.index > index);
    let mut pins: Vec<u64> = since
        .filter(|item| matches!(item.kind, EntryKind::Pin { .. }))
        .map(|item| item.entry.index)
        .collect();
    pins.sort_unstable();
    for index in pins {
        let (observed, _): (PinObservation, _) = from_log(&client, &facts, index)?;
        definition.policy.pins.0.insert(observed.pin, observed.value);
    }
    Ok(Some(definition))
}
