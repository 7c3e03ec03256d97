//! Orphans: runs whose supervisor died before it could sign. The next start of the agent says what became of them.
//!
//! | the supervisor of a build died | what is found | what is done |
//! |---|---|---|
//! | before the partial file | a journal | signed as `crashed`, nothing to clean |
//! | while the build ran | a partial file (the worker removes an empty one) | removed or set apart, signed as `crashed` |
//! | after the plan's rename | the plan, known by the partial file's identity | kept and named in the evidence |
//! | after the evidence was signed | an item of this run in the outbox | the journal goes, nothing is signed twice |
//!
//! | the supervisor of a command died | what is found | what is done |
//! |---|---|---|
//! | before the command | a journal without an inventory | signed as `crashed`, nothing to clean |
//! | while it ran | what it started, and the files that it made so far | stopped and set apart, signed as `crashed` |
//! | after its end | files that it made: nobody saw how it ended | set apart, signed as `crashed` |
//! | after the evidence was signed | an item of this run in the outbox | the journal goes, nothing is signed twice |
//!
//! The event log stands on disk while it is written; the phases of an orphan are read back from it.

mod build;
mod command;

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::PathBuf,
};

use acta_ledger::{
    evidence::{
        artifact::Artifact,
        build::FailureStage,
        event::{EventKind, ProgressEvent},
        number::Count64,
        phase_tree::{PHASE_TREE_MEDIA_TYPE, counters::Counters},
    },
    log::{digest::Sha256Digest, statement::Statement},
};
use serde::Serialize;
use uuid::Uuid;

use crate::{
    blob::{self, BlobStore},
    builder::{
        cancel::Cancel,
        gpu, host,
        process::Tail,
        protocol::{LogSeverity, Milestone, Name, Report},
        record::{self, Record, ToldFailure},
        summary::{self, Context, Findings},
        supervisor::Watched,
    },
    chain,
    clock::{self, Epoch},
    command::attempt::finish_tree,
    error::{CliError, Result},
    history,
    home::Home,
    job::Job,
    journal::{self, Found, LiveNote, Orphan},
    outbox::{Outbox, Shelf},
    runs::RunNote,
    ui::Ui,
};

/// How much of an orphan's event log is read back.
const MAX_EVENT_BYTES: u64 = 256 << 20;

/// How many of the newest statements are searched for one that tells about an orphan already.
const RECENT: usize = 200;

/// An orphan that was found, and what was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovered {
    /// The run.
    pub run: Uuid,
    /// The entry that tells about it.
    pub entry: Sha256Digest,
    /// What became of its files.
    pub artifacts: Vec<Artifact>,
}

/// What came of looking at one.
enum Adopted {
    /// It is signed now.
    Signed(Recovered),
    /// It was signed before.
    Before,
    /// Something of it does not end: it is looked at next time.
    Haunted(String),
}

/// What is still known of a run, before its logs are closed.
struct Seen<'a> {
    orphan: &'a Orphan,
    /// What its supervisor saw last, if that was in this boot of the machine.
    live: Option<&'a LiveNote>,
    record: Record,
    /// What is said of its end, a line each.
    said: Vec<String>,
    /// Its last sign of life.
    ended_ns: u64,
}

/// Looks for orphans, cleans up after them and signs that they crashed. What it cannot do it says, and leaves for the
/// next time.
pub fn recover(home: &Home, ui: Ui) -> Result<Vec<Recovered>> {
    let _looking = home.lock_journal()?;
    journal::tidy(home).map_err(|error| CliError::io("tidy up", &home.journal(), &error))?;
    let mut recovered = Vec::new();
    for found in journal::look(home)? {
        match found {
            Found::Running(..) => {}
            Found::Haunted(run) => {
                ui.warning(&format!(
                    "the supervisor of run {run} died and its worker is still there: it is looked at next time"
                ));
            }
            Found::Damaged(run, error) => ui.warning(&format!("the journal of run {run}: {error}")),
            Found::Orphan(orphan) => {
                let run = orphan.note.run.id;
                match adopt(home, &orphan) {
                    Ok(Adopted::Signed(one)) => {
                        ui.warning(&format!(
                            "run {run} had lost its supervisor: cleaned up and recorded as crashed, entry {}",
                            one.entry.short()
                        ));
                        recovered.push(one);
                    }
                    Ok(Adopted::Before) => {}
                    Ok(Adopted::Haunted(what)) => ui.warning(&format!(
                        "the supervisor of run {run} died and this is still there: {what}; it is looked at next time"
                    )),
                    Err(error) => ui.warning(&format!("run {run} had lost its supervisor, and {error}")),
                }
            }
        }
    }
    Ok(recovered)
}

