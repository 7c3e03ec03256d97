//! The supervisor's loop: one task that hears the builder, the requests to stop and the clock, and answers each.

use std::{os::unix::process::ExitStatusExt as _, path::Path, process::ExitStatus, thread, time::Duration};

use acta_ledger::{
    evidence::{build::Resources, cancel::CancelSource, phase_tree::counters::Counters},
    log::digest::Sha256Digest,
};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use uuid::Uuid;

use super::{
    cancel::Cancel,
    connection::Heard,
    gpu::{GpuFacts, GpuWatch},
    live::Watcher,
    process::{BuilderProcess, Launch, Tail},
    progress::Progress,
    protocol::{LogSeverity, Report},
    record::{Record, RunBlobs},
    resources,
    source::{Inbox, Request},
};
use crate::{
    blob::{BlobStore, digest_file},
    clock,
    error::{CliError, Result},
    journal::Eyes,
    live::Live,
    ui::harmless,
};

/// How often resources are looked at and the view is drawn.
const TICK: Duration = Duration::from_millis(100);

/// How long a worker may take to end after its last word, or a socket to close after the process's end.
const GRACE: Duration = Duration::from_secs(10);

/// Everything that is known when the builder's process is gone.
pub struct Watched {
    /// What was reported.
    pub record: Record,
    /// The event log and the log, once they are closed.
    pub blobs: RunBlobs,
    /// What the process used at most, with whatever it started.
    pub resources: Resources,
    /// What it used over time.
    pub counters: Counters,
    /// The GPU, where there is one.
    pub gpu: Option<GpuFacts>,
    /// How the process ended; none if not even that is known.
    pub status: Option<ExitStatus>,
    /// The process was killed because it would not stop.
    pub killed: bool,
    /// The process was interrupted, because no monitor was there that could be asked.
    pub interrupted: bool,
    /// Whether it was the agent's own worker.
    pub is_worker: bool,
    /// The last lines that it printed.
    pub tail: Tail,
    /// When the process was at its end, in nanoseconds of the monotonic clock.
    pub ended_ns: u64,
    /// The digests of the library's and the parser's files.
    pub library_digests: Option<LibraryDigests>,
}

/// The digests of the library's file and of the parser's.
pub type LibraryDigests = (Sha256Digest, Option<Sha256Digest>);

impl Watched {
    /// Ends both logs: nothing is added any more.
    pub fn close(&mut self, blobs: &BlobStore) -> std::io::Result<()> {
        self.blobs = self.record.close(&self.tail, self.ended_ns, blobs)?;
        Ok(())
    }

    /// The signal that ended the process, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }
}

struct Supervisor<'a> {
    builder: BuilderProcess,
    record: Record,
    progress: Progress,
    live: &'a mut Live,
    resources: Resources,
    counters: Counters,
    gpu: GpuWatch,
    presses: u32,
    killed: bool,
    interrupted: bool,
    hashing: Option<thread::JoinHandle<Option<LibraryDigests>>>,
    watcher: Option<Watcher>,
}

