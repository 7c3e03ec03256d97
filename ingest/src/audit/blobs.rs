//! The blobs that entries name: there, and with the bytes that their digest promises.
//!
//! Many entries name the same blob (a configuration, an empty log), mostly soon after one another. Which ones were read
//! is remembered up to a bound, so that memory does not grow with the log; one that was forgotten is read again.

use std::{
    collections::{HashMap, VecDeque},
    io::Read as _,
    sync::{Mutex, PoisonError, atomic::AtomicU64, atomic::Ordering},
};

use acta_ledger::log::digest::{Hasher, Sha256Digest};

use super::source::Source;
use crate::{client::CallError, error::Result};

/// How many blobs are remembered: 6 MB.
const REMEMBERED: usize = 65_536;

/// What became of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobState {
    /// It is there; if its bytes were read, they are the right ones.
    Sound,
    /// It is not there.
    Missing,
    /// Its bytes have this digest.
    Damaged(Sha256Digest),
}

/// Looks after blobs, for several threads at once.
#[derive(Debug)]
pub struct Blobs {
    read_bytes: bool,
    recent: Mutex<Recent>,
    blobs: AtomicU64,
    bytes: AtomicU64,
}

#[derive(Debug, Default)]
struct Recent {
    states: HashMap<Sha256Digest, BlobState>,
    order: VecDeque<Sha256Digest>,
}

impl Blobs {
    /// `read_bytes`: whether the bytes are read and hashed; otherwise the log is only asked whether it has them.
    pub fn new(read_bytes: bool) -> Self {
        Self { read_bytes, recent: Mutex::default(), blobs: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// How many were looked at, and how many of their bytes were hashed.
    pub fn counts(&self) -> (u64, u64) {
        (self.blobs.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    /// Looks at one.
    pub fn look(&self, source: &Source, digest: Sha256Digest) -> Result<BlobState> {
        if let Some(state) = self.recent().states.get(&digest) {
            return Ok(*state);
        }
        let state = if self.read_bytes { self.read(source, digest)? } else { ask(source, digest)? };
        self.blobs.fetch_add(1, Ordering::Relaxed);
        let mut recent = self.recent();
        if recent.states.insert(digest, state).is_none() {
            recent.order.push_back(digest);
        }
        if recent.order.len() > REMEMBERED
            && let Some(oldest) = recent.order.pop_front()
        {
            recent.states.remove(&oldest);
        }
        Ok(state)
    }

    fn read(&self, source: &Source, digest: Sha256Digest) -> Result<BlobState> {
        let hash = || {
            let Some((_, mut reader)) = source.client().blob(&digest)? else { return Ok(None) };
            let (mut hasher, mut buffer) = (Hasher::default(), vec![0; 1 << 16]);
            loop {
                let count = reader.read(&mut buffer);
                match count.map_err(|error| CallError::Unreachable(error.to_string()))? {
                    0 => break,
                    count => hasher.update(&buffer[..count]),
                }
            }
            self.bytes.fetch_add(hasher.bytes(), Ordering::Relaxed);
            Ok(Some(hasher.finish()))
        };
        Ok(match source.shown(hash, &format!("blob {digest}"))?.flatten() {
            None => BlobState::Missing,
            Some(found) if found == digest => BlobState::Sound,
            Some(found) => BlobState::Damaged(found),
        })
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ask(source: &Source, digest: Sha256Digest) -> Result<BlobState> {
    let there = source.shown(|| source.client().has_blob(&digest), &format!("blob {digest}"))?;
    Ok(if there == Some(true) { BlobState::Sound } else { BlobState::Missing })
}
