//! Whether two databases have the same projections.

use std::path::Path;

use sqlx::{AssertSqlSafe, ConnectOptions as _, query, query_scalar, sqlite::SqliteConnectOptions};

use super::TABLES;

/// The tables whose rows differ, each with how many.
pub async fn differing(one: &Path, other: &Path) -> sqlx::Result<Vec<String>> {
    let mut connection = SqliteConnectOptions::new().filename(one).connect().await?;
    let other = other.to_string_lossy();
    query("attach database ? as other").bind(&other[..]).execute(&mut connection).await?;
    let mut differing = Vec::new();
    for table in TABLES {
        // The names are this program's own constants.
        let sql = format!(
            "select (select count(*) from (select * from main.{table} except select * from other.{table}))
                  + (select count(*) from (select * from other.{table} except select * from main.{table}))"
        );
        let rows: i64 = query_scalar(AssertSqlSafe(sql)).fetch_one(&mut connection).await?;
        if rows > 0 {
            differing.push(format!("{rows} rows of {table} are not what the log says"));
        }
    }
    Ok(differing)
}
