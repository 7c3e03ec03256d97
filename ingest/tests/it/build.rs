//! Builds that nobody cancels: completed, failed, refused before they begin.

use std::{fs, os::unix::fs::PermissionsExt as _};

use acta_ledger::{
    evidence::{
        artifact::{ArtifactKind, CleanupStatus, Disposition},
        build::{BuilderKind, FailureStage, NO_GPU, Outcome, RetryPolicy, ValidationStatus},
        event::ProgressEvent,
        phase_tree::PhaseTree,
        timing_cache::TimingCacheMode,
    },
    log::digest::Sha256Digest,
};
use acta_tests::{onnx, process::Agent};

use crate::setup::{Bench, explain, summary};

#[test]
fn a_completed_build_is_signed_and_waits_without_a_server() {
    let bench = Bench::new(&onnx::chain(4, 64));
    let ended = bench.build(&["--route", "team/route-1", "--opt-level", "3"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.json().get("entryIndex").is_none());
    let summary = summary(&ended);
    assert_eq!(summary.outcome, Outcome::Completed);
    assert_eq!(summary.builder, BuilderKind::TensorrtRtx);
    assert!(summary.tensorrt_version.starts_with("1.7."), "{}", summary.tensorrt_version);
    // Where there is a GPU, it is named.
    assert_eq!(summary.gpu_sku == NO_GPU, summary.gpu.is_none());
    assert_eq!(summary.retry_policy, RetryPolicy::None);
    assert_eq!(summary.validation_status, ValidationStatus::Pending);
    assert_eq!(summary.cleanup_status, CleanupStatus::NotNeeded);
    assert_eq!(summary.timing_cache_mode, TimingCacheMode::NotApplicable);
    assert_eq!(summary.run.route.as_deref(), Some("team/route-1"));
    assert_eq!(summary.settings["optimizationLevel"], 3);
    assert!(summary.cancel.is_none() && summary.failure.is_none());

    let plan = fs::read(&bench.plan).unwrap();
    let kept = summary.plan().unwrap();
    assert_eq!((kept.digest, kept.bytes), (Some(Sha256Digest::of(&plan)), plan.len() as u64));
    assert_eq!(bench.files(), ["model.plan"]);
    assert_eq!(summary.network.digest, Sha256Digest::of(&fs::read(&bench.model).unwrap()));
    assert!(summary.network.layers.unwrap() >= 8 && summary.network.strongly_typed);
    let library = summary.library.clone().unwrap();
    assert_eq!(library.digest, Sha256Digest::of(&fs::read(&library.path).unwrap()));
    assert!(summary.resources.peak_rss_bytes.unwrap() > 50 << 20);
    let durations = summary.duration_ms;
    let parts = [durations.parse, durations.build, durations.serialize, durations.write];
    assert!(parts.iter().flatten().sum::<f64>() <= durations.total && parts.iter().all(Option::is_some));

    let reference = summary.phase_tree.clone().unwrap();
    let ended_json = ended.json();
    let tree: PhaseTree =
        serde_json::from_slice(&bench.blob(&ended_json["predicate"]["phaseTree"]["digest"])).unwrap();
    assert!(tree.is_well_formed() && tree.build_id == summary.run.id);
    assert_eq!((tree.lost_events, tree.orphan_events), (0, 0));
    assert_eq!(reference.phases as usize, tree.phases.len());
    assert_eq!(tree.phases[0].name, "Building engine");
    assert!(tree.phases.iter().any(|phase| phase.parent.is_some()), "phases stand under phases");
    let events = bench.blob(&ended_json["predicate"]["events"]["digest"]);
    let events: Vec<ProgressEvent> =
        String::from_utf8(events).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len() as u64, tree.callbacks);
    assert!(events.windows(2).all(|pair| pair[0].at <= pair[1].at));

    let (statement, digest) = bench.newest_statement();
    assert_eq!(statement.predicate_type, "urn:acta:build-summary:v1");
    assert_eq!(serde_json::json!(digest), ended_json["envelopeDigest"]);
    let subjects: Vec<_> = statement.subject.iter().map(|subject| subject.sha256().unwrap()).collect();
    assert_eq!(subjects, [kept.digest.unwrap(), summary.network.digest]);
    assert_eq!(bench.outbox(), [1, 0, 0]);
}

