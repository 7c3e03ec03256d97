//! The commands, one file each.

pub mod acceptance;
pub mod advise;
pub mod attempt;
pub mod audit;
pub mod build;
pub mod bundle;
pub mod cache;
pub mod canary;
pub mod compare;
pub mod completions;
pub mod deploy_agent;
pub mod enrol;
pub mod gate;
pub mod import;
pub mod init;
pub mod key;
pub mod man;
pub mod open;
pub mod pack;
pub mod push;
pub mod quarantine;
pub mod rebuild;
pub mod retry;
pub mod rollback;
pub mod route;
pub mod run;
pub mod runs;
pub mod show;
pub mod status;
pub mod verify;

use serde_json::json;

use crate::{
    builder,
    cli::{Cli, Command},
    error::{Exit, Result},
    home::Home,
    ui::Ui,
};

/// Runs the command.
pub fn run(cli: Cli, ui: Ui) -> Result<Exit> {
    let home = || Home::locate(cli.home.clone());
    match cli.command {
        Command::Init(command) => command.run(&home()?, ui),
        Command::Enrol(command) => command.run(&home()?, ui),
        Command::Build(command) => command.run(&home()?, ui),
        Command::Advise(command) => command.run(&home()?, ui),
        Command::Retry(command) => command.run(&home()?, ui),
        Command::Rebuild(command) => command.run(&home()?, ui),
        Command::Quarantine(command) => command.run(&home()?, ui),
        Command::Cache(command) => command.run(&home()?, ui),
        Command::Run(command) => command.run(&home()?, ui),
        Command::Acceptance(command) => command.run(&home()?, ui),
        Command::Key(command) => command.run(&home()?, ui),
        Command::Push(command) => command.run(&home()?, ui),
        Command::Bundle(command) => command.run(&home()?, ui),
        Command::Route(command) => command.run(&home()?, ui),
        Command::Gate(command) => command.run(&home()?, ui),
        Command::Import(command) => command.run(&home()?, ui),
        Command::Canary(command) => command.run(&home()?, ui),
        Command::DeployAgent(command) => command.run(&home()?, ui),
        Command::Rollback(command) => command.run(&home()?, ui),
        Command::Status(command) => command.run(&home()?, ui),
        Command::Pack(command) => command.run(&home()?, ui),
        Command::Verify(command) => command.run(&home()?, ui),
        Command::Audit(command) => command.run(&home()?, ui),
        Command::Runs(command) => command.run(&home()?, ui),
        Command::Show(command) => command.run(&home()?, ui),
        Command::Compare(command) => command.run(&home()?, ui),
        Command::Open(command) => command.run(&home()?, ui),
        Command::Completions(command) => command.run(ui),
        Command::Man(command) => command.run(ui),
        Command::Worker => builder::worker::run().map(|()| Exit::Completed),
        Command::Library { library } => {
            ui.result(&json!(builder::probe::ask(library)).to_string());
            Ok(Exit::Completed)
        }
        Command::CallbackCost => {
            ui.result(&builder::callback_cost::measure().to_string());
            Ok(Exit::Completed)
        }
    }
}

/// Whether the command prints one JSON object, also of an error.
pub fn wants_json(command: &Command) -> bool {
    match command {
        Command::Init(command) => command.json,
        Command::Enrol(command) => command.json,
        Command::Build(command) => command.attempt.json,
        Command::Advise(command) => command.json,
        Command::Retry(command) => command.json,
        Command::Rebuild(command) => command.json,
        Command::Quarantine(command) => command.wants_json(),
        Command::Cache(command) => command.wants_json(),
        Command::Run(command) => command.attempt.json,
        Command::Acceptance(command) => command.json,
        Command::Key(command) => command.wants_json(),
        Command::Push(command) => command.json,
        Command::Bundle(command) => command.wants_json(),
        Command::Route(command) => command.wants_json(),
        Command::Gate(command) => command.wants_json(),
        Command::Import(command) => command.json,
        Command::Canary(command) => command.wants_json(),
        Command::Rollback(command) => command.wants_json(),
        Command::Status(command) => command.json,
        Command::Pack(command) => command.json,
        Command::Verify(command) => command.json,
        Command::Audit(command) => command.json,
        Command::Runs(command) => command.json,
        Command::Show(command) => command.json,
        Command::Compare(command) => command.json,
        Command::Open(command) => command.json,
        Command::Completions(_)
        | Command::Man(_)
        | Command::DeployAgent(_)
        | Command::Worker
        | Command::Library { .. }
        | Command::CallbackCost => false,
    }
}
