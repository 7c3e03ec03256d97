//! Gates 1 to 3 and their plan, by the real program.

use std::{fs, path::PathBuf};

use acta_ledger::{
    evidence::{
        gate::{CheckVerdict, GateRecord, requirements},
        pin::Pin,
    },
    log::digest::Sha256Digest,
};
use acta_tests::{
    bundle::{self, BundleWriter},
    checkpoint::{CARD, CheckpointWriter, flawed},
    onnx,
    process::Ended,
};
use serde_json::{Value, json};

use crate::{
    bundle::shared,
    fake::Fake,
    setup::{Bench, summary},
};

pub const POLICY: &str = "licences = ['apache-2.0']\ndrillValidDays = 30\nretentionDays = 90\n[approvals]\nneeded = 1\n\
                      [overrides]\nallowed = false\nmaxDays = 1\n[canary]\nminSamples = 100\n[canary.thresholds]\n";
pub const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";

/// The record of a gate that was run, and that it says everything that it must.
pub fn record(ended: &Ended) -> GateRecord {
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    let json = if ended.stdout.is_empty() { Value::Null } else { ended.json() };
    let record: GateRecord = serde_json::from_value(json["predicate"].clone())
        .unwrap_or_else(|error| panic!("{error}: {}{}", ended.stdout, ended.stderr));
    for requirement in requirements(record.gate) {
        let found = record.checks.iter().filter(|check| check.name == requirement.name).count();
        assert_eq!(found, 1, "{}", requirement.name);
    }
    let satisfied = json["judgement"]["state"] == "satisfied";
    assert_eq!(ended.code(), if satisfied { 0 } else { 7 }, "{}", ended.stdout);
    record
}

pub fn verdict(record: &GateRecord, name: &str) -> (CheckVerdict, String) {
    let check = record.checks.iter().find(|check| check.name == name).unwrap();
    (check.verdict, check.reason.clone().unwrap_or_default())
}

fn gate_1(bench: &Bench, checkpoint: &str, more: &[&str]) -> Ended {
    let policy = bench.agent.file("policy.toml", POLICY.as_bytes());
    let common = ["gate", "1", "--route", "mini", "--by", "ana", "--json", "--policy", &policy];
    bench
        .agent
        .run(&[&common[..], &["--checkpoint", checkpoint, "--checkpoint-id", "acme/mini"], more].concat())
}

pub fn pinned(bench: &Bench, checkpoint: &str) -> Ended {
    gate_1(bench, checkpoint, &["--revision", REVISION])
}

