//! The process that builds: started in a group of its own, spoken to, listened to, killed.

use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
};

use acta_ledger::evidence::cancel::CancelSource;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    net::UnixListener,
    process::{Child, Command},
    sync::mpsc,
    task::JoinHandle,
};

use super::{
    connection::{Connections, Heard, Speakers},
    framing::cut,
    protocol::{BuildOrder, SOCKET_VARIABLE},
};
use crate::error::{CliError, Result};

/// The hidden command that makes this program a worker.
pub const WORKER_COMMAND: &str = "__worker";

/// What the worker is called in messages.
const WORKER_NOUN: &str = "worker";

/// How many lines of the process's own output are kept.
const TAIL_LINES: usize = 100;

/// The longest of these lines in bytes.
const TAIL_LINE_BYTES: usize = 1024;

/// The longest path of a Unix socket that every system takes.
const MAX_SOCKET_PATH: usize = 100;

/// What to start, and who may speak to its supervisor.
pub struct Launch {
    command: Command,
    /// The process, in messages: `worker` or `command`.
    noun: &'static str,
    speakers: Speakers,
    relays: Option<[Relay; 2]>,
}

/// What a launch builds, in the words of a page.
pub struct Intent {
    /// The model's file, or the command.
    pub model: String,
    /// What was asked for beside the defaults.
    pub settings: BTreeMap<String, String>,
}

/// Where pieces of the process's stdout or stderr go on to.
pub type Relay = mpsc::Sender<Vec<u8>>;

impl Launch {
    /// What it builds.
    pub fn intent(&self) -> Intent {
        let file_name = |path: &Path| {
            path.file_name()
                .map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy())
                .into_owned()
        };
        match &self.speakers {
            Speakers::Worker(order) => {
                let targets: Vec<String> = order.targets.iter().map(|target| format!("sm{target}")).collect();
                let settings = [
                    ("targets", (!targets.is_empty()).then(|| targets.join(" "))),
                    ("flags", (!order.flags.is_empty()).then(|| order.flags.join(" "))),
                    ("optimizationLevel", order.optimization_level.map(|level| level.to_string())),
                    ("threads", order.threads.map(|threads| threads.to_string())),
                    ("timingCache", order.timing_cache.as_ref().map(|file| file_name(Path::new(file)))),
                ];
                let asked = settings.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
                Intent { model: file_name(Path::new(&order.model)), settings: asked.collect() }
            }
            Speakers::Clients => {
                let program = Path::new(self.command.as_std().get_program());
                Intent { model: file_name(program), settings: BTreeMap::new() }
            }
        }
    }

    /// This program itself as the worker of a build.
    pub fn worker(order: BuildOrder) -> Result<Self> {
        let program = std::env::current_exe()
            .map_err(|error| CliError::failure("cannot find this program").found(error.to_string()))?;
        let mut command = Command::new(program);
        command.arg(WORKER_COMMAND);
        Ok(Self { command, noun: WORKER_NOUN, speakers: Speakers::Worker(Box::new(order)), relays: None })
    }

    /// A command whose output goes on to its own readers, and in which any process may be a client.
    pub fn command(command: Command, relays: [Relay; 2]) -> Self {
        Self { command, noun: "command", speakers: Speakers::Clients, relays: Some(relays) }
    }
}

/// A process that builds.
pub struct BuilderProcess {
    /// The process; its end is awaited beside the reports.
    pub child: Child,
    /// What is said over the socket, until nobody says more.
    pub reports: mpsc::Receiver<Heard>,
    noun: &'static str,
    pid: u32,
    connections: Connections,
    output: Arc<Mutex<Tail>>,
    outputs: Vec<JoinHandle<()>>,
    _folder: TempDir,
}

