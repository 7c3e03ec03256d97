//! Gate 5, by the real program over generated measurements and a real build.

use std::fs;

use acta_ledger::{
    evidence::{
        build::BlobRef,
        chain::ChainLink,
        gate::{CheckVerdict, Gate, GateRecord},
        pin::Pins,
        retention::{RetentionRecord, RetentionState},
        rollback::{HealthResult, OrderAction, RollbackResult, RollbackStep},
    },
    judge::route::{RouteEntry, RouteEvent, RouteLog, Signer, judge_route},
    log::{
        digest::Sha256Digest,
        statement::{Statement, Subject},
    },
};
use acta_tests::{bundle::BundleWriter, onnx, process::Ended};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    bundle::shared,
    fake::Fake,
    gate::{POLICY, record, verdict},
    import::{ELSEWHERE, age, benchmark, import, old_bundle},
    route::definition,
    setup::{Bench, summary},
};

const LIMITS: &str = "p95Ms = 25.0\nerrorRate = 0.01\n[thresholds]\nerrorRate = 0.01\np50Ms = 19.0\np95Ms = 20.0\np99Ms = 25.0\nmemoryBytes = '1000000'\n";
const PLAN: &str = "trafficShare = 0.1\nminSamples = 100\ndurationMs = 1000.0\n[thresholds]\np95Ms = 25.0\nerrorRate = 0.01\n";
const TARGET: &str = "gpu = 'NVIDIA H200'\ndriver = '580.65.06'\n";

/// Everything that gate 5 takes, as files.
pub struct Measured {
    pub bench: Bench,
    pub bundle: String,
}

