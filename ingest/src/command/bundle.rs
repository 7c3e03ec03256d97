//! `acta bundle`

pub mod diff;
pub mod inspect;
pub mod reading;
pub mod retain;

use clap::Subcommand;

use crate::{
    error::{Exit, Result},
    home::Home,
    ui::Ui,
};

/// What can be done with a `.bundle`.
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  acta bundle inspect model.bundle\n  acta bundle diff old.bundle new.bundle"
)]
pub enum Bundle {
    /// Reads a bundle once, from its first byte to its last, and holds it to every rule of the format.
    Inspect(inspect::Inspect),
    /// Compares two bundles by header values and by the digests of their sections.
    Diff(diff::Diff),
    /// Keeps a bundle and its runtime configuration, so that there is a way back to it.
    Retain(retain::Retain),
}

impl Bundle {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        match self {
            Self::Inspect(command) => command.run(ui),
            Self::Diff(command) => command.run(ui),
            Self::Retain(command) => command.run(home, ui),
        }
    }

    /// Whether it prints one JSON object, also of an error.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Inspect(command) => command.json,
            Self::Diff(command) => command.json,
            Self::Retain(command) => command.json,
        }
    }
}
