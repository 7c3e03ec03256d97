//! Text in addresses: path segments, queries, and where a form may lead to.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but what RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Only a path of this site is a place to return to; anything else becomes the start page.
pub fn safe_next(next: &str) -> &str {
    let local = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(['\\', '\n', '\r', '\t'])
        && next.len() <= 2_048;
    if local { next } else { "/" }
}

/// Writes a text so that it can stand in a query or a path segment.
pub fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Undoes [`percent_encode`]; none where what comes out is not UTF-8 or an escape is broken.
pub fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: u8| (byte as char).to_digit(16);
            let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
            out.push((high * 16 + low) as u8);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// The pairs of a query, decoded; pairs that cannot be decoded are left out.
pub fn query_pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    query.split('&').filter(|pair| !pair.is_empty()).filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decode = |text: &str| percent_decode(&text.replace('+', " "));
        Some((decode(key)?, decode(value)?))
    })
}

/// The first value of a query's field that is not empty.
pub fn query_value(query: &str, field: &str) -> Option<String> {
    query_pairs(query).find(|(key, value)| key == field && !value.is_empty()).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        for text in ["", "bench/residual", "a b&c=d", "ñ %"] {
            assert_eq!(percent_decode(&percent_encode(text)).as_deref(), Some(text));
        }
        let query = "route=bench%2Fx&q=a+b&empty=&route=second&broken=%f";
        assert_eq!(query_value(query, "route").as_deref(), Some("bench/x"));
        assert_eq!(query_value(query, "q").as_deref(), Some("a b"));
        assert_eq!(query_value(query, "empty"), None);
        assert_eq!(query_value(query, "broken"), None);
    }

    #[test]
    fn nobody_is_sent_to_another_site() {
        for (next, safe) in [
            ("/runs?route=a", "/runs?route=a"),
            ("//evil.example", "/"),
            ("https://evil.example", "/"),
            ("/\\evil.example", "/"),
            ("", "/"),
            ("/a\nb", "/"),
        ] {
            assert_eq!(safe_next(next), safe);
        }
    }
}
