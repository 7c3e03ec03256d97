//! What a monitor sees of a build.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use acta_tests::onnx;

use crate::support::{Bench, Cancel, Event, Lines, Recording};

#[test]
fn the_phase_tree_has_its_real_parents() {
    let mut bench = Bench::new(&onnx::residual(2, 16));
    let monitor = Recording::new(Cancel::Never);
    bench.watch(monitor.clone());
    let output = bench.build().unwrap();
    assert!(output.plan.as_bytes().starts_with(b"vtrt"));

    let phases = monitor.phases();
    let paths: Vec<_> = phases.iter().map(|(path, _, _)| path.as_str()).collect();
    let root = "Building engine";
    let subgraph = format!("{root} > Building engine from subgraph");
    let costs = format!("{subgraph} > Computing profile costs");
    let timing = format!("{costs} > Timing tactics");
    for path in [
        root.to_owned(),
        format!("{root} > Cloning network graph"),
        format!("{root} > Preparing graph for optimization"),
        subgraph.clone(),
        format!("{subgraph} > Optimizing graph"),
        costs.clone(),
        timing.clone(),
        format!("{timing} > Timing graph nodes"),
        format!("{timing} > Timing tensor reformats"),
        format!("{costs} > Determining refit engines"),
    ] {
        assert!(paths.contains(&path.as_str()), "{path} is not in {paths:#?}");
    }
    assert_eq!(phases[0].0, root);
    assert_eq!(paths.iter().filter(|path| !path.contains(" > ")).count(), 1, "one root");
    assert_eq!(output.facts.steps_refused, 0);
    assert!(output.facts.heard.errors.is_empty(), "{:?}", output.facts);
}

#[test]
fn phases_finish_early_although_the_build_succeeds() {
    let mut bench = Bench::new(&onnx::gemm());
    let monitor = Recording::new(Cancel::Never);
    bench.watch(monitor.clone());
    bench.build().unwrap();
    let phases = monitor.phases();
    let (_, steps, last) = phases.iter().find(|(path, ..)| path == "Building engine").unwrap();
    assert!(last.unwrap() < steps - 1, "the root ends at step {last:?} of {steps}");
}

#[test]
fn a_detached_monitor_hears_nothing() {
    let mut bench = Bench::new(&onnx::gemm());
    let monitor = Recording::new(Cancel::Never);
    bench.watch(monitor.clone());
    bench.config.set_progress_monitor(None).unwrap();
    bench.build().unwrap();
    assert_eq!(monitor.events(), []);
}

#[test]
fn a_monitor_changes_nothing_in_the_plan() {
    let model = onnx::residual(1, 8);
    let without = Bench::new(&model).build().unwrap();
    let mut bench = Bench::new(&model);
    bench.watch(Recording::new(Cancel::Never));
    let with = bench.build().unwrap();
    assert!(without.plan.as_bytes() == with.plan.as_bytes());
}

#[test]
fn two_builds_at_once_keep_their_events_apart() {
    // Collected first: both threads run before either is waited for.
    let builds: Vec<_> = [onnx::chain(40, 16), onnx::residual(8, 16)]
        .into_iter()
        .map(|model| {
            thread::spawn(move || {
                let mut bench = Bench::new(&model);
                let monitor = Recording::new(Cancel::Never);
                bench.watch(monitor.clone());
                let begun = Instant::now();
                let output = bench.build().unwrap();
                assert!(!output.plan.as_bytes().is_empty());
                assert!(output.facts.heard.error_messages().next().is_none(), "{:?}", output.facts);
                (monitor, bench.network.layer_count().unwrap(), begun, Instant::now())
            })
        })
        .collect();
    let builds: Vec<_> = builds.into_iter().map(|build| build.join().unwrap()).collect();
    let overlap = builds[0].3.min(builds[1].3).checked_duration_since(builds[0].2.max(builds[1].2));
    println!("both were building for {overlap:?}");
    for (monitor, layers, ..) in &builds {
        // Every phase is closed, in order, and the graph is this build's: another's events would break that.
        monitor.phases();
        let cloned = monitor.events().iter().find_map(|event| match event {
            Event::Start { name, steps, .. } if name == "Cloning network graph" => Some(*steps),
            _ => None,
        });
        println!("{layers} layers, {cloned:?} steps of cloning");
        assert!(cloned.unwrap() >= *layers);
    }
}

#[test]
fn two_logs_at_once_are_kept_apart() {
    let sinks = [(); 2].map(|()| Arc::new(Lines::default()));
    let first = Bench::with_sink(&onnx::gemm(), sinks[0].clone());
    let second = Bench::with_sink(&onnx::gemm(), sinks[1].clone());
    sinks.iter().for_each(|sink| sink.0.lock().unwrap().clear());
    second.build().unwrap();
    let count = |sink: &Lines| sink.0.lock().unwrap().len();
    assert!(count(&sinks[1]) > 0);
    assert_eq!(count(&sinks[0]), 0, "{:?}", sinks[0].0.lock().unwrap());
    drop(first);
}

#[test]
fn callbacks_come_on_the_building_thread() {
    // Measured, not promised: the day this fails, monitors are called from several threads.
    let mut bench = Bench::new(&onnx::chain(4, 16));
    bench.builder.set_max_threads(4).unwrap();
    assert_eq!(bench.builder.max_threads().unwrap(), 4);
    let monitor = Recording::new(Cancel::Never);
    bench.watch(monitor.clone());
    bench.build().unwrap();
    let here = thread::current().id();
    assert!(monitor.threads().iter().all(|thread| *thread == here));
}
