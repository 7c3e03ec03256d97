//! Ending a build from a monitor.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use acta_ffi::{NoPlan, ProgressMonitor};
use acta_tests::onnx;

use crate::support::{Bench, Cancel, Event, Lines, Recording};

fn cancelled(cancel: Cancel) {
    let lines = Arc::new(Lines::default());
    let mut bench = Bench::with_sink(&onnx::residual(3, 16), lines.clone());
    let monitor = Recording::new(cancel.clone());
    bench.watch(monitor.clone());
    let error = bench.build().map(|_| panic!("{cancel:?}: a plan came")).unwrap_err();
    assert_eq!(error.reason, NoPlan::Null, "{cancel:?}");
    assert_eq!(error.facts.steps_refused, 1, "{cancel:?}");
    assert!(error.facts.monitor_panics.is_empty());

    let word = error.facts.build_canceled().unwrap();
    assert_eq!(word.code, Some(7), "{cancel:?}: kFAILED_EXECUTION");
    assert!(word.message.contains("BuildCanceled"), "{word:?}");
    assert_eq!(error.facts.heard.errors[0].code_name(), "kFAILED_EXECUTION");
    // The sink heard the same.
    assert!(lines.1.lock().unwrap().iter().any(|(code, line)| *code == 7 && line.contains("BuildCanceled")));

    assert_eq!(monitor.steps_after_stop(), 0, "{cancel:?}");
    monitor.phases();
}

#[test]
fn at_the_first_step_of_the_root() {
    cancelled(Cancel::AtStep("Building engine", 0));
}

#[test]
fn while_the_graph_is_optimized() {
    cancelled(Cancel::AtStep("Optimizing graph", 3));
}

#[test]
fn while_tactics_are_timed() {
    cancelled(Cancel::AtStep("Timing graph nodes", 0));
}

#[test]
fn from_the_start_of_a_phase_it_takes_effect_at_the_next_step() {
    cancelled(Cancel::FromStart("Computing profile costs"));
}

#[test]
fn after_the_last_step_it_is_ignored_and_the_plan_comes() {
    let model = onnx::residual(2, 16);
    let undisturbed = Bench::new(&model).build().unwrap();
    let mut bench = Bench::new(&model);
    let monitor = Recording::new(Cancel::FromFinish("Building engine"));
    bench.watch(monitor.clone());
    let output = bench.build().unwrap();
    assert_eq!(monitor.events().last(), Some(&Event::Finish { name: "Building engine".to_owned() }));
    assert_eq!(output.facts.steps_refused, 0, "nobody asked any more");
    assert_eq!(output.facts.build_canceled(), None);
    assert!(output.plan.as_bytes() == undisturbed.plan.as_bytes());
}

#[test]
fn a_builder_goes_on_after_a_cancelled_build() {
    let mut bench = Bench::new(&onnx::gemm());
    bench.watch(Recording::new(Cancel::AtStep("Building engine", 0)));
    bench.build().unwrap_err();
    bench.watch(Recording::new(Cancel::Never));
    let output = bench.build().unwrap();
    assert_eq!(output.facts.steps_refused, 0);
    assert!(
        output.facts.heard.errors.is_empty(),
        "a new build starts with a clean sheet: {:?}",
        output.facts
    );
}

/// Stops as soon as somebody else says so.
struct Flag(AtomicBool);

impl ProgressMonitor for Flag {
    fn phase_start(&self, _name: &[u8], _parent: Option<&[u8]>, _steps: i32) {}

    fn step_complete(&self, _name: &[u8], _step: i32) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn phase_finish(&self, _name: &[u8]) {}
}

#[test]
fn a_request_from_another_thread_waits_for_the_next_step() {
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let mut bench = Bench::new(&onnx::chain(300, 32));
    bench.watch(flag.clone());
    let asked = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        flag.0.store(true, Ordering::Relaxed);
        Instant::now()
    });
    let error = bench.build().unwrap_err();
    let returned = Instant::now();
    let waited = returned.duration_since(asked.join().unwrap());
    println!("the build returned {waited:?} after the request");
    assert!(error.facts.build_canceled().is_some());
    assert_eq!(error.facts.steps_refused, 1);
}
