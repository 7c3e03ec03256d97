//! What the agent knows of its server: where it is, and the keys that it pinned when it enrolled.

use acta_ledger::log::{
    digest::Sha256Digest,
    key::{KeyId, PublicKey},
    note::VerifierKey,
    verification::Trust,
};
use serde::{Deserialize, Serialize};

use crate::{
    durable,
    error::{CliError, Result},
    home::Home,
    key::{SecretError, read_secret},
    outbox,
};

/// The server's facts, kept in `server.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerFacts {
    /// Its URL, without a slash at the end.
    pub url: String,
    /// The name that it knows the agent by.
    pub agent: String,
    /// The agent's key, as it was enrolled.
    pub key_id: KeyId,
    /// The entry that enrolled it.
    pub entry: u64,
    /// The API token: a secret.
    pub api_token: String,
    /// The log's origin.
    pub origin: String,
    /// The log's key, `name+id+base64`.
    pub log_key: String,
    /// The portal's key.
    pub portal_key: PublicKey,
}

impl ServerFacts {
    /// Reads the facts; none if the agent was never enrolled.
    pub fn load(home: &Home) -> Result<Option<Self>> {
        let path = home.server();
        match read_secret(&path) {
            Err(SecretError::Missing) => Ok(None),
            Err(SecretError::Other(error)) => Err(error),
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
                CliError::failure(format!("{} is damaged", path.display()))
                    .found(error.to_string())
                    .help("run `acta enrol` again")
            }),
        }
    }

    /// Reads the facts of an agent that must be enrolled.
    pub fn require(home: &Home) -> Result<Self> {
        Self::load(home)?.ok_or_else(|| {
            CliError::usage("this agent is not enrolled with a server")
                .field(home.server().display().to_string())
                .help("ask an administrator for a token and run: acta enrol --server URL --token TOKEN")
        })
    }

    /// Which server is meant, and what is known of it: the one that is named, else the one of the enrolment.
    pub fn addressed(named: Option<&str>, facts: Option<Self>) -> Result<(String, Option<Self>)> {
        let url = match (named, &facts) {
            (Some(url), _) => normal_url(url)?,
            (None, Some(facts)) => facts.url.clone(),
            (None, None) => {
                return Err(CliError::usage("no server to ask")
                    .field("--server")
                    .found("this agent is not enrolled")
                    .expected("the address of a server"));
            }
        };
        let facts = facts.filter(|facts| facts.url == url);
        Ok((url, facts))
    }

    /// Keeps the facts.
    pub fn save(&self, home: &Home) -> Result<()> {
        let path = home.server();
        durable::write(&path, &outbox::to_json(self)?, 0o600)
            .map_err(|error| CliError::io("write", &path, &error))
    }

    /// The pinned keys.
    pub fn trust(&self) -> Result<Trust> {
        Ok(Trust { log: parse_log_key(&self.log_key)?, portal: self.portal_key })
    }
}

/// Reads a log's key as it is written in notes.
pub fn parse_log_key(text: &str) -> Result<VerifierKey> {
    VerifierKey::parse(text).map_err(|error| {
        CliError::usage("the log's key cannot be read")
            .field("log key")
            .found(format!("{text:?}: {error}"))
            .expected("name+id+base64, as `acta status` and GET /api/v1/keys show it")
    })
}

/// Puts a server's URL into the one form that it is compared in.
pub fn normal_url(text: &str) -> Result<String> {
    let url = text.trim().trim_end_matches('/');
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.filter(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let plain = !url.contains(['?', '#', ' ', '@']) && !url.chars().any(char::is_control);
    if host.is_some() && plain {
        Ok(url.to_owned())
    } else {
        Err(CliError::usage("this is not a server's address")
            .field("--server")
            .found(text)
            .expected("https://HOST[:PORT], or http://HOST[:PORT] on a trusted network"))
    }
}

/// A digest or an index, as a URL names an entry.
pub fn parse_entry(text: &str) -> Result<EntryName> {
    let digest = text.strip_prefix("sha256:").unwrap_or(text);
    match (text.parse(), digest.parse()) {
        (Ok(index), _) => Ok(EntryName::Index(index)),
        (_, Ok(digest)) => Ok(EntryName::Digest(digest)),
        _ => Err(CliError::usage("this names no entry")
            .field("--entry")
            .found(text)
            .expected("an index (42) or a digest (64 hexadecimal digits)")),
    }
}

/// How an entry is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryName {
    /// By its place in the log.
    Index(u64),
    /// By its digest.
    Digest(Sha256Digest),
}

impl std::fmt::Display for EntryName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(index) => index.fmt(f),
            Self::Digest(digest) => digest.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_one_form() {
        assert_eq!(normal_url("https://acta.example/").unwrap(), "https://acta.example");
        assert_eq!(normal_url("http://127.0.0.1:8080").unwrap(), "http://127.0.0.1:8080");
        for wrong in ["acta.example", "ftp://x", "https://", "https:///x", "https://a b", "https://u:p@h", ""]
        {
            assert!(normal_url(wrong).unwrap_err().to_string().contains("--server"), "{wrong}");
        }
    }

    #[test]
    fn entries_are_named_by_index_or_digest() {
        let digest = Sha256Digest::of(b"");
        assert_eq!(parse_entry("42").unwrap(), EntryName::Index(42));
        assert_eq!(parse_entry(&format!("sha256:{digest}")).unwrap(), EntryName::Digest(digest));
        assert_eq!(parse_entry(&digest.to_string()).unwrap(), EntryName::Digest(digest));
        for wrong in ["", "-1", "abc", "sha256:12"] {
            assert!(parse_entry(wrong).is_err(), "{wrong}");
        }
    }
}
