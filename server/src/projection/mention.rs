//! Mentions: which digest stands in which entry's predicate, so that a blob is found by whatever refers to it.

use acta_ledger::log::mention::mentioned;
use sqlx::query;

use super::Logged;
use crate::db::Connection;

/// One statement for all of an entry's digests: the log's writer waits for it.
pub(super) async fn apply(connection: &mut Connection, logged: &Logged<'_>) -> sqlx::Result<()> {
    let digests: Vec<String> =
        mentioned(&logged.statement.predicate).iter().map(|digest| format!("\"{digest}\"")).collect();
    if digests.is_empty() {
        return Ok(());
    }
    let (index, digests) = (logged.index as i64, format!("[{}]", digests.join(",")));
    query!("insert into mention (digest, idx) select unhex(value), ? from json_each(?)", index, digests)
        .execute(connection)
        .await?;
    Ok(())
}
