//! Which keys to trust when a log is checked, and where they come from.

use acta_ledger::log::{key::PublicKey, verification::Trust};
use clap::Args;

use crate::{
    client::Client,
    error::{CliError, Exit, Result},
    server::{ServerFacts, parse_log_key},
};

/// The options that name the keys and the token.
#[derive(Debug, Args)]
pub struct KeyFlags {
    /// The log's key, as notes write it: name+id+base64.
    #[arg(long, value_name = "KEY", requires = "portal_key")]
    log_key: Option<String>,

    /// The portal's key: base64 of 32 bytes.
    #[arg(long, value_name = "KEY", requires = "log_key")]
    portal_key: Option<String>,

    /// A token that may read; none is this agent's own, where it is enrolled with that server.
    #[arg(long, value_name = "TOKEN", env = "ACTA_API_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

/// Where the trusted keys come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// They were pinned at the enrolment, or at an earlier audit.
    Pinned,
    /// They were given on the command line.
    Flags,
    /// They are the server's own word.
    Server,
}

impl Source {
    /// The code in a JSON answer.
    pub fn code(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Flags => "flags",
            Self::Server => "server",
        }
    }
}

impl KeyFlags {
    /// The token to read with.
    pub fn token<'a>(&'a self, facts: Option<&'a ServerFacts>) -> Option<&'a str> {
        self.token.as_deref().or_else(|| facts.map(|facts| facts.api_token.as_str()))
    }

    /// The keys by the command line; else the pinned ones (those of an earlier audit before the agent's own); else by
    /// the server's own word. Pinned keys and others on the command line are an error: one of them is wrong.
    pub fn resolve(
        &self,
        pinned: Option<(&str, PublicKey)>,
        facts: Option<&ServerFacts>,
        client: &Client,
    ) -> Result<(Trust, Source)> {
        let pinned =
            pinned.map(|(log, portal)| Ok(Trust { log: parse_log_key(log)?, portal })).transpose()?;
        if let Some(given) = self.given()? {
            return match pinned {
                Some(pinned) if pinned != given => {
                    Err(CliError::usage("the state has other keys of this log")
                        .field("--log-key, --portal-key")
                        .found(format!("{}, {}", given.log, given.portal.to_base64()))
                        .expected(format!("{}, {}", pinned.log, pinned.portal.to_base64()))
                        .help("find out which are right; another log needs a state of its own"))
                }
                _ => Ok((given, Source::Flags)),
            };
        }
        if let Some(pinned) = pinned {
            return Ok((pinned, Source::Pinned));
        }
        if let Some(facts) = facts {
            return Ok((facts.trust()?, Source::Pinned));
        }
        let keys = client.keys().map_err(|error| {
            error.explain("the keys cannot be fetched", client.base()).exit(Exit::Failure)
        })?;
        Ok((Trust { log: parse_log_key(&keys.log_key)?, portal: keys.portal_key }, Source::Server))
    }

    /// The keys by the command line, else the pinned ones: nobody is asked. None where there are neither.
    pub fn offline(&self, facts: Option<&ServerFacts>) -> Result<Option<(Trust, Source)>> {
        Ok(match (self.given()?, facts) {
            (Some(given), _) => Some((given, Source::Flags)),
            (None, Some(facts)) => Some((facts.trust()?, Source::Pinned)),
            (None, None) => None,
        })
    }

    /// The keys of the command line.
    pub fn given(&self) -> Result<Option<Trust>> {
        let (Some(log), Some(portal)) = (&self.log_key, &self.portal_key) else { return Ok(None) };
        let log = parse_log_key(log).map_err(|error| error.field("--log-key"))?;
        let portal = PublicKey::from_base64(portal).map_err(|error| {
            CliError::usage("the portal's key cannot be read")
                .field("--portal-key")
                .found(portal.clone())
                .expected(error.to_string())
        })?;
        Ok(Some(Trust { log, portal }))
    }
}
