//! What a callback costs on this machine: each one is timed by itself while another thread drains the ring, as in a
//! worker. The benchmark asks for it, in a process of its own.

use std::{
    hint::black_box,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use acta_ffi::ProgressMonitor as _;
use serde_json::{Value, json};

use super::monitor::{Monitor, Sources};

/// How many callbacks are timed.
const CALLBACKS: usize = 200_000;

/// The pause between two rounds of the drain, as in a worker.
const ROUND: Duration = Duration::from_millis(2);

/// After so many callbacks the ring is given time to empty: TensorRT works between its calls.
const BURST: usize = 1_000;

/// A step's name as long as those of TensorRT.
const NAME: &[u8] = b"Computing profile costs of the layer node_Conv_0 + node_Relu_1";

/// Times callbacks, and gives percentiles in nanoseconds; reading the clock twice is part of each.
pub fn measure() -> Value {
    let sources = Sources::new();
    let over = Arc::new(AtomicBool::new(false));
    let drain = {
        let (sources, over) = (Arc::clone(&sources), Arc::clone(&over));
        thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                while let Some(slot) = sources.events.pop() {
                    black_box(slot);
                }
                thread::sleep(ROUND);
            }
        })
    };
    let monitor = Monitor(Arc::clone(&sources));
    let mut taken: Vec<u64> = Vec::with_capacity(CALLBACKS);
    for step in 0..CALLBACKS {
        let began = Instant::now();
        let answer = monitor.step_complete(black_box(NAME), i32::try_from(step).unwrap_or(i32::MAX));
        let took = began.elapsed();
        black_box(answer.is_break());
        taken.push(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
        while step % BURST == BURST - 1 && !sources.events.is_empty() {
            thread::sleep(ROUND);
        }
    }
    over.store(true, Ordering::Relaxed);
    drain.join().ok();
    taken.sort_unstable();
    let at = |per_mille: usize| taken[(taken.len() - 1) * per_mille / 1000];
    json!({ "callbacks": CALLBACKS, "lostEvents": sources.events.take_lost(),
        "p50Ns": at(500), "p99Ns": at(990), "maxNs": at(1000) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_callback_is_timed_and_none_is_lost() {
        let found = measure();
        assert_eq!(found["lostEvents"], 0);
        assert!(found["p50Ns"].as_u64() <= found["p99Ns"].as_u64(), "{found}");
    }
}
