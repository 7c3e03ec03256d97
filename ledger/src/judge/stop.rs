//! A service that is stopped has so long and no longer: when a builder that does not answer must be killed, so that what
//! happened is signed and on disk before the service's manager kills everything.

/// The shortest time that is kept for cleaning up and signing, in milliseconds.
pub const MIN_MARGIN_MS: u64 = 1_000;

/// The longest time that is kept for it, in milliseconds.
pub const MAX_MARGIN_MS: u64 = 15_000;

/// How the time of a stop is divided. Milliseconds from the request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopPlan {
    /// The builder is asked, and has so long to answer; then it is killed.
    pub kill_after_ms: u64,
    /// What is left for cleaning up, for signing and for the disk.
    pub margin_ms: u64,
}

/// Divides it: a quarter is kept, at least [`MIN_MARGIN_MS`] and at most [`MAX_MARGIN_MS`]. Where there is no more than
/// that, the builder is killed at once: an answer that nobody can sign helps nobody.
pub fn plan(deadline_ms: u64) -> StopPlan {
    let margin_ms = (deadline_ms / 4).clamp(MIN_MARGIN_MS, MAX_MARGIN_MS).min(deadline_ms);
    StopPlan { kill_after_ms: deadline_ms - margin_ms, margin_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_kept_for_the_evidence() {
        for (deadline_ms, kill_after_ms) in [
            (0, 0),
            (800, 0),
            (1_000, 0),
            (2_000, 1_000),
            (4_000, 3_000),
            (10_000, 7_500),
            // systemd's default.
            (90_000, 75_000),
            (3_600_000, 3_585_000),
            (u64::MAX, u64::MAX - MAX_MARGIN_MS),
        ] {
            let plan = plan(deadline_ms);
            assert_eq!(plan.kill_after_ms, kill_after_ms, "{deadline_ms}");
            assert_eq!(plan.kill_after_ms + plan.margin_ms, deadline_ms);
        }
    }
}