/// Cleans up after one orphan and signs it, unless it was signed before.
fn adopt(home: &Home, orphan: &Orphan) -> Result<Adopted> {
    let note = &orphan.note;
    let run = note.run.id;
    let signed = is_signed(home, run)?;
    let adopted = match &note.job {
        Job::Build { order } => {
            let left = build::clean(home, note, order);
            if signed {
                Adopted::Before
            } else {
                let mut seen = Seen::gather(home, orphan)?;
                build::say(&mut seen, order);
                let findings = |watched: &Watched| left.findings(watched, orphan, order);
                Adopted::Signed(sign(home, seen, findings)?)
            }
        }
        Job::Command { command } => {
            let stopped = command::stop(orphan);
            if !stopped.still.is_empty() {
                return Ok(Adopted::Haunted(stopped.still.join(", ")));
            }
            if signed {
                Adopted::Before
            } else {
                let mut seen = Seen::gather(home, orphan)?;
                let left = command::clean(home, &mut seen, command, &stopped)?;
                Adopted::Signed(sign(home, seen, |watched| left.findings(watched, command))?)
            }
        }
    };
    for leftover in record::leftovers(&home.blobs(), run) {
        fs::remove_file(leftover).ok();
    }
    journal::remove(home, run)?;
    Ok(adopted)
}

