//! What was made of entries and need not be made again. An entry never changes, so what follows from it, and from entries
//! before it, stays right for as long as the process lives.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use lru::LruCache;

/// Values by the index of the entry that they follow from; those that were not asked for the longest go first.
pub struct Remembered<T>(Mutex<LruCache<u64, Arc<T>>>);

impl<T> Remembered<T> {
    /// Remembers at most so many.
    pub fn new(most: NonZeroUsize) -> Self {
        Self(Mutex::new(LruCache::new(most)))
    }

    /// The value of an entry.
    pub fn get(&self, index: u64) -> Option<Arc<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&index).cloned()
    }

    /// Keeps the value of an entry.
    pub fn keep(&self, index: u64, value: Arc<T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(index, value);
    }
}
