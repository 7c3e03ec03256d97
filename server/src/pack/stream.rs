//! A pack's archive as a stream: blobs go through as they are read, and are hashed on the way.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use acta_ledger::log::{
    digest::{Hasher, Sha256Digest},
    pack::{
        File,
        archive::{END, header, length, padding},
    },
};
use axum::body::Bytes;
use futures::{
    Stream, StreamExt as _, TryStreamExt as _,
    stream::{self, BoxStream},
};

use crate::blob::BlobStore;

type Piece = io::Result<Bytes>;

/// The archive's length and its bytes. A blob that is gone or damaged ends the stream with an error, so that whoever
/// receives it sees a file that is too short, never one that looks whole.
pub fn archive(blobs: BlobStore, files: Vec<File>) -> (u64, impl Stream<Item = Piece> + Send + 'static) {
    let length = length(files.iter().map(File::bytes));
    let end = stream::iter([Ok(Bytes::from_static(&END))]);
    (length, stream::iter(files).flat_map(move |file| of_file(blobs.clone(), file)).chain(end))
}

fn of_file(blobs: BlobStore, file: File) -> BoxStream<'static, Piece> {
    let (path, bytes) = (file.path(), file.bytes());
    let head = stream::iter([Ok(Bytes::copy_from_slice(&header(&path, bytes)))]);
    let tail = stream::iter([Ok(Bytes::from(vec![0; padding(bytes)]))]);
    let contents = match file {
        File::Held { bytes, .. } => stream::iter([Ok(Bytes::from(bytes))]).boxed(),
        File::Blob { digest, .. } => stream::once(of_blob(blobs, digest)).try_flatten().boxed(),
    };
    head.chain(contents).chain(tail).boxed()
}

async fn of_blob(blobs: BlobStore, digest: Sha256Digest) -> io::Result<BoxStream<'static, Piece>> {
    let found = blobs.get(&digest).await.map_err(io::Error::other)?;
    let found = found.ok_or_else(|| io::Error::other(format!("the blob {digest} is gone")))?;
    let hasher = Arc::new(Mutex::new(Hasher::default()));
    let hashing = Arc::clone(&hasher);
    let pieces = found.into_stream().map_err(io::Error::other).inspect_ok(move |piece| {
        hashing.lock().unwrap_or_else(PoisonError::into_inner).update(piece);
    });
    let check = stream::once(async move {
        let hashed = hasher.lock().unwrap_or_else(PoisonError::into_inner).clone().finish();
        if hashed == digest {
            Ok(Bytes::new())
        } else {
            tracing::error!(blob = %digest, found = %hashed, "a blob is damaged: a pack ends early");
            Err(io::Error::other(format!("the blob {digest} is damaged")))
        }
    });
    Ok(pieces.chain(check).boxed())
}