/// Whether the run's evidence is in the outbox, or was.
fn is_signed(home: &Home, run: Uuid) -> Result<bool> {
    if RunNote::exists(home, run) {
        return Ok(true);
    }
    let outbox = Outbox::new(home);
    for shelf in [Shelf::Waiting, Shelf::Sent, Shelf::Refused] {
        for name in outbox.names(shelf)?.iter().rev().take(RECENT) {
            if outbox.read(shelf, name)?.run == Some(run) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn disk(error: &io::Error) -> CliError {
    CliError::failure("its evidence cannot be written to disk").found(error.to_string())
}

/// Signs what is known of it.
fn sign(home: &Home, seen: Seen<'_>, findings: impl FnOnce(&Watched) -> Findings) -> Result<Recovered> {
    let note = &seen.orphan.note;
    let blobs = BlobStore::new(home.blobs());
    let ended_ns = seen.ended_ns;
    let watched = seen.close(&blobs).map_err(|error| disk(&error))?;
    let tree = finish_tree(&watched);
    let tree_blob = match &tree {
        None => None,
        Some(tree) => {
            let bytes = serde_json::to_vec(tree).map_err(|error| disk(&error.into()))?;
            Some(blobs.put(&bytes, PHASE_TREE_MEDIA_TYPE).map_err(|error| disk(&error))?)
        }
    };
    let findings = findings(&watched);
    let context = Context {
        run: note.run.clone(),
        epoch: Epoch::of(note.started_at, note.began_ns),
        began_ns: note.began_ns,
        // The last sign of life: how long it lay there until somebody looked says nothing about the build.
        cleaned_ns: ended_ns,
        now_ns: ended_ns,
        host: host::record(watched.gpu.as_ref()),
        gpu: watched.gpu.as_ref().map(|facts| facts.gpu.clone()),
        tree: tree.as_ref().zip(tree_blob.as_ref()).map(|(tree, blob)| (tree, blob.digest, blob.bytes)),
        command_line: note.command_line.clone(),
        purpose: note.purpose,
        command_digest: note.job.command_digest(&note.cwd),
        who: note.who.clone(),
    };
    let names: Vec<Sha256Digest> = tree_blob
        .iter()
        .map(|blob| blob.digest)
        .chain(watched.blobs.events.iter().chain(&watched.blobs.log).map(|blob| blob.digest))
        .collect();
    let mut signed = None;
    let sealed = chain::seal(home, Some(note.run.id), names, |link| {
        let mut summary = summary::summarize(&watched, findings, &context, link);
        if let Some(failure) = &mut summary.failure {
            "the supervisor died before it could sign: killed, out of memory, or a power loss"
                .clone_into(&mut failure.message);
            failure.records.truncate(19);
            failure.records.push(format!("found by the next start of the agent at {}", clock::now()));
        }
        history::decide(home, &mut summary, tree.as_ref());
        let statement = Statement::new(summary::subjects(&summary), &summary).map_err(|error| {
            CliError::failure("the summary cannot be written as canonical JSON").found(error.to_string())
        })?;
        signed = Some(summary);
        Ok(statement)
    })?;
    let summary = signed.ok_or_else(|| CliError::failure("nothing was signed"))?;
    RunNote::of(&summary, sealed.digest).with_job_in(&note.job, &note.cwd).save(home)?;
    Ok(Recovered { run: note.run.id, entry: sealed.digest, artifacts: summary.artifacts })
}

impl<'a> Seen<'a> {
    /// Reads back what the supervisor noted and what is left of the event log.
    fn gather(home: &Home, orphan: &'a Orphan) -> Result<Self> {
        let blobs = BlobStore::new(home.blobs());
        let run = orphan.note.run.id;
        let live = orphan.live();
        let ended_ns = live.map_or(orphan.note.began_ns, |live| live.at_ns);
        let record = Record::new(run, &blobs).map_err(|error| disk(&error))?;
        let mut seen = Self { orphan, live, record, said: Vec::new(), ended_ns };
        if let Some(live) = live {
            seen.recall(live, &record::leftover_events(blobs.root(), run)).map_err(|error| disk(&error))?;
        }
        Ok(seen)
    }

    fn recall(&mut self, live: &LiveNote, events: &PathBuf) -> io::Result<()> {
        if let Some(library) = &live.library {
            self.record.take(library.clone())?;
        }
        self.record.network.clone_from(&live.network);
        if let Some(told) = &live.told {
            self.record.told = told.clone();
        }
        if live.callbacks > 0 {
            let path: Vec<&str> = live.open.iter().map(|phase| phase.name.as_str()).collect();
            let open = path.join(" > ");
            self.said.push(format!("{} callbacks; open at the last look: {open}", live.callbacks));
        }
        if let Some(at) = live.build_began_ns {
            self.record.take(Report::Milestone { milestone: Milestone::BuildBegins, at: Count64(at) })?;
            replay(&mut self.record, events, at)?;
        }
        if let Some(cancel) = live.cancel {
            let mut known = Cancel::new(cancel.source, "as the supervisor noted it", cancel.requested_ns);
            known.acknowledged_ns = cancel.acknowledged_ns;
            self.record.cancel = Some(known);
        }
        Ok(())
    }

    /// Closes the logs: nothing more is said.
    fn close(self, blobs: &BlobStore) -> io::Result<Watched> {
        let Self { orphan, live, mut record, said, ended_ns } = self;
        record.failure = Some(ToldFailure {
            stage: FailureStage::Worker,
            message: "the supervisor died".to_owned(),
            records: said,
        });
        record.note(LogSeverity::Error, "the supervisor died before it could sign", ended_ns)?;
        let run_blobs = record.close(&Tail::default(), ended_ns, blobs)?;
        let digests = record.library.as_ref().and_then(|library| {
            let digest = |path: &str| blob::digest_file(path.as_ref()).ok().map(|(digest, _)| digest);
            Some((digest(&library.path)?, library.parser_path.as_deref().and_then(digest)))
        });
        Ok(Watched {
            record,
            blobs: run_blobs,
            resources: live.map(|live| live.resources).unwrap_or_default(),
            counters: Counters::new(1),
            // The same boot: the same machine.
            gpu: live.and_then(|_| gpu::look()),
            status: None,
            killed: false,
            interrupted: false,
            is_worker: matches!(orphan.note.job, Job::Build { .. }),
            tail: Tail::default(),
            ended_ns,
            library_digests: digests,
        })
    }
}

/// Tells the events of a log that was cut off to the record, as if they happened again.
fn replay(record: &mut Record, events: &PathBuf, began_ns: u64) -> io::Result<()> {
    let file = match fs::File::open(events) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let mut names: Vec<String> = Vec::new();
    for line in BufReader::new(file.take(MAX_EVENT_BYTES)).split(b'\n') {
        // The last line may be half a line.
        let Ok(event) = serde_json::from_slice::<ProgressEvent>(&line?) else { break };
        let name = |text: &str| Name { bytes: text.as_bytes().to_vec(), digest: None };
        let at = Count64(began_ns.saturating_add(event.at.0));
        let (thread, cancel) = (event.thread, event.cancel_state);
        let progress = event.progress.unwrap_or(acta_ledger::evidence::event::Progress { step: 0, steps: 1 });
        if event.event == EventKind::Start && event.phase_id == u32::try_from(names.len()).ok() {
            names.push(event.display_name.clone());
        }
        let parent = event.parent_id.and_then(|id| names.get(id as usize)).map(|text| name(text));
        let shown = name(&event.display_name);
        record.take(match event.event {
            EventKind::Start => {
                Report::Start { name: shown, parent, steps: progress.steps, at, thread, cancel }
            }
            EventKind::Step => {
                Report::Step { name: shown, step: progress.step, stop: false, at, thread, cancel }
            }
            EventKind::Finish => Report::Finish { name: shown, at, thread, cancel },
        })?;
    }
    Ok(())
}
