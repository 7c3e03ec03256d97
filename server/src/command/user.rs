//! `acta-server user`

use std::io::Read as _;

use acta_ledger::evidence::code;
use acta_server::{
    account::{Change, MAX_TOKEN_DAYS, NewPassword},
    auth::policy::{ROLES, Role, Scope, parse_role},
    config::DataConfig,
    secret::Secret,
    startup::Ground,
    store::account,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::{change, parse_scope};

/// Accounts of people.
#[derive(Subcommand)]
pub enum UserCommand {
    /// Adds an account. The password is read from standard input.
    Add(Add),
    /// Issues a token for a person's programs: it reads, for an admin it sets up routes, and for a reviewer it
    /// may stop builds. It decides nothing.
    Token(Token),
    /// Lists the accounts.
    List(List),
}

/// Adds an account.
#[derive(Args)]
#[command(
    after_help = "Example:\n  echo \"$PASSWORD\" | acta-server user add ada --role reviewer --password-stdin"
)]
pub struct Add {
    /// The account's name.
    name: String,
    /// What it is for.
    #[arg(long, value_parser = parse_role_argument)]
    role: Role,
    /// Reads the password from the first line of standard input (nothing else is offered: a password on a command
    /// line can be read by everybody on the machine).
    #[arg(long, required = true)]
    password_stdin: bool,
    /// Does nothing if there is an account of this name.
    #[arg(long)]
    if_missing: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Issues a token.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  acta-server user token adam --label ci --days 30\n  acta-server user token rita --label ci --scope cancel"
)]
pub struct Token {
    /// The account.
    name: String,
    /// What it is for.
    #[arg(long)]
    label: String,
    /// For how many days it is valid.
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_TOKEN_DAYS)))]
    days: u32,
    /// What it may be used for: `read`, `define_routes`, `cancel`, `metrics`. Several times for several.
    #[arg(long = "scope", value_parser = parse_scope, default_values = ["read", "define_routes"])]
    scopes: Vec<Scope>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Lists the accounts.
#[derive(Args)]
#[command(after_help = "Examples:\n  acta-server user list\n  acta-server user list --json | jq '.[].name'")]
pub struct List {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl UserCommand {
    /// Runs the command.
    pub async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        match self {
            Self::Add(command) => command.run(data).await,
            Self::Token(command) => command.run(data).await,
            Self::List(command) => command.run(data).await,
        }
    }
}

impl Add {
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        let Self { name, role, if_missing, json, .. } = self;
        let mut input = String::new();
        std::io::stdin().take(4096).read_to_string(&mut input).context("cannot read the password")?;
        let password = NewPassword(input.lines().next().unwrap_or_default().to_owned());
        let known = if_missing && is_known(data, &name).await?;
        if !known {
            change(data, Change::Add { account: name.clone(), role, password }).await?;
        }
        if json {
            println!("{}", json!({ "account": name, "added": !known }));
        } else if known {
            println!("{name} is there already");
        } else {
            println!("{name} added as {}", code(&role));
        }
        Ok(())
    }
}

async fn is_known(data: &DataConfig, name: &str) -> anyhow::Result<bool> {
    let ground = Ground::open_beside(data).await?;
    let known = account::find(&ground.database.read, name).await?.is_some();
    ground.database.close().await;
    Ok(known)
}

impl Token {
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        let Self { name, label, days, scopes, json } = self;
        let issue = Change::IssueToken { account: name.clone(), label: label.clone(), scopes, days };
        let done = change(data, issue).await?;
        let token = done.secret.as_ref().map_or("", Secret::reveal);
        if json {
            println!("{}", json!({ "account": name, "label": label, "days": days, "token": token }));
        } else {
            println!("{token}");
        }
        Ok(())
    }
}

impl List {
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        let ground = Ground::open_beside(data).await?;
        let accounts = account::list(&ground.database.read).await?;
        if self.json {
            let object = |account: &account::Account| json!({ "name": account.name, "role": account.role, "disabledAt": account.disabled_at });
            println!("{}", serde_json::Value::from_iter(accounts.iter().map(object)));
        } else {
            for account in accounts {
                let state = if account.disabled_at.is_some() { "\tdisabled" } else { "" };
                println!("{}\t{}{state}", account.name, account.role);
            }
        }
        ground.database.close().await;
        Ok(())
    }
}

fn parse_role_argument(text: &str) -> Result<Role, String> {
    let known = ROLES.iter().map(code).collect::<Vec<_>>().join(", ");
    parse_role(text).ok_or_else(|| format!("expected one of {known}"))
}
