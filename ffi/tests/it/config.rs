//! Settings that are taken, and settings that are refused.

use acta_ffi::{
    BuilderFlag, ComputeCapability, Error, HardwareCompatibility, MemoryPool, Profile, ProfilingVerbosity,
    TacticSource,
};
use acta_tests::onnx;

use crate::support::Bench;

#[test]
fn defaults_can_be_read() {
    let bench = Bench::new(&onnx::gemm());
    let effective = bench.config.effective().unwrap();
    println!("{effective:#?}");
    println!("flags: {:?}", BuilderFlag::in_bits(effective.flags).collect::<Vec<_>>());
    assert_eq!(effective.compute_capabilities, Some(Vec::new()));
    assert_eq!(effective.profiles, 0);
    assert!(!effective.has_timing_cache);
    assert_eq!(effective.remote_auto_tuning, None, "TensorRT-RTX has none");
}

#[test]
fn what_is_set_is_read_back() {
    let mut bench = Bench::new(&onnx::gemm());
    let config = &mut bench.config;
    config.set_flag(BuilderFlag::DisableTimingCache, true).unwrap();
    config.set_flag(BuilderFlag::Tf32, false).unwrap();
    config.set_optimization_level(2).unwrap();
    config.set_profiling_verbosity(ProfilingVerbosity::Detailed).unwrap();
    config.set_max_aux_streams(0).unwrap();
    config.set_avg_timing_iterations(3).unwrap();
    config.set_memory_pool_limit(MemoryPool::Workspace, 1 << 28).unwrap();
    config.set_compute_capabilities(&[ComputeCapability(86), ComputeCapability(120)]).unwrap();
    let effective = config.effective().unwrap();
    let flags: Vec<_> = BuilderFlag::in_bits(effective.flags).collect();
    assert!(flags.contains(&BuilderFlag::DisableTimingCache) && !flags.contains(&BuilderFlag::Tf32));
    assert_eq!(effective.optimization_level, 2);
    assert_eq!(effective.profiling_verbosity, ProfilingVerbosity::Detailed as i64);
    assert_eq!(effective.max_aux_streams, 0);
    assert_eq!(effective.avg_timing_iterations, 3);
    assert!(effective.memory_pools.contains(&(MemoryPool::Workspace, 1 << 28)));
    let targets = [ComputeCapability(86), ComputeCapability(120)];
    assert_eq!(effective.compute_capabilities.as_deref(), Some(&targets[..]));
}

#[test]
fn every_other_setting_answers() {
    let mut bench = Bench::new(&onnx::gemm());
    let config = &mut bench.config;
    config.set_tactic_sources(&[TacticSource::JitConvolutions]).unwrap();
    config.set_max_tactics(5).unwrap();
    config.set_tiling_level(1).unwrap();
    let effective = config.effective().unwrap();
    assert_eq!(effective.tactic_sources, TacticSource::JitConvolutions.bit());
    assert_eq!((effective.max_tactics, effective.tiling_level), (5, 1));

    let error = config.set_hardware_compatibility(HardwareCompatibility::AmperePlus).unwrap_err();
    assert!(error.to_string().contains("is unsupported in TensorRT-RTX"), "{error}");
    let error = config.set_build_route("-conv_use_long_w=off").unwrap_err();
    assert!(matches!(&error, Error::Refused { detail, .. } if detail == "-conv_use_long_w=off"), "{error:?}");
}

#[test]
fn sm_90_is_refused_and_nothing_is_left_behind() {
    let mut bench = Bench::new(&onnx::gemm());
    bench.config.set_compute_capabilities(&[ComputeCapability(86)]).unwrap();
    let error =
        bench.config.set_compute_capabilities(&[ComputeCapability(80), ComputeCapability(90)]).unwrap_err();
    let Error::Refused { call, detail, heard } = &error else { panic!("{error:?}") };
    assert_eq!((*call, detail.as_str()), ("IBuilderConfig::setComputeCapability", "90"));
    assert!(heard.error_messages().any(|said| said.contains("invalid or not supported")), "{heard:?}");
    assert_eq!(bench.config.compute_capabilities().unwrap(), [ComputeCapability(86)]);
    bench.build().unwrap();
}

#[test]
fn a_value_that_is_silently_changed_is_an_error() {
    let mut bench = Bench::new(&onnx::gemm());
    let error = bench.config.set_optimization_level(77).unwrap_err();
    println!("{error}");
    assert!(matches!(error, Error::NotKept { asked: 77, kept: 5, .. }), "{error:?}");
}

#[test]
fn threads_are_checked() {
    let bench = Bench::new(&onnx::gemm());
    assert_eq!(bench.builder.max_threads().unwrap(), 1);
    let error = bench.builder.set_max_threads(0).unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
}

#[test]
fn a_setting_of_the_other_family_is_a_typed_error() {
    let mut bench = Bench::new(&onnx::gemm());
    let error = bench.config.set_remote_auto_tuning("anything").unwrap_err();
    assert!(matches!(error, Error::Unsupported { family: acta_ffi::Family::Rtx, .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "TensorRT-RTX as it was loaded has no IBuilderConfig::setRemoteAutoTuningConfig"
    );
}

#[test]
fn a_profile_that_makes_no_sense_is_refused() {
    let mut bench = Bench::new(&onnx::dynamic());
    let upside_down = Profile::new().dims("x", &[8, 32, 16], &[4, 8, 16], &[1, 1, 16]);
    let error = bench.config.add_profile(&upside_down).unwrap_err();
    println!("{error}");
    assert!(error.to_string().contains("x=8x32x16,4x8x16,1x1x16"), "{error}");
    let deep = Profile::new().dims("x", &[1; 9], &[1; 9], &[1; 9]);
    assert!(matches!(bench.config.add_profile(&deep).unwrap_err(), Error::Argument { .. }));
    let named = Profile::new().dims("x\0", &[1], &[1], &[1]);
    assert!(matches!(bench.config.add_profile(&named).unwrap_err(), Error::Argument { .. }));
    assert_eq!(bench.config.effective().unwrap().profiles, 0);
}
