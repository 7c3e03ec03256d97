//! One build of a scenario: in this process; as an `acta build` of its own where a signal is to stop it; by `acta retry`,
//! which decides itself what the recorded policy asks for.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use acta_ledger::{
    evidence::{build::BuildSummary, cancel::CancelSource},
    log::digest::Sha256Digest,
};
use clap::Parser as _;
use rustix::process::Signal;
use serde::Deserialize;

use super::{
    host::{Host, later, send},
    recipe::Way,
};
use crate::{
    builder::{
        progress::{Progress, Watcher},
        record::Record,
        source::Requests,
    },
    cli::{Cli, Command as Parsed},
    clock,
    command::build::Build,
    error::{CliError, Result},
    home::Home,
    ui::{Color, Ui},
};

/// What `acta build` says when its build call has begun, and when it has returned.
const BEGAN: &str = "building: ";
const RETURNED: &str = "the build call returned";

/// How much of what a process says is kept for an error.
const MAX_SAID: usize = 4096;

/// A build that was made.
pub struct Made {
    /// Its summary, as it was signed.
    pub summary: BuildSummary,
    /// The digest of its entry.
    pub digest: Sha256Digest,
    /// Whether it was asked to stop while its build call ran.
    pub asked: bool,
}

/// A request to stop: from where, and how long after the build call's begin.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// From where.
    pub way: Way,
    /// When.
    pub after: Duration,
}

/// Who builds.
pub struct Maker<'a> {
    /// The agent's folder.
    pub home: &'a Home,
    /// The program around the builds.
    pub host: &'a Host,
}

impl Maker<'_> {
    /// Makes a build by the arguments of `acta build`.
    pub fn make(&self, arguments: &[String], stop: Option<Stop>) -> Result<Made> {
        match stop {
            Some(Stop { way: Way::Signal(signal), after }) => self.process(arguments, Some((signal, after))),
            other => self.in_process(arguments, other),
        }
    }

    /// Retries a run by `acta retry`; fails where that refuses.
    pub fn retry(&self, arguments: &[String]) -> Result<Made> {
        self.process(arguments, None)
    }

    /// Builds here; the summary is that of the attempt itself.
    fn in_process(&self, arguments: &[String], stop: Option<Stop>) -> Result<Made> {
        let build = parse(arguments)?;
        let ui = Ui::new(true, Color::Never);
        let moments = Arc::new(Moments::default());
        let (began, begins) = mpsc::channel();
        let mut began = Some(began);
        let seen = Arc::clone(&moments);
        let watcher: Watcher = Box::new(move |record: &Record| {
            if record.times.build_began.is_some()
                && let Some(began) = began.take()
            {
                // Where nobody is to ask, nobody waits for it.
                began.send(()).ok();
            }
            if let Some(at) = record.times.build_returned {
                seen.returned.store(at, Ordering::SeqCst);
            }
        });
        let event_loop = self.host.event_loop().clone();
        let asking = Arc::clone(&moments);
        let host = move |requests: &Requests| {
            let progress = Progress::told(ui, watcher);
            let Some(Stop { way, after }) = stop else { return progress };
            let requests = requests.clone();
            let ask = move || {
                asking.asked.store(clock::monotonic_ns(), Ordering::SeqCst);
                let (source, reason) = match way {
                    Way::EventLoop => (CancelSource::EventLoop, "a task of the program's event loop"),
                    Way::Thread | Way::Signal(_) => (CancelSource::Api, "a thread of the program"),
                };
                requests.ask(source, format!("acceptance test: {reason}"));
            };
            // The build's end drops the sender, so that this thread ends with it at the latest.
            thread::spawn(move || {
                if begins.recv().is_err() {
                    return;
                }
                if way == Way::EventLoop {
                    later(&event_loop, after, ask);
                } else {
                    thread::sleep(after);
                    ask();
                }
            });
            progress
        };
        let (_, signed) = build.build(self.home, ui, host)?;
        let asked = moments.asked_in_time() || signed.summary.cancel.is_some();
        Ok(Made { summary: signed.summary, digest: signed.sealed.digest, asked })
    }

    /// Builds in a process of its own, and signals it so long after it said that the build call had begun.
    fn process(&self, arguments: &[String], stop: Option<(Signal, Duration)>) -> Result<Made> {
        let command = arguments.first().map_or("", String::as_str);
        let failed =
            |what: &str, found: String| CliError::failure(format!("acta {command}: {what}")).found(found);
        let program =
            std::env::current_exe().map_err(|error| failed("cannot be found", error.to_string()))?;
        let mut child = Command::new(program)
            .arg("--home")
            .arg(self.home.root())
            .args(arguments)
            .arg("--json")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| failed("cannot be started", error.to_string()))?;
        let pid = child.id();
        self.host.watch_child(Some(pid));
        let ended = listen(&mut child, stop);
        let status = child.wait();
        self.host.watch_child(None);
        let Heard { stdout, said, asked_in_time } =
            ended.map_err(|error| failed("cannot be heard", error))?;
        let printed: Printed = serde_json::from_slice(&stdout).map_err(|_| {
            let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            failed("it printed no evidence", format!("{status}: {said}"))
        })?;
        let asked = asked_in_time || printed.predicate.cancel.is_some();
        Ok(Made { summary: printed.predicate, digest: printed.envelope_digest, asked })
    }
}

