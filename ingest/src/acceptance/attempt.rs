//! One build of a scenario: in this process; as an `acta build` of its own where a signal or an editor is to stop it; by
//! `acta retry`, which decides itself what the recorded policy asks for.

mod editor;
mod process;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use acta_ledger::{
    evidence::{build::BuildSummary, cancel::CancelSource},
    log::digest::Sha256Digest,
};
use clap::Parser as _;

use super::{
    host::{Host, later, send},
    portal::Portal,
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
    /// The portal, where it can be asked to stop a build.
    pub portal: Option<&'a Portal>,
}

impl Maker<'_> {
    /// Makes a build by the arguments of `acta build`.
    pub fn make(&self, arguments: &[String], stop: Option<Stop>) -> Result<Made> {
        match stop {
            Some(Stop { way: Way::Signal(signal), after }) => {
                self.process(arguments, Some(after), |child, _| send(child, signal))
            }
            Some(Stop { way: Way::Portal, after }) => self.over_portal(arguments, after),
            Some(Stop { way: Way::Editor, after }) => self.editor(arguments, after),
            other => self.in_process(arguments, other),
        }
    }

    /// Retries a run by `acta retry`; fails where that refuses.
    pub fn retry(&self, arguments: &[String]) -> Result<Made> {
        self.process(arguments, None, |_, _| {})
    }

    /// Builds in a process of its own that tells the server of itself, and asks the portal to stop it.
    fn over_portal(&self, arguments: &[String], after: Duration) -> Result<Made> {
        let portal = self.portal.ok_or_else(|| CliError::failure("there is no portal to ask"))?;
        let mut answer = None;
        let made = self.process(arguments, Some(after), |_, said| answer = Some(portal.stop(said)))?;
        let taken = answer.transpose()?.unwrap_or(false);
        // Signed, it must be on record, whatever the build says of itself.
        Ok(Made { asked: taken || made.summary.cancel.is_some(), ..made })
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
                    Way::Thread | Way::Signal(_) | Way::Portal | Way::Editor => {
                        (CancelSource::Api, "a thread of the program")
                    }
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
