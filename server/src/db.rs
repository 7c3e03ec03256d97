//! Opening the database: one connection writes, a pool reads, and reads never wait for writes (WAL).

use std::{path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use sqlx::{
    ConnectOptions as _, SqliteConnection, SqlitePool,
    migrate::Migrator,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

/// The migrations, compiled in.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// WAL databases can be damaged by older versions when two connections write and checkpoint together.
const OLDEST_SQLITE: &str = "3.51.3";

/// What a reading connection keeps of the file, as SQLite is told: 16 MB, where it would keep 2. Eight of them are 128 MB.
const CACHE: &str = "-16384";

/// How long a connection waits for another one's lock.
const BUSY: Duration = Duration::from_secs(10);

/// Both ways to the database.
#[derive(Clone)]
pub struct Database {
    /// One connection, used by the log's writer and by small changes of operational state.
    pub write: SqlitePool,
    /// Only reads.
    pub read: SqlitePool,
    options: SqliteConnectOptions,
}

impl Database {
    /// Opens the file (makes it if it is missing) and brings its schema up to date.
    pub async fn open(path: &Path) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A signed tree head must never outlive its entries, so a commit is on disk when it returns.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY)
            .pragma("mmap_size", "0")
            .statement_cache_capacity(256);
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options.clone())
            .await
            .with_context(|| format!("cannot open the database {}", path.display()))?;
        check_version(&write).await?;
        MIGRATIONS.run(&write).await.context("cannot bring the database's schema up to date")?;
        let read = SqlitePoolOptions::new()
            .max_connections(8)
            // Asking a file whether it is still there before each question would double the way to it.
            .test_before_acquire(false)
            .connect_with(
                options.clone().create_if_missing(false).read_only(true).pragma("cache_size", CACHE),
            )
            .await
            .with_context(|| format!("cannot open the database {} for reading", path.display()))?;
        Ok(Self { write, read, options })
    }

    /// Opens a connection of its own: the log's writer must be able to throw its connection away and read the file anew.
    pub async fn connect(&self) -> sqlx::Result<Connection> {
        self.options.connect().await
    }

    /// Closes every connection, so that the write-ahead log is folded into the file.
    pub async fn close(&self) {
        self.read.close().await;
        self.write.close().await;
    }
}

/// Opens a database to read it, beside a server or without one, and changes nothing.
pub async fn open_to_read(path: &Path) -> anyhow::Result<SqlitePool> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(BUSY);
    SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(options)
        .await
        .with_context(|| format!("cannot open the database {} for reading", path.display()))
}

/// Writes the database as it is at one moment into a new file, while others go on writing.
pub async fn copy_into(pool: &SqlitePool, path: &Path) -> anyhow::Result<()> {
    let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
    sqlx::query("vacuum into ?")
        .bind(text)
        .execute(pool)
        .await
        .with_context(|| format!("cannot copy the database into {}", path.display()))?;
    Ok(())
}

/// The version of SQLite that is linked, which must not be one that damages databases.
pub async fn check_version(pool: &SqlitePool) -> anyhow::Result<String> {
    let version: String = sqlx::query_scalar("select sqlite_version()").fetch_one(pool).await?;
    let parts = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    ensure!(
        parts(&version) >= parts(OLDEST_SQLITE),
        "SQLite {version} is linked; at least {OLDEST_SQLITE} is needed, older ones can damage a WAL database"
    );
    Ok(version)
}

/// Splits rows into groups that one statement each writes: powers of two, so that few statements stay prepared, and at most
/// 64, so that each stays small.
pub fn groups<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = 1 << rows.len().checked_ilog2()?.min(6);
        let (group, rest) = rows.split_at(size);
        rows = rest;
        Some(group)
    })
}

/// The connection type that stores work with inside a transaction.
pub type Connection = SqliteConnection;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_every_row_once_in_order() {
        for count in [0, 1, 2, 3, 63, 64, 65, 127, 128, 511] {
            let rows: Vec<usize> = (0..count).collect();
            let sizes: Vec<usize> = groups(&rows).map(<[_]>::len).collect();
            assert!(sizes.iter().all(|size| size.is_power_of_two() && *size <= 64), "{sizes:?}");
            assert_eq!(groups(&rows).flatten().copied().collect::<Vec<_>>(), rows);
        }
        assert_eq!(groups(&[0; 50]).map(<[_]>::len).collect::<Vec<_>>(), [32, 16, 2]);
    }
}
