//! `acta build --ide` as an editor starts it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use acta_ledger::evidence::build::BuildSummary;
use acta_tests::onnx;
use serde_json::{Value, json};

use crate::setup::{Bench, slow};

/// An editor with a build of its own.
struct Editor {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Editor {
    fn start(bench: &Bench) -> Self {
        let plan = bench.plan.to_str().unwrap();
        let mut command = bench.agent.command(&["build", &bench.model, "-o", plan, "--ide"]);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from }
    }

    fn send_raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn ask(&mut self) {
        let params = json!({ "workDoneToken": "b1" });
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "acta/build", "params": params }));
    }

    /// The next message; none at the end.
    fn next(&mut self) -> Option<Value> {
        let mut header = String::new();
        self.from.read_line(&mut header).unwrap();
        let length: usize = header.strip_prefix("Content-Length: ")?.trim().parse().unwrap();
        self.from.read_line(&mut header).unwrap();
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        let message: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    /// Reads until there is a message like this.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().expect("it ended before that");
            if wanted(&message) {
                return message;
            }
        }
    }

    /// The answer to the build, and the exit code.
    fn end(mut self) -> (Value, i32) {
        let answer = self.until(|message| message["id"] == 1);
        assert!(self.next().is_none(), "the answer is the last word");
        drop(self.to.take());
        (answer, self.child.wait().unwrap().code().unwrap_or(-1))
    }
}

fn progress(message: &Value, kind: &str) -> bool {
    message["method"] == "$/progress"
        && message["params"]["token"] == "b1"
        && message["params"]["value"]["kind"] == kind
}

fn summary(answer: &Value) -> BuildSummary {
    serde_json::from_value(answer["result"]["predicate"].clone())
        .unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn a_build_reports_its_progress_and_answers_with_the_summary() {
    let bench = Bench::new(&onnx::chain(20, 32));
    let mut editor = Editor::start(&bench);
    // Whatever is wrong is answered with its code, and the build is still to be had.
    editor.send_raw(b"Content-Length: 1\r\n\r\n{");
    assert_eq!(editor.next().unwrap()["error"]["code"], -32700);
    editor.send(&json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize" }));
    let unknown = editor.next().unwrap();
    assert_eq!((&unknown["id"], &unknown["error"]["code"]), (&json!(7), &json!(-32601)));
    editor.send(&json!({ "id": 1 }));
    assert_eq!(editor.next().unwrap()["error"]["code"], -32600);
    editor.ask();
    let begin = editor.next().unwrap();
    assert!(progress(&begin, "begin") && begin["params"]["value"]["cancellable"] == true, "{begin}");
    editor.ask();
    let again = editor.until(|message| message.get("error").is_some());
    assert!(again["error"]["message"].as_str().unwrap().contains("asked for already"), "{again}");
    let end = editor.until(|message| progress(message, "end"));
    assert_eq!(end["params"]["value"]["message"], "completed");
    let (answer, code) = editor.end();
    assert_eq!((code, summary(&answer).plan().is_some()), (0, true));
    assert_eq!(answer["result"]["envelopeDigest"].as_str().unwrap().len(), 64);
}

fn cancelled(stop: impl FnOnce(&mut Editor), reason: &str) {
    let bench = Bench::new(&slow());
    let mut editor = Editor::start(&bench);
    editor.ask();
    let report = editor.until(|message| message["params"]["value"]["phase"].is_string());
    assert!(progress(&report, "report") && report["params"]["value"]["total"].is_i64(), "{report}");
    stop(&mut editor);
    let (answer, code) = editor.end();
    let summary = summary(&answer);
    assert_eq!(
        (code, summary.cancel_source),
        (4, acta_ledger::evidence::cancel::CancelSource::Ide),
        "{answer}"
    );
    assert!(summary.cancel.unwrap().reason.unwrap().contains(reason), "{answer}");
    assert!(bench.files().is_empty(), "{:?}", bench.files());
}

#[test]
fn a_cancelled_request_cancels_the_build() {
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } });
    cancelled(|editor| editor.send(&cancel), "cancelled its request");
}

#[test]
fn an_editor_that_goes_away_cancels_the_build() {
    cancelled(|editor| drop(editor.to.take()), "the editor is gone");
}

#[test]
fn stdin_that_ends_before_a_request_builds_nothing() {
    let bench = Bench::new(&slow());
    let mut editor = Editor::start(&bench);
    drop(editor.to.take());
    assert!(editor.next().is_none());
    assert_eq!(editor.child.wait().unwrap().code(), Some(2));
    assert_eq!(bench.outbox(), [0, 0, 0]);
}

#[test]
fn a_build_that_cannot_begin_is_an_error_of_the_request() {
    let bench = Bench::new(&slow());
    std::fs::write(&bench.model, "").unwrap();
    let mut editor = Editor::start(&bench);
    editor.ask();
    let (answer, code) = editor.end();
    assert_eq!((code, answer["error"]["code"].as_i64()), (2, Some(-32803)));
    assert_eq!(answer["error"]["data"]["error"]["field"], "MODEL");
}

#[test]
fn a_deadline_is_a_source_of_its_own_kind() {
    let bench = Bench::new(&slow());
    let passed = bench.build(&["--deadline", "2020-01-01T00:00:00Z"]);
    assert!(passed.code() == 2 && passed.stderr.contains("the deadline has passed"), "{}", passed.stderr);
}
