//! Moments in time: RFC 3339, UTC, milliseconds. They order and inform; durations are measured by monotonic clocks.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

/// A moment in UTC with millisecond precision, written like `2026-11-29T20:31:07.300Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(OffsetDateTime);

/// A text that is not such a moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a time is written in RFC 3339 between the years 1970 and 9999 (2026-11-29T20:31:07.300Z), found {found:?}"
)]
pub struct TimestampError {
    found: String,
}

impl Timestamp {
    /// Takes milliseconds since 1970, as long as they fall into the years 1970 to 9999.
    pub fn from_unix_ms(ms: i64) -> Option<Self> {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok()?;
        (1970..=9999).contains(&at.year()).then_some(Self(at))
    }

    /// Milliseconds since 1970.
    pub fn unix_ms(&self) -> i64 {
        // The years 1970 to 9999 in milliseconds fit into 48 bits.
        (self.0.unix_timestamp_nanos() / 1_000_000) as i64
    }

    /// The moment `ms` milliseconds later (earlier where negative), if it still can be written.
    pub fn plus_ms(&self, ms: i64) -> Option<Self> {
        Self::from_unix_ms(self.unix_ms().checked_add(ms)?)
    }

    /// The moment as a calendar date and time in UTC.
    pub fn date_time(&self) -> OffsetDateTime {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.0;
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            at.year(),
            u8::from(at.month()),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.millisecond()
        )
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        OffsetDateTime::parse(text, &Rfc3339)
            .ok()
            .map(|at| at.to_offset(UtcOffset::UTC))
            .and_then(|at| Self::from_unix_ms(i64::try_from(at.unix_timestamp_nanos() / 1_000_000).ok()?))
            .ok_or_else(|| TimestampError { found: text.chars().take(80).collect() })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_moment_has_one_spelling() {
        for (text, canonical) in [
            ("2026-11-29T20:31:07.3Z", "2026-11-29T20:31:07.300Z"),
            ("2026-11-29T21:31:07.3009+01:00", "2026-11-29T20:31:07.300Z"),
            ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            let at: Timestamp = text.parse().unwrap();
            assert_eq!(at.to_string(), canonical);
            assert_eq!(Timestamp::from_unix_ms(at.unix_ms()), Some(at));
        }
    }

    #[test]
    fn odd_moments_are_refused_without_panic() {
        for text in
            ["", "now", "2026-11-29", "2026-13-01T00:00:00Z", "1969-12-31T23:59:59Z", "99999-01-01T00:00:00Z"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        assert_eq!(Timestamp::from_unix_ms(i64::MAX), None);
        assert_eq!(Timestamp::from_unix_ms(-1), None);
    }
}
