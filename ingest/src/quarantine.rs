//! The quarantine: files that nobody may take for good ones, set apart with a note of what each is.
//!
//! ```text
//! quarantine/<id>/manifest.json   what, from where, which digest, of which run, why, when
//! quarantine/<id>/item            the file
//! ```
//!
//! An item is made in a folder with a temporary name, first the manifest, then the file, and the folder gets its name
//! last. A death in between leaves a temporary folder: if the file has arrived, it is finished the next time; if not, the
//! file still stands where it was. Over the border of a file system the file is copied, and the copy's digest is checked
//! before the original goes.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::artifact::ArtifactKind,
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use rustix::fs::{CWD, OFlags, RenameFlags, renameat_with};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    blob::digest_file,
    clock, crash,
    durable::{self, TEMPORARY_PREFIX},
    error::{CliError, Result},
    home::Home,
    outbox,
};

/// The value of a manifest's `schema`.
const SCHEMA: &str = "urn:acta:quarantine-item:v1";

/// How many items there may be: a quarantine that nobody looks at must not grow without end.
pub const MAX_ITEMS: usize = 1_000;

/// Why a file was set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The build that wrote it did not come to its end.
    UnfinishedBuild,
    /// The supervisor of the build that wrote it died.
    Orphaned,
    /// It is not the timing cache that is on record.
    CacheNotOnRecord,
    /// It was made for another library, GPU or configuration.
    CacheOfAnotherKind,
}

/// What is known of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    schema: String,
    /// The item.
    pub id: Uuid,
    /// What it is.
    pub kind: ArtifactKind,
    /// Where it stood.
    pub from: PathBuf,
    /// The digest of its bytes.
    pub digest: Sha256Digest,
    /// How many bytes.
    pub bytes: u64,
    /// The run that it belongs to, where it belongs to one.
    pub run: Option<Uuid>,
    /// Why, as a code.
    pub why: Why,
    /// Why, in words.
    pub detail: String,
    /// When.
    pub at: Timestamp,
}

/// What is to be set apart.
#[derive(Debug, Clone, Copy)]
pub struct Suspect<'a> {
    /// The file.
    pub path: &'a Path,
    /// What it is.
    pub kind: ArtifactKind,
    /// The run that it belongs to.
    pub run: Option<Uuid>,
    /// Why, as a code.
    pub why: Why,
    /// Why, in words.
    pub detail: &'a str,
}

/// The folder.
#[derive(Debug, Clone)]
pub struct Quarantine {
    root: PathBuf,
}

impl Quarantine {
    /// Opens the quarantine of a home whose folders exist.
    pub fn new(home: &Home) -> Self {
        Self { root: home.quarantine() }
    }

    /// Sets a file apart.
    pub fn take(&self, suspect: Suspect<'_>) -> Result<Manifest> {
        self.finish_interrupted()?;
        if self.list()?.len() >= MAX_ITEMS {
            return Err(CliError::failure("the quarantine is full")
                .field(self.root.display().to_string())
                .found(format!("{MAX_ITEMS} items"))
                .help("look at them with `acta quarantine list`, then restore or purge some"));
        }
        let (id, path) = (Uuid::now_v7(), suspect.path);
        let io = |error: &io::Error| CliError::io("set apart", path, error);
        let from = std::path::absolute(path).map_err(|error| io(&error))?;
        let (digest, bytes) = digest_of_file(path).map_err(|error| io(&error))?;
        let manifest = Manifest {
            schema: SCHEMA.to_owned(),
            id,
            kind: suspect.kind,
            from,
            digest,
            bytes,
            run: suspect.run,
            why: suspect.why,
            detail: suspect.detail.to_owned(),
            at: clock::now(),
        };
        let making = self.root.join(format!("{TEMPORARY_PREFIX}{id}"));
        fs::DirBuilder::new().mode(0o700).create(&making).map_err(|error| io(&error))?;
        durable::write(&making.join("manifest.json"), &outbox::to_json(&manifest)?, 0o600)
            .map_err(|error| io(&error))?;
        crash::point("manifest written")?;
        move_file(path, &making.join("item"), &digest).map_err(|error| {
            fs::remove_dir_all(&making).ok();
            io(&error)
        })?;
        crash::point("item moved")?;
        durable::rename(&making, &self.root.join(id.to_string())).map_err(|error| io(&error))?;
        Ok(manifest)
    }

    /// What is there, oldest first.
    pub fn list(&self) -> Result<Vec<Manifest>> {
        let mut items = Vec::new();
        for id in self.ids()? {
            items.push(self.read(id)?);
        }
        items.sort_by_key(|item| item.id);
        Ok(items)
    }

