//! `acta completions`

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::{
    cli::Cli,
    error::{Exit, Result},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  acta completions bash > /etc/bash_completion.d/acta
  acta completions fish > ~/.config/fish/completions/acta.fish";

/// Prints the completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell.
    pub shell: Shell,
}

impl Completions {
    /// Runs the command.
    pub fn run(&self, ui: Ui) -> Result<Exit> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "acta", &mut script);
        ui.result(String::from_utf8_lossy(&script).trim_end());
        Ok(Exit::Completed)
    }
}
