//! The supervisor's loop: one task that hears the builder, the requests to stop and the clock, and answers each.

use std::{os::unix::process::ExitStatusExt as _, path::Path, process::ExitStatus, thread, time::Duration};

use acta_ledger::{
    evidence::{
        build::Resources,
        cancel::{CancelSource, EscalationCause, NoCancelWindow},
        phase_tree::counters::Counters,
    },
    judge::stop::{self, StopPlan},
    log::digest::Sha256Digest,
};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use uuid::Uuid;

use super::{
    cancel::{Cancel, Escalated},
    connection::Heard,
    gpu::{GpuFacts, GpuWatch},
    live::Watcher,
    process::{BuilderProcess, Launch, Tail},
    progress::Progress,
    protocol::{LogSeverity, Report},
    record::{Record, RunBlobs},
    resources,
    source::{Inbox, Request},
    stop::{StopDeadline, StopWatch},
    verdict::Judge,
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

/// Longer than anybody waits, and no longer than a clock can count.
const FOREVER: Duration = Duration::from_secs(365 * 86_400);

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

/// What is to be watched, and by which rules.
pub struct Assignment<'a> {
    /// The run.
    pub run: Uuid,
    /// What to start.
    pub launch: Launch,
    /// Where requests to stop come out.
    pub inbox: &'a mut Inbox,
    /// Where the logs are written.
    pub blobs: &'a BlobStore,
    /// The view.
    pub progress: Progress,
    /// Where it is noted what is seen, and who judges it; none where nobody would find it.
    pub eyes: Option<(Eyes, Judge)>,
    /// What the portal shows.
    pub live: &'a mut Live,
    /// How long a stop of the service may take.
    pub stop: StopWatch,
    /// Production has nothing to go back to: a request waits until the engine stands.
    pub holds_for_production: bool,
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
    stop: StopWatch,
    /// When the service began to be stopped, until it is known how long that may take.
    stopping_since: Option<u64>,
    /// When the builder is killed that was asked by the service's stop, and by which deadline.
    kill: Option<(Instant, StopDeadline)>,
    hashing: Option<thread::JoinHandle<Option<LibraryDigests>>>,
    watcher: Option<Watcher>,
}

