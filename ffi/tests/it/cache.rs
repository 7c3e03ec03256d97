//! Timing caches, where a yes proves nothing.

use std::sync::Arc;

use acta_tests::onnx;

use crate::support::{Bench, Lines};

#[test]
fn an_empty_cache_can_be_attached_and_serialized() {
    let mut bench = Bench::new(&onnx::gemm());
    let cache = bench.config.create_timing_cache(&[]).unwrap();
    bench.config.set_timing_cache(&cache, false).unwrap();
    assert!(bench.config.effective().unwrap().has_timing_cache);
    bench.build().unwrap();
    let bytes = cache.serialize().unwrap();
    println!("{} bytes, {:?}", bytes.len(), cache.heard());
    assert!(!bytes.is_empty());
    assert_eq!(cache.keys().unwrap(), []);
    assert!(cache.entries().unwrap().is_empty());
}

#[test]
fn garbage_makes_a_cache_and_only_the_log_tells() {
    let lines = Arc::new(Lines::default());
    let mut bench = Bench::with_sink(&onnx::gemm(), lines.clone());
    let cache = bench.config.create_timing_cache(b"this is no timing cache, whatever the answer is").unwrap();
    let log = &cache.heard().log;
    println!("{log:?}");
    assert!(log.iter().any(|line| line.message.contains("Failed to deserialize timing cache")), "{log:?}");
    bench.config.set_timing_cache(&cache, false).unwrap();
    bench.build().unwrap();
    let lines = lines.0.lock().unwrap();
    assert!(lines.iter().any(|(_, line)| line.contains("timing cache")), "{lines:?}");
}

#[test]
fn a_cache_outlives_its_config_and_its_builder() {
    let bench = Bench::new(&onnx::gemm());
    let cache = bench.config.create_timing_cache(&[]).unwrap();
    drop(bench);
    let bytes = cache.serialize().unwrap();

    let mut second = Bench::new(&onnx::gemm());
    second.config.set_timing_cache(&cache, true).unwrap();
    drop(cache);
    second.build().unwrap();

    let again = second.config.create_timing_cache(&bytes).unwrap();
    println!("its own {} bytes: {:?}", bytes.len(), again.heard());
    let other = second.config.create_timing_cache(&[]).unwrap();
    println!("combined: {:?}", again.combine(&other, false));
}
