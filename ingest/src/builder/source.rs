//! Where requests to stop come from: each source is one small task that puts them into the one channel which the
//! supervisor's loop hears.
//!
//! A source takes the moment itself, before it hands the request over: what is measured is how long the builder took to
//! listen, and the way to it belongs to that.

use std::time::Duration;

use acta_ledger::{evidence::cancel::CancelSource, log::timestamp::Timestamp};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
    time::{Instant, sleep_until},
};

use super::{cancel::Asker, request};
use crate::{
    clock,
    error::{CliError, Result},
};

/// How many requests wait at most. The first one counts, so that whoever comes when so many wait has lost nothing.
const CAPACITY: usize = 64;

/// Somebody asks to stop.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Who.
    pub source: CancelSource,
    /// Why, in their words.
    pub reason: String,
    /// When, in nanoseconds of the monotonic clock.
    pub at: u64,
    /// A person at the terminal pressed a key: pressing again says more.
    pub press: bool,
    /// Who asked from elsewhere, where somebody did.
    pub by: Option<Box<Asker>>,
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
        self.send(Request {
            source,
            reason: reason.into(),
            at: clock::monotonic_ns(),
            press: false,
            by: None,
        });
    }

    /// Whether whoever hears has heard everything.
    #[cfg(test)]
    pub fn is_idle(&self) -> bool {
        self.0.capacity() == self.0.max_capacity()
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
                    by: None,
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

/// A time after which a build is to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// Counted from when the build begins to be watched.
    span: Duration,
    /// What the record says once it is over.
    reason: String,
}

impl Limit {
    /// Reads `--timeout`.
    pub fn timeout(text: &str) -> Result<Self> {
        let span = request::parse_duration(text)?;
        Ok(Self { span, reason: format!("--timeout of {span:?} is over") })
    }

    /// Reads `--deadline`, a moment of the wall clock. From here on only the monotonic clock counts: a wall clock that
    /// is set meanwhile moves no deadline.
    pub fn deadline(text: &str, now: Timestamp) -> Result<Self> {
        let wrong = |what: &str| {
            CliError::usage(what)
                .field("--deadline")
                .found(text)
                .expected(format!("a moment in the future, like 2026-11-30T06:00:00Z; it is {now} now"))
        };
        let at: Timestamp = text.parse().map_err(|_| wrong("this is no moment"))?;
        let left = u64::try_from(at.unix_ms() - now.unix_ms()).ok().filter(|&ms| ms > 0);
        let span = Duration::from_millis(left.ok_or_else(|| wrong("the deadline has passed"))?);
        Ok(Self { span, reason: format!("--deadline {at} has come") })
    }
}

/// Asks when so much time is over, counted from now. The limit's own moment counts, not the one at which it is seen.
pub fn deadline(requests: &Requests, limit: &Limit) {
    let Limit { span, reason } = limit.clone();
    // A clock cannot count further than this; nor does anybody wait so long.
    let span = span.min(Duration::from_secs(10 * 366 * 86_400));
    let at = clock::monotonic_ns().saturating_add(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX));
    let (end, requests) = (Instant::now() + span, requests.clone());
    tokio::spawn(async move {
        sleep_until(end).await;
        requests.send(Request { source: CancelSource::Ci, reason, at, press: false, by: None });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_deadline_asks_once_and_with_its_own_moment() {
        let (requests, mut inbox) = channel();
        let before = clock::monotonic_ns();
        deadline(&requests, &Limit::timeout("5ms").unwrap());
        let request = inbox.recv().await.unwrap();
        assert_eq!((request.source, request.press), (CancelSource::Ci, false));
        let seen = clock::monotonic_ns();
        assert!((before + 5_000_000..=seen).contains(&request.at), "{request:?} was seen at {seen}");
        assert!(request.reason.contains("--timeout of 5ms"), "{request:?}");
        drop(requests);
        assert_eq!(inbox.recv().await, None);
    }

    #[test]
    fn a_deadline_is_a_moment_to_come() {
        let now: Timestamp = "2026-11-30T05:00:00Z".parse().unwrap();
        let limit = Limit::deadline("2026-11-30T07:00:00+01:00", now).unwrap();
        assert_eq!(limit.span, Duration::from_secs(3_600));
        assert!(limit.reason.contains("2026-11-30T06:00:00"), "{}", limit.reason);
        for (wrong, words) in
            [("06:00", "no moment"), ("2026-11-30T05:00:00Z", "passed"), ("1999-01-01T00:00:00Z", "passed")]
        {
            let error = Limit::deadline(wrong, now).unwrap_err().to_string();
            assert!(
                error.contains(words) && error.contains("--deadline") && error.contains("05:00:00"),
                "{error}"
            );
        }
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
