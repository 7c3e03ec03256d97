//! Model Connect's benchmark (`trtmc.benchmark-run/v1`): `result.json`, and for one of its cells `observations.jsonl`,
//! `telemetry.json` and `resolved-case.json`.
//!
//! The tool has no 99th percentile and does not notice a negative latency or an iteration that occurs twice: the
//! percentiles here are computed from the observations, and those are refused. What the tool printed must follow from
//! the observations beside it, else they do not belong together. A run that failed is imported as a failed run.

mod wire;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use acta_ledger::{evidence::number::Count64, judge::percentile::Samples};
use serde::Serialize;
use serde_json::Value;

use self::wire::{Cell, Printed, ResolvedCase, Run, Telemetry};
use super::{
    Parsed, SourceFile,
    environment::Environment,
    reading::{json, lines, measured, moment, schema, shown, typed, wrong},
    sample::{self, Latency, WarmUp, WarmUpState},
};
use crate::error::{CliError, Result};

const RUN: &str = "trtmc.benchmark-run/v1";
const CASE: &str = "trtmc.benchmark-case/v1";
const OBSERVATIONS: &str = "observations.jsonl";
const TELEMETRY: &str = "telemetry.json";
const RESOLVED: &str = "resolved-case.json";
/// Files of a case that are kept as they are and not read.
const KEPT: [&str; 2] = ["worker.log", "worker-result.json"];

/// How far a printed figure may be from the one that follows from the observations.
const ROUNDING: f64 = 1e-6;

/// The run in our form.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    run_id: String,
    status: String,
    started_at: String,
    finished_at: Option<String>,
    timing_scope: String,
    load_excluded: bool,
    bundle_status: Option<String>,
    worker_configuration: Option<String>,
    cell: Option<ReportCell>,
    other_cells: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportCell {
    name: String,
    model: String,
    operation: String,
    status: String,
    error: Option<String>,
    case_digest: Option<String>,
    load_ms: Option<f64>,
    pipeline_type: Option<String>,
    sample_count: Option<Count64>,
    /// What the tool printed; the document's `figures` are computed.
    printed_latency_ms: Option<Printed>,
    iterations: Option<Count64>,
    warm_up_iterations: Option<Count64>,
    request: Option<BTreeMap<String, Value>>,
}

/// The files of a run's folder: its result, and those of its only case that has any.
pub fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![folder.join("result.json")];
    let io = |error: &std::io::Error| CliError::io("read the folder", folder, error);
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| io(&error))? {
        let path = entry.map_err(|error| io(&error))?.path();
        if path.is_dir() {
            cases.push(path);
        }
    }
    cases.sort();
    if cases.len() > 1 {
        return Err(CliError::usage("the run has several cases")
            .field("FILE")
            .found(cases.iter().map(|case| case.display().to_string()).collect::<Vec<_>>().join(", "))
            .help("import each on its own: name result.json and that case's files"));
    }
    for case in cases {
        let known = [OBSERVATIONS, TELEMETRY, RESOLVED].into_iter().chain(KEPT);
        files.extend(known.map(|name| case.join(name)).filter(|path| path.is_file()));
    }
    Ok(files)
}

