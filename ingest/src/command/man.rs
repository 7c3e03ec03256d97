//! `acta man`

use std::{fs, path::PathBuf};

use clap::{Args, CommandFactory as _};

use crate::{
    cli::Cli,
    error::{CliError, Exit, Result},
    ui::Ui,
};

const EXAMPLES: &str = "\
Examples:
  acta man /usr/local/share/man/man1
  acta man man && man -l man/acta-build.1";

/// Writes the manual pages, one a command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Man {
    /// The folder; it is made if it is not there.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

impl Man {
    /// Runs the command.
    pub fn run(&self, ui: Ui) -> Result<Exit> {
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(|error| CliError::io("make", folder, &error))?;
        clap_mangen::generate_to(Cli::command(), folder)
            .map_err(|error| CliError::io("write manual pages to", folder, &error))?;
        ui.notice(&format!("manual pages are in {}", folder.display()));
        Ok(Exit::Completed)
    }
}
