//! Percentiles of real measurements, against the numbers that their source states.

use std::{fs, path::PathBuf};

use acta_ledger::judge::percentile::Samples;
use serde_json::Value;

#[test]
fn a_trtexec_export_gives_the_expected_percentiles() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared");
    let shared = std::env::var_os("ACTA_SHARED").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let folder = shared.join("data/trtexec/resnet-a100-fp16");
    let timing = fs::read_dir(&folder).ok().and_then(|mut entries| {
        entries.find_map(|entry| {
            Some(entry.ok()?.path()).filter(|it| it.to_string_lossy().ends_with("timing.json"))
        })
    });
    let Some(timing) = timing else {
        println!("note: no export at {}, nothing was compared", folder.display());
        return;
    };
    let entries: Vec<Value> = serde_json::from_slice(&fs::read(timing).unwrap()).unwrap();
    let latency = |entry: &Value| entry["latencyMs"].as_f64().unwrap();
    let warm = |entry: &&Value| entry["startComputeMs"].as_f64().unwrap() >= 200.0;
    let all = Samples::new(&entries.iter().map(latency).collect::<Vec<_>>()).unwrap();
    let steady = Samples::new(&entries.iter().filter(warm).map(latency).collect::<Vec<_>>()).unwrap();
    assert_eq!((all.count(), steady.count()), (3698, 3468));
    for (samples, per_mille, expected) in [
        (&all, 500, 0.862_183),
        (&all, 900, 0.867_432),
        (&all, 950, 0.869_324),
        (&all, 990, 0.870_605),
        (&steady, 500, 0.862_183),
        (&steady, 990, 0.870_847),
    ] {
        let value = samples.percentile(per_mille).value().unwrap();
        assert!((value - expected).abs() < 2e-6, "{per_mille}: {value}");
    }
    assert_eq!(
        (all.min(), all.max(), steady.min(), steady.max()),
        (0.842_751, 0.873_472, 0.856_049, 0.872_559)
    );
}
