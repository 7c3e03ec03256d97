//! The table of who may do what.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What an account is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Compares runs, comments, holds.
    Reviewer,
    /// Approves, rejects, lifts.
    Approver,
    /// Reads and verifies everything.
    Auditor,
    /// Runs the server: accounts, tokens, keys.
    Admin,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Reviewer, Self::Approver, Self::Auditor, Self::Admin];

    /// The code in the database and on pages.
    pub fn code(self) -> &'static str {
        match self {
            Self::Reviewer => "reviewer",
            Self::Approver => "approver",
            Self::Auditor => "auditor",
            Self::Admin => "admin",
        }
    }

    /// Reads the code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.code() == code)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
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
    /// Read runs, entries and blobs.
    ReadEvidence,
    /// Append statements and store blobs.
    PushEvidence,
    /// Enrol a key with a one-time token.
    Enrol,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ReadLog, Self::ReadEvidence, Self::PushEvidence, Self::Enrol];
}

/// Whether the actor may do it. `public_read` is the server's setting that evidence may be read by anybody.
pub fn allows(actor: &Actor, action: Action, public_read: bool) -> bool {
    match action {
        Action::ReadLog | Action::Enrol => true,
        Action::ReadEvidence => public_read || !matches!(actor, Actor::Anonymous),
        Action::PushEvidence => matches!(actor, Actor::Agent { .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any change of who may do what shows in review as a change of this text.
    #[test]
    fn the_whole_matrix() {
        let mut actors =
            vec![("anonymous", Actor::Anonymous), ("agent", Actor::Agent { name: "a".to_owned() })];
        for role in Role::ALL {
            actors.push((role.code(), Actor::Account { name: "p".to_owned(), role }));
        }
        let mut matrix = String::new();
        for public_read in [false, true] {
            for action in Action::ALL {
                let cells: Vec<String> = actors
                    .iter()
                    .map(|(name, actor)| {
                        format!("{name} {}", if allows(actor, action, public_read) { "yes" } else { "no" })
                    })
                    .collect();
                let setting = if public_read { "public " } else { "" };
                matrix.push_str(&format!("{setting}{action:?}: {}\n", cells.join(", ")));
            }
        }
        insta::assert_snapshot!(matrix, @r"
        ReadLog: anonymous yes, agent yes, reviewer yes, approver yes, auditor yes, admin yes
        ReadEvidence: anonymous no, agent yes, reviewer yes, approver yes, auditor yes, admin yes
        PushEvidence: anonymous no, agent yes, reviewer no, approver no, auditor no, admin no
        Enrol: anonymous yes, agent yes, reviewer yes, approver yes, auditor yes, admin yes
        public ReadLog: anonymous yes, agent yes, reviewer yes, approver yes, auditor yes, admin yes
        public ReadEvidence: anonymous yes, agent yes, reviewer yes, approver yes, auditor yes, admin yes
        public PushEvidence: anonymous no, agent yes, reviewer no, approver no, auditor no, admin no
        public Enrol: anonymous yes, agent yes, reviewer yes, approver yes, auditor yes, admin yes
        ");
    }
}
