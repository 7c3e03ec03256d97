//! Monitors and sinks that panic.

use std::ops::ControlFlow;
use std::sync::Arc;

use acta_ffi::{LogSink, MonitorCallback, NoPlan, ProgressMonitor, Severity};
use acta_tests::onnx;

use crate::support::Bench;

/// Panics in one callback, of the phase "Optimizing graph".
struct Broken(MonitorCallback);

impl Broken {
    fn maybe(&self, callback: MonitorCallback, name: &[u8]) {
        assert!(self.0 != callback || name != b"Optimizing graph", "broken in {callback}");
    }
}

impl ProgressMonitor for Broken {
    fn phase_start(&self, name: &[u8], _parent: Option<&[u8]>, _steps: i32) {
        self.maybe(MonitorCallback::PhaseStart, name);
    }

    fn step_complete(&self, name: &[u8], _step: i32) -> ControlFlow<()> {
        self.maybe(MonitorCallback::StepComplete, name);
        ControlFlow::Continue(())
    }

    fn phase_finish(&self, name: &[u8]) {
        self.maybe(MonitorCallback::PhaseFinish, name);
    }
}

#[test]
fn a_panic_in_any_callback_ends_the_build_and_is_told() {
    for callback in [MonitorCallback::PhaseStart, MonitorCallback::StepComplete, MonitorCallback::PhaseFinish]
    {
        let mut bench = Bench::new(&onnx::residual(1, 8));
        bench.watch(Arc::new(Broken(callback)));
        let error = bench.build().map(|_| panic!("{callback}: a plan came")).unwrap_err();
        assert_eq!(error.reason, NoPlan::Null);
        assert_eq!(error.facts.steps_refused, 1);
        assert!(error.facts.build_canceled().is_some());
        let [panic] = &error.facts.monitor_panics[..] else { panic!("{:?}", error.facts.monitor_panics) };
        assert_eq!(panic.callback, callback);
        assert_eq!(panic.message, format!("broken in {callback}"));
    }
}

#[test]
fn the_next_build_is_not_blamed() {
    let mut bench = Bench::new(&onnx::gemm());
    bench.watch(Arc::new(Broken(MonitorCallback::PhaseStart)));
    bench.build().unwrap_err();
    bench.config.set_progress_monitor(None).unwrap();
    let output = bench.build().unwrap();
    assert!(output.facts.monitor_panics.is_empty());
}

struct Loud;

impl LogSink for Loud {
    fn log(&self, severity: Severity, _message: &[u8]) {
        assert!(severity > Severity::Info, "loud");
    }
}

#[test]
fn a_panic_in_the_sink_is_told_and_the_build_goes_on() {
    let bench = Bench::with_sink(&onnx::gemm(), Arc::new(Loud));
    let output = bench.build().unwrap();
    assert!(!output.facts.sink_panics.is_empty());
    assert!(output.facts.sink_panics.iter().all(|panic| panic == "loud"));
}
