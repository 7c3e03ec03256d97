//! Accounts.

use sqlx::{SqlitePool, query, query_as};

/// An account.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// Its role's code.
    pub role: String,
    /// The password's hash.
    pub password_hash: String,
}

/// Adds an account; `false` if the name is taken.
pub async fn insert(pool: &SqlitePool, account: &Account, now: i64) -> sqlx::Result<bool> {
    let done = query!(
        "insert into account (name, role, password_hash, created_at) values (?, ?, ?, ?) on conflict do nothing",
        account.name,
        account.role,
        account.password_hash,
        now
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The account of a name.
pub async fn find(pool: &SqlitePool, name: &str) -> sqlx::Result<Option<Account>> {
    query_as!(Account, "select name, role, password_hash from account where name = ?", name)
        .fetch_optional(pool)
        .await
}

/// All accounts by name: name and role.
pub async fn list(pool: &SqlitePool) -> sqlx::Result<Vec<Account>> {
    query_as!(Account, "select name, role, password_hash from account order by name").fetch_all(pool).await
}
