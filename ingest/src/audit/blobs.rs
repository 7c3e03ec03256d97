//! The blobs that entries name: there, and with the bytes that their digest promises.
//!
//! Many entries name the same blob (a configuration, an empty log), mostly soon after one another. Which ones were read
//! is remembered up to a bound, so that memory does not grow with the log; one that was forgotten is read again.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    io::Read as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use acta_ledger::log::{
    blobs,
    digest::{Hasher, Sha256Digest},
};

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
    /// Whether the server, and whatever stands before it, answers the question for many.
    together: AtomicBool,
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
        Self {
            read_bytes,
            together: AtomicBool::new(true),
            recent: Mutex::default(),
            blobs: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// How many were looked at, and how many of their bytes were hashed.
    pub fn counts(&self) -> (u64, u64) {
        (self.blobs.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    /// Looks at some: those of one tile, so that one question reads many of them.
    pub fn look(
        &self,
        source: &Source,
        digests: &BTreeSet<Sha256Digest>,
    ) -> Result<HashMap<Sha256Digest, BlobState>> {
        let mut looked: HashMap<_, _> = {
            let recent = self.recent();
            let known = |digest: &Sha256Digest| Some((*digest, *recent.states.get(digest)?));
            digests.iter().filter_map(known).collect()
        };
        let fresh: Vec<Sha256Digest> =
            digests.iter().copied().filter(|digest| !looked.contains_key(digest)).collect();
        for some in fresh.chunks(blobs::MOST) {
            let mut short = self.read_short(source, some);
            for &digest in some {
                let state = match short.remove(&digest) {
                    Some(state) => state,
                    None if self.read_bytes => self.read(source, digest)?,
                    None => ask(source, digest)?,
                };
                self.remember(digest, state);
                looked.insert(digest, state);
            }
        }
        Ok(looked)
    }

    fn remember(&self, digest: Sha256Digest, state: BlobState) {
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
    }

    /// Those that the server gives together, by their digests. Whatever it does not give so is asked for by itself, and that
    /// question decides: this one is no more than a short way.
    fn read_short(&self, source: &Source, digests: &[Sha256Digest]) -> HashMap<Sha256Digest, BlobState> {
        if !self.read_bytes || digests.len() < 2 || !self.together.load(Ordering::Relaxed) {
            return HashMap::new();
        }
        let answer = source.client().short_blobs(digests);
        // Without a connection the single questions wait for one; any other answer will be the same the next time.
        let gives = matches!(answer, Ok(_) | Err(CallError::Unreachable(_)));
        self.together.fetch_and(gives, Ordering::Relaxed);
        let answer = answer.unwrap_or_default();
        let state = |(digest, bytes): (&Sha256Digest, Option<&[u8]>)| {
            let bytes = bytes?;
            self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            Some((*digest, state(*digest, Sha256Digest::of(bytes))))
        };
        let given = blobs::read(&answer, digests.len()).unwrap_or_default();
        digests.iter().zip(given).filter_map(state).collect()
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
            Some(found) => state(digest, found),
        })
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn state(promised: Sha256Digest, found: Sha256Digest) -> BlobState {
    if found == promised { BlobState::Sound } else { BlobState::Damaged(found) }
}

fn ask(source: &Source, digest: Sha256Digest) -> Result<BlobState> {
    let there = source.shown(|| source.client().has_blob(&digest), &format!("blob {digest}"))?;
    Ok(if there == Some(true) { BlobState::Sound } else { BlobState::Missing })
}
