//! The commands, one file each.

pub mod agent;
pub mod backup;
pub mod config;
pub mod doctor;
pub mod log_key;
pub mod man;
pub mod migrate;
pub mod purge;
pub mod rebuild;
pub mod serve;
pub mod user;

use std::process::ExitCode;

use acta_ledger::evidence::code;
use acta_server::{
    account::{Change, Done, apply},
    auth::policy::Scope,
    config::{DataConfig, ServeConfig, file::SettingsFile},
    error::Problem,
    startup::{AppState, Application, Ground},
};
use anyhow::anyhow;
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::{Cli, Command};

/// Runs the command; `matches` and `file` say where each setting comes from.
pub async fn run(cli: Cli, matches: &ArgMatches, file: Option<&SettingsFile>) -> anyhow::Result<ExitCode> {
    let data = &cli.data;
    match cli.command {
        Command::Serve(command) => command.run(data).await,
        Command::Config(command) => command.run(matches, file),
        Command::Migrate(command) => command.run(data).await,
        Command::Rebuild(command) => command.run(data).await,
        Command::Backup(command) => command.run(data).await,
        Command::Doctor(command) => return command.run(data).await,
        Command::Purge(command) => command.run(data).await,
        Command::User(command) => command.run(data).await,
        Command::Agent(command) => command.run(data).await,
        Command::LogKey(command) => command.run(data).await,
        Command::Man(command) => command.run(),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Does it as the command line, in the same way as the portal does it for an admin.
pub async fn change(data: &DataConfig, change: Change) -> anyhow::Result<Done> {
    let ground = Ground::open_beside(data).await?;
    let done = apply(&ground.database, None, change).await;
    ground.database.close().await;
    done.map_err(said)
}

/// A problem as the command line says it: what, where, what is expected.
pub fn said(problem: Problem) -> anyhow::Error {
    let part = |name: &str, text: Option<String>| {
        text.map_or_else(String::new, |text| format!("\n  {name}: {text}"))
    };
    let (field, found) = (part("field", problem.field), part("found", problem.found));
    anyhow!("{}{field}{found}{}", problem.detail, part("expected", problem.expected))
}

/// Does something with the log while no server runs.
pub async fn alone<T>(
    data: &DataConfig,
    act: impl AsyncFnOnce(&AppState) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let application = Application::build(data, &ServeConfig::nowhere()).await?;
    let done = act(application.state()).await;
    application.run(async {}).await?;
    done
}

/// A bar for each step, where a person watches.
pub fn progress() -> impl FnMut(&str, u64, u64) {
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

/// Reads a scope, of people or of agents.
pub fn parse_scope(text: &str) -> Result<Scope, String> {
    let known = [&Scope::OF_ACCOUNTS[..], &Scope::OF_AGENTS[..]].concat();
    let codes = known.iter().map(code).collect::<Vec<_>>().join(", ");
    known.into_iter().find(|scope| code(scope) == text).ok_or_else(|| format!("expected one of {codes}"))
}
