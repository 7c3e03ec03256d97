//! Connections to the supervisor's socket: who may speak, what is said to them, and what they say.
//!
//! ```text
//! supervisor's loop <--Heard-- one bounded channel <-- a task a connection <--lines-- worker, or clients in a command
//!        |                                                    |
//!        +--cancel, closing (each one value that all see)-----+--lines--> cancel order
//! ```
//! The channel is bounded: a supervisor that falls behind makes the other side's queues fill and count what they lose,
//! and does not grow itself. Whoever connects after a cancel gets its order at once.

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Poll,
};

use acta_ledger::evidence::cancel::CancelSource;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc, watch},
    task::{JoinHandle, JoinSet},
};

use super::{
    external::intake::Intake,
    framing::{Decoder, ProtocolError, encode},
    protocol::{BuildOrder, Order, Report},
};
use crate::clock;

/// How many messages wait for the supervisor's loop.
const WAITING: usize = 1024;

/// How many clients are listened to at once; further ones are turned away.
pub const MAX_CLIENTS: usize = 64;

/// What came over the socket.
#[derive(Debug)]
pub enum Heard {
    /// A report.
    Report(Box<Report>),
    /// Something that is no report.
    Garbage(String),
}

/// Who may speak.
pub enum Speakers {
    /// The worker, known by its process: one connection, which is ordered to build.
    Worker(Box<BuildOrder>),
    /// Whatever the command starts: several processes, one after another or at once.
    Clients,
}

/// What the supervisor's loop holds of all connections.
pub struct Connections {
    cancel: watch::Sender<Option<CancelSource>>,
    closing: watch::Sender<bool>,
    open: Arc<AtomicUsize>,
    listening: JoinHandle<()>,
}

impl Connections {
    /// Begins to listen; what is heard comes out of the channel, which ends with the last connection.
    pub fn listen(listener: UnixListener, pid: u32, speakers: Speakers) -> (Self, mpsc::Receiver<Heard>) {
        let (reports, heard) = mpsc::channel(WAITING);
        let (cancel, closing) = (watch::Sender::new(None), watch::Sender::new(false));
        let open = Arc::new(AtomicUsize::new(0));
        let (began_ns, heard_cancel) = (clock::monotonic_ns(), cancel.subscribe());
        let desk = Desk { reports, cancel: heard_cancel, open: Arc::clone(&open), began_ns };
        let closed = closing.subscribe();
        let listening = match speakers {
            Speakers::Worker(order) => tokio::spawn(desk.hear_worker(listener, closed, pid, order)),
            Speakers::Clients => tokio::spawn(desk.hear_clients(listener, closed)),
        };
        (Self { cancel, closing, open, listening }, heard)
    }

    /// Tells everybody who is connected, and whoever will be, to stop; says how many are connected now.
    pub fn cancel(&self, source: CancelSource) -> usize {
        self.cancel.send_replace(Some(source));
        self.open.load(Ordering::SeqCst)
    }

    /// Takes no new connection; the open ones are heard to their end.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Hears nobody any more.
    pub fn abort(&self) {
        self.listening.abort();
    }
}

/// What each connection needs.
#[derive(Clone)]
struct Desk {
    reports: mpsc::Sender<Heard>,
    cancel: watch::Receiver<Option<CancelSource>>,
    open: Arc<AtomicUsize>,
    /// When the process was started, in nanoseconds of the monotonic clock.
    began_ns: u64,
}

impl Desk {
    /// Takes the connection of that process and of no other.
    async fn hear_worker(
        self,
        listener: UnixListener,
        mut closed: watch::Receiver<bool>,
        pid: u32,
        order: Box<BuildOrder>,
    ) {
        while let Some(socket) = next(&listener, &mut closed).await {
            let theirs = socket.peer_cred().ok().and_then(|peer| peer.pid());
            if theirs.and_then(|pid| u32::try_from(pid).ok()) == Some(pid) {
                return self.converse(socket, Some(Order::Build(order)), None).await;
            }
        }
    }

