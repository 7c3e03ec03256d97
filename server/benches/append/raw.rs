//! The raw group commit: the same rows into the same tables, and nothing else.

use std::{path::Path, time::Instant};

use acta_ledger::{
    evidence::{build::BuildSummary, code},
    log::{digest::Sha256Digest, merkle::leaf_hash},
};
use acta_server::db::{Connection, Database};
use sqlx::{Connection as _, QueryBuilder, Sqlite};
use tokio::sync::{mpsc, oneshot};

use crate::Round;

/// Rows that share a transaction at most, as in the log's writer.
const BATCH: usize = 256;

/// The row of an entry, worked out beforehand.
struct Row {
    digest: Sha256Digest,
    leaf: Sha256Digest,
    record: Vec<u8>,
    summary: BuildSummary,
}

/// A round of closed-loop clients.
pub fn round(path: &Path, clients: usize, envelopes: &[(Vec<u8>, BuildSummary)]) -> Round {
    let rows: Vec<Row> = envelopes
        .iter()
        .map(|(record, summary)| Row {
            digest: Sha256Digest::of(record),
            leaf: leaf_hash(record),
            record: record.clone(),
            summary: summary.clone(),
        })
        .collect();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(run(path, clients, rows))
}

async fn run(path: &Path, clients: usize, rows: Vec<Row>) -> Round {
    let database = Database::open(path).await.expect("a database");
    let connection = database.connect().await.expect("a connection");
    let (sender, requests) = mpsc::channel::<(Row, oneshot::Sender<()>)>(1024);
    let writer = tokio::spawn(write(connection, requests));
    let mut shares: Vec<Vec<Row>> = (0..clients).map(|_| Vec::new()).collect();
    let count = rows.len();
    rows.into_iter().enumerate().for_each(|(number, row)| shares[number % clients].push(row));
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

async fn client(sender: mpsc::Sender<(Row, oneshot::Sender<()>)>, share: Vec<Row>) -> Vec<f64> {
    let mut waits = Vec::with_capacity(share.len());
    for row in share {
        let begun = Instant::now();
        let (reply, answer) = oneshot::channel();
        assert!(sender.send((row, reply)).await.is_ok());
        answer.await.expect("committed");
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    waits
}

async fn write(mut connection: Connection, mut requests: mpsc::Receiver<(Row, oneshot::Sender<()>)>) {
    let mut next: i64 =
        sqlx::query_scalar("select count(*) from entry").fetch_one(&mut connection).await.expect("a count");
    while let Some(first) = requests.recv().await {
        let mut batch = vec![first];
        while batch.len() < BATCH
            && let Ok(request) = requests.try_recv()
        {
            batch.push(request);
        }
        let (rows, replies): (Vec<Row>, Vec<_>) = batch.into_iter().unzip();
        commit(&mut connection, next, &rows).await.expect("a commit");
        next += rows.len() as i64;
        for reply in replies {
            let _ = reply.send(());
        }
    }
    connection.close().await.expect("closed");
}

async fn commit(connection: &mut Connection, next: i64, rows: &[Row]) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with("begin immediate").await?;
    let numbered = || (next..).zip(rows);
    let mut entry =
        QueryBuilder::<Sqlite>::new("insert into entry (idx, digest, leaf_hash, record, logged_at) ");
    entry.push_values(numbered(), |mut values, (index, row)| {
        values.push_bind(index).push_bind(&row.digest.0[..]).push_bind(&row.leaf.0[..]);
        values.push_bind(&row.record[..]).push_bind(1_i64);
    });
    entry.build().execute(&mut *transaction).await?;
    let mut meta = QueryBuilder::<Sqlite>::new(
        "insert into entry_meta (idx, predicate_type, signer, sequence, previous) ",
    );
    meta.push_values(numbered(), |mut values, (index, row)| {
        values.push_bind(index).push_bind("urn:acta:build-summary:v1").push_bind("bench");
        values.push_bind(row.summary.chain.sequence as i64).push_bind(None::<Vec<u8>>);
    });
    meta.build().execute(&mut *transaction).await?;
    let mut subject = QueryBuilder::<Sqlite>::new("insert into subject (digest, idx, name) ");
    subject.push_values(numbered(), |mut values, (index, row)| {
        values.push_bind(&row.summary.network.digest.0[..]).push_bind(index);
        values.push_bind(&row.summary.network.source[..]);
    });
    subject.build().execute(&mut *transaction).await?;
    let mut run = QueryBuilder::<Sqlite>::new(
        "insert into run (id, number, entry, agent, network, network_digest, route, attempt, retry_of, builder,
            outcome, total_ms, build_ms, silence_ms, cancel_latency_ms, cancel_censored_ms, cleanup, validation,
            cache_mode, gpu_sku, tensorrt_version, build_config_hash, phase_tree, phases, started_at, needs_person) ",
    );
    run.push_values(numbered(), |mut values, (index, row)| {
        let said = &row.summary;
        values.push_bind(said.run.id.to_string()).push_bind(index).push_bind(index).push_bind("bench");
        values.push_bind(&said.network.source[..]).push_bind(&said.network.digest.0[..]);
        values.push_bind(said.run.route.as_deref()).push_bind(1_i64).push_bind(None::<String>);
        values
            .push_bind(code(&said.builder))
            .push_bind(code(&said.outcome))
            .push_bind(said.duration_ms.total);
        values.push_bind(said.duration_ms.build).push_bind(None::<f64>).push_bind(None::<f64>);
        values.push_bind(None::<f64>).push_bind(code(&said.cleanup_status));
        values.push_bind(code(&said.validation_status)).push_bind(code(&said.timing_cache_mode));
        values.push_bind(&said.gpu_sku[..]).push_bind(&said.tensorrt_version[..]);
        values.push_bind(&said.build_config_hash.0[..]).push_bind(None::<Vec<u8>>).push_bind(0_i64);
        values.push_bind(said.started_at.unix_ms()).push_bind(0_i64);
    });
    run.build().execute(&mut *transaction).await?;
    transaction.commit().await
}
