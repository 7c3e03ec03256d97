//! The table of who may do what.

use acta_ledger::evidence::code;

pub use acta_ledger::evidence::person::Role;

/// All roles that an account can have.
pub const ROLES: [Role; 5] = [Role::Builder, Role::Reviewer, Role::Approver, Role::Auditor, Role::Admin];

/// Reads a role's code.
pub fn parse_role(text: &str) -> Option<Role> {
    ROLES.into_iter().find(|role| code(role) == text)
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
        /// Whether a program asks with the person's token; nobody sits at its keyboard.
        by_token: bool,
    },
    /// An agent, by its token.
    Agent {
        /// The agent's name.
        name: String,
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
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::ReadLog,
        Self::ReadEvidence,
        Self::PushEvidence,
        Self::Enrol,
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
    ];

    /// Whether the person must have given the password within the last five minutes.
    pub fn needs_step_up(self) -> bool {
        matches!(
            self,
            Self::Decide | Self::Override | Self::RequestOrder | Self::ConfirmOrder | Self::ManageAccounts
        )
    }
}

/// Whether the actor may do it. `public_read` is the server's setting that evidence may be read by anybody.
pub fn allows(actor: &Actor, action: Action, public_read: bool) -> bool {
    use Role::{Admin, Approver, Auditor, Reviewer};
    let role_in = |roles: &[Role]| matches!(actor, Actor::Account { role, by_token: false, .. } if roles.contains(role));
    match action {
        Action::ReadLog | Action::Enrol => true,
        Action::ReadEvidence => public_read || !matches!(actor, Actor::Anonymous),
        Action::PushEvidence | Action::TakeOrders => matches!(actor, Actor::Agent { .. }),
        // The one thing that a person's program may do beside reading: policies come out of a repository.
        Action::DefineRoute => matches!(actor, Actor::Account { role: Admin, .. }),
        Action::Hold | Action::RequestOrder => role_in(&[Reviewer, Approver]),
        Action::Decide | Action::Override | Action::ConfirmOrder => role_in(&[Approver]),
        Action::OwnAccount => matches!(actor, Actor::Account { by_token: false, .. }),
        Action::ReadAccounts => role_in(&[Auditor, Admin]),
        Action::ManageAccounts => role_in(&[Admin]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any change of who may do what shows in review as a change of this text.
    #[test]
    fn the_whole_matrix() {
        let mut actors = vec![("anonymous".to_owned(), Actor::Anonymous)];
        actors.push(("agent".to_owned(), Actor::Agent { name: "a".to_owned() }));
        for role in ROLES {
            let actor = |by_token| Actor::Account { name: "p".to_owned(), role, by_token };
            actors.push((code(&role), actor(false)));
            actors.push((format!("{}'s token", code(&role)), actor(true)));
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
}
