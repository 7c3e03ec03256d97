//! How far log and projections are.

use sqlx::{SqlitePool, query};

/// How far the projections are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Entries of the log.
    pub logged: u64,
    /// Entries that the projections show.
    pub projected: u64,
}

impl Progress {
    /// Entries that are logged and not shown.
    pub fn lag(&self) -> u64 {
        self.logged.saturating_sub(self.projected)
    }
}

/// Reads how far log and projections are, in one view of the database.
pub async fn progress(read: &SqlitePool) -> sqlx::Result<Progress> {
    let row = query!(
        r#"select (select size from log_state where id = 1) as "logged!: i64",
        (select coalesce(max(idx) + 1, 0) from entry_meta) as "projected!: i64""#
    )
    .fetch_one(read)
    .await?;
    Ok(Progress { logged: row.logged as u64, projected: row.projected as u64 })
}
