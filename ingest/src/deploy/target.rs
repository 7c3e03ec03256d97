//! The folder that the runtime serves from: its lock and its versions, each whole under its name or not there.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use acta_ledger::{
    evidence::rollback::RollbackFailure,
    log::digest::{Hasher, Sha256Digest},
};

use super::{portal::Portal, stop::Stop};
use crate::{blob, durable, error::CliError};

/// The versions' folder.
pub const VERSIONS: &str = "versions";
/// The bundle in a version.
pub const BUNDLE: &str = "bundle";
/// The runtime configuration in a version.
pub const CONFIG: &str = "runtime.conf";

const LOCK: &str = ".acta-lock";
/// How long a lock is waited for.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);
/// What must stay free on the target beside the bundle.
const MARGIN_BYTES: u64 = 16 << 20;

/// Why an order cannot be carried out here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// Which kind.
    pub failure: RollbackFailure,
    /// In words.
    pub text: String,
    /// The digest that was found in place of the bundle's.
    pub bundle: Option<Sha256Digest>,
    /// The digest that was found in place of the configuration's.
    pub config: Option<Sha256Digest>,
}

/// Why a version does not stand there.
#[derive(Debug)]
pub enum Stopped {
    /// It cannot.
    Trouble(Box<Trouble>),
    /// Not yet: the server does not answer, or this agent is asked to stop.
    Later(CliError),
}

/// Why the target cannot be worked on.
#[derive(Debug)]
pub enum OpenError {
    /// Another agent does.
    Held,
    /// It is missing, or cannot be written.
    Trouble(Box<Trouble>),
}

impl Trouble {
    /// A kind, in words.
    pub fn new(failure: RollbackFailure, text: impl Into<String>) -> Self {
        Self { failure, text: text.into(), bundle: None, config: None }
    }

    /// What the system's error means for an order.
    pub fn io(action: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(failure_of(error.kind()), format!("cannot {action} {}: {error}", path.display()))
    }
}

/// What a kind of the system's errors means.
fn failure_of(kind: io::ErrorKind) -> RollbackFailure {
    use io::ErrorKind::{
        FileTooLarge, NotADirectory, NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem,
        StorageFull,
    };
    match kind {
        StorageFull | QuotaExceeded | FileTooLarge => RollbackFailure::TargetFull,
        ReadOnlyFilesystem | PermissionDenied => RollbackFailure::TargetReadOnly,
        NotFound | NotADirectory => RollbackFailure::TargetMissing,
        _ => RollbackFailure::Other,
    }
}

/// A target that this process alone works on.
#[derive(Debug)]
pub struct Target {
    folder: PathBuf,
    lock: File,
}

impl Target {
    /// Takes the target, and removes what a killed agent left unfinished.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let trouble = |action: &str, error: &io::Error| {
            OpenError::Trouble(Box::new(Trouble::io(action, folder, error)))
        };
        let there = fs::metadata(folder).map_err(|error| trouble("find the target", &error))?;
        if !there.is_dir() {
            let text = format!("the target {} is no folder", folder.display());
            return Err(OpenError::Trouble(Box::new(Trouble::new(RollbackFailure::TargetMissing, text))));
        }
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(LOCK));
        let lock = lock.map_err(|error| trouble("write to the target", &error))?;
        // A process that was killed while it started another one is let go of a moment later.
        let begun = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_PATIENCE => {
                    thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => return Err(OpenError::Held),
                Err(TryLockError::Error(error)) => return Err(trouble("lock the target", &error)),
            }
        }
        durable::remove_temporaries(folder).map_err(|error| trouble("clean the target", &error))?;
        Ok(Self { folder: folder.to_owned(), lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the folder is still the one that was taken.
    pub fn is_there(&self) -> bool {
        let of = |there: io::Result<fs::Metadata>| there.map(|there| (there.dev(), there.ino())).ok();
        let own = of(self.lock.metadata());
        own.is_some() && own == of(fs::metadata(self.folder.join(LOCK)))
    }
}

/// What must stand in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The bundle.
    pub bundle: Sha256Digest,
    /// Its runtime configuration.
    pub config: Sha256Digest,
}

