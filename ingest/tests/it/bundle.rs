//! `acta bundle`: looking into bundles, comparing them, keeping them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use acta_ledger::{
    evidence::retention::{RetentionRecord, RetentionState},
    log::digest::Sha256Digest,
};
use acta_tests::{
    bundle::{self, BundleWriter, PLAN},
    process::{Agent, Ended, program},
};
use serde_json::Value;

use crate::{fake::Fake, setup::Bench};

/// The folder of real input beside the workspace, where it is there.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("ACTA_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let path = root.join("data").join(folder);
    path.is_dir().then_some(path)
}

fn inspect(agent: &Agent, path: &str) -> (Ended, Value) {
    let ended = agent.run(&["bundle", "inspect", path, "--json"]);
    let json = ended.json();
    (ended, json)
}

#[test]
fn every_generated_bundle_gets_its_verdict_and_the_rules_name() {
    let agent = Agent::init();
    let good = bundle::clean().into_iter().chain(bundle::unclean());
    for sample in good {
        let (ended, json) = inspect(&agent, &agent.file("a.bundle", &sample.bytes));
        assert_eq!((ended.code(), json["verdict"].as_str()), (0, Some("valid")), "{}", sample.name);
        assert!(ended.stdout.contains(sample.says), "{}: {}", sample.name, ended.stdout);
        assert_eq!(json["digest"], Sha256Digest::of(&sample.bytes).to_string());
        let table = agent.ok(&["bundle", "inspect", &agent.file("a.bundle", &sample.bytes)]);
        assert!(table.stdout.contains(sample.says) && table.stdout.contains("stated by the bundle"));
        assert!(table.stdout.chars().all(|c| c == '\n' || !c.is_control()), "{}", sample.name);
    }
    for sample in bundle::malformed().into_iter().chain(bundle::malformed_content()) {
        let (ended, json) = inspect(&agent, &agent.file("a.bundle", &sample.bytes));
        assert_eq!((ended.code(), json["verdict"].as_str()), (1, Some("invalid")), "{}", sample.name);
        let rules: Vec<&str> =
            json["errors"].as_array().unwrap().iter().map(|error| error["rule"].as_str().unwrap()).collect();
        assert!(rules.contains(&sample.says), "{}: {rules:?}", sample.name);
        assert!(ended.stderr.contains(sample.says), "{}: {}", sample.name, ended.stderr);
        assert!(!ended.stderr.contains("panicked"));
    }
}

#[test]
fn the_real_corpus_gets_the_verdicts_of_its_manifest() {
    let Some(folder) = shared("bundles") else { return };
    let agent = Agent::init();
    let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    for case in expected.as_array().unwrap() {
        let name = case["file"].as_str().unwrap();
        let path = folder.join(name);
        let (ended, json) = inspect(&agent, path.to_str().unwrap());
        let verdict = case["expect"]["verdict"].as_str().unwrap();
        let valid = json["verdict"] == "valid";
        if verdict == "valid" || verdict == "invalid" {
            assert_eq!(valid, verdict == "valid", "{name}: {}", ended.stderr);
        }
        assert_eq!(ended.code(), i32::from(!valid), "{name}");
        assert_eq!(json["digest"], case["sha256"], "{name}");
        if valid {
            for (key, field) in [("dialect", "dialect"), ("class", "class")] {
                if let Some(value) = case["expect"].get(key) {
                    assert_eq!(json[field], *value, "{name}");
                }
            }
            assert!(!(name.starts_with("warn-plan") && json["clean"] == true), "{name}");
        } else {
            assert!(!json["errors"].as_array().unwrap().is_empty(), "{name}");
        }
    }
}

#[test]
fn two_bundles_are_compared() {
    let agent = Agent::init();
    let before = agent.file("before", &BundleWriter::a().section("old.json", b"1").write());
    let plan = PLAN.iter().rev().copied().collect::<Vec<u8>>();
    let other =
        BundleWriter::a().text("precision", "fp16").section("engine_plan", &plan).section("new.json", b"2");
    let after = agent.file("after", &other.write());
    let json = agent.ok(&["bundle", "diff", &before, &after, "--json"]).json();
    assert_eq!(json["header"][0]["key"], "precision");
    let change = |name: &str| {
        let sections = json["sections"].as_array().unwrap();
        sections.iter().find(|it| it["name"] == name).map(|it| it["difference"].as_str().unwrap().to_owned())
    };
    assert_eq!(change("engine_plan").as_deref(), Some("changed"));
    assert_eq!(change("old.json").as_deref(), Some("removed"));
    assert_eq!(change("new.json").as_deref(), Some("added"));
    assert_eq!(json["equalSections"], 2);
    let table = agent.ok(&["bundle", "diff", &before, &after]).stdout;
    for words in
        ["precision: fp32 -> fp16", "changed     engine_plan", "removed     old.json", "added       new.json"]
    {
        assert!(table.contains(words), "{table}");
    }
    assert!(agent.ok(&["bundle", "diff", &before, &before]).stdout.contains("the same file"));
    let broken = agent.file("broken", b"XUNDLE\x01\x00 something else");
    let ended = agent.run(&["bundle", "diff", &before, &broken]);
    assert!(ended.code() == 1 && ended.stderr.contains("magic"), "{}", ended.stderr);
}

