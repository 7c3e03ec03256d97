//! The anchor: the newest signed tree head in a file of its own, written before the tree head goes out.
//!
//! A database cannot tell that it is an old copy of itself. Whoever restores a backup and writes on signs a second tree
//! over sizes that went out already. The anchor stands outside the database (best on another disk: `--anchor FILE`), so
//! at the start both are compared ([`acta_ledger::judge::anchor`]) and a log that is behind or another is not written.
//!
//! The file has two slots of 4,096 bytes, each a signed note padded with zero bytes. Tree heads are written into the
//! slots in turn and synced in place: one `fdatasync` a batch, of a file whose length never changes, where a rename would
//! take two syncs and a new inode. A write that was torn by a power cut spoils the older slot only, and its signature
//! tells.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use acta_ledger::{
    judge::log_key::LogKeys,
    log::{
        note::Note,
        tree_head::{TreeHead, TreeHeadError},
    },
};
use anyhow::Context as _;

/// The bytes of a slot: a tree head with the signatures of a key rotation has less than a fifth of it.
const SLOT_BYTES: usize = 4096;

/// An anchored tree head with its note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchored {
    /// What was signed.
    pub head: TreeHead,
    /// The note, verbatim.
    pub note: String,
    slot: usize,
}

/// An anchor file that is open for writing.
#[derive(Clone)]
pub struct Anchor {
    path: PathBuf,
    slots: Arc<Mutex<Slots>>,
}

struct Slots {
    file: File,
    next: usize,
}

/// An anchor file's bytes, taken before it is known whose signatures count.
///
/// Whoever compares them with a log that grows meanwhile takes them first: a tree head is committed before it is anchored.
pub struct Unopened {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Unopened {
    /// Takes a file's bytes; `None` where there is no file.
    pub fn take(path: &Path) -> anyhow::Result<Option<Self>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Some(Self { path: path.to_owned(), bytes })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read the anchor {}", path.display())),
        }
    }

    /// The sizes that its tree heads name, two at most, whoever signed them.
    pub fn sizes(&self) -> Vec<u64> {
        let size = |(_, note): (usize, String)| Some(unverified(&note).ok()?.size);
        self.notes().filter_map(size).collect()
    }

    /// The newest tree head. That no slot holds one by the log's key is an error, for then nobody knows what went out.
    pub fn open(&self, log_keys: &LogKeys) -> anyhow::Result<Anchored> {
        let mut reason = "it is empty".to_owned();
        let mut newest: Option<Anchored> = None;
        for (slot, note) in self.notes() {
            match log_keys.open(&note) {
                Ok(head) if newest.as_ref().is_none_or(|newest| newest.head.size < head.size) => {
                    newest = Some(Anchored { head, note, slot });
                }
                Ok(_) => {}
                Err(error) => reason = error.to_string(),
            }
        }
        newest.with_context(|| {
            format!(
                "the anchor {} holds no tree head by the log's key {}: {reason}. Put the right file in its place, or \
                 name it with --anchor",
                self.path.display(),
                log_keys.newest().key
            )
        })
    }

    /// What stands in the slots that were written.
    fn notes(&self) -> impl Iterator<Item = (usize, String)> {
        self.bytes.chunks(SLOT_BYTES).take(2).enumerate().filter_map(|(slot, bytes)| {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            (end > 0).then(|| (slot, String::from_utf8_lossy(&bytes[..end]).into_owned()))
        })
    }
}

/// Reads the newest tree head of an anchor file; `None` where there is no file.
pub fn read(path: &Path, log_keys: &LogKeys) -> anyhow::Result<Option<Anchored>> {
    Unopened::take(path)?.map(|unopened| unopened.open(log_keys)).transpose()
}

/// What a tree head says, whoever signed it.
pub(crate) fn unverified(note: &str) -> Result<TreeHead, TreeHeadError> {
    TreeHead::parse(&Note::parse(note)?.text)
}

