//! The thread that speaks: it connects, says what is new, listens, and connects again.
//!
//! One blocking socket with a short limit on reading serves both ways: what the server says is read the moment it comes,
//! and what is new here goes out at the latest when the limit is over. The connection takes the same TLS as every other
//! call of this program, but no proxy: behind one, the page has nothing to show and the evidence is pushed as ever.

use std::{
    io::{self, Read, Write},
    net::{TcpStream, ToSocketAddrs as _},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use acta_ledger::{
    evidence::{
        cancel::{CancelSource, RequestRef},
        cancel_request::CancelRequest,
        number::{Count64, ms},
    },
    live::{CancelOrder, FromAgent, HEARTBEAT_MS, MAX_MESSAGE_BYTES, ToAgent},
    log::{dsse::Envelope, entry::Entry, statement::Statement},
};
use tungstenite::{
    Bytes, Error, Message, WebSocket,
    client::IntoClientRequest as _,
    handshake::HandshakeError,
    http::{StatusCode, header::AUTHORIZATION},
    protocol::{CloseFrame, WebSocketConfig, frame::coding::CloseCode},
};

use super::Speaker;
use crate::{
    builder::{cancel::Asker, source::Request},
    clock,
};

/// How long reading waits: what is new here waits no longer.
const READ: Duration = Duration::from_millis(50);

/// How long connecting, greeting and one message may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long the first and the last wait between two attempts are.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(10));

/// A connection on which nothing came for this long, not even an answer to a ping, is dead.
const DEAD: Duration = Duration::from_secs(10);

/// Both kinds of streams.
trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

type Socket = WebSocket<Box<dyn Stream>>;

/// Why a connection is over.
enum Over {
    /// Everything was said.
    Done,
    /// The server does not want it: trying again is of no use.
    Refused,
    /// It broke, or was never there.
    Broken,
}

/// Speaks until everything is said.
pub fn run(speaker: &Speaker) {
    let mut wait = BACKOFF.0;
    loop {
        let begun = Instant::now();
        match connect(speaker).and_then(|(socket, raw)| Conversation::new(speaker, socket, &raw).hold()) {
            Ok(()) | Err(Over::Done | Over::Refused) => break,
            Err(Over::Broken) => {}
        }
        // A connection that held for a while was a good one.
        wait = if begun.elapsed() > PATIENCE { BACKOFF.0 } else { (wait * 2).min(BACKOFF.1) };
        if rest(speaker, wait) {
            break;
        }
    }
    speaker.shared.slot().gone = true;
    speaker.shared.changed.notify_all();
}

/// Waits before the next attempt; true if there is nothing more to say.
fn rest(speaker: &Speaker, wait: Duration) -> bool {
    let until = Instant::now() + wait;
    while Instant::now() < until {
        if speaker.shared.slot().closing {
            return true;
        }
        thread::sleep(READ);
    }
    speaker.shared.slot().closing
}

fn connect(speaker: &Speaker) -> Result<(Socket, TcpStream), Over> {
    let broken = |_: io::Error| Over::Broken;
    let (tls, rest) = match speaker.url.split_once("://") {
        Some(("https", rest)) => (true, rest),
        Some(("http", rest)) => (false, rest),
        _ => return Err(Over::Refused),
    };
    let url = format!("{}://{rest}/api/v1/live/channel", if tls { "wss" } else { "ws" });
    let mut request = url.into_client_request().map_err(|_| Over::Refused)?;
    let token = format!("Bearer {}", speaker.token).parse().map_err(|_| Over::Refused)?;
    request.headers_mut().insert(AUTHORIZATION, token);
    let host = request.uri().host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = request.uri().port_u16().unwrap_or(if tls { 443 } else { 80 });
    let addresses = (host.as_str(), port).to_socket_addrs().map_err(broken)?;
    let connected =
        addresses.into_iter().find_map(|address| TcpStream::connect_timeout(&address, PATIENCE).ok());
    let raw = connected.ok_or(Over::Broken)?;
    raw.set_nodelay(true).map_err(broken)?;
    raw.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    raw.set_write_timeout(Some(PATIENCE)).map_err(broken)?;
    let stream = raw.try_clone().map_err(broken)?;
    let stream: Box<dyn Stream> = if tls { Box::new(encrypted(stream, host)?) } else { Box::new(stream) };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    match tungstenite::client::client_with_config(request, stream, Some(config)) {
        Ok((socket, _)) => Ok((socket, raw)),
        Err(HandshakeError::Failure(Error::Http(response))) if refuses(response.status()) => {
            Err(Over::Refused)
        }
        Err(_) => Err(Over::Broken),
    }
}

/// Whether the server will say the same again: an older one that has no channel, or a token that is not valid.
fn refuses(status: StatusCode) -> bool {
    status.is_client_error()
        && status != StatusCode::REQUEST_TIMEOUT
        && status != StatusCode::TOO_MANY_REQUESTS
}

/// The TLS of the program's other calls: rustls with ring and the roots of webpki.
fn encrypted(
    stream: TcpStream,
    host: String,
) -> Result<rustls::StreamOwned<rustls::ClientConnection, TcpStream>, Over> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| Over::Refused)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = host.try_into().map_err(|_| Over::Refused)?;
    let connection = rustls::ClientConnection::new(Arc::new(config), name).map_err(|_| Over::Refused)?;
    Ok(rustls::StreamOwned::new(connection, stream))
}

