//! Tables of cases, and what holds for every pair of builds.

use proptest::prelude::*;

use super::{super::advice::tests::summary, *};
use crate::evidence::{
    build::{LibraryRecord, LibraryVersion, Outcome, ProfileRecord},
    chain::ChainLink,
    rebuild::{RebuildRecord, RebuiltRun},
};
use uuid::Uuid;

type Change = fn(&mut BuildSummary);

/// A completed run of TensorRT-RTX that a number stands for.
fn run(number: u128) -> BuildSummary {
    let mut said = summary(Outcome::Completed);
    said.run.id = Uuid::from_u128(number);
    let version = LibraryVersion { major: 1, minor: 7, patch: 1, build: 116 };
    said.library = Some(LibraryRecord {
        path: "/lib/libtensorrt_rtx.so".to_owned(),
        digest: Sha256Digest::of(b"library"),
        version,
        parser_path: None,
        parser_digest: Some(Sha256Digest::of(b"parser")),
    });
    said.settings.insert("threads".to_owned(), json!(2));
    said
}

fn set_plan(summary: &mut BuildSummary, bytes: &[u8]) {
    summary.artifacts[0].digest = Some(Sha256Digest::of(bytes));
    summary.artifacts[0].bytes = bytes.len() as u64;
}

fn judged(change: Change) -> Judged {
    let mut rebuilt = run(2);
    change(&mut rebuilt);
    judge(&run(1), &rebuilt)
}

#[test]
fn the_same_bytes_are_reproduced_whatever_else_differs() {
    let cases: [(Change, &[&str]); 6] = [
        (|_| {}, &[]),
        (|it| it.host.kernel = "other".to_owned(), &[]),
        (|it| it.host.os = "other".to_owned(), &["host.os"]),
        (|it| it.gpu_sku = "NVIDIA H200".to_owned(), &["gpuSku"]),
        (|it| it.outcome = Outcome::CancelRequestedButCompleted, &[]),
        (|it| it.library.as_mut().unwrap().digest = Sha256Digest::of(b"patched"), &["library.digest"]),
    ];
    for (change, names) in cases {
        let found = judged(change);
        let told: Vec<&str> = found.differing.iter().map(|it| it.name.as_str()).collect();
        assert_eq!((found.verdict, told), (Verdict::Reproduced, names.to_vec()));
        assert_eq!((found.obstacle, found.plans), (None, None));
    }
}

#[test]
fn another_plan_is_told_with_the_nearest_cause_first() {
    let cases: [(Change, &[&str]); 5] = [
        (|it| set_plan(it, b"other"), &[]),
        (
            |it| {
                set_plan(it, b"other");
                it.host.architecture = "aarch64".to_owned();
                it.settings.insert("targets".to_owned(), json!(["sm86"]));
                it.settings.remove("threads");
                it.library.as_mut().unwrap().parser_digest = None;
            },
            &["settings.targets", "settings.threads", "library.parserDigest", "host.architecture"],
        ),
        (
            |it| {
                set_plan(it, b"other");
                it.settings.insert("a".to_owned(), json!(1));
                it.profiles =
                    vec![ProfileRecord { input: "x".to_owned(), min: vec![1], opt: vec![2], max: vec![3] }];
            },
            &["profiles", "settings.a"],
        ),
        (
            |it| {
                set_plan(it, b"longer than before");
                it.build_config_hash = Sha256Digest::of(b"spelled out");
                it.host.cuda = Some("13.0".to_owned());
            },
            &["host.cuda", "buildConfigHash"],
        ),
        (
            |it| {
                set_plan(it, b"other");
                (0..40).for_each(|n| drop(it.settings.insert(format!("s{n:02}"), json!("x".repeat(300)))));
            },
            &[
                "settings.s00",
                "settings.s01",
                "settings.s02",
                "settings.s03",
                "settings.s04",
                "settings.s05",
                "settings.s06",
                "settings.s07",
                "settings.s08",
                "settings.s09",
                "settings.s10",
                "settings.s11",
                "settings.s12",
                "settings.s13",
                "settings.s14",
                "settings.s15",
            ],
        ),
    ];
    for (change, names) in cases {
        let found = judged(change);
        let told: Vec<&str> = found.differing.iter().map(|it| it.name.as_str()).collect();
        assert_eq!((found.verdict, told), (Verdict::NotReproduced, names.to_vec()));
        let plans = found.plans.unwrap();
        assert_eq!((plans.expected_bytes, plans.first_offset), (Count64(4), None));
        assert!(found.differing.iter().all(|it| it.found.as_ref().is_none_or(|it| it.len() <= 200)));
    }
    let gone = judged(|it| {
        set_plan(it, b"other");
        it.settings.remove("threads");
    });
    assert_eq!((gone.differing[0].expected.as_deref(), &gone.differing[0].found), (Some("2"), &None));
}

