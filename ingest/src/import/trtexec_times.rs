//! trtexec, `--exportTimes`: one object per query.
//!
//! Two sets of keys are known. `current` (8.x to 11.x): `startH2dMs` .. `endD2hMs`, `h2dMs`, `computeMs`, `d2hMs`,
//! `latencyMs`. `input_output` (before): `startInMs` .. `endOutMs`, `inMs`, `computeMs`, `outMs`, `latencyMs`,
//! `endToEndMs`. Files of older versions hold the warm-up, which trtexec's own summary leaves out; newer ones begin after
//! it. Dropping the entries whose computation began before the warm-up's end is right for both. trtexec prints
//! percentiles by the nearest rank; that one is kept beside ours, to be held against a log.

use acta_ledger::evidence::number::Count64;
use serde::Serialize;
use serde_json::Value;

use super::{
    Parsed, SourceFile,
    reading::{json, shown, wrong},
    sample::{self, Figures, Latency, WarmUp, WarmUpState},
};
use crate::error::{CliError, Result};

/// How far the parts of a latency may be from their sum: the tool prints six digits.
const ROUNDING: f64 = 1e-4;

/// The keys of a dialect.
struct Dialect {
    name: &'static str,
    start: &'static str,
    end: &'static str,
    parts: [&'static str; 3],
}

const DIALECTS: [Dialect; 2] = [
    Dialect { name: "current", start: "startH2dMs", end: "endD2hMs", parts: ["h2dMs", "computeMs", "d2hMs"] },
    Dialect {
        name: "input_output",
        start: "startInMs",
        end: "endOutMs",
        parts: ["inMs", "computeMs", "outMs"],
    },
];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// All entries, the warm-up's too.
    entries: Count64,
    /// For how long trtexec warmed up.
    warm_up_ms: f64,
    /// How many entries were dropped because they began before that.
    dropped: Count64,
    /// The figures of all entries, by our rule.
    with_warm_up: Figures,
    /// What trtexec prints for these entries, by its rule (nearest rank).
    as_trtexec_prints: NearestRank,
    /// Queries a second, from the first start to the last end.
    throughput_per_s: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NearestRank {
    rule: &'static str,
    p50_ms: f64,
    p90_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
}

struct Query {
    start: f64,
    compute: f64,
    end: f64,
    latency: f64,
}

/// Reads the report.
pub fn parse(file: &SourceFile, warm_up_ms: f64) -> Result<Parsed> {
    if !(warm_up_ms.is_finite() && warm_up_ms >= 0.0) {
        return Err(CliError::usage("this is no duration")
            .field("--warm-up-ms")
            .found(warm_up_ms.to_string()));
    }
    let value = json(file)?;
    let Value::Array(entries) = &value else {
        return Err(wrong(file, "", "these are no exported times")
            .found(shown(&value.to_string()))
            .expected("an array, as trtexec --exportTimes writes it"));
    };
    let dialect = dialect(file, entries)?;
    let queries = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| query(file, dialect, index, entry))
        .collect::<Result<Vec<_>>>()?;
    if let Some(index) = (1..queries.len()).find(|index| queries[*index].start < queries[index - 1].start) {
        return Err(wrong(
            file,
            &format!("[{index}].{}", dialect.start),
            "the queries are not in their order",
        )
        .found(format!("{} after {}", queries[index].start, queries[index - 1].start))
        .expected("starts that do not go back: the tool sorts them")
        .help("the file was changed after trtexec wrote it: export again"));
    }
    let all: Vec<f64> = queries.iter().map(|query| query.latency).collect();
    let kept: Vec<&Query> = queries.iter().filter(|query| query.compute >= warm_up_ms).collect();
    let dropped = queries.len() - kept.len();
    let place = |index: usize| format!("[{index}].latencyMs");
    let with_warm_up = latency(all, WarmUp { state: WarmUpState::Included, ..WarmUp::unknown() }, None);
    sample::check(file, &with_warm_up, place)?;
    if kept.is_empty() {
        return Err(wrong(file, "", "there are no queries after the warm-up")
            .found(format!("{} queries, all in the first {warm_up_ms} ms", queries.len()))
            .help("measure for longer, or say how long the warm-up was: --warm-up-ms"));
    }
    let duration = kept.last().map(|query| query.end).zip(kept.first().map(|query| query.start));
    let duration = duration.map(|(end, start)| end - start).filter(|duration| *duration > 0.0);
    let warm_up = WarmUp {
        state: WarmUpState::Excluded,
        rule: if dropped > 0 {
            format!("startComputeMs < {warm_up_ms} dropped")
        } else {
            format!("no entry with startComputeMs < {warm_up_ms}")
        },
        requests: Some(Count64(dropped as u64)),
    };
    let kept = latency(kept.iter().map(|query| query.latency).collect(), warm_up, duration);
    let samples = sample::check(file, &kept, |index| place(index + dropped))?;
    let report = Report {
        entries: Count64(queries.len() as u64),
        warm_up_ms,
        dropped: Count64(dropped as u64),
        with_warm_up: with_warm_up.figures().map_err(|error| CliError::usage(error.to_string()))?,
        as_trtexec_prints: nearest_rank(&kept.samples_ms),
        throughput_per_s: duration.map(|duration| samples.count() as f64 * 1000.0 / duration),
    };
    let mut parsed = Parsed::new(dialect.name, &report)?;
    if dropped > 0 {
        parsed.note("warm_up_dropped", format!("{dropped} of {} entries are the warm-up", queries.len()));
    }
    parsed.latency = Some(kept);
    Ok(parsed)
}

