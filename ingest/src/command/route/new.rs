//! `acta route new`

use std::path::PathBuf;

use acta_ledger::evidence::route::is_moving_revision;
use clap::Args;
use serde_json::json;

use crate::{
    client::Client,
    error::{CliError, Exit, Result},
    gate::route_name,
    home::Home,
    policy::read_policy,
    server::{ServerFacts, normal_url},
    ui::Ui,
};

const EXAMPLES: &str = "\
The server signs the definition on behalf of the person whose token this is. The policy file is TOML or
JSON; a key that is not known in it is refused.

Example:
  ACTA_API_TOKEN=... acta route new tiny-qwen2 --checkpoint acme/tiny-qwen2 --revision 8f2c... \\
    --runtime-target native_cpp_task_api_on_nvidia_h200 --policy policy.toml";

/// Sets up a route.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct New {
    /// The route's name.
    #[arg(value_name = "NAME")]
    pub name: String,

    /// The checkpoint, like `acme/mini`.
    #[arg(long, value_name = "ID")]
    pub checkpoint: String,

    /// Its pinned revision: a commit (40 hexadecimal digits), or `sha256:` and the digest of a local one's file list.
    #[arg(long, value_name = "REV")]
    pub revision: String,

    /// Where it is to run, as `<interface>_on_<verified gpu>`.
    #[arg(long, value_name = "TARGET")]
    pub runtime_target: String,

    /// The policy file.
    #[arg(long, value_name = "FILE")]
    pub policy: PathBuf,

    /// The API token of a person.
    #[arg(long, value_name = "TOKEN", env = "ACTA_API_TOKEN", hide_env_values = true)]
    pub token: Option<String>,

    /// The server's address; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// Prints one JSON object: what the server answers.
    #[arg(long)]
    pub json: bool,
}

impl New {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let route = route_name(&self.name)?;
        let policy = read_policy(&self.policy)?;
        let text = |field: &str, value: &str| {
            let plain =
                !value.trim().is_empty() && value.len() <= 200 && !value.chars().any(char::is_control);
            let wrong = || CliError::usage("this is no name").field(field).found(format!("{value:?}"));
            if plain { Ok(value.trim().to_owned()) } else { Err(wrong().expected("1 to 200 characters")) }
        };
        let checkpoint = text("--checkpoint", &self.checkpoint)?;
        if is_moving_revision(&self.revision) {
            return Err(CliError::usage("a route needs a revision that never moves")
                .field("--revision")
                .found(format!("{:?}", self.revision))
                .expected("a commit (40 or 64 hexadecimal digits in lower case) or sha256:<64 digits>"));
        }
        let target = text("--runtime-target", &self.runtime_target)?;
        if !target.split_once("_on_").is_some_and(|(interface, gpu)| !interface.is_empty() && !gpu.is_empty())
        {
            return Err(CliError::usage("this is no runtime target")
                .field("--runtime-target")
                .found(target)
                .expected("<interface>_on_<verified gpu>, like native_cpp_task_api_on_nvidia_h200"));
        }
        let token =
            self.token.as_deref().map(str::trim).filter(|token| !token.is_empty()).ok_or_else(|| {
                CliError::usage("a person's API token is needed")
                    .field("--token")
                    .expected("--token, or ACTA_API_TOKEN")
                    .help("make one in the portal, on the page of your account")
            })?;
        let server = match &self.server {
            Some(server) => normal_url(server)?,
            None => ServerFacts::require(home)?.url,
        };
        let definition = json!({
            "route": route,
            "checkpoint": checkpoint,
            "checkpointRevision": self.revision,
            "runtimeTarget": target,
            "policy": policy,
        });
        let client = Client::new(&server, Some(token));
        let answer = client
            .new_route(&definition)
            .map_err(|error| error.explain("the route was not set up", &server))?;
        if self.json {
            ui.result(&answer.to_string());
        } else {
            ui.result(&format!("route {route} is set up"));
        }
        Ok(Exit::Completed)
    }
}
