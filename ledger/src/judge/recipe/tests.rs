use serde_json::json;

use super::*;

/// A completed build without a GPU, called from C++.
fn summary() -> BuildSummary {
    let digest = "0".repeat(64);
    let version = json!({ "major": 1, "minor": 7, "patch": 1, "build": 116 });
    serde_json::from_value(json!({
        "framework": "Optijara Stuck-Build Acceptance Test",
        "tensorrtVersion": "1.7.1.116", "language": "cpp", "buildConfigHash": digest,
        "gpuSku": NO_GPU, "timingCacheMode": "not_applicable", "cancelSource": "none", "cancelLatencyMs": null,
        "cleanupStatus": "not_needed", "retryPolicy": "none", "validationStatus": "pending",
        "run": { "id": "019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f", "route": "r", "attempt": 1, "retryOf": null },
        "outcome": "completed", "builder": "tensorrt_rtx",
        "startedAt": "2026-11-29T10:00:00.000Z", "finishedAt": "2026-11-29T10:00:09.000Z",
        "library": { "path": "/lib", "digest": digest, "version": version, "parserPath": null, "parserDigest": null },
        "host": { "os": "Debian GNU/Linux 12", "kernel": "6", "architecture": "x86_64", "cpus": 2, "container": null,
            "driver": null, "cuda": null },
        "gpu": null,
        "network": { "source": "m.onnx", "digest": digest, "bytes": 1, "layers": 1, "inputs": [], "outputs": [],
            "stronglyTyped": true },
        "settings": {}, "profiles": [], "commandLine": ["acta", "build"],
        "durationMs": { "parse": 1.0, "build": 2.0, "serialize": 1.0, "write": 1.0, "total": 5.0 },
        "phaseTree": null, "events": null, "log": null,
        "resources": { "peakRssBytes": null, "cpuMs": null, "peakThreads": null },
        "outputPath": "m.plan",
        "artifacts": [{ "name": "m.plan", "kind": "plan", "bytes": 1, "digest": digest, "disposition": "kept" }],
        "timingCache": { "file": null, "policy": "off", "reasons": [] },
        "cancel": null, "failure": null, "chain": { "sequence": 0, "previous": null },
    }))
    .unwrap()
}

/// A recipe that says everything.
fn recipe(change: impl FnOnce(&mut serde_json::Value)) -> Recipe {
    let mut recipe = json!({
        "name": "r", "documentedFamily": "resnet", "buildCommands": ["acta build m.onnx"], "precision": "fp16",
        "quantization": "none", "topology": "none", "tensorParallelism": 1,
        "environment": { "modelConnect": "0f0f", "cuda": "13.0", "driver": "none" },
        "sources": [{ "url": "https://docs.example/x", "date": "2026-11-29", "digest": "0f".repeat(20) }],
        "customKernels": [], "tvmFfiBoundaries": [],
    });
    change(&mut recipe);
    serde_json::from_value(recipe).unwrap()
}

fn found(recipe: &Recipe, summary: &BuildSummary, name: &str) -> Check {
    let mut checks = checks(recipe, summary, "ana");
    checks.push(build_run(summary, "here"));
    checks.into_iter().find(|check| check.name == name).unwrap()
}

#[test]
fn a_recipe_that_says_everything_is_on_hold_nowhere() {
    for check in checks(&recipe(|_| {}), &summary(), "ana") {
        let good = matches!(check.verdict, CheckVerdict::Pass | CheckVerdict::NotApplicable);
        assert!(good, "{}: {:?}", check.name, check.reason);
    }
}

#[test]
fn every_check_says_what_it_found() {
    use CheckVerdict::{Fail, Hold, NotApplicable, Pass};
    let kernel = json!([{ "name": "attn", "source": "git@1", "flags": [], "versions": { "nvcc": "13" },
        "review": "ana", "scan": "clean", "fallback": "the vendor's" }]);
    for (name, pointer, value, verdict, by_a_person) in [
        ("tensorrt", "/environment/tensorrt", json!("1.7.1.116"), Pass, false),
        ("tensorrt", "/environment/tensorrt", json!("1.6.0.1"), Fail, false),
        ("gpu", "/environment/gpu", json!("none"), Pass, false),
        ("gpu", "/environment/gpu", json!("NVIDIA H200"), Fail, false),
        ("cuda", "/environment/cuda", json!("13.0"), Pass, true),
        ("cuda", "/environment/cuda", json!(null), Hold, false),
        ("driver", "/environment/driver", json!(null), Pass, false),
        ("os_or_container", "/environment/os", json!("Ubuntu 24.04"), Fail, false),
        ("python", "/environment/python", json!(null), NotApplicable, false),
        ("python", "/environment/python", json!("3.11"), Pass, true),
        ("model_connect", "/environment/modelConnect", json!(" "), Hold, false),
        ("canonical_sources", "/sources", json!([]), Hold, false),
        ("canonical_sources", "/sources", json!([{ "url": "docs" }]), Hold, true),
        ("build_commands", "/buildCommands", json!([" "]), Hold, false),
        ("tensor_parallelism", "/tensorParallelism", json!(0), Fail, true),
        ("tensor_parallelism", "/tensorParallelism", json!(8), Pass, true),
        ("custom_kernels", "/customKernels", json!(null), Hold, false),
        ("custom_kernels", "/customKernels", kernel, Hold, true),
        ("quantization", "/quantization", json!("fp8"), Pass, true),
    ] {
        let recipe = recipe(|recipe| {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            recipe.pointer_mut(parent).unwrap()[key] = value.clone();
        });
        let check = found(&recipe, &summary(), name);
        assert_eq!((check.verdict, check.stated_by.is_some()), (verdict, by_a_person), "{name} {value}");
        assert_eq!(check.reason.is_some(), verdict != Pass, "{name} {value}");
    }
}

#[test]
fn a_run_without_a_plan_is_no_evidence() {
    let recipe = recipe(|_| {});
    assert_eq!(found(&recipe, &summary(), "build_run").verdict, CheckVerdict::Pass);
    let cancelled = BuildSummary { outcome: Outcome::Cancelled, artifacts: Vec::new(), ..summary() };
    let check = found(&recipe, &cancelled, "build_run");
    assert_eq!(check.verdict, CheckVerdict::Fail);
    assert!(check.reason.unwrap().contains("cancelled"));
}
