//! What is signed of an attempt: how it is told, and how it is written as files.

use std::{fs, path::Path};

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, Disposition},
        build::{BuildSummary, Outcome},
        phase_tree::PhaseTree,
    },
    judge::advice::DIAGNOSIS,
};

use crate::{
    blob::BlobStore,
    chain::Sealed,
    command::advise::words,
    durable,
    error::{CliError, Result},
    outbox,
    ui::{Ui, harmless},
};

/// How many files are named when the attempt has ended; the summary names more.
const MAX_TOLD: usize = 4;

/// What is signed, and what goes along.
pub struct Signed {
    /// The summary.
    pub summary: BuildSummary,
    /// Its entry.
    pub sealed: Sealed,
    pub(super) tree: Option<PhaseTree>,
    /// The tree at the cancel's request and at its acknowledgement.
    pub(super) snapshots: [Option<PhaseTree>; 2],
    /// The attempt before stopped in the same phase.
    pub(super) stopped_twice: bool,
}

/// The files that `--evidence-dir` may hold.
const EVIDENCE_FILES: [&str; 7] = [
    "summary.json",
    "envelope.json",
    "phase-tree.json",
    "snapshot-at-request.json",
    "snapshot-at-acknowledgement.json",
    "events.ndjson",
    "log.ndjson",
];

impl Signed {
    /// Tells how it ended.
    pub(super) fn tell(&self, ui: Ui) {
        let summary = &self.summary;
        let what = match summary.outcome {
            Outcome::Completed => ui.paint("completed", 32),
            Outcome::CancelRequestedButCompleted => {
                ui.paint("completed, although a cancel was requested", 33)
            }
            Outcome::Cancelled => ui.paint("cancelled", 33),
            Outcome::Failed => ui.paint("failed", 31),
            Outcome::Crashed => ui.paint("crashed", 31),
            Outcome::Killed => ui.paint("killed", 31),
        };
        let mut lines = vec![format!("acta: {what} in {:.0} ms", summary.duration_ms.total)];
        for made in summary.artifacts.iter().filter(|artifact| artifact.is_product()).take(MAX_TOLD) {
            let kind = if made.kind == ArtifactKind::Bundle { "bundle" } else { "plan" };
            let digest = made.digest.map_or_else(String::new, |digest| digest.short());
            let name = harmless(&made.name);
            lines.push(format!("      {kind:<9} {name} ({} bytes, sha256 {digest})", made.bytes));
        }
        let aside = |artifact: &&Artifact| artifact.disposition == Disposition::Quarantined;
        for artifact in summary.artifacts.iter().filter(aside).take(MAX_TOLD) {
            lines.push(format!("      set apart {}", harmless(&artifact.name)));
        }
        if let Some(cancel) = &summary.cancel {
            lines.push(match (cancel.request_to_ack_ms, cancel.censored_after_ms) {
                (Some(latency), _) => format!("      cancel    acknowledged after {latency:.1} ms"),
                (None, Some(censored)) => format!("      cancel    not acknowledged within {censored:.1} ms"),
                (None, None) => "      cancel    requested".to_owned(),
            });
        }
        for deferral in summary.cancel.iter().flat_map(|cancel| &cancel.deferrals) {
            let held = words::window(deferral.window);
            lines.push(format!("      held      {:.1} ms: {held}", deferral.deferred_ms));
        }
        if let Some(failure) = &summary.failure {
            lines.push(format!("      because   {}", harmless(&failure.message)));
            lines.extend(
                failure.records.iter().take(3).map(|record| format!("                {}", harmless(record))),
            );
        }
        lines.push(format!("      evidence  entry {}", self.sealed.digest.short()));
        if self.stopped_twice {
            lines.push("      next      it stopped in the same phase as the attempt before:".to_owned());
            let steps = DIAGNOSIS.iter().map(|step| format!("                - {}", words::step(*step)));
            lines.extend(steps);
        }
        ui.notice(&lines.join("\n"));
    }

    /// Writes everything as files, for whoever collects a build's artifacts.
    pub(super) fn write_files(&self, folder: &Path, blobs: &BlobStore) -> Result<()> {
        // Files of an earlier run would be taken for this one's.
        for name in EVIDENCE_FILES {
            fs::remove_file(folder.join(name)).ok();
        }
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            durable::write(&path, bytes, 0o644).map_err(|error| CliError::io("write", &path, &error))
        };
        write("summary.json", &outbox::to_json(&self.summary)?)?;
        write("envelope.json", &self.sealed.envelope)?;
        if let Some(tree) = &self.tree {
            write("phase-tree.json", &outbox::to_json(tree)?)?;
        }
        let names = ["snapshot-at-request.json", "snapshot-at-acknowledgement.json"];
        for (name, snapshot) in names.into_iter().zip(&self.snapshots) {
            if let Some(snapshot) = snapshot {
                write(name, &outbox::to_json(snapshot)?)?;
            }
        }
        for (name, blob) in [("events.ndjson", &self.summary.events), ("log.ndjson", &self.summary.log)] {
            if let Some(blob) = blob {
                let from = blobs.path(&blob.digest);
                write(name, &fs::read(&from).map_err(|error| CliError::io("read", &from, &error))?)?;
            }
        }
        Ok(())
    }
}
