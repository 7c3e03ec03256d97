//! The server's command line.

mod cli;
mod command;

use std::process::ExitCode;

use acta_server::{config::file, telemetry};

use crate::cli::Cli;

// A page is made of thousands of short texts by several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let (cli, matches, file) = file::parse::<Cli>()?;
    telemetry::start(&cli.log);
    command::run(cli, &matches, file.as_ref()).await
}
