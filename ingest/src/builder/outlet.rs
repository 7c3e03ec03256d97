//! The worker's sending side: one thread that empties the queues every two milliseconds and writes to the socket.
//!
//! Whatever was in the queues before a report of the worker's own is written before it: the report is taken first, then
//! the queues are emptied, then it is written.

use std::{
    io::{self, BufWriter, Write as _},
    os::unix::net::UnixStream,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use acta_ledger::evidence::number::Count64;

use super::{
    framing::encode,
    monitor::{LogEntry, LogKind, Sources},
    protocol::{Milestone, Report},
    ring::{Slot, SlotKind},
};
use crate::clock;

/// How long the queues fill at most before they are emptied.
const ROUND: Duration = Duration::from_millis(2);

enum Message {
    Report(Box<Report>),
    Flush(mpsc::Sender<()>),
}

/// A way to the supervisor, cheap to clone.
#[derive(Clone)]
pub struct Outlet(mpsc::Sender<Message>);

impl Outlet {
    /// Starts the sending thread, which ends when every outlet is gone.
    pub fn start(socket: UnixStream, sources: Arc<Sources>) -> io::Result<(Self, thread::JoinHandle<()>)> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("acta-outlet".to_owned()).spawn(move || {
            Writer { socket: BufWriter::new(socket), broken: false }.run(&receiver, &sources)
        })?;
        Ok((Self(sender), thread))
    }

    /// Says something.
    pub fn send(&self, report: Report) {
        // A closed channel means that the thread is gone with the socket: nobody listens any more.
        self.0.send(Message::Report(Box::new(report))).ok();
    }

    /// Waits until everything that was said is in the socket.
    pub fn flush(&self) {
        let (done, wait) = mpsc::channel();
        if self.0.send(Message::Flush(done)).is_ok() {
            wait.recv().ok();
        }
    }

    /// Says that a moment is there, and waits until it is said: no event of what follows can overtake it.
    pub fn milestone(&self, milestone: Milestone) {
        let at = Count64(clock::monotonic_ns());
        self.send(Report::Milestone { milestone, at });
        self.flush();
    }
}

struct Writer {
    socket: BufWriter<UnixStream>,
    broken: bool,
}

impl Writer {
    fn run(mut self, messages: &mpsc::Receiver<Message>, sources: &Sources) {
        let mut open = true;
        while open {
            let mut taken = Vec::new();
            match messages.recv_timeout(ROUND) {
                Ok(message) => taken.push(message),
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => open = false,
            }
            taken.extend(messages.try_iter());
            let mut wrote = self.empty(sources);
            let mut waiting = Vec::new();
            for message in taken {
                match message {
                    Message::Report(report) => {
                        self.write(&report);
                        wrote = true;
                    }
                    Message::Flush(done) => waiting.push(done),
                }
            }
            if wrote && self.socket.flush().is_err() {
                self.broken = true;
            }
            for done in waiting {
                done.send(()).ok();
            }
        }
    }

    fn empty(&mut self, sources: &Sources) -> bool {
        let mut wrote = false;
        while let Some(slot) = sources.events.pop() {
            self.write(&event(slot));
            wrote = true;
        }
        while let Some(entry) = sources.logs.pop() {
            self.write(&log(entry));
            wrote = true;
        }
        let (events, log_lines) = (sources.events.take_lost(), sources.logs.take_lost());
        if events + log_lines > 0 {
            self.write(&Report::Lost { events, log_lines });
            wrote = true;
        }
        wrote
    }

    fn write(&mut self, report: &Report) {
        // Every member is bounded where it is made, so that no line is too long.
        if let Some(line) = encode(report).filter(|_| !self.broken)
            && self.socket.write_all(&line).is_err()
        {
            self.broken = true;
        }
    }
}

fn event(slot: Slot) -> Report {
    let Slot { at, thread, cancel, name, parent, kind } = slot;
    let (name, at) = (name.to_wire(), Count64(at));
    match kind {
        SlotKind::Start { steps } => {
            let (parent, steps) = (parent.map(|parent| parent.to_wire()), i64::from(steps));
            Report::Start { name, parent, steps, at, thread, cancel }
        }
        SlotKind::Step { step, stop } => {
            Report::Step { name, step: i64::from(step), stop, at, thread, cancel }
        }
        SlotKind::Finish => Report::Finish { name, at, thread, cancel },
    }
}

fn log(entry: LogEntry) -> Report {
    let (at, message) = (Count64(entry.at), String::from_utf8_lossy(&entry.message).into_owned());
    match entry.kind {
        LogKind::Line(severity) => Report::Log { severity, message, at },
        LogKind::Recorded(code) => Report::Recorded { code, message, at },
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use acta_ffi::ProgressMonitor as _;

    use super::{super::framing::Decoder, *};
    use crate::builder::monitor::Monitor;

    #[test]
    fn what_happened_before_a_milestone_is_said_before_it() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let sources = Sources::new();
        let (outlet, thread) = Outlet::start(ours, Arc::clone(&sources)).unwrap();
        let monitor = Monitor(Arc::clone(&sources));
        outlet.milestone(Milestone::BuildBegins);
        for round in 0..50 {
            monitor.phase_start(b"p", None, round);
            monitor.phase_finish(b"p");
        }
        outlet.milestone(Milestone::BuildReturned);
        drop(outlet);
        thread.join().unwrap();
        let mut bytes = Vec::new();
        theirs.read_to_end(&mut bytes).unwrap();
        let mut decoder = Decoder::default();
        decoder.feed(&bytes);
        let reports: Vec<Report> = std::iter::from_fn(|| decoder.next().unwrap()).collect();
        assert_eq!(reports.len(), 102);
        assert!(matches!(reports[0], Report::Milestone { milestone: Milestone::BuildBegins, .. }));
        assert!(matches!(reports[101], Report::Milestone { milestone: Milestone::BuildReturned, .. }));
    }

    #[test]
    fn a_supervisor_that_is_gone_blocks_nobody() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        let (outlet, thread) = Outlet::start(ours, Sources::new()).unwrap();
        for _ in 0..3 {
            outlet.milestone(Milestone::ParseBegins);
        }
        drop(outlet);
        thread.join().unwrap();
    }
}
