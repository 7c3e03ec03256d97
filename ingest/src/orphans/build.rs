//! Builds of this agent's own worker that lost their supervisor.

use std::{fs, path::Path};

use acta_ledger::log::digest::Sha256Digest;

use super::Seen;
use crate::{
    blob,
    builder::{
        artifact::{Cleaned, Destination},
        protocol::BuildOrder,
        summary::Findings,
        supervisor::Watched,
        weights,
        worker_summary::{self, ModelFiles, Ordered},
    },
    home::Home,
    journal::{FileId, JournalNote, LiveNote, Orphan},
};

/// What became of its files.
pub struct Left {
    cleaned: Cleaned,
    /// The plan, where it got its name.
    plan: Option<(Sha256Digest, u64)>,
}

/// Removes the partial file or sets it apart, and looks whether the plan got its name.
pub fn clean(home: &Home, note: &JournalNote, order: &BuildOrder) -> Left {
    let output = note.path(&order.output);
    let destination = Destination::found(&output, &note.path(&order.partial));
    // Before the partial file was made there is no name of one.
    let made = !order.partial.is_empty();
    let renamed = note.partial.is_some() && FileId::of(&output) == note.partial;
    let cleaned =
        if made { destination.clean(note.on_partial, home, note.run.id) } else { Cleaned::nothing() };
    let plan = if renamed { blob::digest_file(&output).ok() } else { None };
    Left { cleaned, plan }
}

/// Says what can no longer be known of the model.
pub fn say(seen: &mut Seen<'_>, order: &BuildOrder) {
    let parsed = seen.live.is_some_and(|live| live.network.is_some());
    if !parsed && fs::metadata(seen.orphan.note.path(&order.model)).is_err() {
        seen.said.push("the model can no longer be read: its digest here is that of no bytes".to_owned());
    }
}

impl Left {
    /// Judges and gathers.
    pub fn findings(&self, watched: &Watched, orphan: &Orphan, order: &BuildOrder) -> Findings {
        let model = model_files(&orphan.note.path(&order.model), orphan.live());
        let (cleaned, plan) = (&self.cleaned, self.plan);
        worker_summary::findings(watched, &Ordered { order, model: &model, cleaned, plan, cache: None })
    }
}

/// The model, as the parser got it, else as it is now.
fn model_files(model: &Path, live: Option<&LiveNote>) -> ModelFiles {
    let parsed = live.and_then(|live| live.network.as_ref()).map(|network| (network.digest, network.bytes));
    let now = || blob::digest_file(model).unwrap_or_else(|_| (Sha256Digest::of(b""), 0));
    let (digest, bytes) = parsed.unwrap_or_else(now);
    ModelFiles { digest, bytes, weights: weights::external(model) }
}
