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
            .busy_timeout(Duration::from_secs(10))
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
            .connect_with(options.clone().create_if_missing(false).read_only(true))
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

async fn check_version(pool: &SqlitePool) -> anyhow::Result<()> {
    let version: String = sqlx::query_scalar("select sqlite_version()").fetch_one(pool).await?;
    let parts = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    ensure!(
        parts(&version) >= parts(OLDEST_SQLITE),
        "SQLite {version} is linked; at least {OLDEST_SQLITE} is needed, older ones can damage a WAL database"
    );
    Ok(())
}

/// The connection type that stores work with inside a transaction.
pub type Connection = SqliteConnection;
