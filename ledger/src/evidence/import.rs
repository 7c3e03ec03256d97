//! Imports (`urn:acta:import:v1`): what another tool measured or said, bound to a bundle by the agent that saw both.
//!
//! Reports of other tools name a bundle by its path or not at all. The agent hashes the bundle when it reads the report,
//! keeps the report's files as they are, and stores beside them a document in one form for all formats
//! (`urn:acta:import-<format>:v1`), on which gates 4 and 5 rest.

use serde::{Deserialize, Serialize};

use super::{build::BlobRef, chain::ChainLink, pin::Pins};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// How the report is known to speak about the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundBy {
    /// It names the bundle's path as it is on this machine.
    Path,
    /// It names the path that the caller says the bundle had where the report was made.
    PathAsStated,
    /// It names no bundle: the caller says that they belong together.
    Caller,
}

/// A file of the report, kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportedFile {
    /// Its name, without folders.
    pub name: String,
    /// Its bytes.
    pub blob: BlobRef,
}

/// Something about the report that a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportNote {
    /// Which, by its fixed name.
    pub code: String,
    /// The same in words.
    pub text: String,
}

/// One import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRecord {
    /// The route, where it is made for one.
    pub route: Option<String>,
    /// The bundle, as the agent hashed it.
    pub bundle: Sha256Digest,
    /// The format, like `trtmc-benchmark`.
    pub format: String,
    /// The schema or dialect that was found.
    pub dialect: String,
    /// How the report is known to speak about the bundle.
    pub bound_by: BoundBy,
    /// When the report was made, by itself or by its file's time.
    pub reported_at: Timestamp,
    /// The document in our form.
    pub document: BlobRef,
    /// The report's files.
    pub files: Vec<ImportedFile>,
    /// What a reader should know.
    pub notes: Vec<ImportNote>,
    /// The facts of the machine that the report names.
    pub observed: Pins,
    /// Who brought it, by account.
    pub by: Option<String>,
    /// When it was imported.
    pub at: Timestamp,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for ImportRecord {
    const TYPE: &'static str = "urn:acta:import:v1";
}

impl ImportRecord {
    /// The blobs that the record names: they must be stored before it is logged.
    pub fn blobs(&self) -> Vec<Sha256Digest> {
        std::iter::once(&self.document)
            .chain(self.files.iter().map(|file| &file.blob))
            .map(|blob| blob.digest)
            .collect()
    }
}
