//! The gate between a client in a foreign program and the record: what is too much is cut, what is wrong is counted.
//!
//! A connection begins with a `hello` of our protocol. Then each report is bounded (texts, lists, numbers, times) and
//! goes on; what is no report, or is none of a client's, is said for the first few and counted as lost for the rest. A
//! client cannot make the supervisor fail, stop, or grow.

use std::collections::HashMap;

use acta_ledger::evidence::{
    build::{ProfileRecord, TensorRecord},
    number::Count64,
};

use crate::{
    builder::{
        connection::Heard,
        framing::cut,
        protocol::{Done, LibraryFamily, MAX_MESSAGE_BYTES, Name, Report, VERSION},
    },
    clock,
};

/// How much that is no report is said in words.
const MAX_SAID: u64 = 8;

/// How many threads of a client are told apart; the last number stands for all others.
const MAX_THREADS: u32 = 64;

/// The longest name of a client, in bytes.
const MAX_CLIENT_BYTES: usize = 128;

/// The longest reason, in bytes.
const MAX_REASON_BYTES: usize = 256;

/// The longest path, in bytes, as Linux bounds it.
const MAX_PATH_BYTES: usize = 4096;

/// How many tensors or profiles of a network, and how long their names, in bytes.
const MAX_LIST: (usize, usize) = (64, 256);

/// How many records of a failure, and how long each, in bytes.
const MAX_RECORDS: (usize, usize) = (20, 512);

/// How much a client may say at once that it lost.
const MAX_LOST: u64 = 1 << 48;

/// One connection's gate.
pub struct Intake {
    /// The connection's number, counted from 0.
    number: u32,
    /// No event can be older than the connection's command.
    began_ns: u64,
    greeted: bool,
    last_word: bool,
    threads: HashMap<u32, u32>,
    wrong: u64,
    moved_times: u64,
}

impl Intake {
    /// Begins a connection to a command that was started at that reading of the monotonic clock.
    pub fn new(number: u32, began_ns: u64) -> Self {
        Self {
            number,
            began_ns,
            greeted: false,
            last_word: false,
            threads: HashMap::new(),
            wrong: 0,
            moved_times: 0,
        }
    }

    /// What goes on of something that was heard, and whether the connection is to be closed.
    pub fn admit(&mut self, heard: Heard) -> (Option<Heard>, bool) {
        let report = match heard {
            Heard::Report(report) => *report,
            Heard::Garbage(what) => return (self.wrong(&what), false),
        };
        if !self.greeted {
            return match report {
                Report::Hello { protocol: VERSION, pid, language, client } => {
                    self.greeted = true;
                    let client = client.map(|client| text(client, MAX_CLIENT_BYTES));
                    (go_on(Report::Hello { protocol: VERSION, pid, language, client }), false)
                }
                Report::Hello { protocol, .. } => {
                    (Some(self.broken(&format!("it speaks protocol {protocol}, this is {VERSION}"))), true)
                }
                _ => (Some(self.broken("its first word is no hello")), true),
            };
        }
        match self.bounded(report) {
            Ok(report) => (report.and_then(go_on), false),
            Err(what) => (self.wrong(what), false),
        }
    }

    /// What breaks the connection is always said.
    pub fn broken(&mut self, what: &str) -> Heard {
        self.wrong = self.wrong.saturating_add(1);
        Heard::Garbage(format!("{}: {what}, and its connection was closed", self.who()))
    }

    /// What is to be said at the connection's end.
    pub fn end(self) -> Vec<Heard> {
        let mut last = Vec::new();
        let mut say = |what: String| last.push(Heard::Garbage(what));
        let who = self.who();
        if self.wrong > MAX_SAID {
            say(format!("{who}: {} messages in all that are no reports, counted as lost", self.wrong));
        }
        if self.moved_times > 0 {
            say(format!("{who}: {} times outside its command's life were moved into it", self.moved_times));
        }
        if self.greeted && !self.last_word {
            say(format!("{who} went without a last word"));
        }
        if self.wrong > 0 {
            last.extend(go_on(Report::Lost { events: self.wrong, log_lines: 0 }));
        }
        last
    }

    fn who(&self) -> String {
        format!("client {}", self.number)
    }

    fn wrong(&mut self, what: &str) -> Option<Heard> {
        self.wrong = self.wrong.saturating_add(1);
        (self.wrong <= MAX_SAID)
            .then(|| Heard::Garbage(format!("{}: {}", self.who(), cut(what, MAX_REASON_BYTES))))
    }

