//! Connections: how many there may be, and how long one may keep silent.
//!
//! Whoever opens connections and says nothing, or says it one byte at a time, must hold up nobody else. So a request's
//! head has a limit (which is also how long a connection may wait for its next request), and there are never more
//! connections than file descriptors for them: further ones wait in the kernel's queue until one ends. How long a
//! request may take after its head is the router's to say.

use std::{convert::Infallible, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    serve::Listener,
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::{Semaphore, watch},
};
use tower::ServiceExt as _;

/// File descriptors that are no connections: the database, blobs, what is being read and written.
const OTHER_FILES: u64 = 512;

/// Connections that may wait to be taken. Beyond them a client is not answered, and asks again only after a second.
const QUEUE: u32 = 4_096;

/// What connections may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long a connection may take for the head of a request, and wait for it to begin.
    pub head: Duration,
    /// How many there may be at once.
    pub connections: usize,
}

impl Limits {
    /// Half a minute, and as many connections as this process may have files: its soft limit is raised to its hard one.
    pub fn of_this_process() -> Self {
        let limit = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        // Where it may not be raised, what there is must do.
        let current = setrlimit(Resource::Nofile, raised).map_or(limit.current, |()| limit.maximum);
        let files = current.map_or(usize::MAX, |files| files as usize);
        let connections = files.saturating_sub(OTHER_FILES as usize).clamp(64, Semaphore::MAX_PERMITS);
        Self { head: Duration::from_secs(30), connections }
    }
}

/// Listens at an address. What is written goes out at once: an answer's last piece would otherwise wait until the client has
/// confirmed the one before, and a client takes its time for that. On Linux connections inherit it from the socket that
/// listens; a test sees that they do.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A server that starts again takes its address back at once.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    let listener = socket.listen(QUEUE)?;
    rustix::net::sockopt::set_tcp_nodelay(&listener, true)?;
    Ok(listener)
}

/// Answers whoever connects until `stop` comes; then finishes the requests that are open.
pub async fn serve<L: Listener<Addr = SocketAddr>>(
    mut listener: L,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head);
    let room = Arc::new(Semaphore::new(limits.connections));
    // Every connection holds a receiver: the sender hears when the last one is gone.
    let (stopping, stops) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let permit = Arc::clone(&room).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, (stream, address)) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let (http, router, mut stops) = (http.clone(), router.clone(), stops.clone());
        tokio::spawn(async move {
            let answer = service_fn(|request| answer(router.clone(), request, address));
            let mut connection = pin!(http.serve_connection(TokioIo::new(stream), answer).with_upgrades());
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = told(&mut stops) => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(client.address = %address, cause = %error, "a connection broke");
            }
            drop((permit, stops));
        });
    }
    drop((listener, stops));
    stopping.send_replace(true);
    stopping.closed().await;
}

/// Waits until the server stops.
async fn told(stops: &mut watch::Receiver<bool>) {
    // The sender outlives every connection.
    let _ = stops.wait_for(|stops| *stops).await;
}

async fn answer(
    router: Router,
    mut request: Request<Incoming>,
    address: SocketAddr,
) -> Result<axum::response::Response, Infallible> {
    request.extensions_mut().insert(ConnectInfo(address));
    router.oneshot(request.map(Body::new)).await
}

#[cfg(test)]
mod tests {
    use std::{net::Ipv4Addr, time::Instant};

    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpStream,
        sync::oneshot,
        task::JoinHandle,
    };

    use super::*;

    #[tokio::test]
    async fn no_part_of_an_answer_waits_for_the_client() {
        let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(listener.accept().await.unwrap().0.nodelay().unwrap());
        drop(client);
    }

    async fn start(limits: Limits) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route(
            "/",
            get(|ConnectInfo(address): ConnectInfo<SocketAddr>| async move { address.ip().to_string() }),
        );
        let (stop, stops) = oneshot::channel();
        let serving = tokio::spawn(serve(listener, router, limits, async {
            let _ = stops.await;
        }));
        (address, stop, serving)
    }

    /// Sends what is given, and gives what comes until the other side closes.
    async fn said(address: SocketAddr, text: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    const ASK: &str = "GET / HTTP/1.1\r\nhost: it\r\nconnection: close\r\n\r\n";

    /// Nobody waits for those who say nothing: they are more than there is room for, and go in time.
    #[tokio::test]
    async fn silent_and_dribbling_connections_are_closed_and_hold_up_nobody() {
        let limits = Limits { head: Duration::from_millis(300), connections: 8 };
        let (address, _stop, _) = start(limits).await;
        let mut silent = Vec::new();
        for _ in 0..8 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        // There is no room: this one is answered when theirs has run out.
        assert!(said(address, ASK).await.ends_with("127.0.0.1"));
        for mut stream in silent {
            assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0, "closed");
        }
        let mut slow = TcpStream::connect(address).await.unwrap();
        let begun = Instant::now();
        while slow.write_all(b"a").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(begun.elapsed() < Duration::from_secs(60), "a head may take forever");
        }
        // A connection that has had its answer and asks nothing further.
        let idle = said(address, "GET / HTTP/1.1\r\nhost: it\r\n\r\n").await;
        assert!(idle.ends_with("127.0.0.1"));
    }

    #[tokio::test]
    async fn a_stop_closes_idle_connections_and_ends() {
        let limits = Limits { head: Duration::from_secs(3600), connections: 8 };
        let (address, stop, serving) = start(limits).await;
        let mut idle = TcpStream::connect(address).await.unwrap();
        assert!(said(address, ASK).await.starts_with("HTTP/1.1 200 OK"));
        stop.send(()).unwrap();
        serving.await.unwrap();
        assert_eq!(idle.read(&mut [0; 1]).await.unwrap_or(0), 0);
    }
}
