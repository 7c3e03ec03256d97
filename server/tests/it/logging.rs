//! What the server's own log holds, and how a request ends that is open when the server is told to stop.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::Stdio,
};

use serde_json::Value;

use crate::{
    process::{Server, program},
    support::PASSWORD,
};

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

fn connect(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

fn ask(server: &Server, head: &str, body: &str) -> String {
    let length = body.len();
    let head = format!("{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    let mut answer = String::new();
    connect(server, &format!("{head}{body}")).read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_log_names_requests_and_never_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ran(folder, &["user", "add", "adam", "--role", "admin", "--password-stdin"], PASSWORD);
    let token = ran(folder, &["user", "token", "adam", "--label", "monitor", "--scope", "metrics"], "");
    let enrolment = ran(folder, &["agent", "token", "--label", "builder-7", "--print-only"], "");
    let server = Server::start(folder, &["--log=trace"]);
    let form = format!("name=adam&password={}", PASSWORD.replace(' ', "+"));
    let kind = "content-type: application/x-www-form-urlencoded";
    let signed_in = ask(&server, &format!("POST /sign-in HTTP/1.1\r\n{kind}"), &form);
    let cookie = signed_in.split("acta-session=").nth(1).unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(cookie.len(), 64);
    let page = ask(&server, &format!("GET /ledger?q=typed HTTP/1.1\r\ncookie: acta-session={cookie}"), "");
    let form_token =
        page.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let scraped = ask(&server, &format!("GET /metrics HTTP/1.1\r\nauthorization: Bearer {token}"), "");
    assert!(scraped.starts_with("HTTP/1.1 200"), "{scraped}");
    let body = format!("{{\"token\": \"{enrolment}\", \"name\": 7}}");
    let refused = ask(&server, "POST /api/v1/agents HTTP/1.1\r\ncontent-type: application/json", &body);
    let id = refused.split("x-request-id: ").nth(1).unwrap().split('\r').next().unwrap().to_owned();

    server.signal("-TERM");
    let log = server.ended();
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
    let mut server = Server::start(folder.path(), &[]);
    let form = format!("name=adam&password={}", PASSWORD.replace(' ', "+"));
    let (first, second) = form.split_at(form.len() / 2);
    let head = "POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded";
    // The server answers each on its own, so once the other one is answered this one has been taken.
    let mut open = connect(&server, &format!("{head}\r\ncontent-length: {}\r\n\r\n{first}", form.len()));
    assert!(ask(&server, "GET /readyz HTTP/1.1", "").starts_with("HTTP/1.1 200"));
    server.signal("-TERM");
    server.wait_for("stopping");
    open.write_all(second.as_bytes()).unwrap();
    let mut answer = String::new();
    open.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303") && answer.contains("acta-session="), "{answer}");
    server.ended();
}
