//! `acta push`

use clap::Args;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    chain::Sealed,
    error::{CliError, Exit, Result},
    home::Home,
    outbox::Outbox,
    push::{self, Drained},
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Offers every statement that waits to the server, in order, with the blobs that it names. A statement counts
as sent only when the log's receipt verifies: inclusion under a tree head that the pinned key signed and
that agrees with the last one seen. Pushing twice changes nothing; a server that is down loses nothing.

Examples:
  acta push
  acta push --json";

/// Pushes the evidence that waits.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Push {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Push {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let facts = ServerFacts::require(home)?;
        let drained = push::drain(home, &facts)?;
        tell(&drained, ui);
        if self.json {
            let sent = drained.sent.iter().map(
                |sent| json!({ "run": sent.run, "envelopeDigest": sent.digest, "entryIndex": sent.index }),
            );
            let refused = drained.refused.iter().map(|(item, refusal)| {
                json!({ "run": item.run, "envelopeDigest": item.digest, "status": refusal.status,
                    "reason": refusal.reason })
            });
            let object = json!({
                "sent": sent.collect::<Vec<_>>(),
                "refused": refused.collect::<Vec<_>>(),
                "waiting": drained.waiting,
            });
            ui.result(&object.to_string());
        } else {
            for sent in &drained.sent {
                ui.result(&format!("entry {}  {}", sent.index, sent.digest));
            }
            if drained.sent.is_empty() && drained.stopped.is_none() && drained.refused.is_empty() {
                ui.notice("nothing waits");
            }
        }
        Ok(match drained.stopped {
            Some(_) => Exit::NotPushed,
            None if drained.refused.is_empty() => Exit::Completed,
            None => Exit::Failure,
        })
    }
}

/// Tells what did not get through.
pub fn tell(drained: &Drained, ui: Ui) {
    for (item, refusal) in &drained.refused {
        ui.warning(&format!(
            "statement {} was refused and set apart in `refused`: {}",
            item.sequence, refusal.reason
        ));
    }
    if let Some(error) = &drained.stopped {
        ui.warning(&format!("{error}\n  still waiting: {}", drained.waiting));
    }
}

/// What became of one statement.
pub enum Pushed {
    /// Nobody asked for a push, or there is no server.
    NotAsked,
    /// It waits in the outbox.
    Waits,
    /// The log holds it at this index.
    At(u64),
}

/// Pushes; Ctrl-C and SIGTERM stop waiting for the server, and the evidence waits.
pub fn push_now(home: &Home, facts: ServerFacts, sealed: &Sealed, ui: Ui) -> Pushed {
    let Ok(runtime) = runtime() else { return Pushed::Waits };
    let outbox = Outbox::new(home);
    let home = home.clone();
    let drained = runtime.block_on(async {
        let pushing = tokio::task::spawn_blocking(move || push::drain(&home, &facts));
        let mut terminate = signal(SignalKind::terminate()).ok();
        let terminated = async {
            match &mut terminate {
                Some(terminate) => drop(terminate.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            drained = pushing => drained.ok(),
            _ = tokio::signal::ctrl_c() => None,
            () = terminated => None,
        }
    });
    runtime.shutdown_background();
    match drained {
        Some(Ok(drained)) => {
            tell(&drained, ui);
            // By the receipt: another process may have pushed it while this one waited for its turn.
            match outbox.receipt(sealed.link.sequence, &sealed.digest) {
                Ok(Some(receipt)) => {
                    ui.notice(&format!("acta: pushed, entry {}", receipt.index));
                    Pushed::At(receipt.index)
                }
                _ => Pushed::Waits,
            }
        }
        Some(Err(error)) => {
            ui.warning(&error.to_string());
            Pushed::Waits
        }
        None => {
            ui.warning("the push was interrupted; the evidence waits in the outbox for `acta push`");
            Pushed::Waits
        }
    }
}

/// An event loop of its own, for a command that waits for more than one thing.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        CliError::failure("the program cannot start its event loop").found(error.to_string())
    })
}
