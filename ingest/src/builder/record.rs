//! What the supervisor knows of a run, gathered report by report.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use acta_ledger::evidence::{
    build::{BlobRef, FailureStage, LibraryVersion, NetworkRecord},
    cancel::{CancelState, MAX_PATH, NoCancelWindow},
    event::{EVENT_LOG_MEDIA_TYPE, EventKind, MAX_STEP_LINES, ProgressEvent},
    number::Count64,
    phase_tree::{
        PhaseTree,
        assemble::{PhaseTreeBuilder, RawEvent, RawKind, RawName},
    },
};
use acta_ledger::log::digest::Sha256Digest;
use serde_json::json;
use uuid::Uuid;

use super::{
    cancel::Cancel,
    external::told::Told,
    process::Tail,
    protocol::{CacheFacts, Done, LibraryFamily, LogSeverity, Milestone, Report},
    windows::Windows,
};
use crate::blob::{BlobStore, BlobWriter, temporary_named};

/// How many events without a phase of their own the event log keeps.
const MAX_STRAYS: u64 = 10_000;

/// How long the log may become in bytes.
const MAX_LOG_BYTES: u64 = 16 << 20;

/// The loaded library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Which product.
    pub family: LibraryFamily,
    /// Its file.
    pub path: String,
    /// The parser's file.
    pub parser_path: Option<String>,
    /// Its version.
    pub version: LibraryVersion,
}

/// When what happened, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Parsing began.
    pub parse_began: Option<u64>,
    /// Parsing had ended.
    pub parse_ended: Option<u64>,
    /// The build call began.
    pub build_began: Option<u64>,
    /// The build call returned.
    pub build_returned: Option<u64>,
    /// The write began.
    pub write_began: Option<u64>,
    /// The write had ended.
    pub write_ended: Option<u64>,
}

/// A failure as the worker told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldFailure {
    /// Where.
    pub stage: FailureStage,
    /// The first message that explains it.
    pub message: String,
    /// All that the library said.
    pub records: Vec<String>,
}

/// The blobs of a run.
#[derive(Debug, Clone, Default)]
pub struct RunBlobs {
    /// The event log; none without an event.
    pub events: Option<BlobRef>,
    /// The log; none without a line.
    pub log: Option<BlobRef>,
}

/// Everything that was reported.
pub struct Record {
    /// The phase tree so far.
    pub tree: PhaseTreeBuilder,
    /// Moments.
    pub times: Times,
    /// The library, once it is loaded.
    pub library: Option<Loaded>,
    /// The network, once it is parsed; its source is not filled in.
    pub network: Option<NetworkRecord>,
    /// The plan's digest and length, once it stands under its name.
    pub plan: Option<(Sha256Digest, u64)>,
    /// Why it failed, if the worker said so.
    pub failure: Option<ToldFailure>,
    /// What became of the timing cache.
    pub cache: Option<CacheFacts>,
    /// The worker's last word.
    pub done: Option<Done>,
    /// The cancel, once somebody asked.
    pub cancel: Option<Cancel>,
    /// The stretches in which a cancel waits.
    pub windows: Windows,
    /// The tree at the cancel's request.
    pub at_request: Option<PhaseTree>,
    /// The tree at the cancel's acknowledgement.
    pub at_acknowledgement: Option<PhaseTree>,
    /// Whether the worker asked, by a monitor that failed.
    pub stop_without_request: bool,
    /// What clients in a command said of themselves and of their build.
    pub told: Told,
    in_call: bool,
    events: BlobWriter,
    steps_kept: Vec<u32>,
    strays_kept: u64,
    log: BlobWriter,
    log_lines_dropped: u64,
}

