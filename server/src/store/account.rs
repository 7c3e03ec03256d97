//! Accounts, and what was done to them.

use sqlx::{SqlitePool, query, query_as, query_scalar};

use crate::db::Connection;

/// An account.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// Its role's code.
    pub role: String,
    /// The password's hash.
    pub password_hash: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// Since when it may not be used; none where it may.
    pub disabled_at: Option<i64>,
}

/// Adds an account; `false` if the name is taken.
pub async fn insert(connection: &mut Connection, account: &Account) -> sqlx::Result<bool> {
    let done = query!(
        "insert into account (name, role, password_hash, created_at) values (?, ?, ?, ?) on conflict do nothing",
        account.name,
        account.role,
        account.password_hash,
        account.created_at
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The account of a name, also where it may not be used.
pub async fn find(pool: &SqlitePool, name: &str) -> sqlx::Result<Option<Account>> {
    query_as!(
        Account,
        "select name, role, password_hash, created_at, disabled_at from account where name = ?",
        name
    )
    .fetch_optional(pool)
    .await
}

/// All accounts by name.
pub async fn list(pool: &SqlitePool) -> sqlx::Result<Vec<Account>> {
    query_as!(Account, "select name, role, password_hash, created_at, disabled_at from account order by name")
        .fetch_all(pool)
        .await
}

/// Whether there is an account of this name.
pub async fn exists(connection: &mut Connection, name: &str) -> sqlx::Result<bool> {
    let found =
        query_scalar!("select name from account where name = ?", name).fetch_optional(connection).await?;
    Ok(found.is_some())
}

/// Gives an account another role; the role that it had, or none where there is no such account.
pub async fn set_role(connection: &mut Connection, name: &str, role: &str) -> sqlx::Result<Option<String>> {
    let before = query_scalar!("select role from account where name = ?", name)
        .fetch_optional(&mut *connection)
        .await?;
    query!("update account set role = ? where name = ?", role, name).execute(connection).await?;
    Ok(before)
}

/// Says since when an account may not be used; `false` if there is no such account.
pub async fn set_disabled(
    connection: &mut Connection,
    name: &str,
    disabled_at: Option<i64>,
) -> sqlx::Result<bool> {
    let done = query!("update account set disabled_at = ? where name = ?", disabled_at, name)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The time zone that a person has chosen, by its name in the IANA database; none for UTC.
pub async fn zone(pool: &SqlitePool, name: &str) -> sqlx::Result<Option<String>> {
    let zone = query_scalar!("select zone from account where name = ?", name).fetch_optional(pool).await?;
    Ok(zone.flatten())
}

/// Keeps a person's time zone; none for UTC.
pub async fn set_zone(pool: &SqlitePool, name: &str, zone: Option<&str>) -> sqlx::Result<()> {
    query!("update account set zone = ? where name = ?", zone, name).execute(pool).await?;
    Ok(())
}

/// Something that was done to an account or a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountEvent {
    /// Its number, in order.
    pub id: i64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who: an account, or `command line`.
    pub by: String,
    /// What, as a code.
    pub change: String,
    /// The account or the agent that it was done to.
    pub subject: String,
    /// What was given or taken.
    pub detail: String,
}

/// Writes down what was done; its number.
pub async fn record(connection: &mut Connection, event: &AccountEvent) -> sqlx::Result<i64> {
    let done = query!(
        "insert into account_event (at, by, change, subject, detail) values (?, ?, ?, ?, ?)",
        event.at,
        event.by,
        event.change,
        event.subject,
        event.detail
    )
    .execute(connection)
    .await?;
    Ok(done.last_insert_rowid())
}

/// What was done, newest first.
pub async fn events(pool: &SqlitePool, limit: u32) -> sqlx::Result<Vec<AccountEvent>> {
    query_as!(
        AccountEvent,
        "select id, at, by, change, subject, detail from account_event order by id desc limit ?",
        limit
    )
    .fetch_all(pool)
    .await
}

/// What was done to one account or agent, newest first.
pub async fn events_of(pool: &SqlitePool, subject: &str, limit: u32) -> sqlx::Result<Vec<AccountEvent>> {
    query_as!(
        AccountEvent,
        "select id, at, by, change, subject, detail from account_event where subject = ? order by id desc limit ?",
        subject,
        limit
    )
    .fetch_all(pool)
    .await
}

/// One of the things that were done.
pub async fn event(pool: &SqlitePool, id: i64) -> sqlx::Result<Option<AccountEvent>> {
    query_as!(AccountEvent, "select id, at, by, change, subject, detail from account_event where id = ?", id)
        .fetch_optional(pool)
        .await
}
