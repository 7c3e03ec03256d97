//! Persons: who acted, in which roles, and how they had signed in. The portal signs for them and says all of it.

use serde::{Deserialize, Serialize};

use crate::log::timestamp::Timestamp;

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Builds, owns agents, gathers evidence.
    Builder,
    /// Looks, comments, holds, requests a rollback.
    Reviewer,
    /// Approves, rejects, lifts holds, overrides with a second person.
    Approver,
    /// Reads and verifies everything.
    Auditor,
    /// Keeps accounts, tokens and policies; decides nothing.
    Admin,
}

/// How a person had signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignIn {
    /// With a password.
    Password,
    /// With a passkey.
    Passkey,
    /// By an organisation's identity provider.
    IdentityProvider,
    /// With an API token, on nobody's keyboard.
    ApiToken,
}

/// A person at the moment of acting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Signatory {
    /// The account's name, unique and never given to another person.
    pub account: String,
    /// The roles that the account had.
    pub roles: Vec<Role>,
    /// How the person had signed in.
    pub signed_in_with: SignIn,
    /// When.
    pub signed_in_at: Timestamp,
    /// When the person last proved again who they are; none if never.
    pub stepped_up_at: Option<Timestamp>,
}

/// For how long a proof of who one is carries an action: five minutes.
pub const STEP_UP_MS: i64 = 5 * 60 * 1000;

impl Signatory {
    /// Whether the account had the role.
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether the person proved who they are within the five minutes before `at`.
    pub fn stepped_up(&self, at: Timestamp) -> bool {
        self.stepped_up_at.is_some_and(|proof| proof <= at && at.unix_ms() - proof.unix_ms() <= STEP_UP_MS)
            && self.signed_in_with != SignIn::ApiToken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_carries_five_minutes() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let mut person = Signatory {
            account: "ana".to_owned(),
            roles: vec![Role::Approver],
            signed_in_with: SignIn::Password,
            signed_in_at: at("2026-11-29T08:00:00Z"),
            stepped_up_at: Some(at("2026-11-29T10:00:00Z")),
        };
        for (moment, expected) in [
            ("2026-11-29T09:59:59Z", false),
            ("2026-11-29T10:00:00Z", true),
            ("2026-11-29T10:05:00Z", true),
            ("2026-11-29T10:05:00.001Z", false),
        ] {
            assert_eq!(person.stepped_up(at(moment)), expected, "{moment}");
        }
        person.signed_in_with = SignIn::ApiToken;
        assert!(!person.stepped_up(at("2026-11-29T10:00:00Z")));
    }
}
