//! A way to a server on which one kind of question is refused, as something that stands before a server may do.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The way; its threads end with the process.
pub struct Relay {
    url: String,
    met: Arc<AtomicUsize>,
}

impl Relay {
    /// Leads to the server at `url`. A request in whose address `question` stands is counted, and answered with `status`
    /// where one is given; all else is answered by the server.
    ///
    /// # Panics
    ///
    /// If this machine has no port left.
    pub fn to(url: &str, question: &'static str, status: Option<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let relay = Self {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            met: Arc::default(),
        };
        let (server, met) = (url.trim_start_matches("http://").to_owned(), Arc::clone(&relay.met));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (server, met) = (server.clone(), Arc::clone(&met));
                // Whoever asked may be gone before the end.
                thread::spawn(move || pass_on(client, &server, question, status, &met).ok());
            }
        });
        relay
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How often the question came.
    pub fn met(&self) -> usize {
        self.met.load(Ordering::SeqCst)
    }
}

/// Passes one request on and its answer back; then the connection ends.
fn pass_on(
    mut client: TcpStream,
    server: &str,
    question: &str,
    status: Option<u16>,
    met: &AtomicUsize,
) -> io::Result<()> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head);
    let (address, headers) = head.split_once("\r\n").unwrap_or_default();
    if address.contains(question) {
        met.fetch_add(1, Ordering::SeqCst);
        if let Some(status) = status {
            let answer = format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            return client.write_all(answer.as_bytes());
        }
    }
    let mut server = TcpStream::connect(server)?;
    server.write_all(format!("{address}\r\nconnection: close\r\n{headers}").as_bytes())?;
    io::copy(&mut server, &mut client).map(drop)
}
