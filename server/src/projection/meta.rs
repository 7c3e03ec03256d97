//! What is known of every entry, whatever it says: type, signer, place in the signer's chain, subjects.

use acta_ledger::evidence::chain::ChainLink;
use sqlx::{QueryBuilder, Sqlite};

use super::Logged;
use crate::db::{Connection, groups};

/// Rows that wait to be written.
#[derive(Default)]
pub(super) struct Rows {
    entries: Vec<Entry>,
    subjects: Vec<Subject>,
}

struct Entry {
    index: i64,
    predicate_type: String,
    signer: String,
    chain: Option<ChainLink>,
}

struct Subject {
    digest: [u8; 32],
    index: i64,
    name: Option<String>,
}

impl Rows {
    pub(super) fn add(&mut self, logged: &Logged<'_>, chain: Option<ChainLink>) {
        let (index, statement) = (logged.index as i64, logged.statement);
        self.entries.push(Entry {
            index,
            predicate_type: statement.predicate_type.clone(),
            signer: logged.signer.to_owned(),
            chain,
        });
        self.subjects.extend(statement.subject.iter().filter_map(|subject| {
            Some(Subject { digest: subject.sha256()?.0, index, name: subject.name.clone() })
        }));
    }

    /// Many rows a statement: the query macros know no such statement.
    pub(super) async fn write(self, connection: &mut Connection) -> sqlx::Result<()> {
        for group in groups(&self.entries) {
            let mut insert = QueryBuilder::<Sqlite>::new(
                "insert into entry_meta (idx, predicate_type, signer, sequence, previous) ",
            );
            insert.push_values(group, |mut row, entry| {
                let previous = entry.chain.and_then(|link| link.previous).map(|digest| digest.0.to_vec());
                row.push_bind(entry.index).push_bind(&entry.predicate_type[..]).push_bind(&entry.signer[..]);
                row.push_bind(entry.chain.map(|link| link.sequence as i64)).push_bind(previous);
            });
            insert.build().execute(&mut *connection).await?;
        }
        for group in groups(&self.subjects) {
            let mut insert = QueryBuilder::<Sqlite>::new("insert into subject (digest, idx, name) ");
            insert.push_values(group, |mut row, subject| {
                row.push_bind(&subject.digest[..])
                    .push_bind(subject.index)
                    .push_bind(subject.name.as_deref());
            });
            insert.push(" on conflict do nothing");
            insert.build().execute(&mut *connection).await?;
        }
        Ok(())
    }
}
