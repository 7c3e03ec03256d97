//! `acta push`

use clap::Args;
use serde_json::json;

use crate::{
    error::{Exit, Result},
    home::Home,
    push::{self, Drained},
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Offers every statement that waits to the server, in order, with the blobs that it names. A statement counts as sent
only when the log's receipt verifies: inclusion under a tree head that the pinned key signed and that agrees with the
last one seen. Pushing twice changes nothing; a server that is down loses nothing.

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