#[test]
fn what_cannot_be_compared_is_never_judged() {
    let of_run: [(Change, ObstacleKind); 7] = [
        (|it| it.builder = BuilderKind::Simulated, ObstacleKind::Simulated),
        (|it| it.builder = BuilderKind::External, ObstacleKind::WatchedFromOutside),
        (|it| it.builder = BuilderKind::Tensorrt, ObstacleKind::NotAheadOfTime),
        (|it| it.artifacts.clear(), ObstacleKind::NoPlan),
        (|it| it.artifacts[0].digest = None, ObstacleKind::NoPlan),
        (
            |it| it.artifacts[0].disposition = crate::evidence::artifact::Disposition::Removed,
            ObstacleKind::NoPlan,
        ),
        (|it| *it = summary(Outcome::Cancelled), ObstacleKind::NoPlan),
    ];
    for (change, kind) in of_run {
        let mut original = run(1);
        change(&mut original);
        let found = judge(&original, &run(2));
        assert_eq!((found.verdict, found.obstacle.map(|it| it.kind)), (Verdict::NotComparable, Some(kind)));
    }
    let of_rebuild: [(Change, ObstacleKind, &str); 5] = [
        (
            |it| it.network.digest = Sha256Digest::of(b"other"),
            ObstacleKind::OtherModel,
            "d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa",
        ),
        (
            |it| drop(it.settings.insert(WEIGHTS.to_owned(), json!([{ "file": "w" }]))),
            ObstacleKind::OtherWeights,
            "[{\"file\":\"w\"}]",
        ),
        (
            |it| it.tensorrt_version = "1.7.1.117".to_owned(),
            ObstacleKind::OtherLibrary,
            "tensorrt_rtx 1.7.1.117",
        ),
        (|it| it.builder = BuilderKind::Tensorrt, ObstacleKind::OtherLibrary, "tensorrt 1.7.1.116"),
        (|it| *it = summary(Outcome::Failed), ObstacleKind::RebuildFailed, "failed"),
    ];
    for (change, kind, words) in of_rebuild {
        let found = judged(change);
        let obstacle = found.obstacle.unwrap();
        assert_eq!((found.verdict, obstacle.kind), (Verdict::NotComparable, kind));
        assert_eq!(obstacle.found.as_deref(), Some(words));
        assert!(found.differing.is_empty() && found.plans.is_none());
    }
}

/// A statement of a rebuild by its evidence.
fn record(original: &BuildSummary, rebuilt: &BuildSummary) -> RebuildRecord {
    let judged = judge(original, rebuilt);
    RebuildRecord {
        run: original.run.id,
        entry: entry(original),
        plan: original.plan().and_then(|plan| plan.digest),
        rebuilt: Some(RebuiltRun { run: rebuilt.run.id, entry: entry(rebuilt) }),
        verdict: judged.verdict,
        obstacle: judged.obstacle,
        differing: judged.differing,
        plans: judged.plans,
        at: "2026-11-30T10:00:00Z".parse().unwrap(),
        chain: ChainLink::new(2, None),
    }
}

fn entry(summary: &BuildSummary) -> Sha256Digest {
    Sha256Digest::of(summary.run.id.as_bytes())
}

fn logged<'a>(agent: &'a str, summary: &'a BuildSummary) -> Original<'a> {
    Original { agent, entry: entry(summary), summary }
}

#[test]
fn others_are_counted_by_agent_and_owner_and_the_runs_own_agent_apart() {
    let (original, rebuilt, mut other) = (run(1), run(2), run(3));
    set_plan(&mut other, b"other");
    other.settings.insert("targets".to_owned(), json!(["sm86"]));
    let (same, differs) = (record(&original, &rebuilt), record(&original, &other));
    assert_eq!((same.check(), differs.check()), (Ok(()), Ok(())));
    let told = |index, agent, owner, record, by: &'static str, summary| Told {
        index,
        agent,
        owner,
        record,
        rebuilt: Some(logged(by, summary)),
    };
    let found = standing(
        logged("builder-7", &original),
        &[
            told(9, "lab-2", Some("ada"), &same, "lab-2", &rebuilt),
            told(5, "lab-1", Some("ada"), &same, "lab-1", &rebuilt),
            told(6, "lab-1", Some("ada"), &same, "lab-1", &rebuilt),
            told(7, "builder-7", None, &same, "builder-7", &rebuilt),
            told(8, "lab-3", None, &differs, "lab-3", &other),
        ],
    );
    assert_eq!((found.reproduced, found.reproduced_by_itself, found.not_reproduced), (3, 1, 1));
    assert_eq!(
        (found.agents.join(" "), found.owners.join(" ")),
        ("lab-1 lab-2".to_owned(), "ada".to_owned())
    );
    assert_eq!(found.first_difference.as_deref(), Some("settings.targets"));
    assert_eq!((found.not_comparable, found.unsupported), (0, 0));
    let order: Vec<u64> = found.rebuilds.iter().map(|it| it.index).collect();
    assert_eq!(order, [5, 6, 7, 8, 9]);
}

