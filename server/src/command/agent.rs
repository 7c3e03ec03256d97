//! `acta-server agent`

use acta_server::{
    account::{COMMAND_LINE, Change},
    auth::policy::Scope,
    config::DataConfig,
    keyring,
    secret::Secret,
};
use clap::{Args, Subcommand};
use serde_json::json;

use super::{alone, change, parse_scope, said};

/// For how many hours a one-time token of the command line is valid.
const ENROLMENT_HOURS: u32 = 1;

const TOKEN_EXAMPLES: &str = "\
On the builder: acta enrol --server https://acta.example --token TOKEN

Examples:
  acta-server agent token --label builder-7
  acta-server agent token --label builder-7 --owner ada --print-only";

const REVOKE_EXAMPLES: &str = "\
From its entry on the agent signs nothing more; what it signed before stays valid. With a new one-time token
it can be enrolled anew, with a new key. While the server runs, an admin does the same by POST
/api/v1/agents/NAME/revoke.

Example:
  acta-server agent revoke builder-7 --reason 'the disk was stolen'";

/// Agents.
#[derive(Subcommand)]
pub enum AgentCommand {
    /// Issues a one-time token by which an agent enrols its key within an hour.
    Token(Token),
    /// Revokes the key that signs for an agent. Stop the server first.
    Revoke(Revoke),
}

/// Issues a one-time token.
#[derive(Args)]
#[command(after_help = TOKEN_EXAMPLES)]
pub struct Token {
    /// The agent's name, unique in the log.
    #[arg(long)]
    label: String,
    /// The account that owns the agent: what the agent builds, that person may not approve.
    #[arg(long)]
    owner: Option<String>,
    /// What the agent may do with its own token: `push`, `orders`. Several times for several.
    #[arg(long = "scope", value_parser = parse_scope, default_values = ["push", "orders"])]
    scopes: Vec<Scope>,
    /// Prints the token alone.
    #[arg(long)]
    print_only: bool,
    /// Prints JSON.
    #[arg(long, conflicts_with = "print_only")]
    json: bool,
}

/// Revokes an agent's key.
#[derive(Args)]
#[command(after_help = REVOKE_EXAMPLES)]
pub struct Revoke {
    /// The agent's name.
    name: String,
    /// Why; it stands in the log.
    #[arg(long)]
    reason: String,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl AgentCommand {
    /// Runs the command.
    pub async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        match self {
            Self::Token(command) => command.run(data).await,
            Self::Revoke(command) => command.run(data).await,
        }
    }
}

impl Token {
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        let Self { label, owner, scopes, print_only, json } = self;
        let wanted = Change::IssueEnrolment { agent: label.clone(), owner, scopes, hours: ENROLMENT_HOURS };
        let done = change(data, wanted).await?;
        let token = done.secret.as_ref().map_or("", Secret::reveal);
        if json {
            println!("{}", json!({ "agent": label, "hours": ENROLMENT_HOURS, "token": token }));
        } else if print_only {
            println!("{token}");
        } else {
            println!(
                "Valid for an hour and for one key. On the builder:\n\n  acta enrol --server URL --token {token}"
            );
        }
        Ok(())
    }
}

impl Revoke {
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        let Self { name, reason, json } = self;
        let entry = alone(data, async |state| {
            keyring::revoke(state, &name, None, COMMAND_LINE, &reason).await.map_err(said)
        });
        let entry = entry.await?;
        if json {
            println!("{}", json!({ "agent": name, "entry": entry }));
        } else {
            println!("{name}\trevoked by entry {entry}");
        }
        Ok(())
    }
}