    /// One item.
    pub fn read(&self, id: Uuid) -> Result<Manifest> {
        let path = self.folder(id).join("manifest.json");
        if !path.exists() {
            return Err(CliError::usage("there is no such item in quarantine")
                .field("ID")
                .found(id.to_string())
                .help("acta quarantine list"));
        }
        let manifest: Manifest = outbox::read_json(&path)?;
        if manifest.schema == SCHEMA && manifest.id == id {
            Ok(manifest)
        } else {
            Err(CliError::failure(format!("{} is no manifest of this item", path.display()))
                .found(format!("{} of {}", manifest.schema, manifest.id))
                .expected(format!("{SCHEMA} of {id}")))
        }
    }

    /// The file of an item.
    pub fn item(&self, id: Uuid) -> PathBuf {
        self.folder(id).join("item")
    }

    /// Gives a file back, to where it stood or elsewhere. Never over something that stands there.
    pub fn restore(&self, manifest: &Manifest, to: Option<&Path>) -> Result<PathBuf> {
        let to = to.unwrap_or(&manifest.from);
        let item = self.item(manifest.id);
        let (digest, _) =
            digest_of_file(&item).map_err(|error| CliError::io("read the item", &item, &error))?;
        if digest != manifest.digest {
            return Err(CliError::failure("the item in quarantine was changed since it was set apart")
                .field(item.display().to_string())
                .found(digest.to_string())
                .expected(manifest.digest.to_string())
                .help("do not use it; purge it"));
        }
        move_file(&item, to, &digest).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CliError::usage("something stands there, and is not overwritten")
                .field("--to")
                .found(to.display().to_string())
                .help("move it away, or name another place: --to PATH"),
            _ => CliError::io("restore to", to, &error).exit(crate::error::Exit::Usage),
        })?;
        self.remove(manifest.id)?;
        Ok(to.to_owned())
    }

    /// Removes an item for good.
    pub fn purge(&self, id: Uuid) -> Result<()> {
        self.remove(id)
    }

    /// Finishes what a death interrupted; what has no file yet goes, the file still stands where it was.
    pub fn finish_interrupted(&self) -> Result<()> {
        let io = |error: &io::Error| CliError::io("tidy up", &self.root, error);
        for entry in fs::read_dir(&self.root).map_err(|error| io(&error))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(id) = name.strip_prefix(TEMPORARY_PREFIX).and_then(|id| id.parse::<Uuid>().ok()) else {
                continue;
            };
            let there = |name: &str| entry.path().join(name).exists();
            if there("item") && there("manifest.json") {
                durable::rename(&entry.path(), &self.folder(id)).map_err(|error| io(&error))?;
            } else {
                fs::remove_dir_all(entry.path()).map_err(|error| io(&error))?;
            }
        }
        Ok(())
    }

    fn remove(&self, id: Uuid) -> Result<()> {
        let folder = self.folder(id);
        // Under a temporary name first: a death in between leaves nothing that looks like an item.
        let going = self.root.join(format!("{TEMPORARY_PREFIX}gone-{id}"));
        durable::rename(&folder, &going)
            .and_then(|()| fs::remove_dir_all(&going))
            .map_err(|error| CliError::io("remove", &folder, &error))
    }

    fn ids(&self) -> Result<Vec<Uuid>> {
        let entries =
            fs::read_dir(&self.root).map_err(|error| CliError::io("read the folder", &self.root, &error))?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
    }

    fn folder(&self, id: Uuid) -> PathBuf {
        self.root.join(id.to_string())
    }
}

/// The digest of a file that is no link.
fn digest_of_file(path: &Path) -> io::Result<(Sha256Digest, u64)> {
    if fs::symlink_metadata(path)?.is_file() {
        digest_file(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// Moves a file to a name that is free, over the border of a file system too; the copy must have this digest.
fn move_file(from: &Path, to: &Path, digest: &Sha256Digest) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => {}
        Err(rustix::io::Errno::XDEV) => copy_and_remove(from, to, digest)?,
        // A file system that cannot do it in one step: a hard link refuses a name that is taken, too.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)?;
        }
        Err(error) => return Err(error.into()),
    }
    durable::sync_dir(durable::folder_of(to))?;
    durable::sync_dir(durable::folder_of(from))
}

