//! Builds that cannot run at once in one process.
//!
//! Of two builds for different targets at once, TensorRT-RTX fails one now and then with "Target SM 80 is not found in the
//! accelerator list" (seen with 1.7 on a busy machine, three times in 25 runs of this crate's tests; none in 30 since they
//! take turns), as if the targets stood where the whole process sees them. Builds for the same targets were never seen to
//! disturb each other. Who waits here is not cancelled before its turn: the agent gives each build a process of its own.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::setting::ComputeCapability;

static RUNNING: Mutex<Running> = Mutex::new(Running { targets: Vec::new(), builds: 0 });
static ENDED: Condvar = Condvar::new();

struct Running {
    targets: Vec<ComputeCapability>,
    builds: usize,
}

/// The right to build for some targets, until it is dropped.
pub struct Turn(());

impl Turn {
    /// Waits until no build for other targets runs in this process.
    pub fn wait(targets: Vec<ComputeCapability>) -> Self {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let others = |running: &mut Running| running.builds > 0 && running.targets != targets;
        let mut running = ENDED.wait_while(running, others).unwrap_or_else(PoisonError::into_inner);
        running.targets = targets;
        running.builds += 1;
        Self(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner).builds -= 1;
        ENDED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_for_other_targets_waits_and_one_for_the_same_does_not() {
        let order = Mutex::new(Vec::new());
        let first = Turn::wait(vec![ComputeCapability(86)]);
        let second = Turn::wait(vec![ComputeCapability(86)]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _turn = Turn::wait(vec![ComputeCapability(80)]);
                order.lock().unwrap().push("other targets");
            });
            drop(first);
            order.lock().unwrap().push("the same targets");
            drop(second);
        });
        assert_eq!(order.into_inner().unwrap(), ["the same targets", "other targets"]);
    }
}
