//! trtexec, what it printed.
//!
//! A log shows what was tried and how the timing cache fared; it proves no success. The tool prints "Engine built" and
//! "Created engine" also where the build failed, and "Saved N bytes of timing cache" where nothing was saved: the plan's
//! bytes and the exit code decide, and neither is in a log.

mod cache;

use acta_ledger::evidence::{gate::CheckVerdict, number::Count64};
use serde::Serialize;

use self::cache::CacheReading;
use super::{
    Outcome, Parsed, SourceFile,
    environment::Environment,
    reading::{shown, wrong},
};
use crate::error::Result;

/// How many of its error lines are kept.
const MAX_ERRORS: usize = 20;
/// How much of a line is kept.
const MAX_LINE: usize = 400;

/// How the tool says that it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Ending {
    Passed,
    Failed,
    /// There is no last word: it was killed, or the log was cut.
    None,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    ending: Ending,
    /// Whether the last line was cut in the middle.
    cut: bool,
    lines: Count64,
    command: Option<String>,
    tensorrt_build: Option<String>,
    tensorrt_version: Option<String>,
    device: Option<String>,
    device_uuid: Option<String>,
    compute_capability: Option<String>,
    precision: Option<String>,
    save_engine: Option<String>,
    load_engine: Option<String>,
    timing_cache: CacheReading,
    build: BuildLines,
    summary: Summary,
    warnings: Count64,
    errors: Count64,
    first_errors: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct BuildLines {
    tactics_s: Option<f64>,
    generation_s: Option<f64>,
    built_s: Option<f64>,
    created_mib: Option<f64>,
    timing_runners: Count64,
}

/// What it printed of its measurements: nearest rank, without the warm-up.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    throughput_qps: Option<f64>,
    latency: Option<Printed>,
    gpu_compute: Option<Printed>,
    enqueue: Option<Printed>,
    host_walltime_s: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    min_ms: f64,
    max_ms: f64,
    mean_ms: f64,
    median_ms: f64,
    p90_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
}

/// Reads the report.
pub fn parse(file: &SourceFile) -> Result<Parsed> {
    let text = String::from_utf8_lossy(&file.bytes);
    let lines: Vec<&str> = text.lines().collect();
    let Some((start, running)) =
        lines.iter().enumerate().rfind(|(_, line)| line.starts_with("&&&& RUNNING "))
    else {
        return Err(wrong(file, "", "this is no log of trtexec")
            .found(lines.first().map_or_else(|| "an empty file".to_owned(), |line| shown(line)))
            .expected("a line that begins with \"&&&& RUNNING TensorRT\""));
    };
    let runs = lines.iter().filter(|line| line.starts_with("&&&& RUNNING ")).count();
    let report = read(running, &lines[start..], text.ends_with('\n'));
    let mut parsed =
        Parsed::new(if report.ending == Ending::None { "log, unfinished" } else { "log" }, &report)?;
    if runs > 1 {
        parsed.note("several_runs", format!("the log holds {runs} runs, the last one is read"));
    }
    if report.ending == Ending::None {
        parsed.note("no_last_word", "there is no PASSED and no FAILED: it was killed, or the log was cut");
    }
    parsed.environment = Environment {
        gpu: report.device.clone(),
        gpu_uuid: report.device_uuid.clone(),
        tensorrt: report.tensorrt_version.clone(),
        ..Environment::default()
    };
    parsed.outcome = Some(match report.ending {
        Ending::Passed => Outcome {
            verdict: CheckVerdict::NotRun,
            text: "the log says PASSED; a log is no proof of success".to_owned(),
        },
        Ending::Failed => Outcome { verdict: CheckVerdict::Fail, text: "the log says FAILED".to_owned() },
        Ending::None => {
            Outcome { verdict: CheckVerdict::Fail, text: "the log does not say how it ended".to_owned() }
        }
    });
    Ok(parsed)
}