/// Runs a build until its process is gone.
pub async fn watch(
    launch: Launch,
    run: Uuid,
    mut inbox: Inbox,
    blobs: &BlobStore,
    progress: Progress,
    eyes: Option<Eyes>,
    live: &mut Live,
) -> Result<Watched> {
    let disk = |error: std::io::Error| {
        CliError::failure("the evidence cannot be written to disk").found(error.to_string())
    };
    let record = Record::new(run, blobs).map_err(disk)?;
    let mut this = Supervisor {
        builder: BuilderProcess::start(launch)?,
        record,
        progress,
        live,
        resources: Resources::default(),
        counters: Counters::new(TICK.as_nanos() as u64),
        gpu: GpuWatch::start(),
        presses: 0,
        killed: false,
        interrupted: false,
        hashing: None,
        watcher: eyes.map(Watcher::new),
    };
    // A command may be over before the first tick.
    this.tick();
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut status, mut closed, mut limit) = (None, false, None);
    while status.is_none() || !closed {
        let asleep = Instant::now() + Duration::from_secs(3600);
        tokio::select! {
            biased;
            Some(request) = inbox.recv() => this.requested(request).map_err(disk)?,
            heard = this.builder.reports.recv(), if !closed => match heard {
                Some(heard) => this.heard(heard).map_err(disk)?,
                None => closed = true,
            },
            ended = this.builder.child.wait(), if status.is_none() => {
                status = Some(ended.ok());
                this.builder.close_socket();
            }
            () = sleep_until(limit.unwrap_or(asleep)), if limit.is_some() => {
                // It said its last word and does not end, or it ended and something else holds its socket.
                this.builder.kill();
                closed = true;
            }
            _ = ticks.tick() => this.tick(),
        }
        let one_side_is_over = status.is_some() || closed || this.record.done.is_some();
        if one_side_is_over && limit.is_none() {
            limit = Some(Instant::now() + GRACE);
        }
    }
    Ok(this.finish(status.flatten()).await)
}

