//! Canonical JSON (JCS, RFC 8785) and the strict reading that must come before it.
//!
//! A canonicaliser alone is not enough: of `{"a":1,"a":2}` it keeps the last member, and 9007199254740993 silently
//! becomes ...992. Whatever is to be signed or stored is therefore read by [`parse`], which refuses what two readers
//! could understand in two ways: duplicate keys, lone surrogates, integers beyond 2^53 - 1 (64-bit counters travel as
//! strings), deep nesting, trailing bytes.

use serde::Deserialize;
use serde_json::Value;

use super::strict::Strict;

/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;

/// The largest integer that every JSON reader understands alike: 2^53 - 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Why a text is not acceptable JSON, and where.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The text is not JSON, or is JSON that two readers may understand in two ways.
    #[error("not acceptable JSON: {0}")]
    Refused(#[from] serde_json::Error),
    /// A value cannot be written canonically (NaN or infinity).
    #[error("cannot be written as canonical JSON: {0}")]
    NotCanonical(String),
}

/// Reads one JSON value strictly.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    read(bytes)
}

/// Reads one JSON value strictly as a `T`, in one pass; also what `T` passes over must be strict JSON. Texts may be
/// borrowed; the keys of maps must be texts.
pub fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = T::deserialize(Strict::new(&mut deserializer))?;
    deserializer.end()?;
    Ok(value)
}

/// Writes any serialisable value in canonical form.
pub fn to_vec<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, JsonError> {
    serde_json_canonicalizer::to_vec(value).map_err(|error| JsonError::NotCanonical(error.to_string()))
}

/// Reads strictly and says whether the bytes already are the canonical form.
pub fn parse_canonical(bytes: &[u8]) -> Result<(Value, bool), JsonError> {
    let value = parse(bytes)?;
    let canonical = to_vec(&value)? == bytes;
    Ok((value, canonical))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        String::from_utf8(to_vec(&parse(text.as_bytes()).unwrap()).unwrap()).unwrap()
    }

    fn refusal(text: &str) -> String {
        parse(text.as_bytes()).expect_err(text).to_string()
    }

    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        for (number, text) in [
            ("333333333.33333329".parse::<f64>().unwrap(), "333333333.3333333"),
            (1e30, "1e+30"),
            (4.50, "4.5"),
            (2e-3, "0.002"),
            (1e-27, "1e-27"),
            (1e-6, "0.000001"),
            (295_147_905_179_352_830_000.0, "295147905179352830000"),
            (-0.0, "0"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
        ] {
            assert_eq!(to_vec(&number).unwrap(), text.as_bytes());
        }
        assert!(to_vec(&f64::NAN).is_err());
    }

    #[test]
    fn keys_are_sorted_by_utf16_code_units() {
        assert_eq!(canonical("{\"\u{FFFD}\":1,\"\u{10000}\":2}"), "{\"\u{10000}\":2,\"\u{FFFD}\":1}");
        assert_eq!(canonical(r#"{ "b" : 2 , "a" : [ 1 , { } ] }"#), r#"{"a":[1,{}],"b":2}"#);
        assert_eq!(canonical("\"\\u0007\\u007f\\/\\\"\""), "\"\\u0007\u{7f}/\\\"\"");
    }

    #[test]
    fn what_two_readers_could_read_in_two_ways_is_refused() {
        assert!(refusal(r#"{"a":1,"a":2}"#).contains("\"a\" stands twice"));
        assert!(refusal(r#"{"x":{"é":1,"\u00e9":2}}"#).contains("stands twice"));
        for big in ["9007199254740992", "-9007199254740993", "18446744073709551616", "1e30"] {
            assert!(refusal(big).contains("beyond 2^53 - 1"), "{big}");
        }
        assert_eq!(canonical("9007199254740991"), "9007199254740991");
        for text in [
            r#""\ud800""#,
            r#""\udc00x""#,
            r#"{"\ud800":1}"#,
            "1e400",
            "\u{feff}1",
            "1 2",
            "",
            "{\"a\":\u{0}1}",
            "NaN",
        ] {
            refusal(text);
        }
        assert!(parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(refusal(&nested(MAX_DEPTH + 2)).contains("nested deeper"));
        refusal(&nested(100_000));
        refusal(&"[".repeat(100_000));
    }
}
