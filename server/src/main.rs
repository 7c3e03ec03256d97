//! The server's command line.

use std::io::Read as _;

use acta_ledger::evidence::code;
use acta_server::{
    auth::{
        password,
        policy::{ROLES, Role, parse_role},
    },
    clock,
    config::{DataConfig, ServeConfig},
    projection::rebuild::rebuild,
    secret::Secret,
    startup::{Application, Ground},
    store::{account, token},
    telemetry,
};
use anyhow::{Context as _, bail, ensure};
use clap::{Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

/// The evidence ledger of TensorRT builds: log, API and review portal.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Examples:
  acta-server serve
  acta-server user add ada --role reviewer
  acta-server agent token --label builder-7
  acta-server rebuild

Exit codes: 0 done, 1 failed (the message says why), 2 usage."
)]
struct Cli {
    #[command(flatten)]
    data: DataConfig,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the API and the portal until it is told to stop (Ctrl-C or SIGTERM).
    Serve(ServeConfig),
    /// Makes the database or brings its schema up to date.
    Migrate,
    /// Checks every entry and replays the log into the projections. Stop the server first.
    #[command(
        after_help = "Fails, naming the entry, if its bytes, leaf hash, signature or the signed root do not fit. \
                            Nothing is changed then."
    )]
    Rebuild,
    /// Accounts of people.
    #[command(subcommand)]
    User(UserCommand),
    /// Agents.
    #[command(subcommand)]
    Agent(AgentCommand),
}

#[derive(Subcommand)]
enum UserCommand {
    /// Adds an account. The password is asked for, or read from standard input.
    #[command(
        after_help = "Example: echo \"$PASSWORD\" | acta-server user add ada --role reviewer --password-stdin"
    )]
    Add {
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
    },
    /// Issues a token for a person's programs: it reads, and for an admin it sets up routes. It decides nothing.
    #[command(after_help = "Example: acta-server user token adam --label ci --days 30")]
    Token {
        /// The account.
        name: String,
        /// What it is for.
        #[arg(long)]
        label: String,
        /// For how many days it is valid.
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(i64).range(1..=366))]
        days: i64,
    },
    /// Lists the accounts.
    List,
}

#[derive(Subcommand)]
enum AgentCommand {
    /// Issues a one-time token by which an agent enrols its key within an hour.
    #[command(after_help = "On the builder: acta enrol --server https://acta.example --token TOKEN")]
    Token {
        /// The agent's name, unique in the log.
        #[arg(long)]
        label: String,
        /// The account that owns the agent: what the agent builds, that person may not approve.
        #[arg(long)]
        owner: Option<String>,
        /// Prints the token alone.
        #[arg(long)]
        print_only: bool,
    },
}

/// How long a one-time token is valid.
const ENROLMENT_MS: i64 = 60 * 60 * 1000;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    telemetry::start();
    match cli.command {
        Command::Serve(serve) => run_server(&cli.data, &serve).await,
        Command::Migrate => {
            let ground = Ground::open_beside(&cli.data).await?;
            ground.database.close().await;
            Ok(())
        }
        Command::Rebuild => run_rebuild(&cli.data).await,
        Command::User(UserCommand::Add { name, role, password_stdin: _, if_missing }) => {
            add_user(&cli.data, name, role, if_missing).await
        }
        Command::User(UserCommand::Token { name, label, days }) => {
            issue_api_token(&cli.data, &name, &label, days).await
        }
        Command::User(UserCommand::List) => {
            let ground = Ground::open_beside(&cli.data).await?;
            for account in account::list(&ground.database.read).await? {
                println!("{}\t{}", account.name, account.role);
            }
            Ok(())
        }
        Command::Agent(AgentCommand::Token { label, owner, print_only }) => {
            issue_token(&cli.data, label, owner, print_only).await
        }
    }
}

async fn run_server(data: &DataConfig, serve: &ServeConfig) -> anyhow::Result<()> {
    let application = Application::build(data, serve).await?;
    let head = application.state().log.head().head;
    tracing::info!(
        server.address = %application.address,
        log.origin = %head.origin,
        log.size = head.size,
        "acta-server answers at http://{}",
        application.address
    );
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    application
        .run(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            tracing::info!("stopping: open requests are finished first");
        })
        .await
}