fn copy_and_remove(from: &Path, to: &Path, digest: &Sha256Digest) -> io::Result<()> {
    let temporary = durable::temporary_in(durable::folder_of(to));
    let copied = copy(from, &temporary).and_then(|()| {
        let (copied, _) = digest_file(&temporary)?;
        if copied == *digest {
            renameat_with(CWD, &temporary, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
        } else {
            let found = format!("the copy has the digest {copied}, expected {digest}");
            Err(io::Error::new(io::ErrorKind::InvalidData, found))
        }
    });
    copied.inspect_err(|_| {
        fs::remove_file(&temporary).ok();
    })?;
    durable::sync_dir(durable::folder_of(to))?;
    fs::remove_file(from)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let mut reader = OpenOptions::new().read(true).custom_flags(no_follow).open(from)?;
    let mut writer: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    io::copy(&mut reader, &mut writer)?;
    writer.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn quarantine() -> (tempfile::TempDir, Quarantine) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().join("home"))).unwrap();
        home.create().unwrap();
        (folder, Quarantine::new(&home))
    }

    fn suspect(path: &Path) -> Suspect<'_> {
        let why = Why::UnfinishedBuild;
        Suspect { path, kind: ArtifactKind::PartialPlan, run: None, why, detail: "half a plan" }
    }

    #[test]
    fn a_file_is_set_apart_and_comes_back_as_it_was() {
        let (folder, quarantine) = quarantine();
        let path = folder.path().join("m.plan");
        fs::write(&path, "half").unwrap();
        let manifest = quarantine.take(suspect(&path)).unwrap();
        assert!(!path.exists());
        assert_eq!((manifest.bytes, manifest.digest), (4, Sha256Digest::of(b"half")));
        assert_eq!(quarantine.list().unwrap(), std::slice::from_ref(&manifest));
        assert_eq!(quarantine.restore(&manifest, None).unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"half");
        assert!(quarantine.list().unwrap().is_empty());
    }

    #[test]
    fn nothing_is_overwritten_and_no_changed_item_comes_back() {
        let (folder, quarantine) = quarantine();
        let path = folder.path().join("m.plan");
        fs::write(&path, "half").unwrap();
        let manifest = quarantine.take(suspect(&path)).unwrap();
        fs::write(&path, "a new one").unwrap();
        let error = quarantine.restore(&manifest, None).unwrap_err();
        assert!(error.to_string().contains("not overwritten"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"a new one");
        let elsewhere = folder.path().join("elsewhere");
        assert!(quarantine.restore(&manifest, Some(&folder.path().join("no/folder"))).is_err());
        fs::write(quarantine.item(manifest.id), "changed").unwrap();
        let error = quarantine.restore(&manifest, Some(&elsewhere)).unwrap_err();
        assert!(error.to_string().contains("was changed"), "{error}");
        assert!(!elsewhere.exists());
        quarantine.purge(manifest.id).unwrap();
        assert!(quarantine.read(manifest.id).is_err());
    }

    #[test]
    fn a_death_at_any_point_loses_no_file() {
        for point in ["manifest written", "item moved"] {
            let (folder, quarantine) = quarantine();
            let path = folder.path().join("m.plan");
            fs::write(&path, "half").unwrap();
            crash::at(point, || quarantine.take(suspect(&path)).unwrap_err());
            quarantine.finish_interrupted().unwrap();
            let held = quarantine.list().unwrap();
            assert_eq!(held.len() + usize::from(path.exists()), 1, "{point}");
            if let Some(manifest) = held.first() {
                assert_eq!(fs::read(quarantine.item(manifest.id)).unwrap(), b"half");
            }
            assert_eq!(fs::read_dir(&quarantine.root).unwrap().count(), held.len(), "{point}");
        }
    }

    #[test]
    fn a_copy_over_a_border_is_checked_before_the_original_goes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "bytes").unwrap();
        assert!(copy_and_remove(&at("a"), &at("b"), &Sha256Digest::of(b"other")).is_err());
        assert!(at("a").exists() && !at("b").exists());
        copy_and_remove(&at("a"), &at("b"), &Sha256Digest::of(b"bytes")).unwrap();
        assert!(!at("a").exists());
        assert_eq!(fs::read(at("b")).unwrap(), b"bytes");
        fs::write(at("a"), "bytes").unwrap();
        assert!(copy_and_remove(&at("a"), &at("b"), &Sha256Digest::of(b"bytes")).is_err(), "it is taken");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
    }

    #[test]
    fn a_link_is_not_followed() {
        let (folder, quarantine) = quarantine();
        let (victim, link) = (folder.path().join("victim"), folder.path().join("link"));
        fs::write(&victim, "good").unwrap();
        symlink(&victim, &link).unwrap();
        assert!(quarantine.take(suspect(&link)).is_err());
        assert!(victim.exists() && quarantine.list().unwrap().is_empty());
    }
}
