//! Which entries speak about keys.

use sqlx::{SqliteExecutor, SqlitePool, query, query_scalar};

/// All of them with their bytes, in the log's order.
pub async fn records<'e>(executor: impl SqliteExecutor<'e>) -> sqlx::Result<Vec<(u64, Vec<u8>)>> {
    let rows = query!(
        "select entry.idx, entry.record from key_event join entry on entry.idx = key_event.idx order by key_event.idx"
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| (row.idx as u64, row.record)).collect())
}

/// Those about an agent's keys.
pub async fn of_agent(pool: &SqlitePool, agent: &str) -> sqlx::Result<Vec<u64>> {
    let indices = query_scalar!("select idx from key_event where agent = ? order by idx", agent)
        .fetch_all(pool)
        .await?;
    Ok(indices.into_iter().map(|index| index as u64).collect())
}

/// Those by which the log's own key was handed on.
pub async fn of_log(pool: &SqlitePool) -> sqlx::Result<Vec<u64>> {
    let indices =
        query_scalar!("select idx from key_event where agent is null order by idx").fetch_all(pool).await?;
    Ok(indices.into_iter().map(|index| index as u64).collect())
}
