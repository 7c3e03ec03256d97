//! The table of who may do what.

use std::{collections::BTreeSet, fmt};

use acta_ledger::evidence::code;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use acta_ledger::evidence::person::Role;

/// All roles that an account can have.
pub const ROLES: [Role; 5] = [Role::Builder, Role::Reviewer, Role::Approver, Role::Auditor, Role::Admin];

/// Reads a role's code.
pub fn parse_role(text: &str) -> Option<Role> {
    ROLES.into_iter().find(|role| code(role) == text)
}

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A person's token: read what the person may read.
    Read,
    /// An admin's token: set up routes and change their policies.
    DefineRoutes,
    /// A reviewer's or an approver's token: ask builds that run to stop.
    Cancel,
    /// An admin's token: read what the server counts, for the program that watches it.
    Metrics,
    /// An agent's token: append evidence and store blobs.
    Push,
    /// An agent's token: take orders for the runtime.
    Orders,
}

impl Scope {
    /// What a person's token can be used for.
    pub const OF_ACCOUNTS: [Self; 4] = [Self::Read, Self::DefineRoutes, Self::Cancel, Self::Metrics];
    /// What an agent's token can be used for.
    pub const OF_AGENTS: [Self; 2] = [Self::Push, Self::Orders];
}

/// What one token may be used for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scopes(BTreeSet<Scope>);

impl Scopes {
    /// These.
    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().copied().collect())
    }

    /// Reads codes with a space between; one that is not known allows nothing.
    pub fn parse(codes: &str) -> Self {
        let known = [&Scope::OF_ACCOUNTS[..], &Scope::OF_AGENTS[..]].concat();
        Self(
            codes
                .split(' ')
                .filter_map(|text| known.iter().copied().find(|scope| code(scope) == text))
                .collect(),
        )
    }

    /// Whether it is among them.
    pub fn has(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// Whether there is nothing among them but these.
    pub fn within(&self, scopes: &[Scope]) -> bool {
        !self.0.is_empty() && self.0.iter().all(|scope| scopes.contains(scope))
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(code).collect::<Vec<_>>().join(" "))
    }
}

/// Who is asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// Nobody that we know.
    Anonymous,
    /// A person who has signed in.
    Account {
        /// The account's name.
        name: String,
        /// Its role.
        role: Role,
        /// What the token may be used for with which a program asks for the person; nobody sits at its keyboard. None
        /// where the person has signed in.
        token: Option<Scopes>,
    },
    /// An agent, by its token.
    Agent {
        /// The agent's name.
        name: String,
        /// What its token may be used for.
        scopes: Scopes,
    },
}

/// What a request wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Read tree head, consistency proofs and the keys: what a log shows to everybody.
    ReadLog,
    /// Read runs, entries, blobs, routes.
    ReadEvidence,
    /// Append statements and store blobs.
    PushEvidence,
    /// Enrol a key with a one-time token.
    Enrol,
    /// Ask a build that runs to stop.
    RequestCancel,
    /// Set up a route or change its policy.
    DefineRoute,
    /// Put a route on hold.
    Hold,
    /// Approve, reject, lift a hold. Whether this person may approve this bundle is the fold's judgement on top.
    Decide,
    /// Vote for passing a gate without its evidence.
    Override,
    /// Ask for a deployment, a rollback or a drill.
    RequestOrder,
    /// Confirm somebody else's request.
    ConfirmOrder,
    /// Fetch orders for the runtime and report on them.
    TakeOrders,
    /// See and end one's own sessions and tokens.
    OwnAccount,
    /// See accounts, tokens and agents.
    ReadAccounts,
    /// Add accounts, issue and revoke tokens.
    ManageAccounts,
    /// Remove the bytes of retained bundles that nothing needs.
    Purge,
    /// Read what the server counts of itself.
    ReadMetrics,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::ReadLog,
        Self::ReadEvidence,
        Self::PushEvidence,
        Self::Enrol,
        Self::RequestCancel,
        Self::DefineRoute,
        Self::Hold,
        Self::Decide,
        Self::Override,
        Self::RequestOrder,
        Self::ConfirmOrder,
        Self::TakeOrders,
        Self::OwnAccount,
        Self::ReadAccounts,
        Self::ManageAccounts,
        Self::Purge,
        Self::ReadMetrics,
    ];

    /// Whether the person must have given the password within the last five minutes.
    pub fn needs_step_up(self) -> bool {
        matches!(
            self,
            Self::Decide
                | Self::Override
                | Self::RequestOrder
                | Self::ConfirmOrder
                | Self::ManageAccounts
                | Self::Purge
        )
    }
}

