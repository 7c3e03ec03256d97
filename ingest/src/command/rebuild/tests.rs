use acta_ledger::{evidence::build::ProfileRecord, log::digest::Sha256Digest};
use serde_json::json;
use uuid::Uuid;

use super::*;

fn recorded(settings: Value) -> BuildSummary {
    let mut summary = acta_tests::evidence::summary(1);
    summary.settings = serde_json::from_value(settings).unwrap();
    summary
}

#[test]
fn the_order_is_what_the_record_stands_for() {
    let mut summary = recorded(json!({
        "flags": ["TF32"], "optimizationLevel": 2, "targets": ["sm86", "sm120"], "threads": 4,
        "externalWeights": [{ "file": "w" }], "maxTactics": 7,
    }));
    let profile =
        ProfileRecord { input: "x:0".to_owned(), min: vec![1, 3], opt: vec![4, 3], max: vec![8, 3] };
    summary.profiles = vec![profile];
    let order = order_of(&summary).unwrap();
    assert_eq!(
        (order.targets.clone(), order.optimization_level, order.threads),
        (vec![86, 120], Some(2), Some(4))
    );
    assert_eq!((order.flags.join(" "), &order.profiles), ("TF32".to_owned(), &summary.profiles));
    assert_eq!((order.timing_cache.clone(), order.cache.concerns(false)), (None, None));
    // And the command that gives it asks for the same.
    let folder = tempfile::tempdir().unwrap();
    let home = Home::locate(Some(folder.path().to_owned())).unwrap();
    let again = build_of(&order, false).order(Uuid::nil(), &home).unwrap();
    let network = Sha256Digest::of(b"network");
    let hash = |order: &BuildOrder| request::config_hash(&network, &[], order);
    assert_eq!(hash(&again), hash(&order));
    let plain = order_of(&recorded(json!({}))).unwrap();
    assert!(plain.targets.is_empty() && plain.flags.is_empty() && plain.threads.is_none());
}

#[test]
fn a_setting_that_cannot_be_asked_for_is_named() {
    for (settings, words) in [
        (json!({ "flags": ["NO_SUCH_FLAG"] }), "flags \"NO_SUCH_FLAG\""),
        (json!({ "targets": ["compute_86"] }), "targets \"compute_86\""),
        (json!({ "targets": 86 }), "targets 86"),
        (json!({ "optimizationLevel": "high" }), "optimizationLevel \"high\""),
        (json!({ "threads": 1e99 }), "threads 1e+99"),
    ] {
        let obstacle = order_of(&recorded(settings)).unwrap_err();
        assert_eq!(obstacle.kind, ObstacleKind::UnknownSetting);
        assert!(obstacle.expected.as_deref().unwrap().starts_with(words), "{obstacle:?}");
    }
}
