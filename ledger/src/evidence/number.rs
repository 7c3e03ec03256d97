//! How numbers travel: 64-bit counters as strings (JSON readers lose integers beyond 2^53), durations with the unit in
//! the field's name.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A 64-bit counter, written as a decimal string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Count64(pub u64);

impl Serialize for Count64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Count64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let plain =
            text == "0" || (text.starts_with(|c: char| ('1'..='9').contains(&c)) && !text.starts_with('+'));
        text.parse().ok().filter(|_| plain).map(Self).ok_or_else(|| {
            de::Error::custom(format_args!("expected a decimal number as text, found {text:?}"))
        })
    }
}

/// Milliseconds with microsecond precision, from nanoseconds: what a summary holds.
pub fn ms(ns: u64) -> f64 {
    (ns / 1_000) as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_beyond_2_53_survive() {
        let text = serde_json::to_string(&Count64(u64::MAX)).unwrap();
        assert_eq!(text, "\"18446744073709551615\"");
        assert_eq!(serde_json::from_str::<Count64>(&text).unwrap(), Count64(u64::MAX));
        for wrong in ["1", "\"\"", "\"-1\"", "\"+1\"", "\"01\"", "\"1.0\"", "\"18446744073709551616\""] {
            assert!(serde_json::from_str::<Count64>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn milliseconds_keep_microseconds() {
        assert_eq!(ms(4_977_123_999), 4977.123);
        assert_eq!(ms(999), 0.0);
    }
}
