//! `acta completions`

use std::ffi::OsStr;

use clap::Args;
use clap_complete::{
    CompletionCandidate,
    engine::ArgValueCompleter,
    env::{CompleteEnv, Shells},
};

use crate::{
    cli::Cli,
    error::{CliError, Exit, Result},
    format::words,
    home::{HOME_VARIABLE, Home},
    statements,
    ui::Ui,
};

/// The variable by which the shell's script asks for candidates.
const VARIABLE: &str = "ACTA_COMPLETE";

/// How many runs are offered, the newest.
const MOST_RUNS: usize = 50;

const EXAMPLES: &str = "\
The script asks `acta` itself what fits, so that it also offers the ids of this agent's newest runs.

Examples:
  acta completions bash > /etc/bash_completion.d/acta
  acta completions zsh > ~/.zfunc/_acta
  acta completions fish > ~/.config/fish/completions/acta.fish";

/// Prints the completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell.
    #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    pub shell: String,
}

impl Completions {
    /// Runs the command.
    pub fn run(&self, ui: Ui) -> Result<Exit> {
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let shell = shells.completer(&self.shell).ok_or_else(|| {
            CliError::usage("no completions for this shell").field("SHELL").found(&self.shell)
        })?;
        shell.write_registration(VARIABLE, "acta", "acta", "acta", &mut script).map_err(|error| {
            CliError::failure("the completions cannot be written").found(error.to_string())
        })?;
        ui.result(String::from_utf8_lossy(&script).trim_end());
        Ok(Exit::Completed)
    }
}

/// Answers the shell's script, where it asks; it then ends the program.
pub fn answer() {
    use clap::CommandFactory as _;
    CompleteEnv::with_factory(Cli::command).var(VARIABLE).complete();
}

/// Offers `last` and this agent's newest runs.
pub fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let typed = typed.to_string_lossy();
        let last = CompletionCandidate::new("last").help(Some("the newest run".into()));
        // Nothing is asked of a home that cannot be read: a shell that completes must not fail.
        let own = Home::locate(std::env::var_os(HOME_VARIABLE).map(Into::into))
            .and_then(|home| statements::own_summaries(&home, MOST_RUNS));
        let own = own.unwrap_or_default().into_iter().map(|(summary, _)| {
            let outcome = words(&acta_ledger::evidence::code(&summary.outcome));
            let help = format!("{outcome}, {}", crate::ui::visible_line(&summary.network.source));
            CompletionCandidate::new(summary.run.id.to_string()).help(Some(help.into()))
        });
        [last]
            .into_iter()
            .chain(own)
            .filter(|it| it.get_value().to_string_lossy().starts_with(&*typed))
            .collect()
    })
}
