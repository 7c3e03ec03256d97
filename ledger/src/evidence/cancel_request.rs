//! A person's request to cancel a build that runs (`urn:acta:cancel-request:v1`), signed by the portal for the person.
//!
//! It travels to the agent as the envelope that the log holds, so that the agent can check who asks, and its own cancel
//! record can name the entry.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::person::Signatory;
use crate::log::{
    digest::Sha256Digest,
    statement::{Predicate, Subject},
    timestamp::Timestamp,
};

/// The longest reason in characters.
pub const MAX_REASON_CHARS: usize = 500;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelRequest {
    /// The request's id: the agent's cancel record names it.
    pub request: Uuid,
    /// The run.
    pub run: Uuid,
    /// The agent that builds.
    pub agent: String,
    /// The route that it builds for.
    pub route: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// Who asks.
    pub by: Signatory,
    /// When, by the server's clock.
    pub at: Timestamp,
}

impl Predicate for CancelRequest {
    const TYPE: &'static str = "urn:acta:cancel-request:v1";
}

impl CancelRequest {
    /// What it speaks about: the run, which has no bytes yet, by the digest of its id.
    pub fn subject(run: Uuid) -> Subject {
        Subject::new(format!("run {run}"), Self::subject_digest(run))
    }

    /// The digest by which requests for a run are found.
    pub fn subject_digest(run: Uuid) -> Sha256Digest {
        Sha256Digest::of(run.to_string().as_bytes())
    }
}
