//! Routes: which entries concern them.

use acta_ledger::log::digest::Sha256Digest;
use sqlx::{SqlitePool, query_scalar};

/// The names of all routes that any entry concerns.
pub async fn names(pool: &SqlitePool) -> sqlx::Result<Vec<String>> {
    // From each name to the next in the key: as many steps as there are routes, however many entries.
    query_scalar!(
        r#"with recursive name (route) as (
               select min(route) from route_event
               union all
               select (select min(route) from route_event where route > name.route) from name
               where name.route is not null)
           select route as "route!: String" from name where route is not null"#
    )
    .fetch_all(pool)
    .await
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
        "select distinct route_event.route from subject cross join route_event on route_event.idx = subject.idx
         where subject.digest = ? order by route_event.route",
        digest
    )
    .fetch_all(pool)
    .await
}
