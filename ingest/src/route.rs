//! What the server knows of a route.

use acta_ledger::{
    evidence::route::{RouteDefinition, RouteRecord},
    judge::route::RouteState,
};
use serde::Deserialize;

use crate::{
    client::{CallError, Client},
    error::Result,
    home::Home,
    server::ServerFacts,
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
    /// How the route is set up, where it is.
    #[serde(default)]
    pub definition: Option<RouteDefinition>,
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

/// How the route is set up, where the server says it; a server that does not answer is no reason to stop.
pub fn definition(home: &Home, route: &str, ui: Ui) -> Option<RouteDefinition> {
    match ask(home, route) {
        Ok(answer) => answer.and_then(|answer| answer.definition),
        Err(error) => {
            ui.warning(&format!("how the route is set up is not known here: {error}"));
            None
        }
    }
}