/// Sees that a version with exactly these bytes stands in the folder, and gives its name. What is there and whole is read
/// and not fetched; what is live is never touched.
pub fn prepare(
    folder: &Path,
    wanted: Wanted,
    live: Option<&str>,
    portal: &dyn Portal,
    stop: &Stop,
) -> Result<String, Stopped> {
    let versions = folder.join(VERSIONS);
    let trouble =
        |action: &str, error: &io::Error| Stopped::Trouble(Box::new(Trouble::io(action, &versions, error)));
    fs::create_dir_all(&versions).map_err(|error| trouble("make", &error))?;
    remove_unfinished(&versions).map_err(|error| trouble("clean", &error))?;
    // The same bundle may be retained anew with another configuration, and what is live may be damaged: then it gets
    // another name, so that the version that is served is not changed under the runtime.
    let plain = wanted.bundle.to_string();
    let beside = format!("{plain}-{}", wanted.config.short());
    let names = [&plain, &beside];
    if let Some(name) = names.into_iter().find(|name| is_whole(&versions.join(name), wanted)) {
        return Ok(name.clone());
    }
    let name = if live == Some(&plain) { beside } else { plain };
    let unfinished = durable::temporary_in(&versions);
    let place = versions.join(&name);
    let done = fill(&unfinished, wanted, portal, stop).and_then(|()| {
        // Nobody serves from it, and it is not whole.
        if place.exists() {
            fs::remove_dir_all(&place).map_err(|error| trouble("replace a version in", &error))?;
        }
        fs::rename(&unfinished, &place)
            .and_then(|()| durable::sync_dir(&versions))
            .and_then(|()| durable::sync_dir(folder))
            .map_err(|error| trouble("put a version into", &error))
    });
    if done.is_err() {
        fs::remove_dir_all(&unfinished).ok();
    }
    done.map(|()| name)
}

/// Whether both files are there with these digests.
fn is_whole(version: &Path, wanted: Wanted) -> bool {
    let is = |file: &str, digest| {
        blob::digest_file(&version.join(file)).is_ok_and(|(measured, _)| measured == digest)
    };
    is(CONFIG, wanted.config) && is(BUNDLE, wanted.bundle)
}

