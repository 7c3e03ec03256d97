//! Gate 4, by the real program over generated outputs.

use std::{fs, path::PathBuf};

use acta_ledger::evidence::gate::{CheckVerdict, GateRecord};
use acta_tests::{bundle::BundleWriter, process::Ended};
use serde_json::{Value, json};

use crate::{
    gate::{record, verdict},
    import::{import, old_bundle},
    setup::Bench,
};

const SPEC: &str = r#"
[same]
tokenizer = ["tokenizer.json"]
prompts = ["prompts.jsonl"]
batch_shapes = ["shapes.json"]
runtime_config = ["runtime.json"]

[[sets]]
set = "normal"
[[sets.cases]]
name = "greeting"
kind = "text"
file = "greeting.txt"
[[sets.cases]]
name = "ids"
kind = "token_ids"
file = "ids.json"
[[sets.cases]]
name = "logits"
kind = "array"
file = "logits.npy"
tolerance = { absolute = 0.001, top_k = { k = 2, agreement = 1.0 } }
[[sets.cases]]
name = "scores"
kind = "json"
reference = "scores-hf.json"
candidate = "scores.json"
tolerance = { paths = { "/score" = { absolute = 0.01 }, "/ms" = { ignore = true } } }

[[sets]]
set = "long_context"
[[sets.cases]]
name = "32k"
kind = "text"
file = "long.txt"

[[sets]]
set = "malformed"
[[sets.cases]]
name = "broken UTF-8"
kind = "json"
file = "malformed.json"

[[sets]]
set = "concurrency"
[[sets.cases]]
name = "16 at once"
kind = "text"
file = "concurrent.txt"

[[sets]]
set = "structured_output"
[[sets.cases]]
name = "an object"
kind = "json"
file = "object.json"
"#;

/// A `.npy` file of single precision in one row.
fn npy(numbers: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {}), }}\n", numbers.len());
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

struct Outputs {
    bench: Bench,
    bundle: String,
    spec: String,
}

impl Outputs {
    fn new() -> Self {
        let bench = Bench::new(b"x");
        let bundle = old_bundle(&bench);
        let spec = bench.agent.file("parity.toml", SPEC.as_bytes());
        bench.agent.file("target.toml", b"gpu = 'NVIDIA H200'\ndriver = '580.65.06'\n");
        let outputs = Self { bench, bundle, spec };
        for side in ["reference", "candidate"] {
            fs::create_dir_all(outputs.path(side, "")).unwrap();
            for (name, text) in [
                ("tokenizer.json", "{\"t\":1}"),
                ("prompts.jsonl", "{}"),
                ("shapes.json", "[1]"),
                ("runtime.json", "{}"),
                ("greeting.txt", "Hello\nworld"),
                ("ids.json", "[1,2,3]"),
                ("long.txt", "long"),
                ("malformed.json", "{\"error\":\"invalid_input\"}"),
                ("concurrent.txt", "a\nb"),
                ("object.json", "{\"a\":1}"),
            ] {
                outputs.put(side, name, text.as_bytes());
            }
        }
        outputs.put("reference", "logits.npy", &npy(&[1.0, 3.0, 2.0]));
        outputs.put("candidate", "logits.npy", &npy(&[1.000_5, 3.0, 2.0]));
        outputs.put("reference", "scores-hf.json", b"{\"score\":0.5,\"ms\":1}");
        outputs.put("candidate", "scores.json", b"{\"score\":0.505,\"ms\":2}");
        outputs
    }

    fn path(&self, side: &str, name: &str) -> PathBuf {
        self.bench.agent.home().join(side).join(name)
    }

    fn put(&self, side: &str, name: &str, bytes: &[u8]) {
        fs::write(self.path(side, name), bytes).unwrap();
    }