#[test]
fn a_statement_that_its_evidence_does_not_bear_counts_nowhere() {
    let (original, rebuilt, mut other) = (run(1), run(2), run(3));
    set_plan(&mut other, b"other");
    let good = record(&original, &rebuilt);
    let lie = RebuildRecord {
        rebuilt: Some(RebuiltRun { run: other.run.id, entry: entry(&other) }),
        ..good.clone()
    };
    let offset = {
        let mut record = record(&original, &other);
        record.plans.as_mut().unwrap().first_offset = Some(Count64(3));
        record
    };
    let without = |kind, found: Option<&str>| RebuildRecord {
        rebuilt: None,
        verdict: Verdict::NotComparable,
        obstacle: Some(Obstacle { kind, expected: None, found: found.map(str::to_owned) }),
        ..good.clone()
    };
    let by = |agent, summary| Some(logged(agent, summary));
    for (record, rebuilt, expected) in [
        (good.clone(), by("lab", &rebuilt), Support::Holds),
        (offset, by("lab", &other), Support::Holds),
        (lie, by("lab", &other), Support::Contradicted),
        (good.clone(), by("somebody", &rebuilt), Support::NotItsOwn),
        (good.clone(), by("lab", &other), Support::NotItsOwn),
        (good.clone(), None, Support::NotLogged),
        (
            RebuildRecord { entry: Sha256Digest::of(b""), ..good.clone() },
            by("lab", &rebuilt),
            Support::AnotherSummary,
        ),
        (RebuildRecord { plan: None, ..good.clone() }, by("lab", &rebuilt), Support::AnotherSummary),
        (RebuildRecord { run: Uuid::nil(), ..good.clone() }, by("lab", &rebuilt), Support::AnotherSummary),
        (without(ObstacleKind::OtherModel, None), None, Support::Holds),
        (without(ObstacleKind::NoPlan, Some("cancelled")), None, Support::Contradicted),
        (without(ObstacleKind::RebuildFailed, Some("failed")), None, Support::Contradicted),
        (RebuildRecord { rebuilt: None, ..good.clone() }, None, Support::Contradicted),
    ] {
        let told = Told { index: 4, agent: "lab", owner: None, record: &record, rebuilt };
        let found = standing(logged("builder-7", &original), &[told]);
        assert_eq!(found.rebuilds[0].support, expected, "{record:?}");
        assert_eq!(found.unsupported, u64::from(expected != Support::Holds));
        let counted = found.reproduced + found.not_reproduced + found.not_comparable;
        assert_eq!(counted, u64::from(expected == Support::Holds));
    }
    let cancelled = summary(Outcome::Cancelled);
    let record = RebuildRecord {
        run: cancelled.run.id,
        entry: entry(&cancelled),
        plan: None,
        ..without(ObstacleKind::NoPlan, Some("cancelled"))
    };
    let told = Told { index: 4, agent: "lab", owner: None, record: &record, rebuilt: None };
    assert_eq!(standing(logged("builder-7", &cancelled), &[told]).not_comparable, 1);
}

fn changed() -> impl Strategy<Value = BuildSummary> {
    let settings = prop::collection::btree_map("[a-c]", 0_u8..3, 0..3);
    let outcome = prop::sample::select(vec![Outcome::Completed, Outcome::Cancelled, Outcome::Failed]);
    let builder = prop::sample::select(vec![BuilderKind::TensorrtRtx, BuilderKind::Tensorrt]);
    (settings, outcome, builder, 0_u8..3, 0_u8..2, "[ab]").prop_map(
        |(settings, outcome, builder, plan, model, os)| {
            let mut said = run(1);
            if outcome != Outcome::Completed {
                said.artifacts.clear();
            } else {
                set_plan(&mut said, &[plan]);
            }
            (said.outcome, said.builder, said.host.os) = (outcome, builder, os);
            said.network.digest = Sha256Digest::of(&[model]);
            said.settings = settings.into_iter().map(|(name, value)| (name, json!(value))).collect();
            said
        },
    )
}

proptest! {
    /// "Reproduced" is said exactly of equal plans, from both sides alike; each verdict comes with what belongs to it; and
    /// what is judged can be signed and then holds.
    #[test]
    fn a_verdict_is_symmetric_and_bears_its_own_record(a in changed(), b in changed()) {
        let (there, back) = (judge(&a, &b), judge(&b, &a));
        let digest = |it: &BuildSummary| it.plan().and_then(|plan| plan.digest);
        if there.verdict == Verdict::Reproduced {
            prop_assert!(digest(&a).is_some() && digest(&a) == digest(&b));
        }
        if digest(&a).is_some() && digest(&b).is_some() {
            prop_assert_eq!(there.verdict, back.verdict);
            let names = |it: &Judged| it.differing.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
            prop_assert_eq!(names(&there), names(&back));
        }
        let mut rebuilt = b.clone();
        rebuilt.run.id = Uuid::from_u128(2);
        let record = record(&a, &rebuilt);
        prop_assert_eq!(record.check(), Ok(()));
        let told = Told { index: 1, agent: "lab", owner: None, record: &record, rebuilt: Some(logged("lab", &rebuilt)) };
        let found = standing(logged("builder-7", &a), &[told]);
        prop_assert_eq!(found.unsupported, 0, "{:?}", record);
    }
}
