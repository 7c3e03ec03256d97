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

/// What the patterns of a watched command's artifacts came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expected {
    /// No artifact was named: only the exit status speaks.
    #[default]
    Nothing,
    /// Each pattern has a file that this run made, and each file is whole as far as its format tells.
    Whole,
    /// A pattern has no such file, or one is not whole.
    Missing,
}

/// What is known about the end of another program's build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CommandEndFacts {
    /// The command was killed on purpose, because it would not stop.
    pub killed: bool,
    /// A signal ended it.
    pub died: bool,
    /// That signal was SIGINT.
    pub died_of_interrupt: bool,
    /// It ended with exit status 0.
    pub succeeded: bool,
    /// What it made.
    pub artifacts: Expected,
    /// Somebody asked to stop.
    pub cancel_requested: bool,
    /// It was interrupted (SIGINT), because no monitor was there to be asked.
    pub interrupted: bool,
    /// A step answered "stop".
    pub stop_answered: bool,
    /// The library was heard, and says that it stopped because of that answer.
    pub library_says_cancelled: bool,
    /// The library was heard, and says that something failed.
    pub library_says_failed: bool,
    /// The request was obeyed where no build call ran.
    pub stopped_outside_build: bool,
}

/// How another program's build ended.
///
/// The library's own word decides between a cancel and a failure where it is heard. Many programs do not pass it on;
/// then a step that answered "stop", or an interrupt, and an end without what was to be made, is a cancel.
pub fn command_outcome(facts: CommandEndFacts) -> Outcome {
    let asked_by_interrupt = facts.cancel_requested && facts.interrupted;
    let failed = facts.library_says_failed && !facts.library_says_cancelled;
    let stopped_by_step = facts.stop_answered && !failed || facts.stopped_outside_build;
    let stopped = facts.cancel_requested && (stopped_by_step || asked_by_interrupt);
    let completed = match facts.artifacts {
        Expected::Whole => facts.succeeded,
        // A program that stopped on request may well call that a success.
        Expected::Nothing => facts.succeeded && !(facts.cancel_requested && stopped_by_step),
        Expected::Missing => false,
    };
    if facts.killed {
        Outcome::Killed
    } else if facts.died && !(asked_by_interrupt && facts.died_of_interrupt) {
        Outcome::Crashed
    } else if completed && facts.cancel_requested {
        Outcome::CancelRequestedButCompleted
    } else if completed {
        Outcome::Completed
    } else if stopped {
        Outcome::Cancelled
    } else {
        Outcome::Failed
    }
}

/// How an attempt ended that somebody asked to stop after its builder was gone: what had come out had come out.
pub fn asked_late(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Completed => Outcome::CancelRequestedButCompleted,
        other => other,
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
    fn a_late_request_changes_nothing_but_the_word_for_a_completed_build() {
        use Outcome::{CancelRequestedButCompleted, Cancelled, Completed, Crashed, Failed, Killed};
        assert_eq!(asked_late(Completed), CancelRequestedButCompleted);
        for other in [CancelRequestedButCompleted, Cancelled, Crashed, Failed, Killed] {
            assert_eq!(asked_late(other), other);
        }
    }

    #[test]
    fn outcomes_of_commands() {
        const NONE: CommandEndFacts = CommandEndFacts {
            killed: false,
            died: false,
            died_of_interrupt: false,
            succeeded: false,
            artifacts: Expected::Nothing,
            cancel_requested: false,
            interrupted: false,
            stop_answered: false,
            library_says_cancelled: false,
            library_says_failed: false,
            stopped_outside_build: false,
        };
        const DONE: CommandEndFacts = CommandEndFacts { succeeded: true, ..NONE };
        const ASKED: CommandEndFacts = CommandEndFacts { cancel_requested: true, ..NONE };
        const STOPPED: CommandEndFacts = CommandEndFacts { stop_answered: true, ..ASKED };
        const INTERRUPTED: CommandEndFacts = CommandEndFacts { interrupted: true, ..ASKED };
        const DIED: CommandEndFacts = CommandEndFacts { died: true, died_of_interrupt: true, ..INTERRUPTED };
        let whole = Expected::Whole;
        let missing = Expected::Missing;
        for (facts, expected) in [
            (NONE, Outcome::Failed),
            (DONE, Outcome::Completed),
            (CommandEndFacts { artifacts: whole, ..DONE }, Outcome::Completed),
            // It says that all is well, and there is nothing: it did not do what it was run for.
            (CommandEndFacts { artifacts: missing, ..DONE }, Outcome::Failed),
            (CommandEndFacts { artifacts: whole, ..NONE }, Outcome::Failed),
            (CommandEndFacts { died: true, ..NONE }, Outcome::Crashed),
            (CommandEndFacts { killed: true, died: true, ..STOPPED }, Outcome::Killed),
            (ASKED, Outcome::Failed),
            (STOPPED, Outcome::Cancelled),
            (CommandEndFacts { succeeded: true, ..STOPPED }, Outcome::Cancelled),
            (CommandEndFacts { succeeded: true, artifacts: missing, ..STOPPED }, Outcome::Cancelled),
            (
                CommandEndFacts { succeeded: true, artifacts: whole, ..STOPPED },
                Outcome::CancelRequestedButCompleted,
            ),
            (CommandEndFacts { succeeded: true, ..ASKED }, Outcome::CancelRequestedButCompleted),
            // A failure that races with a cancel, where the library is heard.
            (CommandEndFacts { library_says_failed: true, ..STOPPED }, Outcome::Failed),
            (
                CommandEndFacts { library_says_failed: true, library_says_cancelled: true, ..STOPPED },
                Outcome::Cancelled,
            ),
            (CommandEndFacts { stopped_outside_build: true, ..ASKED }, Outcome::Cancelled),
            // A monitor that fails stops the build although nobody asked.
            (CommandEndFacts { cancel_requested: false, ..STOPPED }, Outcome::Failed),
            (INTERRUPTED, Outcome::Cancelled),
            (DIED, Outcome::Cancelled),
            (CommandEndFacts { died_of_interrupt: false, ..DIED }, Outcome::Crashed),
            // A SIGINT that was not ours.
            (CommandEndFacts { interrupted: false, ..DIED }, Outcome::Crashed),
            (
                CommandEndFacts { succeeded: true, artifacts: whole, ..INTERRUPTED },
                Outcome::CancelRequestedButCompleted,
            ),
        ] {
            assert_eq!(command_outcome(facts), expected, "{facts:?}");
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
