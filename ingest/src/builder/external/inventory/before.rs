//! Files as they were before a command: how a file is known to have been written since, also by another process that reads
//! this from a run's journal.

use std::{fs, os::unix::fs::MetadataExt as _};

use acta_ledger::log::digest::Sha256Digest;
use serde::{Deserialize, Serialize};

/// A file as it was before the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// Its digest.
    pub digest: Sha256Digest,
    /// By what a later look at it is compared.
    #[serde(flatten)]
    pub stamp: Stamp,
}

/// By what a file is known to have been written, even with the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    inode: u64,
    /// Its length.
    pub bytes: u64,
    /// Seconds and nanoseconds since 1970.
    written: (i64, i64),
}

impl Stamp {
    /// The stamp of what stands there.
    pub fn of(there: &fs::Metadata) -> Self {
        Self { inode: there.ino(), bytes: there.len(), written: (there.mtime(), there.mtime_nsec()) }
    }
}