    fn run(&self, more: &[&str]) -> Ended {
        let [reference, candidate] =
            ["reference", "candidate"].map(|side| self.path(side, "").display().to_string());
        let target = self.path("", "target.toml").display().to_string();
        let arguments = [
            &[
                "gate",
                "4",
                "--route",
                "mini",
                "--by",
                "ana",
                "--json",
                "--bundle",
                &self.bundle,
                "--spec",
                &self.spec,
            ][..],
            &["--reference", &reference, "--candidate", &candidate, "--environment", &target],
            &["--not-applicable", "same_processor=a text model has none"],
            more,
        ];
        self.bench.agent.run(&arguments.concat())
    }

    fn refused(&self, more: &[&str], words: &str) {
        let ended = self.run(more);
        assert_eq!(ended.code(), 2, "{words}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
        assert_eq!(self.bench.outbox(), [0, 0, 0], "{words}");
    }
}

fn value<'a>(record: &'a GateRecord, name: &str) -> &'a Value {
    &record.checks.iter().find(|check| check.name == name).unwrap().value
}

#[test]
fn outputs_that_agree_satisfy_gate_4() {
    let outputs = Outputs::new();
    let ended = outputs.run(&[]);
    let record = record(&ended);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(record.runtime_target.as_deref(), Some("native_cpp_task_api_on_nvidia_h200"));
    assert_eq!(value(&record, "reference_against_candidate")["passed"], 5);
    assert_eq!(value(&record, "reference_against_candidate")["sameBytes"], 3);
    assert_eq!(verdict(&record, "structured_output").0, CheckVerdict::Pass);
    let machine = record.checks.iter().find(|check| check.name == "runtime_environment").unwrap();
    assert_eq!(
        machine.stated_by.as_deref(),
        Some("ana"),
        "a machine that only a person names is that person's word"
    );
    let check = record.checks.iter().find(|check| check.name == "tolerances").unwrap();
    assert_eq!(outputs.bench.blob(&json!(check.evidence[0])), SPEC.as_bytes());
    let check = record.checks.iter().find(|check| check.name == "long_context").unwrap();
    let results: Value = serde_json::from_slice(&outputs.bench.blob(&json!(check.evidence[0]))).unwrap();
    let logits = &results["sets"][0]["cases"][2];
    assert!((logits["comparison"]["maxAbsolute"].as_f64().unwrap() - 0.0005).abs() < 1e-6, "{logits}");
    assert_eq!(
        (&logits["comparison"]["agreement"], &logits["tolerance"]["absolute"]),
        (&json!(1), &json!(0.001))
    );
}

