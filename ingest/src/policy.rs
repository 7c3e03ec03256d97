//! Files that a person writes, in TOML or JSON: a route's policy, a recipe. What is not known in them is refused.

use std::path::Path;

use acta_ledger::{evidence::route::Policy, log::jcs};
use serde::de::DeserializeOwned;

use crate::{
    error::{CliError, Result},
    gate::read_bounded,
};

/// The longest such file.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file of a person; the bytes go along, because they are evidence.
pub fn read<T: DeserializeOwned>(field: &str, what: &str, path: &Path) -> Result<(T, Vec<u8>)> {
    let bytes = read_bounded(field, path, MAX_BYTES)?;
    Ok((parse(field, what, path, &bytes)?, bytes))
}

fn parse<T: DeserializeOwned>(field: &str, what: &str, path: &Path, bytes: &[u8]) -> Result<T> {
    let wrong = |found: String| {
        CliError::usage(format!("{what} cannot be read"))
            .field(format!("{field} {}", path.display()))
            .found(found)
    };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| wrong(error.to_string()).expected("UTF-8, in TOML or JSON"))?;
    let is_json = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => true,
        Some("toml") => false,
        _ => text.trim_start().starts_with('{'),
    };
    if is_json {
        // Strict first: a key that stands twice would silently lose one of its values.
        jcs::parse(bytes).map_err(|error| wrong(error.to_string()).expected("one JSON object"))?;
        serde_json::from_str(text).map_err(|error| wrong(error.to_string()))
    } else {
        toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))
    }
}

/// Reads a route's policy.
pub fn read_policy(path: &Path) -> Result<Policy> {
    let (policy, _): (Policy, _) = read("--policy", "the policy", path)?;
    policy.check().map_err(|error| {
        CliError::usage("the policy makes no sense")
            .field(format!("--policy {}", path.display()))
            .found(error.to_string())
    })?;
    Ok(policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str = r#"
        licences = ["apache-2.0"]
        drillValidDays = 30
        retentionDays = 90
        [approvals]
        needed = 1
        [overrides]
        allowed = false
        maxDays = 1
        [canary]
        minSamples = 100
        [canary.thresholds]
        p95Ms = 25.0
        [pins]
        tensorrt = "1.7.1.116"
    "#;

    #[test]
    fn toml_and_json_say_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let policy = read_policy(&write("a.toml", TOML)).unwrap();
        let json = write("a.json", &serde_json::to_string(&policy).unwrap());
        assert_eq!(read_policy(&json).unwrap(), policy);
        assert_eq!(read_policy(&write("policy", TOML)).unwrap(), policy);
        for (from, to, words) in [
            ("minSamples", "minSample", "unknown field `minSample`"),
            ("needed = 1", "needed = \"one\"", "expected u32"),
            ("needed = 1", "needed = 0", "approvals.needed must be at least 1"),
            ("retentionDays = 90", "", "missing field `retentionDays`"),
            ("drillValidDays = 30", "drillValidDays = 30\ndrillValidDays = 31", "duplicate key"),
        ] {
            let error = read_policy(&write("b.toml", &TOML.replace(from, to))).unwrap_err();
            assert!(error.to_string().contains(words), "{from} -> {to}: {error}");
            assert!(
                error.to_string().contains("--policy") && error.to_string().contains("b.toml"),
                "{error}"
            );
        }
        let twice = write("c.json", r#"{"licences":["a"],"licences":["b"]}"#);
        assert!(read_policy(&twice).unwrap_err().to_string().contains("twice"));
        for (name, bytes) in [("d.toml", &b"\xff"[..]), ("e.json", b"["), ("f.toml", b"[[[[")] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            read_policy(&path).unwrap_err();
        }
        assert!(read_policy(folder.path()).unwrap_err().to_string().contains("no file"));
    }
}
