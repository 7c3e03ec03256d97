//! The outbox: signed statements that wait until the log holds them.
//!
//! | where | what it means | how it gets on |
//! |---|---|---|
//! | `outbox/` | signed, on disk, not yet in the log | pushing moves it |
//! | `sent/` | the log holds it; the receipt lies beside it | stays |
//! | `refused/` | the server will not take it; the reason lies beside it | a person looks |
//!
//! A file's name begins with the statement's number in the agent's chain, so that the order of names is the order of
//! statements.

use std::{fs, io, path::PathBuf};

use acta_ledger::log::{digest::Sha256Digest, dsse::Envelope, entry::Entry};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    crash,
    durable::{self, Prepared},
    error::{CliError, Result},
    home::Home,
};

/// The value of an item's `schema`.
const SCHEMA: &str = "urn:acta:outbox-item:v1";

/// One statement that waits, with what must be on the server before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    schema: String,
    /// The statement's number in the agent's chain.
    pub sequence: u64,
    /// The digest of the entry.
    pub digest: Sha256Digest,
    /// The run that it is about, where it is about one.
    pub run: Option<Uuid>,
    /// The blobs that it names.
    pub blobs: Vec<Sha256Digest>,
    /// The envelope.
    envelope: Value,
}

/// Which of the three folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelf {
    /// Not yet in the log.
    Waiting,
    /// In the log.
    Sent,
    /// Refused.
    Refused,
}

/// What the log answered, verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The entry's index.
    pub index: u64,
    /// The entry's digest.
    pub digest: Sha256Digest,
    /// The leaf's hash.
    pub leaf_hash: Sha256Digest,
    /// The hashes from its sibling upward.
    pub inclusion: Vec<Sha256Digest>,
    /// The signed tree head that they lead to.
    pub tree_head: String,
}

/// Why the server refused a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// What the server said.
    pub reason: String,
}

impl Item {
    /// Makes an item of a signed envelope.
    pub fn new(
        sequence: u64,
        run: Option<Uuid>,
        blobs: Vec<Sha256Digest>,
        envelope: &Envelope,
    ) -> Result<Self> {
        let entry = Entry::of(envelope)
            .map_err(|error| CliError::failure("the statement is too long").found(error.to_string()))?;
        let envelope = serde_json::from_slice(entry.bytes())
            .map_err(|error| CliError::failure("the envelope is not JSON").found(error.to_string()))?;
        let (schema, digest) = (SCHEMA.to_owned(), entry.digest());
        Ok(Self { schema, sequence, digest, run, blobs, envelope })
    }

    /// The entry that the envelope makes; fails if the file was changed.
    pub fn entry(&self) -> Result<Entry> {
        let damaged = |found: String| {
            CliError::failure(format!("statement {} in the outbox is damaged", self.sequence))
                .found(found)
                .expected(format!("the envelope of entry {}", self.digest))
        };
        let json = serde_json::to_vec(&self.envelope).map_err(|error| damaged(error.to_string()))?;
        let envelope = Envelope::parse(&json).map_err(|error| damaged(error.to_string()))?;
        let entry = Entry::of(&envelope).map_err(|error| damaged(error.to_string()))?;
        if entry.digest() == self.digest {
            Ok(entry)
        } else {
            Err(damaged(format!("an envelope of entry {}", entry.digest())))
        }
    }

    fn name(&self) -> String {
        name(self.sequence, &self.digest)
    }
}

fn name(sequence: u64, digest: &Sha256Digest) -> String {
    format!("{sequence:010}-{}", digest.short())
}

/// The three folders.
#[derive(Debug, Clone)]
pub struct Outbox {
    home: Home,
}

/// An item that is on disk, and is in the outbox once it has its name.
pub struct Unplaced {
    prepared: Prepared,
    path: PathBuf,
}

impl Unplaced {
    /// Puts it into the outbox.
    pub fn place(self) -> Result<()> {
        let Self { prepared, path } = self;
        prepared.place().map_err(|error| CliError::io("write", &path, &error))
    }
}

impl Outbox {
    /// Opens the outbox of a home whose folders exist.
    pub fn new(home: &Home) -> Self {
        Self { home: home.clone() }
    }

    fn folder(&self, shelf: Shelf) -> PathBuf {
        match shelf {
            Shelf::Waiting => self.home.outbox(),
            Shelf::Sent => self.home.sent(),
            Shelf::Refused => self.home.refused(),
        }
    }

    /// Puts an item on disk. Held by whoever holds the state lock.
    pub fn prepare(&self, item: &Item) -> Result<Unplaced> {
        let folder = self.folder(Shelf::Waiting);
        durable::remove_temporaries(&folder).map_err(|error| CliError::io("clean", &folder, &error))?;
        let path = folder.join(format!("{}.json", item.name()));
        let prepared = durable::prepare(&path, &to_json(item)?, 0o600);
        Ok(Unplaced { prepared: prepared.map_err(|error| CliError::io("write", &path, &error))?, path })
    }

