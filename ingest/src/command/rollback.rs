//! `acta rollback`

use acta_ledger::{evidence::code, judge::route::EntryKind};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::{
    client::Client,
    error::{Exit, Result},
    gate::route_name,
    home::Home,
    server::ServerFacts,
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
Drills and rollbacks are ordered in the portal, by a person with a password; `acta deploy-agent` carries
them out.

Examples:
  acta rollback status --route tiny-qwen2
  acta rollback status --route tiny-qwen2 --json | jq .live";

/// Orders to the agent beside the runtime.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Rollback {
    /// Shows the orders of a route, the steps that were reported, and what is live.
    #[command(after_help = EXAMPLES)]
    Status(Status),
}

impl Rollback {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        match self {
            Self::Status(command) => command.run(home, ui),
        }
    }

    /// Whether it prints one JSON object, also of an error.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Status(command) => command.json,
        }
    }
}

/// Shows the orders of a route.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Status {
    /// The route.
    #[arg(long, value_name = "ROUTE")]
    pub route: String,

    /// Prints one JSON object: live, wayBack and history (orders and steps).
    #[arg(long)]
    pub json: bool,
}

impl Status {
    fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let route = route_name(&self.route)?;
        let facts = ServerFacts::require(home)?;
        let client = Client::new(&facts.url, Some(&facts.api_token));
        let state = client.route(&route).map_err(|error| error.explain("the route", client.base()))?.state;
        let ours = |kind: &EntryKind| matches!(kind, EntryKind::Order { .. } | EntryKind::Result { .. });
        let items: Vec<_> = state.history.iter().filter(|item| ours(&item.kind)).collect();
        if self.json {
            let object = json!({ "live": state.live, "wayBack": state.way_back, "history": items });
            ui.result(&object.to_string());
            return Ok(Exit::Completed);
        }
        for item in &items {
            let what = match item.kind {
                EntryKind::Order { action } => format!("{} ordered", code(&action)),
                EntryKind::Result { action, step } => format!("  {} {}", code(&action), code(&step)),
                _ => continue,
            };
            let bundle = item.bundle.map_or_else(|| "-".to_owned(), |bundle| bundle.short());
            let who = visible_line(&item.who);
            ui.result(&format!("entry {:<6} {}  {what:24} {bundle}  {who}", item.entry.index, item.at));
        }
        let live = state.live.as_ref().and_then(|period| Some((period.bundle?, period.since)));
        ui.result(&live.map_or_else(
            || "live  nothing".to_owned(),
            |(bundle, since)| format!("live  sha256:{bundle} since {since}"),
        ));
        Ok(Exit::Completed)
    }
}
