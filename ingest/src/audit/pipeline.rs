//! Numbered work on several threads whose results are taken in order, with a bound on how far anybody runs ahead.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc},
};

/// How the work is spread.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    /// Threads that work.
    pub workers: usize,
    /// Results that may wait to be taken, and therefore be in memory.
    pub window: u64,
}

struct Turn {
    next: u64,
    taken: u64,
    stopped: bool,
}

/// Works on the numbers from `first` to before `end`, and takes the results in their order on this thread.
///
/// Ends early where `take` breaks; what it broke with is returned.
pub fn in_order<T: Send, B>(
    numbers: std::ops::Range<u64>,
    spread: Spread,
    work: impl Fn(u64) -> T + Sync,
    mut take: impl FnMut(u64, T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let turn = Mutex::new(Turn { next: numbers.start, taken: numbers.start, stopped: false });
    let moved = Condvar::new();
    let (results, done) = mpsc::channel();
    std::thread::scope(|scope| {
        let stop = Stop { turn: &turn, moved: &moved, only_on_panic: false };
        for _ in 0..spread.workers.max(1) {
            let (results, turn, moved, work) = (results.clone(), &turn, &moved, &work);
            scope.spawn(move || {
                let _stop = Stop { turn, moved, only_on_panic: true };
                while let Some(number) = next_number(turn, moved, numbers.end, spread.window) {
                    if results.send((number, work(number))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(results);
        let mut early = BTreeMap::new();
        for wanted in numbers.clone() {
            let result = loop {
                if let Some(result) = early.remove(&wanted) {
                    break result;
                }
                // A worker panicked: the scope passes that on.
                let Ok((number, result)) = done.recv() else { return ControlFlow::Continue(()) };
                early.insert(number, result);
            };
            take(wanted, result)?;
            lock(&turn).taken = wanted + 1;
            moved.notify_all();
        }
        drop(stop);
        ControlFlow::Continue(())
    })
}

/// Tells all workers to end, also where taking broke off or somebody panicked: the scope waits for them.
struct Stop<'a> {
    turn: &'a Mutex<Turn>,
    moved: &'a Condvar,
    only_on_panic: bool,
}

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        if !self.only_on_panic || std::thread::panicking() {
            lock(self.turn).stopped = true;
            self.moved.notify_all();
        }
    }
}

fn next_number(turn: &Mutex<Turn>, moved: &Condvar, end: u64, window: u64) -> Option<u64> {
    let waits = |turn: &mut Turn| !turn.stopped && turn.next < end && turn.next >= turn.taken + window.max(1);
    let mut turn = moved.wait_while(lock(turn), waits).unwrap_or_else(PoisonError::into_inner);
    if turn.stopped || turn.next >= end {
        return None;
    }
    turn.next += 1;
    Some(turn.next - 1)
}

fn lock(turn: &Mutex<Turn>) -> MutexGuard<'_, Turn> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const SPREAD: Spread = Spread { workers: 4, window: 6 };

    #[test]
    fn results_come_in_order_and_nobody_runs_ahead_of_the_window() {
        let taken = AtomicU64::new(10);
        let mut seen = Vec::new();
        let work = |number: u64| {
            assert!(number < taken.load(Ordering::SeqCst) + SPREAD.window, "{number} was begun too early");
            // Later numbers are often done first.
            std::thread::sleep(std::time::Duration::from_micros(number * 7919 % 300));
            number * 2
        };
        let ended = in_order(10..200, SPREAD, work, |number, result| {
            assert_eq!(result, number * 2);
            seen.push(number);
            taken.store(number + 1, Ordering::SeqCst);
            ControlFlow::<()>::Continue(())
        });
        assert!(ended.is_continue());
        assert_eq!(seen, (10..200).collect::<Vec<_>>());
    }

    #[test]
    fn it_ends_where_the_taker_breaks() {
        let ended = in_order(
            0..u64::MAX,
            SPREAD,
            |number| number,
            |number, _| match number {
                50 => ControlFlow::Break(number),
                _ => ControlFlow::Continue(()),
            },
        );
        assert_eq!(ended, ControlFlow::Break(50));
        let panics = || {
            in_order(0..100, SPREAD, |number| assert_ne!(number, 3), |_, ()| ControlFlow::<()>::Continue(()))
        };
        assert!(
            std::panic::catch_unwind(panics).is_err(),
            "a worker's panic is not swallowed, and nobody waits"
        );
        assert!(in_order(5..5, SPREAD, |_| (), |_, ()| ControlFlow::Break(())).is_continue());
    }
}