fn read(running: &str, lines: &[&str], whole: bool) -> Report {
    let messages: Vec<(char, &str)> = lines.iter().filter_map(|line| message(line)).collect();
    let option = |key: &str| {
        let value = messages.iter().find_map(|(_, text)| text.strip_prefix(key)?.strip_prefix(':'));
        value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let ending = lines.iter().rev().find_map(|line| {
        let word = line.strip_prefix("&&&& ")?.split(' ').next()?;
        match word {
            "PASSED" => Some(Ending::Passed),
            "FAILED" => Some(Ending::Failed),
            _ => None,
        }
    });
    let ending = ending.unwrap_or(Ending::None);
    let errors: Vec<&str> =
        messages.iter().filter(|(level, _)| *level == 'E').map(|(_, text)| *text).collect();
    let cut = |text: &str| text.chars().take(MAX_LINE).collect::<String>();
    Report {
        ending,
        cut: !whole && ending == Ending::None,
        lines: Count64(lines.len() as u64),
        command: running.split_once(" # ").map(|(_, command)| cut(command)),
        tensorrt_build: running
            .split_once("[TensorRT ")
            .and_then(|(_, rest)| rest.split(']').next())
            .map(cut),
        tensorrt_version: option("TensorRT version"),
        device: option("Selected Device"),
        device_uuid: option("Selected Device UUID"),
        compute_capability: option("Compute Capability"),
        precision: option("Precision"),
        save_engine: option("Save engine"),
        load_engine: option("Load engine"),
        timing_cache: cache::read(&messages, ending),
        build: build_lines(&messages),
        summary: summary(&messages),
        warnings: Count64(messages.iter().filter(|(level, _)| *level == 'W').count() as u64),
        errors: Count64(errors.len() as u64),
        first_errors: errors.iter().take(MAX_ERRORS).map(|line| cut(line)).collect(),
    }
}

/// A line's level and text: `[time] [I] [TRT] text`; the library's own mark is left out.
fn message(line: &str) -> Option<(char, &str)> {
    let (_, rest) = line.strip_prefix('[')?.split_once("] [")?;
    let (level, text) = rest.split_once("] ").or_else(|| rest.split_once(']'))?;
    let mut letters = level.chars();
    let level = letters.next().filter(|_| letters.next().is_none())?;
    Some((level, text.strip_prefix("[TRT] ").unwrap_or(text)))
}

/// The number between two stretches of text.
fn between(text: &str, before: &str, after: &str) -> Option<f64> {
    let (_, rest) = text.split_once(before)?;
    let (number, _) = rest.split_once(after)?;
    number.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

fn build_lines(messages: &[(char, &str)]) -> BuildLines {
    let last =
        |before: &str, after: &str| messages.iter().rev().find_map(|(_, text)| between(text, before, after));
    let runners = messages.iter().filter(|(_, text)| text.contains("--------------- Timing Runner:")).count();
    BuildLines {
        tactics_s: last("Formats and tactics selection completed in ", " seconds"),
        generation_s: last("Engine generation completed in ", " seconds"),
        built_s: last("Engine built in ", " sec"),
        created_mib: last("Created engine with size: ", " MiB"),
        timing_runners: Count64(runners as u64),
    }
}

fn summary(messages: &[(char, &str)]) -> Summary {
    let line = |key: &str| messages.iter().rev().find_map(|(_, text)| text.strip_prefix(key));
    let printed = |key: &str| {
        let text = line(key)?;
        let percentile = |percent: &str| between(text, &format!("percentile({percent}%) = "), " ms");
        Some(Printed {
            min_ms: between(text, "min = ", " ms")?,
            max_ms: between(text, "max = ", " ms")?,
            mean_ms: between(text, "mean = ", " ms")?,
            median_ms: between(text, "median = ", " ms")?,
            p90_ms: percentile("90"),
            p95_ms: percentile("95"),
            p99_ms: percentile("99"),
        })
    };
    Summary {
        throughput_qps: line("Throughput:").and_then(|text| between(text, " ", " qps")),
        latency: printed("Latency:"),
        gpu_compute: printed("GPU Compute Time:"),
        enqueue: printed("Enqueue Time:"),
        host_walltime_s: line("Total Host Walltime:").and_then(|text| between(text, " ", " s")),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    const LOG: &str = "\
&&&& RUNNING TensorRT.trtexec [TensorRT v110100] # trtexec --loadEngine=m.plan
[09/01/2026-08:00:00] [I] Selected Device: NVIDIA H200
[09/01/2026-08:00:00] [I] Load engine: m.plan
[09/01/2026-08:00:00] [I] Save engine: 
[09/01/2026-08:00:00] [I] 
[09/01/2026-08:00:01] [W] [TRT] a warning
[09/01/2026-08:00:01] [I] TensorRT version: 11.1.0
[09/01/2026-08:00:05] [I] Throughput: 1155.36 qps
[09/01/2026-08:00:05] [I] Latency: min = 0.85 ms, max = 0.87 ms, mean = 0.86 ms, median = 0.865 ms, percentile(90%) = 0.868 ms, percentile(95%) = 0.869 ms, percentile(99%) = 0.8695 ms
[09/01/2026-08:00:05] [I] Total Host Walltime: 3.00166 s
&&&& PASSED TensorRT.trtexec [TensorRT v110100] # trtexec --loadEngine=m.plan
";

    #[test]
    fn a_log_is_read_and_proves_nothing() {
        let parsed = parse(&file("a.log", LOG)).unwrap();
        let report = &parsed.report;
        assert_eq!(report["summary"]["throughputQps"], 1155.36);
        assert_eq!(
            (
                report["summary"]["latency"]["p99Ms"].as_f64(),
                report["summary"]["latency"]["medianMs"].as_f64()
            ),
            (Some(0.8695), Some(0.865))
        );
        assert_eq!(report["summary"]["hostWalltimeS"], 3.00166);
        assert_eq!(
            (report["tensorrtBuild"].as_str(), report["saveEngine"].as_str()),
            (Some("v110100"), None)
        );
        assert_eq!((report["warnings"].as_str(), report["errors"].as_str()), (Some("1"), Some("0")));
        assert_eq!(parsed.environment.gpu.as_deref(), Some("NVIDIA H200"));
        assert_eq!(parsed.outcome.unwrap().verdict, CheckVerdict::NotRun);
        let failed = parse(&file("a.log", &LOG.replace("&&&& PASSED", "&&&& FAILED"))).unwrap();
        assert_eq!(failed.outcome.unwrap().verdict, CheckVerdict::Fail);
    }

    #[test]
    fn a_log_without_an_end_is_no_pass() {
        let killed = parse(&file("a.log", &LOG[..LOG.len() - 90])).unwrap();
        assert_eq!(
            (killed.report["ending"].as_str(), killed.report["cut"].as_bool()),
            (Some("none"), Some(true))
        );
        assert_eq!(killed.outcome.unwrap().verdict, CheckVerdict::Fail);
        let two = parse(&file("a.log", &format!("{LOG}{}", &LOG[..200]))).unwrap();
        assert_eq!(
            (two.notes[0].code.as_str(), two.report["ending"].as_str()),
            ("several_runs", Some("none"))
        );
        for text in ["", "hello\n", "\u{0}\u{0}"] {
            assert!(parse(&file("a.log", text)).unwrap_err().to_string().contains("no log of trtexec"));
        }
        let mut binary = file("a.log", LOG);
        binary.bytes.extend_from_slice(b"\xff\xfe");
        parse(&binary).unwrap();
    }
}
