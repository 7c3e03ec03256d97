//! `acta route`

pub mod new;
pub mod observe;
pub mod show;

use clap::Subcommand;

use crate::{
    error::{Exit, Result},
    home::Home,
    ui::Ui,
};

/// What can be done with a route.
#[derive(Debug, Subcommand)]
#[command(
    after_help = "Examples:\n  acta route new tiny-qwen2 --checkpoint acme/tiny-qwen2 --revision 8f2c... --runtime-target \
                        native_cpp_task_api_on_nvidia_h200 --policy policy.toml\n  acta route show tiny-qwen2 --json"
)]
pub enum Route {
    /// Sets up a route, or changes how it is set up.
    New(new::New),
    /// Puts pinned facts on record that are others beside the runtime.
    Observe(observe::Observe),
    /// Shows a route's record.
    Show(show::Show),
}

impl Route {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        match self {
            Self::New(command) => command.run(home, ui),
            Self::Observe(command) => command.run(home, ui),
            Self::Show(command) => command.run(home, ui),
        }
    }

    /// Whether it prints one JSON object, also of an error.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::New(command) => command.json,
            Self::Observe(command) => command.json,
            Self::Show(command) => command.json,
        }
    }
}
