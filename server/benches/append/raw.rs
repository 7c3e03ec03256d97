//! The raw group commit: the very rows that the log wrote, into the same tables, and nothing else.
//!
//! The rows are read back out of the log's own database, so that both sides write the same bytes by construction, whatever
//! is added to the schema: entry, what is known of it, and its projections. What the log writes once a batch (tree head,
//! frontier) and once in 256 entries (a tile) is left out.

use std::{path::Path, time::Instant};

use acta_server::db::{Connection, Database, groups, open_to_read};
use sqlx::{
    AssertSqlSafe, Connection as _, QueryBuilder, Row as _, Sqlite, SqlitePool, TypeInfo as _, ValueRef as _,
    query, query_scalar, sqlite::SqliteRow,
};
use tokio::sync::{mpsc, oneshot};

use crate::Round;

/// Entries that share a transaction at most, as in the log's writer.
const BATCH: usize = 256;

/// The tables that an entry has rows in, each with the column that says which entry.
const TABLES: [(&str, &str); 6] = [
    ("entry", "idx"),
    ("entry_meta", "idx"),
    ("subject", "idx"),
    ("mention", "idx"),
    ("run", "entry"),
    ("cache_decision", "entry"),
];

/// Tables that grow with the log and not with each entry.
const OF_THE_LOG: [&str; 2] = ["tile", "tree_head"];

/// A value as SQLite stores it.
enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

/// The rows of one entry in each of the tables.
type Rows = [Vec<Vec<Cell>>; TABLES.len()];

/// The rows of some entries.
pub struct Copy {
    /// `insert into TABLE (COLUMNS) ` for each of the tables.
    inserts: [String; TABLES.len()],
    entries: Vec<Rows>,
}

/// Reads what a log holds of the entries from `first` on.
pub fn copy(database: &Path, first: u64, count: usize) -> Copy {
    runtime().block_on(async {
        let pool = open_to_read(database).await.expect("the log's database");
        check_tables(&pool, count).await;
        let mut copy = Copy {
            inserts: Default::default(),
            entries: std::iter::repeat_with(Rows::default).take(count).collect(),
        };
        for (number, (table, column)) in TABLES.into_iter().enumerate() {
            let columns = columns(&pool, table).await;
            copy.inserts[number] = format!("insert into {table} ({columns}) ");
            let text = format!("select {column}, {columns} from {table} where {column} >= ?");
            let rows = query(AssertSqlSafe(text)).bind(first as i64).fetch_all(&pool).await.expect("rows");
            for row in rows {
                let entry = (row.get::<i64, _>(0) as u64 - first) as usize;
                copy.entries[entry][number].push((1..row.len()).map(|at| cell(&row, at)).collect());
            }
        }
        pool.close().await;
        copy
    })
}

/// The columns that are written; what the database makes itself out of others can only be read.
async fn columns(pool: &SqlitePool, table: &str) -> String {
    let names = "select name from pragma_table_xinfo(?) where hidden = 0 order by cid";
    let names: Vec<String> = query_scalar(names).bind(table).fetch_all(pool).await.expect("columns");
    names.join(", ")
}

/// A table that grows with every entry and is not copied would make the baseline too fast.
async fn check_tables(pool: &SqlitePool, count: usize) {
    let names = "select name from sqlite_master where type = 'table'";
    let names: Vec<String> = query_scalar(names).fetch_all(pool).await.expect("tables");
    for name in names.iter().filter(|name| !OF_THE_LOG.contains(&&name[..])) {
        let rows = query_scalar(AssertSqlSafe(format!("select count(*) from {name}")));
        let rows: i64 = rows.fetch_one(pool).await.expect("a count");
        let is_copied = TABLES.iter().any(|(table, _)| table == name);
        assert_eq!(rows >= count as i64, is_copied, "the table {name} has {rows} rows for {count} entries");
    }
}

fn cell(row: &SqliteRow, at: usize) -> Cell {
    let kind = row.try_get_raw(at).expect("a value");
    match kind.type_info().name() {
        "NULL" => Cell::Null,
        "INTEGER" => Cell::Integer(row.get(at)),
        "REAL" => Cell::Real(row.get(at)),
        "TEXT" => Cell::Text(row.get(at)),
        "BLOB" => Cell::Blob(row.get(at)),
        other => panic!("a value of the kind {other}"),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

/// A round of closed-loop clients that write the rows into a database of their own.
pub fn round(path: &Path, clients: usize, copy: Copy) -> Round {
    runtime().block_on(run(path, clients, copy))
}

type Request = (Rows, oneshot::Sender<()>);

async fn run(path: &Path, clients: usize, copy: Copy) -> Round {
    let database = Database::open(path).await.expect("a database");
    let connection = database.connect().await.expect("a connection");
    let (sender, requests) = mpsc::channel::<Request>(1024);
    let writer = tokio::spawn(write(connection, copy.inserts, requests));
    let mut shares: Vec<Vec<Rows>> = (0..clients).map(|_| Vec::new()).collect();
    let count = copy.entries.len();
    copy.entries.into_iter().enumerate().for_each(|(number, rows)| shares[number % clients].push(rows));
    let begun = Instant::now();
    let tasks: Vec<_> = shares.into_iter().map(|share| tokio::spawn(client(sender.clone(), share))).collect();
    drop(sender);
    let mut waits = Vec::with_capacity(count);
    for task in tasks {
        waits.extend(task.await.expect("a client ends"));
    }
    let rate = count as f64 / begun.elapsed().as_secs_f64();
    writer.await.expect("the writer ends");
    database.close().await;
    Round { rate, waits }
}

async fn client(sender: mpsc::Sender<Request>, share: Vec<Rows>) -> Vec<f64> {
    let mut waits = Vec::with_capacity(share.len());
    for rows in share {
        let begun = Instant::now();
        let (reply, answer) = oneshot::channel();
        assert!(sender.send((rows, reply)).await.is_ok());
        answer.await.expect("committed");
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    waits
}

async fn write(
    mut connection: Connection,
    inserts: [String; TABLES.len()],
    mut requests: mpsc::Receiver<Request>,
) {
    while let Some(first) = requests.recv().await {
        let mut batch = vec![first];
        while batch.len() < BATCH
            && let Ok(request) = requests.try_recv()
        {
            batch.push(request);
        }
        let (entries, replies): (Vec<Rows>, Vec<_>) = batch.into_iter().unzip();
        commit(&mut connection, &inserts, &entries).await.expect("a commit");
        for reply in replies {
            let _ = reply.send(());
        }
    }
    connection.close().await.expect("closed");
}

async fn commit(connection: &mut Connection, inserts: &[String], entries: &[Rows]) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("begin immediate").await?;
    for (number, insert) in inserts.iter().enumerate() {
        let rows: Vec<&Vec<Cell>> = entries.iter().flat_map(|entry| &entry[number]).collect();
        for group in groups(&rows) {
            let mut statement = QueryBuilder::<Sqlite>::new(&insert[..]);
            statement.push_values(group, |mut values, row| {
                for cell in *row {
                    match cell {
                        Cell::Null => values.push_bind(None::<i64>),
                        Cell::Integer(value) => values.push_bind(*value),
                        Cell::Real(value) => values.push_bind(*value),
                        Cell::Text(value) => values.push_bind(&value[..]),
                        Cell::Blob(value) => values.push_bind(&value[..]),
                    };
                }
            });
            statement.build().execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await
}