impl Supervisor<'_> {
    fn heard(&mut self, heard: Heard) -> std::io::Result<()> {
        match heard {
            Heard::Report(report) => {
                match &*report {
                    Report::Library { path, parser_path, .. } => {
                        self.hash_library(path.clone(), parser_path.clone());
                    }
                    Report::Requested { source, reason, at } => {
                        let reason = reason.clone().unwrap_or_else(|| "the builder was asked".to_owned());
                        self.asked_itself(*source, &reason, at.0);
                    }
                    _ => {}
                }
                self.record.take(*report)?;
                self.progress.heard(&self.record);
                Ok(())
            }
            Heard::Garbage(what) => {
                let message = format!("the {} sent something that is no report: {what}", self.builder.noun());
                self.record.note(LogSeverity::Warning, &message, clock::monotonic_ns())
            }
        }
    }

    /// Hashes the library's files beside the build: they are large, and nobody waits for it.
    fn hash_library(&mut self, path: String, parser_path: Option<String>) {
        self.hashing.get_or_insert_with(|| {
            thread::spawn(move || {
                // Nothing but a file: reading a pipe would wait for whoever writes into it.
                let file = |path: &str| Some(Path::new(path).to_owned()).filter(|path| path.is_file());
                let digest = |path: &str| Some(digest_file(&file(path)?).ok()?.0);
                Some((digest(&path)?, parser_path.as_deref().and_then(digest)))
            })
        });
    }

    fn tick(&mut self) {
        let gpu = self.gpu.latest();
        let usage = resources::read_tree(self.builder.pid());
        if let Some(usage) = usage {
            resources::note(&mut self.resources, usage);
            resources::note_gpu(&mut self.resources, gpu);
            let in_call = self.record.times.build_returned.is_none();
            if let Some(at) = self.record.offset(clock::monotonic_ns()).filter(|_| in_call) {
                self.counters.push(resources::sample(at, usage, gpu));
            }
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.look(&mut self.record, self.resources);
        }
        self.progress.show(&self.record);
        self.live.show(&self.record, usage);
    }

    /// A request that came out of a source.
    fn requested(&mut self, request: Request) -> std::io::Result<()> {
        let first = self.record.cancel.is_none();
        self.cancel(request.source, &request.reason, request.at)?;
        if let Some(cancel) = self.record.cancel.as_mut().filter(|_| first) {
            cancel.by = request.by;
        }
        if request.press {
            self.pressed();
        }
        Ok(())
    }

    /// A client was asked in its own process: its flag is set already, and the others are to hear of it.
    fn asked_itself(&mut self, source: CancelSource, reason: &str, at: u64) {
        if self.record.cancel.is_none() {
            self.record.request(Cancel::new(source, reason, at));
            self.record.delivered(at);
            self.builder.cancel(source);
            self.progress.say(&format!("acta: cancel requested in the command ({reason})"));
        }
    }

    /// The one way by which every other request gets to the builder. The first one counts; `at` is the source's own moment.
    ///
    /// Monitors are asked in any case: they answer at the library's next step. Where none is connected, or no build call
    /// runs that could answer, a command can only be interrupted, as a terminal would do it.
    fn cancel(&mut self, source: CancelSource, reason: &str, at: u64) -> std::io::Result<()> {
        if self.record.cancel.is_some() {
            return Ok(());
        }
        self.record.request(Cancel::new(source, reason, at));
        // It may come from a person elsewhere, and goes to a terminal.
        let reason = harmless(reason);
        let monitors = self.builder.cancel(source);
        if self.builder.is_worker() || monitors > 0 && self.record.in_call() {
            self.progress
                .say(&format!("acta: cancel requested ({reason}); TensorRT answers at its next step"));
            return Ok(());
        }
        self.builder.interrupt();
        self.interrupted = true;
        let now = clock::monotonic_ns();
        self.record.delivered(now);
        let why = if monitors > 0 { "no build call runs" } else { "no monitor is connected" };
        let what = format!("{why}: SIGINT was sent to the command's process group");
        self.progress.say(&format!("acta: cancel requested ({reason}); {what}"));
        self.record.note(LogSeverity::Info, &what, now)
    }

    /// A key at the terminal: the first one asked; the second one says what a third would break; the third one kills.
    fn pressed(&mut self) {
        self.presses += 1;
        let Some(cancel) = &self.record.cancel else { return };
        let waited = clock::monotonic_ns().saturating_sub(cancel.requested_ns) / 1_000_000_000;
        let noun = self.builder.noun();
        match self.presses {
            1 => {}
            2 if self.builder.is_worker() => self.progress.say(&format!(
                "acta: still waiting for the library, {waited} s after the request: a step can take long, and nothing \
                 but its end can stop it.\n      Ctrl-C once more kills the worker: the partial file is removed, the \
                 evidence says `killed`,\n      no latency is measured, and a timing cache that was attached is not \
                 to be trusted again."
            )),
            2 => self.progress.say(&format!(
                "acta: still waiting for the command, {waited} s after the request.\n      Ctrl-C once more kills it \
                 with whatever it started: files that it made meanwhile are set apart, the evidence\n      says \
                 `killed`, no latency is measured, and a timing cache that was attached is not to be trusted again."
            )),
            _ => {
                self.killed = true;
                self.progress.say(&format!("acta: killing the {noun}"));
                self.builder.kill();
            }
        }
    }

    async fn finish(mut self, status: Option<ExitStatus>) -> Watched {
        let ended_ns = clock::monotonic_ns();
        // Whatever the sampling missed, the worker's own last word has.
        if let Some(done) = &self.record.done {
            let (peak_rss_bytes, cpu_ms) = (done.peak_rss_bytes, done.cpu_ms);
            resources::note(
                &mut self.resources,
                resources::Usage { peak_rss_bytes, cpu_ms, ..resources::Usage::default() },
            );
        }
        self.live.cleaning(&self.record);
        self.progress.end();
        let is_worker = self.builder.is_worker();
        let tail = self.builder.close().await;
        if let Some(usage) = resources::read_ended() {
            resources::note(&mut self.resources, usage);
        }
        // A kill that came after the last word broke nothing.
        let killed = self.killed && self.record.done.is_none();
        let library_digests = self.hashing.and_then(|thread| thread.join().ok().flatten());
        Watched {
            record: self.record,
            blobs: RunBlobs::default(),
            resources: self.resources,
            counters: self.counters,
            gpu: self.gpu.finish(),
            status,
            killed,
            interrupted: self.interrupted,
            is_worker,
            tail,
            ended_ns,
            library_digests,
        }
    }
}
