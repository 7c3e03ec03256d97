//! Orphans: runs whose supervisor died before it could sign. The next start of the agent says what became of them.
//!
//! | the supervisor died | what is found | what is done |
//! |---|---|---|
//! | before the partial file | a journal | signed as `crashed`, nothing to clean |
//! | while the build ran | a partial file (the worker removes an empty one) | removed or set apart, signed as `crashed` |
//! | after the plan's rename | the plan, known by the partial file's identity | kept and named in the evidence |
//! | after the evidence was signed | an item of this run in the outbox | the journal goes, nothing is signed twice |
//!
//! The event log stands on disk while it is written; the phases of an orphan are read back from it.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
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
        artifact::{Cleaned, Destination},
        cancel::Cancel,
        gpu, host,
        process::Tail,
        protocol::{LogSeverity, Milestone, Name, Report},
        record::{self, Record, ToldFailure},
        summary::{self, Context},
        supervisor::Watched,
        weights,
        worker_summary::{self, ModelFiles, Ordered},
    },
    chain,
    clock::{self, Epoch},
    command::attempt::finish_tree,
    error::{CliError, Result},
    history,
    home::Home,
    journal::{self, FileId, Found, LiveNote, Orphan},
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
                    Ok(Some(one)) => {
                        ui.warning(&format!(
                            "run {run} had lost its supervisor: cleaned up and recorded as crashed, entry {}",
                            one.entry.short()
                        ));
                        recovered.push(one);
                    }
                    Ok(None) => {}
                    Err(error) => ui.warning(&format!("run {run} had lost its supervisor, and {error}")),
                }
            }
        }
    }
    Ok(recovered)
}

/// Cleans up after one orphan and signs it; none if it was signed before.
fn adopt(home: &Home, orphan: &Orphan) -> Result<Option<Recovered>> {
    let note = &orphan.note;
    let run = note.run.id;
    let partial = note.path(&note.order.partial);
    let output = note.path(&note.order.output);
    let destination = Destination::found(&output, &partial);
    // Before the partial file was made there is no name of one.
    let made = !note.order.partial.is_empty();
    let renamed = note.partial.is_some() && FileId::of(&output) == note.partial;
    let cleaned = if made { destination.clean(note.on_partial, home, run) } else { Cleaned::nothing() };
    let signed = is_signed(home, run)?;
    let recovered = if signed {
        None
    } else {
        let plan = if renamed { blob::digest_file(&output).ok() } else { None };
        Some(sign(home, orphan, &cleaned, plan)?)
    };
    for leftover in record::leftovers(&home.blobs(), run) {
        fs::remove_file(leftover).ok();
    }
    journal::remove(home, run)?;
    Ok(recovered)
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

fn sign(
    home: &Home,
    orphan: &Orphan,
    cleaned: &Cleaned,
    plan: Option<(Sha256Digest, u64)>,
) -> Result<Recovered> {
    let disk = |error: io::Error| {
        CliError::failure("its evidence cannot be written to disk").found(error.to_string())
    };
    let note = &orphan.note;
    let blobs = BlobStore::new(home.blobs());
    // Another boot's monotonic clock means nothing here.
    let live = orphan.live.as_ref().filter(|live| live.at_ns >= note.began_ns);
    let ended_ns = live.map_or(note.began_ns, |live| live.at_ns);
    let watched = watched(&blobs, orphan, live, ended_ns).map_err(disk)?;
    let tree = finish_tree(&watched);
    let tree_blob = match &tree {
        None => None,
        Some(tree) => {
            let bytes = serde_json::to_vec(tree).map_err(|error| disk(error.into()))?;
            Some(blobs.put(&bytes, PHASE_TREE_MEDIA_TYPE).map_err(disk)?)
        }
    };
    let model = model_files(&note.path(&note.order.model), live);
    let findings = {
        let ordered = Ordered { order: &note.order, model: &model, cleaned, plan, cache: None };
        worker_summary::findings(&watched, &ordered)
    };
    let context = Context {
        run: note.run.clone(),
        epoch: Epoch::of(note.started_at, note.began_ns),
        began_ns: note.began_ns,
        // The last sign of life: how long it lay there until somebody looked says nothing about the build.
        cleaned_ns: ended_ns,
        host: host::record(watched.gpu.as_ref()),
        gpu: watched.gpu.as_ref().map(|facts| facts.gpu.clone()),
        tree: tree.as_ref().zip(tree_blob.as_ref()).map(|(tree, blob)| (tree, blob.digest, blob.bytes)),
        command_line: note.command_line.clone(),
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
    RunNote::of(&summary, sealed.digest).with_order_in(&note.order, &note.cwd).save(home)?;
    Ok(Recovered { run: note.run.id, entry: sealed.digest, artifacts: summary.artifacts })
}

/// What was watched, as far as it is still known.
fn watched(
    blobs: &BlobStore,
    orphan: &Orphan,
    live: Option<&LiveNote>,
    ended_ns: u64,
) -> io::Result<Watched> {
    let run = orphan.note.run.id;
    let mut record = Record::new(run, blobs)?;
    let mut said = Vec::new();
    if live.is_none_or(|live| live.network.is_none())
        && fs::metadata(orphan.note.path(&orphan.note.order.model)).is_err()
    {
        said.push("the model can no longer be read: its digest here is that of no bytes".to_owned());
    }
    if let Some(live) = live {
        if let Some(library) = &live.library {
            record.take(library.clone())?;
        }
        record.network.clone_from(&live.network);
        let path: Vec<&str> = live.open.iter().map(|phase| phase.name.as_str()).collect();
        said.push(format!("{} callbacks; open at the last look: {}", live.callbacks, path.join(" > ")));
        if let Some(at) = live.build_began_ns {
            record.take(Report::Milestone { milestone: Milestone::BuildBegins, at: Count64(at) })?;
            replay(&mut record, &record::leftover_events(blobs.root(), run), at)?;
        }
        if let Some(cancel) = live.cancel {
            let mut known = Cancel::new(cancel.source, "as the supervisor noted it", cancel.requested_ns);
            known.acknowledged_ns = cancel.acknowledged_ns;
            record.cancel = Some(known);
        }
    }
    record.failure = Some(ToldFailure {
        stage: FailureStage::Worker,
        message: "the supervisor died".to_owned(),
        records: said,
    });
    record.note(LogSeverity::Error, "the supervisor died before it could sign", ended_ns)?;
    let run_blobs = record.close(&Default::default(), ended_ns, blobs)?;
    let digests = record.library.as_ref().and_then(|library| {
        let digest = |path: &str| blob::digest_file(Path::new(path)).ok().map(|(digest, _)| digest);
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
        is_worker: true,
        tail: Tail::default(),
        ended_ns,
        library_digests: digests,
    })
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

/// The model, as the parser got it, else as it is now.
fn model_files(model: &Path, live: Option<&LiveNote>) -> ModelFiles {
    let parsed = live.and_then(|live| live.network.as_ref()).map(|network| (network.digest, network.bytes));
    let now = || blob::digest_file(model).unwrap_or_else(|_| (Sha256Digest::of(b""), 0));
    let (digest, bytes) = parsed.unwrap_or_else(now);
    ModelFiles { digest, bytes, weights: weights::external(model) }
}