    /// Takes every connection of this user.
    async fn hear_clients(self, listener: UnixListener, mut closed: watch::Receiver<bool>) {
        let own = rustix::process::getuid().as_raw();
        // Ends with this task: whoever aborts it hears nobody any more.
        let mut conversations = JoinSet::new();
        let mut number = 0;
        while let Some(socket) = next(&listener, &mut closed).await {
            while conversations.try_join_next().is_some() {}
            if socket.peer_cred().ok().map(|peer| peer.uid()) != Some(own) {
                continue;
            }
            if conversations.len() >= MAX_CLIENTS {
                let found = format!("more than {MAX_CLIENTS} clients at once: one was turned away");
                self.reports.send(Heard::Garbage(found)).await.ok();
                continue;
            }
            conversations.spawn(self.clone().converse(
                socket,
                None,
                Some(Intake::new(number, self.began_ns)),
            ));
            number += 1;
        }
        while conversations.join_next().await.is_some() {}
    }

    async fn converse(self, socket: UnixStream, first: Option<Order>, intake: Option<Intake>) {
        let (from, to) = socket.into_split();
        self.open.fetch_add(1, Ordering::SeqCst);
        let speaking = speak(to, first, self.cancel.clone());
        let hearing = hear(from, intake, self.reports.clone());
        // Either side's end ends both: nobody is left there, or nobody may speak any more.
        tokio::select! {
            () = hearing => {}
            () = speaking => {}
        }
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The next connection; none when no more are taken and none waits any more.
async fn next(listener: &UnixListener, closed: &mut watch::Receiver<bool>) -> Option<UnixStream> {
    let no_more = async { drop(closed.wait_for(|closed| *closed).await) };
    tokio::select! {
        biased;
        accepted = listener.accept() => return accepted.ok().map(|(socket, _)| socket),
        () = no_more => {}
    }
    // A process that spoke and ended at once may wait here still.
    poll_fn(|context| match listener.poll_accept(context) {
        Poll::Ready(accepted) => Poll::Ready(accepted.ok().map(|(socket, _)| socket)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Says the first order, and the cancel as soon as there is one. Ends never: a peer that reads no more may go on to speak.
async fn speak(
    mut to: OwnedWriteHalf,
    first: Option<Order>,
    mut cancel: watch::Receiver<Option<CancelSource>>,
) {
    if let Some(line) = first.as_ref().and_then(encode) {
        to.write_all(&line).await.ok();
    }
    let source = cancel.wait_for(Option::is_some).await.ok().and_then(|source| *source);
    if let Some(line) = source.and_then(|source| encode(&Order::Cancel { source })) {
        to.write_all(&line).await.ok();
    }
    std::future::pending().await
}

async fn hear(mut from: OwnedReadHalf, mut intake: Option<Intake>, reports: mpsc::Sender<Heard>) {
    let mut decoder = Decoder::default();
    let mut buffer = vec![0; 1 << 16];
    'open: while let Ok(count @ 1..) = from.read(&mut buffer).await {
        decoder.feed(&buffer[..count]);
        loop {
            let heard = match decoder.next::<Report>() {
                Ok(None) => break,
                Ok(Some(report)) => Heard::Report(Box::new(report)),
                Err(ProtocolError::Json(error)) => Heard::Garbage(error.to_string()),
                Err(error @ ProtocolError::TooLong) => {
                    let what = error.to_string();
                    let said =
                        intake.as_mut().map_or(Heard::Garbage(what.clone()), |intake| intake.broken(&what));
                    reports.send(said).await.ok();
                    break 'open;
                }
            };
            let (heard, refused) = match &mut intake {
                Some(intake) => intake.admit(heard),
                None => (Some(heard), false),
            };
            if let Some(heard) = heard
                && reports.send(heard).await.is_err()
            {
                return;
            }
            if refused {
                break 'open;
            }
        }
    }
    for last in intake.map_or_else(Vec::new, Intake::end) {
        reports.send(last).await.ok();
    }
}
