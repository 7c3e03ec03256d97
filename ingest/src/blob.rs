//! Blobs: any bytes, addressed by their SHA-256 digest, kept until the server has them and after.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::build::BlobRef,
    log::digest::{Hasher, Sha256Digest},
};

use crate::durable;

/// A content-addressed folder.
#[derive(Debug, Clone)]
pub struct BlobStore {
    root: PathBuf,
}

/// A blob that is being written.
pub struct BlobWriter {
    root: PathBuf,
    temporary: PathBuf,
    file: Option<BufWriter<File>>,
    hasher: Hasher,
}

impl BlobStore {
    /// Opens the folder, which exists.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Where a blob stands, or would stand.
    pub fn path(&self, digest: &Sha256Digest) -> PathBuf {
        path(&self.root, digest)
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Begins a blob; its digest is known at the end.
    pub fn writer(&self) -> io::Result<BlobWriter> {
        self.writer_at(durable::temporary_in(&self.root))
    }

    /// Begins a blob whose unfinished file can be found by its name if this process dies.
    pub fn writer_named(&self, name: &str) -> io::Result<BlobWriter> {
        self.writer_at(temporary_named(&self.root, name))
    }

    fn writer_at(&self, temporary: PathBuf) -> io::Result<BlobWriter> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        let file = Some(BufWriter::with_capacity(1 << 16, file));
        Ok(BlobWriter { root: self.root.clone(), temporary, file, hasher: Hasher::default() })
    }

    /// Stores a blob as a whole.
    pub fn put(&self, bytes: &[u8], media_type: &str) -> io::Result<BlobRef> {
        let mut writer = self.writer()?;
        writer.write_all(bytes)?;
        writer.finish(media_type)
    }
}

impl BlobWriter {
    /// How many bytes were written so far.
    pub fn bytes(&self) -> u64 {
        self.hasher.bytes()
    }

    /// Puts the blob on disk under its digest; the same bytes are one blob.
    pub fn finish(mut self, media_type: &str) -> io::Result<BlobRef> {
        if let Some(file) = self.file.take() {
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        }
        let hasher = std::mem::take(&mut self.hasher);
        let bytes = hasher.bytes();
        let digest = hasher.finish();
        let target = path(&self.root, &digest);
        durable::create_private_dir(durable::folder_of(&target))?;
        fs::rename(&self.temporary, &target)?;
        durable::sync_dir(durable::folder_of(&target))?;
        durable::sync_dir(&self.root)?;
        Ok(BlobRef { digest, bytes, media_type: media_type.to_owned() })
    }
}

impl Write for BlobWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(file) = &mut self.file else { return Ok(0) };
        let written = file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for BlobWriter {
    fn drop(&mut self) {
        // After `finish` there is nothing under this name.
        fs::remove_file(&self.temporary).ok();
    }
}

/// The unfinished file of a blob that was begun with a name.
pub fn temporary_named(root: &Path, name: &str) -> PathBuf {
    root.join(format!("{}{name}", durable::TEMPORARY_PREFIX))
}

fn path(root: &Path, digest: &Sha256Digest) -> PathBuf {
    let name = digest.to_string();
    root.join(&name[..2]).join(name)
}

/// The digest and length of a file's bytes.
pub fn digest_file(path: &Path) -> io::Result<(Sha256Digest, u64)> {
    let mut file = File::open(path)?;
    let mut hasher = Hasher::default();
    let bytes = io::copy(&mut file, &mut hasher)?;
    Ok((hasher.finish(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_are_one_blob() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::new(folder.path().to_owned());
        let first = store.put(b"bytes", "text/plain").unwrap();
        assert_eq!(store.put(b"bytes", "text/plain").unwrap(), first);
        assert_eq!((first.digest, first.bytes), (Sha256Digest::of(b"bytes"), 5));
        assert_eq!(fs::read(store.path(&first.digest)).unwrap(), b"bytes");
        assert_eq!(digest_file(&store.path(&first.digest)).unwrap(), (first.digest, 5));
        let mut abandoned = store.writer().unwrap();
        abandoned.write_all(b"half").unwrap();
        assert_eq!(abandoned.bytes(), 4);
        drop(abandoned);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "an abandoned blob leaves nothing");
    }
}
