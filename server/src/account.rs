//! Accounts and tokens: every change of them, by a person in the portal, by a program, or on the command line.
//!
//! They are operational state, not evidence, so they are not in the log; but each change leaves a line that is never
//! changed, in the change's own transaction. A secret is in the answer and nowhere else.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
};

use acta_ledger::{evidence::code, log::digest::Sha256Digest};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    auth::{
        password,
        policy::{Role, Scope, Scopes, may_change_rights},
    },
    clock,
    db::{Connection, Database},
    error::{Answer, Problem},
    secret::Secret,
    store::{
        account::{self, AccountEvent},
        session, token,
    },
};

/// For how long a one-time token may be valid at most: a week.
pub const MAX_ENROLMENT_HOURS: u32 = 7 * 24;

/// For how long a person's token may be valid at most: a year.
pub const MAX_TOKEN_DAYS: u32 = 366;

/// Something that is to be done to an account or a token.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "change", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// Adds an account.
    Add {
        /// Its name; never given to another person.
        account: String,
        /// What it is for.
        #[schema(value_type = String)]
        role: Role,
        /// Its first password: 10 characters at least.
        #[schema(value_type = String)]
        password: NewPassword,
    },
    /// Gives an account another role. Its sessions end.
    SetRole {
        /// The account.
        account: String,
        /// The role.
        #[schema(value_type = String)]
        role: Role,
    },
    /// Ends an account's sessions and lets nobody sign in with it; its tokens do not work meanwhile.
    Disable {
        /// The account.
        account: String,
    },
    /// Lets an account be used again.
    Enable {
        /// The account.
        account: String,
    },
    /// Ends all sessions of an account.
    EndSessions {
        /// The account.
        account: String,
    },
    /// Issues a token for a person's programs.
    IssueToken {
        /// The account.
        account: String,
        /// What it is for.
        label: String,
        /// What it may be used for: `read`, `define_routes`, `cancel`, `metrics`.
        scopes: Vec<Scope>,
        /// For how many days it is valid.
        days: u32,
    },
    /// Revokes a token of a person or of an agent.
    RevokeToken {
        /// Its hash, 64 digits.
        #[schema(value_type = String)]
        id: Sha256Digest,
    },
    /// Issues a one-time token by which an agent enrols its key.
    IssueEnrolment {
        /// The agent's name, unique in the log.
        agent: String,
        /// The account that owns it: what the agent pushes, that person may not approve.
        owner: Option<String>,
        /// What the agent's own token may be used for: `push`, `orders`.
        scopes: Vec<Scope>,
        /// For how many hours it is valid.
        hours: u32,
    },
    /// Takes back a one-time token that nobody has used.
    RevokeEnrolment {
        /// Its hash, 64 digits.
        #[schema(value_type = String)]
        id: Sha256Digest,
    },
}

/// A password on its way in; it is never written out.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct NewPassword(pub String);

impl fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What was done.
pub struct Done {
    /// The number of the line that says so.
    pub event: i64,
    /// The token that was issued: shown once, never stored.
    pub secret: Option<Secret>,
}

/// Who does it on the command line.
pub const COMMAND_LINE: &str = "command line";

/// Does it, and writes down who did; `by` is an account, or none on the command line.
pub async fn apply(database: &Database, by: Option<&str>, change: Change) -> Answer<Done> {
    check(by, &change)?;
    // Before the transaction: it takes a core for a while, and everybody else waits for the one that writes.
    let hash = match &change {
        Change::Add { password, .. } => Some(hashed(password).await?),
        _ => None,
    };
    let mut transaction = database.write.begin().await?;
    let told = carry_out(&mut transaction, by, change, hash).await?;
    let event = AccountEvent {
        id: 0,
        at: clock::now().unix_ms(),
        by: by.unwrap_or(COMMAND_LINE).to_owned(),
        change: told.change.to_owned(),
        subject: told.subject,
        detail: told.detail,
    };
    let id = account::record(&mut transaction, &event).await?;
    transaction.commit().await?;
    tracing::info!(account.by = %event.by, account.change = event.change, account.subject = %event.subject, "an account was changed");
    Ok(Done { event: id, secret: told.secret })
}

/// What a change did, for its line.
struct Told {
    change: &'static str,
    subject: String,
    detail: String,
    secret: Option<Secret>,
}

impl Told {
    fn new(change: &'static str, subject: String, detail: String) -> Self {
        Self { change, subject, detail, secret: None }
    }
}

