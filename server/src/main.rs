//! The server's command line.

use std::{io::Read as _, process::ExitCode};

use acta_ledger::{evidence::code, log::digest::Sha256Digest};
use acta_server::{
    account::{COMMAND_LINE, Change, Done, MAX_TOKEN_DAYS, NewPassword, apply},
    auth::policy::{ROLES, Role, Scope, parse_role},
    backup::{self, backup},
    config::{
        DataConfig, LogConfig, ServeConfig,
        file::{self, FileConfig},
        show,
    },
    doctor::{self, Depth, Health},
    error::Problem,
    keyring,
    keys::Keys,
    projection::rebuild::rebuild,
    purge::{Wanted, purge},
    secret::Secret,
    service,
    startup::{AppState, Application, Ground},
    store::account,
    telemetry,
};
use anyhow::{Context as _, anyhow};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
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
  acta-server backup /mnt/other-disk/acta
  acta-server doctor --deep
  acta-server rebuild
  acta-server config show

Each setting is a flag, else a variable, else a key of the settings file, else its default.
Exit codes: 0 done, 1 failed (the message says why), 2 usage."
)]
struct Cli {
    #[command(flatten)]
    file: FileConfig,
    #[command(flatten)]
    data: DataConfig,
    #[command(flatten)]
    log: LogConfig,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the API and the portal until it is told to stop (Ctrl-C or SIGTERM).
    Serve(ServeConfig),
    /// The settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Makes the database or brings its schema up to date.
    Migrate,
    /// Checks every entry and replays the log into the projections. Stop the server first.
    #[command(
        after_help = "Fails, naming the entry, if its bytes, leaf hash, signature or the signed root do not fit. \
                            Nothing is changed then."
    )]
    Rebuild,
    /// Copies database and blobs into a folder while the server serves, and verifies the copy.
    #[command(
        after_help = "The database is copied as it is at one moment; then the blobs that are not in the folder yet. At the \
                            end the copy is checked from its bytes: every leaf hash, tile and tree head, and that every \
                            blob is there. Until then an earlier backup in the folder stays as it was.\n\n\
                            A backup holds no anchor and, without --with-keys, no private keys. To restore: copy the \
                            folder to the new data folder, put keys/ and the lost server's anchor beside it, run \
                            acta-server doctor there, start. A copy that is behind the anchor is not written on.\n\n\
                            Examples:\n  acta-server --data-dir /srv/acta backup /mnt/other-disk/acta\n  \
                            acta-server --data-dir /mnt/other-disk/acta doctor --deep\n\n\
                            Exit codes: 0 done and verified, 1 failed (the message says why)."
    )]
    Backup {
        #[command(flatten)]
        options: backup::Options,
        /// Prints what was done as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Checks the folder without changing anything: beside a running server, or a restored copy.
    #[command(
        after_help = "Checks modes, keys, SQLite's pages, schema, every entry's leaf hash, tree heads, tiles, anchor, blobs \
                            and free space. Each line says ok, or what is wrong and what to do.\n\n\
                            Examples:\n  acta-server doctor\n  acta-server --data-dir /restored doctor --deep --json\n\n\
                            Exit codes: 0 all is well, 1 something is wrong."
    )]
    Doctor {
        /// Also checks indexes, the digest of every blob and every signature, and replays the log to compare the
        /// projections (in a temporary copy, which needs as much space as the database).
        #[arg(long)]
        deep: bool,
        /// Prints the findings as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Removes the bytes of retained bundles that no route needs any more. Stop the server first.
    #[command(
        after_help = "Nothing that is live, approved, held, ordered, the way back of what is served, or retained until \
                            a later day is removed; what stays and why is said. The log says first what goes, and no \
                            entry ever goes. While the server runs, an admin does the same: POST /api/v1/purges.\n\n\
                            Exit codes: 0 done, 1 a bundle that was named is still needed, or it failed."
    )]
    Purge {
        /// Only this bundle (64 hexadecimal digits).
        #[arg(long, value_name = "DIGEST")]
        bundle: Option<Sha256Digest>,
        /// Says what would go, and changes nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Accounts of people.
    #[command(subcommand)]
    User(UserCommand),
    /// Agents.
    #[command(subcommand)]
    Agent(AgentCommand),
    /// The log's own key, which signs tree heads.
    #[command(subcommand)]
    LogKey(LogKeyCommand),
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Prints what `serve` with these flags would be told, and where each value comes from: as a settings file that says
    /// the same.
    #[command(
        after_help = "Examples:\n  acta-server config show\n  acta-server --config new.toml config show --json"
    )]
    Show {
        /// The flags of `serve`.
        #[command(flatten)]
        serve: ServeConfig,
        /// Prints JSON.
        #[arg(long)]
        json: bool,
    },
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
    /// Issues a token for a person's programs: it reads, for an admin it sets up routes, and for a reviewer it
    /// may stop builds. It decides nothing.
    #[command(
        after_help = "Examples:\n  acta-server user token adam --label ci --days 30\n  acta-server user token rita --label ci --scope cancel"
    )]
    Token {
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
        /// What the agent may do with its own token: `push`, `orders`. Several times for several.
        #[arg(long = "scope", value_parser = parse_scope, default_values = ["push", "orders"])]
        scopes: Vec<Scope>,
        /// Prints the token alone.
        #[arg(long)]
        print_only: bool,
    },
    /// Revokes the key that signs for an agent. Stop the server first.
    #[command(
        after_help = "From its entry on the agent signs nothing more; what it signed before stays valid. With a new \
                            one-time token it can be enrolled anew, with a new key. While the server runs, an admin does \
                            the same by POST /api/v1/agents/NAME/revoke.\n\n\
                            Example: acta-server agent revoke builder-7 --reason 'the disk was stolen'"
    )]
    Revoke {
        /// The agent's name.
        name: String,
        /// Why; it stands in the log.
        #[arg(long)]
        reason: String,
    },
}

