//! Whole comparisons: two sides, eight runs, explanations.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::{
    fact::{Difference, Fact},
    section::{Row, Section},
    why::{Segment, What},
    *,
};
use crate::{
    evidence::{
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        build::{
            BuilderKind, Durations, FRAMEWORK, HostRecord, Language, NetworkRecord, Resources, RetryPolicy,
            RunRef, ValidationStatus,
        },
        cancel::{CancelRecord, CancelSource},
        chain::ChainLink,
        phase_tree::PhaseTree,
        timing_cache::{TimingCacheMode, TimingCacheRecord},
    },
    judge::{baseline, comparability::Ground},
    log::digest::Sha256Digest,
};

/// A build on a GPU from a cold cache that a number stands for; it took 10 s.
pub fn summary(number: u128) -> BuildSummary {
    let started_at: Timestamp = "2026-11-29T20:00:00Z".parse().unwrap();
    BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: "10.16.1.11".to_owned(),
        language: Language::Cpp,
        build_config_hash: Sha256Digest::of(b"configuration"),
        gpu_sku: "NVIDIA H100".to_owned(),
        timing_cache_mode: TimingCacheMode::Cold,
        cancel_source: CancelSource::None,
        cancel_latency_ms: None,
        cleanup_status: CleanupStatus::NotNeeded,
        retry_policy: RetryPolicy::None,
        validation_status: ValidationStatus::Pending,
        run: RunRef { id: Uuid::from_u128(number), route: None, attempt: 1, retry_of: None },
        outcome: Outcome::Completed,
        builder: BuilderKind::Tensorrt,
        started_at,
        finished_at: started_at.plus_ms(10_000).unwrap(),
        library: None,
        host: HostRecord {
            os: "test".to_owned(),
            kernel: "test".to_owned(),
            architecture: "x86_64".to_owned(),
            cpus: 16,
            container: None,
            driver: Some("580.95.05".to_owned()),
            cuda: Some("13.0".to_owned()),
        },
        gpu: None,
        network: NetworkRecord {
            source: "net.onnx".to_owned(),
            digest: Sha256Digest::of(b"network"),
            bytes: 7,
            layers: Some(3),
            inputs: Vec::new(),
            outputs: Vec::new(),
            strongly_typed: true,
        },
        settings: BTreeMap::from([("flags".to_owned(), json!(["TF32"]))]),
        profiles: Vec::new(),
        command_line: Vec::new(),
        purpose: None,
        command_digest: None,
        duration_ms: Durations {
            parse: Some(500.0),
            build: Some(8_000.0),
            serialize: Some(1_000.0),
            write: Some(300.0),
            total: 10_000.0,
        },
        phase_tree: None,
        events: None,
        log: None,
        resources: Resources::default(),
        output_path: "net.plan".to_owned(),
        artifacts: vec![Artifact {
            name: "net.plan".to_owned(),
            kind: ArtifactKind::Plan,
            bytes: 9,
            digest: Some(Sha256Digest::of(b"plan")),
            disposition: Disposition::Kept,
            media_type: None,
            digest_before: None,
        }],
        timing_cache: TimingCacheRecord {
            file: None,
            digest_before: None,
            digest_after: None,
            bytes_before: None,
            bytes_after: None,
            policy: "update".to_owned(),
            reasons: vec!["no bytes were offered".to_owned()],
            changes: None,
        },
        cancel: None,
        failure: None,
        chain: ChainLink::new(number as u64, None),
    }
}

/// A cancel that was acknowledged after so many milliseconds.
pub fn cancel(latency_ms: f64) -> CancelRecord {
    CancelRecord {
        source: CancelSource::CtrlC,
        reason: None,
        who: None,
        requested_at: "2026-11-29T20:00:01Z".parse().unwrap(),
        delivered_at: None,
        acknowledged_at: None,
        returned_at: None,
        cleaned_at: None,
        request_to_delivery_ms: None,
        request_to_ack_ms: Some(latency_ms),
        ack_to_return_ms: None,
        ack_to_cleanup_ms: None,
        censored_after_ms: None,
        requested_offset_ns: None,
        acknowledged_offset_ns: None,
        returned_offset_ns: None,
        cleaned_offset_ns: None,
        open_at_request: Vec::new(),
        open_at_acknowledgement: Vec::new(),
        phase_at_request: None,
        deferrals: Vec::new(),
        escalation: None,
        request: None,
    }
}