async fn run_rebuild(data: &DataConfig) -> anyhow::Result<()> {
    let ground = Ground::open(data).await?;
    let rebuilt = rebuild(&ground.database, &ground.keys, |done, all| {
        if done % 10_000 == 0 {
            eprintln!("{done} of {all} entries");
        }
    })
    .await
    .context("nothing was rebuilt")?;
    println!("{} entries checked and replayed, root {}", rebuilt.entries, rebuilt.root);
    ground.database.close().await;
    Ok(())
}

async fn add_user(data: &DataConfig, name: String, role: Role, if_missing: bool) -> anyhow::Result<()> {
    check_name("an account's name", &name)?;
    let mut input = String::new();
    std::io::stdin().take(4096).read_to_string(&mut input).context("cannot read the password")?;
    let typed = input.lines().next().unwrap_or_default();
    ensure!(
        typed.chars().count() >= password::MIN_CHARS && typed.len() <= password::MAX_BYTES,
        "a password has {} to {} characters",
        password::MIN_CHARS,
        password::MAX_BYTES
    );
    let ground = Ground::open_beside(data).await?;
    if if_missing && account::find(&ground.database.read, &name).await?.is_some() {
        println!("{name} is there already");
        return Ok(());
    }
    let account = account::Account { name, role: code(&role), password_hash: password::hash_now(typed)? };
    if !account::insert(&ground.database.write, &account, clock::now().unix_ms()).await? {
        bail!("the account {} is there already", account.name);
    }
    println!("{} added as {}", account.name, account.role);
    Ok(())
}

async fn issue_token(
    data: &DataConfig,
    label: String,
    owner: Option<String>,
    print_only: bool,
) -> anyhow::Result<()> {
    check_name("an agent's name", &label)?;
    ensure!(label != "portal", "`portal` is the server's own name in the log");
    let ground = Ground::open_beside(data).await?;
    if let Some(owner) = &owner {
        let known = account::find(&ground.database.read, owner).await?.is_some();
        ensure!(known, "there is no account {owner:?}: add it first with `acta-server user add`");
    }
    let (secret, now) = (Secret::draw("acta_enrol_")?, clock::now().unix_ms());
    let token = token::EnrolmentToken {
        agent: label,
        issued_by: "command line".to_owned(),
        owner,
        expires_at: now + ENROLMENT_MS,
        used_by: None,
    };
    token::insert_enrolment(&ground.database.write, &secret.hash(), &token, now).await?;
    if print_only {
        println!("{}", secret.reveal());
    } else {
        println!(
            "Valid for an hour and for one key. On the builder:\n\n  acta enrol --server URL --token {}",
            secret.reveal()
        );
    }
    Ok(())
}

async fn issue_api_token(data: &DataConfig, name: &str, label: &str, days: i64) -> anyhow::Result<()> {
    let ground = Ground::open_beside(data).await?;
    let known = account::find(&ground.database.read, name).await?.is_some();
    ensure!(known, "there is no account {name:?}: add it first with `acta-server user add`");
    ensure!((1..=100).contains(&label.chars().count()), "a label has 1 to 100 characters");
    let (secret, now) = (Secret::draw("acta_api_")?, clock::now().unix_ms());
    let expires_at = now + days * 24 * 60 * 60 * 1000;
    token::insert_api_token(&ground.database.write, &secret.hash(), name, label, now, expires_at).await?;
    println!("{}", secret.reveal());
    Ok(())
}

fn parse_role_argument(text: &str) -> Result<Role, String> {
    let known = ROLES.iter().map(code).collect::<Vec<_>>().join(", ");
    parse_role(text).ok_or_else(|| format!("expected one of {known}"))
}

fn check_name(what: &str, name: &str) -> anyhow::Result<()> {
    let fits = (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.@".contains(&byte));
    ensure!(fits, "{what} has 1 to 64 characters of a-z, 0-9 and -_.@, found {name:?}");
    Ok(())
}
