//! The one place that reads the wall clock.

use acta_ledger::log::timestamp::Timestamp;

/// Now, by the server's clock.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn now() -> Timestamp {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis())
        .ok()
        .and_then(Timestamp::from_unix_ms)
        .or_else(|| Timestamp::from_unix_ms(0))
        .expect("1970 is a moment")
}