/// The last lines that the process (or the library in it) printed.
#[derive(Debug, Default)]
pub struct Tail {
    /// Which stream, and the line.
    pub lines: VecDeque<(&'static str, String)>,
    /// How many lines before them were dropped.
    pub dropped: u64,
}

impl BuilderProcess {
    /// Starts it.
    pub fn start(launch: Launch) -> Result<Self> {
        let Launch { mut command, noun, speakers, relays } = launch;
        let failed = |what: &str, error: &std::io::Error| {
            CliError::failure(format!("cannot start the {noun}: {what}")).found(error.to_string())
        };
        let folder = private_folder().map_err(|error| failed("no temporary folder", &error))?;
        let path = folder.path().join("events");
        let listener = UnixListener::bind(&path).map_err(|error| failed("no socket", &error))?;
        let mut child = command
            .env(SOCKET_VARIABLE, &path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: the terminal's Ctrl-C reaches the supervisor only.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed("no process", &error))?;
        let pid = child.id().ok_or_else(|| CliError::failure(format!("the {noun} ended at once")))?;
        let output = Arc::new(Mutex::new(Tail::default()));
        let [relay_out, relay_err] = relays.map_or([None, None], |relays| relays.map(Some));
        let mut outputs = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            outputs.push(tokio::spawn(keep_tail("stdout", stdout, Arc::clone(&output), relay_out)));
        }
        if let Some(stderr) = child.stderr.take() {
            outputs.push(tokio::spawn(keep_tail("stderr", stderr, Arc::clone(&output), relay_err)));
        }
        let (connections, reports) = Connections::listen(listener, pid, speakers);
        Ok(Self { child, reports, noun, pid, connections, output, outputs, _folder: folder })
    }

    /// What it is, in messages.
    pub fn noun(&self) -> &'static str {
        self.noun
    }

    /// Whether it is this program's own worker.
    pub fn is_worker(&self) -> bool {
        self.noun == WORKER_NOUN
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Hands a cancel to every monitor that is connected or will be; says how many are connected now.
    pub fn cancel(&self, source: CancelSource) -> usize {
        self.connections.cancel(source)
    }

    /// Takes no new connection: the process is gone.
    pub fn close_socket(&self) {
        self.connections.close();
    }

    /// Interrupts it and whatever it started, as a terminal's Ctrl-C would.
    pub fn interrupt(&self) {
        self.signal_group(Signal::INT);
    }

    /// Kills it, with whatever it started.
    pub fn kill(&self) {
        self.signal_group(Signal::KILL);
    }

    /// After the process's end the number may be somebody else's, unless something of the group is left that holds it.
    fn signal_group(&self, signal: Signal) {
        let alive = self.child.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(group) = alive.and_then(Pid::from_raw) {
            kill_process_group(group, signal).ok();
        }
    }

    /// Stops waiting for more, and gives what it printed.
    pub async fn close(mut self) -> Tail {
        self.connections.abort();
        self.kill();
        self.child.wait().await.ok();
        for mut output in self.outputs {
            // A process that was left behind may hold the pipe open: what is there is enough.
            if tokio::time::timeout(std::time::Duration::from_millis(500), &mut output).await.is_err() {
                output.abort();
                output.await.ok();
            }
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

/// Keeps the last lines of a stream, and hands all of it on to a relay, where there is one.
async fn keep_tail(
    stream: &'static str,
    mut from: impl AsyncRead + Unpin,
    tail: Arc<Mutex<Tail>>,
    relay: Option<Relay>,
) {
    let mut buffer = vec![0; 1 << 14];
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
        if let Some(relay) = &relay {
            // A reader that is gone takes no more; the tail is kept all the same.
            relay.send(buffer[..count].to_vec()).await.ok();
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
    async fn of_the_output_the_last_lines_are_kept_and_all_is_relayed() {
        let text: String = (0..TAIL_LINES + 5).map(|n| format!("line {n}\n")).collect();
        let text = format!("{text}no end{}", "x".repeat(5000));
        let tail = Arc::new(Mutex::new(Tail::default()));
        let (relay, mut relayed) = mpsc::channel(64);
        keep_tail("stdout", text.as_bytes(), Arc::clone(&tail), Some(relay)).await;
        {
            let tail = tail.lock().unwrap();
            assert_eq!((tail.lines.len(), tail.dropped), (TAIL_LINES, 6));
            assert_eq!(tail.lines[0].1, "line 6");
            assert_eq!(tail.lines[TAIL_LINES - 1].1.len(), TAIL_LINE_BYTES);
        }
        let mut all = Vec::new();
        while let Some(piece) = relayed.recv().await {
            all.extend(piece);
        }
        assert_eq!(all, text.as_bytes());
    }

    #[test]
    fn the_folder_of_the_socket_is_private() {
        let folder = private_folder().unwrap();
        let mode = fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
    }
}
