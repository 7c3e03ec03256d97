//! What the server's own log holds, and how a request ends that is open when the server is told to stop; a process of its
//! own, for a log is a process's.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::support::PASSWORD;

/// A server that ends with the test; its log is read to its end by [`Server::stop`].
struct Server {
    child: Child,
    address: SocketAddr,
    log: BufReader<std::process::ChildStderr>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acta-server"));
    command.current_dir(folder).env_clear();
    command
}

/// Runs a command of the program that reads one line.
fn ran(folder: &Path, arguments: &[&str], line: &str) -> String {
    let mut command = program(folder);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

impl Server {
    fn start(folder: &Path, filter: &str) -> Self {
        let arguments = ["--log-format=json", "--log", filter, "serve", "--listen=127.0.0.1:0"];
        let mut child = program(folder).args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("acta-server answers") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "the server did not come up");
        }
        let started: Value = serde_json::from_str(&line).unwrap();
        let address = started["server.address"].as_str().unwrap().parse().unwrap();
        Self { child, address, log }
    }

    fn connect(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    fn ask(&self, head: &str, body: &str) -> String {
        let length = body.len();
        let mut stream = self.connect(&format!(
            "{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        ));
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn terminate(&self) {
        assert!(Command::new("kill").arg(self.child.id().to_string()).status().unwrap().success());
    }

    /// Waits for the end, which must be in order, and returns the rest of the log.
    fn stop(mut self) -> Vec<Value> {
        self.terminate();
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }
}

#[test]
fn the_log_names_requests_and_never_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ran(folder, &["user", "add", "adam", "--role", "admin", "--password-stdin"], PASSWORD);
    let token = ran(folder, &["user", "token", "adam", "--label", "monitor", "--scope", "metrics"], "");
    let enrolment = ran(folder, &["agent", "token", "--label", "builder-7", "--print-only"], "");
    let server = Server::start(folder, "trace");
    let form = format!("name=adam&password={}", PASSWORD.replace(' ', "+"));
    let kind = "content-type: application/x-www-form-urlencoded";
    let signed_in = server.ask(&format!("POST /sign-in HTTP/1.1\r\n{kind}"), &form);
    let cookie = signed_in.split("acta-session=").nth(1).unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(cookie.len(), 64);
    let page = server.ask(&format!("GET /ledger?q=typed HTTP/1.1\r\ncookie: acta-session={cookie}"), "");
    let form_token =
        page.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let scraped = server.ask(&format!("GET /metrics HTTP/1.1\r\nauthorization: Bearer {token}"), "");
    assert!(scraped.starts_with("HTTP/1.1 200"), "{scraped}");
    let body = format!("{{\"token\": \"{enrolment}\", \"name\": 7}}");
    let refused = server.ask("POST /api/v1/agents HTTP/1.1\r\ncontent-type: application/json", &body);
    let id = refused.split("x-request-id: ").nth(1).unwrap().split('\r').next().unwrap().to_owned();

    let log = server.stop();
    let text: String = log.iter().map(Value::to_string).collect();
    for secret in [PASSWORD, "correct+horse", &cookie, &form_token, &token, &enrolment, "PRIVATE KEY"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let answered: Vec<&Value> = log.iter().filter(|event| event["message"] == "answered").collect();
    let line = answered
        .iter()
        .find(|event| event["span"]["request.id"] == id.as_str())
        .expect("a line of the request");
    assert_eq!(
        (&line["http.method"], &line["http.route"]),
        (&Value::from("POST"), &Value::from("/api/v1/agents"))
    );
    assert_eq!(line["client.address"], "127.0.0.1");
    assert!(
        line["duration_ms"].is_f64() && line["http.status"].as_u64().is_some_and(|status| status >= 400),
        "{line}"
    );
    let ledger = answered.iter().find(|event| event["http.path"] == "/ledger").expect("a line of the page");
    assert!(!ledger.to_string().contains("typed"), "the query is not noted");
    assert_eq!(answered.len(), 4, "a line a request");
}

#[test]
fn a_request_that_is_open_is_answered_before_the_server_ends() {
    let folder = tempfile::tempdir().unwrap();
    ran(folder.path(), &["user", "add", "adam", "--role", "admin", "--password-stdin"], PASSWORD);
    let mut server = Server::start(folder.path(), "info");
    let form = format!("name=adam&password={}", PASSWORD.replace(' ', "+"));
    let (first, second) = form.split_at(form.len() / 2);
    let head = "POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded";
    // The server answers each on its own, so once the other one is answered this one has been taken.
    let mut open = server.connect(&format!("{head}\r\ncontent-length: {}\r\n\r\n{first}", form.len()));
    assert!(server.ask("GET /readyz HTTP/1.1", "").starts_with("HTTP/1.1 200"));
    server.terminate();
    let mut line = String::new();
    while !line.contains("stopping") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "the server ended at once");
    }
    open.write_all(second.as_bytes()).unwrap();
    let mut answer = String::new();
    open.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303") && answer.contains("acta-session="), "{answer}");
    assert!(server.child.wait().unwrap().success());
}
