//! `acta-server man`

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};

use crate::cli::Cli;

const EXAMPLES: &str = "\
Examples:
  acta-server man /usr/local/share/man/man1
  acta-server man man && man -l man/acta-server-backup.1";

/// Writes the manual pages, one a command.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Man {
    /// The folder; it is made if it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    /// Runs the command.
    pub fn run(&self) -> anyhow::Result<()> {
        let folder = self.folder.display();
        std::fs::create_dir_all(&self.folder).with_context(|| format!("cannot make {folder}"))?;
        clap_mangen::generate_to(Cli::command(), &self.folder)
            .with_context(|| format!("cannot write manual pages to {folder}"))
    }
}