#[derive(Subcommand)]
enum LogKeyCommand {
    /// Makes a new key and hands the log's key on to it. Stop the server first.
    #[command(
        after_help = "The log says so first. Then both keys sign every tree head until the tree has grown by the overlap; \
                            after that the new one signs alone. Whoever pinned the first key goes on believing the log: \
                            each hand-over is proved by a tree head that both signed. Keep log.pem, it names the first \
                            key; the private half of a key that was retired is needed no more.\n\n\
                            Example: acta-server log-key rotate --overlap 5000 --reason 'yearly rotation'"
    )]
    Rotate {
        /// For how many sizes of the tree both keys sign.
        #[arg(long, value_name = "ENTRIES", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
        overlap: u64,
        /// Why; it stands in the log.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Lists the log's keys and the sizes that each signs.
    #[command(after_help = "Example: acta-server log-key list")]
    List,
}

/// For how many hours a one-time token of the command line is valid.
const ENROLMENT_HOURS: u32 = 1;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let (cli, matches, file) = file::parse::<Cli>()?;
    telemetry::start(&cli.log);
    match cli.command {
        Command::Serve(serve) => run_server(&cli.data, &serve).await,
        Command::Config(ConfigCommand::Show { serve: _, json }) => {
            let matches = std::iter::successors(Some(&matches), |it| it.subcommand().map(|(_, below)| below));
            let settings = matches.last().map_or_else(Vec::new, |it| show::effective(it, file.as_ref()));
            if json {
                println!("{}", serde_json::to_string_pretty(&settings)?);
            } else {
                print!("{}", show::as_toml(&settings));
            }
            Ok(())
        }
        Command::Migrate => {
            let ground = Ground::open_beside(&cli.data).await?;
            ground.database.close().await;
            Ok(())
        }
        Command::Rebuild => run_rebuild(&cli.data).await,
        Command::User(UserCommand::Add { name, role, password_stdin: _, if_missing }) => {
            add_user(&cli.data, name, role, if_missing).await
        }
        Command::User(UserCommand::Token { name, label, days, scopes }) => {
            let done = change(&cli.data, Change::IssueToken { account: name, label, scopes, days }).await?;
            println!("{}", done.secret.as_ref().map_or("", Secret::reveal));
            Ok(())
        }
        Command::User(UserCommand::List) => {
            let ground = Ground::open_beside(&cli.data).await?;
            for account in account::list(&ground.database.read).await? {
                let state = if account.disabled_at.is_some() { "\tdisabled" } else { "" };
                println!("{}\t{}{state}", account.name, account.role);
            }
            Ok(())
        }
        Command::Agent(AgentCommand::Token { label, owner, scopes, print_only }) => {
            let wanted = Change::IssueEnrolment { agent: label, owner, scopes, hours: ENROLMENT_HOURS };
            issue_enrolment(&cli.data, wanted, print_only).await
        }
        Command::Agent(AgentCommand::Revoke { name, reason }) => {
            let entry = alone(&cli.data, async |state| {
                keyring::revoke(state, &name, COMMAND_LINE, &reason).await.map_err(said)
            });
            println!("{name}\trevoked by entry {}", entry.await?);
            Ok(())
        }
        Command::LogKey(LogKeyCommand::Rotate { overlap, reason }) => {
            rotate_log_key(&cli.data, overlap, reason).await
        }
        Command::LogKey(LogKeyCommand::List) => {
            alone(&cli.data, async |state| {
                for life in state.log.keyring().log().lives() {
                    let until = life.until.map_or_else(|| "now".to_owned(), |until| until.to_string());
                    println!("{}\t{}\t{until}", life.key, life.from);
                }
                Ok(())
            })
            .await
        }
        Command::Backup { options, json } => run_backup(&cli.data, &options, json).await,
        Command::Doctor { deep, json } => return run_doctor(&cli.data, Depth { deep }, json).await,
        Command::Purge { bundle, dry_run } => run_purge(&cli.data, bundle, dry_run).await,
    }?;
    Ok(ExitCode::SUCCESS)
}

