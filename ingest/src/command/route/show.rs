//! `acta route show`

use clap::Args;

use crate::{
    client::{CallError, Client},
    error::{CliError, Exit, Result},
    gate::route_name,
    home::Home,
    outbox,
    server::{ServerFacts, normal_url},
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
Examples:
  acta route show tiny-qwen2
  acta route show tiny-qwen2 --json | jq -r .validation_status";

/// Shows a route's record.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Show {
    /// The route's name.
    #[arg(value_name = "NAME")]
    pub name: String,

    /// The API token of a person; none is this agent's.
    #[arg(long, value_name = "TOKEN", env = "ACTA_API_TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    /// The server's address; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// Prints the record as one JSON object, with exactly its seven names.
    #[arg(long)]
    pub json: bool,
}

impl Show {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let route = route_name(&self.name)?;
        let own = match &self.server {
            Some(_) => None,
            None => Some(ServerFacts::require(home)?),
        };
        let server = match (&self.server, &own) {
            (Some(server), _) => normal_url(server)?,
            (None, own) => own.as_ref().map(|facts| facts.url.clone()).unwrap_or_default(),
        };
        let token = self.token.as_deref().or(own.as_ref().map(|facts| facts.api_token.as_str()));
        let answer = Client::new(&server, token).route(&route).map_err(|error| match error {
            CallError::Answered { status: 404, .. } => {
                CliError::failure("the server does not know the route")
                    .field("NAME")
                    .found(&route)
                    .help("set it up: acta route new")
            }
            error => error.explain("the route", &server),
        })?;
        let record = &answer.record;
        if self.json {
            ui.result(&outbox::to_text(record)?);
            return Ok(Exit::Completed);
        }
        let object = serde_json::to_value(record)
            .map_err(|error| CliError::failure("cannot write JSON").found(error.to_string()))?;
        let names = [
            "route_name",
            "checkpoint_revision",
            "bundle_digest",
            "runtime_target",
            "validation_status",
            "canary_status",
            "rollback_status",
        ];
        let lines = names.map(|name| {
            let value = object[name].as_str().map_or_else(|| "-".to_owned(), visible_line);
            format!("{name:20} {value}")
        });
        ui.result(&lines.join("\n"));
        Ok(Exit::Completed)
    }
}