/// One connection.
struct Conversation<'a> {
    speaker: &'a Speaker,
    socket: Socket,
    raw: &'a TcpStream,
    /// When something came last.
    heard: Instant,
    /// When something was said last.
    said: Option<Instant>,
    pinged: Option<Instant>,
    /// The shortest way there and back so far, in nanoseconds.
    round_trip: Option<u64>,
}

impl<'a> Conversation<'a> {
    fn new(speaker: &'a Speaker, socket: Socket, raw: &'a TcpStream) -> Self {
        Self { speaker, socket, raw, heard: Instant::now(), said: None, pinged: None, round_trip: None }
    }

    fn hold(mut self) -> Result<(), Over> {
        self.say(&FromAgent::Build(Box::new(self.speaker.build.clone())))?;
        self.raw.set_read_timeout(Some(READ)).map_err(|_| Over::Broken)?;
        loop {
            self.ping()?;
            if self.news()? {
                return self.part();
            }
            self.listen()?;
            if self.heard.elapsed() > DEAD {
                return Err(Over::Broken);
            }
        }
    }

    /// Says what is new, or that all is as it was; true if nothing more will come.
    fn news(&mut self) -> Result<bool, Over> {
        let quiet = self.said.is_none_or(|said| said.elapsed().as_millis() >= u128::from(HEARTBEAT_MS));
        let (state, closing) = {
            let mut slot = self.speaker.shared.slot();
            // A connection that is new has everything before it.
            let due = slot.fresh || quiet;
            slot.fresh = false;
            (slot.state.clone().filter(|_| due), slot.closing)
        };
        if let Some(mut state) = state {
            state.now = Count64(clock::monotonic_ns());
            self.said = Some(Instant::now());
            self.say(&FromAgent::State(Box::new(state)))?;
        }
        Ok(closing)
    }

    fn say(&mut self, word: &FromAgent) -> Result<(), Over> {
        let text = serde_json::to_string(word).map_err(|_| Over::Refused)?;
        self.socket.send(Message::text(text)).map_err(|_| Over::Broken)
    }

    /// Measures the way there and back, about once a second.
    fn ping(&mut self) -> Result<(), Over> {
        if self.pinged.is_some_and(|at| at.elapsed().as_millis() < u128::from(HEARTBEAT_MS)) {
            return Ok(());
        }
        self.pinged = Some(Instant::now());
        let now = Bytes::from(clock::monotonic_ns().to_be_bytes().to_vec());
        self.socket.send(Message::Ping(now)).map_err(|_| Over::Broken)
    }

    fn listen(&mut self) -> Result<(), Over> {
        let message = match self.socket.read() {
            Ok(message) => message,
            Err(Error::Io(error)) if is_nothing(&error) => return Ok(()),
            Err(_) => return Err(Over::Broken),
        };
        let now = clock::monotonic_ns();
        self.heard = Instant::now();
        match message {
            Message::Text(text) => {
                // What cannot be read is of a newer server, or of nobody whom this agent must obey.
                if let Ok(ToAgent::Cancel(order)) = serde_json::from_str(&text)
                    && let Some(request) = self.request(&order, now)
                {
                    self.speaker.requests.send(request);
                }
                Ok(())
            }
            Message::Pong(sent) => {
                let sent = <[u8; 8]>::try_from(&sent[..]).ok().map(u64::from_be_bytes);
                let trip = sent.and_then(|sent| now.checked_sub(sent));
                self.round_trip = self.round_trip.into_iter().chain(trip).min();
                Ok(())
            }
            Message::Close(Some(frame)) if frame.code == CloseCode::Policy => Err(Over::Refused),
            Message::Close(_) => Err(Over::Broken),
            Message::Binary(_) | Message::Ping(_) | Message::Frame(_) => Ok(()),
        }
    }

    /// The request as a source of cancels puts it; none where the portal has not signed it for this run.
    fn request(&self, order: &CancelOrder, received: u64) -> Option<Request> {
        let envelope = Envelope::parse(order.envelope.to_string().as_bytes()).ok()?;
        let (envelope, _) = envelope.verified(&[self.speaker.portal], 1).ok()?;
        let wanted: CancelRequest = Statement::from_envelope(&envelope).ok()?.predicate().ok()?;
        if wanted.run != self.speaker.build.run {
            return None;
        }
        let way = self.round_trip.map(|trip| trip / 2);
        let request = RequestRef {
            id: wanted.request,
            entry: Entry::of(&envelope).ok()?.digest(),
            server_at: wanted.at,
            held_ms: ms(order.held.0),
            uncertainty_ms: way.map(ms),
        };
        Some(Request {
            source: CancelSource::Api,
            reason: wanted.reason,
            at: received.saturating_sub(order.held.0).saturating_sub(way.unwrap_or(0)),
            press: false,
            by: Some(Box::new(Asker { who: wanted.by.account, request })),
        })
    }

    /// Says goodbye, and waits until the server has heard it.
    fn part(&mut self) -> Result<(), Over> {
        let frame = CloseFrame { code: CloseCode::Normal, reason: "the build has ended".into() };
        self.socket.close(Some(frame)).map_err(|_| Over::Done)?;
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until {
            match self.socket.read() {
                Ok(_) => {}
                Err(Error::Io(error)) if is_nothing(&error) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }
}

fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
