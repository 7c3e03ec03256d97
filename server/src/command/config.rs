//! `acta-server config`

use acta_server::config::{ServeConfig, file::SettingsFile, show};
use clap::{ArgMatches, Args, Subcommand};

const EXAMPLES: &str = "\
Examples:
  acta-server config show
  acta-server --config new.toml config show --json";

/// The settings.
#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Prints what `serve` with these flags would be told, and where each value comes from: as a settings file that says
    /// the same.
    Show(Show),
}

/// Prints the settings.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Show {
    /// The flags of `serve`, which are read from the matches.
    #[command(flatten)]
    _serve: ServeConfig,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl ConfigCommand {
    /// Runs the command.
    pub fn run(&self, matches: &ArgMatches, file: Option<&SettingsFile>) -> anyhow::Result<()> {
        let Self::Show(show) = self;
        let matches = std::iter::successors(Some(matches), |it| it.subcommand().map(|(_, below)| below));
        let settings = matches.last().map_or_else(Vec::new, |it| show::effective(it, file));
        if show.json {
            println!("{}", serde_json::to_string_pretty(&settings)?);
        } else {
            print!("{}", show::as_toml(&settings));
        }
        Ok(())
    }
}