impl Record {
    /// Begins with nothing.
    pub fn new(run: Uuid, blobs: &BlobStore) -> io::Result<Self> {
        Ok(Self {
            tree: PhaseTreeBuilder::new(run),
            times: Times::default(),
            library: None,
            network: None,
            plan: None,
            failure: None,
            cache: None,
            done: None,
            cancel: None,
            windows: Windows::default(),
            at_request: None,
            at_acknowledgement: None,
            stop_without_request: false,
            told: Told::default(),
            in_call: false,
            events: writer(blobs, run, EVENTS)?,
            steps_kept: Vec::new(),
            strays_kept: 0,
            log: writer(blobs, run, LOG)?,
            log_lines_dropped: 0,
        })
    }

    /// Hands both logs to the system, which keeps them if this process dies.
    pub fn flush(&mut self) -> io::Result<()> {
        self.events.flush()?;
        self.log.flush()
    }

    /// Takes a report. Fails only if the evidence cannot be written to disk.
    pub fn take(&mut self, report: Report) -> io::Result<()> {
        match report {
            Report::Hello { language, client, .. } => self.told.hello(language, client),
            Report::Library { family, path, parser_path, version } => {
                self.library = Some(Loaded { family, path, parser_path, version });
            }
            Report::Network { source, digest, bytes, layers, inputs, outputs, strongly_typed } => {
                let (source, layers) = (source.unwrap_or_default(), Some(layers));
                self.network =
                    Some(NetworkRecord { source, digest, bytes, layers, inputs, outputs, strongly_typed });
            }
            Report::Config(config) => self.told.config = Some(config),
            Report::Artifact { path, kind } => self.told.artifact(path, kind),
            Report::Milestone { milestone, at } => self.milestone(milestone, at.0),
            Report::Start { name, parent, steps, at, thread, cancel } => {
                let kind = RawKind::Start { parent: parent.as_ref().map(|parent| parent.raw()), steps };
                self.event(name.raw(), kind, at.0, thread, cancel)?;
            }
            Report::Step { name, step, stop, at, thread, cancel } => {
                let kind = RawKind::Step { step, answered_stop: stop };
                self.event(name.raw(), kind, at.0, thread, cancel)?;
                if stop {
                    self.acknowledged(at.0);
                }
            }
            Report::Finish { name, at, thread, cancel } => {
                self.event(name.raw(), RawKind::Finish, at.0, thread, cancel)?;
            }
            Report::Lost { events, log_lines } => {
                self.tree.add_lost(events);
                self.log_lines_dropped = self.log_lines_dropped.saturating_add(log_lines);
            }
            Report::Log { severity, message, at } => {
                self.told.line(severity, &message);
                self.log_line("library", severity, &message, at.0)?;
            }
            Report::Recorded { code, message, at } => {
                self.told.line(LogSeverity::Error, &message);
                self.log_line("recorder", LogSeverity::Error, &format!("code {code}: {message}"), at.0)?;
            }
            Report::Delivered { at } | Report::Requested { at, .. } => self.delivered(at.0),
            Report::Deferred { at } => {
                if let Some(cancel) = &mut self.cancel {
                    cancel.deferred_ns.get_or_insert(at.0);
                }
            }
            Report::Cache(facts) => self.cache = Some(facts),
            Report::Plan { digest, bytes, at } => {
                self.plan = Some((digest, bytes));
                // Production has its engine.
                self.windows.close(NoCancelWindow::NoRollbackRoute, at.0);
            }
            Report::Failed { stage, message, records } => {
                self.failure.get_or_insert(ToldFailure { stage, message, records });
            }
            Report::Stopped => self.told.stopped_outside_build = true,
            Report::Done(done) => self.done = Some(done),
        }
        Ok(())
    }

    /// Notes a request. The snapshot is taken when the first event after it arrives: what was on its way belongs to it.
    pub fn request(&mut self, cancel: Cancel) {
        if self.cancel.is_none() {
            self.cancel = Some(cancel);
        }
    }

    /// Notes that the request got through.
    pub fn delivered(&mut self, at: u64) {
        if let Some(cancel) = &mut self.cancel {
            cancel.delivered_ns.get_or_insert(at);
        }
    }

