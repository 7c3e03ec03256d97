//! What the pages of people show: accounts, sessions, tokens, and what was done to them.

use acta_ledger::log::timestamp::Timestamp;
use serde::{Deserialize, Serialize};

/// One of a person's sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// What it is revoked by.
    pub id: String,
    /// What the browser called itself.
    pub user_agent: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_seen_at: Timestamp,
    /// Whether it is this one.
    pub current: bool,
}

/// A token, of a person, of an agent, or for an agent's enrolment. The token itself is nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRow {
    /// What it is revoked by.
    pub id: String,
    /// The account, or the agent.
    pub holder: String,
    /// What it is for.
    pub label: String,
    /// What it may be used for, by codes.
    pub scopes: Vec<String>,
    /// When it was issued; none where that is not kept.
    pub issued_at: Option<Timestamp>,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
}

/// A person's own account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountView {
    /// Their sessions.
    pub sessions: Vec<SessionRow>,
    /// Their tokens.
    pub tokens: Vec<TokenRow>,
    /// The time zone that they have chosen; none for UTC.
    pub zone: Option<String>,
    /// The names of the time zones that are offered.
    pub zones: Vec<String>,
}

/// One account, for whoever keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonRow {
    /// Its name.
    pub name: String,
    /// Its role's code.
    pub role: String,
    /// Whether it may not be used.
    pub disabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many sessions it has.
    pub sessions: u64,
    /// The agents that it owns.
    pub agents: Vec<String>,
}

/// Something that was done to an account or a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// Its number.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Who: an account, or `command line`.
    pub by: String,
    /// What, as a code.
    pub change: String,
    /// To which account or agent.
    pub subject: String,
    /// What was given or taken, in the server's words.
    pub detail: String,
}

/// Whether the viewer may change accounts, and what a form needs for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MayManage {
    /// By the table of roles.
    pub role_allows: bool,
    /// Whether the password must be given again.
    pub step_up_needed: bool,
    /// A key for the next form: sent twice, it acts once.
    pub form_key: String,
}

/// All accounts and tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleView {
    /// The accounts by name.
    pub people: Vec<PersonRow>,
    /// Tokens of persons' programs.
    pub tokens: Vec<TokenRow>,
    /// Tokens of agents.
    pub agent_tokens: Vec<TokenRow>,
    /// One-time tokens that nobody has used.
    pub enrolments: Vec<TokenRow>,
    /// What was done last, newest first.
    pub events: Vec<EventRow>,
    /// Whether the viewer may change them.
    pub manage: MayManage,
}

/// One account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonView {
    /// What a list says of it.
    pub person: PersonRow,
    /// Its sessions.
    pub sessions: Vec<SessionRow>,
    /// Its tokens.
    pub tokens: Vec<TokenRow>,
    /// What was done to it, newest first.
    pub events: Vec<EventRow>,
    /// Whether it is the viewer's own: nobody gives rights to themselves.
    pub own: bool,
    /// Whether the viewer may change it.
    pub manage: MayManage,
}

/// What was done, and the token that was issued by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleDoneView {
    /// The line.
    pub event: EventRow,
    /// The token: here once, then nowhere.
    pub secret: Option<String>,
}