    fn bounded(&mut self, report: Report) -> Result<Option<Report>, &'static str> {
        Ok(Some(match report {
            Report::Start { name, parent, steps, at, thread, cancel } => {
                let (name, parent) = (name.bounded(), parent.map(Name::bounded));
                let (at, thread) = (self.time(at), self.thread(thread));
                Report::Start { name, parent, steps, at, thread, cancel }
            }
            Report::Step { name, step, stop, at, thread, cancel } => {
                let (name, at, thread) = (name.bounded(), self.time(at), self.thread(thread));
                Report::Step { name, step, stop, at, thread, cancel }
            }
            Report::Finish { name, at, thread, cancel } => {
                let (name, at, thread) = (name.bounded(), self.time(at), self.thread(thread));
                Report::Finish { name, at, thread, cancel }
            }
            Report::Milestone { milestone, at } => Report::Milestone { milestone, at: self.time(at) },
            Report::Lost { events, log_lines } => {
                Report::Lost { events: events.min(MAX_LOST), log_lines: log_lines.min(MAX_LOST) }
            }
            Report::Log { severity, message, at } => {
                Report::Log { severity, message: text(message, MAX_MESSAGE_BYTES), at: self.time(at) }
            }
            Report::Recorded { code, message, at } => {
                Report::Recorded { code, message: text(message, MAX_MESSAGE_BYTES), at: self.time(at) }
            }
            Report::Requested { source, reason, at } => {
                let reason = reason.map(|reason| text(reason, MAX_REASON_BYTES));
                Report::Requested { source, reason, at: self.time(at) }
            }
            Report::Delivered { at } => Report::Delivered { at: self.time(at) },
            Report::Deferred { at } => Report::Deferred { at: self.time(at) },
            Report::Library { family, path, parser_path, version } => Report::Library {
                family,
                path: library_path(path, family)?,
                parser_path: parser_path.map(|path| text(path, MAX_PATH_BYTES)),
                version,
            },
            Report::Network { source, digest, bytes, layers, inputs, outputs, strongly_typed } => {
                let source = source.map(|source| text(source, MAX_PATH_BYTES));
                let (inputs, outputs) = (tensors(inputs), tensors(outputs));
                Report::Network { source, digest, bytes, layers, inputs, outputs, strongly_typed }
            }
            Report::Config(mut config) => {
                config.targets.truncate(MAX_LIST.0);
                config.profiles = profiles(config.profiles);
                Report::Config(config)
            }
            Report::Artifact { path, kind } => {
                if path.len() > MAX_PATH_BYTES {
                    return Err("the path of an artifact is longer than 4096 bytes");
                }
                Report::Artifact { path, kind }
            }
            Report::Failed { stage, message, records } => {
                let mut records = records;
                records.truncate(MAX_RECORDS.0);
                let records = records.into_iter().map(|record| text(record, MAX_RECORDS.1)).collect();
                Report::Failed { stage, message: text(message, MAX_MESSAGE_BYTES / 2), records }
            }
            // The last word of a client is not the command's: it may build again, or do anything else.
            Report::Done(Done { stopped_outside_build, .. }) => {
                self.last_word = true;
                return Ok(stopped_outside_build.then_some(Report::Stopped));
            }
            Report::Hello { .. } => return Err("a second hello"),
            Report::Cache(_) | Report::Plan { .. } | Report::Stopped => {
                return Err("only the agent's own worker is believed on this");
            }
        }))
    }

    /// A client's time, moved into the command's life: a clock that is not ours makes no moments.
    fn time(&mut self, at: Count64) -> Count64 {
        let moved = at.0.clamp(self.began_ns, clock::monotonic_ns().max(self.began_ns));
        self.moved_times += u64::from(moved != at.0);
        Count64(moved)
    }

    /// A client's thread, numbered apart from those of other clients.
    fn thread(&mut self, thread: u32) -> u32 {
        let next = u32::try_from(self.threads.len()).unwrap_or(MAX_THREADS).min(MAX_THREADS - 1);
        let full = self.threads.len() >= MAX_THREADS as usize;
        let own = match self.threads.get(&thread) {
            Some(&own) => own,
            None if full => MAX_THREADS - 1,
            None => {
                self.threads.insert(thread, next);
                next
            }
        };
        self.number.saturating_mul(MAX_THREADS).saturating_add(own)
    }
}

fn go_on(report: Report) -> Option<Heard> {
    Some(Heard::Report(Box::new(report)))
}

fn text(text: String, bytes: usize) -> String {
    if text.len() <= bytes { text } else { cut(&text, bytes).to_owned() }
}

/// The path is opened to take the file's digest: it must be a library by its name.
fn library_path(path: String, family: LibraryFamily) -> Result<String, &'static str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = match family {
        LibraryFamily::TensorrtRtx => "libtensorrt_rtx",
        LibraryFamily::Tensorrt => "libnvinfer",
    };
    if path.starts_with('/') && path.len() <= MAX_PATH_BYTES && name.starts_with(stem) {
        Ok(path)
    } else {
        Err("the library's path is not that of a libtensorrt_rtx or libnvinfer")
    }
}

fn tensors(mut tensors: Vec<TensorRecord>) -> Vec<TensorRecord> {
    tensors.truncate(MAX_LIST.0);
    for tensor in &mut tensors {
        tensor.name = text(std::mem::take(&mut tensor.name), MAX_LIST.1);
        tensor.dtype = text(std::mem::take(&mut tensor.dtype), MAX_LIST.1);
        tensor.dims.truncate(MAX_LIST.0);
    }
    tensors
}

