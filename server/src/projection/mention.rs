//! Mentions: which digest stands in which entry's predicate, so that a blob is found by whatever refers to it.

use acta_ledger::log::{digest::Sha256Digest, mention::mentioned};
use sqlx::{QueryBuilder, Sqlite};

use super::Logged;
use crate::db::{Connection, groups};

/// Rows that wait to be written.
#[derive(Default)]
pub(super) struct Rows(Vec<(Sha256Digest, i64)>);

impl Rows {
    pub(super) fn add(&mut self, logged: &Logged<'_>) {
        let digests = mentioned(&logged.statement.predicate);
        self.0.extend(digests.into_iter().map(|digest| (digest, logged.index as i64)));
    }

    /// Many rows a statement: the query macros know no such statement.
    pub(super) async fn write(self, connection: &mut Connection) -> sqlx::Result<()> {
        for group in groups(&self.0) {
            let mut insert = QueryBuilder::<Sqlite>::new("insert into mention (digest, idx) ");
            insert.push_values(group, |mut row, (digest, index)| {
                row.push_bind(&digest.0[..]).push_bind(*index);
            });
            insert.build().execute(&mut *connection).await?;
        }
        Ok(())
    }
}