impl Measured {
    fn new(bench: Bench, bundle: String) -> Self {
        let latency = |concurrency: u32| {
            json!({ "schema": "urn:acta:latency-samples:v1", "samplesMs": vec![18.0; 200], "warmUp": "excluded",
                "errors": "0", "durationMs": 4000.0, "concurrency": concurrency, "peakMemoryBytes": "900000" })
        };
        for (name, text) in [
            ("policy.toml", format!("{POLICY}{LIMITS}")),
            ("plan.toml", PLAN.to_owned()),
            ("target.toml", TARGET.to_owned()),
            ("latency.json", latency(1).to_string()),
            ("at-16.json", latency(16).to_string()),
            ("canary.json", r#"{"samplesMs":[],"errors":"0","durationMs":1}"#.to_owned()),
        ] {
            bench.agent.file(name, text.as_bytes());
        }
        canary_samples(&bench, 200, 0, 2000.0);
        Self { bench, bundle }
    }

    /// A file of these.
    pub fn path(&self, name: &str) -> String {
        self.bench.agent.home().join(name).to_str().unwrap().to_owned()
    }

    /// Gate 5 with the machine and without the policy.
    fn bare(&self, more: &[&str]) -> Ended {
        let target = self.path("target.toml");
        let arguments = [
            "gate",
            "5",
            "--route",
            "mini",
            "--by",
            "ana",
            "--json",
            "--bundle",
            &self.bundle,
            "--environment",
            &target,
        ];
        self.bench.agent.run(&[&arguments[..], more].concat())
    }

    /// Gate 5 with the machine and the policy.
    pub fn run(&self, more: &[&str]) -> Ended {
        let policy = self.path("policy.toml");
        self.bare(&[&["--policy", &policy][..], more].concat())
    }

    fn refused(&self, more: &[&str], words: &str) {
        let ended = self.run(more);
        assert_eq!(ended.code(), 2, "{words}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
        assert_eq!(self.bench.outbox(), [0, 0, 0], "{words}");
    }
}

/// A canary's samples, around 18 ms.
pub fn canary_samples(bench: &Bench, count: usize, errors: u64, duration: f64) -> String {
    let samples: Vec<f64> = (0..count).map(|i| 15.0 + (i % 7) as f64).collect();
    let text =
        json!({ "samplesMs": samples, "errors": errors.to_string(), "durationMs": duration }).to_string();
    bench.agent.file("canary.json", text.as_bytes())
}

/// The same without a build.
pub fn measured() -> Measured {
    let bench = Bench::new(b"x");
    let bundle = old_bundle(&bench);
    Measured::new(bench, bundle)
}

#[test]
fn figures_are_held_against_the_policy_and_every_one_says_how_it_came_about() {
    let it = measured();
    let latency = it.path("latency.json");
    let found = record(&it.run(&["--latency", &latency]));
    for name in ["warm_up", "latency_p50", "latency_p95", "latency_p99", "throughput", "memory", "errors"] {
        assert_eq!(verdict(&found, name).0, CheckVerdict::Pass, "{name}");
    }
    let p99 = found.checks.iter().find(|check| check.name == "latency_p99").unwrap();
    assert_eq!(
        p99.value,
        json!({ "n": "200", "rule": "linear_interpolation", "warmUp": "excluded",
        "source": "raw samples", "limitMs": 25.0, "ms": 18.0 })
    );
    assert_eq!(
        it.bench.blob(&json!(p99.evidence[0])),
        fs::read(&latency).unwrap(),
        "the raw samples are kept"
    );
    let throughput = found.checks.iter().find(|check| check.name == "throughput").unwrap();
    assert_eq!(throughput.value["perS"], 50.0);
    for name in [
        "cold_build_time",
        "cache_and_storage",
        "concurrency",
        "canary_plan",
        "rollback_bundle_retained",
        "rollback_tested",
    ] {
        assert_eq!(verdict(&found, name).0, CheckVerdict::NotRun, "{name}");
    }

    for (text, check, expected, words) in [
        (json!(vec![18.0; 200]), "warm_up", CheckVerdict::NotRun, "do not say"),
        (json!(vec![18.0; 200]), "errors", CheckVerdict::NotRun, "nobody counted"),
        (json!(vec![18.0; 200]), "throughput", CheckVerdict::NotRun, "--throughput"),
        (json!(vec![18.0; 200]), "memory", CheckVerdict::NotRun, "missing, not zero"),
        (json!(vec![18.0; 99]), "latency_p99", CheckVerdict::NotRun, "insufficient samples: 99, needs 100"),
        (json!([18.0]), "latency_p50", CheckVerdict::NotRun, "insufficient samples: 1, needs 2"),
        (json!(vec![19.5; 100]), "latency_p50", CheckVerdict::Fail, "19.500 ms, the policy's limit is 19"),
        (json!([vec![18.0; 195], vec![60.0; 5]].concat()), "latency_p99", CheckVerdict::Fail, "limit is 25"),
        (json!([vec![60.0; 5], vec![18.0; 195]].concat()), "latency_p95", CheckVerdict::Pass, ""),
        (json!({ "samplesMs": vec![18.0; 100], "errors": "2" }), "errors", CheckVerdict::Fail, "2 of 102"),
        (json!({ "samplesMs": vec![18.0; 100], "warmUp": "included" }), "warm_up", CheckVerdict::Pass, ""),
        (
            json!({ "samplesMs": [18.0], "peakMemoryBytes": "1000001" }),
            "memory",
            CheckVerdict::Fail,
            "1000001 bytes",
        ),
    ] {
        let file = it.bench.agent.file("other.json", text.to_string().as_bytes());
        let (found, reason) = verdict(&record(&it.run(&["--latency", &file])), check);
        assert!(found == expected && reason.contains(words), "{check}: {found:?} {reason}");
    }
    let memory =
        it.bench.agent.file("memory.json", br#"{"schema":"urn:acta:memory:v1","peakBytes":"2000000"}"#);
    let found = record(&it.run(&[
        "--latency",
        &latency,
        "--memory",
        &memory,
        "--concurrency",
        &it.path("at-16.json"),
    ]));
    assert_eq!(verdict(&found, "memory").0, CheckVerdict::Fail);
    assert_eq!(verdict(&found, "concurrency").0, CheckVerdict::Pass);
}

#[test]
fn bad_input_is_refused_and_nothing_is_signed() {
    let it = measured();
    let latency = it.path("latency.json");
    it.refused(&[], "there are no latencies");
    for (text, words) in [
        ("[1,NaN]", "NaN and Infinity"),
        ("[1,-2]", "samples[1]"),
        ("[]", "there are no samples"),
        ("[0,0]", "all samples are zero"),
        ("[1,2", "ends too early"),
        ("{\"samplesMs\":[1],\"warm\":1}", "unknown field `warm`"),
        ("{\"schema\":\"urn:acta:latency-samples:v9\",\"samplesMs\":[1]}", "latency-samples:v9"),
    ] {
        let file = it.bench.agent.file("bad.json", text.as_bytes());
        it.refused(&["--latency", &file], words);
    }
    let long = it.bench.agent.file("long.json", b"[");
    fs::File::options().append(true).open(&long).unwrap().set_len((64 << 20) + 1).unwrap();
    it.refused(&["--latency", &long], "too long");
    it.refused(&["--latency", &latency, "--cold-build", "last"], "--cold-build");
    it.refused(&["--latency", &latency, "--cold-build", &Uuid::nil().to_string()], "not on record");
    it.refused(&["--latency", &latency, "--concurrency", &latency], "no requests ran at once");
    it.refused(&["--latency", &latency, "--not-applicable", "memory=none"], "always applies");
    for (from, to, words) in [
        ("trafficShare = 0.1", "trafficShare = 1.5", "share of the traffic"),
        ("minSamples = 100", "minSamples = 99", "minSamples of at least 100"),
        ("p95Ms = 25.0", "p95Ms = 26.0", "looser than the route's policy"),
        ("errorRate = 0.01", "", "errorRate missing"),
        ("durationMs = 1000.0", "durationMs = 0.0", "no duration"),
        ("trafficShare", "trafficshare", "unknown field"),
    ] {
        let plan = it.bench.agent.file("bad.toml", PLAN.replace(from, to).as_bytes());
        it.refused(&["--latency", &latency, "--canary-plan", &plan], words);
    }
    let ended = it.bare(&["--latency", &latency]);
    assert!(ended.code() == 2 && ended.stderr.contains("policy is not known"), "{}", ended.stderr);
    assert_eq!(it.bench.outbox(), [0, 0, 0]);
}

#[test]
fn an_import_is_held_to_its_bundle_and_its_machine() {
    let it = measured();
    let samples: Vec<f64> = (0..200).map(|i| 15.0 + f64::from(i % 50) / 16.0).collect();
    let folder = benchmark(&it.bench, &samples, |_| {});
    let go = || {
        import(
            &it.bench,
            "trtmc-benchmark",
            &[folder.to_str().unwrap()],
            &it.bundle,
            &["--bundle-as", ELSEWHERE],
        )
    };
    let document = go().json()["document"].as_str().unwrap().to_owned();
    let found = record(&it.run(&["--import", &document]));
    assert_eq!(verdict(&found, "latency_p99").0, CheckVerdict::Pass);
    assert_eq!(verdict(&found, "errors").0, CheckVerdict::Pass);
    let machine = found.checks.iter().find(|check| check.name == "runtime_environment").unwrap();
    assert_eq!((machine.stated_by.as_deref(), &machine.value["gpu"]["source"]), (None, &json!("report")));
    let latency = it.path("latency.json");
    let waiting = it.bench.outbox();
    let refused = |more: &[&str], words: &str| {
        let ended = it.run(more);
        assert!(
            ended.code() == 2 && ended.stderr.contains(words),
            "{words}: {}{}",
            ended.stdout,
            ended.stderr
        );
        assert_eq!(it.bench.outbox(), waiting, "{words}");
    };
    refused(&["--import", &document, "--latency", &latency], "several sets");
    it.bench.agent.file("target.toml", b"gpu = 'NVIDIA L40S'\n");
    refused(&["--import", &document], "two machines");
    it.bench.agent.file("target.toml", TARGET.as_bytes());
    fs::write(&it.bundle, BundleWriter::b().write()).unwrap();
    refused(&["--import", &document], "about another bundle");

    fs::write(&it.bundle, BundleWriter::a().write()).unwrap();
    age(&it.bundle, 1_600_000_000);
    benchmark(&it.bench, &samples, |run| run["cells"][0]["pipeline_type"] = json!("simulated"));
    let simulated = go().json()["document"].as_str().unwrap().to_owned();
    let (found, reason) = verdict(&record(&it.run(&["--import", &simulated])), "report_of_a_real_pipeline");
    assert!(found == CheckVerdict::Hold && reason.contains("simulated"), "{reason}");
    benchmark(&it.bench, &samples, |run| run["status"] = json!("failed"));
    fs::remove_file(folder.join("001-mini/observations.jsonl")).unwrap();
    let failed = go().json()["document"].as_str().unwrap().to_owned();
    let found = record(&it.run(&["--import", &failed]));
    assert_eq!(verdict(&found, "report_completed").0, CheckVerdict::Hold);
    assert_eq!(verdict(&found, "latency_p50").0, CheckVerdict::NotRun);
}

fn entry(index: u64, event: RouteEvent) -> RouteEntry {
    let signer = match event {
        RouteEvent::Definition(_) => Signer::Portal,
        _ => Signer::Agent { name: "builder-1".to_owned(), owner: None },
    };
    RouteEntry { index, leaf: Sha256Digest::of(&index.to_le_bytes()), signer, event }
}

const UNCHAINED: ChainLink = ChainLink::new(1, None);

/// What the log says of a route with a bundle that is retained and, if so, was restored in a drill.
fn with_way_back(fake: &Fake, bundle: Sha256Digest, state: RetentionState, drilled: bool) {
    let mut definition = definition();
    let policy = toml_policy();
    definition.policy = serde_json::from_value(policy).unwrap();
    let at = definition.at;
    let index = fake
        .log(&Statement::new(vec![Subject::new("mini", Sha256Digest::of(b"mini"))], &definition).unwrap());
    let blob = |digest| BlobRef { digest, bytes: 1, media_type: "x".to_owned() };
    let config = Sha256Digest::of(b"config");
    let gate = GateRecord {
        route: "mini".to_owned(),
        gate: Gate::Bundle,
        checkpoint_revision: None,
        bundle: Some(bundle),
        run: None,
        builder: None,
        runtime_target: None,
        observed: Pins::default(),
        checks: Vec::new(),
        authors: Vec::new(),
        started_at: at,
        finished_at: at,
        chain: UNCHAINED,
    };
    let retention = RetentionRecord {
        route: "mini".to_owned(),
        bundle: blob(bundle),
        runtime_config: blob(config),
        state,
        retained_until: None,
        at,
        purged_by: None,
        chain: Some(UNCHAINED),
    };
    let drill = RollbackResult {
        order: Uuid::nil(),
        route: "mini".to_owned(),
        action: OrderAction::Drill,
        to: bundle,
        step: RollbackStep::Verified,
        failure: None,
        text: None,
        measured_bundle: Some(bundle),
        measured_config: Some(config),
        live: None,
        runtime_target: definition.runtime_target.clone(),
        observed: Pins::default(),
        health: Some(HealthResult { command: "true".to_owned(), exit_code: Some(0), duration_ms: 1.0 }),
        since_order_ms: Some(120.0),
        at,
        chain: UNCHAINED,
    };
    let mut events = vec![
        RouteEvent::Definition(Box::new(definition)),
        RouteEvent::Gate(Box::new(gate)),
        RouteEvent::Retention(Box::new(retention)),
    ];
    if drilled {
        events.push(RouteEvent::Result(Box::new(drill)));
    }
    let entries: Vec<RouteEntry> =
        events.into_iter().zip(index..).map(|(event, index)| entry(index, event)).collect();
    let size = index + 4;
    let state = judge_route("mini", &RouteLog::whole(size, entries), at);
    fake.state.lock().unwrap().route =
        Some(json!({ "record": state.record, "state": state, "bundles": [], "logSize": size }));
}

/// The policy of these tests as JSON.
fn toml_policy() -> Value {
    json!({ "licences": ["apache-2.0"], "drillValidDays": 30, "retentionDays": 90, "approvals": { "needed": 1 },
        "overrides": { "allowed": false, "maxDays": 1 },
        "canary": { "minSamples": 100, "thresholds": { "p95Ms": 25.0, "errorRate": 0.01 } },
        "thresholds": { "p50Ms": 19.0, "p95Ms": 20.0, "p99Ms": 25.0, "memoryBytes": "1000000" } })
}

#[test]
fn a_real_cold_build_a_canary_and_a_drilled_way_back_satisfy_gate_5() {
    let bench = Bench::new(&onnx::gemm());
    let built = summary(&bench.build(&["--route", "mini"]));
    let plan = fs::read(&bench.plan).unwrap();
    let bundle = bench.agent.file("model.bundle", &BundleWriter::a().section("engine_plan", &plan).write());
    age(&bundle, 1_600_000_000);
    let digest = Sha256Digest::of(&fs::read(&bundle).unwrap());
    let it = Measured::new(bench, bundle);
    let fake = Fake::start();
    it.bench.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
    let run = built.run.id.to_string();
    let (latency, at_16) = (it.path("latency.json"), it.path("at-16.json"));
    let (plan, canary) = (it.path("plan.toml"), it.path("canary.json"));
    let all = [
        &["--latency", &latency, "--concurrency", &at_16, "--cold-build", &run][..],
        &[
            "--canary-plan",
            &plan,
            "--canary",
            &canary,
            "--cache-and-storage",
            "plan and runtime cache on NVMe",
        ],
    ]
    .concat();
    for (state, drilled, check, words) in [
        (RetentionState::Retained, false, "rollback_tested", "never drilled"),
        (RetentionState::Purged, true, "rollback_bundle_retained", "purged"),
        (RetentionState::Damaged, true, "rollback_bundle_retained", "damaged"),
    ] {
        with_way_back(&fake, digest, state, drilled);
        let ended = it.bare(&all);
        let (found, reason) = verdict(&record(&ended), check);
        assert!(
            found == CheckVerdict::Fail && reason.contains(words),
            "{check}: {found:?} {reason} {}",
            ended.stderr
        );
    }
    with_way_back(&fake, digest, RetentionState::Retained, true);
    let ended = it.bare(&all);
    let found = record(&ended);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!((found.builder, found.bundle), (Some(built.builder), Some(digest)));
    let cold = found.checks.iter().find(|check| check.name == "cold_build_time").unwrap();
    assert_eq!(
        (&cold.value["planInBundle"], &cold.value["totalMs"]),
        (&json!(true), &json!(built.duration_ms.total))
    );
    let drill = found.checks.iter().find(|check| check.name == "rollback_tested").unwrap();
    assert_eq!(drill.value["drill"]["restoreMs"], 120.0);
    assert_eq!(verdict(&found, "canary_result").0, CheckVerdict::Pass);

    canary_samples(&it.bench, 200, 10, 2000.0);
    let (found, reason) = verdict(&record(&it.bare(&all)), "canary_result");
    assert!(found == CheckVerdict::Fail && reason.contains("error_rate"), "{reason}");
    canary_samples(&it.bench, 50, 0, 2000.0);
    assert_eq!(verdict(&record(&it.bare(&all)), "canary_result").0, CheckVerdict::Hold);

    // Another GPU than the route's.
    it.bench.agent.file("target.toml", b"gpu = 'NVIDIA L40S'\n");
    let ended = it.bare(&all);
    assert_eq!(ended.code(), 2);
    assert!(
        ended.stderr.contains("native_cpp_task_api_on_nvidia_l40s")
            && ended.stderr.contains("proves nothing")
    );
    it.bench.agent.file("target.toml", TARGET.as_bytes());
    // A bundle around another plan was not built by that run, and is not the log's newest bundle.
    fs::write(&it.bundle, BundleWriter::a().write()).unwrap();
    canary_samples(&it.bench, 200, 0, 2000.0);
    let found = record(&it.bare(&all));
    let (cold, reason) = verdict(&found, "cold_build_time");
    assert!(cold == CheckVerdict::Hold && reason.contains("no section of the bundle"), "{reason}");
    assert!(verdict(&found, "rollback_tested").1.contains("another one"));
}

#[test]
fn the_corpus_is_judged_as_its_manifest_says() {
    let it = measured();
    let Some(corpus) = shared("trtmc") else { return };
    let folder = |run: &str| corpus.join("bench").join(run).to_str().unwrap().to_owned();
    let go = |run: &str| {
        let place = ["--bundle-as", "/work/example/bench/model.bundle"];
        let ended = import(&it.bench, "trtmc-benchmark", &[&folder(run)], &it.bundle, &place);
        let document = ended.json()["document"].as_str().unwrap().to_owned();
        record(&it.run(&["--import", &document]))
    };
    use CheckVerdict::{Fail, Hold, NotRun, Pass};
    for (run, expected) in [
        ("n1000-base", [Pass, Pass, Pass]),
        ("n1000-regressed", [Fail, Fail, Pass]),
        ("n1000-tail", [Pass, Pass, Fail]),
        ("n50", [Pass, Pass, NotRun]),
        ("n1", [NotRun, NotRun, NotRun]),
        ("short", [NotRun, NotRun, NotRun]),
    ] {
        let found = go(run);
        let verdicts = ["latency_p50", "latency_p95", "latency_p99"].map(|name| verdict(&found, name).0);
        assert_eq!(verdicts, expected, "{run}");
        let held = if run == "short" { "report_completed" } else { "report_of_a_real_pipeline" };
        assert_eq!(verdict(&found, held).0, Hold, "{run}");
    }
}