#[test]
fn every_difference_fails_its_case_by_name() {
    let remove =
        |outputs: &Outputs, side: &str, name: &str| fs::remove_file(outputs.path(side, name)).unwrap();
    let outputs = Outputs::new();
    for (name, bytes, check, words) in [
        (
            "greeting.txt",
            &b"Hello\nworlt"[..],
            "reference_against_candidate",
            "line 2, character 5: reference d, candidate t",
        ),
        ("ids.json", b"[1,2]", "reference_against_candidate", "[2]: reference 3, candidate (end)"),
        ("ids.json", b"[1,2", "reference_against_candidate", "ids.json of the candidate"),
        (
            "logits.npy",
            &npy(&[1.0, 3.002, 2.0]),
            "reference_against_candidate",
            "[0,1]: reference 3, candidate 3.002",
        ),
        ("logits.npy", &npy(&[1.0, f32::NAN, 2.0]), "reference_against_candidate", "candidate NaN"),
        ("logits.npy", &npy(&[1.0, 3.0]), "reference_against_candidate", "the shape is [1, 3]"),
        ("logits.npy", b"PK\x03\x04....", "reference_against_candidate", "NumPy's magic"),
        ("scores.json", b"{\"score\":0.6,\"ms\":1}", "reference_against_candidate", "/score"),
        ("long.txt", b"short", "long_context", "32k: 1 of 1 differ"),
        ("malformed.json", b"{\"error\":\"crash\"}", "malformed_inputs", "/error"),
        ("concurrent.txt", b"a\nc", "concurrency", "line 2"),
        ("object.json", b"{\"a\":\"1\"}", "structured_output", "/a"),
        ("tokenizer.json", b"{\"t\":2}", "same_tokenizer", "the candidate"),
        ("runtime.json", b"{\"x\":2}", "same_runtime_config", "the candidate"),
    ] {
        let before = fs::read(outputs.path("candidate", name)).unwrap();
        outputs.put("candidate", name, bytes);
        let ended = outputs.run(&[]);
        let (found, reason) = verdict(&record(&ended), check);
        assert!(found == CheckVerdict::Fail && reason.contains(words), "{name}: {found:?} {reason}");
        outputs.put("candidate", name, &before);
    }
    for (side, name, check) in [
        ("candidate", "long.txt", "long_context"),
        ("reference", "long.txt", "long_context"),
        ("candidate", "prompts.jsonl", "same_prompts"),
    ] {
        let before = fs::read(outputs.path(side, name)).unwrap();
        remove(&outputs, side, name);
        let (found, reason) = verdict(&record(&outputs.run(&[])), check);
        assert_eq!(found, CheckVerdict::Fail);
        assert!(reason.contains(&format!("{name} of the {side} is missing")), "{reason}");
        outputs.put(side, name, &before);
    }
    assert_eq!(outputs.run(&[]).code(), 0, "and all is well again");
}

#[test]
fn sets_that_are_missing_are_not_run_and_measured_ones_cannot_be_talked_away() {
    let outputs = Outputs::new();
    let only_normal = SPEC.split("[[sets]]\nset = \"long_context\"").next().unwrap();
    outputs.bench.agent.file("parity.toml", only_normal.as_bytes());
    let ended = outputs.run(&["--not-applicable", "concurrency=one request at a time by contract"]);
    let found = record(&ended);
    assert_eq!(verdict(&found, "concurrency").0, CheckVerdict::NotApplicable);
    assert_eq!(verdict(&found, "long_context").0, CheckVerdict::NotRun);
    assert_eq!(verdict(&found, "malformed_inputs").0, CheckVerdict::NotRun);
    assert_eq!(verdict(&found, "structured_output").0, CheckVerdict::NotRun);
    outputs.bench.agent.file("parity.toml", SPEC.as_bytes());
    outputs.put("candidate", "long.txt", b"short");
    let ended = outputs.run(&["--not-applicable", "long_context=inconvenient"]);
    assert_eq!(verdict(&record(&ended), "long_context").0, CheckVerdict::Fail);
}

#[test]
fn a_tokenizer_that_the_bundle_does_not_hold_is_a_hold() {
    let outputs = Outputs::new();
    let spec = SPEC.replace("[\"tokenizer.json\"]", "[\"tokenizer.json\", \"tokenizer_config.json\"]");
    outputs.bench.agent.file("parity.toml", spec.as_bytes());
    for (text, expected) in [("{}", CheckVerdict::Pass), ("{\"x\":1}", CheckVerdict::Hold)] {
        outputs.put("reference", "tokenizer_config.json", text.as_bytes());
        outputs.put("candidate", "tokenizer_config.json", text.as_bytes());
        let (found, reason) = verdict(&record(&outputs.run(&[])), "same_tokenizer");
        assert_eq!(
            (found, reason.contains("the bundle's section")),
            (expected, expected == CheckVerdict::Hold)
        );
    }
}

