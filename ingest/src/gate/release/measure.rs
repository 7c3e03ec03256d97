//! Files with raw measurements, as `--latency`, `--concurrency`, `--throughput`, `--memory` and `--canary` take them.
//!
//! ```json
//! { "schema": "urn:acta:latency-samples:v1", "samplesMs": [18.0, 18.2], "warmUp": "excluded", "warmUpRequests": "5",
//!   "errors": "0", "durationMs": 900.0, "concurrency": 1, "peakMemoryBytes": "2147483648" }
//! { "schema": "urn:acta:throughput:v1", "requests": "50000", "durationMs": 60000.0, "concurrency": 16 }
//! { "schema": "urn:acta:memory:v1", "peakBytes": "2147483648" }
//! ```
//! Latencies may also be a bare array of numbers, `observations.jsonl` of Model Connect or `--exportTimes` of trtexec;
//! memory also `telemetry.json` of Model Connect.

use std::path::Path;

use acta_ledger::evidence::number::Count64;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    error::Result,
    gate::read_bounded,
    import::{
        self, Format, Options, SourceFile, bind,
        reading::{self, wrong},
        sample::{self, Latency, WarmUp, WarmUpState},
    },
};

/// The longest such file.
const MAX_BYTES: u64 = 64 << 20;

const LATENCY: &str = "urn:acta:latency-samples:v1";
const THROUGHPUT: &str = "urn:acta:throughput:v1";
const MEMORY: &str = "urn:acta:memory:v1";

/// Raw latencies and what was measured with them.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The latencies.
    pub latency: Latency,
    /// Memory at its peak, where it was measured.
    pub peak_memory_bytes: Option<u64>,
    /// Where they come from, for a person.
    pub source: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LatencyFile {
    schema: Option<String>,
    samples_ms: Vec<f64>,
    warm_up: Option<WarmUpState>,
    warm_up_requests: Option<Count64>,
    errors: Option<Count64>,
    duration_ms: Option<f64>,
    concurrency: Option<u32>,
    peak_memory_bytes: Option<Count64>,
}

/// Requests in a time.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ThroughputFile {
    requests: Count64,
    duration_ms: f64,
    concurrency: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MemoryFile {
    peak_bytes: Count64,
}

fn source(field: &str, path: &Path) -> Result<SourceFile> {
    let bytes = read_bounded(field, path, MAX_BYTES)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(SourceFile {
        path: path.to_owned(),
        name,
        folder: String::new(),
        modified: bind::modified(path)?,
        bytes,
    })
}

/// Reads raw latencies in any form that is known.
pub fn read_latency(field: &str, path: &Path, warm_up_ms: f64) -> Result<(Measured, Vec<u8>)> {
    let file = source(field, path)?;
    let measured = latency(&file, warm_up_ms)?;
    Ok((measured, file.bytes))
}

/// Reads a canary's samples, which must say how long it ran and how many requests failed; all may have.
pub fn read_canary(field: &str, path: &Path) -> Result<(Measured, Vec<u8>)> {
    let file = source(field, path)?;
    let value = reading::json(&file)?;
    let latency = latency_file(&file, value)?;
    if latency.latency.samples_ms.is_empty() && latency.latency.errors.unwrap_or_default().0 > 0 {
        return with_duration(file, latency);
    }
    check(&file, &latency.latency)?;
    with_duration(file, latency)
}

fn with_duration(file: SourceFile, measured: Measured) -> Result<(Measured, Vec<u8>)> {
    for (key, there) in [
        ("durationMs", measured.latency.duration_ms.is_some()),
        ("errors", measured.latency.errors.is_some()),
    ] {
        if !there {
            return Err(wrong(&file, key, "the canary's samples do not say it")
                .found("none")
                .expected("a number"));
        }
    }
    Ok((measured, file.bytes))
}

fn latency(file: &SourceFile, warm_up_ms: f64) -> Result<Measured> {
    if file.name.ends_with(".jsonl") {
        return observations(file);
    }
    let value = reading::json(file)?;
    let measured = match &value {
        Value::Array(items) if items.iter().all(Value::is_number) => Measured {
            latency: Latency {
                metric: "samples".to_owned(),
                samples_ms: items.iter().filter_map(Value::as_f64).collect(),
                warm_up: WarmUp::unknown(),
                duration_ms: None,
                errors: None,
                concurrency: None,
            },
            peak_memory_bytes: None,
            source: "an array of milliseconds".to_owned(),
        },
        Value::Array(_) => {
            let parsed =
                import::parse(Format::TrtexecTimes, std::slice::from_ref(file), Options { warm_up_ms })?;
            let latency = parsed.latency.ok_or_else(|| wrong(file, "", "there are no samples"))?;
            let source = format!("trtexec --exportTimes, keys {}", parsed.dialect);
            return Ok(Measured { latency, peak_memory_bytes: None, source });
        }
        _ => latency_file(file, value)?,
    };
    check(file, &measured.latency)?;
    Ok(measured)
}

