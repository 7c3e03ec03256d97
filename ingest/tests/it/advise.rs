//! Advice on runs, retries by the recorded policy, and what two stops in the same phase come to.

use std::{fs, time::Duration};

use acta_ledger::{
    evidence::build::{Outcome, RetryPolicy},
    judge::advice::{Advice, AnswerTo, DIAGNOSIS, Question, Reason, Verdict},
};
use acta_tests::onnx;
use rustix::process::Signal;

use crate::setup::{Bench, Running, explain, slow, summary};

fn advice(bench: &Bench, run: &str) -> Advice {
    serde_json::from_value(bench.agent.ok(&["advise", run, "--json"]).json()).unwrap()
}

fn answer(advice: &Advice, question: Question) -> &AnswerTo {
    advice.answers.iter().find(|answer| answer.question == question).unwrap()
}

#[test]
fn a_cancelled_run_is_retried_as_its_evidence_says() {
    let bench = Bench::new(&onnx::gemm());
    let first = summary(&bench.build(&["--timeout", "1ms", "--target", "sm86"]));
    assert_eq!((first.outcome, first.retry_policy), (Outcome::Cancelled, RetryPolicy::RetryCold));
    let said = advice(&bench, "last");
    assert_eq!(said.run, first.run.id);
    let over = &answer(&said, Question::Continue).reasons;
    assert_eq!(over[..], [Reason::RunOver { outcome: Outcome::Cancelled }]);
    assert_eq!(answer(&said, Question::GoBack).answer, Verdict::EvidenceMissing);

    let first_id = first.run.id.to_string();
    let again = explain(bench.agent.run(&["retry", "last", "--json"]));
    assert_eq!(again.code(), 0, "{}", again.stderr);
    let second = summary(&again);
    assert_eq!((second.run.attempt, second.run.retry_of), (2, Some(first.run.id)));
    assert_eq!(second.build_config_hash, first.build_config_hash);
    assert_eq!(second.settings["targets"][0], "sm86");
    assert!(bench.plan.exists());

    for (run, words) in [("last", "an engine came out"), ("0190", "no run's id")] {
        let refused = bench.agent.run(&["retry", run]);
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    let unknown = bench.agent.run(&["retry", "019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f"]);
    assert!(unknown.code() == 2 && unknown.stderr.contains("not built by this agent"), "{}", unknown.stderr);
    fs::write(&bench.model, onnx::chain(2, 8)).unwrap();
    let changed = bench.agent.run(&["retry", &first_id]);
    assert_eq!(changed.code(), 2);
    assert!(changed.stderr.contains("not the one that was built"), "{}", changed.stderr);
    assert!(changed.stderr.contains(&first.network.digest.to_string()), "{}", changed.stderr);
}

/// SM 7.5 has no FP32 GEMM: this build stops in the same phase each time.
#[test]
fn what_stops_twice_in_the_same_phase_asks_for_a_diagnosis_and_for_the_known_engine() {
    let bench = Bench::new(&onnx::gemm());
    let known = summary(&bench.build(&["--target", "sm86"]));
    let first = summary(&bench.build(&["--target", "sm75"]));
    assert_eq!((first.outcome, first.retry_policy), (Outcome::Failed, RetryPolicy::Investigate));
    let said = advice(&bench, "last");
    assert!(said.diagnosis.is_empty());
    assert_eq!(answer(&said, Question::GoBack).answer, Verdict::No, "it stopped once");

    let refused = bench.agent.run(&["retry", "last"]);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains("narrow the tactic search"), "{}", refused.stderr);
    let again = bench.agent.run(&["retry", "last", "--anyway", "--json"]);
    assert_eq!(again.code(), 3, "{}", again.stderr);
    assert!(again.stderr.contains("the same phase as the attempt before"), "{}", again.stderr);
    let second = summary(&again);
    assert_eq!((second.run.attempt, second.retry_policy), (2, RetryPolicy::Rollback));

    let said = advice(&bench, "last");
    assert_eq!(said.diagnosis, DIAGNOSIS);
    let go_back = answer(&said, Question::GoBack);
    assert_eq!(go_back.answer, Verdict::Yes);
    assert!(go_back.rests_on.len() == 3, "this run, the one before, the engine: {go_back:?}");
    let plan = known.plan().unwrap().digest.unwrap().to_string();
    let refused = bench.agent.run(&["retry", "last"]);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains(&plan), "{}", refused.stderr);
    let text = bench.agent.ok(&["advise", "last"]).stdout;
    for words in ["Should the system go back", "stopped twice", "rests on", "Before a third attempt"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_build_that_goes_on_can_be_asked_about() {
    let bench = Bench::new(&slow());
    let mut running = Running::start(bench.build_command(&[]));
    running.wait_for("building:");
    std::thread::sleep(Duration::from_millis(1_200));
    let said = advice(&bench, "last");
    let verdict = said.verdict.clone().unwrap();
    assert_eq!(verdict.place.path[0], "Building engine");
    assert_eq!(verdict.silence.n, 0);
    for question in [Question::Continue, Question::Cancel] {
        let answer = answer(&said, question);
        assert_eq!(answer.answer, Verdict::EvidenceMissing, "{answer:?}");
        assert!(answer.reasons.contains(&Reason::NoBaseline), "{answer:?}");
    }
    running.signal(Signal::INT).wait_for("cancel requested");
    running.end();
    let over = advice(&bench, "last");
    assert_eq!(over.run, said.run);
    assert!(over.verdict.is_some());
}
