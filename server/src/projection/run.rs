//! Runs: one row for each build summary, one for each artifact of it.

use std::{collections::HashMap, sync::Arc};

use acta_ledger::{
    evidence::{artifact::Artifact, build::BuildSummary, code},
    judge::{
        attention::need,
        filter::{RunKind, file_name},
    },
    log::statement::{Predicate as _, Statement},
};
use sqlx::{QueryBuilder, Sqlite, query, query_builder::Separated, query_scalar};

use super::{Conflict, Logged};
use crate::db::{Connection, groups};

/// Rows that wait to be written.
#[derive(Default)]
pub(super) struct Rows {
    /// Which runs were looked up, and the entry of those that have a summary.
    known: HashMap<String, Option<u64>>,
    /// The number of the last run.
    last: Option<i64>,
    runs: Vec<Run>,
    artifacts: Vec<ArtifactRow>,
}

/// A run and where it stands.
pub(super) struct Run {
    pub(super) id: String,
    pub(super) number: i64,
    pub(super) entry: i64,
    pub(super) agent: String,
    pub(super) summary: Arc<BuildSummary>,
    /// Its kind as the table of kinds has it.
    facts: String,
}

struct ArtifactRow {
    run: String,
    position: i64,
    artifact: Artifact,
}

impl Rows {
    /// Looks up the runs of all of the statements at once.
    pub(super) async fn expecting(
        connection: &mut Connection,
        statements: &[&Statement],
    ) -> sqlx::Result<Self> {
        let summaries = statements.iter().filter(|statement| statement.predicate_type == BuildSummary::TYPE);
        let ids: Vec<&str> = summaries.filter_map(|it| it.predicate["run"]["id"].as_str()).collect();
        let mut rows = Self::default();
        if ids.is_empty() {
            return Ok(rows);
        }
        rows.known = ids.iter().map(|id| ((*id).to_owned(), None)).collect();
        let wanted = serde_json::json!(ids).to_string();
        let known = query!("select id, entry from run where id in (select value from json_each(?))", wanted)
            .fetch_all(connection)
            .await?;
        rows.known.extend(known.into_iter().map(|row| (row.id, Some(row.entry as u64))));
        Ok(rows)
    }

    pub(super) async fn add(
        &mut self,
        connection: &mut Connection,
        logged: &Logged<'_>,
        summary: Arc<BuildSummary>,
    ) -> sqlx::Result<Result<(), Conflict>> {
        let id = summary.run.id.to_string();
        let known = match self.known.get(&id) {
            Some(known) => *known,
            None => query_scalar!("select entry from run where id = ?", id)
                .fetch_optional(&mut *connection)
                .await?
                .map(|entry| entry as u64),
        };
        if let Some(entry) = known {
            return Ok(Err(Conflict::RunExists { id, entry }));
        }
        let last = match self.last {
            Some(last) => last,
            None => {
                query_scalar!(r#"select coalesce(max(number), 0) as "last!: i64" from run"#)
                    .fetch_one(&mut *connection)
                    .await?
            }
        };
        let number = last + 1;
        self.last = Some(number);
        self.known.insert(id.clone(), Some(logged.index));
        self.artifacts.extend((0..).zip(&summary.artifacts).map(|(position, artifact)| ArtifactRow {
            run: id.clone(),
            position,
            artifact: artifact.clone(),
        }));
        let (entry, agent) = (logged.index as i64, logged.signer.to_owned());
        let facts = serde_json::to_string(&RunKind::of(&summary))
            .map_err(|error| sqlx::Error::Encode(error.into()))?;
        self.runs.push(Run { id, number, entry, agent, summary, facts });
        Ok(Ok(()))
    }

    /// Many rows a statement: the query macros know no such statement.
    pub(super) async fn write(self, connection: &mut Connection) -> sqlx::Result<()> {
        let kinds = write_kinds(connection, &self.runs).await?;
        for group in groups(&self.runs) {
            let mut insert = QueryBuilder::<Sqlite>::new(
                "insert into run (id, number, entry, agent, network, network_digest, route, attempt, retry_of, builder,
                    outcome, total_ms, build_ms, silence_ms, cancel_latency_ms, cancel_censored_ms, cleanup,
                    validation, cache_mode, gpu_sku, tensorrt_version, build_config_hash, phase_tree, phases,
                    started_at, needs_person, kind) ",
            );
            insert.push_values(group, |row, run| run.bind(row, kinds.get(&run.facts)));
            insert.build().execute(&mut *connection).await?;
        }
        for group in groups(&self.artifacts) {
            let mut insert = QueryBuilder::<Sqlite>::new(
                "insert into artifact (run, position, name, kind, bytes, digest, disposition) ",
            );
            insert.push_values(group, |mut row, ArtifactRow { run, position, artifact }| {
                row.push_bind(&run[..]).push_bind(*position).push_bind(&artifact.name[..]);
                row.push_bind(code(&artifact.kind)).push_bind(artifact.bytes as i64);
                row.push_bind(artifact.digest.map(|digest| digest.0.to_vec()));
                row.push_bind(code(&artifact.disposition));
            });
            insert.build().execute(&mut *connection).await?;
        }
        for run in &self.runs {
            if let Some(cancel) = &run.summary.cancel {
                super::cancel::apply(connection, run.number, &run.summary, cancel).await?;
            }
        }
        super::cache::write(connection, &self.runs).await
    }
}

