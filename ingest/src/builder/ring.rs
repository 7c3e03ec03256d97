//! Between the callbacks and everything else: a bounded queue without locks.
//!
//! A callback runs while TensorRT waits, perhaps on several threads at once. It copies its event into a slot that was
//! allocated before the build; where there is no free slot the event is counted as lost and the callback goes on.

use std::sync::atomic::{AtomicU64, Ordering};

use acta_ledger::{evidence::cancel::CancelState, log::digest::Sha256Digest};
use crossbeam_queue::ArrayQueue;

use super::protocol::{NAME_BYTES, Name};

/// How many events wait at most: at two milliseconds a round, two million a second.
pub const CAPACITY: usize = 32_768;

/// A name in a slot of fixed size.
#[derive(Clone, Copy)]
pub struct SlotName {
    bytes: [u8; NAME_BYTES],
    used: u16,
    digest: Option<Sha256Digest>,
}

impl SlotName {
    /// Copies a name.
    pub fn new(name: &[u8]) -> Self {
        let used = name.len().min(NAME_BYTES);
        let mut bytes = [0; NAME_BYTES];
        bytes[..used].copy_from_slice(&name[..used]);
        let digest = (used < name.len()).then(|| Sha256Digest::of(name));
        #[expect(clippy::cast_possible_truncation, reason = "at most 512")]
        Self { bytes, used: used as u16, digest }
    }

    /// The name as it goes over the wire.
    pub fn to_wire(self) -> Name {
        Name { bytes: self.bytes[..usize::from(self.used)].to_vec(), digest: self.digest }
    }
}

/// What a callback said.
#[derive(Clone, Copy)]
pub enum SlotKind {
    /// `phaseStart`.
    Start {
        /// Steps announced.
        steps: i32,
    },
    /// `stepComplete`.
    Step {
        /// Which step.
        step: i32,
        /// Whether it answers "stop".
        stop: bool,
    },
    /// `phaseFinish`.
    Finish,
}

/// One callback.
#[derive(Clone, Copy)]
pub struct Slot {
    /// Nanoseconds of the monotonic clock.
    pub at: u64,
    /// The calling thread.
    pub thread: u32,
    /// The cancellation state that the callback read.
    pub cancel: CancelState,
    /// The phase's name.
    pub name: SlotName,
    /// At a start, the phase around it.
    pub parent: Option<SlotName>,
    /// What it said.
    pub kind: SlotKind,
}

/// The queue.
pub struct EventRing {
    queue: ArrayQueue<Slot>,
    lost: AtomicU64,
}

impl EventRing {
    /// Allocates all slots.
    pub fn new(capacity: usize) -> Self {
        Self { queue: ArrayQueue::new(capacity), lost: AtomicU64::new(0) }
    }

    /// Takes an event, or counts it as lost.
    pub fn push(&self, slot: Slot) {
        if self.queue.push(slot).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Gives the oldest event.
    pub fn pop(&self) -> Option<Slot> {
        self.queue.pop()
    }

    /// Whether no event waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// How many events were lost since the last question.
    pub fn take_lost(&self) -> u64 {
        self.lost.swap(0, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;

    fn slot(thread: u32, at: u64) -> Slot {
        let (name, kind) = (SlotName::new(b"phase"), SlotKind::Step { step: 0, stop: false });
        Slot { at, thread, cancel: CancelState::None, name, parent: None, kind }
    }

    #[test]
    fn long_names_keep_the_digest_of_the_whole() {
        let long = vec![b'n'; NAME_BYTES + 1];
        let name = SlotName::new(&long).to_wire();
        assert_eq!(name.bytes, long[..NAME_BYTES]);
        assert_eq!(name.digest, Some(Sha256Digest::of(&long)));
        let fits = SlotName::new(&long[..NAME_BYTES]).to_wire();
        assert_eq!((fits.bytes.len(), fits.digest), (NAME_BYTES, None));
        assert_eq!(SlotName::new(b"").to_wire().bytes, b"");
    }

    #[test]
    fn a_full_ring_counts_what_it_loses() {
        let ring = EventRing::new(4);
        (0..10).for_each(|at| ring.push(slot(0, at)));
        assert_eq!(ring.take_lost(), 6);
        assert_eq!(ring.take_lost(), 0);
        let kept: Vec<u64> = std::iter::from_fn(|| ring.pop()).map(|slot| slot.at).collect();
        assert_eq!(kept, [0, 1, 2, 3], "the oldest stay: they are the beginning of what happened");
    }

    /// Several threads write while one reads: each thread's events stay in order, and none is lost without being
    /// counted.
    #[test]
    fn threads_lose_nothing_silently() {
        const WRITERS: u32 = 4;
        const EACH: u64 = 20_000;
        let ring = Arc::new(EventRing::new(64));
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let ring = Arc::clone(&ring);
                thread::spawn(move || (0..EACH).for_each(|at| ring.push(slot(writer, at))))
            })
            .collect();
        let mut next = [0; WRITERS as usize];
        let mut read = 0;
        let mut take = |ring: &EventRing| {
            while let Some(slot) = ring.pop() {
                let expected = &mut next[slot.thread as usize];
                assert!(slot.at >= *expected, "a thread's events keep their order");
                *expected = slot.at + 1;
                read += 1;
            }
        };
        while writers.iter().any(|writer| !writer.is_finished()) {
            take(&ring);
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        take(&ring);
        assert_eq!(read + ring.take_lost(), u64::from(WRITERS) * EACH);
    }
}