fn side<'a>(summary: &'a BuildSummary, tree: Option<&'a PhaseTree>, kin_total_ms: &'a [f64]) -> Side<'a> {
    let digest = Sha256Digest::of(summary.run.id.as_bytes());
    let entry = EntryRef { run: summary.run.id, digest, index: Some(summary.chain.sequence) };
    Side { entry, summary, tree, bundle: None, kin_total_ms, kin: kin_total_ms.len() as u64 }
}

fn of(a: &BuildSummary, b: &BuildSummary) -> Compared {
    compare(&[side(a, None, &[]), side(b, None, &[])]).unwrap()
}

fn row<'a>(compared: &'a Compared, section: Section, name: &str) -> &'a Row {
    let rows = compared.sections.iter().find(|it| it.section == section).unwrap();
    rows.rows.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no row {name}"))
}

#[test]
fn two_to_eight_runs_are_compared() {
    let builds: Vec<BuildSummary> = (1..=9).map(summary).collect();
    let sides: Vec<Side<'_>> = builds.iter().map(|build| side(build, None, &[])).collect();
    for found in [0, 1, 9] {
        assert_eq!(compare(&sides[..found]), Err(CountError { found }));
    }
    for count in [2, 8] {
        let compared = compare(&sides[..count]).unwrap();
        assert_eq!(
            (compared.runs.len(), compared.why.len(), compared.bundles.len()),
            (count, count - 1, count)
        );
        for rows in &compared.sections {
            assert_eq!(rows.equal, rows.rows.len(), "they differ in nothing");
        }
    }
}

#[test]
fn each_section_has_its_facts_and_says_how_they_differ() {
    let a = summary(1);
    let mut b = summary(2);
    b.network.digest = Sha256Digest::of(b"other");
    b.host.driver = Some("590.10".to_owned());
    b.settings.insert("flags".to_owned(), json!(["REFIT", "TF32"]));
    b.settings.insert("optimizationLevel".to_owned(), json!(5));
    b.timing_cache_mode = TimingCacheMode::Reused;
    b.duration_ms.build = Some(12_000.0);
    b.cancel = Some(CancelRecord { request_to_ack_ms: None, censored_after_ms: Some(900.0), ..cancel(0.0) });
    b.artifacts[0].bytes = 18;
    b.validation_status = ValidationStatus::Fail;
    let compared = of(&a, &b);
    let set = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>();
    for (section, name, expected) in [
        (Section::Inputs, "network.digest", Difference::Other),
        (Section::Environment, "host.driver", Difference::Version { later: Some(true) }),
        (Section::Settings, "settings.flags", Difference::Set { added: set(&["REFIT"]), removed: set(&[]) }),
        (Section::Settings, "settings.optimizationLevel", Difference::Added),
        (Section::Cache, "timingCacheMode", Difference::Other),
        (Section::Phases, "durationMs.build", Difference::Amount { by: 4_000.0, ratio: Some(1.5) }),
        (Section::Cancel, "cancel.requestToAckMs", Difference::Added),
        (Section::Artifacts, "plan.bytes", Difference::Amount { by: 9.0, ratio: Some(2.0) }),
        (Section::Validation, "validationStatus", Difference::Other),
    ] {
        let row = row(&compared, section, name);
        assert_eq!(row.differences, [None, Some(expected)], "{name}");
        assert_eq!(row.values.len(), 2);
    }
    let latency = row(&compared, Section::Cancel, "cancel.requestToAckMs");
    assert_eq!(latency.values, [None, Some(Fact::LongerThanMs(900.0))], "never dropped, never zero");
    let inputs = &compared.sections[0];
    assert_eq!((inputs.section, inputs.equal), (Section::Inputs, inputs.rows.len() - 1));
}