    /// The names of a folder's items, in the chain's order.
    pub fn names(&self, shelf: Shelf) -> Result<Vec<String>> {
        let folder = self.folder(shelf);
        let io = |error: &io::Error| CliError::io("read the folder", &folder, error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(|error| io(&error))? {
            let name = entry.map_err(|error| io(&error))?.file_name().to_string_lossy().into_owned();
            let stem = name.strip_suffix(".json").filter(|stem| !stem.contains('.'));
            if let Some(stem) = stem.filter(|stem| stem.starts_with(|c: char| c.is_ascii_digit())) {
                names.push(stem.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Reads an item; if it is pushed in this moment, from where it stands now.
    pub fn read(&self, shelf: Shelf, name: &str) -> Result<Item> {
        let path = |shelf| self.folder(shelf).join(format!("{name}.json"));
        let moved = || [Shelf::Sent, Shelf::Refused].into_iter().map(path).find(|path| path.exists());
        let item: Item = match read_json(&path(shelf)) {
            Err(error) if shelf == Shelf::Waiting => moved().map_or(Err(error), |path| read_json(&path))?,
            item => item?,
        };
        if item.schema == SCHEMA {
            Ok(item)
        } else {
            Err(CliError::failure(format!("{name} in the outbox has another format"))
                .found(item.schema)
                .expected(SCHEMA)
                .help("a newer `acta` may have written it: use that one"))
        }
    }

    /// The receipt of a statement that the log holds, whoever pushed it; none if it is not in `sent/`.
    pub fn receipt(&self, sequence: u64, digest: &Sha256Digest) -> Result<Option<Receipt>> {
        let (folder, name) = (self.folder(Shelf::Sent), name(sequence, digest));
        if folder.join(format!("{name}.json")).exists() {
            read_json(&folder.join(format!("{name}.receipt.json"))).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Moves a waiting item to those that the log holds.
    pub fn mark_sent(&self, item: &Item, receipt: &Receipt) -> Result<()> {
        // The receipt first: an item in `sent/` always has one. A crash in between pushes again and gets the same.
        self.write_beside(Shelf::Sent, item, "receipt", receipt)?;
        crash::point("receipt written")?;
        self.move_to(Shelf::Sent, item)
    }

    /// Moves a waiting item to those that the server refuses.
    pub fn mark_refused(&self, item: &Item, refusal: &Refusal) -> Result<()> {
        self.write_beside(Shelf::Refused, item, "reason", refusal)?;
        self.move_to(Shelf::Refused, item)
    }

    fn write_beside<T: Serialize>(&self, shelf: Shelf, item: &Item, what: &str, content: &T) -> Result<()> {
        let path = self.folder(shelf).join(format!("{}.{what}.json", item.name()));
        durable::write(&path, &to_json(content)?, 0o600).map_err(|error| CliError::io("write", &path, &error))
    }

    fn move_to(&self, shelf: Shelf, item: &Item) -> Result<()> {
        let file = format!("{}.json", item.name());
        let (from, to) = (self.folder(Shelf::Waiting).join(&file), self.folder(shelf).join(&file));
        durable::rename(&from, &to).map_err(|error| CliError::io("move", &from, &error))
    }

    /// The newest item of all three folders.
    pub fn newest(&self) -> Result<Option<Item>> {
        let mut newest: Option<(Shelf, String)> = None;
        for shelf in [Shelf::Waiting, Shelf::Sent, Shelf::Refused] {
            if let Some(name) = self.names(shelf)?.pop()
                && newest.as_ref().is_none_or(|(_, other)| name > *other)
            {
                newest = Some((shelf, name));
            }
        }
        newest.map(|(shelf, name)| self.read(shelf, &name)).transpose()
    }
}

/// Reads a JSON file of ours.
pub fn read_json<T: DeserializeOwned>(path: &std::path::Path) -> Result<T> {
    let bytes = fs::read(path).map_err(|error| CliError::io("read", path, &error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        CliError::failure(format!("{} is damaged", path.display()))
            .found(error.to_string())
            .help("restore it from a backup")
    })
}

/// Writes JSON for people and programs.
pub fn to_json<T: Serialize>(content: &T) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(content)
        .map_err(|error| CliError::failure("cannot write JSON").found(error.to_string()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// JSON on one line, as `--json` prints it.
pub fn to_text<T: Serialize>(content: &T) -> Result<String> {
    serde_json::to_string(content)
        .map_err(|error| CliError::failure("cannot write JSON").found(error.to_string()))
}

/// As a JSON value, for a part of a larger object.
pub fn to_value<T: Serialize>(content: &T) -> Result<serde_json::Value> {
    serde_json::to_value(content)
        .map_err(|error| CliError::failure("cannot write JSON").found(error.to_string()))
}