#[test]
fn a_big_bundle_is_read_with_little_memory() {
    let agent = Agent::init();
    let path = agent.file("big.bundle", &BundleWriter::a().write());
    // A gap of half a GiB before an end that exists: a sparse file.
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(512 << 20).unwrap();
    let shell =
        format!("ulimit -v 400000 && exec '{}' bundle inspect '{path}' --json", program("acta").display());
    let output = Command::new("sh").args(["-c", &shell]).output().unwrap();
    let ended: Ended = output.into();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("trailing_bytes"));
}

#[test]
fn what_is_no_bundle_is_said() {
    let agent = Agent::init();
    for (path, words) in [("/nowhere/x", "cannot be read"), ("/", "no file"), ("/dev/zero", "no file")] {
        let ended = agent.run(&["bundle", "inspect", path]);
        assert_eq!(ended.code(), 2, "{path}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{path}: {}", ended.stderr);
    }
    let json = agent.run(&["bundle", "inspect", "/nowhere/x", "--json"]).json();
    assert_eq!(json["error"]["field"], "FILE");
}

#[test]
fn a_retained_bundle_is_stored_whole_and_pushed_before_its_statement() {
    let (bench, fake) = (Bench::new(b"x"), Fake::start());
    let agent = &bench.agent;
    agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
    let content = BundleWriter::a().write();
    let file = agent.file("a.bundle", &content);
    let config = agent.file("runtime.json", b"{\"max_batch\":1}");
    let retain = ["bundle", "retain", &file, "--route", "mini", "--runtime-config", &config, "--json"];
    let ended = agent.ok(&retain);
    let record: RetentionRecord = serde_json::from_value(ended.json()["predicate"].clone()).unwrap();
    assert_eq!(record.state, RetentionState::Retained);
    assert_eq!(
        (record.bundle.digest, record.bundle.bytes),
        (Sha256Digest::of(&content), content.len() as u64)
    );
    assert_eq!(bench.blob(&ended.json()["predicate"]["bundle"]["digest"]), content);
    assert_eq!(ended.json()["entryIndex"], 0);
    let state = fake.state.lock().unwrap();
    let posted = state.requests.iter().position(|request| request.contains("/entries")).unwrap();
    let puts = state.requests[..posted].iter().filter(|request| request.starts_with("PUT")).count();
    assert_eq!((puts, state.blobs.len()), (2, 2));
    drop(state);
    assert_eq!(bench.outbox(), [0, 1, 0]);
    // The same again is another statement about the same blobs.
    let until = [&retain[..], &["--until", "2999-01-01"]].concat();
    assert_eq!(agent.ok(&until).json()["predicate"]["retainedUntil"], "2999-01-01T23:59:59.000Z");
}

#[test]
fn what_cannot_be_retained_leaves_nothing() {
    let bench = Bench::new(b"x");
    let agent = &bench.agent;
    let good = agent.file("a.bundle", &BundleWriter::a().write());
    let bad = agent.file("bad.bundle", &BundleWriter::b().text("family", "").write());
    let config = agent.file("c.json", b"{}");
    let empty = agent.file("empty.json", b"");
    for (arguments, code, words) in [
        (vec![&*bad, "--route", "a", "--runtime-config", &config], 1, "header_value_empty"),
        (vec![&*good, "--route", "a", "--runtime-config", "/nowhere"], 2, "--runtime-config"),
        (vec![&*good, "--route", "a", "--runtime-config", &empty], 2, "0 bytes"),
        (vec![&*good, "--route", "A b", "--runtime-config", &config], 2, "ROUTE"),
        (vec![&*good, "--route", "a", "--runtime-config", &config, "--until", "2001-01-01"], 2, "--until"),
        (vec!["/nowhere", "--route", "a", "--runtime-config", &config], 2, "FILE"),
    ] {
        let ended = agent.run(&[&["bundle", "retain"][..], &arguments].concat());
        assert_eq!(ended.code(), code, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{arguments:?}: {}", ended.stderr);
    }
    assert_eq!(bench.outbox(), [0, 0, 0]);
    let blobs = agent.home().join("state/blobs/sha256");
    assert_eq!(fs::read_dir(blobs).unwrap().count(), 0, "no blob, no temporary file");
}
