//! What the command line looks like: the commands and their help. What they do is in [`crate::command`].

use acta_server::config::{DataConfig, LogConfig, file::FileConfig};
use clap::{Parser, Subcommand};

use crate::command;

/// The evidence ledger of TensorRT builds: log, API and review portal.
#[derive(Parser)]
#[command(
    name = "acta-server",
    version,
    about,
    max_term_width = 110,
    after_help = "Examples:
  acta-server serve
  acta-server user add ada --role reviewer --password-stdin
  acta-server agent token --label builder-7
  acta-server backup /mnt/other-disk/acta
  acta-server doctor --deep
  acta-server rebuild
  acta-server config show

Each setting is a flag, else a variable, else a key of the settings file, else its default.
Exit codes: 0 done, 1 failed (the message says why), 2 usage."
)]
pub struct Cli {
    #[command(flatten)]
    file: FileConfig,
    #[command(flatten)]
    pub data: DataConfig,
    #[command(flatten)]
    pub log: LogConfig,
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Serves the API and the portal until it is told to stop (Ctrl-C or SIGTERM).
    Serve(command::serve::Serve),
    /// The settings.
    #[command(subcommand)]
    Config(command::config::ConfigCommand),
    /// Makes the database or brings its schema up to date.
    Migrate(command::migrate::Migrate),
    /// Checks every entry and replays the log into the projections. Stop the server first.
    Rebuild(command::rebuild::Rebuild),
    /// Copies database and blobs into a folder while the server serves, and verifies the copy.
    Backup(command::backup::Backup),
    /// Checks the folder without changing anything: beside a running server, or a restored copy.
    Doctor(command::doctor::Doctor),
    /// Removes the bytes of retained bundles that no route needs any more. Stop the server first.
    Purge(command::purge::Purge),
    /// Accounts of people.
    #[command(subcommand)]
    User(command::user::UserCommand),
    /// Agents.
    #[command(subcommand)]
    Agent(command::agent::AgentCommand),
    /// The log's own key, which signs tree heads.
    #[command(subcommand)]
    LogKey(command::log_key::LogKeyCommand),
    /// Writes the manual pages, one a command.
    Man(command::man::Man),
}

#[cfg(test)]
mod tests {
    use acta_tests::command_line::{Leaf, leaves};
    use clap::CommandFactory as _;

    use super::Cli;

    /// Commands that print no object, and why.
    const WITHOUT_JSON: [(&str, &str); 2] =
        [("serve", "it runs until it is stopped; --log-format json is its word"), ("man", "it writes files")];

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example_fits_the_terminal_and_speaks_json() {
        for leaf in leaves(Cli::command()) {
            leaf.assert_has_examples();
            leaf.assert_fits(Leaf::WIDTH);
            leaf.assert_speaks_json(&WITHOUT_JSON);
        }
    }
}
