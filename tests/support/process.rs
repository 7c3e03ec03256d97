//! Real processes: the server, the agent, and a folder that goes away with them.

use std::{
    io::Write as _,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::limit::Limit;

/// How long a server may take to answer.
const START: Duration = Duration::from_secs(20);

/// A program that the workspace builds, beside the running test.
///
/// # Panics
///
/// Says which command builds it, if it is not there.
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    let folder = own.parent().expect("a program lies in a folder");
    // A test lies in target/<profile>/deps, a program beside the others.
    let folder =
        if folder.ends_with("deps") { folder.parent().expect("deps lies in a folder") } else { folder };
    let path = folder.join(name);
    assert!(path.exists(), "{} is not built: run `cargo build --workspace` (or `make test`)", path.display());
    path
}

/// The ports that are given to servers: below those that the system gives to whoever does not care which.
const PORTS: std::ops::Range<u16> = 10_000..32_000;

/// An address of this machine that nobody listens on, for a server that is started later and perhaps more than once.
///
/// A port of the system's choice would not do: once it is let go, the next one who asks may get it as well, and two tests
/// would talk to one server.
///
/// # Panics
///
/// If every port is taken.
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Programs that run at the same time begin at different places.
    let begin = std::process::id().wrapping_mul(997) % u32::from(PORTS.end - PORTS.start);
    let next = || {
        let place =
            (begin + u32::from(NEXT.fetch_add(1, Ordering::Relaxed))) % u32::from(PORTS.end - PORTS.start);
        SocketAddr::from((Ipv4Addr::LOCALHOST, PORTS.start + place as u16))
    };
    let free = PORTS.map(|_| next()).find(|address| TcpListener::bind(address).is_ok());
    free.expect("a free port")
}

/// A server process on a folder of its own; killed when dropped.
pub struct Server {
    folder: TempDir,
    address: SocketAddr,
    flags: Vec<String>,
    child: Option<Child>,
    _limit: Limit,
}

impl Server {
    /// Starts one with the flags on a free port.
    pub fn start(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self::start_on(folder, flags)
    }

    /// Starts one on what is in the folder `data` of a folder.
    pub fn start_on(folder: TempDir, flags: &[&str]) -> Self {
        let address = free_address();
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let mut server = Self { folder, address, flags, child: None, _limit: Limit::start() };
        server.restart();
        server
    }

    /// The server's address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its folder.
    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The process that runs.
    ///
    /// # Panics
    ///
    /// If it was killed or stopped.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("the server runs").id()
    }

    /// `acta-server` on this server's folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("acta-server"));
        command.arg("--data-dir").arg(self.data_dir()).args(arguments).env("ACTA_LOG", "warn");
        command
    }

    /// Runs `acta-server` to its end.
    pub fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("acta-server starts");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("input is read");
        child.wait_with_output().expect("acta-server ends")
    }

    /// Starts the process again and waits until it answers.
    pub fn restart(&mut self) {
        self.kill();
        let address = self.address.to_string();
        let mut command = self.command(&["serve", "--listen", &address]);
        let child = command.args(&self.flags).stdin(Stdio::null()).spawn().expect("acta-server starts");
        self.child = Some(child);
        let begun = Instant::now();
        loop {
            let answers = TcpStream::connect(self.address).is_ok();
            let ended = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            assert!(ended.is_none(), "the server ended: {ended:?}");
            if answers {
                break;
            }
            assert!(begun.elapsed() < START, "the server does not answer");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the process with SIGKILL, as a power cut would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself; what matters is that it is gone.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Whether the process ended by itself within a moment, and then that it is gone.
    pub fn is_gone(&mut self) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(2) {
            let ended = self.child.as_mut().is_none_or(|child| child.try_wait().is_ok_and(|it| it.is_some()));
            if ended {
                self.child = None;
                return true;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        false
    }

    /// Stops the process in order.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            signal(&child, "TERM");
            let _ = child.wait();
        }
    }

    /// A one-time token for an agent.
    pub fn token(&self, agent: &str) -> String {
        let output = self.run(&["agent", "token", "--label", agent, "--print-only"], "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Reads JSON; the server must let everybody read.
    pub fn get(&self, path: &str) -> Value {
        let body =
            ureq::get(format!("{}{path}", self.url())).call().expect("an answer").into_body().read_to_vec();
        serde_json::from_slice(&body.expect("a body")).expect("JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends a signal by its name to a process.
pub fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(status.is_ok_and(|status| status.success()), "kill -{name}");
}

/// An agent with a home of its own.
pub struct Agent {
    home: TempDir,
    _limit: Limit,
}

/// How a run of `acta` ended.
pub struct Ended {
    /// Its status.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it said beside that.
    pub stderr: String,
}

impl Ended {
    /// Its exit code; -1 where a signal ended it.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or(-1)
    }

    /// The one JSON object that it printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { status: output.status, stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl Agent {
    /// An agent with a key.
    pub fn init() -> Self {
        let agent = Self { home: tempfile::tempdir().expect("a folder"), _limit: Limit::start() };
        agent.ok(&["init"]);
        agent
    }

    /// An agent with a key that is enrolled.
    pub fn enrolled(server: &Server, name: &str) -> Self {
        let agent = Self::init();
        agent.ok(&["enrol", "--server", &server.url(), "--token", &server.token(name)]);
        agent
    }

    /// Its folder.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// `acta` with this agent's home.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("acta"));
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests lies in the workspace");
        command.args(arguments).env("ACTA_HOME", self.home.path().join("state")).current_dir(workspace);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs `acta` to its end.
    pub fn run(&self, arguments: &[&str]) -> Ended {
        self.command(arguments).output().expect("acta starts").into()
    }

    /// Runs `acta`, which must succeed.
    pub fn ok(&self, arguments: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code(), 0, "acta {arguments:?}: {}{}", ended.stdout, ended.stderr);
        ended
    }

    /// Writes a file into its folder and returns the path.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.home.path().join(name);
        std::fs::write(&path, bytes).expect("a file is written");
        path.to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;

    #[test]
    fn no_two_servers_get_one_address_and_the_system_gives_it_to_nobody() {
        let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
        let first: u16 = range.split_whitespace().next().unwrap().parse().unwrap();
        assert!(PORTS.end <= first, "{range}");
        let taken = TcpListener::bind(free_address()).unwrap();
        let all: BTreeSet<SocketAddr> = (0..500).map(|_| free_address()).collect();
        assert_eq!(all.len(), 500);
        assert!(all.iter().all(|address| PORTS.contains(&address.port())));
        assert!(!all.contains(&taken.local_addr().unwrap()));
    }
}