/// Whether the actor may do it. `public_read` is the server's setting that evidence may be read by anybody.
pub fn allows(actor: &Actor, action: Action, public_read: bool) -> bool {
    use Role::{Admin, Approver, Auditor, Reviewer};
    let role_in =
        |roles: &[Role]| matches!(actor, Actor::Account { role, token: None, .. } if roles.contains(role));
    match action {
        Action::ReadLog | Action::Enrol => true,
        Action::ReadEvidence => {
            public_read
                || match actor {
                    Actor::Anonymous => false,
                    Actor::Account { token: Some(scopes), .. } => scopes.has(Scope::Read),
                    Actor::Account { token: None, .. } | Actor::Agent { .. } => true,
                }
        }
        Action::PushEvidence => matches!(actor, Actor::Agent { scopes, .. } if scopes.has(Scope::Push)),
        Action::TakeOrders => matches!(actor, Actor::Agent { scopes, .. } if scopes.has(Scope::Orders)),
        // A person's program may do three things beside reading: policies come out of a repository, a test or a job stops
        // the builds that it watches, and a monitor watches the server.
        Action::DefineRoute => match actor {
            Actor::Account { role: Admin, token, .. } => {
                token.as_ref().is_none_or(|scopes| scopes.has(Scope::DefineRoutes))
            }
            _ => false,
        },
        Action::RequestCancel => match actor {
            Actor::Account { role: Reviewer | Approver, token, .. } => {
                token.as_ref().is_none_or(|scopes| scopes.has(Scope::Cancel))
            }
            _ => false,
        },
        Action::ReadMetrics => match actor {
            Actor::Account { role: Admin, token, .. } => {
                token.as_ref().is_none_or(|scopes| scopes.has(Scope::Metrics))
            }
            _ => false,
        },
        Action::Hold | Action::RequestOrder => role_in(&[Reviewer, Approver]),
        Action::Decide | Action::Override | Action::ConfirmOrder => role_in(&[Approver]),
        Action::OwnAccount => matches!(actor, Actor::Account { token: None, .. }),
        Action::ReadAccounts => role_in(&[Auditor, Admin]),
        Action::ManageAccounts | Action::Purge => role_in(&[Admin]),
    }
}

/// Whether `by` may give or take rights of `subject`: nobody gives anything to themselves. The command line is nobody's
/// account; whoever can use it can change the database anyway.
pub fn may_change_rights(by: Option<&str>, subject: &str) -> bool {
    by != Some(subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any change of who may do what shows in review as a change of this text.
    #[test]
    fn the_whole_matrix() {
        let mut actors = vec![("anonymous".to_owned(), Actor::Anonymous)];
        let agent = |scopes: &[Scope]| Actor::Agent { name: "a".to_owned(), scopes: Scopes::of(scopes) };
        actors.push(("agent".to_owned(), agent(&Scope::OF_AGENTS)));
        actors.push(("pushing agent".to_owned(), agent(&[Scope::Push])));
        actors.push(("agent beside a runtime".to_owned(), agent(&[Scope::Orders])));
        actors.push(("agent with a person's scopes".to_owned(), agent(&Scope::OF_ACCOUNTS)));
        for role in ROLES {
            let actor = |token: Option<&[Scope]>| Actor::Account {
                name: "p".to_owned(),
                role,
                token: token.map(Scopes::of),
            };
            actors.push((code(&role), actor(None)));
            actors.push((format!("{}'s token", code(&role)), actor(Some(&Scope::OF_ACCOUNTS))));
            actors.push((format!("{}'s reading token", code(&role)), actor(Some(&[Scope::Read]))));
            actors.push((
                format!("{}'s token with an agent's scopes", code(&role)),
                actor(Some(&Scope::OF_AGENTS)),
            ));
        }
        let mut matrix = String::new();
        for action in Action::ALL {
            let step_up = if action.needs_step_up() { " (password)" } else { "" };
            let may: Vec<&str> = actors
                .iter()
                .filter(|(_, actor)| allows(actor, action, false))
                .map(|(name, _)| name.as_str())
                .collect();
            let may = if may.len() == actors.len() { "everybody".to_owned() } else { may.join(", ") };
            matrix.push_str(&format!("{action:?}{step_up}: {may}\n"));
            for (_, actor) in &actors {
                let only_reading = action == Action::ReadEvidence || allows(actor, action, false);
                assert_eq!(allows(actor, action, true), only_reading, "public reading opens nothing else");
            }
        }
        insta::assert_snapshot!(matrix);
    }

    #[test]
    fn scopes_are_read_as_they_are_written() {
        let all = Scopes::parse("cancel read define_routes");
        assert_eq!(
            (all.to_string().as_str(), all.within(&Scope::OF_ACCOUNTS)),
            ("read define_routes cancel", true)
        );
        assert!(!all.within(&Scope::OF_AGENTS) && !Scopes::default().within(&Scope::OF_AGENTS));
        assert_eq!(
            Scopes::parse("read everything"),
            Scopes::of(&[Scope::Read]),
            "what is not known allows nothing"
        );
        assert_eq!(Scopes::parse(""), Scopes::default());
    }

    #[test]
    fn nobody_gives_rights_to_themselves() {
        for (by, subject, may) in
            [(Some("adam"), "eva", true), (Some("adam"), "adam", false), (None, "adam", true)]
        {
            assert_eq!(may_change_rights(by, subject), may, "{by:?} {subject}");
        }
    }
}
