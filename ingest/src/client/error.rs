//! A call that failed: what it means for whoever asked, and what a person reads.

use std::fmt;

use serde::Deserialize;

use crate::error::{CliError, Exit};

/// What a problem's `type` begins with.
const PROBLEM_PREFIX: &str = "urn:acta:problem:";

/// A call that did not give what was asked for.
#[derive(Debug)]
pub enum CallError {
    /// No answer: nobody there, a timeout, a broken connection.
    Unreachable(String),
    /// An answer that is not a yes.
    Answered {
        /// The HTTP status.
        status: u16,
        /// What the server says, if it is one of ours.
        problem: Option<Box<Problem>>,
        /// The beginning of what it says otherwise.
        text: String,
    },
    /// A yes that cannot be read.
    Malformed(String),
}

/// `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Problem {
    /// `urn:acta:problem:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is wrong, in short.
    pub title: Option<String>,
    /// What is wrong here.
    pub detail: Option<String>,
    /// Which field.
    pub field: Option<String>,
    /// What was found in it.
    pub found: Option<String>,
    /// What is expected.
    pub expected: Option<String>,
}

impl CallError {
    /// An answer that is not a yes, by its status and body.
    pub(super) fn answered(status: u16, body: &[u8]) -> Self {
        let problem: Option<Box<Problem>> = serde_json::from_slice(body).ok();
        let problem = problem.filter(|problem| problem.kind.starts_with(PROBLEM_PREFIX));
        let text = String::from_utf8_lossy(body).chars().take(200).collect();
        Self::Answered { status, problem, text }
    }

    /// The status of the answer; none where there was none.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Answered { status, .. } => Some(*status),
            Self::Unreachable(_) | Self::Malformed(_) => None,
        }
    }

    /// Whether the server refuses exactly this request, so that asking again is of no use.
    ///
    /// A "no" that is not in our server's form (a proxy, another program at that address) refuses nothing.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Answered { status: 400..=499, problem: Some(_), .. })
            && !matches!(self, Self::Answered { status: 401 | 408 | 429, .. })
    }

    /// Whether the same question may well be answered in a moment.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Answered { status: 408 | 429 | 502..=504, .. })
    }

    /// The error as a person reads it.
    pub fn explain(&self, what: &str, server: &str) -> CliError {
        let error = CliError::failure(format!("{what}: {self}")).field(server);
        match self {
            Self::Unreachable(_) => {
                error.exit(Exit::NotPushed).help("check the address and that the server runs, then try again")
            }
            Self::Answered { status, problem, .. } => {
                let error = match status {
                    401 => error.help("the token is not (or no longer) valid: enrol again"),
                    408 | 429 | 500..=599 => error.help("try again later"),
                    300..=399 => error.help("the server moved: enrol at its new address"),
                    _ => error,
                };
                let Some(problem) = problem.as_deref().cloned() else { return error };
                let error = problem.field.into_iter().fold(error, CliError::field);
                let error = problem.found.into_iter().fold(error, CliError::found);
                problem.expected.into_iter().fold(error, CliError::expected)
            }
            Self::Malformed(_) => error.help("is this address really an Acta server of a fitting version?"),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(reason) => write!(f, "the server cannot be reached ({reason})"),
            Self::Answered { status, problem: Some(problem), .. } => {
                let said = problem.detail.as_deref().or(problem.title.as_deref()).unwrap_or(&problem.kind);
                write!(f, "the server says: {said} ({status})")
            }
            Self::Answered { status, text, .. } => {
                write!(f, "the answer is {status}")?;
                if text.trim().is_empty() { Ok(()) } else { write!(f, ": {}", text.trim()) }
            }
            Self::Malformed(reason) => write!(f, "the answer cannot be read ({reason})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(status: u16, ours: bool) -> CallError {
        let kind = "urn:acta:problem:x".to_owned();
        let problem = Problem { kind, title: None, detail: None, field: None, found: None, expected: None };
        CallError::Answered { status, problem: ours.then(|| Box::new(problem)), text: String::new() }
    }

    #[test]
    fn only_our_servers_no_refuses() {
        for status in [400, 403, 409, 413, 422] {
            assert!(answered(status, true).is_refusal(), "{status}");
            assert!(!answered(status, false).is_refusal(), "a proxy's {status}");
        }
        for status in [301, 401, 408, 429, 500, 502, 503] {
            assert!(!answered(status, true).is_refusal(), "{status}");
        }
        assert!(!CallError::Unreachable(String::new()).is_refusal());
    }
}