fn check(file: &SourceFile, latency: &Latency) -> Result<()> {
    sample::check(file, latency, |index| format!("{}[{index}]", latency.metric)).map(drop)
}

/// Observations on their own; with their result.json beside them they are an import.
fn observations(file: &SourceFile) -> Result<Measured> {
    let latency = import::observations(file)?;
    Ok(Measured { latency, peak_memory_bytes: None, source: "observations of Model Connect".to_owned() })
}

fn latency_file(file: &SourceFile, value: Value) -> Result<Measured> {
    let content: LatencyFile = checked(file, value, LATENCY)?;
    if content.schema.as_deref().is_some_and(|found| found != LATENCY) {
        let found = content.schema.unwrap_or_default();
        return Err(wrong(file, "schema", "the file's schema is not known")
            .found(reading::shown(&found))
            .expected(LATENCY));
    }
    if let Some(duration) = content.duration_ms {
        reading::measured(file, "durationMs", duration)?;
    }
    let warm_up = match content.warm_up {
        None => WarmUp::unknown(),
        Some(state) => {
            WarmUp { state, rule: "the file says so".to_owned(), requests: content.warm_up_requests }
        }
    };
    Ok(Measured {
        latency: Latency {
            metric: "samplesMs".to_owned(),
            samples_ms: content.samples_ms,
            warm_up,
            duration_ms: content.duration_ms,
            errors: content.errors,
            concurrency: content.concurrency,
        },
        peak_memory_bytes: content.peak_memory_bytes.map(|bytes| bytes.0),
        source: "raw samples".to_owned(),
    })
}

/// A file of ours whose every key is known.
fn checked<T: DeserializeOwned>(file: &SourceFile, value: Value, schema: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|error| {
        wrong(file, "", "the file does not have its form").found(error.to_string()).expected(schema)
    })
}

/// Takes the schema out of a file of ours; it must be this one.
fn with_schema<T: DeserializeOwned>(file: &SourceFile, mut value: Value, schema: &str) -> Result<T> {
    let found = value.as_object_mut().and_then(|object| object.remove("schema"));
    match found {
        Some(Value::String(found)) if found == schema => checked(file, value, schema),
        found => Err(wrong(file, "schema", "the file's schema is not known")
            .found(found.map_or_else(|| "none".to_owned(), |found| reading::shown(&found.to_string())))
            .expected(schema)),
    }
}

/// Reads a throughput: requests a second, and how many ran at once.
pub fn read_throughput(field: &str, path: &Path) -> Result<(f64, Option<u32>, Vec<u8>)> {
    let file = source(field, path)?;
    let content: ThroughputFile = with_schema(&file, reading::json(&file)?, THROUGHPUT)?;
    let positive = |key: &str, value: f64| {
        if value.is_finite() && value > 0.0 {
            Ok(value)
        } else {
            Err(wrong(&file, key, "this is no measurement")
                .found(value.to_string())
                .expected("a number above 0"))
        }
    };
    let requests = positive("requests", content.requests.0 as f64)?;
    let duration = positive("durationMs", content.duration_ms)?;
    Ok((requests * 1000.0 / duration, content.concurrency, file.bytes))
}