fn latency(samples_ms: Vec<f64>, warm_up: WarmUp, duration_ms: Option<f64>) -> Latency {
    let metric = "latencyMs".to_owned();
    Latency { metric, samples_ms, warm_up, duration_ms, errors: None, concurrency: None }
}

fn dialect<'a>(file: &SourceFile, entries: &[Value]) -> Result<&'a Dialect> {
    let first =
        entries.first().ok_or_else(|| wrong(file, "", "there are no samples").found("an empty array"))?;
    DIALECTS.iter().find(|dialect| first.get(dialect.start).is_some()).ok_or_else(|| {
        let keys = first.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>().join(", "));
        let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.start).collect();
        wrong(file, "[0]", "the keys are not those of exported times")
            .found(shown(&keys.unwrap_or_else(|| first.to_string())))
            .expected(format!("one with {}", known.join(" or ")))
    })
}

fn query(file: &SourceFile, dialect: &Dialect, index: usize, entry: &Value) -> Result<Query> {
    let number = |key: &str| {
        let value = entry.get(key);
        value.and_then(Value::as_f64).filter(|number| *number >= 0.0).ok_or_else(|| {
            wrong(file, &format!("[{index}].{key}"), "this is no measurement")
                .found(value.map_or_else(|| "none".to_owned(), |value| shown(&value.to_string())))
                .expected("a number that is not negative")
        })
    };
    let [into, compute, out] = dialect.parts;
    let sum = number(into)? + number(compute)? + number(out)?;
    let latency = number("latencyMs")?;
    if (sum - latency).abs() > ROUNDING * latency.max(1.0) {
        return Err(wrong(file, &format!("[{index}].latencyMs"), "the latency is not the sum of its parts")
            .found(latency.to_string())
            .expected(format!("{sum}, which is {into} + {compute} + {out}")));
    }
    Ok(Query {
        start: number(dialect.start)?,
        compute: number("startComputeMs")?,
        end: number(dialect.end)?,
        latency,
    })
}

/// trtexec's own percentiles: of n sorted values the one at n - 1 - (the whole part of the share above).
fn nearest_rank(samples: &[f64]) -> NearestRank {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let count = sorted.len();
    let at = |percent: usize| sorted[(count - 1).saturating_sub((100 - percent) * count / 100)];
    let middle = if count.is_multiple_of(2) {
        f64::midpoint(sorted[count / 2 - 1], sorted[count / 2])
    } else {
        sorted[count / 2]
    };
    NearestRank { rule: "nearest_rank", p50_ms: middle, p90_ms: at(90), p95_ms: at(95), p99_ms: at(99) }
}