    /// Whether the library or the write of an artifact is at work, as far as was told.
    pub fn in_call(&self) -> bool {
        self.in_call || self.tree.open_phases().next().is_some()
    }

    /// Nanoseconds since the build call; none before it.
    pub fn offset(&self, at: u64) -> Option<u64> {
        Some(at.saturating_sub(self.times.build_began?))
    }

    /// Writes a line of the agent's own into the log.
    pub fn note(&mut self, severity: LogSeverity, message: &str, at: u64) -> io::Result<()> {
        self.log_line("agent", severity, message, at)
    }

    /// Ends both logs; what the worker printed goes to the end of the log.
    pub fn close(&mut self, tail: &Tail, at: u64, blobs: &BlobStore) -> io::Result<RunBlobs> {
        self.snapshot_request(u64::MAX);
        if tail.dropped > 0 {
            let dropped = format!("{} lines of output before these were dropped", tail.dropped);
            self.note(LogSeverity::Info, &dropped, at)?;
        }
        for (stream, line) in &tail.lines {
            self.log_line(stream, LogSeverity::Info, line, at)?;
        }
        if self.log_lines_dropped > 0 {
            let line = json!({ "source": "agent", "severity": LogSeverity::Warning,
                "message": format!("{} log lines were dropped", self.log_lines_dropped), "at": null });
            writeln!(self.log, "{line}")?;
        }
        let finish = |writer: &mut BlobWriter| -> io::Result<Option<BlobRef>> {
            let whole = std::mem::replace(writer, blobs.writer()?);
            if whole.bytes() == 0 { Ok(None) } else { whole.finish(EVENT_LOG_MEDIA_TYPE).map(Some) }
        };
        Ok(RunBlobs { events: finish(&mut self.events)?, log: finish(&mut self.log)? })
    }

    fn milestone(&mut self, milestone: Milestone, at: u64) {
        let times = &mut self.times;
        self.in_call = matches!(milestone, Milestone::BuildBegins | Milestone::WriteBegins);
        // A command may build more than once: from the first call to the last return is the build.
        match milestone {
            Milestone::BuildBegins => times.build_returned = None,
            Milestone::BuildReturned => times.build_returned = Some(at),
            Milestone::WriteBegins => self.windows.open(NoCancelWindow::ArtifactWrite, at),
            Milestone::WriteEnds => self.windows.close(NoCancelWindow::ArtifactWrite, at),
            Milestone::ParseBegins | Milestone::ParseEnds => {}
        }
        let slot = match milestone {
            Milestone::ParseBegins => &mut times.parse_began,
            Milestone::ParseEnds => &mut times.parse_ended,
            Milestone::BuildBegins => &mut times.build_began,
            Milestone::BuildReturned => &mut times.build_returned,
            Milestone::WriteBegins => &mut times.write_began,
            Milestone::WriteEnds => &mut times.write_ended,
        };
        slot.get_or_insert(at);
        if milestone == Milestone::BuildReturned {
            self.snapshot_request(at);
        }
    }

    fn event(
        &mut self,
        name: RawName<'_>,
        kind: RawKind<'_>,
        at: u64,
        thread: u32,
        cancel: CancelState,
    ) -> io::Result<()> {
        self.snapshot_request(at);
        // An event before the build call cannot be: a builder that sends one has not said that it began.
        let began = *self.times.build_began.get_or_insert(at);
        let line = self.tree.record(RawEvent { at: at.saturating_sub(began), thread, name, kind, cancel });
        if self.is_kept(&line) {
            serde_json::to_writer(&mut self.events, &line)?;
            self.events.write_all(b"\n")?;
        }
        Ok(())
    }

