//! Runs and phase trees as JSON.

use acta_app::{
    pages::runs::address,
    view::{Place, RunRow},
};
use acta_ledger::{
    evidence::phase_tree::chrome_trace,
    judge::{advice::Advice, filter::FilterError},
    log::digest::Sha256Digest,
};
use axum::{
    Json,
    extract::{Path, State},
    http::{Uri, header},
    response::{IntoResponse as _, Response},
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    advice,
    auth::extract::{Allowed, ReadEvidence},
    error::{Answer, Problem},
    phase_tree,
    portal::runs::{self, PAGE_SIZE},
    startup::AppState,
    statement,
    store::run::{self, ArtifactRow},
};

/// The largest phase tree that is read whole.
pub const MAX_TREE_BYTES: u64 = 256 << 20;

/// A file of a run's inventory.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactItem {
    /// The file's name as the agent saw it.
    name: String,
    /// `plan`, `partial_plan`, `bundle`, `timing_cache` or `other`.
    kind: String,
    /// Its length.
    bytes: u64,
    /// Its digest, where it was read.
    digest: Option<String>,
    /// `kept`, `removed` or `quarantined`.
    disposition: String,
}

/// A run in a list, by the names of the build summary.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunItem {
    /// Its id.
    id: String,
    /// Its number in the order of the log.
    number: u64,
    /// The entry of its summary.
    entry: u64,
    /// The agent that signed it.
    agent: String,
    /// The network's file name.
    network: String,
    /// The route.
    route: Option<String>,
    /// Which attempt.
    attempt: u32,
    /// What built.
    builder: String,
    /// How it ended.
    outcome: String,
    /// The whole attempt, in milliseconds.
    total_ms: f64,
    /// The build call, in milliseconds.
    build_ms: Option<f64>,
    /// The longest stretch without a callback, in milliseconds.
    longest_silence_ms: Option<f64>,
    /// From the cancel's request to its acknowledgement, in milliseconds, where measured.
    request_to_ack_ms: Option<f64>,
    /// Where the cancel was never acknowledged: its latency is longer than this.
    censored_after_ms: Option<f64>,
    /// How cleaning up ended.
    cleanup_status: String,
    /// Whether the engine was validated.
    validation_status: String,
    /// What became of the timing cache.
    timing_cache_mode: String,
    /// The GPU.
    gpu_sku: String,
    /// The library's version.
    tensorrt_version: String,
    /// When it began, by the agent's clock.
    started_at: String,
    /// How many phases its tree has.
    phases: u64,
    /// The blob of its phase tree.
    phase_tree: Option<String>,
    /// Its inventory.
    artifacts: Vec<ArtifactItem>,
}

/// A page of runs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    /// All runs.
    total: u64,
    /// Those that the filter lets through.
    matching: u64,
    /// Whether more than `matching` do: where times are bounded, counting ends at 10,000.
    more_matching: bool,
    /// The filter as it was understood.
    q: String,
    /// The order.
    sort: String,
    /// Runs a page.
    page_size: u32,
    /// The number of the run before which the page before ends (`before`); none on the first.
    before: Option<u64>,
    /// The number of the run behind which the next page begins (`after`); none on the last.
    after: Option<u64>,
    /// The runs.
    runs: Vec<RunItem>,
}

/// One run.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// What a list says of it.
    run: RunItem,
    /// The build summary as it was signed (`urn:acta:build-summary:v1`).
    summary: Value,
}

/// Lists runs, 50 a page. `q` is a filter as text, like `gpu:H200 cache:cold outcome:cancelled age<7d state:hold`; its
/// fields can be asked for one by one as well (`outcome=failed`, of names the whole one). `sort` is `started`, `duration`,
/// `silence` or `latency`, with a hyphen before it for the largest first; `after` and `before` are runs' numbers.
#[utoipa::path(get, path = "/api/v1/runs",
    params(("q" = Option<String>, Query, description = "a filter as text"), ("sort" = Option<String>, Query, description = "an order, `-started` without it"),
        ("after" = Option<u64>, Query, description = "the run behind which the page begins"), ("before" = Option<u64>, Query, description = "the run before which it ends")),
    responses((status = 200, body = Runs), (status = 400, body = Problem), (status = 401, body = Problem)))]
pub async fn list(_: Allowed<ReadEvidence>, State(state): State<AppState>, uri: Uri) -> Answer<Json<Runs>> {
    let asked = address::parse(uri.query().unwrap_or_default()).map_err(bad_filter)?;
    let page = runs::page(&state, asked).await?;
    let number = |place| match place {
        Some(Place::After(number) | Place::Before(number)) => Some(number),
        None => None,
    };
    Ok(Json(Runs {
        total: page.total,
        matching: page.matching,
        more_matching: page.more,
        q: page.query.filter.to_string(),
        sort: page.query.order.to_string(),
        page_size: PAGE_SIZE,
        before: number(page.previous),
        after: number(page.next),
        runs: items(&state, page.rows).await?,
    }))
}

/// A filter that cannot be understood, as an answer.
pub fn bad_filter(error: FilterError) -> Problem {
    Problem::bad_request("bad_filter", "the filter cannot be understood")
        .field(error.field)
        .found(error.found)
        .expected(error.expected)
}

