//! What should be done after an attempt that gave no engine, by what is known of the attempts before it.

use super::outcome;
use crate::evidence::{
    build::{Outcome, RetryPolicy},
    timing_cache::TimingCacheMode,
};

/// What the recommendation rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryFacts {
    /// How the attempt ended.
    pub outcome: Outcome,
    /// What became of the timing cache.
    pub cache: TimingCacheMode,
    /// A cache was meant to be used and never reached the library: it is as good as it was.
    pub cache_untouched: bool,
    /// The attempt before this one stopped in the same phase.
    pub same_phase_before: bool,
    /// An engine is on record that was built before, for the same purpose.
    pub known_engine: bool,
}

/// Recommends. Whatever stops twice in the same phase is not simply tried again: if it failed there, and a known engine
/// exists, that one is the way out; else a person looks first.
pub fn recommend(facts: RetryFacts) -> RetryPolicy {
    let alone = outcome::retry_policy(facts.outcome, facts.cache);
    let twice = facts.same_phase_before;
    match (alone, facts.cache) {
        (RetryPolicy::Investigate, _) if twice && facts.known_engine => RetryPolicy::Rollback,
        (RetryPolicy::RetryCold | RetryPolicy::RetryWithCache, _) if twice => RetryPolicy::Investigate,
        (RetryPolicy::RetryCold, TimingCacheMode::Cold | TimingCacheMode::Discarded)
            if facts.cache_untouched =>
        {
            RetryPolicy::RetryWithCache
        }
        (alone, _) => alone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANCELLED: RetryFacts = RetryFacts {
        outcome: Outcome::Cancelled,
        cache: TimingCacheMode::Cold,
        cache_untouched: false,
        same_phase_before: false,
        known_engine: false,
    };

    #[test]
    fn a_cancelled_build_is_retried_with_the_cache_only_if_it_was_good() {
        use RetryPolicy::{RetryCold, RetryWithCache};
        for (cache, expected, untouched) in [
            (TimingCacheMode::Cold, RetryCold, RetryWithCache),
            (TimingCacheMode::NotApplicable, RetryCold, RetryCold),
            (TimingCacheMode::Discarded, RetryCold, RetryWithCache),
            // A doubt weighs more.
            (TimingCacheMode::Quarantined, RetryCold, RetryCold),
            (TimingCacheMode::Reused, RetryWithCache, RetryWithCache),
            (TimingCacheMode::Updated, RetryWithCache, RetryWithCache),
        ] {
            let facts = RetryFacts { cache, ..CANCELLED };
            assert_eq!(recommend(facts), expected, "{cache:?}");
            assert_eq!(recommend(RetryFacts { cache_untouched: true, ..facts }), untouched, "{cache:?}");
            let with = |outcome| recommend(RetryFacts { outcome, cache_untouched: true, ..facts });
            assert_eq!(with(Outcome::Completed), RetryPolicy::None);
            assert_eq!(with(Outcome::Crashed), RetryPolicy::Investigate);
        }
    }

    #[test]
    fn what_stops_twice_in_the_same_phase_is_not_simply_tried_again() {
        use RetryPolicy::{Investigate, RetryCold, Rollback};
        for (outcome, same_phase_before, known_engine, expected) in [
            (Outcome::Cancelled, false, true, RetryCold),
            (Outcome::Cancelled, true, true, Investigate),
            (Outcome::Failed, false, true, Investigate),
            (Outcome::Failed, true, false, Investigate),
            (Outcome::Failed, true, true, Rollback),
            (Outcome::Crashed, true, true, Rollback),
            (Outcome::Killed, true, true, Rollback),
            (Outcome::CancelRequestedButCompleted, true, true, RetryPolicy::None),
        ] {
            let facts = RetryFacts { outcome, same_phase_before, known_engine, ..CANCELLED };
            assert_eq!(recommend(facts), expected, "{facts:?}");
        }
    }
}