async fn carry_out(
    connection: &mut Connection,
    by: Option<&str>,
    change: Change,
    password_hash: Option<String>,
) -> Answer<Told> {
    let now = clock::now().unix_ms();
    match change {
        Change::Add { account: name, role, .. } => {
            let account = account::Account {
                name: name.clone(),
                role: code(&role),
                password_hash: password_hash.unwrap_or_default(),
                created_at: now,
                disabled_at: None,
            };
            if !account::insert(connection, &account).await? {
                return Err(Problem::refused(
                    "account_exists",
                    "the name is taken, also where its account is disabled: names are never given twice",
                )
                .field("account")
                .found(name));
            }
            Ok(Told::new("add", name, code(&role)))
        }
        Change::SetRole { account: name, role } => {
            let before = account::set_role(connection, &name, &code(&role)).await?;
            let before = before.ok_or_else(|| no_account(&name))?;
            session::end_all(connection, &name).await?;
            Ok(Told::new("set_role", name, format!("{before} -> {}", code(&role))))
        }
        Change::Disable { account: name } => {
            if !account::set_disabled(connection, &name, Some(now)).await? {
                return Err(no_account(&name));
            }
            let ended = session::end_all(connection, &name).await?;
            Ok(Told::new("disable", name, format!("sessions ended: {ended}")))
        }
        Change::Enable { account: name } => {
            if !account::set_disabled(connection, &name, None).await? {
                return Err(no_account(&name));
            }
            Ok(Told::new("enable", name, String::new()))
        }
        Change::EndSessions { account: name } => {
            let ended = session::end_all(connection, &name).await?;
            Ok(Told::new("end_sessions", name, format!("sessions ended: {ended}")))
        }
        Change::IssueToken { account: name, label, scopes, days } => {
            known_account(connection, &name).await?;
            let (secret, scopes) = (draw("acta_api_")?, Scopes::of(&scopes).to_string());
            let expires_at = now + i64::from(days) * 24 * 60 * 60 * 1000;
            let issued = token::NewToken {
                kind: token::Kind::Account,
                holder: &name,
                label: &label,
                scopes: &scopes,
                expires_at,
            };
            token::insert(connection, &secret.hash(), &issued, now).await?;
            let detail = format!("{label}: {scopes}, for {days} days");
            Ok(Told { secret: Some(secret), ..Told::new("issue_token", name, detail) })
        }
        Change::RevokeToken { id } => {
            let holder = token::revoke(connection, &id, None).await?.ok_or_else(no_token)?;
            Ok(Told::new("revoke_token", holder, id.short()))
        }
        Change::IssueEnrolment { agent, owner, scopes, hours } => {
            if let Some(owner) = &owner {
                known_account(connection, owner).await?;
            }
            let (secret, scopes) = (draw("acta_enrol_")?, Scopes::of(&scopes).to_string());
            let detail =
                format!("{scopes}, for {hours} hours, owned by {}", owner.as_deref().unwrap_or("nobody"));
            let issued = token::EnrolmentToken {
                agent: agent.clone(),
                issued_by: by.unwrap_or(COMMAND_LINE).to_owned(),
                owner,
                scopes,
                expires_at: now + i64::from(hours) * 60 * 60 * 1000,
                used_by: None,
            };
            token::insert_enrolment(connection, &secret.hash(), &issued, now).await?;
            Ok(Told { secret: Some(secret), ..Told::new("issue_enrolment", agent, detail) })
        }
        Change::RevokeEnrolment { id } => {
            let agent = token::revoke_enrolment(connection, &id).await?.ok_or_else(no_token)?;
            Ok(Told::new("revoke_enrolment", agent, id.short()))
        }
    }
}

/// What can be said before anything is looked up.
fn check(by: Option<&str>, change: &Change) -> Answer<()> {
    match change {
        Change::Add { account, password, .. } => {
            check_name("account", account)?;
            let fits =
                password.0.chars().count() >= password::MIN_CHARS && password.0.len() <= password::MAX_BYTES;
            if !fits {
                let expected = format!("{} to {} characters", password::MIN_CHARS, password::MAX_BYTES);
                return Err(Problem::refused("malformed_password", "a password has another length")
                    .field("password")
                    .expected(expected));
            }
            Ok(())
        }
        Change::SetRole { account, .. } | Change::Disable { account } | Change::Enable { account } => {
            not_own(by, account)
        }
        Change::IssueToken { account, label, scopes, days } => {
            not_own(by, account)?;
            if !(1..=100).contains(&label.trim().chars().count()) || label.chars().any(char::is_control) {
                return Err(
                    Problem::refused("malformed_label", "a label has 1 to 100 characters").field("label")
                );
            }
            check_range("days", *days, MAX_TOKEN_DAYS)?;
            check_scopes(scopes, &Scope::OF_ACCOUNTS)
        }
        Change::IssueEnrolment { agent, scopes, hours, .. } => {
            check_name("agent", agent)?;
            if agent == "portal" {
                return Err(Problem::refused(
                    "malformed_name",
                    "`portal` is the server's own name in the log",
                )
                .field("agent"));
            }
            check_range("hours", *hours, MAX_ENROLMENT_HOURS)?;
            check_scopes(scopes, &Scope::OF_AGENTS)
        }
        Change::EndSessions { .. } | Change::RevokeToken { .. } | Change::RevokeEnrolment { .. } => Ok(()),
    }
}