pub fn folder(bench: &Bench, checkpoint: &CheckpointWriter) -> String {
    let path = bench.agent.home().join("checkpoint");
    fs::remove_dir_all(&path).ok();
    checkpoint.write(&path);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_good_checkpoint_satisfies_gate_1_with_its_card_frozen() {
    let bench = Bench::new(b"x");
    let checkpoint = folder(&bench, &CheckpointWriter::default());
    let ended = pinned(&bench, &checkpoint);
    let record = record(&ended);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(record.checkpoint_revision.as_deref(), Some(REVISION));
    assert_eq!(record.observed.get(Pin::Licence), Some("apache-2.0"));
    let card = record.checks.iter().find(|check| check.name == "model_card").unwrap();
    assert_eq!(card.value["baseModels"], json!(["acme/base"]));
    assert_eq!(bench.blob(&json!(card.evidence[0])), CARD.as_bytes());
    let (statement, digest) = bench.newest_statement();
    assert_eq!(statement.predicate_type, "urn:acta:cbat-gate:v1");
    assert_eq!(json!(digest), ended.json()["envelopeDigest"]);
    // The file list is a blob, and its digest pins what lies here.
    let list = statement.subject[0].sha256().unwrap();
    let files: Value = serde_json::from_slice(&bench.blob(&json!(list))).unwrap();
    assert_eq!(files.as_array().unwrap().len(), 5);
    let own = format!("sha256:{list}");
    assert_eq!(gate_1(&bench, &checkpoint, &["--revision", &own]).code(), 0);
    fs::write(format!("{checkpoint}/extra.txt"), "x").unwrap();
    let moved = gate_1(&bench, &checkpoint, &["--revision", &own]);
    assert_eq!(verdict(&self::record(&moved), "revision_pinned").0, CheckVerdict::Fail);
    let table =
        bench.agent.run(&["gate", "1", "--route", "mini", "--checkpoint", &checkpoint, "--by", "ana"]);
    assert_eq!(table.code(), 7);
    for words in ["revision_pinned", "unknown", "not satisfied", "--checkpoint-id"] {
        let words = words.replace("not satisfied", "unsatisfied");
        assert!(table.stdout.contains(&words), "{words}: {}", table.stdout);
    }
}

#[test]
fn a_revision_that_moves_is_a_hold() {
    let bench = Bench::new(b"x");
    let checkpoint = folder(&bench, &CheckpointWriter::default());
    for revision in ["main", "v1.0", "0123456", &REVISION.to_uppercase()] {
        let ended = gate_1(&bench, &checkpoint, &["--revision", revision]);
        assert_eq!(verdict(&record(&ended), "revision_pinned").0, CheckVerdict::Hold, "{revision}");
    }
}

#[test]
fn every_flaw_of_a_checkpoint_is_named_and_nothing_runs() {
    let bench = Bench::new(b"x");
    for flaw in flawed() {
        let ended = pinned(&bench, &folder(&bench, &flaw.checkpoint));
        assert_eq!(ended.code(), 7, "{}: {}", flaw.name, ended.stdout);
        let (verdict, reason) = verdict(&record(&ended), flaw.check);
        assert!(!matches!(verdict, CheckVerdict::Pass | CheckVerdict::NotApplicable), "{}", flaw.name);
        assert!(reason.contains(flaw.words), "{}: {reason}", flaw.name);
        for ran in ["PICKLE-EXECUTED", "RAN"] {
            assert!(!ended.stdout.contains(ran) && !ended.stderr.contains(ran), "{}", flaw.name);
        }
    }
}

#[test]
fn reviewed_code_no_longer_stands_in_the_way() {
    let bench = Bench::new(b"x");
    let checkpoint = folder(&bench, &CheckpointWriter::default().file("m.py", b"x = 1"));
    let review = bench.agent.file("review.md", b"read line by line");
    let more = ["--revision", REVISION, "--remote-code-review", &review];
    let ended = gate_1(&bench, &checkpoint, &more);
    assert_eq!(ended.code(), 0, "{}", ended.stdout);
    let record = record(&ended);
    let check = record.checks.iter().find(|check| check.name == "remote_code_review").unwrap();
    assert_eq!(check.stated_by.as_deref(), Some("ana"));
    assert_eq!(bench.blob(&json!(check.evidence[0])), b"read line by line");
    let empty = bench.agent.file("empty.md", b" \n");
    let ended = gate_1(&bench, &checkpoint, &["--revision", REVISION, "--remote-code-review", &empty]);
    assert_eq!(ended.code(), 2);
}

#[test]
fn the_real_checkpoints_get_the_verdicts_of_their_manifest() {
    let Some(root) = shared("checkpoints") else { return };
    let bench = Bench::new(b"x");
    for (name, stands_out) in [
        ("tiny-qwen2", None),
        ("tiny-distilbert", None),
        ("tiny-qwen3", None),
        ("tiny-remote-code", Some("remote_code")),
        ("tiny-no-license", Some("licence")),
        ("tiny-license-conflict", Some("licence")),
        ("tiny-pickle-weights", Some("weight_files")),
        ("tiny-no-tokenizer", Some("tokenizer_files")),
        ("tiny-broken-card", Some("model_card")),
        ("tiny-truncated-safetensors", Some("weight_files")),
        ("tiny-missing-shard", Some("weight_files")),
    ] {
        let checkpoint = root.join(name).to_str().unwrap().to_owned();
        let ended = pinned(&bench, &checkpoint);
        let record = record(&ended);
        assert_eq!(ended.code(), if stands_out.is_none() { 0 } else { 7 }, "{name}: {}", ended.stdout);
        if let Some(check) = stands_out {
            assert_ne!(verdict(&record, check).0, CheckVerdict::Pass, "{name}");
        }
        assert!(!format!("{}{}", ended.stdout, ended.stderr).contains("PICKLE-EXECUTED"));
        // As they lie there, without a revision: unknown, never invented.
        let ended = gate_1(&bench, &checkpoint, &[]);
        let record = self::record(&ended);
        assert_eq!(verdict(&record, "revision_pinned").0, CheckVerdict::Hold, "{name}");
        assert_eq!(record.checkpoint_revision, None);
    }
}

#[test]
fn bad_input_signs_nothing() {
    let bench = Bench::new(b"x");
    let checkpoint = folder(&bench, &CheckpointWriter::default());
    let empty = bench.agent.home().join("empty");
    fs::create_dir(&empty).unwrap();
    let policy = bench.agent.file("bad.toml", POLICY.replace("needed", "neded").as_bytes());
    let recipe = bench.agent.file("r.toml", b"name = 'x'\nunknown = 1\n");
    let run = "019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f";
    let bundle = bench.agent.file("a.bundle", &BundleWriter::a().write());
    for (arguments, words) in [
        (vec!["1", "--checkpoint", "/nowhere"], "--checkpoint"),
        (vec!["1", "--checkpoint", empty.to_str().unwrap()], "empty"),
        (vec!["1", "--checkpoint", &checkpoint, "--policy", &policy], "unknown field `neded`"),
        (vec!["1", "--checkpoint", &checkpoint, "--revision", ""], "--revision"),
        (vec!["1", "--checkpoint", &checkpoint, "--card-url", "https://h/x?token=1"], "secret"),
        (vec!["2", "--run", "x", "--recipe", &recipe], "--run"),
        (vec!["2", "--run", run, "--recipe", &recipe], "unknown field `unknown`"),
        (vec!["2", "--run", run, "--recipe", "/nowhere"], "--recipe"),
        (vec!["3", "--bundle", "/nowhere"], "--bundle"),
        (vec!["3", "--bundle", &bundle, "--storage", "https://u:p@h/x"], "secret"),
        (vec!["3", "--bundle", &bundle, "--sbom", "/nowhere"], "--sbom"),
        (vec!["3", "--bundle", &bundle, "--run", run], "not on record"),
    ] {
        let ended =
            bench.agent.run(&[&["gate"][..], &arguments, &["--route", "mini", "--by", "ana"]].concat());
        assert_eq!(ended.code(), 2, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{arguments:?}: {}", ended.stderr);
    }
    let ended = bench.agent.run(&["gate", "3", "--route", "A", "--bundle", &bundle, "--json"]);
    assert_eq!((ended.code(), ended.json()["error"]["field"].as_str()), (2, Some("ROUTE")));
    assert_eq!(bench.outbox(), [0, 0, 0]);
}

const RECIPE: &str = r#"
name = "mini-fp32"
statedBy = "ben"
documentedFamily = "mini"
buildCommands = ["acta build model.onnx -o model.plan"]
precision = "fp32"
quantization = "none"
topology = "none"
tensorParallelism = 1
customKernels = []
tvmFfiBoundaries = []
[environment]
modelConnect = "e9132e79f"
cuda = "13.0"
[[sources]]
url = "https://docs.example/bundle-format"
date = "2026-08-29"
digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
"#;

fn gate_2(bench: &Bench, run: &str, recipe: &str) -> Ended {
    let recipe = bench.agent.file("recipe.toml", recipe.as_bytes());
    bench.agent.run(&["gate", "2", "--route", "mini", "--run", run, "--recipe", &recipe, "--json"])
}

#[test]
fn a_real_build_and_a_recipe_satisfy_gate_2_and_the_bundle_around_the_plan_gate_3() {
    let bench = Bench::new(&onnx::gemm());
    let built = summary(&bench.build(&["--route", "mini"]));
    let run = built.run.id.to_string();
    let ended = gate_2(&bench, &run, RECIPE);
    let record = record(&ended);
    assert_eq!(ended.code(), 0, "{}", ended.stdout);
    assert_eq!((record.run, record.authors.clone()), (Some(built.run.id), vec!["ben".to_owned()]));
    assert_eq!(record.observed.get(Pin::Tensorrt), Some(built.tensorrt_version.as_str()));
    assert_eq!(record.observed.get(Pin::ModelConnect), Some("e9132e79f"));

    let kernel = "[[customKernels]]\nname = 'attn'\nsource = 'git'\nflags = []\nreview = 'r'\nscan = 's'\nfallback = 'f'\n\
                  versions = { nvcc = '13' }\n";
    let with_kernel = |more: &str| format!("{}{kernel}{more}", RECIPE.replace("customKernels = []", ""));
    for (recipe, check, expected, words) in [
        (with_kernel(""), "custom_kernels", CheckVerdict::Hold, "attn lacks: owner"),
        (with_kernel("owner = 'ben'\n"), "custom_kernels", CheckVerdict::Pass, ""),
        (RECIPE.replace("cuda = \"13.0\"", "tensorrt = \"9.9\""), "tensorrt", CheckVerdict::Fail, "measured"),
        (RECIPE.replace("precision = \"fp32\"", ""), "precision", CheckVerdict::Hold, "does not say"),
        (RECIPE.replace("2026-08-29", "lately"), "canonical_sources", CheckVerdict::Hold, "date"),
        (
            RECIPE.replace("tvmFfiBoundaries = []", ""),
            "tvm_ffi_boundaries",
            CheckVerdict::Hold,
            "does not say",
        ),
    ] {
        let record = self::record(&gate_2(&bench, &run, &recipe));
        let (found, reason) = verdict(&record, check);
        assert_eq!(found, expected, "{check}: {reason}");
        assert!(reason.contains(words), "{reason}");
    }
    let failed = summary(&bench.build(&["--target", "sm90"])).run.id.to_string();
    let record = self::record(&gate_2(&bench, &failed, RECIPE));
    assert_eq!(verdict(&record, "build_run").0, CheckVerdict::Fail);

    // The bundle around that very plan: its provenance is the run.
    let plan = fs::read(&bench.plan).unwrap();
    let bundle = bench.agent.file("a.bundle", &BundleWriter::b().section("engine_plan", &plan).write());
    let ended = gate_3(&bench, &bundle, &complete(&bench, &bundle));
    let record = self::record(&ended);
    assert_eq!(ended.code(), 0, "{}", ended.stdout);
    assert_eq!(record.run, Some(built.run.id), "gate 2 is bound to the bundle by it");
    let other = bench.agent.file("b.bundle", &BundleWriter::b().write());
    let record = self::record(&gate_3(&bench, &other, &["--run", &run]));
    assert_eq!(verdict(&record, "provenance").0, CheckVerdict::Fail);
    assert_eq!(record.run, None);
}

#[test]
fn a_run_that_is_not_on_record_is_refused() {
    let bench = Bench::new(b"x");
    let ended = gate_2(&bench, "019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f", RECIPE);
    assert_eq!(ended.code(), 2);
    assert!(ended.stderr.contains("not on record"), "{}", ended.stderr);
    assert_eq!(bench.outbox(), [0, 0, 0]);
}

fn gate_3(bench: &Bench, bundle: &str, more: &[&str]) -> Ended {
    let common = ["gate", "3", "--route", "mini", "--by", "ana", "--json", "--bundle", bundle];
    bench.agent.run(&[&common[..], more].concat())
}

/// Everything that gate 3 takes, for that bundle.
fn complete(bench: &Bench, bundle: &str) -> [&'static str; 8] {
    let digest = Sha256Digest::of(&fs::read(bundle).unwrap());
    let sbom = format!(
        r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{{"name":"a"}}],
        "metadata":{{"component":{{"hashes":[{{"alg":"SHA-256","content":"{digest}"}}]}}}}}}"#
    );
    let file = |name: &str, bytes: &[u8]| -> &'static str { bench.agent.file(name, bytes).leak() };
    let scan = file("scan.sarif", br#"{"version":"2.1.0","runs":[{"results":[]}]}"#);
    [
        "--storage",
        "s3://bundles/mini",
        "--sbom",
        file("sbom.json", sbom.as_bytes()),
        "--signature",
        file("a.sig", b"untrusted comment: x"),
        "--scan",
        scan,
    ]
}

