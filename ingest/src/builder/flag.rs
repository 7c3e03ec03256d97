//! The single cancellation state: one atomic that callbacks read, and that decides who came first.
//!
//! ```text
//! Idle --order--> Requested --a step answers "stop"--> Acknowledged
//!  |
//!  +--the write begins--> Writing --order--> WritingRequested      (the order waits: a no-cancel window)
//! ```
//! The write can only begin while nobody has asked; an order that comes first wins, one that comes later waits.

use std::sync::atomic::{AtomicU8, Ordering};

use acta_ledger::evidence::cancel::CancelState;

const IDLE: u8 = 0;
const REQUESTED: u8 = 1;
const ACKNOWLEDGED: u8 = 2;
const WRITING: u8 = 3;
const WRITING_REQUESTED: u8 = 4;

/// The state.
#[derive(Debug, Default)]
pub struct CancelFlag(AtomicU8);

/// What an order met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It set the flag.
    Delivered,
    /// The artifact is being written: it waits.
    Deferred,
    /// Somebody had asked already.
    Again,
}

impl CancelFlag {
    /// Delivers a cancel order.
    pub fn request(&self) -> Delivery {
        let change = |from, to| self.0.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if change(IDLE, REQUESTED) {
            Delivery::Delivered
        } else if change(WRITING, WRITING_REQUESTED) {
            Delivery::Deferred
        } else {
            Delivery::Again
        }
    }

    /// What a step answers: whether to stop, and the state that it read. The first "stop" is the acknowledgement.
    pub fn answer_step(&self) -> (bool, CancelState) {
        let read = self.0.load(Ordering::SeqCst);
        if read == REQUESTED {
            self.0.compare_exchange(REQUESTED, ACKNOWLEDGED, Ordering::SeqCst, Ordering::SeqCst).ok();
        }
        (read == REQUESTED || read == ACKNOWLEDGED, state(read))
    }

    /// The state, for callbacks that have no answer.
    pub fn read(&self) -> CancelState {
        state(self.0.load(Ordering::SeqCst))
    }

    /// Begins the window in which orders wait; false if somebody has asked already.
    pub fn begin_write(&self) -> bool {
        self.0.compare_exchange(IDLE, WRITING, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Begins the window although somebody asked: the library made a plan all the same, and it is kept.
    pub fn begin_write_late(&self) {
        self.0.store(WRITING_REQUESTED, Ordering::SeqCst);
    }
}

fn state(raw: u8) -> CancelState {
    match raw {
        REQUESTED | WRITING_REQUESTED => CancelState::Requested,
        ACKNOWLEDGED => CancelState::Acknowledged,
        _ => CancelState::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stop_acknowledges_and_all_after_it_stop_too() {
        let flag = CancelFlag::default();
        assert_eq!(flag.answer_step(), (false, CancelState::None));
        assert_eq!(flag.request(), Delivery::Delivered);
        assert_eq!(flag.request(), Delivery::Again);
        assert_eq!(flag.read(), CancelState::Requested);
        assert_eq!(flag.answer_step(), (true, CancelState::Requested));
        assert_eq!(flag.answer_step(), (true, CancelState::Acknowledged));
        assert!(!flag.begin_write(), "a cancel that came first wins");
    }

    #[test]
    fn an_order_during_the_write_waits() {
        let flag = CancelFlag::default();
        assert!(flag.begin_write());
        assert_eq!(flag.request(), Delivery::Deferred);
        assert_eq!(flag.request(), Delivery::Again);
        assert!(!flag.answer_step().0, "a write is not interrupted");
        let ignored = CancelFlag::default();
        ignored.request();
        ignored.begin_write_late();
        assert_eq!(ignored.read(), CancelState::Requested);
    }
}
