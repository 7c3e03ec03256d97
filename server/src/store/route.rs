//! Routes: which entries concern them.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query_scalar};

/// The names of all routes that any entry concerns.
pub async fn names(pool: &SqlitePool) -> sqlx::Result<Vec<String>> {
    query_scalar!("select distinct route from route_event order by route").fetch_all(pool).await
}

/// The indices of the entries that concern a route, below `size`.
pub async fn entries(pool: &SqlitePool, route: &str, size: u64) -> sqlx::Result<Vec<u64>> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let indices =
        query_scalar!("select idx from route_event where route = ? and idx < ? order by idx", route, size)
            .fetch_all(pool)
            .await?;
    Ok(indices.into_iter().map(|index| index as u64).collect())
}

/// The routes of which an entry has this subject, by name.
pub async fn of_subject(pool: &SqlitePool, digest: &Sha256Digest) -> sqlx::Result<Vec<String>> {
    let digest = &digest.0[..];
    query_scalar!(
        "select distinct route_event.route from route_event join subject on subject.idx = route_event.idx
         where subject.digest = ? order by route_event.route",
        digest
    )
    .fetch_all(pool)
    .await
}
