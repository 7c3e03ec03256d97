//! How an attempt ended, and what should be done next, from the facts alone.
//!
//! A null plan together with a pending cancel is not a clean cancel: the library may have failed in that very moment.
//! It counts as cancelled only if a step answered "stop" *and* the library itself says that it stopped because of it.

use crate::evidence::{
    build::{Outcome, RetryPolicy},
    timing_cache::TimingCacheMode,
};

/// What is known about the end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndFacts {
    /// The worker was killed on purpose, because it would not stop.
    pub killed: bool,
    /// The worker died on its own (a signal, an abort, no last word).
    pub worker_died: bool,
    /// A whole plan came out and stands where it belongs.
    pub plan_written: bool,
    /// Somebody asked to stop.
    pub cancel_requested: bool,
    /// A step answered "stop".
    pub stop_answered: bool,
    /// The library says that it stopped because of that answer.
    pub library_says_cancelled: bool,
    /// The request was obeyed before the build call began, or after it returned and before anything was kept.
    pub stopped_outside_build: bool,
}

/// How the attempt ended.
pub fn outcome(facts: EndFacts) -> Outcome {
    let stopped = facts.stop_answered && facts.library_says_cancelled || facts.stopped_outside_build;
    if facts.killed {
        Outcome::Killed
    } else if facts.worker_died {
        Outcome::Crashed
    } else if facts.plan_written && facts.cancel_requested {
        Outcome::CancelRequestedButCompleted
    } else if facts.plan_written {
        Outcome::Completed
    } else if facts.cancel_requested && stopped {
        Outcome::Cancelled
    } else {
        Outcome::Failed
    }
}

/// What should be done next.
pub fn retry_policy(outcome: Outcome, cache: TimingCacheMode) -> RetryPolicy {
    match outcome {
        Outcome::Completed | Outcome::CancelRequestedButCompleted => RetryPolicy::None,
        Outcome::Failed | Outcome::Crashed | Outcome::Killed => RetryPolicy::Investigate,
        Outcome::Cancelled => match cache {
            TimingCacheMode::Reused | TimingCacheMode::Updated => RetryPolicy::RetryWithCache,
            TimingCacheMode::Cold
            | TimingCacheMode::Discarded
            | TimingCacheMode::Quarantined
            | TimingCacheMode::NotApplicable => RetryPolicy::RetryCold,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: EndFacts = EndFacts {
        killed: false,
        worker_died: false,
        plan_written: false,
        cancel_requested: false,
        stop_answered: false,
        library_says_cancelled: false,
        stopped_outside_build: false,
    };
    const ASKED: EndFacts = EndFacts { cancel_requested: true, ..NONE };
    const STOPPED: EndFacts = EndFacts { stop_answered: true, library_says_cancelled: true, ..ASKED };

    #[test]
    fn outcomes() {
        for (facts, expected) in [
            (NONE, Outcome::Failed),
            (EndFacts { plan_written: true, ..NONE }, Outcome::Completed),
            (STOPPED, Outcome::Cancelled),
            (ASKED, Outcome::Failed),
            // A failure that races with a cancel: a step answered "stop", the library says something else.
            (EndFacts { library_says_cancelled: false, ..STOPPED }, Outcome::Failed),
            // A monitor that fails stops the build although nobody asked: not a cancel of ours.
            (EndFacts { cancel_requested: false, ..STOPPED }, Outcome::Failed),
            (EndFacts { stopped_outside_build: true, ..ASKED }, Outcome::Cancelled),
            (EndFacts { plan_written: true, ..ASKED }, Outcome::CancelRequestedButCompleted),
            (EndFacts { plan_written: true, ..STOPPED }, Outcome::CancelRequestedButCompleted),
            (EndFacts { worker_died: true, ..STOPPED }, Outcome::Crashed),
            (EndFacts { worker_died: true, killed: true, ..STOPPED }, Outcome::Killed),
        ] {
            assert_eq!(outcome(facts), expected, "{facts:?}");
        }
    }

    #[test]
    fn a_cancelled_build_is_retried_with_the_cache_only_if_it_was_good() {
        for (cache, expected) in [
            (TimingCacheMode::Cold, RetryPolicy::RetryCold),
            (TimingCacheMode::NotApplicable, RetryPolicy::RetryCold),
            (TimingCacheMode::Discarded, RetryPolicy::RetryCold),
            (TimingCacheMode::Quarantined, RetryPolicy::RetryCold),
            (TimingCacheMode::Reused, RetryPolicy::RetryWithCache),
            (TimingCacheMode::Updated, RetryPolicy::RetryWithCache),
        ] {
            assert_eq!(retry_policy(Outcome::Cancelled, cache), expected);
            assert_eq!(retry_policy(Outcome::Completed, cache), RetryPolicy::None);
            assert_eq!(retry_policy(Outcome::Crashed, cache), RetryPolicy::Investigate);
        }
    }
}
