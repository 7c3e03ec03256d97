//! What may be said of a build that runs from what its agent last said, and what a request for a cancel would meet.

pub mod verdict;

use serde::{Deserialize, Serialize};

use crate::{
    evidence::cancel::NoCancelWindow,
    live::{LiveState, Stage},
};

/// An agent that has said nothing for this long has vanished: five heartbeats.
pub const VANISHED_AFTER_MS: u64 = 5_000;

/// Whether the build runs, as far as anybody can know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Its agent speaks.
    Running,
    /// Its agent says nothing any more: nobody knows whether it runs.
    Vanished,
    /// It has ended and is signed.
    Ended,
}

/// What a request for a cancel would meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelWay {
    /// It goes to the builder at once, and takes effect when a step completes.
    Now,
    /// It goes to the builder at once; but the library has made its last callback and will hardly see it.
    Unseen,
    /// It waits for the end of a window.
    After(NoCancelWindow),
    /// It waits until the agent is heard of again.
    WhenBack,
    /// Somebody has asked already; the first request counts.
    Again,
    /// Nothing is left to cancel.
    TooLate,
}

/// Where a build stands whose last state came so long ago.
pub fn standing(state: Option<&LiveState>, heard_ago_ms: u64) -> Standing {
    if state.is_some_and(|state| state.stage == Stage::Ended) {
        Standing::Ended
    } else if heard_ago_ms >= VANISHED_AFTER_MS {
        Standing::Vanished
    } else {
        Standing::Running
    }
}

/// What a request would meet now. `asked`: a request of the portal is on its way.
pub fn cancel_way(state: Option<&LiveState>, standing: Standing, asked: bool) -> CancelWay {
    let stage = state.map(|state| state.stage);
    let window = state.and_then(|state| state.window);
    // An older agent says of no window after the builder's end that a request may wait for it.
    if stage == Some(Stage::Ended) || stage == Some(Stage::Cleaning) && window.is_none() {
        CancelWay::TooLate
    } else if asked || state.is_some_and(|state| state.cancel.is_some()) {
        CancelWay::Again
    } else if standing == Standing::Vanished {
        CancelWay::WhenBack
    } else if let Some(window) = window {
        CancelWay::After(window)
    } else if matches!(stage, Some(Stage::Serializing | Stage::Returned)) {
        CancelWay::Unseen
    } else {
        CancelWay::Now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::tests::state;

    #[test]
    fn silence_of_the_agent_is_never_called_running() {
        for (stage, ago, expected) in [
            (None, 0, Standing::Running),
            (None, 5_000, Standing::Vanished),
            (Some(Stage::Building), 4_999, Standing::Running),
            (Some(Stage::Building), 5_000, Standing::Vanished),
            (Some(Stage::Cleaning), 60_000, Standing::Vanished),
            (Some(Stage::Ended), 60_000, Standing::Ended),
        ] {
            assert_eq!(standing(stage.map(state).as_ref(), ago), expected, "{stage:?} {ago}");
        }
    }

    #[test]
    fn a_window_is_named_whatever_the_stage() {
        for (stage, window) in [
            (Stage::Building, NoCancelWindow::NoRollbackRoute),
            (Stage::Serializing, NoCancelWindow::NoRollbackRoute),
            (Stage::Cleaning, NoCancelWindow::Cleanup),
            (Stage::Cleaning, NoCancelWindow::EvidenceAtRisk),
        ] {
            let state = LiveState { window: Some(window), ..state(stage) };
            assert_eq!(cancel_way(Some(&state), Standing::Running, false), CancelWay::After(window));
            assert_eq!(cancel_way(Some(&state), Standing::Running, true), CancelWay::Again);
            let ended = LiveState { stage: Stage::Ended, ..state };
            assert_eq!(cancel_way(Some(&ended), Standing::Running, false), CancelWay::TooLate);
        }
    }

    #[test]
    fn what_a_request_would_meet() {
        use NoCancelWindow::ArtifactWrite;
        use Standing::{Running, Vanished};
        for (stage, standing, asked, expected) in [
            (None, Running, false, CancelWay::Now),
            (Some(Stage::Parsing), Running, false, CancelWay::Now),
            (Some(Stage::Building), Running, false, CancelWay::Now),
            (Some(Stage::Building), Running, true, CancelWay::Again),
            (Some(Stage::Building), Vanished, false, CancelWay::WhenBack),
            (Some(Stage::Building), Vanished, true, CancelWay::Again),
            (Some(Stage::Serializing), Running, false, CancelWay::Unseen),
            (Some(Stage::Returned), Running, false, CancelWay::Unseen),
            (Some(Stage::Writing), Running, false, CancelWay::After(ArtifactWrite)),
            (Some(Stage::Cleaning), Running, false, CancelWay::TooLate),
            (Some(Stage::Cleaning), Vanished, true, CancelWay::TooLate),
            (Some(Stage::Ended), Running, false, CancelWay::TooLate),
        ] {
            let found = cancel_way(stage.map(state).as_ref(), standing, asked);
            assert_eq!(found, expected, "{stage:?} {standing:?} {asked}");
        }
    }
}