#[test]
fn what_may_not_be_ranked_is_not_ranked() {
    let (mut a, b) = (summary(1), summary(2));
    a.duration_ms.total = 12_000.0;
    assert_eq!(of(&a, &b).ranking, [1, 0]);
    let cold = BuildSummary { timing_cache_mode: TimingCacheMode::Reused, ..a.clone() };
    let compared = of(&cold, &b);
    assert!(compared.ranking.is_empty() && !compared.comparability.comparable);
    let why = &compared.why[0];
    assert_eq!((why.by_ms, why.ratio, why.usual), (None, None, None));
    assert_eq!(why.comparability.because[0].ground, Ground::Cache);
    let named = |cause: &why::Cause| match &cause.what {
        What::Differs { row, .. } => row.clone(),
        other => panic!("no place is named where nothing may be ranked: {other:?}"),
    };
    assert_eq!(why.causes.iter().map(named).collect::<Vec<_>>(), ["timingCacheMode"]);
    // One pair that may be ranked is explained even where the whole may not be.
    let third = BuildSummary { duration_ms: Durations { total: 11_000.0, ..b.duration_ms }, ..summary(3) };
    let sides = [side(&b, None, &[]), side(&cold, None, &[]), side(&third, None, &[])];
    let compared = compare(&sides).unwrap();
    assert!(compared.ranking.is_empty());
    assert_eq!((compared.why[0].by_ms, compared.why[1].by_ms), (None, Some(1_000.0)));
}

#[test]
fn an_explanation_names_circumstances_first_and_then_where_the_time_went() {
    let a = summary(1);
    let mut b = summary(2);
    b.settings.insert("optimizationLevel".to_owned(), json!(5));
    b.host.driver = Some("590.10".to_owned());
    b.duration_ms = Durations {
        parse: Some(400.0),
        build: Some(11_000.0),
        serialize: Some(2_000.0),
        write: Some(301.0),
        total: 14_000.0,
    };
    let kin = [9_900.0; 20];
    let compared = compare(&[side(&a, None, &kin), side(&b, None, &[])]).unwrap();
    let why = &compared.why[0];
    assert_eq!((why.by_ms, why.ratio), (Some(4_000.0), Some(1.4)));
    assert_eq!(why.usual.unwrap().standing, baseline::Standing::BeyondLongest);
    let told: Vec<String> = why
        .causes
        .iter()
        .map(|cause| match &cause.what {
            What::Differs { row, .. } => row.clone(),
            What::Phase { .. } => panic!("no tree is known"),
            What::Segment { segment, by_ms, share } => format!("{segment:?} {by_ms} {}", share.unwrap()),
        })
        .collect();
    let expected = [
        "settings.optimizationLevel",
        "host.driver",
        "Build 3000 0.75",
        "Serialize 1000 0.25",
        "Rest 99 0.02475",
        "Parse -100 -0.025",
    ];
    assert_eq!(told, expected, "a write of one millisecond more is not worth a word");
    assert_eq!(why.causes[0].rests_on.map(|entry| entry.index), [Some(1), Some(2)]);
    assert!(compared.distributions[0].p95.eq(&super::super::distribution::Quantile::Value { ms: 9_900.0 }));
}

#[test]
fn a_phase_that_took_the_time_is_the_first_place() {
    let (short, long) = (baseline::tests::tree(1_000), baseline::tests::tree(5_000));
    let a = summary(1);
    let mut b = summary(2);
    b.duration_ms.total = 14_000.0;
    let compared = compare(&[side(&a, Some(&short), &[]), side(&b, Some(&long), &[])]).unwrap();
    let first = &compared.why[0].causes[0].what;
    let What::Phase { path, ids, by_ms, share } = first else { panic!("{first:?}") };
    assert_eq!(
        path.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        ["Building engine", "Optimizing graph"]
    );
    assert_eq!((*ids, *by_ms, *share), ((Some(1), Some(1)), 4_000.0, Some(1.0)));
    assert!(!matches!(
        compared.why[0].causes.get(1).map(|cause| &cause.what),
        Some(What::Segment { segment: Segment::Build, .. })
    ));
}