#[test]
fn what_cannot_be_compared_is_refused_and_nothing_is_signed() {
    let outputs = Outputs::new();
    let reference = outputs.path("reference", "").display().to_string();
    outputs.refused(&["--not-applicable", "malformed_inputs=no"], "always applies");
    outputs.refused(&["--not-applicable", "concurrency= "], "why it does not apply");
    for (from, to, words) in [
        ("file = \"long.txt\"", "file = \"../long.txt\"", "inside the folder"),
        ("kind = \"token_ids\"", "kind = \"tokens\"", "unknown variant"),
        ("tokenizer =", "tokeniser =", "unknown field"),
        ("k = 2", "k = 0", "at least 1"),
    ] {
        outputs.bench.agent.file("parity.toml", SPEC.replacen(from, to, 1).as_bytes());
        outputs.refused(&[], words);
    }
    outputs.bench.agent.file("parity.toml", SPEC.as_bytes());
    outputs.bench.agent.file("target.toml", b"gpu = 'NVIDIA H200'\ncolour = 'green'\n");
    outputs.refused(&[], "unknown field `colour`");
    outputs.bench.agent.file("target.toml", b"driver = '580.65.06'\n");
    let ended = outputs.run(&[]);
    // A machine with a GPU knows which one it is.
    if ended.code() == 2 {
        assert!(ended.stderr.contains("which GPU"), "{}", ended.stderr);
    }
    outputs.bench.agent.file("target.toml", b"gpu = 'NVIDIA H200'\n");
    fs::remove_dir_all(outputs.path("candidate", "")).unwrap();
    outputs.refused(&[], "no folder of outputs");
    std::os::unix::fs::symlink(
        &reference,
        outputs.path("candidate", "").to_str().unwrap().trim_end_matches('/'),
    )
    .unwrap();
    outputs.refused(&[], "are one folder");
}

#[test]
fn what_model_connect_concluded_stands_beside_it() {
    let outputs = Outputs::new();
    let report = |status: &str, comparison: &str, more: &str| {
        let text = format!(
            r#"{{"schema_version":"trtmc.validation-result/v2","model":"m","workload":"w","execution":{{"status":"completed"}},
            "comparison":{{"status":"{comparison}"}},"validation":{{"status":"{status}"}}{more}}}"#
        );
        let file = outputs.bench.agent.file("comparison.json", text.as_bytes());
        import(&outputs.bench, "trtmc-validation", &[&file], &outputs.bundle, &[]).json()["document"].clone()
    };
    let revalidation = r#","bundle_revalidation":{"attempted":true,"outcome":"recovered_after_rebuild","initial":
        {"execution_status":"completed","validation_status":"failed","comparison_status":"disagreement","error":"0.25 of 1.0"}}"#;
    let recovered = report("passed", "agreement", revalidation);
    let ended = outputs.run(&["--import", recovered.as_str().unwrap()]);
    let (found, reason) = verdict(&record(&ended), "model_connect_validation");
    assert_eq!((found, ended.code()), (CheckVerdict::Pass, 0));
    assert!(
        reason.contains("recovered_after_rebuild") && reason.contains("0.25 of 1.0"),
        "both are shown: {reason}"
    );
    let failed = report("failed", "disagreement", "");
    let ended = outputs.run(&["--import", &format!("sha256:{}", failed.as_str().unwrap())]);
    assert_eq!(verdict(&record(&ended), "model_connect_validation").0, CheckVerdict::Fail);
    let skipped = report("skipped", "not_run", "");
    let ended = outputs.run(&["--import", skipped.as_str().unwrap()]);
    assert_eq!(
        (verdict(&record(&ended), "model_connect_validation").0, ended.code()),
        (CheckVerdict::NotRun, 7)
    );

    let waiting = outputs.bench.outbox();
    fs::write(&outputs.bundle, BundleWriter::a().text("model_id", "acme/other").write()).unwrap();
    for (import, words) in [
        (recovered.as_str().unwrap().to_owned(), "about another bundle"),
        ("0".repeat(64), "no such document"),
        (outputs.spec.clone(), "no imported document"),
    ] {
        let ended = outputs.run(&["--import", &import]);
        assert_eq!(ended.code(), 2);
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    assert_eq!(outputs.bench.outbox(), waiting);
}
