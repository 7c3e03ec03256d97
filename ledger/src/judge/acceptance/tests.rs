//! Each criterion broken one at a time fails, and only it; leaving evidence out never helps.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::evidence::{
    acceptance::{AcceptanceRecord, ListedFile, NotRun, PLANS, ScenarioRecord},
    artifact::{CleanupStatus, Disposition},
    build::{FRAMEWORK, NO_GPU, RetryPolicy, ValidationStatus},
    cancel::CancelSource,
    chain::ChainLink,
    number::Count64,
    timing_cache::TimingCacheMode,
};

use self::facts::{at, attempt, good};

mod facts;

fn verdicts(scenario: Scenario, facts: &ScenarioFacts) -> Vec<(Criterion, Verdict, String)> {
    judge(scenario, facts).into_iter().map(|it| (it.criterion, it.verdict, it.reason)).collect()
}

#[test]
fn a_scenario_as_it_should_be_passes() {
    for scenario in Scenario::ALL {
        for record in judge(scenario, &good(scenario)) {
            assert_eq!(record.verdict, Verdict::Pass, "{scenario:?}: {record:?}");
            assert!(!record.evidence.is_empty() && record.sentence.len() <= MAX_SENTENCE_BYTES, "{record:?}");
        }
    }
}

type Break = fn(&mut ScenarioFacts);

