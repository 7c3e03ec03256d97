//! Signatures and scans beside a bundle: kept as they are, named by what they look like. What can be checked without
//! foreign keys is checked: whether an attestation names this very bundle.

use acta_ledger::log::{digest::Sha256Digest, dsse::Envelope, statement::Statement};
use serde_json::Value;

/// What a file beside the bundle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// What it looks like.
    pub format: &'static str,
    /// Whether it names the bundle by its digest; none where it names no file.
    pub names_bundle: Option<bool>,
    /// How many results it lists, where it lists some.
    pub results: Option<u64>,
}

/// Recognises a signature.
pub fn signature(bytes: &[u8], bundle: &Sha256Digest) -> Result<Attached, String> {
    let plain = |format| Attached { format, names_bundle: None, results: None };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("the signature is empty".to_owned());
    }
    if let Ok(envelope) = Envelope::parse(bytes) {
        return Ok(dsse(&envelope, bundle));
    }
    let text = std::str::from_utf8(bytes).unwrap_or_default().trim_start();
    if let Ok(json) = serde_json::from_slice::<Value>(bytes) {
        let media_type = json["mediaType"].as_str().unwrap_or_default();
        if media_type.starts_with("application/vnd.dev.sigstore.bundle") {
            let inner = serde_json::to_vec(&json["dsseEnvelope"]).unwrap_or_default();
            let names_bundle = match Envelope::parse(&inner) {
                Ok(envelope) => dsse(&envelope, bundle).names_bundle,
                Err(_) => json["messageSignature"]["messageDigest"]["digest"].as_str().map(|digest| {
                    use base64::{Engine as _, engine::general_purpose::STANDARD};
                    STANDARD.encode(bundle.as_bytes()) == digest
                }),
            };
            return Ok(Attached { format: "sigstore", names_bundle, results: None });
        }
        return Ok(plain("json"));
    }
    Ok(plain(if text.starts_with("-----BEGIN PGP SIGNATURE") {
        "pgp"
    } else if text.starts_with("-----BEGIN") {
        "pem"
    } else if text.starts_with("untrusted comment:") {
        "minisign"
    } else {
        "unknown"
    }))
}

fn dsse(envelope: &Envelope, bundle: &Sha256Digest) -> Attached {
    let subjects = Statement::from_envelope(envelope).map(|statement| statement.subject).unwrap_or_default();
    let digests: Vec<_> = subjects.iter().filter_map(|subject| subject.sha256()).collect();
    let names_bundle = (!digests.is_empty()).then(|| digests.contains(bundle));
    Attached { format: "dsse", names_bundle, results: None }
}

/// Recognises a scan.
pub fn scan(bytes: &[u8]) -> Result<Attached, String> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err("the scan is empty".to_owned());
    }
    let json: Option<Value> = serde_json::from_slice(bytes).ok();
    let Some(json) = json else {
        return match std::str::from_utf8(bytes) {
            Ok(_) => Ok(Attached { format: "text", names_bundle: None, results: None }),
            Err(_) => Err("the scan is neither JSON nor text".to_owned()),
        };
    };
    if let Some(runs) = json["runs"].as_array().filter(|_| json["version"].is_string()) {
        let results = runs.iter().filter_map(|run| run["results"].as_array()).map(|it| it.len() as u64).sum();
        return Ok(Attached { format: "sarif", names_bundle: None, results: Some(results) });
    }
    let results = json["matches"].as_array().or(json["vulnerabilities"].as_array());
    Ok(Attached { format: "json", names_bundle: None, results: results.map(|it| it.len() as u64) })
}

#[cfg(test)]
mod tests {
    use acta_ledger::log::{entry::Entry, key::SigningKey, statement::Subject};
    use serde_json::json;

    use super::*;

    #[test]
    fn signatures_are_named_and_bound_where_they_name_a_file() {
        let bundle = Sha256Digest::of(b"bundle");
        let envelope = |digest| {
            let statement = Statement {
                statement_type: acta_ledger::log::statement::STATEMENT_TYPE.to_owned(),
                subject: vec![Subject::new("x", digest)],
                predicate_type: "urn:example:x".to_owned(),
                predicate: json!({}),
            };
            Entry::of(&statement.sign(&SigningKey::from_bytes(&[1; 32])).unwrap()).unwrap().bytes().to_vec()
        };
        assert_eq!(signature(&envelope(bundle), &bundle).unwrap().names_bundle, Some(true));
        let other = signature(&envelope(Sha256Digest::of(b"other")), &bundle).unwrap();
        assert_eq!((other.format, other.names_bundle), ("dsse", Some(false)));
        for (text, format) in [
            ("-----BEGIN PGP SIGNATURE-----", "pgp"),
            ("untrusted comment: x", "minisign"),
            ("{}", "json"),
            ("MEUCIQ", "unknown"),
            (r#"{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}"#, "sigstore"),
        ] {
            assert_eq!(signature(text.as_bytes(), &bundle).unwrap().format, format);
        }
        assert!(signature(b" \n", &bundle).is_err());
    }

    #[test]
    fn scans_are_counted() {
        let sarif = scan(br#"{"version":"2.1.0","runs":[{"results":[{},{}]},{}]}"#).unwrap();
        assert_eq!((sarif.format, sarif.results), ("sarif", Some(2)));
        assert_eq!(scan(br#"{"matches":[]}"#).unwrap().results, Some(0));
        assert_eq!(scan(b"clean").unwrap().format, "text");
        assert!(scan(b"").is_err() && scan(b"\xff\xfe").is_err());
    }
}
