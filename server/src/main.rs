//! The server's command line.

mod cli;
mod command;

use std::process::ExitCode;

use acta_server::{config::file, telemetry};

use crate::cli::Cli;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let (cli, matches, file) = file::parse::<Cli>()?;
    telemetry::start(&cli.log);
    command::run(cli, &matches, file.as_ref()).await
}
