//! The content-addressed store: bytes by their SHA-256 digest, behind `object_store` but for many short ones at once.
//!
//! A blob is written beside its place, hashed as written, synced, and only then moved to its address: nothing that is
//! half there or wrong can ever be found under a digest.

use std::{
    io::{self, Read as _},
    path::{Path as FilePath, PathBuf},
    sync::Arc,
};

use acta_ledger::log::digest::{Hasher, Sha256Digest};
use anyhow::Context as _;
use axum::body::Bytes;
use futures::{Stream, StreamExt as _};
use object_store::{
    GetResult, ObjectStore, ObjectStoreExt as _, PutPayload, local::LocalFileSystem, path::Path,
};
use tokio::task::JoinError;

/// The largest blob that is taken: 8 GiB.
pub const MAX_BLOB_BYTES: u64 = 8 << 30;

/// Bytes are handed to the store in parts of this size.
const PART_BYTES: usize = 8 << 20;

/// The store.
#[derive(Clone)]
pub struct BlobStore {
    store: Arc<dyn ObjectStore>,
    folder: Arc<FilePath>,
}

/// Why a blob was not taken.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The bytes have another digest.
    #[error("the bytes have the digest {found}, the address says {expected}")]
    Digest {
        /// What was received.
        found: Sha256Digest,
        /// What was announced.
        expected: Sha256Digest,
    },
    /// Too many bytes.
    #[error("more than {limit} bytes")]
    TooLarge {
        /// How many are taken.
        limit: u64,
    },
    /// The sender stopped in the middle.
    #[error("the bytes ended early: {0}")]
    Interrupted(String),
    /// The store failed.
    #[error("the blob store failed: {0}")]
    Store(#[from] object_store::Error),
}

