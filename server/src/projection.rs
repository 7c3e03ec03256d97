//! Projections: what the log says, laid out for questions.
//!
//! One function applies one entry; the log's writer calls it inside the entry's own transaction, `rebuild` calls it for
//! every entry again. Nothing else writes these tables, so both ways give the same rows.

mod acceptance;
mod cache;
mod cancel;
pub mod compare;
mod mention;
mod meta;
pub mod rebuild;
mod rebuild_record;
mod route;
mod run;
pub mod upgrade;

use std::sync::Arc;

use acta_ledger::{
    evidence::{
        acceptance::AcceptanceRecord,
        agent_key::{AgentKey, AgentKeyAction},
        build::BuildSummary,
        chain::ChainLink,
        import::ImportRecord,
        log_key::LogKey,
        rebuild::RebuildRecord,
    },
    judge::keyring::{KeyRefusal, KeyringError, Purpose},
    log::statement::{Predicate as _, Statement, StatementError},
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
    /// The same of a build's summary, where somebody has read it before.
    pub summary: Option<&'a Arc<BuildSummary>>,
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
pub const TABLES: [&str; 14] = [
    "rebuild",
    "cancel",
    "cache_decision",
    "artifact",
    "route_event",
    "acceptance_run",
    "acceptance",
    "run",
    "run_kind",
    "subject",
    "mention",
    "entry_meta",
    "key_event",
    "agent",
];

/// Applies entries one after another. The rows of what comes by the hundred wait and are written together; whoever reads
/// projections in between [`finish`](Projector::finish)es first.
#[derive(Default)]
pub struct Projector {
    runs: run::Rows,
    meta: meta::Rows,
    mentions: mention::Rows,
}

impl Projector {
    /// Looks up at once what would otherwise be looked up for each of the statements.
    pub async fn expecting(connection: &mut Connection, statements: &[&Statement]) -> sqlx::Result<Self> {
        let runs = run::Rows::expecting(connection, statements).await?;
        Ok(Self { runs, ..Self::default() })
    }

    /// Applies one entry.
    pub async fn apply(
        &mut self,
        connection: &mut Connection,
        logged: &Logged<'_>,
    ) -> sqlx::Result<Result<(), Conflict>> {
        Ok(match self.apply_noun(connection, logged).await? {
            Ok(chain) => {
                self.meta.add(logged, chain);
                self.mentions.add(logged);
                Ok(())
            }
            Err(conflict) => Err(conflict),
        })
    }

    /// Writes the rows that wait.
    pub async fn finish(self, connection: &mut Connection) -> sqlx::Result<()> {
        self.runs.write(connection).await?;
        self.meta.write(connection).await?;
        self.mentions.write(connection).await
    }

    async fn apply_noun(
        &mut self,
        connection: &mut Connection,
        logged: &Logged<'_>,
    ) -> sqlx::Result<Result<Option<ChainLink>, Conflict>> {
        let unreadable = |error: StatementError| Conflict::Unreadable(error.to_string());
        let statement = logged.statement;
        Ok(match statement.predicate_type.as_str() {
            AgentKey::TYPE => match statement.predicate::<AgentKey>() {
                Ok(key) => {
                    apply_agent_key(connection, logged, &key).await?;
                    Ok(None)
                }
                Err(error) => Err(unreadable(error)),
            },
            LogKey::TYPE => {
                apply_key_event(connection, logged, None).await?;
                Ok(None)
            }
            BuildSummary::TYPE => {
                match logged.summary.cloned().map_or_else(|| statement.predicate().map(Arc::new), Ok) {
                    Ok(summary) => {
                        let chain = summary.chain;
                        self.runs.add(connection, logged, summary).await?.map(|()| Some(chain))
                    }
                    Err(error) => Err(unreadable(error)),
                }
            }
            AcceptanceRecord::TYPE => match statement.predicate::<AcceptanceRecord>() {
                Ok(record) => {
                    acceptance::apply(connection, logged, &record).await?.map(|()| Some(record.chain))
                }
                Err(error) => Err(unreadable(error)),
            },
            RebuildRecord::TYPE => match statement.predicate::<RebuildRecord>() {
                Ok(record) => {
                    rebuild_record::apply(connection, logged, &record).await?;
                    Ok(Some(record.chain))
                }
                Err(error) => Err(unreadable(error)),
            },
            ImportRecord::TYPE => {
                statement.predicate::<ImportRecord>().map(|record| Some(record.chain)).map_err(unreadable)
            }
            _ => route::apply(connection, logged).await?,
        })
    }
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
