//! Rebuilds: which entries say something of which run.

use sqlx::{SqlitePool, query, query_scalar};

/// A statement about a rebuild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebuildRow {
    /// Its entry.
    pub entry: u64,
    /// The run that was built again.
    pub run: String,
    /// The run in which it was.
    pub rebuilt: Option<String>,
}

/// How many statements there are about a run.
pub async fn count(pool: &SqlitePool, run: &str) -> sqlx::Result<u64> {
    let count = query_scalar!(r#"select count(*) as "count!: i64" from rebuild where run = ?"#, run);
    Ok(count.fetch_one(pool).await? as u64)
}

/// The newest statements about a run, in the order of the log.
pub async fn of_run(pool: &SqlitePool, run: &str, limit: u32) -> sqlx::Result<Vec<RebuildRow>> {
    let rows =
        query!("select idx, run, rebuilt from rebuild where run = ? order by idx desc limit ?", run, limit)
            .fetch_all(pool)
            .await?;
    let rows = rows.into_iter().rev();
    Ok(rows.map(|row| RebuildRow { entry: row.idx as u64, run: row.run, rebuilt: row.rebuilt }).collect())
}

/// The statements that a run was made for, in the order of the log.
pub async fn by_run(pool: &SqlitePool, rebuilt: &str, limit: u32) -> sqlx::Result<Vec<RebuildRow>> {
    let rows = query!(
        r#"select idx as "idx!", run, rebuilt from rebuild where rebuilt = ? order by idx limit ?"#,
        rebuilt,
        limit
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter();
    Ok(rows.map(|row| RebuildRow { entry: row.idx as u64, run: row.run, rebuilt: row.rebuilt }).collect())
}
