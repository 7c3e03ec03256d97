//! Gate 5.

use crate::{
    error::{CliError, Exit, Result},
    home::Home,
    ui::Ui,
};

/// What the command takes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What every gate takes.
    #[command(flatten)]
    pub common: super::Common,
}

/// Runs gate 5.
pub fn run(_args: &Args, _home: &Home, _ui: Ui) -> Result<Exit> {
    Err(CliError::failure("gate 5 has no runner yet"))
}
