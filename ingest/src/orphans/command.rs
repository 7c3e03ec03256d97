//! Commands under watch that lost their supervisor.

use acta_ledger::evidence::artifact::{Artifact, CleanupStatus, Disposition};
use serde_json::Value;

use super::{Seen, disk};
use crate::{
    builder::{
        external::{
            inventory::{Changes, Settled},
            left::{self, Stopped},
            order::{CommandOrder, inputs},
            summary::{self, Ran},
            timing::TimingFile,
        },
        protocol::LogSeverity,
        summary::Findings,
        supervisor::Watched,
        worker_summary::ModelFiles,
    },
    command::build::model_files,
    error::Result,
    home::Home,
    journal::Orphan,
    quarantine::{Quarantine, Why},
};

/// What became of its files, and what it said in files.
pub struct Left {
    settled: Settled,
    problem: Option<String>,
    model: Option<(String, ModelFiles)>,
    timing: Option<Value>,
}

/// Stops what is left of it: nobody will say any more whether what it makes is whole.
pub fn stop(orphan: &Orphan) -> Stopped {
    let session = orphan.note.scene.as_ref().and_then(|scene| scene.session);
    left::stop(orphan.note.run.id, session, orphan.live().and_then(|live| live.process))
}

/// Sets apart what it made, takes in the times that it wrote, and says what was done.
pub fn clean(home: &Home, seen: &mut Seen<'_>, command: &CommandOrder, stopped: &Stopped) -> Result<Left> {
    let note = &seen.orphan.note;
    let (run, quarantine) = (note.run.id, Quarantine::new(home));
    let mut changes = Changes::default();
    let mut timing = None;
    match &note.scene {
        None => seen.said.push("the command had not been started".to_owned()),
        Some(scene) => {
            let inventory = scene.inventory.clone().in_folder(note.cwd.clone());
            changes = inventory.changes(&seen.record.told.artifacts, note.started_at.unix_ms());
            if let Some(file) = command.build_timing.as_deref().filter(|_| seen.live.is_some()) {
                let mut file = TimingFile::of_orphan(note.path(file), scene.build_timing, note.began_ns);
                file.look();
                if seen.record.tree.callbacks() == 0 {
                    for report in file.reports() {
                        seen.record.take(report).map_err(|error| disk(&error))?;
                    }
                }
                timing = Some(file.report());
            }
        }
    }
    let problem = changes.problem.clone();
    // An earlier look at this orphan, or the supervisor itself, may have set some apart and died then.
    let before: Vec<Artifact> = quarantine
        .list()?
        .into_iter()
        .filter(|held| held.run == Some(run))
        .map(|held| Artifact {
            name: held.from.strip_prefix(&note.cwd).unwrap_or(&held.from).display().to_string(),
            kind: held.kind,
            bytes: held.bytes,
            digest: Some(held.digest),
            disposition: Disposition::Quarantined,
            media_type: None,
            digest_before: None,
        })
        .collect();
    let mut settled = changes.settle(Some(Why::Orphaned), run, &quarantine);
    if !before.is_empty() && settled.status == CleanupStatus::NotNeeded {
        settled.status = CleanupStatus::Quarantined;
    }
    settled.artifacts.splice(0..0, before);
    for (what, processes) in
        [("stopped what was left of it", &stopped.ended), ("left in a session of its own", &stopped.away)]
    {
        if !processes.is_empty() {
            seen.said.push(format!("{what}: {}", processes.join(", ")));
        }
    }
    for line in seen.said.iter().chain(&settled.lines) {
        seen.record.note(LogSeverity::Info, line, seen.ended_ns).map_err(|error| disk(&error))?;
    }
    let model = command.model.as_ref().and_then(|path| {
        let files = model_files(&note.path(path)).ok()?;
        // Another model than the command was given says nothing about it.
        (Some(inputs(&files)) == command.inputs).then(|| (path.clone(), files))
    });
    Ok(Left { settled, problem, model, timing })
}

impl Left {
    /// Judges and gathers.
    pub fn findings(self, watched: &Watched, command: &CommandOrder) -> Findings {
        let outcome = summary::outcome_of(watched, Default::default());
        let ran = Ran {
            command: &command.command,
            model: self.model.as_ref().map(|(path, files)| (path.as_str(), files)),
            problem: self.problem,
            settled: self.settled,
            patterns: &command.artifacts,
            timing: self.timing,
        };
        summary::findings(watched, outcome, ran)
    }
}
