//! The supervisor's loop: one task that hears the worker, the signals, the deadline and the clock, and answers each.

use std::{os::unix::process::ExitStatusExt as _, path::Path, process::ExitStatus, thread, time::Duration};

use acta_ledger::{
    evidence::{build::Resources, cancel::CancelSource, phase_tree::counters::Counters},
    log::digest::Sha256Digest,
};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{Instant, MissedTickBehavior, interval, sleep_until},
};

use super::{
    cancel::Cancel,
    gpu::{GpuFacts, GpuWatch},
    process::{Heard, Tail, Worker},
    progress::Progress,
    protocol::{BuildOrder, LogSeverity, Order, Report},
    record::{Record, RunBlobs},
    resources,
};
use crate::{
    blob::{BlobStore, digest_file},
    clock,
    error::{CliError, Result},
    ui::Ui,
};

/// How often resources are looked at and the view is drawn.
const TICK: Duration = Duration::from_millis(100);

/// How long the worker may take to end after its last word, or its socket to close after its end.
const GRACE: Duration = Duration::from_secs(10);

/// Everything that is known when the worker is gone.
pub struct Watched {
    /// What was reported.
    pub record: Record,
    /// The event log and the log.
    pub blobs: RunBlobs,
    /// What the worker used at most.
    pub resources: Resources,
    /// What it used over time.
    pub counters: Counters,
    /// The GPU, where there is one.
    pub gpu: Option<GpuFacts>,
    /// How the worker's process ended; none if not even that is known.
    pub status: Option<ExitStatus>,
    /// The worker was killed because it would not stop.
    pub killed: bool,
    /// When the worker was at its end, in nanoseconds of the monotonic clock.
    pub ended_ns: u64,
    /// The digests of the library's and the parser's files.
    pub library_digests: Option<LibraryDigests>,
}

/// The digests of the library's file and of the parser's.
pub type LibraryDigests = (Sha256Digest, Option<Sha256Digest>);

impl Watched {
    /// The signal that ended the worker, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }
}

/// The signals that ask for a cancel.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    /// Begins to listen, inside a runtime; from here on none of them ends the program.
    pub fn listen() -> Result<Self> {
        let listen = |kind| {
            signal(kind).map_err(|e| CliError::failure("cannot listen to signals").found(e.to_string()))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }
}

struct Supervisor {
    worker: Worker,
    record: Record,
    progress: Progress,
    resources: Resources,
    counters: Counters,
    gpu: GpuWatch,
    killed: bool,
    hashing: Option<thread::JoinHandle<Option<LibraryDigests>>>,
}

/// Runs a build in a worker until the worker is gone.
pub async fn watch(
    order: BuildOrder,
    timeout: Option<Duration>,
    mut signals: Signals,
    blobs: &BlobStore,
    ui: Ui,
) -> Result<Watched> {
    let disk = |error: std::io::Error| {
        CliError::failure("the evidence cannot be written to disk").found(error.to_string())
    };
    let record = Record::new(order.run, blobs).map_err(disk)?;
    let (now, now_ns) = (Instant::now(), clock::monotonic_ns());
    let worker = Worker::start(order)?;
    let progress = Progress::new(ui);
    let mut this = Supervisor {
        worker,
        record,
        progress,
        resources: Resources::default(),
        counters: Counters::new(TICK.as_nanos() as u64),
        gpu: GpuWatch::start(),
        killed: false,
        hashing: None,
    };
    let deadline = timeout.map(|timeout| now + timeout);
    let deadline_ns = timeout.map(|timeout| now_ns.saturating_add(timeout.as_nanos() as u64));
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let (mut status, mut closed, mut limit) = (None, false, None);
    while status.is_none() || !closed {
        let asleep = Instant::now() + Duration::from_secs(3600);
        tokio::select! {
            biased;
            Some(()) = signals.interrupt.recv() => this.interrupted(),
            Some(()) = signals.terminate.recv() => {
                this.cancel(CancelSource::Service, "SIGTERM", clock::monotonic_ns());
            }
            Some(()) = signals.hangup.recv() => {
                this.cancel(CancelSource::CtrlC, "the terminal was closed (SIGHUP)", clock::monotonic_ns());
            }
            () = sleep_until(deadline.unwrap_or(asleep)), if deadline.is_some() && this.record.cancel.is_none() => {
                let reason = format!("--timeout of {:?} is over", timeout.unwrap_or_default());
                this.cancel(CancelSource::Ci, &reason, deadline_ns.unwrap_or_default());
            }
            heard = this.worker.reports.recv(), if !closed => match heard {
                Some(heard) => this.heard(heard).map_err(disk)?,
                None => closed = true,
            },
            ended = this.worker.child.wait(), if status.is_none() => status = Some(ended.ok()),
            () = sleep_until(limit.unwrap_or(asleep)), if limit.is_some() => {
                // It said its last word and does not end, or it ended and something else holds its socket.
                this.worker.kill();
                closed = true;
            }
            _ = ticks.tick() => this.tick(),
        }
        let one_side_is_over = status.is_some() || closed || this.record.done.is_some();
        if one_side_is_over && limit.is_none() {
            limit = Some(Instant::now() + GRACE);
        }
    }
    this.finish(status.flatten(), blobs).await.map_err(disk)
}