async fn items(state: &AppState, rows: Vec<RunRow>) -> Answer<Vec<RunItem>> {
    let ids: Vec<&str> = rows.iter().map(|row| &row.id[..]).collect();
    let mut artifacts = run::artifacts(&state.database.read, &ids).await?;
    let mut trees = run::trees(&state.database.read, &ids).await?;
    let item = |row: RunRow| {
        let (phase_tree, phases) = trees.remove(&row.id).unwrap_or_default();
        item(artifacts.remove(&row.id).unwrap_or_default(), phase_tree, phases, row)
    };
    Ok(rows.into_iter().map(item).collect())
}

fn item(artifacts: Vec<ArtifactRow>, phase_tree: Option<Sha256Digest>, phases: u64, row: RunRow) -> RunItem {
    let artifacts = artifacts.into_iter().map(|artifact| ArtifactItem {
        name: artifact.name,
        kind: artifact.kind,
        bytes: artifact.bytes,
        digest: artifact.digest.map(|digest| digest.to_string()),
        disposition: artifact.disposition,
    });
    RunItem {
        artifacts: artifacts.collect(),
        id: row.id,
        number: row.number,
        entry: row.entry,
        agent: row.agent,
        network: row.network,
        route: row.route,
        attempt: row.attempt,
        builder: row.builder,
        outcome: row.outcome,
        total_ms: row.total_ms,
        build_ms: row.build_ms,
        longest_silence_ms: row.silence_ms,
        request_to_ack_ms: row.cancel_latency_ms,
        censored_after_ms: row.cancel_censored_ms,
        cleanup_status: row.cleanup,
        validation_status: row.validation,
        timing_cache_mode: row.cache_mode,
        gpu_sku: row.gpu_sku,
        tensorrt_version: row.tensorrt_version,
        started_at: row.started_at.to_string(),
        phases,
        phase_tree: phase_tree.map(|digest| digest.to_string()),
    }
}

/// The run of an id or a number.
pub(super) async fn find(state: &AppState, id: &str) -> Answer<RunRow> {
    let row = run::find(&state.database.read, id).await?;
    row.ok_or_else(|| Problem::not_found("no such run").field("run").found(id))
}

/// Reads one run, by id or number, with the summary out of its entry.
#[utoipa::path(get, path = "/api/v1/runs/{run}", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, body = Run), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Json<Run>> {
    let row = find(&state, &id).await?;
    let (_, statement) = statement::parse(&statement::stored(&state, row.entry).await?)?;
    let run = items(&state, vec![row]).await?.pop().ok_or_else(|| Problem::internal("a run is gone"))?;
    Ok(Json(Run { run, summary: statement.predicate }))
}

/// Reads a run's phase tree.
#[utoipa::path(get, path = "/api/v1/runs/{run}/phase-tree", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, content_type = "application/vnd.acta.phase-tree+json"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn tree(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Response> {
    let row = find(&state, &id).await?;
    let mut trees = run::trees(&state.database.read, &[&row.id[..]]).await?;
    let digest = trees.remove(&row.id).and_then(|(digest, _)| digest);
    let digest =
        digest.ok_or_else(|| Problem::not_found("the run has no phase tree").field("run").found(&id))?;
    let tree = state.blobs.read_verified(&digest, MAX_TREE_BYTES).await?;
    let tree = tree.ok_or_else(|| Problem::not_found(format!("the blob {digest} is missing or damaged")))?;
    let headers = [(header::CONTENT_TYPE, acta_ledger::evidence::phase_tree::PHASE_TREE_MEDIA_TYPE)];
    Ok((headers, tree).into_response())
}

/// Reads a run's phase tree as a Chrome trace, which Perfetto opens: phases on tracks, the steps of a cancel, memory.
#[utoipa::path(get, path = "/api/v1/runs/{run}/trace.json", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, content_type = "application/json"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn chrome_trace(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Response> {
    let row = find(&state, &id).await?;
    let read = advice::summary_of(&state, row.entry).await?;
    let named = read.0.phase_tree.as_ref();
    let named =
        named.ok_or_else(|| Problem::not_found("the run has no phase tree").field("run").found(&id))?;
    let tree = phase_tree::read(&state, &named.digest, MAX_TREE_BYTES).await?;
    let title = format!("run {} {}", row.number, row.network);
    // A long tree takes a while to write, and other requests do not wait for it.
    let trace = tokio::task::spawn_blocking(move || {
        chrome_trace::chrome_trace(&title, &tree, read.0.cancel.as_ref())
    });
    let trace = trace.await.map_err(Problem::internal)?;
    let name = format!("attachment; filename=\"acta-run-{}.trace.json\"", row.number);
    let headers = [
        (header::CONTENT_TYPE, chrome_trace::CHROME_TRACE_MEDIA_TYPE),
        (header::CONTENT_DISPOSITION, name.as_str()),
    ];
    Ok((headers, trace).into_response())
}

/// Answers the four questions about a run (continue, cancel, retry with the cache, go back), by the runs in the log.
#[utoipa::path(get, path = "/api/v1/runs/{run}/advice", params(("run" = String, Path, description = "an id or a number")),
    responses((status = 200, body = Value, description = "`verdict`, `answers` with codes and entries, `diagnosis`"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn advice(
    _: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(id): Path<String>,
) -> Answer<Json<Advice>> {
    let row = find(&state, &id).await?;
    advice::of(&state, &row).await.map(Json)
}
