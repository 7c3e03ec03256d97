//! Which attempts need a person, and why.

use crate::evidence::{artifact::CleanupStatus, build::Outcome};

/// Why an attempt needs a person. The order is that of urgency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// Cleaning up failed: something unfinished may stand where a consumer looks for an engine.
    CleanupFailed,
    /// The worker died.
    Crashed,
    /// The worker was killed, because it would not stop.
    Killed,
    /// The attempt failed.
    Failed,
    /// A cancel was asked for and an engine came out all the same: somebody has to say whether it may be used.
    CancelIgnored,
    /// Files were set apart and wait for a decision.
    Quarantined,
}

/// Why the attempt needs a person; none where it completed or stopped cleanly.
pub fn need(outcome: Outcome, cleanup: CleanupStatus) -> Option<Need> {
    match (outcome, cleanup) {
        (_, CleanupStatus::Failed) => Some(Need::CleanupFailed),
        (Outcome::Crashed, _) => Some(Need::Crashed),
        (Outcome::Killed, _) => Some(Need::Killed),
        (Outcome::Failed, _) => Some(Need::Failed),
        (Outcome::CancelRequestedButCompleted, _) => Some(Need::CancelIgnored),
        (Outcome::Completed | Outcome::Cancelled, CleanupStatus::Quarantined) => Some(Need::Quarantined),
        (Outcome::Completed | Outcome::Cancelled, CleanupStatus::Cleaned | CleanupStatus::NotNeeded) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_needs_a_person() {
        use CleanupStatus::{Cleaned, Failed, NotNeeded, Quarantined};
        for (outcome, cleanup, expected) in [
            (Outcome::Completed, NotNeeded, None),
            (Outcome::Completed, Quarantined, Some(Need::Quarantined)),
            (Outcome::Cancelled, Cleaned, None),
            (Outcome::Cancelled, Quarantined, Some(Need::Quarantined)),
            (Outcome::Cancelled, Failed, Some(Need::CleanupFailed)),
            (Outcome::CancelRequestedButCompleted, NotNeeded, Some(Need::CancelIgnored)),
            (Outcome::Failed, Quarantined, Some(Need::Failed)),
            (Outcome::Crashed, Cleaned, Some(Need::Crashed)),
            (Outcome::Killed, Failed, Some(Need::CleanupFailed)),
        ] {
            assert_eq!(need(outcome, cleanup), expected, "{outcome:?} {cleanup:?}");
        }
    }
}
