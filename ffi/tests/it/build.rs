//! Builds that succeed and builds that fail.

use std::sync::Arc;

use acta_ffi::{BuildFacts, ComputeCapability, NetworkFlags, NoPlan, Plan, Profile};
use acta_tests::onnx;

use crate::support::{Bench, Cancel, Lines, Recording};

#[test]
fn a_plan_outlives_its_builder_and_may_change_threads() {
    fn is_shareable<T: Send + Sync + AsRef<[u8]>>(_: &T) {}
    let bench = Bench::new(&onnx::chain(2, 16));
    let output = bench.build().unwrap();
    let before = output.plan.as_bytes().to_vec();
    let plan: Plan = output.plan;
    is_shareable(&plan);
    drop(bench);
    assert!(plan.as_bytes() == before);
    assert!(std::thread::spawn(move || plan.as_bytes() == before).join().unwrap());
}

#[test]
fn the_order_of_drops_does_not_matter() {
    let mut bench = Bench::new(&onnx::gemm());
    bench.watch(Recording::new(Cancel::Never));
    let Bench { builder, network, config } = bench;
    drop(builder);
    drop(config);
    assert!(network.layer_count().unwrap() > 0);
}

#[test]
fn a_sink_is_released_with_its_builder() {
    let lines = Arc::new(Lines::default());
    let monitor = Recording::new(Cancel::Never);
    let mut bench = Bench::with_sink(&onnx::gemm(), lines.clone());
    bench.watch(monitor.clone());
    bench.build().unwrap();
    drop(bench);
    assert_eq!((Arc::strong_count(&lines), Arc::strong_count(&monitor)), (1, 1));
    assert!(!lines.0.lock().unwrap().is_empty());
}

#[test]
fn the_same_input_makes_the_same_plan() {
    let model = onnx::residual(2, 8);
    let plans = [(); 2].map(|()| Bench::new(&model).build().unwrap().plan);
    assert!(plans[0].as_bytes() == plans[1].as_bytes());
}

#[test]
fn a_failed_build_looks_like_a_success_but_for_the_plan_and_the_errors() {
    let mut bench = Bench::new(&onnx::gemm());
    bench.config.set_compute_capabilities(&[ComputeCapability(75)]).unwrap();
    let monitor = Recording::new(Cancel::Never);
    bench.watch(monitor.clone());
    let error = bench.build().unwrap_err();
    println!("{error}\n{:#?}", error.facts);
    assert_eq!(error.reason, NoPlan::Null);
    let BuildFacts { steps_refused, heard, .. } = &*error.facts;
    assert_eq!(*steps_refused, 0);
    assert_eq!(error.facts.build_canceled(), None);
    assert!(heard.errors.iter().any(|error| error.code == 1), "{heard:?}");
    assert!(error.to_string().contains("FP32 GEMM is not supported"), "{error}");
    assert!(monitor.phases().len() > 5);
}

#[test]
fn dynamic_shapes_need_a_profile() {
    let mut bench = Bench::new(&onnx::dynamic());
    let monitor = Recording::new(Cancel::Never);
    bench.watch(monitor.clone());
    let error = bench.build().unwrap_err();
    assert!(error.to_string().contains("no optimization profile has been defined"), "{error}");
    assert!(error.facts.heard.errors.iter().any(|error| error.code == 4), "{:?}", error.facts);
    assert_eq!(monitor.events(), [], "it fails before the first phase");

    let profile = Profile::new().dims("x", &[1, 1, 16], &[4, 8, 16], &[8, 32, 16]);
    assert_eq!(bench.config.add_profile(&profile).unwrap(), 0);
    let output = bench.build().unwrap();
    assert!(!output.plan.as_bytes().is_empty());

    let second = Profile::new().dims("x", &[1, 1, 16], &[1, 1, 16], &[1, 64, 16]);
    assert_eq!(bench.config.add_profile(&second).unwrap(), 1);
    assert_eq!(bench.config.effective().unwrap().profiles, 2);
    bench.build().unwrap();
}

#[test]
fn a_profile_of_the_wrong_shape_fails_the_build_or_the_profile() {
    let mut bench = Bench::new(&onnx::dynamic());
    let wrong = Profile::new().dims("x", &[1, 1, 16], &[4, 8, 16], &[8, 32, 8]);
    match bench.config.add_profile(&wrong) {
        Err(error) => println!("the profile: {error}"),
        Ok(_) => println!("the build: {}", bench.build().unwrap_err()),
    }
}

#[test]
fn an_empty_network_is_refused() {
    let bench = Bench::new(&onnx::gemm());
    let empty = bench.builder.create_network(NetworkFlags::default()).unwrap();
    let error = bench.builder.build_serialized(&empty, &bench.config).unwrap_err();
    assert!(error.to_string().contains("at least one output"), "{error}");
}

#[test]
fn what_belongs_to_another_builder_is_refused_before_tensorrt_sees_it() {
    let (one, other) = (Bench::new(&onnx::gemm()), Bench::new(&onnx::gemm()));
    let error = one.builder.build_serialized(&other.network, &one.config).unwrap_err();
    assert_eq!(error.reason, NoPlan::Foreign("network"));
    let error = one.builder.build_serialized(&one.network, &other.config).unwrap_err();
    assert_eq!(error.reason, NoPlan::Foreign("configuration"));
}