/// Reads the report.
pub fn parse(files: &[SourceFile]) -> Result<Parsed> {
    let mut results = Vec::new();
    let mut parts: BTreeMap<&str, &SourceFile> = BTreeMap::new();
    for file in files {
        let name =
            [OBSERVATIONS, TELEMETRY, RESOLVED].into_iter().chain(KEPT).find(|known| *known == file.name);
        match name {
            None => results.push(file),
            Some(name) => {
                if parts.insert(name, file).is_some() {
                    return Err(
                        wrong(file, "", "the report has this file twice").help("import one case at a time")
                    );
                }
            }
        }
    }
    let [result] = results.as_slice() else {
        return Err(CliError::usage("a benchmark needs its result.json")
            .field("FILE")
            .found(files.iter().map(|file| file.name.clone()).collect::<Vec<_>>().join(", "))
            .expected(format!("result.json, and of one case {OBSERVATIONS}, {TELEMETRY}, {RESOLVED}")));
    };
    let value = json(result)?;
    let dialect = schema(result, &value, &[RUN])?;
    let run: Run = typed(result, value, RUN)?;
    let cell = pick(result, &run, &parts)?;
    let case = parts.get(RESOLVED).map(|file| resolved(file, cell)).transpose()?;

    let mut parsed = Parsed::new(&dialect, &report(result, &run, cell, case.as_ref())?)?;
    parsed.reported_at = Some(moment(result, "started_at", &run.started_at)?);
    parsed.environment = environment(&run, &mut parsed);
    parsed.names_bundle = bundle(result, &run, parts.get(RESOLVED).copied(), case.as_ref())?;
    if let Some(file) = parts.get(TELEMETRY) {
        parsed.peak_memory_bytes = telemetry(file, &mut parsed)?;
    }
    let failed = run.status != "completed" || cell.is_some_and(|cell| cell.status != "completed");
    if failed {
        let said = cell.and_then(|cell| cell.error.as_deref()).unwrap_or("it gives no reason");
        parsed.note(
            "run_failed",
            format!("the tool says that the run is {}: {}", shown(&run.status), shown(said)),
        );
    }
    if let Some(pipeline) =
        cell.and_then(|cell| cell.pipeline_type.as_deref()).filter(|it| it.contains("simulated"))
    {
        parsed
            .note("simulated_pipeline", format!("the worker says that its pipeline is {}", shown(pipeline)));
    }
    if let Some(file) = parts.get(OBSERVATIONS) {
        let mut latency = observations(file)?;
        agree(file, cell, case.as_ref(), &latency)?;
        latency.warm_up = WarmUp {
            state: if run.measurement_policy.warmup_excluded {
                WarmUpState::Excluded
            } else {
                WarmUpState::Included
            },
            rule: "measurement_policy.warmup_excluded".to_owned(),
            requests: case.as_ref().map(|case| Count64(case.measurement.warmup)),
        };
        // The tool stops at the first request that fails, so that a run which completed had none.
        latency.errors = (!failed).then_some(Count64(0));
        parsed.latency = Some(latency);
    } else if !failed {
        return Err(wrong(result, "", "the run's raw samples are missing")
            .found(format!("no {OBSERVATIONS}"))
            .expected("the observations beside the result: what a tool printed is no measurement")
            .help("name the case's observations.jsonl too, or the run's folder"));
    }
    Ok(parsed)
}

/// The case that the files belong to, by its folder; the only one, where there is only one.
fn pick<'a>(
    result: &SourceFile,
    run: &'a Run,
    parts: &BTreeMap<&str, &SourceFile>,
) -> Result<Option<&'a Cell>> {
    let folder = parts.values().next().map(|file| file.folder.as_str());
    let by_folder = run.cells.iter().find(|cell| folder.is_some() && cell.artifact_dir.as_deref() == folder);
    match (by_folder, run.cells.as_slice()) {
        (Some(cell), _) | (None, [cell]) => Ok(Some(cell)),
        (None, []) => Ok(None),
        (None, cells) => Err(wrong(result, "cells", "the run has several cells")
            .found(cells.iter().filter_map(|cell| cell.artifact_dir.clone()).collect::<Vec<_>>().join(", "))
            .expected("the files of one of them, in a folder of that name")),
    }
}

fn resolved(file: &SourceFile, cell: Option<&Cell>) -> Result<ResolvedCase> {
    let value = json(file)?;
    schema(file, &value, &[CASE])?;
    let case: ResolvedCase = typed(file, value, CASE)?;
    let expected = cell.and_then(|cell| cell.case_digest.as_deref());
    if let (Some(found), Some(expected)) = (case.resolved_case_digest.as_deref(), expected)
        && found != expected
    {
        return Err(wrong(file, "resolved_case_digest", "the case is another than the result's")
            .found(shown(found))
            .expected(shown(expected)));
    }
    Ok(case)
}