/// Reads memory at its peak, in bytes.
pub fn read_memory(field: &str, path: &Path) -> Result<(u64, Vec<u8>)> {
    let file = source(field, path)?;
    let value = reading::json(&file)?;
    let peak = if value.get("schema").is_some() {
        let content: MemoryFile = with_schema(&file, value, MEMORY)?;
        Some(content.peak_bytes.0)
    } else if value.get("samples").is_some() {
        import::peak_memory(&file)?
    } else {
        return Err(wrong(&file, "schema", "the file's schema is not known")
            .found("none")
            .expected(format!("{MEMORY}, or telemetry.json of Model Connect")));
    };
    match peak.filter(|peak| *peak > 0) {
        Some(peak) => Ok((peak, file.bytes)),
        None => Err(wrong(&file, "", "memory was not sampled")
            .found("no samples, or zero: missing, not zero")
            .expected("at least one sample above zero")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn latencies_in_every_form() {
        let observation = |i: u32, ms: f64| format!("{{\"iteration\":{i},\"runtime_e2e_wall_ms\":{ms}}}\n");
        for (name, text, samples, state) in [
            ("a.json", "[2.5,1.5]".to_owned(), vec![2.5, 1.5], WarmUpState::Unknown),
            (
                "b.json",
                r#"{"samplesMs":[1,2],"warmUp":"excluded"}"#.to_owned(),
                vec![1.0, 2.0],
                WarmUpState::Excluded,
            ),
            ("c.jsonl", observation(0, 1.0) + &observation(1, 0.5), vec![1.0, 0.5], WarmUpState::Unknown),
        ] {
            let (_folder, path) = write(name, &text);
            let (measured, bytes) = read_latency("--latency", &path, 200.0).unwrap();
            assert_eq!(
                (measured.latency.samples_ms, measured.latency.warm_up.state),
                (samples, state),
                "{name}"
            );
            assert_eq!(bytes, text.as_bytes());
        }
    }

    #[test]
    fn what_is_no_measurement_is_refused_by_its_place() {
        for (name, text, words) in [
            ("a.json", "[]", "there are no samples"),
            ("a.json", "[1,-2]", "samples[1]"),
            ("a.json", "[1,NaN]", "NaN and Infinity"),
            ("a.json", "[0,0,0]", "all samples are zero"),
            ("a.json", "[1,\"2\"]", "keys are not those"),
            ("a.json", "[1,2", "ends too early"),
            ("a.json", "{\"samplesMs\":[1],\"warmup\":\"excluded\"}", "unknown field `warmup`"),
            (
                "a.json",
                "{\"samplesMs\":[1],\"schema\":\"urn:acta:latency-samples:v2\"}",
                "schema is not known",
            ),
            ("a.json", "{\"samplesMs\":[1],\"durationMs\":-1}", "durationMs"),
            (
                "a.jsonl",
                "{\"iteration\":0,\"runtime_e2e_wall_ms\":1}\n{\"iteration\":0,\"runtime_e2e_wall_ms\":1}",
                "line 2",
            ),
            ("a.jsonl", "", "there are no samples"),
        ] {
            let (_folder, path) = write(name, text);
            let error = read_latency("--latency", &path, 200.0).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn throughput_memory_and_canaries() {
        let (_f, path) =
            write("t.json", r#"{"schema":"urn:acta:throughput:v1","requests":"600","durationMs":2000}"#);
        assert_eq!(read_throughput("--throughput", &path).unwrap().0, 300.0);
        let (_f, path) =
            write("t.json", r#"{"schema":"urn:acta:throughput:v1","requests":"0","durationMs":2000}"#);
        assert!(read_throughput("--throughput", &path).unwrap_err().to_string().contains("requests"));
        let (_f, path) = write("m.json", r#"{"schema":"urn:acta:memory:v1","peakBytes":"1024"}"#);
        assert_eq!(read_memory("--memory", &path).unwrap().0, 1024);
        let (_f, path) = write(
            "m.json",
            r#"{"mode":"auto","sampler":null,"samples":[{"memory_used_mib":2},{"memory_used_mib":1}]}"#,
        );
        assert_eq!(read_memory("--memory", &path).unwrap().0, 2 << 20);
        for text in
            [r#"{"mode":"auto","sampler":null,"samples":[]}"#, r#"{"peakBytes":"1"}"#, r#"{"schema":"x"}"#]
        {
            let (_f, path) = write("m.json", text);
            read_memory("--memory", &path).unwrap_err();
        }
        let (_f, path) = write("c.json", r#"{"samplesMs":[],"errors":"9","durationMs":1}"#);
        assert_eq!(read_canary("--samples", &path).unwrap().0.latency.errors, Some(Count64(9)));
        for text in [
            r#"{"samplesMs":[]}"#,
            r#"{"samplesMs":[1],"errors":"0"}"#,
            r#"{"samplesMs":[1],"durationMs":5}"#,
        ] {
            let (_f, path) = write("c.json", text);
            read_canary("--samples", &path).unwrap_err();
        }
    }
}