impl Run {
    /// The values in the order of the columns.
    fn bind(&self, mut row: Separated<'_, Sqlite, &'static str>, kind: Option<&i64>) {
        let said = &self.summary;
        row.push_bind(&self.id[..]).push_bind(self.number).push_bind(self.entry).push_bind(&self.agent[..]);
        row.push_bind(file_name(&said.network.source)).push_bind(&said.network.digest.0[..]);
        row.push_bind(said.run.route.as_deref()).push_bind(i64::from(said.run.attempt));
        row.push_bind(said.run.retry_of.map(|id| id.to_string()));
        row.push_bind(code(&said.builder)).push_bind(code(&said.outcome));
        let durations = &said.duration_ms;
        let build = durations.build.map(|build| build + durations.serialize.unwrap_or(0.0));
        let (tree, cancel) = (said.phase_tree.as_ref(), said.cancel.as_ref());
        row.push_bind(durations.total).push_bind(build);
        row.push_bind(tree.map(|tree| tree.longest_silence_ms));
        row.push_bind(cancel.and_then(|cancel| cancel.request_to_ack_ms));
        row.push_bind(cancel.and_then(|cancel| cancel.censored_after_ms));
        row.push_bind(code(&said.cleanup_status)).push_bind(code(&said.validation_status));
        row.push_bind(code(&said.timing_cache_mode));
        row.push_bind(&said.gpu_sku[..]).push_bind(&said.tensorrt_version[..]);
        row.push_bind(&said.build_config_hash.0[..]);
        row.push_bind(tree.map(|tree| &tree.digest.0[..]));
        row.push_bind(tree.map_or(0, |tree| i64::from(tree.phases)));
        row.push_bind(said.started_at.unix_ms());
        row.push_bind(i64::from(need(said.outcome, said.cleanup_status).is_some()));
        row.push_bind(kind.copied());
    }
}

/// Counts the runs of each kind, and gives the kinds' ids. New kinds are numbered in the order of the log.
async fn write_kinds(connection: &mut Connection, runs: &[Run]) -> sqlx::Result<HashMap<String, i64>> {
    if runs.is_empty() {
        return Ok(HashMap::new());
    }
    let facts: Vec<&str> = runs.iter().map(|run| &run.facts[..]).collect();
    let facts = serde_json::json!(facts).to_string();
    query!(
        "insert into run_kind (facts, runs) select value, 1 from json_each(?) where true order by key
         on conflict (facts) do update set runs = runs + 1",
        facts
    )
    .execute(&mut *connection)
    .await?;
    let kinds =
        query!("select id, facts from run_kind where facts in (select value from json_each(?))", facts)
            .fetch_all(connection)
            .await?;
    Ok(kinds.into_iter().map(|kind| (kind.facts, kind.id)).collect())
}