fn report(file: &SourceFile, run: &Run, cell: Option<&Cell>, case: Option<&ResolvedCase>) -> Result<Report> {
    let cell = cell.map(|cell| -> Result<ReportCell> {
        Ok(ReportCell {
            name: cell.name.clone(),
            model: cell.model.clone(),
            operation: cell.operation.clone(),
            status: cell.status.clone(),
            error: cell.error.clone(),
            case_digest: cell.case_digest.clone(),
            load_ms: cell.load_ms.map(|load| measured(file, "load_ms", load)).transpose()?,
            pipeline_type: cell.pipeline_type.clone(),
            sample_count: cell.metrics.as_ref().map(|metrics| Count64(metrics.sample_count)),
            printed_latency_ms: cell.metrics.as_ref().map(|metrics| metrics.latency_ms),
            iterations: case.map(|case| Count64(case.measurement.iterations)),
            warm_up_iterations: case.map(|case| Count64(case.measurement.warmup)),
            request: case.map(|case| case.request.clone()),
        })
    });
    Ok(Report {
        run_id: run.run_id.clone(),
        status: run.status.clone(),
        started_at: run.started_at.clone(),
        finished_at: run.finished_at.clone(),
        timing_scope: run.measurement_policy.timing_scope.clone(),
        load_excluded: run.measurement_policy.load_excluded,
        bundle_status: run.preparation.bundles.first().map(|bundle| bundle.status.clone()),
        worker_configuration: run
            .environment
            .worker_build
            .as_ref()
            .and_then(|build| build.configuration.clone()),
        other_cells: run.cells.len() - usize::from(cell.is_some()),
        cell: cell.transpose()?,
    })
}

fn environment(run: &Run, parsed: &mut Parsed) -> Environment {
    let gpus = &run.environment.gpus;
    let mut names: Vec<&str> = gpus.iter().map(|gpu| gpu.name.as_str()).collect();
    names.dedup();
    if names.len() > 1 {
        parsed
            .note("several_gpus", format!("the machine has {}: which one ran is not said", names.join(", ")));
        return Environment::default();
    }
    let first = gpus.first();
    let revision = run.environment.worker_build.as_ref().and_then(|build| build.source_revision.clone());
    Environment {
        gpu: first.map(|gpu| gpu.name.clone()),
        gpu_uuid: first.filter(|_| gpus.len() == 1).and_then(|gpu| gpu.uuid.clone()),
        driver: first.and_then(|gpu| gpu.driver_version.clone()),
        model_connect: revision,
        ..Environment::default()
    }
}

/// The one bundle that the run names, in all places that name one.
fn bundle(
    result: &SourceFile,
    run: &Run,
    case_file: Option<&SourceFile>,
    case: Option<&ResolvedCase>,
) -> Result<Option<String>> {
    let prepared = run.preparation.bundles.iter().map(|it| (result, it.bundle.as_str()));
    let resolved = case_file.zip(case.and_then(|case| case.bundle_path.as_deref()));
    // The case knows its own bundle; a run may have prepared several.
    let mut named: Vec<(&SourceFile, &str)> = match (resolved, run.preparation.bundles.len()) {
        (Some(resolved), count) if count > 1 => vec![resolved],
        (resolved, _) => resolved.into_iter().chain(prepared).collect(),
    };
    named.dedup_by_key(|(_, path)| *path);
    match named.as_slice() {
        [] => Ok(None),
        [(_, path)] => Ok(Some((*path).to_owned())),
        [(_, first), (file, other), ..] => Err(wrong(file, "bundle", "the report names two bundles")
            .found(shown(other))
            .expected(shown(first))
            .help("import one case at a time, with its resolved-case.json")),
    }
}