#[test]
fn a_bundle_with_everything_beside_it_satisfies_gate_3() {
    let bench = Bench::new(b"x");
    let bundle = bench.agent.file("a.bundle", &BundleWriter::a().write());
    let whole = complete(&bench, &bundle);
    let ended = gate_3(&bench, &bundle, &whole);
    let record = record(&ended);
    assert_eq!(ended.code(), 0, "{}", ended.stdout);
    assert_eq!(record.bundle, Some(Sha256Digest::of(&fs::read(&bundle).unwrap())));
    let named = ["--no-signature", "internal"];
    let without = [&whole[..4], &named].concat();
    assert_eq!(gate_3(&bench, &bundle, &without).code(), 0);
    for (more, check, expected) in [
        (&whole[2..], "storage_location", CheckVerdict::Hold),
        (&whole[..2], "scan_or_sbom", CheckVerdict::Hold),
        (&whole[..2], "signature", CheckVerdict::Hold),
    ] {
        assert_eq!(verdict(&self::record(&gate_3(&bench, &bundle, more)), check).0, expected);
    }
    // A bill that was made for another bundle, and one that is none.
    let other = bench.agent.file("other.bundle", &BundleWriter::a().text("model_id", "acme/other").write());
    let (found, reason) = verdict(&self::record(&gate_3(&bench, &other, &whole)), "scan_or_sbom");
    assert!(found == CheckVerdict::Fail && reason.contains("another file"), "{reason}");
    let none = bench.agent.file("none.json", b"{}");
    let (found, reason) =
        verdict(&self::record(&gate_3(&bench, &bundle, &["--sbom", &none])), "scan_or_sbom");
    assert!(found == CheckVerdict::Fail && reason.contains("neither CycloneDX"), "{reason}");
    let unknown = bench.agent.file("b.bundle", &BundleWriter::b().write());
    let (found, reason) = verdict(&self::record(&gate_3(&bench, &unknown, &[])), "provenance");
    assert!(found == CheckVerdict::Hold && reason.contains("--run"), "{reason}");
}

