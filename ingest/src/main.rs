//! `acta`: the agent beside each GPU builder, and the auditor's command line.

mod acceptance;
mod audit;
mod blob;
mod builder;
mod caches;
mod chain;
mod cli;
mod client;
mod clock;
mod command;
mod crash;
mod deploy;
mod durable;
mod error;
mod format;
mod gate;
mod history;
mod home;
mod import;
mod job;
mod journal;
mod key;
mod live;
mod lookup;
mod orphans;
mod outbox;
mod pins;
mod policy;
mod push;
mod quarantine;
mod rotation;
mod route;
mod runs;
mod server;
mod statements;
mod table;
mod trust;
mod ui;
mod way_back;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    command::completions::answer();
    let cli = cli::Cli::parse();
    let ui = ui::Ui::new(cli.quiet, cli.color);
    let json = command::wants_json(&cli.command);
    match command::run(cli, ui) {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) => {
            ui.error(&error.to_string());
            if json {
                ui.result(&error.to_json().to_string());
            }
            ExitCode::from(error.exit as u8)
        }
    }
}