/// Runs a build until its process is gone.
pub async fn watch(assignment: Assignment<'_>) -> Result<Watched> {
    let Assignment { run, launch, inbox, blobs, progress, eyes, live, stop, holds_for_production } =
        assignment;
    let disk = |error: std::io::Error| {
        CliError::failure("the evidence cannot be written to disk").found(error.to_string())
    };
    let mut record = Record::new(run, blobs).map_err(disk)?;
    if holds_for_production {
        record.windows.open(NoCancelWindow::NoRollbackRoute, clock::monotonic_ns());
    }
    let builder = BuilderProcess::start(launch)?;
    let watcher = eyes.map(|(eyes, judge)| Watcher::new(eyes, judge, builder.pid()));
    let mut this = Supervisor {
        builder,
        record,
        progress,
        live,
        resources: Resources::default(),
        counters: Counters::new(TICK.as_nanos() as u64),
        gpu: GpuWatch::start(),
        presses: 0,
        killed: false,
        interrupted: false,
        stop,
        stopping_since: None,
        kill: None,
        hashing: None,
        watcher,
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
            () = sleep_until(this.kill.as_ref().map_or(asleep, |(at, _)| *at)), if this.kill.is_some() => {
                this.kill_by_policy().map_err(disk)?;
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
                self.let_go()?;
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
        // Who has to be asked for the deadline may answer after the request.
        self.stop_in_time();
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
            self.progress.judged(watcher.verdict());
        }
        self.progress.show(&self.record);
        self.live.show(&self.record, usage);
    }

    /// A request that came out of a source.
    fn requested(&mut self, request: Request) -> std::io::Result<()> {
        if request.source == CancelSource::Service {
            self.stopping_since.get_or_insert(request.at);
            self.stop_in_time();
        }
        self.cancel(&request)?;
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

    /// The service is being stopped: from here on there is so long and no longer, whoever asked before.
    fn stop_in_time(&mut self) {
        let Some(at) = self.stopping_since.filter(|_| self.kill.is_none()) else { return };
        let Some(deadline) = self.stop.look() else { return };
        self.stopping_since = None;
        let deadline_ms = u64::try_from(deadline.span.as_millis()).unwrap_or(u64::MAX);
        let StopPlan { kill_after_ms, margin_ms } = stop::plan(deadline_ms);
        let gone = Duration::from_nanos(clock::monotonic_ns().saturating_sub(at));
        let left = Duration::from_millis(kill_after_ms).saturating_sub(gone).min(FOREVER);
        self.progress.say(&format!(
            "acta: the service is being stopped, which may take {:?} ({}): what has not stopped in {kill_after_ms} ms is \
             killed, so that {margin_ms} ms are left for the evidence",
            deadline.span, deadline.from
        ));
        self.kill = Some((Instant::now() + left, deadline));
    }

    /// The time of a service's stop is nearly over.
    fn kill_by_policy(&mut self) -> std::io::Result<()> {
        let Some((_, deadline)) = self.kill.take() else { return Ok(()) };
        // One that has ended, or has said its last word, is not killed by anybody.
        if self.builder.child.id().is_none() || self.record.done.is_some() {
            return Ok(());
        }
        let what = format!(
            "killing the {}: the stop of the service may take {:?}",
            self.builder.noun(),
            deadline.span
        );
        self.progress.say(&format!("acta: {what} ({})", deadline.from));
        let now = clock::monotonic_ns();
        self.record.note(LogSeverity::Warning, &what, now)?;
        self.kill_now(EscalationCause::StopDeadline, now, Some(deadline));
        Ok(())
    }

    fn kill_now(&mut self, cause: EscalationCause, at_ns: u64, deadline: Option<StopDeadline>) {
        self.killed = true;
        if let Some(cancel) = &mut self.record.cancel {
            cancel.escalation.get_or_insert(Escalated { cause, at_ns, deadline });
        }
        self.builder.kill();
    }

    /// The one way by which every other request gets to the builder. The first one counts. While production would be left
    /// with nothing to go back to, it is kept here.
    fn cancel(&mut self, request: &Request) -> std::io::Result<()> {
        if self.record.cancel.is_some() {
            return Ok(());
        }
        let is_held = self.record.windows.is_open(NoCancelWindow::NoRollbackRoute);
        let deferred_ns = is_held.then_some(request.at);
        self.record.request(Cancel { is_held, deferred_ns, ..Cancel::of(request) });
        // It may come from a person elsewhere, and goes to a terminal.
        let reason = harmless(&request.reason);
        if is_held {
            let what = "it waits until the engine stands: production has no other to go back to";
            self.progress.say(&format!("acta: cancel requested ({reason}); {what}"));
            return self.record.note(
                LogSeverity::Info,
                &format!("a cancel was requested: {what}"),
                request.at,
            );
        }
        self.deliver(request.source, &reason)
    }

    /// Hands over a request that was kept here, once nothing keeps it any more.
    fn let_go(&mut self) -> std::io::Result<()> {
        if self.record.windows.is_open(NoCancelWindow::NoRollbackRoute) {
            return Ok(());
        }
        let Some(cancel) = self.record.cancel.as_mut().filter(|cancel| cancel.is_held) else { return Ok(()) };
        cancel.is_held = false;
        self.builder.cancel(cancel.source);
        let what = "the engine stands: the cancel is delivered, and nothing is left to stop";
        self.progress.say(&format!("acta: {what}"));
        self.record.note(LogSeverity::Info, what, clock::monotonic_ns())
    }

    /// Monitors are asked in any case: they answer at the library's next step. Where none is connected, or no build call
    /// runs that could answer, a command can only be interrupted, as a terminal would do it.
    fn deliver(&mut self, source: CancelSource, reason: &str) -> std::io::Result<()> {
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
                self.progress.say(&format!("acta: killing the {noun}"));
                self.kill_now(EscalationCause::ThirdCtrlC, clock::monotonic_ns(), None);
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
        // Whatever held a request back was the builder's; from here on files are cleaned up.
        self.record.windows.close_all(ended_ns);
        self.record.windows.open(NoCancelWindow::Cleanup, ended_ns);
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