#[test]
fn every_malformed_bundle_fails_gate_3_with_the_rules_name() {
    let bench = Bench::new(b"x");
    for sample in bundle::malformed().into_iter().chain(bundle::malformed_content()) {
        let path = bench.agent.file("a.bundle", &sample.bytes);
        let record = record(&gate_3(&bench, &path, &[]));
        let failed = record.checks.iter().any(|check| {
            check.verdict == CheckVerdict::Fail
                && ["header", "section_table", "section_digests"].contains(&check.name.as_str())
        });
        assert!(failed, "{}", sample.name);
        assert!(serde_json::to_string(&record.checks).unwrap().contains(sample.says), "{}", sample.name);
    }
    let Some(root) = shared("bundles") else { return };
    for entry in fs::read_dir(root).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".bundle") {
            let record = record(&gate_3(&bench, path.to_str().unwrap(), &[]));
            let bad = record.checks.iter().any(|check| check.verdict == CheckVerdict::Fail);
            assert_eq!(bad, name.starts_with("bad-") || name.starts_with("killed-"), "{name}");
        }
    }
}

#[test]
fn gate_2_takes_a_run_of_another_agent_from_the_log() {
    // A key signs only what the log holds after the entry that introduced it.
    let ended = |introduced: bool| {
        let (builder, fake) = (Bench::new(&onnx::gemm()), Fake::start());
        builder.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
        let key = builder.agent.ok(&["status", "--json"]).json();
        if introduced {
            fake.log_enrolment(key["key"]["publicKey"].as_str().unwrap());
        }
        let run = summary(&builder.build(&[])).run.id.to_string();
        let other = Bench::new(b"x");
        other.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
        let ended = gate_2(&other, &run, RECIPE);
        (other.outbox(), ended)
    };
    let (outbox, stranger) = ended(false);
    assert_eq!(stranger.code(), 1, "nobody introduced the builder's key: {}", stranger.stdout);
    assert!(stranger.stderr.contains("does not verify"), "{}", stranger.stderr);
    assert_eq!(outbox, [0, 0, 0]);
    let (_, ended) = ended(true);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    let record = record(&ended);
    let build = record.checks.iter().find(|check| check.name == "build_run").unwrap();
    assert_eq!(build.value["foundIn"], "the log, verified");
}