    fn is_kept(&mut self, line: &ProgressEvent) -> bool {
        let Some(phase) = line.phase_id else {
            self.strays_kept += 1;
            return self.strays_kept <= MAX_STRAYS;
        };
        let index = phase as usize;
        if self.steps_kept.len() <= index {
            self.steps_kept.resize(index + 1, 0);
        }
        let steps = &mut self.steps_kept[index];
        *steps += u32::from(line.event == EventKind::Step);
        line.event != EventKind::Step || *steps <= MAX_STEP_LINES
    }

    /// Takes the snapshot of a request that came before `at`, if it was not taken yet.
    fn snapshot_request(&mut self, at: u64) {
        let Some(cancel) = self.cancel.as_mut().filter(|cancel| cancel.requested_ns <= at) else { return };
        let requested = cancel.requested_ns;
        let Some(began) = self.times.build_began.filter(|&began| began <= requested) else { return };
        let in_call = self.times.build_returned.is_none_or(|returned| requested <= returned);
        if self.at_request.is_none() && in_call {
            let snapshot = self.tree.snapshot(requested - began);
            cancel.open_at_request = self.tree.open_ids();
            cancel.phase_at_request = cancel.open_at_request.last().map(|&id| {
                let path = snapshot.path(id);
                let kept = path.iter().skip(path.len().saturating_sub(MAX_PATH));
                kept.map(|&name| name.to_owned()).collect()
            });
            self.at_request = Some(snapshot);
        }
    }

    fn acknowledged(&mut self, at: u64) {
        let Some(cancel) = &mut self.cancel else {
            self.stop_without_request = true;
            return;
        };
        if cancel.acknowledged_ns.is_none() {
            cancel.acknowledged_ns = Some(at);
            cancel.open_at_acknowledgement = self.tree.open_ids();
            let offset = at.saturating_sub(self.times.build_began.unwrap_or(at));
            self.at_acknowledgement = Some(self.tree.snapshot(offset));
        }
    }

    fn log_line(&mut self, source: &str, severity: LogSeverity, message: &str, at: u64) -> io::Result<()> {
        if self.log.bytes() > MAX_LOG_BYTES {
            self.log_lines_dropped += 1;
            return Ok(());
        }
        let at = self.offset(at).map(Count64);
        let line = json!({ "at": at, "source": source, "severity": severity, "message": message });
        writeln!(self.log, "{line}")
    }
}

/// What the unfinished files of the logs are called, behind the run.
const EVENTS: &str = "events";
const LOG: &str = "log";

/// A log that can be found by the run if this process dies. What an orphan left under the name is not written over.
fn writer(blobs: &BlobStore, run: Uuid, what: &str) -> io::Result<BlobWriter> {
    match blobs.writer_named(&format!("{run}-{what}")) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => blobs.writer(),
        writer => writer,
    }
}

/// The event log that a dead supervisor left unfinished.
pub fn leftover_events(blobs: &Path, run: Uuid) -> PathBuf {
    temporary_named(blobs, &format!("{run}-{EVENTS}"))
}

