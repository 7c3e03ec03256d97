//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::{command, home::HOME_VARIABLE, ui::Color};

/// The exit codes, as every `--help` shows them.
const EXIT_CODES: &str = "\
Exit codes:
  0  done (a build: the plan stands under its name, also if a cancel came too late)
  1  something else failed
  2  the command line or an input is wrong: nothing was built, nothing was signed
  3  the build failed; the evidence says why
  4  the build was cancelled
  5  the worker crashed, or had to be killed
  6  the evidence is stored and not yet pushed: the server did not take it (the build itself completed)
  7  the evidence is signed, and what it was to show does not hold: a gate, a criterion of the acceptance test,
     a limit of a comparison, a rebuild
  8  the evidence is signed, and says that nothing can be compared: a rebuild from other inputs

The agent's state lives in ACTA_HOME (default: acta in the XDG state folder, ~/.local/state/acta).";

/// Evidence for TensorRT builds: builds, measures, signs, pushes, verifies.
#[derive(Debug, Parser)]
#[command(name = "acta", version, after_help = EXIT_CODES, max_term_width = 110, disable_help_subcommand = true)]
pub struct Cli {
    /// The agent's folder.
    #[arg(long, global = true, env = HOME_VARIABLE, value_name = "FOLDER")]
    pub home: Option<PathBuf>,

    /// Says nothing but warnings, errors and the result.
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// When to colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Makes the agent's key.
    Init(command::init::Init),
    /// Enrols the agent's key with a server, and pins the server's keys.
    Enrol(command::enrol::Enrol),
    /// Builds an engine under watch, and signs what happened.
    Build(Box<command::build::Build>),
    /// Answers the four questions about a run: continue, cancel, retry with the cache, go back.
    Advise(command::advise::Advise),
    /// Tries a run again, as its evidence recommends.
    Retry(command::retry::Retry),
    /// Builds again what a run recorded, and signs whether the plan came out the same.
    Rebuild(command::rebuild::Rebuild),
    /// Shows what was set apart, gives it back, or removes it.
    #[command(subcommand)]
    Quarantine(command::quarantine::QuarantineCommand),
    /// Shows the timing caches that are on record, or adds one.
    #[command(subcommand)]
    Cache(command::cache::CacheCommand),
    /// Runs any builder under watch, and signs what happened.
    Run(Box<command::run::Run>),
    /// Runs the Stuck-Build Acceptance Test on the real library, and signs the matrix.
    Acceptance(command::acceptance::Acceptance),
    /// Shows the agent's key, or replaces it by a new one.
    #[command(subcommand)]
    Key(command::key::KeyCommand),
    /// Pushes the evidence that waits in the outbox.
    Push(command::push::Push),
    /// Looks into a `.bundle`, compares two, retains one.
    #[command(subcommand)]
    Bundle(command::bundle::Bundle),
    /// Sets up and shows routes.
    #[command(subcommand)]
    Route(command::route::Route),
    /// Gathers the evidence of one of the five gates, or shows what is still missing.
    #[command(subcommand)]
    Gate(Box<command::gate::Gate>),
    /// Imports a report of another tool, bound to a bundle.
    Import(command::import::Import),
    /// Puts a canary's plan, its start or what it came to on record.
    #[command(subcommand)]
    Canary(command::canary::Canary),
    /// Takes a route's orders beside the runtime: fetches, verifies, switches, checks, goes back.
    DeployAgent(command::deploy_agent::DeployAgent),
    /// Shows the orders of a route and what came of them.
    #[command(subcommand)]
    Rollback(command::rollback::Rollback),
    /// Shows the agent, its server and its outbox.
    Status(command::status::Status),
    /// Packs the evidence about a run, a bundle or a route into one file that verifies offline.
    Pack(command::pack::Pack),
    /// Verifies an evidence pack or a proof file offline, or an entry of a log.
    Verify(command::verify::Verify),
    /// Audits a log: that it only grows, and that everything in it is what was signed.
    Audit(command::audit::Audit),
    /// Lists runs, the newest first.
    Runs(command::runs::Runs),
    /// Shows a run: how it ended and why, facts, phases, cancel, files, advice.
    Show(command::show::Show),
    /// Compares runs: may their times be ranked, and what differs?
    Compare(command::compare::Compare),
    /// Opens the portal's page of a run, a route or a digest.
    Open(command::open::Open),
    /// Prints the completions for a shell.
    Completions(command::completions::Completions),
    /// Writes the manual pages, one a command.
    Man(command::man::Man),
    /// Builds what a supervisor orders.
    #[command(name = crate::builder::process::WORKER_COMMAND, hide = true)]
    Worker,
    /// Says which TensorRT is here.
    #[command(name = crate::builder::probe::PROBE_COMMAND, hide = true)]
    Library {
        /// The library's file, or the folder that it is in.
        library: Option<PathBuf>,
    },
    /// Measures what a callback costs here.
    #[command(name = "__callback-cost", hide = true)]
    CallbackCost,
}

#[cfg(test)]
mod tests {
    use acta_tests::command_line::{Leaf, leaves};
    use clap::CommandFactory as _;

    use super::*;

    /// Commands that print no object, and why.
    const WITHOUT_JSON: [(&str, &str); 3] = [
        ("completions", "it prints a script"),
        ("man", "it writes files"),
        ("deploy-agent", "it runs until it is stopped; what it does is in the log"),
    ];

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        let help = Cli::command().render_long_help().to_string();
        assert!(help.contains("not yet pushed") && !help.contains("__worker"), "{help}");
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
