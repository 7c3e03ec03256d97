//! The server as a process of its own: its flags, its log, its signals.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStderr, Command, Stdio},
};

use serde_json::Value;

/// The program in a folder, with nothing of this process's environment.
pub fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acta-server"));
    command.current_dir(folder).env_clear();
    command
}

/// A server that listens on a free port, logs JSON and ends with the test.
pub struct Server {
    pub address: SocketAddr,
    child: Child,
    log: BufReader<ChildStderr>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub fn start(folder: &Path, flags: &[&str]) -> Self {
        Self::start_with(folder, flags, &[])
    }

    pub fn start_with(folder: &Path, flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = program(folder);
        command.args(["--log-format=json", "serve", "--listen=127.0.0.1:0"]).args(flags);
        let mut child = command.envs(variables.iter().copied()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut server = Self { child, address: ([127, 0, 0, 1], 0).into(), log };
        let started = server.wait_for("acta-server answers");
        server.address = started["server.address"].as_str().unwrap().parse().unwrap();
        server
    }

    /// Reads the log up to a line with this message.
    pub fn wait_for(&mut self, message: &str) -> Value {
        let mut line = String::new();
        while !line.contains(message) {
            line.clear();
            assert!(self.log.read_line(&mut line).unwrap() > 0, "the log ended without {message:?}");
        }
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end, which must be in order, and returns the rest of the log.
    pub fn ended(mut self) -> Vec<Value> {
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        let read = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        rest.lines().map(read).collect()
    }
}