/// When what happened, in nanoseconds of the monotonic clock; 0 is never.
#[derive(Debug, Default)]
struct Moments {
    asked: AtomicU64,
    returned: AtomicU64,
}

impl Moments {
    /// Whether it was asked before the build call returned: then the request must be on record.
    fn asked_in_time(&self) -> bool {
        let (asked, returned) = (self.asked.load(Ordering::SeqCst), self.returned.load(Ordering::SeqCst));
        asked > 0 && (returned == 0 || asked < returned)
    }
}

/// What `acta build --json` prints.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    predicate: BuildSummary,
    envelope_digest: Sha256Digest,
}

struct Heard {
    stdout: Vec<u8>,
    said: String,
    asked_in_time: bool,
}

/// Hears a process to its end, and signals it on the way.
fn listen(child: &mut Child, stop: Option<(Signal, Duration)>) -> Result<Heard, String> {
    let pid = child.id();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (mut stdout, stderr) = stdout.zip(stderr).ok_or_else(|| "it has no output".to_owned())?;
    let printed = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(std::result::Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut said = String::new();
    let (mut due, mut asked, mut returned): (Option<u64>, _, _) = (None, None, None);
    loop {
        let now = clock::monotonic_ns();
        let wait = due.filter(|_| asked.is_none()).map(|due| Duration::from_nanos(due.saturating_sub(now)));
        match lines.recv_timeout(wait.unwrap_or(Duration::from_secs(3600))) {
            Ok(line) => {
                if let Some((_, after)) = stop.filter(|_| due.is_none() && line.contains(BEGAN)) {
                    due = Some(clock::monotonic_ns() + after.as_nanos() as u64);
                }
                if line.contains(RETURNED) {
                    returned.get_or_insert(clock::monotonic_ns());
                }
                said.push_str(&line);
                said.push('\n');
                // The end says why.
                while said.len() > MAX_SAID {
                    said.remove(0);
                }
            }
            Err(RecvTimeoutError::Timeout) if wait.is_some() => {
                asked = Some(clock::monotonic_ns());
                if let Some((signal, _)) = stop {
                    send(pid, signal);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let stdout = printed.join().map_err(|_| "its output was not read".to_owned())?;
    let stdout = stdout.map_err(|error| error.to_string())?;
    let asked_in_time = asked.is_some_and(|asked: u64| returned.is_none_or(|returned| asked < returned));
    Ok(Heard { stdout, said, asked_in_time })
}

/// The command, as the command line would give it.
fn parse(arguments: &[String]) -> Result<Box<Build>> {
    let words = std::iter::once("acta").chain(arguments.iter().map(String::as_str));
    match Cli::try_parse_from(words) {
        Ok(Cli { command: Parsed::Build(build), .. }) => Ok(build),
        Ok(_) => Err(CliError::failure("the test's own command is no build")),
        Err(error) => Err(CliError::failure("the test's own command is wrong").found(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_after_the_return_is_none() {
        for (asked, returned, in_time) in
            [(0, 5, false), (3, 5, true), (5, 5, false), (7, 5, false), (3, 0, true)]
        {
            let moments = Moments { asked: AtomicU64::new(asked), returned: AtomicU64::new(returned) };
            assert_eq!(moments.asked_in_time(), in_time, "{asked} {returned}");
        }
    }
}
