//! A build in a process of its own: how it is started, heard and asked to stop at the right moment.

use std::{
    io::{BufRead as _, BufReader, Read},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use acta_ledger::{evidence::build::BuildSummary, log::digest::Sha256Digest};
use serde::Deserialize;

use super::{Made, Maker};
use crate::{
    clock,
    error::{CliError, Result},
};

/// What `acta build` says when its build call has begun, and when it has returned.
const BEGAN: &str = "building: ";
const RETURNED: &str = "the build call returned";

/// How much of what a process says is kept for an error.
const MAX_SAID: usize = 4096;

/// What `acta build --json` prints, and what an editor is answered.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Printed {
    predicate: BuildSummary,
    envelope_digest: Sha256Digest,
}

/// What was heard of a build.
pub struct Heard {
    /// The end of what it said.
    pub said: String,
    /// It was asked before it said that the build call had returned.
    asked_in_time: bool,
}

impl Printed {
    /// The build that it tells about.
    pub fn made(self, heard: &Heard) -> Made {
        let asked = heard.asked_in_time || self.predicate.cancel.is_some();
        Made { summary: self.predicate, digest: self.envelope_digest, asked }
    }
}

/// The error of a build that could not be made.
pub fn failed(arguments: &[String], what: &str, found: impl ToString) -> CliError {
    let command = arguments.first().map_or("", String::as_str);
    CliError::failure(format!("acta {command}: {what}")).found(found.to_string())
}

impl Maker<'_> {
    /// Builds in a process of its own. So long after it said that the build call had begun it is asked to stop, by its
    /// number or by what it said of itself.
    pub(super) fn process(
        &self,
        arguments: &[String],
        after: Option<Duration>,
        ask: impl FnOnce(u32, &str),
    ) -> Result<Made> {
        let mut child = self.start(arguments, "--json", Stdio::null())?;
        let pid = child.id();
        let (printed, lines) = (child.stdout.take(), lines(&mut child));
        let printed = thread::spawn(move || {
            let mut bytes = Vec::new();
            printed.map_or(Ok(0), |mut printed| printed.read_to_end(&mut bytes)).map(|_| bytes)
        });
        let heard = follow(&lines, after, |said| ask(pid, said));
        let status = self.end(&mut child);
        let printed = printed.join().map_err(|_| failed(arguments, "its output was not read", ""))?;
        let printed = printed.map_err(|error| failed(arguments, "its output cannot be read", error))?;
        let printed: Printed = serde_json::from_slice(&printed)
            .map_err(|_| failed(arguments, "it printed no evidence", format!("{status}: {}", heard.said)))?;
        Ok(printed.made(&heard))
    }

    /// Starts this program with the arguments, where the terminal's Ctrl-C does not reach it.
    pub(super) fn start(&self, arguments: &[String], speak: &str, stdin: Stdio) -> Result<Child> {
        let program = std::env::current_exe().map_err(|error| failed(arguments, "cannot be found", error))?;
        let child = Command::new(program)
            .arg("--home")
            .arg(self.home.root())
            .args(arguments)
            .arg(speak)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| failed(arguments, "cannot be started", error))?;
        self.host.watch_child(Some(child.id()));
        Ok(child)
    }

    /// Waits for its end; how it ended, in words.
    pub(super) fn end(&self, child: &mut Child) -> String {
        let status = child.wait();
        self.host.watch_child(None);
        status.map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// The lines that it says, as they come.
fn lines(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel();
    if let Some(stderr) = child.stderr.take() {
        thread::spawn(move || tell(stderr, &sender));
    }
    lines
}

/// Tells the lines of a stream until it ends, or nobody listens.
pub fn tell(stream: impl Read, to: &mpsc::Sender<String>) {
    for line in BufReader::new(stream).lines().map_while(std::result::Result::ok) {
        if to.send(line).is_err() {
            return;
        }
    }
}

/// Follows what a build says to its end. So long after it said that the build call had begun, it is asked to stop.
pub fn follow(lines: &mpsc::Receiver<String>, after: Option<Duration>, ask: impl FnOnce(&str)) -> Heard {
    let (mut said, mut ask) = (String::new(), Some(ask));
    let (mut due, mut asked, mut returned): (Option<u64>, Option<u64>, Option<u64>) = (None, None, None);
    loop {
        let now = clock::monotonic_ns();
        let wait = due.filter(|_| asked.is_none()).map(|due| Duration::from_nanos(due.saturating_sub(now)));
        match lines.recv_timeout(wait.unwrap_or(Duration::from_secs(3600))) {
            Ok(line) => {
                if let Some(after) = after.filter(|_| due.is_none() && line.contains(BEGAN)) {
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
                if let Some(ask) = ask.take() {
                    ask(&said);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let asked_in_time = asked.is_some_and(|asked| returned.is_none_or(|returned| asked < returned));
    Heard { said, asked_in_time }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_once_and_only_after_it_began() {
        for (words, after, asks, in_time) in [
            (&["0.1 s parsing the network"][..], Some(0), 0, false),
            (&["0.2 s building: Building engine"], None, 0, false),
            (&["0.2 s building: Building engine", "0.3 s building: Other"], Some(0), 1, true),
        ] {
            let (sender, lines) = mpsc::channel();
            let mut asked = 0;
            let heard = thread::scope(|scope| {
                scope.spawn(move || {
                    for word in words {
                        sender.send((*word).to_owned()).unwrap();
                        thread::sleep(Duration::from_millis(20));
                    }
                });
                follow(&lines, after.map(Duration::from_millis), |_| asked += 1)
            });
            assert_eq!((asked, heard.asked_in_time), (asks, in_time), "{words:?}");
            assert_eq!(heard.said, words.join("\n") + "\n");
        }
    }
}