async fn run_server(data: &DataConfig, serve: &ServeConfig) -> anyhow::Result<()> {
    let application = Application::build(data, serve).await?;
    let head = application.state().log.head().head;
    tracing::info!(
        server.address = %application.address,
        log.origin = %head.origin,
        log.size = head.size,
        "acta-server answers at {}",
        application.state().base_url
    );
    service::ready(application.state());
    tokio::spawn(service::keep_alive(application.state().log.heads()));
    // Listened to even where there is nothing to read again: unheard, it would end the server.
    let hangup = signal(SignalKind::hangup())?;
    if let Some(certificate) = application.certificate() {
        tokio::spawn(certificate.keep_fresh(hangup));
    }
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    application
        .run(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            service::stopping();
            tracing::info!("stopping: open requests are finished first");
        })
        .await
}

async fn run_rebuild(data: &DataConfig) -> anyhow::Result<()> {
    let ground = Ground::open(data).await?;
    let rebuilt = rebuild(&ground.database, &ground.keys.trust(), |done, all| {
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

/// Does it as the command line, in the same way as the portal does it for an admin.
async fn change(data: &DataConfig, change: Change) -> anyhow::Result<Done> {
    let ground = Ground::open_beside(data).await?;
    let done = apply(&ground.database, None, change).await;
    ground.database.close().await;
    done.map_err(said)
}

/// A problem as the command line says it: what, where, what is expected.
fn said(problem: Problem) -> anyhow::Error {
    let part = |name: &str, text: Option<String>| {
        text.map_or_else(String::new, |text| format!("\n  {name}: {text}"))
    };
    let (field, found) = (part("field", problem.field), part("found", problem.found));
    anyhow!("{}{field}{found}{}", problem.detail, part("expected", problem.expected))
}

async fn add_user(data: &DataConfig, name: String, role: Role, if_missing: bool) -> anyhow::Result<()> {
    let mut input = String::new();
    std::io::stdin().take(4096).read_to_string(&mut input).context("cannot read the password")?;
    let password = NewPassword(input.lines().next().unwrap_or_default().to_owned());
    if if_missing {
        let ground = Ground::open_beside(data).await?;
        let known = account::find(&ground.database.read, &name).await?.is_some();
        ground.database.close().await;
        if known {
            println!("{name} is there already");
            return Ok(());
        }
    }
    change(data, Change::Add { account: name.clone(), role, password }).await?;
    println!("{name} added as {}", code(&role));
    Ok(())
}

async fn issue_enrolment(data: &DataConfig, wanted: Change, print_only: bool) -> anyhow::Result<()> {
    let done = change(data, wanted).await?;
    let token = done.secret.as_ref().map_or("", Secret::reveal);
    if print_only {
        println!("{token}");
    } else {
        println!(
            "Valid for an hour and for one key. On the builder:\n\n  acta enrol --server URL --token {token}"
        );
    }
    Ok(())
}

/// Does something with the log while no server runs.
async fn alone<T>(
    data: &DataConfig,
    act: impl AsyncFnOnce(&AppState) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let application = Application::build(data, &ServeConfig::nowhere()).await?;
    let done = act(application.state()).await;
    application.run(async {}).await?;
    done
}

/// The new key's file is on disk before the log names it; what an interrupted attempt left is used first.
async fn rotate_log_key(data: &DataConfig, overlap: u64, reason: Option<String>) -> anyhow::Result<()> {
    let unused =
        alone(data, async |state| Ok(state.keys.unused(state.log.keyring().log()).is_some())).await?;
    if !unused {
        let ground = Ground::open(data).await?;
        Keys::make_next(&data.keys())?;
        ground.database.close().await;
    }
    alone(data, async |state| {
        let next = state.keys.unused(state.log.keyring().log()).context("the new key's file is gone")?;
        let entry = keyring::hand_over(state, next, overlap, reason).await.map_err(said)?;
        let log = state.log.keyring();
        println!("handed on by entry {entry}");
        for life in log.log().lives().filter(|life| life.until.is_none_or(|until| until > entry)) {
            let until =
                life.until.map_or_else(|| "until the next one".to_owned(), |it| format!("below size {it}"));
            println!("{}\tsigns from size {} on, {until}", life.key, life.from);
        }
        Ok(())
    })
    .await
}

/// A bar for each step, where a person watches.
fn progress() -> impl FnMut(&str, u64, u64) {
    let mut shown: Option<(String, ProgressBar)> = None;
    move |step, done, all| {
        if shown.as_ref().is_none_or(|(name, _)| name != step) {
            let style =
                ProgressStyle::with_template("{msg:>8} [{bar:30}] {pos}/{len}  {per_sec}  {eta} left");
            let bar = ProgressBar::new(all).with_message(step.to_owned());
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            shown = Some((step.to_owned(), bar));
        }
        if let Some((_, bar)) = &shown {
            bar.set_position(done);
            if done == all {
                bar.finish_and_clear();
            }
        }
    }
}

async fn run_backup(data: &DataConfig, options: &backup::Options, json: bool) -> anyhow::Result<()> {
    let done = backup(data, options, &mut progress()).await?;
    if json {
        println!("{}", serde_json::to_string(&done)?);
        return Ok(());
    }
    let (manifest, target) = (&done.manifest, options.target.display());
    println!(
        "{target}: {} entries, root {}, {} blobs; verified",
        manifest.size, manifest.root, manifest.blobs
    );
    println!("{} blobs copied, {} linked, the others were there", done.copied, done.linked);
    if done.with_keys {
        println!("the private keys are in it: whoever has it can sign as this server");
    }
    Ok(())
}

async fn run_doctor(data: &DataConfig, depth: Depth, json: bool) -> anyhow::Result<ExitCode> {
    let findings = doctor::examine(data, depth, &mut progress()).await?;
    if json {
        println!("{}", serde_json::to_string(&findings)?);
    } else {
        findings.iter().for_each(|finding| println!("{finding}"));
    }
    let wrong = findings.iter().any(|finding| finding.health == Health::Wrong);
    Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn run_purge(data: &DataConfig, bundle: Option<Sha256Digest>, dry_run: bool) -> anyhow::Result<()> {
    let wanted = Wanted { bundle, by: COMMAND_LINE, dry_run };
    let done = alone(data, async |state| purge(state, wanted).await.map_err(said)).await?;
    let verb = if dry_run { "would go" } else { "purged" };
    for it in &done.purged {
        let entry = it.entry.map_or_else(String::new, |entry| format!(", entry {entry}"));
        println!("{verb}\tsha256:{}\t{}\t{} bytes{entry}", it.bundle, it.route, it.bytes);
    }
    for it in &done.kept {
        let because: Vec<String> = it.because.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        println!("kept\tsha256:{}\t{}\t{}", it.bundle, it.route, because.join(" "));
    }
    if done.purged.is_empty() {
        println!("nothing {verb}");
    }
    Ok(())
}

fn parse_scope(text: &str) -> Result<Scope, String> {
    let known = [&Scope::OF_ACCOUNTS[..], &Scope::OF_AGENTS[..]].concat();
    let codes = known.iter().map(code).collect::<Vec<_>>().join(", ");
    known.into_iter().find(|scope| code(scope) == text).ok_or_else(|| format!("expected one of {codes}"))
}

fn parse_role_argument(text: &str) -> Result<Role, String> {
    let known = ROLES.iter().map(code).collect::<Vec<_>>().join(", ");
    parse_role(text).ok_or_else(|| format!("expected one of {known}"))
}
