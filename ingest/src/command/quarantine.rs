//! `acta quarantine`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use uuid::Uuid;

use crate::{
    error::{CliError, Exit, Result},
    home::Home,
    outbox,
    quarantine::{Manifest, Quarantine},
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
Unfinished plans (with --on-partial quarantine) and timing caches that cannot be vouched for are set apart
in ACTA_HOME, each with a manifest: what, from where, which digest, of which run, why, when. Nothing goes
from there by itself.

Examples:
  acta quarantine list
  acta quarantine restore 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --to /tmp/half.plan
  acta quarantine purge 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --yes
  acta quarantine purge --all --yes";

/// Shows what was set apart, gives it back, or removes it.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum QuarantineCommand {
    /// Lists what is set apart.
    #[command(after_help = EXAMPLES)]
    List(List),
    /// Gives a file back; never over something that stands there.
    #[command(after_help = EXAMPLES)]
    Restore(Restore),
    /// Removes items for good.
    #[command(after_help = EXAMPLES)]
    Purge(Purge),
}

/// Lists.
#[derive(Debug, Args)]
pub struct List {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Gives back.
#[derive(Debug, Args)]
pub struct Restore {
    /// The item's id.
    #[arg(value_name = "ID")]
    pub id: String,

    /// Where to; else to where it stood.
    #[arg(long, value_name = "PATH")]
    pub to: Option<PathBuf>,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Removes.
#[derive(Debug, Args)]
pub struct Purge {
    /// The items' ids.
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    pub ids: Vec<String>,

    /// Everything that is set apart.
    #[arg(long)]
    pub all: bool,

    /// Does it; without this it only says what would go.
    #[arg(long)]
    pub yes: bool,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl QuarantineCommand {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let quarantine = Quarantine::new(home);
        quarantine.finish_interrupted()?;
        match self {
            Self::List(command) => command.run(&quarantine, ui),
            Self::Restore(command) => command.run(&quarantine, ui),
            Self::Purge(command) => command.run(&quarantine, ui),
        }
    }

    /// Whether it prints JSON.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::List(command) => command.json,
            Self::Restore(command) => command.json,
            Self::Purge(command) => command.json,
        }
    }
}

impl List {
    fn run(&self, quarantine: &Quarantine, ui: Ui) -> Result<Exit> {
        let items = quarantine.list()?;
        if self.json {
            ui.result(&outbox::to_text(&json!({ "items": items }))?);
        } else if items.is_empty() {
            ui.notice("nothing is set apart");
        }
        if !self.json {
            items.iter().for_each(|item| ui.result(&line(item)));
        }
        Ok(Exit::Completed)
    }
}

impl Restore {
    fn run(&self, quarantine: &Quarantine, ui: Ui) -> Result<Exit> {
        let manifest = quarantine.read(parse_id(&self.id)?)?;
        let to = quarantine.restore(&manifest, self.to.as_deref())?;
        if self.json {
            ui.result(&json!({ "restored": manifest, "to": to.display().to_string() }).to_string());
        } else {
            ui.result(&format!("restored to {}", visible_line(&to.display().to_string())));
            ui.notice("it was set apart for a reason: do not take it for a good one unchecked");
        }
        Ok(Exit::Completed)
    }
}

impl Purge {
    fn run(&self, quarantine: &Quarantine, ui: Ui) -> Result<Exit> {
        let items: Vec<Manifest> = if self.all {
            quarantine.list()?
        } else {
            let ids = self.ids.iter().map(|id| parse_id(id)).collect::<Result<Vec<_>>>()?;
            ids.into_iter().map(|id| quarantine.read(id)).collect::<Result<_>>()?
        };
        if !self.yes {
            items.iter().for_each(|item| ui.notice(&line(item)));
            return Err(CliError::usage("nothing was removed: this cannot be undone")
                .field("--yes")
                .found(format!("{} items would go", items.len()))
                .help("say --yes to remove them"));
        }
        for item in &items {
            quarantine.purge(item.id)?;
        }
        if self.json {
            ui.result(&json!({ "purged": items }).to_string());
        } else {
            ui.result(&format!("{} removed", items.len()));
        }
        Ok(Exit::Completed)
    }
}

fn parse_id(text: &str) -> Result<Uuid> {
    text.parse().map_err(|_| {
        CliError::usage("this is no item's id")
            .field("ID")
            .found(text)
            .expected("an id as `acta quarantine list` shows it")
    })
}

fn line(item: &Manifest) -> String {
    format!(
        "{}  {}  {:>12} bytes  sha256 {}  {}\n    {}",
        item.id,
        item.at,
        item.bytes,
        item.digest.short(),
        visible_line(&item.from.display().to_string()),
        visible_line(&item.detail)
    )
}