/// Everything that a dead supervisor left unfinished among the blobs.
pub fn leftovers(blobs: &Path, run: Uuid) -> [PathBuf; 2] {
    [EVENTS, LOG].map(|what| temporary_named(blobs, &format!("{run}-{what}")))
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::{cancel::CancelSource, phase_tree::assemble::Ending};

    use super::*;
    use crate::builder::protocol::Name;

    fn name(text: &str) -> Name {
        Name { bytes: text.as_bytes().to_vec(), digest: None }
    }

    fn start(text: &str, at: u64) -> Report {
        let (name, cancel) = (name(text), CancelState::None);
        Report::Start { name, parent: None, steps: 5000, at: Count64(at), thread: 0, cancel }
    }

    fn step(text: &str, step: i64, stop: bool, at: u64) -> Report {
        Report::Step { name: name(text), step, stop, at: Count64(at), thread: 0, cancel: CancelState::None }
    }

    fn milestone(milestone: Milestone, at: u64) -> Report {
        Report::Milestone { milestone, at: Count64(at) }
    }

    fn store() -> (tempfile::TempDir, BlobStore) {
        let folder = tempfile::tempdir().unwrap();
        let blobs = BlobStore::new(folder.path().to_owned());
        (folder, blobs)
    }

    #[test]
    fn a_request_sees_what_was_on_its_way_and_nothing_later() {
        let (_folder, blobs) = store();
        let mut record = Record::new(Uuid::nil(), &blobs).unwrap();
        for report in [milestone(Milestone::BuildBegins, 100), start("a", 110)] {
            record.take(report).unwrap();
        }
        // Asked at 150; an event of 140 is still on its way then.
        record.request(Cancel::new(CancelSource::CtrlC, "test", 150));
        for report in [start("b", 140), start("c", 160), step("c", 0, true, 170)] {
            record.take(report).unwrap();
        }
        let cancel = record.cancel.as_ref().unwrap();
        assert_eq!(cancel.open_at_request, [0, 1]);
        assert_eq!(cancel.phase_at_request.as_deref(), Some(&["b".to_owned()][..]));
        assert_eq!(cancel.open_at_acknowledgement, [0, 1, 2]);
        assert_eq!(cancel.acknowledged_ns, Some(170));
        assert_eq!(record.at_request.as_ref().unwrap().duration, Count64(50));
        assert_eq!(record.at_acknowledgement.as_ref().unwrap().phases.len(), 3);
    }

    #[test]
    fn a_request_in_a_silent_tail_has_its_snapshot_too() {
        let (_folder, blobs) = store();
        let mut record = Record::new(Uuid::nil(), &blobs).unwrap();
        record.take(milestone(Milestone::BuildBegins, 100)).unwrap();
        record.take(start("a", 110)).unwrap();
        record.request(Cancel::new(CancelSource::Ci, "test", 150));
        record.take(milestone(Milestone::BuildReturned, 900)).unwrap();
        assert_eq!(record.cancel.as_ref().unwrap().open_at_request, [0]);
        assert_eq!(record.at_request.as_ref().unwrap().duration, Count64(50));
        assert_eq!(record.cancel.as_ref().unwrap().acknowledged_ns, None);
    }

    #[test]
    fn steps_are_thinned_in_the_log_and_counted_in_the_tree() {
        let (_folder, blobs) = store();
        let mut record = Record::new(Uuid::nil(), &blobs).unwrap();
        record.take(milestone(Milestone::BuildBegins, 0)).unwrap();
        record.take(start("a", 1)).unwrap();
        for n in 0..3000 {
            record.take(step("a", n, false, 2)).unwrap();
        }
        record.note(LogSeverity::Info, "a line", 5).unwrap();
        let closed = record.close(&Tail::default(), 9, &blobs).unwrap();
        let events = std::fs::read_to_string(blobs.path(&closed.events.unwrap().digest)).unwrap();
        assert_eq!(events.lines().count(), 1 + MAX_STEP_LINES as usize);
        let line: ProgressEvent = serde_json::from_str(events.lines().nth(1).unwrap()).unwrap();
        assert_eq!((line.at, line.phase_id), (Count64(2), Some(0)));
        let tree = record.tree.finish(10, Ending::Returned);
        assert_eq!((tree.callbacks, tree.phases[0].steps_completed), (3001, 3000));
        let log = std::fs::read_to_string(blobs.path(&closed.log.unwrap().digest)).unwrap();
        assert!(log.contains("\"message\":\"a line\"") && log.contains("\"at\":\"5\""), "{log}");
    }

    #[test]
    fn a_stop_that_nobody_asked_for_is_no_acknowledgement() {
        let (_folder, blobs) = store();
        let mut record = Record::new(Uuid::nil(), &blobs).unwrap();
        record.take(milestone(Milestone::BuildBegins, 0)).unwrap();
        record.take(start("a", 1)).unwrap();
        record.take(step("a", 0, true, 2)).unwrap();
        assert!(record.stop_without_request && record.cancel.is_none());
    }
}