#[cfg(test)]
mod tests {
    use acta_ledger::judge::percentile::Percentile;

    use super::{super::reading::tests::file, *};

    fn current(start: f64, compute: f64) -> String {
        format!(
            r#"{{"startEnqMs":{start},"endEnqMs":{start},"startH2dMs":{start},"endH2dMs":{start},"startComputeMs":{start},
               "endComputeMs":{0},"startD2hMs":{0},"endD2hMs":{0},"h2dMs":0,"computeMs":{compute},"d2hMs":0,"latencyMs":{compute}}}"#,
            start + compute
        )
    }

    fn old(start: f64, compute: f64) -> String {
        current(start, compute)
            .replace("H2d", "In")
            .replace("h2dMs", "inMs")
            .replace("D2h", "Out")
            .replace("d2hMs", "outMs")
            .replace("\"latencyMs\"", "\"endToEndMs\":0.25,\"latencyMs\"")
    }

    #[test]
    fn both_dialects_and_the_warm_up() {
        for (name, entry) in [("current", current as fn(f64, f64) -> String), ("input_output", old)] {
            let entries: Vec<String> =
                (0..130).map(|i| entry(f64::from(i) * 10.0, 0.25 + f64::from(i) / 1024.0)).collect();
            let parsed = parse(&file("times.json", &format!("[{}]", entries.join(","))), 200.0).unwrap();
            assert_eq!(parsed.dialect, name);
            let latency = parsed.latency.unwrap();
            assert_eq!((latency.samples_ms.len(), latency.warm_up.state), (110, WarmUpState::Excluded));
            assert_eq!(latency.figures().unwrap().p50, Percentile::Value { value: 0.25 + 74.5 / 1024.0 });
            assert_eq!(parsed.report["dropped"], "20");
            assert_eq!(parsed.report["asTrtexecPrints"]["p99Ms"], 0.25 + 128.0 / 1024.0);
            assert_eq!(parsed.notes[0].code, "warm_up_dropped");
            let later: Vec<String> = (30..40).map(|i| entry(f64::from(i) * 10.0, 1.0)).collect();
            let parsed = parse(&file("times.json", &format!("[{}]", later.join(","))), 200.0).unwrap();
            assert_eq!((parsed.report["dropped"].as_str(), parsed.notes.len()), (Some("0"), 0));
        }
    }

    #[test]
    fn what_was_changed_is_refused() {
        let two = format!("[{},{}]", current(300.0, 1.0), current(400.0, 1.0));
        for (text, words) in [
            ("[]".to_owned(), "no samples"),
            ("{}".to_owned(), "no exported times"),
            ("[{\"ms\":1}]".to_owned(), "startH2dMs or startInMs"),
            (two.replacen("\"latencyMs\":1", "\"latencyMs\":-1", 1), "[0].latencyMs"),
            (two.replacen("\"latencyMs\":1", "\"latencyMs\":null", 1), "[0].latencyMs"),
            (two.replacen("\"latencyMs\":1", "\"latencyMs\":2", 1), "not the sum of its parts"),
            (two.replacen("\"latencyMs\":1", "\"latencyMs\":NaN", 1), "NaN and Infinity"),
            (two.replacen("\"startH2dMs\":300", "\"startH2dMs\":500", 1), "[1].startH2dMs"),
            (two[..two.len() / 2].to_owned(), "ends too early"),
            (format!("[{}]", current(3.0, 1.0)), "no queries after the warm-up"),
        ] {
            let error = parse(&file("times.json", &text), 200.0).unwrap_err().to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
        assert!(parse(&file("times.json", &two), -1.0).unwrap_err().to_string().contains("--warm-up-ms"));
    }
}
