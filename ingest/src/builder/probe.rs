//! Which TensorRT is here, found out before anything is built with it: in a process of its own, as everything that loads
//! the library.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use acta_ffi::{Family, Library, LibrarySearch};
use acta_ledger::evidence::build::{BuilderKind, LibraryVersion};
use serde::{Deserialize, Serialize};

use super::protocol::LibraryFamily;
use crate::error::{CliError, Result};

/// The hidden command that asks the library.
pub const PROBE_COMMAND: &str = "__library";

/// What a library says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LibraryFacts {
    /// Which of the two it is.
    pub family: LibraryFamily,
    /// All four version numbers.
    pub version: LibraryVersion,
}

impl LibraryFacts {
    /// What a loaded library says.
    pub fn of(library: &Library) -> Self {
        let number = |number: i32| u32::try_from(number).unwrap_or(0);
        let version = library.version();
        Self {
            family: match library.family() {
                Family::Rtx => LibraryFamily::TensorrtRtx,
                Family::Enterprise => LibraryFamily::Tensorrt,
            },
            version: LibraryVersion {
                major: number(version.major),
                minor: number(version.minor),
                patch: number(version.patch),
                build: number(version.build),
            },
        }
    }

    /// What builds with it.
    pub fn builder(&self) -> BuilderKind {
        match self.family {
            LibraryFamily::TensorrtRtx => BuilderKind::TensorrtRtx,
            LibraryFamily::Tensorrt => BuilderKind::Tensorrt,
        }
    }
}

/// Loads the library and asks it: what the hidden command does, which prints this. Why it cannot be loaded goes back
/// in words.
pub fn ask(library: Option<PathBuf>) -> Result<LibraryFacts, String> {
    let search = LibrarySearch::from_environment().explicit(library);
    Library::open(&search).map(|library| LibraryFacts::of(&library)).map_err(|error| error.to_string())
}

/// Asks the library in a process of its own.
pub fn look(library: Option<&Path>) -> Result<LibraryFacts> {
    let failed = |found: String| {
        CliError::usage("it cannot be found out which TensorRT is here")
            .field("--tensorrt-lib")
            .found(found)
            .help("name the library with which the run was built, or another of the same build number")
    };
    let program = std::env::current_exe()
        .map_err(|error| CliError::failure("cannot find this program").found(error.to_string()))?;
    let mut command = Command::new(program);
    command.arg(PROBE_COMMAND).args(library).stdin(Stdio::null());
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    // A library may print what it likes before.
    let told = String::from_utf8_lossy(&output.stdout);
    let answer = told.lines().last().and_then(|line| serde_json::from_str(line).ok());
    let answer: Result<LibraryFacts, String> =
        answer.unwrap_or_else(|| Err(format!("loading it ended with {}", output.status)));
    answer.map_err(failed)
}
