//! Projections: what the log says, laid out for questions.
//!
//! One function applies one entry; the log's writer calls it inside the entry's own transaction, `rebuild` calls it for
//! every entry again. Nothing else writes these tables, so both ways give the same rows.

mod acceptance;
mod cache;
mod cancel;
mod mention;
pub mod rebuild;
mod route;
mod run;
pub mod upgrade;

use acta_ledger::{
    evidence::{
        acceptance::AcceptanceRecord,
        agent_key::{AgentKey, AgentKeyAction},
        build::BuildSummary,
        chain::ChainLink,
        import::ImportRecord,
        log_key::LogKey,
    },
    judge::keyring::{KeyRefusal, KeyringError, Purpose},
    log::statement::{Predicate as _, Statement},
};
use sqlx::query;

use crate::db::Connection;

/// An entry that was just appended.
pub struct Logged<'a> {
    /// Its index.
    pub index: u64,
    /// An agent's name, or `portal`.
    pub signer: &'a str,
    /// What it says.
    pub statement: &'a Statement,
}

/// What an entry contradicts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// The run has a summary.
    #[error("run {id} has a summary already, entry {entry}")]
    RunExists {
        /// The run.
        id: String,
        /// The entry of its summary.
        entry: u64,
    },
    /// The run of the acceptance test is on record.
    #[error("run {id} of the acceptance test is on record already, entry {entry}")]
    AcceptanceExists {
        /// The run of the test.
        id: String,
        /// The entry that holds it.
        entry: u64,
    },
    /// The agent's name is taken.
    #[error("the agent name {name:?} is taken: its key was introduced by entry {entry}")]
    AgentExists {
        /// The name.
        name: String,
        /// The entry that took it.
        entry: u64,
    },
    /// The key is enrolled.
    #[error("the key is or was agent {name:?}'s: a key never comes back")]
    KeyExists {
        /// Whose it is.
        name: String,
    },
    /// The key that signed may not sign any more.
    #[error(transparent)]
    KeyEnded(#[from] KeyRefusal),
    /// What is said about a key does not fit what was said before.
    #[error("{0}")]
    Key(String),
    /// The predicate does not have its type's shape (an entry that intake would not have let in).
    #[error("{0}")]
    Unreadable(String),
}

impl From<KeyringError> for Conflict {
    fn from(error: KeyringError) -> Self {
        match error {
            KeyringError::HasKey { agent, entry } => Self::AgentExists { name: agent, entry },
            KeyringError::Taken { purpose: Purpose::Agent(name), .. } => Self::KeyExists { name },
            other => Self::Key(other.to_string()),
        }
    }
}

/// The tables, in an order in which they can be emptied.
pub const TABLES: [&str; 12] = [
    "cancel",
    "cache_decision",
    "artifact",
    "route_event",
    "acceptance_run",
    "acceptance",
    "run",
    "subject",
    "mention",
    "entry_meta",
    "key_event",
    "agent",
];

/// Applies one entry.
pub async fn apply(connection: &mut Connection, logged: &Logged<'_>) -> sqlx::Result<Result<(), Conflict>> {
    let unreadable =
        |error: acta_ledger::log::statement::StatementError| Conflict::Unreadable(error.to_string());
    let chain = match logged.statement.predicate_type.as_str() {
        AgentKey::TYPE => match logged.statement.predicate::<AgentKey>().map_err(unreadable) {
            Ok(key) => {
                apply_agent_key(connection, logged, &key).await?;
                None
            }
            Err(conflict) => return Ok(Err(conflict)),
        },
        LogKey::TYPE => {
            apply_key_event(connection, logged, None).await?;
            None
        }
        BuildSummary::TYPE => match logged.statement.predicate::<BuildSummary>().map_err(unreadable) {
            Ok(summary) => match run::apply(connection, logged, &summary).await? {
                Ok(()) => Some(summary.chain),
                Err(conflict) => return Ok(Err(conflict)),
            },
            Err(conflict) => return Ok(Err(conflict)),
        },
        AcceptanceRecord::TYPE => {
            match logged.statement.predicate::<AcceptanceRecord>().map_err(unreadable) {
                Ok(record) => match acceptance::apply(connection, logged, &record).await? {
                    Ok(()) => Some(record.chain),
                    Err(conflict) => return Ok(Err(conflict)),
                },
                Err(conflict) => return Ok(Err(conflict)),
            }
        }
        ImportRecord::TYPE => match logged.statement.predicate::<ImportRecord>().map_err(unreadable) {
            Ok(record) => Some(record.chain),
            Err(conflict) => return Ok(Err(conflict)),
        },
        _ => match route::apply(connection, logged).await? {
            Ok(chain) => chain,
            Err(conflict) => return Ok(Err(conflict)),
        },
    };
    apply_meta(connection, logged, chain).await?;
    mention::apply(connection, logged).await?;
    Ok(Ok(()))
}

async fn apply_meta(
    connection: &mut Connection,
    logged: &Logged<'_>,
    chain: Option<ChainLink>,
) -> sqlx::Result<()> {
    let (index, kind) = (logged.index as i64, &logged.statement.predicate_type);
    let sequence = chain.map(|link| link.sequence as i64);
    let previous = chain.and_then(|link| link.previous).map(|digest| digest.0.to_vec());
    query!(
        "insert into entry_meta (idx, predicate_type, signer, sequence, previous) values (?, ?, ?, ?, ?)",
        index,
        kind,
        logged.signer,
        sequence,
        previous
    )
    .execute(&mut *connection)
    .await?;
    for subject in &logged.statement.subject {
        if let Some(digest) = subject.sha256() {
            let digest = &digest.0[..];
            query!(
                "insert into subject (digest, idx, name) values (?, ?, ?) on conflict do nothing",
                digest,
                index,
                subject.name
            )
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(())
}

/// Whether the statement fits what came before is the keyring's to judge, before it comes here.
async fn apply_agent_key(
    connection: &mut Connection,
    logged: &Logged<'_>,
    key: &AgentKey,
) -> sqlx::Result<()> {
    let (index, key_id) = (logged.index as i64, key.public_key.id());
    let (key_id, public_key) = (&key_id.0.0[..], &key.public_key.as_bytes()[..]);
    apply_key_event(connection, logged, Some(&key.agent)).await?;
    match key.action {
        AgentKeyAction::Enrolled => {
            query!(
                "insert into agent (name, key_id, public_key, enrolled_at, authorized_by, owner)
                 values (?, ?, ?, ?, ?, ?)
                 on conflict (name) do update set key_id = excluded.key_id, public_key = excluded.public_key,
                 enrolled_at = excluded.enrolled_at, authorized_by = excluded.authorized_by, owner = excluded.owner",
                key.agent,
                key_id,
                public_key,
                index,
                key.authorized_by,
                key.owner
            )
            .execute(connection)
            .await?;
        }
        AgentKeyAction::Rotated => {
            query!(
                "update agent set key_id = ?, public_key = ? where name = ?",
                key_id,
                public_key,
                key.agent
            )
            .execute(connection)
            .await?;
        }
        AgentKeyAction::Revoked => {}
    }
    Ok(())
}

async fn apply_key_event(
    connection: &mut Connection,
    logged: &Logged<'_>,
    agent: Option<&str>,
) -> sqlx::Result<()> {
    let index = logged.index as i64;
    query!("insert into key_event (idx, agent) values (?, ?)", index, agent).execute(connection).await?;
    Ok(())
}
