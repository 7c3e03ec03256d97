//! `ACTA_HOME`: where the agent keeps its key, what it knows of its server, and the evidence.
//!
//! ```text
//! key.pem              the agent's Ed25519 key, PKCS#8, mode 0600
//! server.json          the server it is enrolled with, the pinned keys and the API token, mode 0600
//! chain.json           the agent's last statement: its number and its entry's digest
//! tree-head            the newest tree head of the log that was believed
//! blobs/sha256/ab/...  blobs by digest
//! outbox/              signed statements that wait
//! sent/                those that the log holds, each with its receipt
//! refused/             those that the server refuses, each with the reason
//! runs/<run>.json      what became of each run
//! journal/<run>.*      runs that go on: what a death would leave behind
//! quarantine/<id>/     files that were set apart, each with its manifest
//! caches/              timing caches, and the record of each
//! state.lock           held while a statement takes its place in the chain
//! push.lock            held while the outbox is drained
//! journal.lock         held while a run is begun, or orphans are looked for
//! ```

use std::{
    env,
    fs::{File, OpenOptions},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use crate::{
    durable,
    error::{CliError, Result},
};

/// The variable that names the folder.
pub const HOME_VARIABLE: &str = "ACTA_HOME";

/// The agent's folder.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

/// A lock on the folder, released when it is dropped (or the process dies).
#[derive(Debug)]
pub struct HomeLock {
    _file: File,
}

impl Home {
    /// Finds the folder: the one that is named, else `acta` in the XDG state folder. It need not exist.
    pub fn locate(named: Option<PathBuf>) -> Result<Self> {
        // The XDG specification: a relative path in the variable is to be ignored.
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let root = named.filter(|path| !path.as_os_str().is_empty()).or_else(|| {
            let state =
                absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local").join("state")));
            Some(state?.join("acta"))
        });
        let root = root.ok_or_else(|| {
            CliError::usage("no folder to keep the agent's state in")
                .field(HOME_VARIABLE)
                .found("neither --home nor ACTA_HOME nor XDG_STATE_HOME nor HOME is set")
                .help("name one: acta --home FOLDER ...")
        })?;
        let root = std::path::absolute(&root).map_err(|error| CliError::io("resolve", &root, &error))?;
        Ok(Self { root })
    }

    /// Makes the folder and those in it; only the owner may enter.
    pub fn create(&self) -> Result<()> {
        let folders = [
            self.outbox(),
            self.sent(),
            self.refused(),
            self.runs(),
            self.blobs(),
            self.journal(),
            self.quarantine(),
            self.caches(),
        ];
        for folder in std::iter::once(self.root.clone()).chain(folders) {
            durable::create_private_dir(&folder)
                .map_err(|error| CliError::io("create the folder", &folder, &error).field(HOME_VARIABLE))?;
        }
        Ok(())
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The agent's key.
    pub fn key(&self) -> PathBuf {
        self.root.join("key.pem")
    }

    /// A rotation of the key that is under way; it holds the new key.
    pub fn rotation(&self) -> PathBuf {
        self.root.join("rotation.json")
    }

    /// Public keys that this agent signed with before.
    pub fn retired_keys(&self) -> PathBuf {
        self.root.join("retired-keys.json")
    }

    /// How the log's key was handed on, as far as this agent has verified it.
    pub fn hand_overs(&self) -> PathBuf {
        self.root.join("hand-overs.json")
    }

    /// The server's facts.
    pub fn server(&self) -> PathBuf {
        self.root.join("server.json")
    }

    /// The chain's head.
    pub fn chain(&self) -> PathBuf {
        self.root.join("chain.json")
    }

    /// The newest tree head.
    pub fn tree_head(&self) -> PathBuf {
        self.root.join("tree-head")
    }

    /// The blobs.
    pub fn blobs(&self) -> PathBuf {
        self.root.join("blobs").join("sha256")
    }

    /// Statements that wait.
    pub fn outbox(&self) -> PathBuf {
        self.root.join("outbox")
    }

    /// Statements that the log holds.
    pub fn sent(&self) -> PathBuf {
        self.root.join("sent")
    }

    /// Statements that the server refuses.
    pub fn refused(&self) -> PathBuf {
        self.root.join("refused")
    }

    /// Records of runs.
    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    /// Runs that go on.
    pub fn journal(&self) -> PathBuf {
        self.root.join("journal")
    }

    /// Files that were set apart.
    pub fn quarantine(&self) -> PathBuf {
        self.root.join("quarantine")
    }

    /// Timing caches.
    pub fn caches(&self) -> PathBuf {
        self.root.join("caches")
    }

    /// Waits until nobody else begins a run or looks for orphans, then keeps others out.
    pub fn lock_journal(&self) -> Result<HomeLock> {
        self.lock("journal.lock")
    }

    /// Waits until nobody else gives statements their place, then keeps others out.
    pub fn lock_state(&self) -> Result<HomeLock> {
        self.lock("state.lock")
    }

    /// Waits until nobody else drains the outbox, then keeps others out.
    pub fn lock_push(&self) -> Result<HomeLock> {
        self.lock("push.lock")
    }

    fn lock(&self, name: &str) -> Result<HomeLock> {
        let path = self.root.join(name);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|error| CliError::io("lock", &path, &error))?;
        Ok(HomeLock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_folder_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().join("deep/home"))).unwrap();
        home.create().unwrap();
        home.create().unwrap();
        let mode = home.root().metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o700);
        assert!(home.outbox().is_dir());
    }

    #[test]
    fn a_lock_keeps_others_out_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().to_owned())).unwrap();
        home.create().unwrap();
        let held = home.lock_state().unwrap();
        let other = File::open(home.root().join("state.lock")).unwrap();
        assert!(other.try_lock().is_err());
        drop(held);
        other.try_lock().unwrap();
    }
}
