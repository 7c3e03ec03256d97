//! Where requests to stop come from: each source is one small task that puts them into the one channel which the
//! supervisor's loop hears.
//!
//! A source takes the moment itself, before it hands the request over: what is measured is how long the builder took to
//! listen, and the way to it belongs to that.

use std::time::Duration;

use acta_ledger::evidence::cancel::CancelSource;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{
    clock,
    error::{CliError, Result},
};

/// How many requests wait at most. The first one counts, so that whoever comes when so many wait has lost nothing.
const CAPACITY: usize = 64;

/// Somebody asks to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Who.
    pub source: CancelSource,
    /// Why, in their words.
    pub reason: String,
    /// When, in nanoseconds of the monotonic clock.
    pub at: u64,
    /// A person at the terminal pressed a key: pressing again says more.
    pub press: bool,
}

/// Where a source puts its requests.
#[derive(Debug, Clone)]
pub struct Requests(mpsc::Sender<Request>);

/// Where the supervisor finds them.
pub type Inbox = mpsc::Receiver<Request>;

/// Makes the channel.
pub fn channel() -> (Requests, Inbox) {
    let (sender, receiver) = mpsc::channel(CAPACITY);
    (Requests(sender), receiver)
}

impl Requests {
    /// Asks now.
    pub fn ask(&self, source: CancelSource, reason: impl Into<String>) {
        self.send(Request { source, reason: reason.into(), at: clock::monotonic_ns(), press: false });
    }

    /// Hands a request over.
    pub fn send(&self, request: Request) {
        self.0.try_send(request).ok();
    }
}

/// Listens to the signals that ask for a cancel, inside a runtime; from here on none of them ends the program.
pub fn signals(requests: &Requests) -> Result<()> {
    let listen =
        |kind| signal(kind).map_err(|e| CliError::failure("cannot listen to signals").found(e.to_string()));
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let mut hangup = listen(SignalKind::hangup())?;
    let requests = requests.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                Some(()) = interrupt.recv() => requests.send(Request {
                    source: CancelSource::CtrlC,
                    reason: "Ctrl-C".to_owned(),
                    at: clock::monotonic_ns(),
                    press: true,
                }),
                Some(()) = terminate.recv() => requests.ask(CancelSource::Service, "SIGTERM"),
                Some(()) = hangup.recv() => {
                    requests.ask(CancelSource::CtrlC, "the terminal was closed (SIGHUP)");
                }
                else => return,
            }
        }
    });
    Ok(())
}

/// Asks when so much time is over, counted from now. The deadline's own moment counts, not the one at which it is seen.
pub fn deadline(requests: &Requests, timeout: Duration) {
    let (end, at) =
        (Instant::now() + timeout, clock::monotonic_ns().saturating_add(timeout.as_nanos() as u64));
    let requests = requests.clone();
    tokio::spawn(async move {
        sleep_until(end).await;
        let reason = format!("--timeout of {timeout:?} is over");
        requests.send(Request { source: CancelSource::Ci, reason, at, press: false });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_deadline_asks_once_and_with_its_own_moment() {
        let (requests, mut inbox) = channel();
        let before = clock::monotonic_ns();
        deadline(&requests, Duration::from_millis(5));
        let request = inbox.recv().await.unwrap();
        assert_eq!((request.source, request.press), (CancelSource::Ci, false));
        let seen = clock::monotonic_ns();
        assert!((before + 5_000_000..=seen).contains(&request.at), "{request:?} was seen at {seen}");
        assert!(request.reason.contains("--timeout of 5ms"), "{request:?}");
        drop(requests);
        assert_eq!(inbox.recv().await, None);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_flood_of_requests_is_bounded_and_the_first_is_kept() {
        let (requests, mut inbox) = channel();
        for n in 0..10_000 {
            requests.ask(CancelSource::Api, format!("request {n}"));
        }
        assert_eq!(inbox.recv().await.unwrap().reason, "request 0");
        assert_eq!(inbox.len(), CAPACITY - 1);
    }
}
