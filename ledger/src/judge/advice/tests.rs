//! A table of cases, and what holds for every case.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{
    super::{baseline::BaselineKey, stuck::Situation},
    *,
};
use crate::{
    evidence::{
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        build::{
            BuildSummary, Durations, FRAMEWORK, HostRecord, Language, NO_GPU, NetworkRecord, Resources,
            RetryPolicy, RunRef, ValidationStatus,
        },
        cancel::CancelSource,
        chain::ChainLink,
        timing_cache::TimingCacheRecord,
    },
    judge::baseline::tests::{inner, tree},
};

/// A summary with this outcome; a completed one has a plan.
pub(crate) fn summary(outcome: Outcome) -> BuildSummary {
    let plan = Artifact {
        name: "net.plan".to_owned(),
        kind: ArtifactKind::Plan,
        bytes: 4,
        digest: Some(Sha256Digest::of(b"plan")),
        disposition: Disposition::Kept,
        media_type: None,
        digest_before: None,
    };
    let completed = matches!(outcome, Outcome::Completed | Outcome::CancelRequestedButCompleted);
    BuildSummary {
        framework: FRAMEWORK.to_owned(),
        tensorrt_version: "1.7.1.116".to_owned(),
        language: Language::Cpp,
        build_config_hash: Sha256Digest::of(b"configuration"),
        gpu_sku: NO_GPU.to_owned(),
        timing_cache_mode: TimingCacheMode::NotApplicable,
        cancel_source: CancelSource::None,
        cancel_latency_ms: None,
        cleanup_status: CleanupStatus::NotNeeded,
        retry_policy: RetryPolicy::None,
        validation_status: ValidationStatus::Pending,
        run: RunRef { id: Uuid::nil(), route: None, attempt: 1, retry_of: None },
        outcome,
        builder: BuilderKind::TensorrtRtx,
        started_at: "2026-11-29T20:00:00Z".parse().unwrap(),
        finished_at: "2026-11-29T20:00:02Z".parse().unwrap(),
        library: None,
        host: HostRecord {
            os: "test".to_owned(),
            kernel: "test".to_owned(),
            architecture: "x86_64".to_owned(),
            cpus: 2,
            container: None,
            driver: None,
            cuda: None,
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
        settings: BTreeMap::new(),
        profiles: Vec::new(),
        command_line: Vec::new(),
        purpose: None,
        command_digest: None,
        duration_ms: Durations::default(),
        phase_tree: None,
        events: None,
        log: None,
        resources: Resources::default(),
        output_path: "net.plan".to_owned(),
        artifacts: if completed { vec![plan] } else { Vec::new() },
        timing_cache: TimingCacheRecord {
            file: None,
            digest_before: None,
            digest_after: None,
            bytes_before: None,
            bytes_after: None,
            policy: String::new(),
            reasons: Vec::new(),
            changes: None,
        },
        cancel: None,
        failure: None,
        chain: ChainLink::new(1, None),
    }
}

fn entry(number: u128) -> EntryRef {
    EntryRef { run: Uuid::from_u128(number), digest: Sha256Digest::of(&number.to_be_bytes()), index: None }
}

/// A run that is over.
fn over(number: u128, outcome: Outcome) -> RunFacts {
    let mut facts = RunFacts::of(&summary(outcome), None, entry(number));
    facts.run = Uuid::from_u128(number);
    facts
}

/// A run that goes on and is silent in the inner phase.
fn running(silent_ms: f64, wait: Wait) -> RunFacts {
    let situation = Situation { place: inner(), open_ms: silent_ms, silent_ms, wait };
    RunFacts {
        outcome: None,
        entry: None,
        cache_mode: None,
        plan: None,
        situation: Some(situation),
        ..over(99, Outcome::Completed)
    }
}

/// Builds that were silent in the inner phase for 4,001 to 4,000 + `n` milliseconds.
fn usual(n: u64) -> Baseline {
    let done = summary(Outcome::Completed);
    let mut baseline = Baseline::new(BaselineKey::of(&done));
    for number in 1..=n {
        assert!(baseline.take(&done, &tree(4_000 + number), entry(1_000 + u128::from(number))));
    }
    baseline
}

fn answer(advice: &Advice, question: Question) -> &AnswerTo {
    advice.answers.iter().find(|answer| answer.question == question).unwrap()
}

/// The answers to "continue?" and "cancel?".
fn go_on_or_cancel(run: &RunFacts, history: &[RunFacts], baseline: &Baseline) -> (Verdict, Verdict) {
    let advice = advise(run, history, baseline);
    (answer(&advice, Question::Continue).answer, answer(&advice, Question::Cancel).answer)
}

const MISSING: (Verdict, Verdict) = (Verdict::EvidenceMissing, Verdict::EvidenceMissing);
const GO_ON: (Verdict, Verdict) = (Verdict::Yes, Verdict::No);
const CANCEL: (Verdict, Verdict) = (Verdict::No, Verdict::Yes);

#[test]
fn a_silence_counts_only_beyond_everything_seen_and_never_alone() {
    let quiet = |ms| running(ms, Wait::NotAsked);
    let slow = |ms| {
        let mut run = quiet(ms);
        run.situation.as_mut().unwrap().open_ms = 90_000.0;
        run
    };
    let idle = |run: RunFacts| RunFacts { busy_per_mille: Some(3), ..run };
    for (run, builds, expected) in [
        // As usual, or unusual and seen before.
        (quiet(100.0), 20, GO_ON),
        (quiet(4_019.5), 20, GO_ON),
        (slow(100.0), 20, GO_ON),
        // Nothing to compare with.
        (quiet(100.0), 0, MISSING),
        (quiet(600_000.0), 19, MISSING),
        (idle(quiet(600_000.0)), 19, MISSING),
        // Longer than ever: by itself it is only "nothing moves".
        (running(4_021.0, Wait::NotAsked), 20, MISSING),
        (slow(600_000.0), 20, CANCEL),
        (idle(quiet(4_020.5)), 20, CANCEL),
        // Asked already: there is nothing to decide.
        (running(600_000.0, Wait::NoAcknowledgementYet { waited_ms: 9.0 }), 20, (Verdict::No, Verdict::No)),
        (RunFacts { situation: None, ..quiet(1.0) }, 20, MISSING),
    ] {
        // `open_ms` of a quiet run is within what was seen where its silence barely is not.
        let found = go_on_or_cancel(&run, &[], &usual(builds));
        let alone = advise(&run, &[], &usual(builds));
        let alone = answer(&alone, Question::Cancel).reasons.contains(&Reason::SparseProgressAlone);
        assert_eq!(found, expected, "{run:?} {builds}");
        assert_eq!(alone, run.situation.is_some_and(|it| it.silent_ms == 4_021.0), "{builds}");
    }
}

#[test]
fn what_explains_a_silence_is_weighed_first() {
    let usual = usual(20);
    let stuck = || RunFacts { busy_per_mille: Some(0), ..running(600_000.0, Wait::NotAsked) };
    let before = || over(1, Outcome::Completed);
    assert_eq!(go_on_or_cancel(&stuck(), &[before()], &usual), CANCEL);
    let other_network = RunFacts { network: Some(Sha256Digest::of(b"old")), ..before() };
    let other_typing = RunFacts { strongly_typed: Some(false), ..before() };
    let mut other_sku = before();
    "GPU 2".clone_into(&mut other_sku.key.gpu_sku);
    for (history, code) in [
        (other_network, Reason::NetworkChanged),
        (other_typing, Reason::TypingChanged),
        (other_sku, Reason::NewSku { gpu_sku: NO_GPU.to_owned() }),
    ] {
        let advice = advise(&stuck(), &[history], &usual);
        let cancel = answer(&advice, Question::Cancel);
        assert_eq!(cancel.answer, Verdict::EvidenceMissing, "{code:?}");
        assert!(cancel.reasons.contains(&code), "{:?}", cancel.reasons);
    }
    // A tactic search asks for two facts beside the silence, an ordinary phase for one.
    let mut searching = stuck();
    let place = Place::of_names(["Building engine", "Timing tactics"], 0);
    let situation = searching.situation.as_mut().unwrap();
    situation.place = place.clone();
    let mut baseline = Baseline::new(searching.key.clone());
    let mut usual_tree = tree(4_000);
    "Timing tactics".clone_into(&mut usual_tree.phases[1].name);
    for number in 0..20 {
        assert!(baseline.take(&summary(Outcome::Completed), &usual_tree, entry(number)));
    }
    assert_eq!(go_on_or_cancel(&searching, &[], &baseline), CANCEL, "idle, and slower than ever");
    searching.situation.as_mut().unwrap().open_ms = 1.0;
    assert_eq!(go_on_or_cancel(&searching, &[], &baseline), MISSING, "idle alone");
    let stopped = RunFacts { stopped_in: Some(place.clone()), ..over(2, Outcome::Cancelled) };
    let advice = advise(&searching, &[stopped], &baseline);
    assert_eq!(answer(&advice, Question::Cancel).answer, Verdict::Yes, "idle, and stopped here before");
    assert!(answer(&advice, Question::Cancel).reasons.contains(&Reason::SamePhaseTwice { place }));
    assert!(answer(&advice, Question::Cancel).rests_on.contains(&entry(2)));
}

#[test]
fn a_run_that_is_over_is_neither_continued_nor_cancelled() {
    for outcome in [Outcome::Completed, Outcome::Cancelled, Outcome::Failed, Outcome::Crashed] {
        let advice = advise(&over(1, outcome), &[], &usual(20));
        for question in [Question::Continue, Question::Cancel] {
            let answer = answer(&advice, question);
            assert_eq!(
                (answer.answer, &answer.reasons[..]),
                (Verdict::No, &[Reason::RunOver { outcome }][..])
            );
            assert_eq!(answer.rests_on, [entry(1)]);
        }
    }
}

#[test]
fn a_retry_uses_the_cache_only_if_it_was_proven() {
    use TimingCacheMode::{Cold, Discarded, NotApplicable, Quarantined, Reused, Updated};
    for (mode, expected) in [
        (Some(Reused), Verdict::Yes),
        (Some(Updated), Verdict::Yes),
        (Some(Cold), Verdict::No),
        (Some(Discarded), Verdict::No),
        (Some(Quarantined), Verdict::No),
        (Some(NotApplicable), Verdict::No),
        (None, Verdict::EvidenceMissing),
    ] {
        let run = RunFacts { cache_mode: mode, ..over(1, Outcome::Cancelled) };
        let advice = advise(&run, &[], &usual(0));
        assert_eq!(answer(&advice, Question::RetryWithCache).answer, expected, "{mode:?}");
    }
}

#[test]
fn going_back_needs_a_known_engine_and_a_second_stop() {
    let stopped = |number, outcome| RunFacts { stopped_in: Some(inner()), ..over(number, outcome) };
    let elsewhere = |number| RunFacts {
        stopped_in: Some(Place::of_names(["Building engine"], 0)),
        ..over(number, Outcome::Failed)
    };
    let engine = || over(1, Outcome::Completed);
    let other_route = || RunFacts {
        route: Some("other".to_owned()),
        output: "other.plan".to_owned(),
        ..over(1, Outcome::Completed)
    };
    let ignored = || over(1, Outcome::CancelRequestedButCompleted);
    for (run, history, expected, twice) in [
        (stopped(9, Outcome::Failed), vec![engine()], Verdict::No, false),
        (stopped(9, Outcome::Failed), vec![engine(), stopped(2, Outcome::Failed)], Verdict::Yes, true),
        (stopped(9, Outcome::Cancelled), vec![engine(), stopped(2, Outcome::Crashed)], Verdict::Yes, true),
        (stopped(9, Outcome::Failed), vec![engine(), elsewhere(2)], Verdict::No, false),
        // A build that completed in between: the second stop is a first one again.
        (stopped(9, Outcome::Failed), vec![stopped(2, Outcome::Failed), engine()], Verdict::No, false),
        (stopped(9, Outcome::Failed), vec![stopped(2, Outcome::Failed)], Verdict::EvidenceMissing, true),
        (stopped(9, Outcome::Failed), vec![other_route()], Verdict::EvidenceMissing, false),
        (stopped(9, Outcome::Failed), vec![ignored()], Verdict::EvidenceMissing, false),
        (engine(), vec![], Verdict::No, false),
        (ignored(), vec![], Verdict::EvidenceMissing, false),
        (running(1.0, Wait::NotAsked), vec![engine()], Verdict::No, false),
    ] {
        let advice = advise(&run, &history, &usual(0));
        let found = answer(&advice, Question::GoBack);
        assert_eq!(found.answer, expected, "{run:?} {history:?}");
        assert_eq!(advice.diagnosis, if twice { DIAGNOSIS.to_vec() } else { Vec::new() }, "{history:?}");
    }
    let simulated = {
        let mut it = engine();
        it.key.builder = BuilderKind::Simulated;
        it
    };
    assert_eq!(known_engine(&stopped(9, Outcome::Failed), &[simulated]), None);
}

#[test]
fn attempts_are_kin_by_configuration_or_by_chain() {
    let at = |number, retry_of: Option<u128>, config: &[u8]| {
        let mut run = RunFacts { stopped_in: Some(inner()), ..over(number, Outcome::Cancelled) };
        run.retry_of = retry_of.map(Uuid::from_u128);
        run.key.build_config_hash = Sha256Digest::of(config);
        run
    };
    for (before, kin) in [
        (at(1, None, b"a"), true),
        (at(1, None, b"b"), false),
        (at(5, None, b"b"), true),
        (at(6, Some(5), b"b"), true),
    ] {
        let run = at(9, Some(5), b"a");
        assert_eq!(
            stopped_before(&run, &inner(), std::slice::from_ref(&before)).is_some(),
            kin,
            "{before:?}"
        );
    }
}

#[test]
fn codes_are_what_other_programs_read() {
    let advice = advise(&over(1, Outcome::Cancelled), &[], &usual(0));
    let json = serde_json::to_value(&advice).unwrap();
    assert_eq!(json["answers"][0]["question"], "continue");
    assert_eq!(json["answers"][0]["reasons"][0]["code"], "run_over");
    assert_eq!(json["answers"][0]["reasons"][0]["outcome"], "cancelled");
    assert_eq!(json["answers"][3]["answer"], "evidence_missing");
    assert_eq!(serde_json::from_value::<Advice>(json).unwrap(), advice);
    let reason = serde_json::to_value(Reason::Silence(usual(3).silence(&inner(), 5.0))).unwrap();
    assert_eq!((&reason["code"], &reason["standing"]), (&"silence".into(), &"too_small".into()));
    assert_eq!(reason["longestMs"], 4_003.0);
}

proptest! {
    /// Whatever the numbers are: with too few builds, or by a silence alone, nobody is told to cancel; and nobody is
    /// told to continue and to cancel at once.
    #[test]
    fn nobody_is_told_to_cancel_for_silence_alone(
        silent_ms in 0.0_f64..1e9, builds in 0_u64..30, busy in prop::option::of(IDLE_PER_MILLE..1_000),
    ) {
        let mut run = running(silent_ms, Wait::NotAsked);
        run.busy_per_mille = busy;
        run.situation.as_mut().unwrap().open_ms = 0.0;
        let (go_on, cancel) = go_on_or_cancel(&run, &[], &usual(builds));
        prop_assert_ne!(cancel, Verdict::Yes);
        prop_assert!(go_on != Verdict::Yes || cancel == Verdict::No);
        run.situation.as_mut().unwrap().open_ms = 1e12;
        let (go_on, cancel) = go_on_or_cancel(&run, &[], &usual(builds.min(19)));
        prop_assert_eq!((go_on, cancel), MISSING);
    }
}
