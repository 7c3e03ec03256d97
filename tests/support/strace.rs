//! Faults of the system, injected into a process that runs: `strace` lets a call fail or kills the process in it.

use std::{
    io::{self, BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use tempfile::NamedTempFile;

use crate::process::signal;

/// How long strace may take to attach, and how often that is tried.
const ATTACHES: Duration = Duration::from_secs(30);
const TRIES: u32 = 3;

/// How long strace is asked to let go of a process before it is killed.
const LETS_GO: Duration = Duration::from_secs(10);

/// What happens in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: calls are only written down.
    None,
    /// The call with this number, counted from 1 in each thread, fails with EIO and does nothing.
    Fails(usize),
    /// Each call fails with ENOSPC, as on a full disk.
    NoSpace,
    /// Each call takes so many milliseconds longer, as on a slow disk.
    Delays(u64),
    /// The process is killed when it makes the call with this number.
    Kills(usize),
}

/// An `strace` that is attached to a process.
pub struct Strace {
    child: Child,
    log: NamedTempFile,
}

impl Strace {
    /// Writes calls on these paths down with their moments and every byte, for [`crate::disk`].
    ///
    /// # Panics
    ///
    /// If strace is not installed (`scripts/setup --tests` installs it) or may not attach.
    pub fn record(process: u32, calls: &str, paths: &[&Path]) -> Self {
        Self::run(process, &["-ttt", "-xx", "-s", "1048576", "-e", &format!("trace={calls}")], paths)
    }

    /// Attaches to a process with all its threads and looks at calls on these paths only.
    ///
    /// # Panics
    ///
    /// If strace is not installed (`scripts/setup --tests` installs it) or may not attach.
    pub fn attach(process: u32, calls: &str, paths: &[&Path], fault: Fault) -> Self {
        let trace = format!("trace={calls}");
        let mut options = vec!["-s", "0", "-e", &trace];
        let inject = match fault {
            Fault::None => None,
            Fault::Fails(number) => Some(format!("error=EIO:when={number}")),
            Fault::NoSpace => Some("error=ENOSPC".to_owned()),
            Fault::Delays(ms) => Some(format!("delay_enter={}", ms * 1_000)),
            Fault::Kills(number) => Some(format!("signal=KILL:when={number}")),
        };
        let inject = inject.map(|inject| format!("inject={calls}:{inject}"));
        if let Some(inject) = &inject {
            options.extend(["-e", inject]);
        }
        Self::run(process, &options, paths)
    }

    fn run(process: u32, options: &[&str], paths: &[&Path]) -> Self {
        let attached = (0..TRIES).find_map(|_| Self::try_run(process, options, paths));
        attached.unwrap_or_else(|| panic!("strace does not attach within {ATTACHES:?}, tried {TRIES} times"))
    }

    /// None where it does not attach in time; killed, it lets go of what it has.
    fn try_run(process: u32, options: &[&str], paths: &[&Path]) -> Option<Self> {
        let log = NamedTempFile::new().expect("a file");
        let mut command = Command::new("strace");
        command.args(["-f", "-y", "-p", &process.to_string()]).args(options);
        for path in paths {
            command.arg("-P").arg(path);
        }
        command.arg("-o").arg(log.path()).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("strace starts: scripts/setup --tests installs it");
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (says, hears) = mpsc::channel();
        thread::spawn(move || {
            let mut said = String::new();
            // Without a path of that name yet, it says so and goes on.
            while !said.contains("attached") && stderr.read_line(&mut said).is_ok_and(|length| length > 0) {}
            let _ = says.send(said);
            // It must never wait for somebody to read what else it says.
            io::copy(&mut stderr, &mut io::sink())
        });
        match hears.recv_timeout(ATTACHES) {
            Ok(said) => assert!(said.contains("attached"), "strace does not attach: {said}"),
            Err(_) => {
                child.kill().expect("killed");
                child.wait().expect("gone");
                return None;
            }
        }
        Some(Self { child, log })
    }

    /// Detaches and returns what was written down, a line a call; what was injected says `(INJECTED)`.
    pub fn detach(mut self) -> String {
        let begun = Instant::now();
        // A signal that comes between its look whether there was one and its wait for the next call is noticed only with
        // that call; a process that has nothing to do makes none. So it is asked until it ends. Killed, it lets go as
        // well, and has written every line whose call it saw.
        while self.child.try_wait().expect("strace's state").is_none() {
            signal(&self.child, if begun.elapsed() < LETS_GO { "INT" } else { "KILL" });
            thread::sleep(Duration::from_millis(20));
        }
        std::fs::read_to_string(self.log.path()).expect("strace's log")
    }
}
