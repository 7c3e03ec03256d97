//! How long a batch waits for company.
//!
//! Whoever was answered by one batch asks again soon, but not at the same moment. Without waiting, those who ask fall into
//! two groups, and each waits for the other one's commit and then for its own. So a batch waits until as many have come as
//! were answered last and waited meanwhile, half a commit's time at most. That is less than what they would have waited
//! for, and where one client asks at a time nobody waits at all.

use std::time::Duration;

/// A batch never waits longer than this: what a person would notice is far more.
const LONGEST: Duration = Duration::from_millis(10);

/// What the last batch was like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pace {
    requests: usize,
    commit: Duration,
}

impl Pace {
    /// After a batch that took so long: so many requests were answered by it or came meanwhile.
    pub(super) fn after(requests: usize, commit: Duration) -> Self {
        Self { requests, commit }
    }

    /// Whether a batch of so many requests has all the company that it can expect.
    pub(super) fn is_complete(&self, requests: usize) -> bool {
        requests >= self.requests
    }

    /// How long a batch waits for company at most, from its first request on.
    pub(super) fn patience(&self) -> Duration {
        (self.commit / 2).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_who_expects_nobody_and_never_longer_than_half_a_commit() {
        let ms = Duration::from_millis;
        for (pace, has, complete, patience) in [
            (Pace::default(), 1, true, ms(0)),
            (Pace::after(1, ms(30)), 1, true, ms(10)),
            (Pace::after(8, ms(4)), 1, false, ms(2)),
            (Pace::after(8, ms(4)), 7, false, ms(2)),
            (Pace::after(8, ms(4)), 8, true, ms(2)),
            (Pace::after(8, ms(4)), 9, true, ms(2)),
            (Pace::after(8, ms(900)), 1, false, ms(10)),
        ] {
            assert_eq!((pace.is_complete(has), pace.patience()), (complete, patience), "{pace:?} has {has}");
        }
    }
}
