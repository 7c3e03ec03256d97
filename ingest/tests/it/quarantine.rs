//! Disks that are full, unfinished plans that are set apart, timing caches that nobody can vouch for.

use std::{fs, process::Command};

use acta_ledger::evidence::{
    artifact::{CleanupStatus, Disposition},
    build::{FailureStage, Outcome},
    timing_cache::TimingCacheMode,
};
use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{onnx, process::Ended};

use crate::setup::{Bench, explain, summary, wide};

/// Builds where no file may become longer than this: what a full disk looks like to whoever writes.
fn build_with_little_space(bench: &Bench, more: &[&str]) -> Ended {
    let inner = bench.build_command(more);
    let mut command = Command::new("bash");
    command
        .args(["-c", "ulimit -f 4096; exec \"$@\"", "bash"])
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = inner.get_current_dir() {
        command.current_dir(folder);
    }
    explain(command.output().unwrap().into())
}

#[test]
fn a_disk_that_is_full_while_the_plan_is_written_keeps_the_old_one() {
    let bench = Bench::new(&wide());
    fs::write(&bench.plan, "the old plan").unwrap();
    let ended = build_with_little_space(&bench, &["--on-partial", "quarantine"]);
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    let failed = summary(&ended);
    let failure = failed.failure.clone().unwrap();
    assert_eq!((failed.outcome, failure.stage), (Outcome::Failed, FailureStage::Write), "{failure:?}");
    assert!(failure.message.contains("cannot write the plan"), "{failure:?}");
    assert_eq!(failed.cleanup_status, CleanupStatus::Quarantined);
    assert_eq!(fs::read(&bench.plan).unwrap(), b"the old plan");
    assert_eq!(bench.files(), ["model.plan"]);
    let apart = &failed.artifacts[0];
    assert_eq!((apart.disposition, apart.bytes), (Disposition::Quarantined, 4 << 20));

    let listed = bench.agent.ok(&["quarantine", "list", "--json"]).json();
    let item = &listed["items"][0];
    assert_eq!(item["run"], serde_json::json!(failed.run.id));
    assert_eq!(item["digest"], serde_json::json!(apart.digest));
    let id = item["id"].as_str().unwrap().to_owned();
    let to = bench.agent.file("taken", b"mine");
    let refused = bench.agent.run(&["quarantine", "restore", &id, "--to", &to]);
    assert_eq!(refused.code(), 2);
    assert!(refused.stderr.contains("not overwritten"), "{}", refused.stderr);
    assert_eq!(fs::read(&to).unwrap(), b"mine");
    let free = bench.agent.home().join("half.plan");
    bench.agent.ok(&["quarantine", "restore", &id, "--to", free.to_str().unwrap()]);
    assert_eq!(Sha256Digest::of(&fs::read(&free).unwrap()), apart.digest.unwrap());

    let ended = build_with_little_space(&bench, &["--on-partial", "quarantine"]);
    assert_eq!(summary(&ended).cleanup_status, CleanupStatus::Quarantined);
    let unsure = bench.agent.run(&["quarantine", "purge", "--all"]);
    assert!(unsure.code() == 2 && unsure.stderr.contains("--yes"), "{}", unsure.stderr);
    let purged = bench.agent.ok(&["quarantine", "purge", "--all", "--yes", "--json"]).json();
    assert_eq!(purged["purged"].as_array().unwrap().len(), 1);
    assert_eq!(bench.agent.ok(&["status", "--json"]).json()["quarantined"], 0);
    let gone = bench.agent.run(&["quarantine", "restore", &id]);
    assert!(gone.code() == 2 && gone.stderr.contains("no such item"), "{}", gone.stderr);
}

/// TensorRT-RTX has no use for a timing cache: every policy is recorded, and nothing is claimed.
#[test]
fn a_policy_for_the_timing_cache_is_recorded_and_honest_on_rtx() {
    let bench = Bench::new(&onnx::gemm());
    let mut hashes = Vec::new();
    for policy in ["strict", "update", "read-only", "off"] {
        let built = summary(&bench.build(&["--timing-cache-policy", policy]));
        assert_eq!(built.outcome, Outcome::Completed);
        assert_eq!(built.timing_cache_mode, TimingCacheMode::NotApplicable);
        assert_eq!(built.timing_cache.policy, policy);
        assert!(built.timing_cache.digest_after.is_none());
        hashes.push(built.build_config_hash);
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 4, "the policy is one of the builder's inputs");
    let caches = bench.agent.home().join("state/caches");
    assert_eq!(fs::read_dir(caches).unwrap().count(), 0, "RTX has nothing to put into the library");
    for (arguments, words) in [
        (["--timing-cache-policy", "off", "--timing-cache", "c"], "switched off"),
        (["--timing-cache-policy", "lenient", "--timing-cache", "c"], "read-only"),
    ] {
        let ended = bench.build_command(&arguments).output().unwrap();
        let ended: Ended = ended.into();
        assert!(ended.code() == 2 && ended.stderr.contains(words), "{}", ended.stderr);
    }
    let cache = bench.agent.file("their.cache", b"bytes");
    let added = bench.agent.ok(&["cache", "add", &cache, "--json"]).json();
    assert_eq!(added["cache"]["digest"], serde_json::json!(Sha256Digest::of(b"bytes")));
    let listed = bench.agent.ok(&["cache", "list", "--json"]).json();
    assert_eq!(listed["caches"][0]["standsThere"], true);
    let wrong = bench.agent.run(&["cache", "add", "/nowhere"]);
    assert!(wrong.code() == 2 && wrong.stderr.contains("FILE"), "{}", wrong.stderr);
}