/// A build that is over between two looks has no sample, so this one takes many looks' time.
#[test]
fn the_worker_is_looked_at_while_the_library_builds() {
    let bench = Bench::new(&onnx::residual(24, 48));
    let ended = bench.build(&[]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let digest = &ended.json()["predicate"]["phaseTree"]["digest"];
    let tree: PhaseTree = serde_json::from_slice(&bench.blob(digest)).unwrap();
    let counters = tree.counters.expect("samples of the worker");
    assert!(counters.samples.is_sorted_by(|a, b| a.at < b.at));
    for sample in &counters.samples {
        assert!(sample.at <= tree.duration && sample.rss_bytes.unwrap().0 > 0 && sample.threads.unwrap() > 0);
    }
}

#[test]
fn the_same_inputs_give_the_same_plan_and_config_hash_and_a_longer_chain() {
    let bench = Bench::new(&onnx::residual(1, 8));
    let first = summary(&bench.build(&["--target", "sm86", "--builder-flag", "strip_plan"]));
    let before = fs::metadata(&bench.plan).unwrap();
    let retry =
        ["--target", "sm86", "--builder-flag", "kSTRIP_PLAN", "--retry-of", &first.run.id.to_string()];
    let ended = bench.build(&retry);
    let second = summary(&ended);
    assert_eq!(second.build_config_hash, first.build_config_hash);
    assert_eq!(second.plan().unwrap().digest, first.plan().unwrap().digest);
    assert_eq!((second.run.attempt, second.run.retry_of), (2, Some(first.run.id)));
    assert_eq!(second.settings["targets"][0], "sm86");
    assert_eq!(second.settings["flags"][0], "STRIP_PLAN");
    assert_eq!((second.chain.sequence, second.chain.previous.is_some()), (2, true));
    let other = summary(&bench.build(&["--target", "sm120"]));
    assert_ne!(other.build_config_hash, first.build_config_hash);
    assert_ne!(other.plan().unwrap().digest, first.plan().unwrap().digest);
    assert!(before.is_file());
    let unknown = bench.build(&["--retry-of", "019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f"]);
    assert_eq!(summary(&unknown).run.attempt, 2);
    assert!(unknown.stderr.contains("counted as attempt 2"), "{}", unknown.stderr);
}

#[test]
fn a_failed_build_keeps_the_old_plan_and_is_evidence() {
    let bench = Bench::new(b"this is no model");
    fs::write(&bench.plan, "the old plan").unwrap();
    let ended = bench.build(&[]);
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    let failed = summary(&ended);
    assert_eq!(failed.outcome, Outcome::Failed);
    assert_eq!(failed.failure.clone().unwrap().stage, FailureStage::Parse);
    assert_eq!(failed.retry_policy, RetryPolicy::Investigate);
    assert_eq!(failed.validation_status, ValidationStatus::NotApplicable);
    assert_eq!(failed.cleanup_status, CleanupStatus::Cleaned);
    let removed = &failed.artifacts[0];
    assert_eq!((removed.kind, removed.disposition), (ArtifactKind::PartialPlan, Disposition::Removed));
    assert!(failed.phase_tree.is_none() && failed.plan().is_none());
    assert_eq!(fs::read(&bench.plan).unwrap(), b"the old plan");
    assert_eq!(bench.files(), ["model.plan"]);
    assert_eq!(bench.outbox(), [1, 0, 0]);
    let (statement, _) = bench.newest_statement();
    assert_eq!(statement.subject.len(), 1, "only the network: there is no plan to speak about");
}

/// Half a model: a download that was cut off.
fn truncated() -> Vec<u8> {
    let mut model = onnx::chain(8, 64);
    model.truncate(model.len() / 2);
    model
}

#[test]
fn failures_say_what_the_library_said() {
    for (model, more, stage, words) in [
        (onnx::unknown_operator(), &[][..], FailureStage::Parse, "NoSuchOperator"),
        (onnx::shape_mismatch(), &[][..], FailureStage::Parse, "must match"),
        (onnx::gemm(), &["--target", "sm75"][..], FailureStage::Build, "FP32 GEMM is not supported"),
        (onnx::gemm(), &["--target", "sm90"][..], FailureStage::Setup, "not supported"),
        (onnx::dynamic(), &[][..], FailureStage::Setup, "--profile x:1x1x16:4x4x16:8x8x16"),
        (onnx::gemm(), &["--profile", "y:1:2:3"][..], FailureStage::Setup, "the network has \"x\""),
        (onnx::dynamic(), &["--profile", "x:1x1x8:4x4x8:8x8x8"][..], FailureStage::Setup, "x"),
        (truncated(), &[][..], FailureStage::Parse, "parse"),
    ] {
        let bench = Bench::new(&model);
        let ended = bench.build(more);
        assert_eq!(ended.code(), 3, "{}", ended.stderr);
        let failure = summary(&ended).failure.unwrap();
        assert_eq!(failure.stage, stage, "{failure:?}");
        let all = format!("{}\n{}", failure.message, failure.records.join("\n"));
        assert!(all.contains(words), "{all}");
        assert!(ended.stderr.contains("because"), "{}", ended.stderr);
        assert!(bench.files().is_empty());
    }
}

#[test]
fn a_dynamic_network_builds_with_a_profile() {
    let bench = Bench::new(&onnx::dynamic());
    let ended = bench.build(&["--profile", "x:1x1x16:4x8x16:8x32x16"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!(summary.profiles[0].max, [8, 32, 16]);
    assert_eq!(summary.network.inputs[0].dims, [-1, -1, 16]);
}

#[test]
fn an_offered_timing_cache_is_recorded_and_left_alone_on_rtx() {
    let bench = Bench::new(&onnx::gemm());
    let cache = bench.agent.file("timing.cache", b"garbage");
    let ended = bench.build(&["--timing-cache", &cache]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!(summary.timing_cache_mode, TimingCacheMode::NotApplicable);
    let record = summary.timing_cache;
    assert_eq!(record.digest_before, Some(Sha256Digest::of(b"garbage")));
    assert!(record.digest_after.is_some() && record.digest_after != record.digest_before);
    let reasons = record.reasons.join("\n");
    assert!(reasons.contains("The timing cache will not be used!"), "{reasons}");
    assert_eq!(fs::read(&cache).unwrap(), b"garbage");
    let absent = bench.agent.home().join("absent.cache");
    bench.build(&["--timing-cache", absent.to_str().unwrap()]);
    assert!(!absent.exists(), "RTX has nothing to write into one");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_built_or_signed() {
    let bench = Bench::new(&onnx::gemm());
    let link = bench.agent.home().join("link.plan");
    std::os::unix::fs::symlink("/nowhere", &link).unwrap();
    let link = link.to_str().unwrap();
    let long_name = format!("{}.plan", "n".repeat(240));
    for (arguments, field) in [
        (vec!["build", "missing.onnx", "-o", "x.plan"], "MODEL"),
        (vec!["build", "/", "-o", "x.plan"], "MODEL"),
        (vec!["build", &bench.model, "-o", "/"], "--output"),
        (vec!["build", &bench.model, "-o", "/proc/x.plan"], "--output"),
        (vec!["build", &bench.model, "-o", "/nowhere/x.plan"], "--output"),
        (vec!["build", &bench.model, "-o", link], "--output"),
        (vec!["build", &bench.model, "-o", &bench.model], "MODEL"),
        (vec!["build", &bench.model, "-o", &long_name], "--output"),
        (vec!["build", &bench.model, "-o", "x.plan", "--target", "86"], "--target"),
        (vec!["build", &bench.model, "-o", "x.plan", "--timeout", "10"], "--timeout"),
        (vec!["build", &bench.model, "-o", "x.plan", "--profile", "x"], "--profile"),
        (
            vec!["build", &bench.model, "-o", "x.plan", "--profile", "x:1:1:1", "--profile", "x:1:1:2"],
            "--profile",
        ),
        (vec!["build", &bench.model, "-o", "x.plan", "--builder-flag", "FP64"], "--builder-flag"),
        (vec!["build", &bench.model, "-o", "x.plan", "--route", "a b"], "--route"),
        (vec!["build", &bench.model, "-o", "x.plan", "--retry-of", "last"], "--retry-of"),
        (vec!["build", &bench.model, "-o", "x.plan", "--opt-level", "9"], "--opt-level"),
        (vec!["build", &bench.model], "--output"),
    ] {
        let ended = bench.agent.run(&arguments);
        assert_eq!(ended.code(), 2, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(field), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stdout.is_empty());
    }
    let json = bench.agent.run(&["build", "missing.onnx", "-o", "x.plan", "--json"]);
    assert_eq!((json.json()["error"]["field"].as_str(), json.code()), (Some("MODEL"), 2));
    assert_eq!(bench.outbox(), [0, 0, 0]);
}

#[test]
fn a_library_that_is_not_there_is_a_failed_build_with_every_place_named() {
    let bench = Bench::new(&onnx::gemm());
    let output = bench.build_command(&["--tensorrt-lib", "/nowhere/lib.so"]).output().unwrap();
    let ended: acta_tests::process::Ended = output.into();
    assert_eq!(ended.code(), 3, "{}", ended.stderr);
    let summary = summary(&ended);
    assert_eq!((summary.tensorrt_version.as_str(), summary.library), ("unknown", None));
    let failure = summary.failure.unwrap();
    assert_eq!(failure.stage, FailureStage::Setup);
    assert!(failure.message.contains("/nowhere/lib.so"), "{}", failure.message);
    assert!(bench.files().is_empty());
}

#[test]
fn a_build_without_a_usable_key_is_not_begun() {
    let bench = Bench::new(&onnx::gemm());
    let key = bench.agent.home().join("state/key.pem");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    for arguments in [&["status"][..], &["build", &bench.model, "-o", "x.plan"][..]] {
        let ended = bench.agent.run(arguments);
        assert_eq!(ended.code(), 2);
        assert!(ended.stderr.contains("mode 0640") && ended.stderr.contains("chmod 600"), "{}", ended.stderr);
    }
    fs::remove_file(&key).unwrap();
    let ended = bench.build(&[]);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("acta init"), "{}", ended.stderr);
    assert!(!key.exists() && bench.files().is_empty());
    assert_eq!(bench.agent.run(&["init"]).code(), 0);
    assert_eq!(bench.agent.run(&["init"]).code(), 2, "a key is never replaced");
}

#[test]
fn evidence_can_be_had_as_files() {
    let bench = Bench::new(&onnx::gemm());
    let folder = bench.agent.home().join("evidence");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("snapshot-at-request.json"), "of an earlier run").unwrap();
    let ended = bench.build(&["--evidence-dir", folder.to_str().unwrap()]);
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = ["envelope.json", "events.ndjson", "log.ndjson", "phase-tree.json", "summary.json"];
    assert_eq!(names, expected);
    let envelope = fs::read(folder.join("envelope.json")).unwrap();
    assert_eq!(serde_json::json!(Sha256Digest::of(&envelope)), ended.json()["envelopeDigest"]);
}

#[test]
fn help_and_versions_are_there() {
    let agent = Agent::init();
    assert!(agent.ok(&["--version"]).stdout.starts_with("acta 0."));
    let help = agent.ok(&["build", "--help"]).stdout;
    for words in ["Exit codes", "--retry-of", "Ctrl-C", "Examples"] {
        assert!(help.contains(words), "{help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(agent.ok(&["completions", shell]).stdout.contains("acta"));
    }
    let ended = explain(agent.run(&["push"]));
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("acta enrol"), "{}", ended.stderr);
    assert_eq!(agent.run(&["__worker"]).code(), 2, "the worker is not for hands");
}
