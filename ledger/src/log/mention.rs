//! Which digests a statement's predicate mentions: every one counts, whatever its field is called, so that a blob is
//! found by whatever refers to it and a new kind of evidence needs no list of fields.

use std::collections::BTreeSet;

use serde_json::Value;

use super::digest::Sha256Digest;

/// The digests that stand in a predicate, each once and in order: every text and every member's name that is 64
/// lower-case hexadecimal digits, with or without `sha256:` before them.
pub fn mentioned(predicate: &Value) -> BTreeSet<Sha256Digest> {
    let mut found = BTreeSet::new();
    // A list in place of recursion: how deep a predicate may be nested is not this function's business.
    let mut open = vec![predicate];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.extend(digest_in(text)),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().filter_map(|name| digest_in(name)));
                open.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

fn digest_in(text: &str) -> Option<Sha256Digest> {
    text.strip_prefix("sha256:").unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_digest_counts_wherever_it_stands() {
        let digest = |text: &str| Sha256Digest::of(text.as_bytes());
        let predicate = json!({
            "plain": digest("a").to_string(),
            "list": [1, null, true, { "deep": format!("sha256:{}", digest("b")) }, digest("a").to_string()],
            digest("c").to_string(): "as a name",
            "not": ["", "e3b0", digest("d").to_string().to_uppercase(), format!("sha512:{}", digest("e")),
                format!(" {}", digest("f")), format!("{} and more", digest("g"))],
        });
        assert_eq!(mentioned(&predicate), BTreeSet::from([digest("a"), digest("b"), digest("c")]));
        assert_eq!(mentioned(&Value::Null), BTreeSet::new());
    }

    #[test]
    fn nesting_does_not_exhaust_the_stack() {
        let mut value = json!(Sha256Digest::of(b"bottom").to_string());
        for _ in 0..50_000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(mentioned(&value).len(), 1);
        // Dropping it would recurse; that is serde_json's, not ours.
        std::mem::forget(value);
    }
}