#[test]
fn nothing_has_a_share_in_what_is_nearly_nothing() {
    let (short, long) = (baseline::tests::tree(1_000), baseline::tests::tree(5_000));
    let a = summary(1);
    let mut b = summary(2);
    // Four seconds more in a phase, and all but 9 ms of it less elsewhere.
    b.duration_ms.total = a.duration_ms.total + 9.0;
    let why = compare(&[side(&a, Some(&short), &[]), side(&b, Some(&long), &[])]).unwrap().why.remove(0);
    assert!(why.is_near() && why.by_ms == Some(9.0));
    let told: Vec<(f64, Option<f64>)> = why
        .causes
        .iter()
        .map(|cause| match cause.what {
            What::Phase { by_ms, share, .. } | What::Segment { by_ms, share, .. } => (by_ms, share),
            What::Differs { .. } => panic!("no circumstance differs"),
        })
        .collect();
    assert_eq!(told, [(4_000.0, None), (-3_991.0, None)]);
    for (one, other, is) in
        [(0.0, 0.0, true), (0.0, 1.0, false), (1_000.0, 991.0, true), (1_000.0, 990.0, false)]
    {
        assert_eq!((why::near(one, other), why::near(other, one)), (is, is), "{one} {other}");
    }
}

/// A summary with some of everything changed.
fn changed() -> impl Strategy<Value = BuildSummary> {
    let numbers = (0_u8..3, 0_u8..3, 0_u8..3, 1_u32..20_000, 0_u8..3, any::<bool>());
    numbers.prop_map(|(network, driver, flags, total, artifacts, cancelled)| {
        let mut it = summary(1);
        it.network.digest = Sha256Digest::of(&[network]);
        it.host.driver = (driver > 0).then(|| format!("580.{driver}"));
        it.settings
            .insert("flags".to_owned(), json!((0..flags).map(|n| format!("F{n}")).collect::<Vec<_>>()));
        it.settings.insert("targets".to_owned(), json!({ "sm": flags }));
        it.duration_ms.total = f64::from(total);
        it.artifacts =
            (0..artifacts).map(|n| Artifact { bytes: n.into(), ..it.artifacts[0].clone() }).collect();
        it.cancel = cancelled.then(|| cancel(f64::from(total) / 2.0));
        it
    })
}

proptest! {
    /// A run beside itself differs in nothing, and takes as long as itself.
    #[test]
    fn a_run_does_not_differ_from_itself(a in changed()) {
        let compared = of(&a, &a);
        for rows in &compared.sections {
            prop_assert_eq!(rows.equal, rows.rows.len());
        }
        prop_assert!(compared.why[0].causes.is_empty(), "{:?}", compared.why[0].causes);
        prop_assert!(compared.why[0].by_ms.is_none_or(|by| by == 0.0));
    }

    /// Turned around, every row is the other way around, and the same may be ranked.
    #[test]
    fn turned_around_everything_is_turned_around(a in changed(), b in changed()) {
        let (there, back) = (of(&a, &b), of(&b, &a));
        prop_assert_eq!(there.comparability.comparable, back.comparability.comparable);
        for (one, two) in there.sections.iter().zip(&back.sections) {
            prop_assert_eq!((one.section, one.equal, one.rows.len()), (two.section, two.equal, two.rows.len()));
            for row in &one.rows {
                let other = two.rows.iter().find(|it| it.name == row.name).unwrap();
                prop_assert_eq!([&row.values[0], &row.values[1]], [&other.values[1], &other.values[0]]);
                prop_assert_eq!(row.differs(), other.differs());
            }
        }
        prop_assert_eq!(there.why[0].by_ms.map(|by| -by), back.why[0].by_ms);
        prop_assert_eq!(there.why[0].causes.len(), back.why[0].causes.len());
    }
}