impl BlobStore {
    /// Opens a local folder; each blob is synced to disk before it is acknowledged.
    pub fn local(folder: &FilePath) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let store = LocalFileSystem::new_with_prefix(folder)
            .with_context(|| format!("cannot open the blob folder {}", folder.display()))?
            .with_fsync(true);
        Ok(Self { store: Arc::new(store), folder: folder.into() })
    }

    /// The length of a blob, if it is there.
    pub async fn size(&self, digest: &Sha256Digest) -> Result<Option<u64>, BlobError> {
        match self.store.head(&address(digest)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The blob, if it is there, as a stream.
    pub async fn get(&self, digest: &Sha256Digest) -> Result<Option<GetResult>, BlobError> {
        match self.store.get(&address(digest)).await {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads many blobs that are not longer than `limit`, in the order in which they are asked for; none for one that is not
    /// there, is longer, or cannot be read. The files are read without `object_store`, in one turn of a thread for all of
    /// them: a turn for each would cost more than the reading.
    pub async fn read_short(
        &self,
        digests: Vec<Sha256Digest>,
        limit: u64,
    ) -> Result<Vec<Option<Vec<u8>>>, JoinError> {
        let folder = Arc::clone(&self.folder);
        let read = move || digests.iter().map(|digest| read_short(&file(&folder, digest), limit)).collect();
        tokio::task::spawn_blocking(read).await
    }

    /// Removes a blob; one that is not there is gone already.
    pub async fn delete(&self, digest: &Sha256Digest) -> Result<(), BlobError> {
        match self.store.delete(&address(digest)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a small blob whole and checks its digest; `None` if it is missing, larger than `limit`, or damaged.
    pub async fn read_verified(&self, digest: &Sha256Digest, limit: u64) -> Result<Option<Bytes>, BlobError> {
        match self.get(digest).await? {
            Some(found) if found.meta.size <= limit => {
                let bytes = found.bytes().await?;
                Ok((Sha256Digest::of(&bytes) == *digest).then_some(bytes))
            }
            _ => Ok(None),
        }
    }

    /// Takes a stream of bytes under its digest, and says how many they are.
    pub async fn put<E: ToString>(
        &self,
        digest: &Sha256Digest,
        bytes: impl Stream<Item = Result<Bytes, E>>,
    ) -> Result<u64, BlobError> {
        let mut upload = self.store.put_multipart(&address(digest)).await?;
        let receive = async || {
            let mut hasher = Hasher::default();
            let mut part: Vec<u8> = Vec::new();
            let mut bytes = std::pin::pin!(bytes);
            while let Some(piece) = bytes.next().await {
                let piece = piece.map_err(|error| BlobError::Interrupted(error.to_string()))?;
                hasher.update(&piece);
                if hasher.bytes() > MAX_BLOB_BYTES {
                    return Err(BlobError::TooLarge { limit: MAX_BLOB_BYTES });
                }
                part.extend_from_slice(&piece);
                if part.len() >= PART_BYTES {
                    upload.put_part(PutPayload::from(std::mem::take(&mut part))).await?;
                }
            }
            upload.put_part(PutPayload::from(part)).await?;
            let (length, found) = (hasher.bytes(), hasher.finish());
            if found == *digest { Ok(length) } else { Err(BlobError::Digest { found, expected: *digest }) }
        };
        match receive().await {
            Ok(length) => upload.complete().await.map(|_| length).map_err(BlobError::from),
            Err(error) => {
                // The staged bytes are worthless whether or not they can be removed right now.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }
}

fn address(digest: &Sha256Digest) -> Path {
    let text = digest.to_string();
    Path::from(format!("sha256/{}/{text}", &text[..2]))
}

fn read_short(file: &FilePath, limit: u64) -> Option<Vec<u8>> {
    let file = std::fs::File::open(file).ok()?;
    let length = file.metadata().ok()?.len();
    if length > limit {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()? + 1);
    file.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

/// The file of a blob in a local folder.
pub fn file(folder: &FilePath, digest: &Sha256Digest) -> PathBuf {
    folder.join(address(digest).as_ref())
}

/// The blobs of a local folder; what is half received has another name.
pub fn list(folder: &FilePath) -> io::Result<Vec<Sha256Digest>> {
    let mut found = Vec::new();
    let folders = match std::fs::read_dir(folder.join("sha256")) {
        Ok(folders) => folders,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for folder in folders {
        for file in std::fs::read_dir(folder?.path())? {
            found.extend(file?.file_name().to_str().and_then(|name| name.parse::<Sha256Digest>().ok()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    fn pieces(pieces: &[&'static [u8]]) -> impl Stream<Item = Result<Bytes, String>> + use<> {
        stream::iter(pieces.iter().map(|piece| Ok(Bytes::from_static(piece))).collect::<Vec<_>>())
    }

    #[tokio::test]
    async fn only_the_right_bytes_can_be_found_under_a_digest() {
        let folder = tempfile::tempdir().unwrap();
        let store = BlobStore::local(folder.path()).unwrap();
        let digest = Sha256Digest::of(b"hello world");
        assert_eq!(store.size(&digest).await.unwrap(), None);

        let wrong = store.put(&digest, pieces(&[b"hello ", b"there"])).await;
        assert!(matches!(wrong, Err(BlobError::Digest { .. })));
        let cut = stream::iter([Ok(Bytes::from_static(b"hello ")), Err("gone".to_owned())]);
        assert!(matches!(store.put(&digest, cut).await, Err(BlobError::Interrupted(_))));
        assert_eq!(store.size(&digest).await.unwrap(), None, "nothing half-stored");

        store.put(&digest, pieces(&[b"hello ", b"world"])).await.unwrap();
        store.put(&digest, pieces(&[b"hello world"])).await.unwrap();
        assert_eq!(store.size(&digest).await.unwrap(), Some(11));
        assert_eq!(store.read_verified(&digest, 100).await.unwrap().as_deref(), Some(&b"hello world"[..]));
        assert_eq!(store.read_verified(&digest, 10).await.unwrap(), None);

        let file = folder.path().join("sha256").join(&digest.to_string()[..2]).join(digest.to_string());
        std::fs::write(&file, b"hello w0rld").unwrap();
        assert_eq!(
            store.read_verified(&digest, 100).await.unwrap(),
            None,
            "damage is never served as the blob"
        );

        let other = Sha256Digest::of(b"never stored");
        assert_eq!(
            store.read_short(vec![other, digest, other, digest], 11).await.unwrap(),
            [None, Some(b"hello w0rld".to_vec()), None, Some(b"hello w0rld".to_vec())],
            "whoever asks for many checks them"
        );
        assert_eq!(store.read_short(vec![digest], 10).await.unwrap(), [None], "too long");

        let empty = Sha256Digest::of(b"");
        store.put(&empty, pieces(&[])).await.unwrap();
        assert_eq!(store.size(&empty).await.unwrap(), Some(0));
        assert_eq!(store.read_short(vec![empty], 0).await.unwrap(), [Some(Vec::new())]);
    }
}