/// Raw latencies, one an iteration, in order and without a gap.
pub fn observations(file: &SourceFile) -> Result<Latency> {
    let mut samples = Vec::new();
    let mut places = Vec::new();
    let mut metric = None;
    for (line, value) in lines(file)? {
        let at = |field: &str| format!("{field} on line {line}");
        let number = |field: &str| value.get(field).and_then(Value::as_f64);
        let iteration = value.get("iteration").and_then(Value::as_u64);
        let expected = samples.len() as u64;
        if iteration != Some(expected) {
            let found = value.get("iteration").map_or_else(|| "none".to_owned(), Value::to_string);
            return Err(wrong(file, &at("iteration"), "the iterations are not one after the other")
                .found(found)
                .expected(expected.to_string())
                .help("a sample is missing, twice there or out of order: measure again"));
        }
        let name =
            ["runtime_e2e_wall_ms", "measured_wall_ms"].into_iter().find(|name| value.get(name).is_some());
        let (Some(name), Some(sample)) = (name, name.and_then(number)) else {
            return Err(wrong(file, &at("runtime_e2e_wall_ms"), "the observation has no latency")
                .found(shown(&value.to_string()))
                .expected("a number"));
        };
        if metric.is_some_and(|metric| metric != name) {
            return Err(wrong(file, &at(name), "the observations measure two things")
                .found(name)
                .expected(metric.unwrap_or_default()));
        }
        metric = Some(name);
        samples.push(sample);
        places.push(line);
    }
    let metric = metric.unwrap_or("runtime_e2e_wall_ms").to_owned();
    let duration = samples.iter().sum();
    let latency = Latency {
        metric,
        samples_ms: samples,
        warm_up: WarmUp::unknown(),
        // One request after the other: the time between them is not part of it.
        duration_ms: Some(duration),
        errors: None,
        concurrency: Some(1),
    };
    sample::check(file, &latency, |index| format!("{} on line {}", latency.metric, places[index]))?;
    Ok(latency)
}

/// What the result says of the observations must follow from them.
fn agree(
    file: &SourceFile,
    cell: Option<&Cell>,
    case: Option<&ResolvedCase>,
    latency: &Latency,
) -> Result<()> {
    let count = latency.samples_ms.len() as u64;
    let metrics = cell.and_then(|cell| cell.metrics.as_ref());
    let counts = [
        ("metrics.sample_count", metrics.map(|metrics| metrics.sample_count)),
        ("measurement.iterations", case.map(|case| case.measurement.iterations)),
    ];
    for (field, expected) in counts {
        if let Some(expected) = expected.filter(|expected| *expected != count) {
            return Err(wrong(file, field, "observations are missing, or too many")
                .found(format!("{count} observations"))
                .expected(expected.to_string())
                .help("the file was cut short, or belongs to another run"));
        }
    }
    let Some(metrics) = metrics else { return Ok(()) };
    let Ok(samples) = Samples::new(&latency.samples_ms) else { return Ok(()) };
    let printed = metrics.latency_ms;
    let percentile = |per_mille| samples.percentile(per_mille).value();
    for (name, printed, computed) in [
        ("min", printed.min, Some(samples.min())),
        ("mean", printed.mean, Some(samples.mean())),
        ("p50", printed.p50, percentile(500)),
        ("p95", printed.p95, percentile(950)),
        ("max", printed.max, Some(samples.max())),
    ] {
        if let Some(computed) =
            computed.filter(|computed| (computed - printed).abs() > ROUNDING * computed.abs())
        {
            return Err(wrong(
                file,
                &format!("metrics.latency_ms.{name}"),
                "the result is not one of these observations",
            )
            .found(format!("{printed} printed"))
            .expected(format!("{computed}, which follows from the observations"))
            .help("name the observations that belong to this result.json"));
        }
    }
    Ok(())
}

/// Memory at its peak. A telemetry without samples is a missing one, not a zero.
fn telemetry(file: &SourceFile, parsed: &mut Parsed) -> Result<Option<u64>> {
    let telemetry: Telemetry = typed(file, json(file)?, "mode, sampler, error and samples")?;
    if let Some(error) = &telemetry.error {
        parsed.note("telemetry_failed", format!("the sampler says: {}", shown(error)));
    }
    let mut peak: Option<f64> = None;
    for (index, sample) in telemetry.samples.iter().enumerate() {
        if let Some(used) = sample.get("memory_used_mib").and_then(Value::as_f64) {
            let used = measured(file, &format!("samples[{index}].memory_used_mib"), used)?;
            peak = Some(peak.map_or(used, |peak| peak.max(used)));
        }
    }
    if peak.is_none() {
        let sampler = telemetry.sampler.as_deref().unwrap_or("no sampler");
        parsed.note(
            "telemetry_empty",
            format!("mode {}, {}: memory was not sampled", shown(&telemetry.mode), shown(sampler)),
        );
    }
    Ok(peak.map(|mib| (mib * f64::from(1 << 20)) as u64))
}

/// Memory at its peak in a telemetry on its own.
pub fn peak_memory(file: &SourceFile) -> Result<Option<u64>> {
    telemetry(file, &mut Parsed::new("", &())?)
}
