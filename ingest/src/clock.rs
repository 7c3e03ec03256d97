//! The clocks, and the only place that reads them.
//!
//! The wall clock orders and informs. Durations come from the monotonic clock, in nanoseconds since an arbitrary
//! moment that is the same for every process of the machine: a worker's times and the supervisor's can be subtracted.

use std::time::SystemTime;

use acta_ledger::log::timestamp::Timestamp;
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let (seconds, nanos) = (now.tv_sec.max(0).cast_unsigned(), now.tv_nsec.max(0).cast_unsigned());
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// The moment, by the machine's wall clock.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the wall clock")]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_unix_ms(ms).or_else(|| Timestamp::from_unix_ms(0)).expect("1970 can be written")
}

/// The wall clock's moment at some reading of the monotonic clock, by one pair of readings taken together.
///
/// So a moment that another process measured gets a calendar time, and two moments keep their order and distance even
/// if the wall clock is set meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Epoch {
    wall: Timestamp,
    monotonic_ns: u64,
}

impl Epoch {
    /// Reads both clocks.
    pub fn now() -> Self {
        Self { wall: now(), monotonic_ns: monotonic_ns() }
    }

    /// A pair of readings that was taken before, perhaps by another process.
    pub fn of(wall: Timestamp, monotonic_ns: u64) -> Self {
        Self { wall, monotonic_ns }
    }

    /// The calendar time of a reading of the monotonic clock.
    pub fn at(&self, monotonic_ns: u64) -> Timestamp {
        let delta_ms = (i128::from(monotonic_ns) - i128::from(self.monotonic_ns)).div_euclid(1_000_000);
        i64::try_from(delta_ms).ok().and_then(|ms| self.wall.plus_ms(ms)).unwrap_or(self.wall)
    }
    /// The reading of the monotonic clock at a calendar time, in milliseconds of Unix time.
    pub fn monotonic_at(&self, unix_ms: i64) -> u64 {
        let delta_ns = (i128::from(unix_ms) - i128::from(self.wall.unix_ms())) * 1_000_000;
        u64::try_from((i128::from(self.monotonic_ns) + delta_ns).max(0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_gives_calendar_times_to_readings() {
        let epoch = Epoch { wall: "2026-11-29T20:00:00Z".parse().unwrap(), monotonic_ns: 5_000_000_000 };
        assert_eq!(epoch.at(6_500_000_000).to_string(), "2026-11-29T20:00:01.500Z");
        assert_eq!(epoch.at(4_999_999_999).to_string(), "2026-11-29T19:59:59.999Z");
        assert_eq!(epoch.monotonic_at(epoch.wall.unix_ms() + 1500), 6_500_000_000);
        assert_eq!(epoch.monotonic_at(0), 0);
        assert!(monotonic_ns() <= monotonic_ns());
    }
}