fn profiles(mut profiles: Vec<ProfileRecord>) -> Vec<ProfileRecord> {
    profiles.truncate(MAX_LIST.0);
    for profile in &mut profiles {
        profile.input = text(std::mem::take(&mut profile.input), MAX_LIST.1);
        for shape in [&mut profile.min, &mut profile.opt, &mut profile.max] {
            shape.truncate(MAX_LIST.0);
        }
    }
    profiles
}

#[cfg(test)]
mod tests {
    use acta_ledger::{
        evidence::{
            build::{Language, LibraryVersion},
            cancel::CancelState,
        },
        log::digest::Sha256Digest,
    };

    use super::*;
    use crate::builder::protocol::NAME_BYTES;

    fn hello(protocol: u32) -> Heard {
        let client = Some("c".repeat(1000));
        let hello = Report::Hello { protocol, pid: 1, language: Some(Language::Cpp), client };
        Heard::Report(Box::new(hello))
    }

    fn greeted() -> Intake {
        let mut intake = Intake::new(1, clock::monotonic_ns());
        let (Some(Heard::Report(report)), false) = intake.admit(hello(VERSION)) else { panic!("refused") };
        assert!(matches!(*report, Report::Hello { client: Some(client), .. } if client.len() == 128));
        intake
    }

    fn take(intake: &mut Intake, report: Report) -> Result<Report, String> {
        match intake.admit(Heard::Report(Box::new(report))) {
            (Some(Heard::Report(report)), false) => Ok(*report),
            (Some(Heard::Garbage(what)), _) => Err(what),
            other => panic!("{other:?}"),
        }
    }

    fn start(bytes: Vec<u8>, at: u64, thread: u32) -> Report {
        let (name, cancel) = (Name { bytes, digest: None }, CancelState::None);
        Report::Start { name, parent: None, steps: -5, at: Count64(at), thread, cancel }
    }

    #[test]
    fn a_connection_begins_with_a_hello_of_this_protocol() {
        for (first, words) in [
            (hello(2), "speaks protocol 2, this is 1"),
            (Heard::Report(Box::new(start(vec![], 0, 0))), "first word is no hello"),
        ] {
            let mut intake = Intake::new(7, 0);
            let (said, closed) = intake.admit(first);
            assert!(closed && matches!(said, Some(Heard::Garbage(what)) if what.contains(words)));
        }
    }

    #[test]
    fn names_times_and_threads_are_bounded() {
        let mut intake = greeted();
        let long = vec![0xff; 10_000];
        let Report::Start { name, at, thread, .. } =
            take(&mut intake, start(long.clone(), u64::MAX, 9)).unwrap()
        else {
            panic!("no start")
        };
        assert_eq!((name.bytes.len(), name.digest), (NAME_BYTES, Some(Sha256Digest::of(&long))));
        assert!(at.0 <= clock::monotonic_ns(), "a time that is still to come is moved to now");
        assert_eq!(thread, MAX_THREADS, "the second client's first thread");
        let mut last = 0;
        for thread in 10..10_000 {
            let Report::Start { at, thread, .. } = take(&mut intake, start(vec![], 0, thread)).unwrap()
            else {
                panic!("no start")
            };
            assert!(at.0 >= intake.began_ns);
            last = thread;
        }
        assert_eq!((last, intake.threads.len()), (2 * MAX_THREADS - 1, MAX_THREADS as usize));
        let said: Vec<String> = intake.end().into_iter().map(|heard| format!("{heard:?}")).collect();
        assert!(
            said[0].contains("9991 times outside") && said[1].contains("without a last word"),
            "{said:?}"
        );
    }

    #[test]
    fn what_is_not_a_clients_is_said_a_few_times_and_counted() {
        let mut intake = greeted();
        let plan = Report::Plan { digest: Sha256Digest::of(b""), bytes: 1, at: Count64(0) };
        assert!(take(&mut intake, plan).unwrap_err().contains("only the agent's own worker"));
        let version = LibraryVersion { major: 1, minor: 7, patch: 1, build: 116 };
        for path in ["/dev/zero", "/etc/passwd", "libtensorrt_rtx.so", "/lib/libnvinfer.so"] {
            let (path, family) = (path.to_owned(), LibraryFamily::TensorrtRtx);
            let library = Report::Library { family, path, parser_path: None, version };
            assert!(take(&mut intake, library).unwrap_err().contains("library's path"));
        }
        for round in 0..100 {
            let (said, closed) = intake.admit(Heard::Garbage("x".repeat(10_000)));
            assert_eq!((said.is_some(), closed), (round < 3, false), "{round}");
        }
        let done = Report::Done(Done { stopped_outside_build: true, ..Done::default() });
        assert_eq!(take(&mut intake, done).unwrap(), Report::Stopped);
        let last: Vec<String> = intake.end().into_iter().map(|heard| format!("{heard:?}")).collect();
        assert_eq!(last.len(), 2, "the last word was said, so that nothing is missing: {last:?}");
        assert!(last[0].contains("105 messages") && last[1].contains("events: 105"), "{last:?}");
    }
}
