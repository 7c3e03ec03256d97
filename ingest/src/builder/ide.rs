//! An editor's side of a build: JSON-RPC 2.0 over stdin and stdout, framed as the Language Server Protocol frames it.
//!
//! ```text
//! --> {"id":1,"method":"acta/build","params":{"workDoneToken":"b1"}}
//! <-- {"method":"$/progress","params":{"token":"b1","value":{"kind":"begin","title":...,"cancellable":true}}}
//! <-- {"method":"$/progress","params":{"token":"b1","value":{"kind":"report","message":...,"phase":...,"step":2,"total":6}}}
//! --> {"method":"$/cancelRequest","params":{"id":1}}        or window/workDoneProgress/cancel with the token
//! <-- {"method":"$/progress","params":{"token":"b1","value":{"kind":"end","message":...}}}
//! <-- {"id":1,"result":{"predicate":...,"envelopeDigest":...,"entryIndex":...}}
//! ```
//! A report says steps and never a percentage: the library does not finish all the steps that it announces. An editor
//! that closes the pipe is gone, and cancels. An editor that does not read holds up nobody: reports that find no place
//! are left out, the last words wait.

pub mod frame;
mod rpc;

use std::{
    io::{self, Write as _},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use acta_ledger::evidence::cancel::CancelSource;
use serde_json::{Value, json};

use self::{
    frame::{Frames, encode},
    rpc::{Asked, Id, Word},
};
use super::{record::Record, source::Requests};
use crate::{
    error::{CliError, Result},
    ui::harmless,
};

/// Messages that wait for an editor that does not read.
const WAITING: usize = 64;

/// How long the last words may take to be read.
const LAST_WORD: Duration = Duration::from_secs(2);

/// The code of a request that failed, as LSP has it.
const REQUEST_FAILED: i64 = -32803;

/// A session with an editor that has asked for the build.
pub struct Ide {
    asked: Asked,
    out: Out,
    requests: Arc<Mutex<Option<Requests>>>,
    reports: Reports,
    writer: mpsc::Receiver<()>,
}

/// The way to the editor.
#[derive(Clone)]
struct Out(mpsc::SyncSender<Option<Value>>);

impl Out {
    /// Says something that must be said, unless nobody reads for too long.
    fn send(&self, message: Value) {
        self.put(Some(message));
    }

    fn put(&self, message: Option<Value>) {
        let (mut message, until) = (message, Instant::now() + LAST_WORD);
        while let Err(mpsc::TrySendError::Full(back)) = self.0.try_send(message) {
            if Instant::now() >= until {
                return;
            }
            message = back;
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Says something, if there is room.
    fn offer(&self, message: Value) {
        self.0.try_send(Some(message)).ok();
    }
}

/// Where the build's progress goes.
#[derive(Clone)]
pub struct Reports {
    out: Out,
    token: Option<Value>,
    /// What was said last: the same need not be said again.
    last: Arc<Mutex<Value>>,
}

impl Ide {
    /// Waits until the editor asks for the build. Whatever else it asks for before is answered.
    pub fn connect() -> Result<Self> {
        let (sender, receiver) = mpsc::sync_channel(WAITING);
        let (done, writer) = mpsc::channel();
        thread::spawn(move || {
            write(&receiver);
            drop(done);
        });
        let (out, requests) = (Out(sender), Arc::new(Mutex::new(None::<Requests>)));
        let (first, asked) = mpsc::channel();
        let (answers, to_ask) = (out.clone(), Arc::clone(&requests));
        thread::spawn(move || read(&answers, &first, &to_ask));
        let asked: Asked = asked.recv().map_err(|_| {
            CliError::usage("stdin ended before the editor asked for the build")
                .field("--ide")
                .expected(r#"{"jsonrpc":"2.0","id":1,"method":"acta/build"} behind a Content-Length header"#)
        })?;
        let reports = Reports { out: out.clone(), token: asked.token.clone(), last: Arc::default() };
        Ok(Self { asked, out, requests, reports, writer })
    }

    /// Lets the editor cancel from here on; what it asked for before counts now.
    pub fn attach(&self, requests: &Requests) {
        let mut slot = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(requests.clone());
        if let Some(reason) = self.asked.stopped.lock().unwrap_or_else(PoisonError::into_inner).take() {
            requests.ask(CancelSource::Ide, reason);
        }
    }

    /// Where progress goes; says that it begins.
    pub fn begin(&self, title: &str) -> Reports {
        self.reports.say(json!({ "kind": "begin", "title": harmless(title), "cancellable": true }), true);
        self.reports.clone()
    }

    /// The last words: how it ended, and what was signed or why nothing was.
    pub fn end(self, ended: std::result::Result<&Value, &CliError>) {
        let message = match ended {
            Ok(object) => object["predicate"]["outcome"].as_str().unwrap_or_default().to_owned(),
            Err(error) => error.to_string(),
        };
        self.reports.say(json!({ "kind": "end", "message": message }), true);
        self.out.send(match ended {
            Ok(object) => rpc::result(&self.asked.id, object),
            Err(error) => {
                rpc::error(&self.asked.id, REQUEST_FAILED, &error.to_string(), Some(error.to_json()))
            }
        });
        // The reading thread has a way out as long as the editor does not close: the writer is told that this is the end.
        self.out.put(None);
        self.writer.recv_timeout(LAST_WORD).ok();
    }
}

impl Reports {
    /// Reports how the build stands.
    pub fn show(&self, record: &Record, status: &str) {
        let mut value = json!({ "kind": "report", "message": status });
        if let Some(phase) = record.tree.open_phases().last() {
            value["phase"] = json!(harmless(&phase.name));
            value["step"] = json!(phase.steps_completed);
            value["total"] = json!(phase.steps_announced);
        }
        self.say(value, false);
    }

    fn say(&self, value: Value, must: bool) {
        let Some(token) = &self.token else { return };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last == value {
            return;
        }
        *last = value.clone();
        let message =
            json!({ "jsonrpc": "2.0", "method": "$/progress", "params": { "token": token, "value": value } });
        if must { self.out.send(message) } else { self.out.offer(message) }
    }
}

/// Writes until there is nothing more to say, or nobody reads.
fn write(messages: &mpsc::Receiver<Option<Value>>) {
    let mut stdout = io::stdout().lock();
    for message in messages {
        let Some(message) = message else { return };
        if stdout.write_all(&encode(&message)).and_then(|()| stdout.flush()).is_err() {
            return;
        }
    }
}

/// Reads what the editor says, until it says nothing more.
fn read(out: &Out, first: &mpsc::Sender<Asked>, requests: &Mutex<Option<Requests>>) {
    let mut frames = Frames::new(io::stdin().lock());
    let mut asked: Option<Asked> = None;
    let stop = |asked: &Option<Asked>, reason: &str| {
        let slot = requests.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*slot, asked) {
            (Some(requests), _) => requests.ask(CancelSource::Ide, reason),
            (None, Some(asked)) => {
                asked.stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason.to_owned());
            }
            (None, None) => {}
        }
    };
    loop {
        let body = match frames.next() {
            Ok(Some(body)) => body,
            Ok(None) => break,
            Err(error) => {
                out.send(rpc::error(&Id::none(), error.code(), &error.to_string(), None));
                if error.is_fatal() {
                    break;
                }
                continue;
            }
        };
        match rpc::read(&body) {
            Ok(Word::Build(build)) if asked.is_none() => {
                first.send(build.clone()).ok();
                asked = Some(build);
            }
            Ok(Word::Build(build)) => {
                let what = "this process makes one build, and it was asked for already";
                out.send(rpc::error(&build.id, rpc::INVALID_REQUEST, what, None));
            }
            Ok(Word::CancelRequest(id)) if asked.as_ref().is_some_and(|asked| asked.id == id) => {
                stop(&asked, "the editor cancelled its request");
            }
            Ok(Word::CancelProgress(token)) if asked.as_ref().is_some_and(|asked| asked.token == token) => {
                stop(&asked, "the stop button of the editor");
            }
            Ok(Word::CancelRequest(_) | Word::CancelProgress(_) | Word::Other) => {}
            Ok(Word::Unknown { id, method }) => {
                let what = format!("there is no method {method:?}; expected \"acta/build\"");
                out.send(rpc::error(&id, rpc::METHOD_NOT_FOUND, &what, None));
            }
            Err((id, code, what)) => out.send(rpc::error(&id, code, &what, None)),
        }
    }
    stop(&asked, "the editor is gone: its end of the pipe was closed");
}