impl Anchor {
    /// Makes the file with its first tree head: complete under another name, then renamed, so that no crash leaves a file
    /// without one.
    pub fn make(path: &Path, note: &str) -> anyhow::Result<Self> {
        let make = || {
            let mut bytes = slot(note)?;
            bytes.resize(2 * SLOT_BYTES, 0);
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new("."));
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(".new");
            let new = folder.join(name);
            let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(&new)?;
            file.write_all_at(&bytes, 0)?;
            file.sync_all()?;
            std::fs::rename(&new, path)?;
            File::open(folder)?.sync_all()?;
            io::Result::Ok(Self::over(path, file, 1))
        };
        make().with_context(|| format!("cannot make the anchor {}", path.display()))
    }

    /// Opens the file for writing, beside what [`read`] found in it.
    pub fn open(path: &Path, found: &Anchored) -> anyhow::Result<Self> {
        let file = OpenOptions::new().write(true).open(path);
        let file = file.with_context(|| format!("cannot open the anchor {} for writing", path.display()))?;
        Ok(Self::over(path, file, 1 - found.slot))
    }

    fn over(path: &Path, file: File, next: usize) -> Self {
        Self { path: path.to_owned(), slots: Arc::new(Mutex::new(Slots { file, next })) }
    }

    /// Puts a tree head on disk; when this returns, it may go out.
    pub async fn advance(&self, note: &str) -> anyhow::Result<()> {
        let (slots, bytes) = (Arc::clone(&self.slots), slot(note));
        let write = move || {
            let bytes = bytes?;
            let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.file.write_all_at(&bytes, (slots.next * SLOT_BYTES) as u64)?;
            slots.file.sync_data()?;
            // After a failure the same slot is written again: the other one holds what was anchored last.
            slots.next = 1 - slots.next;
            io::Result::Ok(())
        };
        let written = tokio::task::spawn_blocking(write).await.map_err(io::Error::other).flatten();
        written.with_context(|| format!("cannot write the anchor {}", self.path.display()))
    }
}

/// A slot's bytes.
fn slot(note: &str) -> io::Result<Vec<u8>> {
    let mut bytes = note.as_bytes().to_vec();
    if bytes.len() > SLOT_BYTES {
        let said = format!("a tree head of {} bytes does not fit into its {SLOT_BYTES}", bytes.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, said));
    }
    bytes.resize(SLOT_BYTES, 0);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use acta_ledger::log::{
        digest::Sha256Digest,
        key::{PublicKey, SigningKey},
        note::{NoteKeyType, VerifierKey},
    };

    use super::*;

    fn key() -> SigningKey {
        SigningKey::from_bytes(&[1; 32])
    }

    fn verifier() -> LogKeys {
        LogKeys::new(VerifierKey::new("acta.test/log", NoteKeyType::Ed25519, PublicKey::of(&key())).unwrap())
    }

    fn note(size: u64) -> String {
        let root = Sha256Digest::of(&size.to_be_bytes());
        TreeHead { origin: "acta.test/log".to_owned(), size, root }.sign(&key()).unwrap().to_string()
    }

    fn size(path: &Path) -> u64 {
        read(path, &verifier()).unwrap().unwrap().head.size
    }

    #[tokio::test]
    async fn the_newest_tree_head_is_read_back_and_a_torn_write_costs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchor");
        assert_eq!(read(&path, &verifier()).unwrap(), None);
        let anchor = Anchor::make(&path, &note(0)).unwrap();
        assert_eq!(size(&path), 0);
        assert_eq!(Unopened::take(&path).unwrap().unwrap().sizes(), [0]);
        for number in [1, 5, 900] {
            anchor.advance(&note(number)).await.unwrap();
            assert_eq!(size(&path), number);
        }
        // Opened again it goes on with the older slot, whichever that is.
        for number in [901, 902, 903] {
            let found = read(&path, &verifier()).unwrap().unwrap();
            Anchor::open(&path, &found).unwrap().advance(&note(number)).await.unwrap();
            assert_eq!(size(&path), number);
        }
        let mut sizes = Unopened::take(&path).unwrap().unwrap().sizes();
        sizes.sort_unstable();
        assert_eq!(sizes, [902, 903]);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(whole.len(), 2 * SLOT_BYTES);
        let newest =
            whole.chunks(SLOT_BYTES).position(|slot| slot.starts_with(note(903).as_bytes())).unwrap();
        // Whatever a torn write leaves in the other slot, the newest one still counts.
        for cut in [0, 1, 30, 60, 100, SLOT_BYTES] {
            let mut torn = whole.clone();
            let other = (1 - newest) * SLOT_BYTES;
            torn[other..other + cut].fill(b'x');
            std::fs::write(&path, &torn).unwrap();
            assert_eq!(size(&path), 903, "{cut} bytes torn");
        }
    }

    #[tokio::test]
    async fn a_file_without_a_tree_head_of_this_log_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchor");
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read(&path, &verifier()).unwrap_err().to_string()
        };
        assert!(refused(b"").contains("it is empty"));
        assert!(refused(&[0; 2 * SLOT_BYTES]).contains("it is empty"));
        assert!(refused(note(7).replace("\n7\n", "\n8\n").as_bytes()).contains("holds no tree head"));
        let foreign = TreeHead { origin: "other.test/log".to_owned(), size: 3, root: Sha256Digest::of(b"") };
        assert!(refused(foreign.sign(&key()).unwrap().to_string().as_bytes()).contains("acta.test/log"));
        let long = "x".repeat(SLOT_BYTES + 1);
        let anchor = Anchor::make(&folder.path().join("other"), &note(1)).unwrap();
        assert!(format!("{:#}", anchor.advance(&long).await.unwrap_err()).contains("does not fit"));
    }
}
