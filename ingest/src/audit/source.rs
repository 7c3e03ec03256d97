//! What is read from the log: its tree head, its tiles, its bundles of entries.

use std::{thread, time::Duration};

use acta_ledger::log::{
    digest::Sha256Digest,
    tile::{TileId, TileRequest, width},
    verification::HandOver,
};

use crate::{
    client::{CallError, Client},
    error::{CliError, Exit, Result},
    route::RouteAnswer,
};

/// How often a question is asked that a passing trouble keeps from being answered.
const TRIES: u32 = 5;

/// How long to wait before the second time; each further wait is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// A log that is audited.
#[derive(Debug, Clone)]
pub struct Source {
    client: Client,
}

impl Source {
    /// Reads through the client.
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The newest signed tree head, verbatim.
    pub fn tree_head(&self) -> Result<String> {
        self.ask(|| self.client.tree_head(), "the log's tree head")
    }

    /// How the log's key was handed on: no endpoint of every tiled log, and asked for only where a tree head needs it.
    pub fn hand_overs(&self) -> Result<Vec<HandOver>> {
        self.ask(|| self.client.hand_overs(), "how the log's key was handed on")
    }

    /// What the server says of a route; none where it does not know it. No endpoint of every tiled log: only a log that
    /// holds routes is asked.
    pub fn route(&self, name: &str) -> Result<Option<RouteAnswer>> {
        self.shown(|| self.client.route(name), &format!("route {name}"))
    }

    /// A tile's bytes in the tree of `size` entries; none where the log does not show them.
    pub fn tile_bytes(&self, level: Option<u8>, index: u64, size: u64) -> Result<Option<Vec<u8>>> {
        let width = width(TileId { level: level.unwrap_or(0), index }, size);
        let request = TileRequest { level, index, width };
        self.shown(|| self.client.tile(&request), &format!("tile {request}"))
    }

    /// A tile's hashes; none where the log does not show them, or shows something that is no list of hashes.
    pub fn tile(&self, id: TileId, size: u64) -> Result<Option<Vec<Sha256Digest>>> {
        let bytes = self.tile_bytes(Some(id.level), id.index, size)?;
        Ok(bytes.and_then(|bytes| bytes.chunks(32).map(Sha256Digest::from_slice).collect()))
    }

    /// Asks for what the log may fail to show: an answer that says so is a finding and no error.
    pub fn shown<T>(&self, call: impl FnMut() -> Result<T, CallError>, what: &str) -> Result<Option<T>> {
        match ask(call) {
            Ok(answer) => Ok(Some(answer)),
            Err(CallError::Answered { status: 404 | 410 | 500, .. } | CallError::Malformed(_)) => Ok(None),
            Err(error) => Err(self.explain(&error, what)),
        }
    }

    fn ask<T>(&self, call: impl FnMut() -> Result<T, CallError>, what: &str) -> Result<T> {
        ask(call).map_err(|error| self.explain(&error, what))
    }

    fn explain(&self, error: &CallError, what: &str) -> CliError {
        let explained = error.explain(&format!("{what} cannot be read"), self.client.base());
        let explained = explained.exit(Exit::Failure);
        match error {
            CallError::Answered { status: 401 | 403, .. } => {
                explained.help("this server lets only those read whom it knows: give --token")
            }
            _ => explained,
        }
    }
}

/// Asks again where the trouble may pass.
fn ask<T>(mut call: impl FnMut() -> Result<T, CallError>) -> Result<T, CallError> {
    let mut pause = FIRST_PAUSE;
    for _ in 1..TRIES {
        match call() {
            Err(error) if error.is_passing() => thread::sleep(pause),
            answer => return answer,
        }
        pause *= 2;
    }
    call()
}