impl Supervisor {
    fn heard(&mut self, heard: Heard) -> std::io::Result<()> {
        match heard {
            Heard::Report(report) => {
                if let Report::Library { path, parser_path, .. } = &*report {
                    self.hash_library(path.clone(), parser_path.clone());
                }
                self.record.take(*report)?;
                self.progress.heard(&self.record);
                Ok(())
            }
            Heard::Garbage(what) => {
                let message = format!("the worker sent something that is no report: {what}");
                self.record.note(LogSeverity::Warning, &message, clock::monotonic_ns())
            }
        }
    }

    /// Hashes the library's files beside the build: they are large, and nobody waits for it.
    fn hash_library(&mut self, path: String, parser_path: Option<String>) {
        self.hashing.get_or_insert_with(|| {
            thread::spawn(move || {
                let digest = |path: &str| digest_file(Path::new(path)).ok().map(|(digest, _)| digest);
                Some((digest(&path)?, parser_path.as_deref().and_then(digest)))
            })
        });
    }

    fn tick(&mut self) {
        let gpu = self.gpu.latest();
        if let Some(usage) = resources::read(self.worker.pid()) {
            resources::note(&mut self.resources, usage);
            resources::note_gpu(&mut self.resources, gpu);
            let in_call = self.record.times.build_returned.is_none();
            if let Some(at) = self.record.offset(clock::monotonic_ns()).filter(|_| in_call) {
                self.counters.push(resources::sample(at, usage, gpu));
            }
        }
        self.progress.show(&self.record);
    }

    /// The one way by which every request gets to the builder. The first one counts; `at` is the source's own moment.
    fn cancel(&mut self, source: CancelSource, reason: &str, at: u64) {
        if self.record.cancel.is_some() {
            return;
        }
        self.record.request(Cancel::new(source, reason, at));
        self.worker.order(Order::Cancel { source });
        self.progress.say(&format!("acta: cancel requested ({reason}); TensorRT answers at its next step"));
    }

    /// Ctrl-C: asks; the second one says what a third would break; the third one kills.
    fn interrupted(&mut self) {
        let now = clock::monotonic_ns();
        self.cancel(CancelSource::CtrlC, "Ctrl-C", now);
        let Some(cancel) = &mut self.record.cancel else { return };
        cancel.presses += 1;
        let waited = now.saturating_sub(cancel.requested_ns) / 1_000_000_000;
        match cancel.presses {
            1 => {}
            2 => self.progress.say(&format!(
                "acta: still waiting for the library, {waited} s after the request: a step can take long, and nothing \
                 but its end can stop it.\n      Ctrl-C once more kills the worker: the partial file is removed, the \
                 evidence says `killed`,\n      no latency is measured, and a timing cache that was attached is not \
                 to be trusted again."
            )),
            _ => {
                self.killed = true;
                self.progress.say("acta: killing the worker");
                self.worker.kill();
            }
        }
    }

    async fn finish(mut self, status: Option<ExitStatus>, blobs: &BlobStore) -> std::io::Result<Watched> {
        let ended_ns = clock::monotonic_ns();
        // Whatever the sampling missed, the worker's own last word has.
        if let Some(done) = &self.record.done {
            let (peak_rss_bytes, cpu_ms) = (done.peak_rss_bytes, done.cpu_ms);
            resources::note(
                &mut self.resources,
                resources::Usage { peak_rss_bytes, cpu_ms, ..resources::Usage::default() },
            );
        }
        self.progress.end();
        let tail: Tail = self.worker.close().await;
        let run_blobs = self.record.close(&tail, ended_ns, blobs)?;
        // A kill that came after the last word broke nothing.
        let killed = self.killed && self.record.done.is_none();
        let library_digests = self.hashing.and_then(|thread| thread.join().ok().flatten());
        Ok(Watched {
            record: self.record,
            blobs: run_blobs,
            resources: self.resources,
            counters: self.counters,
            gpu: self.gpu.finish(),
            status,
            killed,
            ended_ns,
            library_digests,
        })
    }
}