fn not_own(by: Option<&str>, account: &str) -> Answer<()> {
    if may_change_rights(by, account) {
        return Ok(());
    }
    let detail = "an admin changes nobody's rights but others': another admin must do it";
    Err(Problem::forbidden("own_account", detail).field("account").found(account))
}

fn check_name(field: &'static str, name: &str) -> Answer<()> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.@".contains(&byte);
    if (1..=64).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Problem::refused("malformed_name", "this cannot be a name")
        .field(field)
        .found(name)
        .expected("1 to 64 characters of a-z, 0-9 and -_.@"))
}

fn check_range(field: &'static str, value: u32, most: u32) -> Answer<()> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(Problem::refused("bad_duration", "it cannot be valid for so long")
        .field(field)
        .found(value)
        .expected(format!("1 to {most} {field}")))
}

fn check_scopes(scopes: &[Scope], allowed: &[Scope]) -> Answer<()> {
    if Scopes::of(scopes).within(allowed) {
        return Ok(());
    }
    Err(Problem::refused("bad_scopes", "a token needs at least one scope, and only fitting ones")
        .field("scopes")
        .found(Scopes::of(scopes))
        .expected(Scopes::of(allowed)))
}

async fn hashed(password: &NewPassword) -> Answer<String> {
    let password = password.0.clone();
    let hash = tokio::task::spawn_blocking(move || password::hash_now(&password)).await;
    hash.map_err(Problem::internal)?.map_err(Problem::internal)
}

async fn known_account(connection: &mut Connection, name: &str) -> Answer<()> {
    if account::exists(connection, name).await? { Ok(()) } else { Err(no_account(name)) }
}

fn no_account(name: &str) -> Problem {
    Problem::refused("no_such_account", "there is no such account").field("account").found(name)
}

fn no_token() -> Problem {
    Problem::refused("no_such_token", "there is no such token; it may have been used, revoked or ended")
        .field("id")
}

fn draw(prefix: &str) -> Answer<Secret> {
    Secret::draw(prefix).map_err(Problem::internal)
}

/// Secrets that wait to be shown: a form is answered with a redirect, and a secret must not stand in an address.
#[derive(Default)]
pub struct Waiting(Mutex<HashMap<(String, i64), Kept>>);

/// A secret with the moment at which it was drawn.
struct Kept {
    secret: Secret,
    at: i64,
}

/// For how long a secret waits: two minutes.
const WAIT_MS: i64 = 2 * 60 * 1000;

impl Waiting {
    /// Keeps a secret for the account that had it issued.
    pub fn keep(&self, account: &str, event: i64, secret: Secret) {
        let now = clock::now().unix_ms();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, kept| now - kept.at <= WAIT_MS);
        waiting.insert((account.to_owned(), event), Kept { secret, at: now });
    }

    /// Gives it out, once.
    pub fn take(&self, account: &str, event: i64) -> Option<Secret> {
        let now = clock::now().unix_ms();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = waiting.remove(&(account.to_owned(), event))?;
        (now - kept.at <= WAIT_MS).then_some(kept.secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_given_out_once_and_to_nobody_else() {
        let waiting = Waiting::default();
        waiting.keep("adam", 7, Secret::draw("acta_api_").unwrap());
        assert!(waiting.take("eva", 7).is_none() && waiting.take("adam", 8).is_none());
        assert!(waiting.take("adam", 7).unwrap().reveal().starts_with("acta_api_"));
        assert!(waiting.take("adam", 7).is_none());
    }

    #[test]
    fn a_change_as_json_has_no_field_too_many() {
        let read = |json: &str| serde_json::from_str::<Change>(json);
        assert!(read(r#"{"change":"disable","account":"eva"}"#).is_ok());
        for wrong in [
            r#"{"change":"disable","account":"eva","role":"admin"}"#,
            r#"{"change":"promote","account":"eva"}"#,
            r#"{"change":"set_role","account":"eva","role":"king"}"#,
            r#"{"change":"revoke_token","id":"zz"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