/// What is broken, which criterion fails of it and why.
const BROKEN: &[(Criterion, &str, Break)] = &[
    (Criterion::Baseline, "fact_missing", |it| it.of(Role::Baseline).summary.network.layers = None),
    (Criterion::Baseline, "fact_missing", |it| it.of(Role::Baseline).summary.log = None),
    (Criterion::Baseline, "fact_missing", |it| it.of(Role::Baseline).summary.library = None),
    (Criterion::Baseline, "other_configuration", |it| {
        it.of(Role::Faulted).summary.build_config_hash = Sha256Digest::of(b"another");
    }),
    (Criterion::Observable, "events_lost", |it| it.retree(Role::Faulted, |tree| tree.lost_events = 1)),
    (Criterion::Observable, "events_orphaned", |it| it.retree(Role::Retry, |tree| tree.orphan_events = 1)),
    (Criterion::Observable, "phases_not_kept", |it| {
        it.retree(Role::Baseline, |tree| tree.phases_not_kept = 1)
    }),
    (Criterion::Observable, "tree_malformed", |it| it.retree(Role::Baseline, |tree| tree.phases[0].id = 7)),
    (Criterion::Observable, "tree_differs", |it| {
        it.retree(Role::Baseline, |tree| tree.phases[1].started = Count64(3));
    }),
    (Criterion::Observable, "tree_differs", |it| {
        it.relog(Role::Faulted, |lines| drop(lines.pop()));
    }),
    (Criterion::Observable, "tree_differs", |it| {
        it.relog(Role::Faulted, |lines| drop(lines.remove(2)));
    }),
    (Criterion::Observable, "event_log_malformed", |it| it.relog(Role::Faulted, |lines| lines.swap(0, 1))),
    (Criterion::Observable, "event_log_malformed", |it| {
        it.relog(Role::Retry, |lines| lines[1] = lines[1].replace(r#""phaseId":1"#, r#""phaseId":null"#));
    }),
    (Criterion::Interruptible, "other_source", |it| {
        it.of(Role::Faulted).summary.cancel_source = CancelSource::Ci;
    }),
    (Criterion::Interruptible, "never_answered", |it| {
        it.retree(Role::Faulted, |tree| tree.phases[1].answered_stop = false);
    }),
    (Criterion::Measured, "not_measured", |it| {
        it.of(Role::Faulted).summary.cancel.as_mut().unwrap().ack_to_cleanup_ms = None;
    }),
    (Criterion::Measured, "not_measured", |it| {
        it.of(Role::Faulted).summary.cancel.as_mut().unwrap().censored_after_ms = Some(3.0);
    }),
    (Criterion::Measured, "latency_differs", |it| it.of(Role::Faulted).summary.cancel_latency_ms = Some(0.0)),
    (Criterion::Cleaned, "file_left", |it| {
        it.relist(Role::Faulted, |listing| {
            let digest = Sha256Digest::of(b"half");
            listing.after.push(ListedFile { name: format!("{PLANS}.model.plan.part"), bytes: 4, digest });
        });
    }),
    (Criterion::Cleaned, "file_gone", |it| it.relist(Role::Baseline, |listing| listing.after.clear())),
    (Criterion::Cleaned, "cleanup_failed", |it| {
        it.of(Role::Faulted).summary.cleanup_status = CleanupStatus::Failed;
    }),
    (Criterion::Cleaned, "no_disposition", |it| it.of(Role::Faulted).summary.artifacts.clear()),
    (Criterion::Cleaned, "partial_kept", |it| {
        let artifacts = &mut it.of(Role::Faulted).summary.artifacts;
        artifacts.iter_mut().for_each(|artifact| artifact.disposition = Disposition::Kept);
    }),
    (Criterion::CacheSafe, "no_reason", |it| it.of(Role::Faulted).summary.timing_cache.reasons.clear()),
    (Criterion::CacheSafe, "suspect_reused", |it| {
        it.of(Role::Faulted).summary.timing_cache_mode = TimingCacheMode::Reused;
    }),
    (Criterion::CacheSafe, "cache_contradicted", |it| {
        it.of(Role::Faulted).summary.timing_cache_mode = TimingCacheMode::Cold;
    }),
    (Criterion::CacheSafe, "cache_changed", |it| {
        it.relist(Role::Faulted, |listing| listing.after[0].digest = Sha256Digest::of(b"written"));
    }),
    (Criterion::Retryable, "not_linked", |it| it.of(Role::Retry).summary.run.retry_of = None),
    (Criterion::Retryable, "not_linked", |it| it.of(Role::Retry).summary.run.attempt = 1),
    (Criterion::Retryable, "policy_not_followed", |it| {
        it.of(Role::Retry).summary.timing_cache.digest_before = Some(Sha256Digest::of(b"some cache"));
    }),
    (Criterion::Retryable, "no_policy", |it| it.of(Role::Faulted).summary.retry_policy = RetryPolicy::None),
    (Criterion::Retryable, "other_configuration", |it| {
        it.of(Role::Retry).summary.settings.insert("threads".to_owned(), json!(9));
    }),
    (Criterion::Separated, "taken_for_correct", |it| {
        it.of(Role::Retry).summary.validation_status = ValidationStatus::Pass;
    }),
    (Criterion::Separated, "no_observation", |it| {
        it.of(Role::Faulted).summary.resources.peak_rss_bytes = None;
    }),
    (Criterion::Separated, "no_observation", |it| {
        it.of(Role::Retry).summary.gpu_sku = "NVIDIA H200".to_owned()
    }),
];

#[test]
fn each_criterion_broken_alone_fails_alone() {
    let mut seen = std::collections::BTreeSet::new();
    for (broken, reason, change) in BROKEN {
        let mut facts = good(Scenario::ColdTimingCache);
        change(&mut facts);
        for record in judge(Scenario::ColdTimingCache, &facts) {
            if record.criterion == *broken {
                assert_eq!((record.verdict, record.reason.as_str()), (Verdict::Fail, *reason), "{record:?}");
            } else {
                assert_eq!(record.verdict, Verdict::Pass, "{broken:?} {reason}: {record:?}");
            }
        }
        seen.insert(*broken);
    }
    assert_eq!(seen.len(), Criterion::ALL.len(), "a criterion that nothing breaks is not judged");
}

#[test]
fn a_retry_with_other_bytes_is_not_correct() {
    let mut facts = good(Scenario::CtrlC);
    let digest = Sha256Digest::of(b"other plan");
    facts.of(Role::Retry).summary.artifacts[0].digest = Some(digest);
    let differs = |facts: &ScenarioFacts| verdicts(Scenario::CtrlC, facts)[7].clone();
    assert_eq!(differs(&facts).2, "other_file");
    facts.relist(Role::Retry, |listing| listing.after[0].digest = digest);
    assert_eq!(differs(&facts), (Criterion::Separated, Verdict::Fail, "other_bytes".to_owned()));
    facts.of(Role::Retry).summary.builder = BuilderKind::Tensorrt;
    assert_eq!(differs(&facts), (Criterion::Separated, Verdict::NotRun, "no_validation".to_owned()));
}

#[test]
fn a_library_that_never_listens_is_said() {
    let mut facts = good(Scenario::ServiceShutdown);
    facts.end(Role::Faulted, Outcome::CancelRequestedButCompleted);
    facts.retree(Role::Faulted, |tree| tree.phases[1].answered_stop = false);
    let (_, retried) = attempt(4, Role::Retry, Scenario::ServiceShutdown);
    let faulted = facts.of(Role::Faulted);
    faulted.summary.artifacts = retried.summary.artifacts;
    faulted.summary.validation_status = ValidationStatus::Pending;
    faulted.summary.cancel_latency_ms = None;
    let cancel = faulted.summary.cancel.as_mut().unwrap();
    (cancel.request_to_ack_ms, cancel.ack_to_cleanup_ms) = (None, None);
    (cancel.acknowledged_at, cancel.censored_after_ms) = (None, Some(40.0));
    facts.relist(Role::Faulted, |listing| {
        let digest = Sha256Digest::of(b"plan");
        listing.after = vec![ListedFile { name: format!("{PLANS}model.plan"), bytes: 4, digest }];
    });
    facts.remove(Role::Retry);
    let said: Vec<(Verdict, String)> =
        verdicts(Scenario::ServiceShutdown, &facts).into_iter().map(|it| (it.1, it.2)).collect();
    let said: Vec<(Verdict, &str)> =
        said.iter().map(|(verdict, reason)| (*verdict, reason.as_str())).collect();
    use Verdict::{Fail, NotRun, Pass};
    assert_eq!(
        said,
        [
            (Pass, "on_record"),
            (Pass, "rebuilt"),
            (Fail, "never_answered"),
            (NotRun, "only_censored"),
            (NotRun, "no_cancel"),
            (Pass, "decided"),
            (NotRun, "no_cancel"),
            (NotRun, "no_retry"),
        ]
    );
}

#[test]
fn a_baseline_that_does_not_build_fails_and_the_rest_is_not_run() {
    let mut facts = good(Scenario::DeepTacticSearch);
    facts.end(Role::Baseline, Outcome::Failed);
    facts.remove(Role::Faulted);
    facts.remove(Role::Retry);
    let said = verdicts(Scenario::DeepTacticSearch, &facts);
    assert_eq!((said[0].1, said[0].2.as_str()), (Verdict::Fail, "not_completed"));
    for criterion in
        [Criterion::Interruptible, Criterion::Measured, Criterion::Retryable, Criterion::Separated]
    {
        let found = said.iter().find(|it| it.0 == criterion).unwrap();
        assert_eq!(found.1, Verdict::NotRun, "{found:?}");
    }
    assert!(said.iter().skip(1).all(|it| it.1 != Verdict::Fail));
}

#[test]
fn without_the_fault_on_record_nothing_but_the_baseline_is_said() {
    for (scenario, change) in [
        (
            Scenario::ColdTimingCache,
            (|it| it.of(Role::Faulted).summary.timing_cache.digest_before = None) as Break,
        ),
        (Scenario::ColdTimingCache, |it| it.of(Role::Baseline).summary.timing_cache.file = None),
        (Scenario::DeepTacticSearch, |it| it.of(Role::Faulted).summary.settings.clear()),
        (Scenario::SlowBuilderSettings, |it| drop(it.of(Role::Retry).summary.settings.remove("threads"))),
        (Scenario::StronglyTypedChange, |it| it.remove(Role::Reference)),
        (Scenario::StronglyTypedChange, |it| {
            it.of(Role::Reference).summary.network.inputs[0].dtype = "float16".to_owned();
            it.of(Role::Reference).summary.network.outputs[0].dtype = "float16".to_owned();
        }),
        (Scenario::NewGpuSku, |it| it.of(Role::Reference).summary.settings.clear()),
    ] {
        let mut facts = good(scenario);
        change(&mut facts);
        let said = verdicts(scenario, &facts);
        assert_eq!(said[0].1, Verdict::Pass, "{scenario:?} {said:?}");
        for (criterion, verdict, reason) in &said[1..] {
            assert_eq!((*verdict, reason.as_str()), (Verdict::NotRun, "fault_not_shown"), "{criterion:?}");
        }
    }
}

#[test]
fn what_is_not_what_it_is_said_to_be_leaves_nothing_to_judge() {
    for (reason, change) in [
        ("not_a_library", (|it| it.of(Role::Retry).summary.builder = BuilderKind::Simulated) as Break),
        ("not_a_library", |it| it.of(Role::Baseline).summary.builder = BuilderKind::External),
        ("evidence_missing", |it| it.of(Role::Faulted).tree = None),
        ("evidence_missing", |it| it.of(Role::Faulted).events = None),
        ("evidence_missing", |it| it.of(Role::Faulted).tree.as_mut().unwrap().push(b' ')),
        ("evidence_missing", |it| it.of(Role::Retry).listing.push(b' ')),
        ("evidence_missing", |it| it.of(Role::Retry).summary.outcome = Outcome::Failed),
        ("evidence_missing", |it| drop(it.evidence.pop())),
        ("no_run", |it| *it = ScenarioFacts::default()),
    ] {
        let mut facts = good(Scenario::CtrlC);
        change(&mut facts);
        for (criterion, verdict, found) in verdicts(Scenario::CtrlC, &facts) {
            assert_eq!((verdict, found.as_str()), (Verdict::NotRun, reason), "{criterion:?}");
        }
    }
}

proptest! {
    /// Whatever was broken before: an attempt of which the evidence is left out never makes a verdict a pass.
    #[test]
    fn leaving_evidence_out_never_makes_a_pass(
        scenario in 0..Scenario::ALL.len(),
        broken in proptest::collection::vec(0..BROKEN.len(), 0..3),
        left_out in 0_usize..4,
        also_its_run in any::<bool>(),
    ) {
        let scenario = Scenario::ALL[scenario];
        let mut facts = good(scenario);
        for index in broken {
            let (_, reason, change) = BROKEN[index];
            // This one only makes sense where a cache is offered.
            if reason != "cache_changed" || scenario == Scenario::ColdTimingCache {
                change(&mut facts);
            }
        }
        let before = verdicts(scenario, &facts);
        let position = left_out % facts.runs.len();
        facts.evidence.remove(position);
        let role = facts.runs[position].role;
        // The good attempt that a verdict rests on may be dropped from the record too; a bad one may not.
        let rests = before.iter().all(|it| it.1 == Verdict::Pass);
        if also_its_run && rests {
            facts.runs.remove(position);
        }
        for (was, now) in before.iter().zip(verdicts(scenario, &facts)) {
            if was.1 != Verdict::Pass {
                prop_assert!(now.1 != Verdict::Pass, "{role:?}: {was:?} became {now:?}");
            }
        }
    }
}

#[test]
fn a_record_has_the_tests_shape_and_fits_into_an_entry() {
    let ran = |scenario| {
        let facts = good(scenario);
        ScenarioRecord { scenario, not_run: None, criteria: judge(scenario, &facts), runs: facts.runs }
    };
    let mut record = AcceptanceRecord {
        framework: FRAMEWORK.to_owned(),
        id: Uuid::nil(),
        tensorrt_version: "1.7.1.116".to_owned(),
        gpu_sku: NO_GPU.to_owned(),
        builder: BuilderKind::TensorrtRtx,
        host: attempt(1, Role::Baseline, Scenario::CtrlC).1.summary.host,
        started_at: at(0),
        finished_at: at(90_000),
        scenarios: Scenario::ALL.map(ran).to_vec(),
        chain: ChainLink::new(9, None),
    };
    record.check().unwrap();
    assert_eq!((record.tally().ran, record.tally().passed, record.tally().failed), (10, 10, 0));
    // As long as it can become.
    let mut longest = record.clone();
    for scenario in &mut longest.scenarios {
        let run = scenario.runs[0].clone();
        scenario.runs.resize(crate::evidence::acceptance::MAX_RUNS, run);
        for criterion in &mut scenario.criteria {
            criterion.sentence = "s".repeat(MAX_SENTENCE_BYTES);
            criterion.evidence = (0..8).collect();
        }
    }
    let bytes = crate::log::jcs::to_vec(&longest).unwrap().len();
    assert!(bytes < 47_500, "{bytes} bytes do not fit into an entry");

    let not_run = NotRun { reason: "stopped".to_owned(), sentence: "it was stopped".to_owned() };
    record.scenarios[3].not_run = Some(not_run);
    assert!(record.check().unwrap_err().contains("new_gpu_sku"), "criteria of a scenario that was not run");
    record.scenarios[3].criteria.clear();
    record.check().unwrap();
    assert_eq!(record.tally().ran, 9);
    record.scenarios[0].criteria[0].evidence = vec![99];
    assert!(record.check().unwrap_err().contains("evidence"));
    record.scenarios.swap(0, 1);
    assert!(record.check().unwrap_err().contains("in order"));
}