fn remove_unfinished(versions: &Path) -> io::Result<()> {
    for entry in fs::read_dir(versions)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(durable::TEMPORARY_PREFIX) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Fetches both files into a new folder, hashed as they are written; on disk when it returns.
fn fill(folder: &Path, wanted: Wanted, portal: &dyn Portal, stop: &Stop) -> Result<(), Stopped> {
    let io = |action: &str, error: &io::Error| Stopped::Trouble(Box::new(Trouble::io(action, folder, error)));
    fs::create_dir(folder).map_err(|error| io("make", &error))?;
    let config = fetch(folder, CONFIG, wanted.config, portal, stop)?;
    if config != Some(wanted.config) {
        let text = match config {
            None => "the runtime configuration is not on the server".to_owned(),
            Some(found) => format!("what is kept as the runtime configuration has the digest sha256:{found}"),
        };
        let trouble = Trouble { config, ..Trouble::new(RollbackFailure::RuntimeConfig, text) };
        return Err(Stopped::Trouble(Box::new(trouble)));
    }
    let bundle = fetch(folder, BUNDLE, wanted.bundle, portal, stop)?;
    let trouble = match bundle {
        None => Trouble::new(RollbackFailure::NotRetained, "the bundle is not on the server"),
        Some(found) if found != wanted.bundle => Trouble {
            bundle,
            config,
            ..Trouble::new(
                RollbackFailure::Damaged,
                format!("what is kept as the bundle has the digest sha256:{found}"),
            )
        },
        Some(_) => return durable::sync_dir(folder).map_err(|error| io("sync", &error)),
    };
    Err(Stopped::Trouble(Box::new(trouble)))
}

/// Fetches one file; its digest as it was written, or none where the server does not have it.
fn fetch(
    folder: &Path,
    name: &str,
    digest: Sha256Digest,
    portal: &dyn Portal,
    stop: &Stop,
) -> Result<Option<Sha256Digest>, Stopped> {
    let path = folder.join(name);
    let Some(mut incoming) = portal.blob(&digest).map_err(Stopped::Later)? else { return Ok(None) };
    let io = |action: &str, error: &io::Error| Stopped::Trouble(Box::new(Trouble::io(action, &path, error)));
    let space = rustix::fs::statvfs(folder).map_err(|error| io("ask for the space of", &error.into()))?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    if let Some(text) = lacks_space(free, incoming.bytes.unwrap_or(0)) {
        return Err(Stopped::Trouble(Box::new(Trouble::new(RollbackFailure::TargetFull, text))));
    }
    let mut file = File::create_new(&path).map_err(|error| io("make", &error))?;
    let (mut hasher, mut buffer) = (Hasher::default(), vec![0; 1 << 18]);
    loop {
        let count = incoming.reader.read(&mut buffer).map_err(|error| {
            Stopped::Later(CliError::failure("fetching was cut short").found(error.to_string()))
        })?;
        if stop.asked() {
            return Err(Stopped::Later(CliError::failure("this agent was asked to stop while it fetched")));
        }
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        file.write_all(&buffer[..count]).map_err(|error| io("write", &error))?;
    }
    if let Some(bytes) = incoming.bytes.filter(|bytes| *bytes > hasher.bytes()) {
        let found = format!("{} of {bytes} bytes", hasher.bytes());
        return Err(Stopped::Later(CliError::failure("fetching was cut short").found(found)));
    }
    file.sync_all().map_err(|error| io("sync", &error))?;
    Ok(Some(hasher.finish()))
}

/// Says what is lacking for a file of so many bytes.
fn lacks_space(free: u64, bytes: u64) -> Option<String> {
    let needed = bytes.saturating_add(MARGIN_BYTES);
    (free < needed).then(|| format!("{free} bytes are free on the target, {needed} are needed"))
}

#[cfg(test)]
mod tests {
    use super::{super::portal::testing::Shelf, *};

    const WORDS: (&[u8], &[u8]) = (b"a bundle", b"its configuration");

    fn wanted() -> Wanted {
        Wanted { bundle: Sha256Digest::of(WORDS.0), config: Sha256Digest::of(WORDS.1) }
    }

    fn place(folder: &Path, live: Option<&str>, shelf: &Shelf) -> Result<String, RollbackFailure> {
        prepare(folder, wanted(), live, shelf, &Stop::default()).map_err(|stopped| match stopped {
            Stopped::Trouble(trouble) => trouble.failure,
            Stopped::Later(error) => panic!("{error}"),
        })
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder.join(VERSIONS))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_whole_version_is_read_and_not_fetched() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(&[WORDS.0, WORDS.1]);
        fs::create_dir_all(folder.path().join(VERSIONS).join(".acta-tmp-left/by")).unwrap();
        let name = place(folder.path(), None, &shelf).unwrap();
        assert_eq!(name, wanted().bundle.to_string());
        let version = folder.path().join(VERSIONS).join(&name);
        assert_eq!(fs::read(version.join(BUNDLE)).unwrap(), WORDS.0);
        assert_eq!(fs::read(version.join(CONFIG)).unwrap(), WORDS.1);
        assert_eq!(place(folder.path(), None, &Shelf::new(&[])).unwrap(), name);
        assert_eq!(names(folder.path()), [name]);
    }

    #[test]
    fn a_damaged_version_is_replaced_unless_it_is_live() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(&[WORDS.0, WORDS.1]);
        let name = place(folder.path(), None, &shelf).unwrap();
        let bundle = folder.path().join(VERSIONS).join(&name).join(BUNDLE);
        fs::write(&bundle, "a bundlE").unwrap();
        assert_eq!(place(folder.path(), None, &shelf).unwrap(), name);
        assert_eq!(fs::read(&bundle).unwrap(), WORDS.0);
        fs::write(&bundle, "a bundlE").unwrap();
        let other = place(folder.path(), Some(&name), &shelf).unwrap();
        assert!(other.starts_with(&format!("{name}-")));
        assert_eq!(fs::read(&bundle).unwrap(), b"a bundlE", "what is live is not touched");
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn what_is_missing_or_damaged_on_the_server_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let damaged = |shelf: Shelf, digest: Sha256Digest| {
            shelf.blobs.borrow_mut().insert(digest, b"other".to_vec());
            shelf
        };
        let full = || Shelf::new(&[WORDS.0, WORDS.1]);
        for (shelf, failure) in [
            (Shelf::new(&[WORDS.1]), RollbackFailure::NotRetained),
            (Shelf::new(&[WORDS.0]), RollbackFailure::RuntimeConfig),
            (damaged(full(), wanted().bundle), RollbackFailure::Damaged),
            (damaged(full(), wanted().config), RollbackFailure::RuntimeConfig),
        ] {
            assert_eq!(place(folder.path(), None, &shelf), Err(failure));
            assert!(names(folder.path()).is_empty());
        }
    }

    #[test]
    fn one_agent_works_on_a_target_and_trouble_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path()).unwrap();
        assert!(matches!(Target::open(folder.path()), Err(OpenError::Held)));
        assert!(target.is_there());
        fs::remove_file(folder.path().join(LOCK)).unwrap();
        assert!(!target.is_there());
        drop(target);
        for missing in [folder.path().join("missing"), {
            let file = folder.path().join("file");
            fs::write(&file, "").unwrap();
            file
        }] {
            let Err(OpenError::Trouble(trouble)) = Target::open(&missing) else { panic!() };
            assert_eq!(trouble.failure, RollbackFailure::TargetMissing, "{}", trouble.text);
        }
        for (number, failure) in [
            (rustix::io::Errno::NOSPC, RollbackFailure::TargetFull),
            (rustix::io::Errno::DQUOT, RollbackFailure::TargetFull),
            (rustix::io::Errno::ROFS, RollbackFailure::TargetReadOnly),
            (rustix::io::Errno::ACCESS, RollbackFailure::TargetReadOnly),
            (rustix::io::Errno::PERM, RollbackFailure::TargetReadOnly),
            (rustix::io::Errno::NOENT, RollbackFailure::TargetMissing),
            (rustix::io::Errno::NOTDIR, RollbackFailure::TargetMissing),
            (rustix::io::Errno::IO, RollbackFailure::Other),
        ] {
            assert_eq!(failure_of(io::Error::from(number).kind()), failure, "{number}");
        }
        assert_eq!(lacks_space(MARGIN_BYTES + 5, 5), None);
        assert!(lacks_space(MARGIN_BYTES + 4, 5).unwrap().contains("are needed"));
        assert!(lacks_space(u64::MAX - 1, u64::MAX).is_some());
    }
}
