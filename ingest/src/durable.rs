//! Writing files so that a crash at any moment leaves the old state or the new one, never half of it.
//!
//! A file is written under a temporary name, synced, and then renamed: only then does its name mean anything. The
//! folder is synced last, because a rename is not on disk before that.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use uuid::Uuid;

/// How the names of unfinished files begin.
pub const TEMPORARY_PREFIX: &str = ".acta-tmp-";

/// Makes a folder that only its owner may enter, with all above it.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Puts a folder's entries on disk.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// A temporary file's path in the folder.
pub fn temporary_in(folder: &Path) -> PathBuf {
    folder.join(format!("{TEMPORARY_PREFIX}{}", Uuid::now_v7()))
}

/// The folder that a path stands in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Replaces (or makes) a file as a whole.
pub fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    prepare(path, bytes, mode)?.place()
}

/// A file that is whole and on disk, and has not got its name yet; it goes if it never gets it.
pub struct Prepared {
    temporary: PathBuf,
    path: PathBuf,
}

/// Puts the bytes on disk under a temporary name.
pub fn prepare(path: &Path, bytes: &[u8], mode: u32) -> io::Result<Prepared> {
    Ok(Prepared { temporary: write_temporary(folder_of(path), bytes, mode)?, path: path.to_owned() })
}

impl Prepared {
    /// Gives it its name.
    pub fn place(self) -> io::Result<()> {
        fs::rename(&self.temporary, &self.path)?;
        sync_dir(folder_of(&self.path))
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // After the rename there is nothing of that name.
        fs::remove_file(&self.temporary).ok();
    }
}

/// Makes a file as a whole; fails with [`io::ErrorKind::AlreadyExists`] if there is one.
pub fn create(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = folder_of(path);
    let temporary = write_temporary(folder, bytes, mode)?;
    // A hard link refuses an existing name, which a rename does not.
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    linked?;
    sync_dir(folder)
}

/// Moves a file to another folder of the same file system.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_dir(folder_of(to))?;
    sync_dir(folder_of(from))
}

/// Removes unfinished files of a folder that nobody else writes to at the moment.
pub fn remove_temporaries(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn write_temporary(folder: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    let path = temporary_in(folder);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.or_else(|error| discard(&path, error))?;
    Ok(path)
}

fn discard<T>(temporary: &Path, error: io::Error) -> io::Result<T> {
    fs::remove_file(temporary).ok();
    Err(error)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        create(&path, b"one", 0o600).unwrap();
        assert_eq!(create(&path, b"two", 0o600).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write(&path, b"three", 0o640).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn only_unfinished_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("keep"), "").unwrap();
        fs::write(temporary_in(folder.path()), "").unwrap();
        remove_temporaries(folder.path()).unwrap();
        assert!(folder.path().join("keep").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(folder_of(Path::new("x")), Path::new("."));
    }
}
