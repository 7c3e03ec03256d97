//! The worker process: started, spoken to, listened to, killed.

use std::{
    collections::VecDeque,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    process::{Child, Command},
    sync::mpsc,
    task::JoinHandle,
};

use super::{
    framing::{Decoder, ProtocolError, cut, encode},
    protocol::{BuildOrder, Order, Report, SOCKET_VARIABLE},
};
use crate::error::{CliError, Result};

/// The hidden command that makes this program a worker.
pub const WORKER_COMMAND: &str = "__worker";

/// How many lines of the worker's own output are kept.
const TAIL_LINES: usize = 100;

/// The longest of these lines in bytes.
const TAIL_LINE_BYTES: usize = 1024;

/// The longest path of a Unix socket that every system takes.
const MAX_SOCKET_PATH: usize = 100;

/// A running worker.
pub struct Worker {
    /// The process; its end is awaited beside the reports.
    pub child: Child,
    /// What it says, until it says no more.
    pub reports: mpsc::Receiver<Heard>,
    pid: u32,
    orders: mpsc::UnboundedSender<Order>,
    connection: JoinHandle<()>,
    output: Arc<Mutex<Tail>>,
    outputs: Vec<JoinHandle<()>>,
    _folder: TempDir,
}

/// What came over the socket.
#[derive(Debug)]
pub enum Heard {
    /// A report.
    Report(Box<Report>),
    /// Something that is no report.
    Garbage(String),
}

/// The last lines that the worker (or the library in it) printed.
#[derive(Debug, Default)]
pub struct Tail {
    /// Which stream, and the line.
    pub lines: VecDeque<(&'static str, String)>,
    /// How many lines before them were dropped.
    pub dropped: u64,
}

impl Worker {
    /// Starts a worker and orders the build.
    pub fn start(order: BuildOrder) -> Result<Self> {
        let failed = |what: &str, error: &std::io::Error| {
            CliError::failure(format!("cannot start the worker: {what}")).found(error.to_string())
        };
        let folder = private_folder().map_err(|error| failed("no temporary folder", &error))?;
        let path = folder.path().join("events");
        let listener = UnixListener::bind(&path).map_err(|error| failed("no socket", &error))?;
        let program = std::env::current_exe().map_err(|error| failed("no program", &error))?;
        let mut child = Command::new(program)
            .arg(WORKER_COMMAND)
            .env(SOCKET_VARIABLE, &path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: the terminal's Ctrl-C reaches the supervisor only.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed("no process", &error))?;
        let pid = child.id().ok_or_else(|| CliError::failure("the worker ended at once"))?;
        let output = Arc::new(Mutex::new(Tail::default()));
        let mut outputs = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            outputs.push(tokio::spawn(keep_tail("stdout", stdout, Arc::clone(&output))));
        }
        if let Some(stderr) = child.stderr.take() {
            outputs.push(tokio::spawn(keep_tail("stderr", stderr, Arc::clone(&output))));
        }
        let (orders, orders_in) = mpsc::unbounded_channel();
        // Bounded: a supervisor that falls behind makes the worker's queues count, not this process grow.
        let (reports_out, reports) = mpsc::channel(1024);
        let order = Order::Build(Box::new(order));
        orders.send(order).map_err(|_| CliError::failure("the worker cannot be ordered"))?;
        let connection = tokio::spawn(converse(listener, pid, orders_in, reports_out));
        Ok(Self { child, pid, orders, reports, connection, output, outputs, _folder: folder })
    }

    /// The worker's process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Says something to it.
    pub fn order(&self, order: Order) {
        self.orders.send(order).ok();
    }

    /// Kills it, with whatever it started; after its end the number may be somebody else's.
    pub fn kill(&self) {
        let alive = self.child.id().and_then(|pid| i32::try_from(pid).ok());
        let group = alive.and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        }
    }

    /// Stops waiting for more, and gives what it printed.
    pub async fn close(mut self) -> Tail {
        self.connection.abort();
        self.kill();
        self.child.wait().await.ok();
        for output in self.outputs {
            // A process that the library left behind may hold the pipe open: what is there is enough.
            tokio::time::timeout(std::time::Duration::from_millis(500), output).await.ok();
        }
        std::mem::take(&mut *self.output.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn private_folder() -> std::io::Result<TempDir> {
    let make = |parent: &Path| {
        tempfile::Builder::new()
            .prefix("acta-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(parent)
    };
    let parent = std::env::temp_dir();
    if parent.as_os_str().len() + 32 <= MAX_SOCKET_PATH { make(&parent) } else { make(Path::new("/tmp")) }
}

/// Takes the worker's connection, passes orders to it and reports from it, until it closes.
async fn converse(
    listener: UnixListener,
    pid: u32,
    mut orders: mpsc::UnboundedReceiver<Order>,
    reports: mpsc::Sender<Heard>,
) {
    let Some(socket) = accept(&listener, pid).await else { return };
    let (mut from, mut to) = socket.into_split();
    let speaking = tokio::spawn(async move {
        while let Some(order) = orders.recv().await {
            let Some(line) = encode(&order) else { continue };
            if to.write_all(&line).await.is_err() {
                return;
            }
        }
    });
    let mut decoder = Decoder::default();
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        decoder.feed(&buffer[..count]);
        loop {
            let heard = match decoder.next() {
                Ok(Some(report)) => Heard::Report(Box::new(report)),
                Ok(None) => break,
                Err(ProtocolError::Json(error)) => Heard::Garbage(error.to_string()),
                Err(error @ ProtocolError::TooLong) => {
                    reports.send(Heard::Garbage(error.to_string())).await.ok();
                    speaking.abort();
                    return;
                }
            };
            if reports.send(heard).await.is_err() {
                return;
            }
        }
    }
    speaking.abort();
}

/// Takes the connection of that process and of no other.
async fn accept(listener: &UnixListener, pid: u32) -> Option<UnixStream> {
    loop {
        let (socket, _) = listener.accept().await.ok()?;
        let theirs = socket.peer_cred().ok().and_then(|peer| peer.pid());
        if theirs.and_then(|pid| u32::try_from(pid).ok()) == Some(pid) {
            return Some(socket);
        }
    }
}

async fn keep_tail(stream: &'static str, mut from: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>) {
    let mut buffer = vec![0; 1 << 12];
    let mut line = Vec::new();
    let keep = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line);
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        if tail.lines.len() == TAIL_LINES {
            tail.lines.pop_front();
            tail.dropped += 1;
        }
        tail.lines.push_back((stream, cut(&text, TAIL_LINE_BYTES).to_owned()));
        line.clear();
    };
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        for &byte in &buffer[..count] {
            if byte == b'\n' {
                keep(&mut line);
            } else if line.len() < TAIL_LINE_BYTES {
                line.push(byte);
            }
        }
    }
    if !line.is_empty() {
        keep(&mut line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn of_the_output_the_last_lines_are_kept() {
        let text: String = (0..TAIL_LINES + 5).map(|n| format!("line {n}\n")).collect();
        let tail = Arc::new(Mutex::new(Tail::default()));
        keep_tail("stdout", format!("{text}no end{}", "x".repeat(5000)).as_bytes(), Arc::clone(&tail)).await;
        let tail = tail.lock().unwrap();
        assert_eq!((tail.lines.len(), tail.dropped), (TAIL_LINES, 6));
        assert_eq!(tail.lines[0].1, "line 6");
        assert_eq!(tail.lines[TAIL_LINES - 1].1.len(), TAIL_LINE_BYTES);
    }

    #[test]
    fn the_folder_of_the_socket_is_private() {
        let folder = private_folder().unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
    }
}
