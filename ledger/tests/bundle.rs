//! The bundle reader's verdicts: on bundles of our own writing, and on the corpus where it is there.

#[path = "../../tests/support/bundle.rs"]
mod support;

use std::{collections::BTreeSet, fs, io, path::PathBuf};

use acta_ledger::{
    evidence::bundle::{
        BundleClass, Dialect, FindingKind, InspectError, Inspection, Rule, SectionDifference, Verdict, diff,
        inspect, is_engine,
    },
    log::digest::Sha256Digest,
};
use serde_json::Value;
use support::{BundleWriter, Sample, clean, malformed, malformed_content, unclean};

/// Reads a file through a reader that gives a few bytes at a time.
fn read(bytes: &[u8]) -> Inspection {
    struct Dribble<'a>(&'a [u8], usize);
    impl io::Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 % 977 + 61;
            let n = self.1.min(buffer.len()).min(self.0.len());
            let (now, later) = self.0.split_at(n);
            buffer[..n].copy_from_slice(now);
            self.0 = later;
            Ok(n)
        }
    }
    let dribbled = inspect(Dribble(bytes, 0), bytes.len() as u64).expect("a slice does not fail");
    let whole = inspect(bytes, bytes.len() as u64).expect("a slice does not fail");
    assert_eq!(whole, dribbled, "how the bytes arrive changes nothing");
    assert_eq!(whole.digest, Sha256Digest::of(bytes));
    let json = serde_json::to_vec(&whole).expect("JSON");
    let again: Inspection = serde_json::from_slice(&json).expect("what was written can be read");
    assert_eq!(again, whole, "JSON keeps everything");
    whole
}

fn rules(inspection: &Inspection) -> BTreeSet<&'static str> {
    inspection.errors.iter().map(|error| error.rule.code()).collect()
}

fn findings(inspection: &Inspection) -> BTreeSet<&'static str> {
    inspection.findings.iter().map(|finding| finding.finding.code()).collect()
}

#[test]
fn whole_bundles_are_valid_and_clean() {
    for Sample { name, bytes, says } in clean() {
        let it = read(&bytes);
        assert_eq!(
            (it.verdict, it.clean),
            (Verdict::Valid, true),
            "{name}: {:?} {:?}",
            it.errors,
            it.findings
        );
        assert!(says.is_empty() || findings(&it).contains(says), "{name}: {:?}", it.findings);
        assert!(it.sections.iter().all(|section| section.digest.is_some()), "{name}");
    }
}

#[test]
fn what_somebody_should_look_at_is_valid_but_not_clean() {
    for Sample { name, bytes, says } in unclean() {
        let it = read(&bytes);
        assert_eq!(
            (it.verdict, it.clean),
            (Verdict::Valid, false),
            "{name}: {:?} {:?}",
            it.errors,
            it.findings
        );
        assert!(findings(&it).contains(says), "{name}: {:?}", it.findings);
    }
}

#[test]
fn each_malformed_kind_breaks_the_rule_that_it_is_made_for() {
    for Sample { name, bytes, says } in malformed() {
        let it = read(&bytes);
        assert_eq!((it.verdict, it.clean), (Verdict::Invalid, false), "{name}");
        assert!(rules(&it).contains(says), "{name}: {:?}", it.errors);
        assert!(it.errors.iter().all(|error| error.text.chars().all(|c| !c.is_control())), "{name}");
    }
    for Sample { name, bytes, says } in malformed_content() {
        let it = read(&bytes);
        assert_eq!(it.verdict, Verdict::Invalid, "{name}");
        assert!(rules(&it).contains(says), "{name}: {:?}", it.errors);
        assert!(it.errors.iter().all(|error| !error.rule.is_outer()), "{name}: {:?}", it.errors);
    }
}

#[test]
fn every_rule_has_a_file_that_breaks_it() {
    let made: BTreeSet<_> =
        malformed().iter().chain(&malformed_content()).map(|sample| sample.says).collect();
    // The limit of the artifact tree is that of the section table: only its own unit could break it alone.
    let missing: Vec<_> = Rule::ALL
        .iter()
        .filter(|rule| !made.contains(rule.code()) && **rule != Rule::ArtifactLimits)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn classes_and_dialects_are_named() {
    for (bundle, dialect, class) in [
        (BundleWriter::a(), Dialect::A, BundleClass::Native),
        (BundleWriter::b(), Dialect::B, BundleClass::Native),
        (BundleWriter::byok(), Dialect::A, BundleClass::Byok),
        (BundleWriter::optimized(), Dialect::A, BundleClass::Optimized),
    ] {
        let it = read(&bundle.write());
        assert_eq!((it.dialect, it.class), (Some(dialect), Some(class)));
    }
    let optimized = read(&BundleWriter::optimized().write()).optimized.unwrap();
    assert_eq!(optimized.computed_tree, Some(optimized.stated_tree));
    assert_eq!((optimized.directories, optimized.files), (2, 3));
    assert_eq!(read(&BundleWriter::byok().write()).kernel_slot.unwrap().id, "mini.attn");
}

#[test]
fn a_file_that_changes_while_it_is_read_is_no_verdict() {
    let bytes = BundleWriter::a().write();
    let length = bytes.len() as u64;
    assert!(matches!(inspect(&bytes[..], length + 1), Err(InspectError::Ended { .. })));
    assert!(matches!(inspect(&bytes[..], length - 1), Err(InspectError::Longer { .. })));
    assert!(matches!(inspect(&bytes[..], 40), Err(InspectError::Longer { .. })));
}

#[test]
fn differences_are_named() {
    let a = read(&BundleWriter::a().write());
    let other_plan = read(&BundleWriter::a().section("engine_plan", b"vtrt other").write());
    let between = diff(&a, &other_plan);
    assert_eq!((between.header.len(), between.equal_sections, between.same), (0, 2, false));
    assert_eq!(between.sections.len(), 1);
    assert_eq!(between.sections[0].difference, SectionDifference::Changed);

    let b = read(&BundleWriter::b().write());
    let between = diff(&a, &b);
    assert_eq!(between.dialect, Some((Some(Dialect::A), Some(Dialect::B))));
    assert!(between.sections.is_empty() && between.equal_sections == 3);

    let more = read(&BundleWriter::byok().text("precision", "fp16").write());
    let between = diff(&a, &more);
    assert_eq!(between.header[0].key, "precision");
    assert_eq!(between.sections[0].difference, SectionDifference::Added);
    assert_eq!(diff(&more, &a).sections[0].difference, SectionDifference::Removed);
    assert!(diff(&a, &a).same && diff(&a, &a).sections.is_empty());

    let whole = BundleWriter::a().write();
    let cut = read(&whole[..whole.len() - 10]);
    let between = diff(&a, &cut);
    assert!(between.header.is_empty());
    assert!(between.sections.iter().all(|section| section.difference == SectionDifference::Unknown));
}

/// The folder of shared data; none where this machine has none.
fn shared() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared");
    let folder = std::env::var_os("ACTA_SHARED").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let folder = folder.join("data/bundles");
    let there = folder.join("expected.json").exists();
    if !there {
        println!("note: no corpus at {}, nothing was compared", folder.display());
    }
    there.then_some(folder)
}

/// Which rule each invalid file of the corpus breaks, and which finding each unclean one has.
const CORPUS: [(&str, &str); 50] = [
    ("a-tiny-distilbert-fp32", "header_value_blank"),
    ("a-tiny-distilbert-fp16", "header_value_blank"),
    ("a-tiny-qwen2-split-fp32", "several_engine_sections"),
    ("killed-during-write", "section_beyond_file"),
    ("a-mini", ""),
    ("a-mini-other-plan", ""),
    ("a-mini-max-batch-io-map", ""),
    ("a-byok-kernel-slot", "kernel_outside"),
    ("a-optimized", "no_engine_section"),
    ("bad-optimized-file-count", "artifact_file_count"),
    ("bad-optimized-model-id-mismatch", "descriptor_model_id"),
    ("bad-magic", "magic"),
    ("bad-magic-version2", "magic"),
    ("bad-empty-file", "too_short"),
    ("bad-magic-only", "too_short"),
    ("bad-header-length-beyond-file", "header_beyond_file"),
    ("bad-header-length-2e63", "header_length_too_large"),
    ("bad-header-length-zero", "header_length_too_small"),
    ("bad-header-length-101MiB", "header_length_too_large"),
    ("bad-header-not-json", "header_not_json"),
    ("bad-header-invalid-utf8", "header_not_utf8"),
    ("bad-header-is-array", "header_not_object"),
    ("bad-no-sections", "sections_missing"),
    ("bad-duplicate-section", "duplicate_section"),
    ("bad-overlap", "section_overlap"),
    ("bad-truncated", "section_beyond_file"),
    ("bad-truncated-in-plan", "section_beyond_file"),
    ("warn-trailing-bytes", "trailing_bytes"),
    ("warn-gap", "gap"),
    ("bad-negative-offset", "number_not_unsigned"),
    ("bad-size-2e64", "number_too_large"),
    ("bad-size-float", "number_not_unsigned"),
    ("bad-size-string", "number_not_unsigned"),
    ("bad-size-null", "number_not_unsigned"),
    ("bad-section-name-empty", "section_name_empty"),
    ("bad-section-name-nul", "section_name_nul"),
    ("warn-section-name-traversal", "unsafe_section_name"),
    ("bad-deep-json", "header_too_deep"),
    ("bad-mixed-dialect-section", "section_key_of_other_dialect"),
    ("xss-unicode-model-id", "unusual_text"),
    ("warn-plan-magic", "plan_magic"),
    ("warn-plan-zero-length", "plan_empty"),
    ("warn-many-sections", "empty_sections"),
    ("b-mini", "provenance_unknown"),
    ("bad-b-extra-key", "header_key_unsupported"),
    ("bad-b-format-2", "format_unsupported"),
    ("bad-b-format-true", "format_not_integer"),
    ("bad-b-missing-task", "header_key_missing"),
    ("bad-b-empty-family", "header_value_empty"),
    ("bad-b-section-past-eof", "section_beyond_file"),
];

#[test]
fn each_file_of_the_corpus_gets_its_verdict() {
    let Some(folder) = shared() else { return };
    let expected: Vec<Value> =
        serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    assert!(expected.len() >= 53);
    for case in &expected {
        let file = case["file"].as_str().unwrap();
        let bytes = fs::read(folder.join(file)).unwrap();
        let it = read(&bytes);
        let expect = &case["expect"];
        let context = format!("{file}: {:?} {:?}", it.errors, it.findings);
        assert_eq!(it.digest.to_string(), case["sha256"].as_str().unwrap(), "{context}");
        assert_eq!(it.bytes.0, case["size"].as_u64().unwrap(), "{context}");
        let verdict = serde_json::to_value(it.verdict).unwrap();
        assert!(expect["verdict"].as_str().unwrap().contains(verdict.as_str().unwrap()), "{context}");
        if it.verdict == Verdict::Valid {
            assert_eq!(serde_json::to_value(it.dialect).unwrap(), expect["dialect"], "{context}");
            if let Some(sections) = expect["sections"].as_u64() {
                assert_eq!(it.sections.len() as u64, sections, "{context}");
                assert_eq!(serde_json::to_value(it.class).unwrap(), expect["class"], "{context}");
            }
        }
        if expect["must_not_be"] == "clean" {
            assert!(!it.clean, "{context}");
        }
        if expect["outer"] == "valid" {
            assert!(it.errors.iter().all(|error| !error.rule.is_outer()), "{context}");
        }
        if let Some((_, says)) = CORPUS.iter().find(|(name, _)| format!("{name}.bundle") == file) {
            let said = findings(&it).contains(says) || rules(&it).contains(says);
            assert!(says.is_empty() || said, "{context}");
        }
    }
}

#[test]
fn what_the_corpus_says_beside_the_verdicts_holds() {
    let Some(folder) = shared() else { return };
    let open = |name: &str| read(&fs::read(folder.join(format!("{name}.bundle"))).unwrap());
    let real = open("a-tiny-distilbert-fp32");
    assert!(real.clean && !real.has(FindingKind::NonContiguous));
    let qwen = open("a-tiny-qwen2-split-fp32");
    assert_eq!(qwen.sections.iter().filter(|section| is_engine(&section.name)).count(), 2);
    let killed = open("killed-during-write");
    let about: Vec<_> = killed.errors.iter().map(|error| error.about.clone().unwrap()).collect();
    assert_eq!(about, ["engine_plan", "config.json", "tokenizer.json", "tokenizer_config.json"]);
    let overlap = open("bad-overlap");
    assert!(overlap.errors.iter().any(|error| error.bytes.is_some_and(|bytes| bytes.0 == 64)));
    let truncated = open("bad-truncated");
    let short: Vec<_> = truncated.errors.iter().map(|error| error.bytes.unwrap().0).collect();
    assert_eq!(short, [3, 100]);
    let optimized = open("a-optimized").optimized.unwrap();
    assert_eq!(optimized.computed_tree, Some(optimized.stated_tree));
    let slot = open("a-byok-kernel-slot").kernel_slot.unwrap();
    assert!(slot.id == "mini.attn" && slot.abi_sha256.to_string().starts_with("565e59b44bff"));
    let many = open("warn-many-sections");
    let empty = many.findings.iter().find(|it| it.finding == FindingKind::EmptySections).unwrap();
    assert_eq!(empty.count.unwrap().0, 20_000);

    let changed = |a: &str, b: &str| {
        let between = diff(&open(a), &open(b));
        let keys: Vec<_> = between.header.into_iter().map(|field| field.key).collect();
        let names: Vec<_> = between.sections.into_iter().map(|section| section.name).collect();
        (keys.join(" "), names.join(" "), between.equal_sections)
    };
    let pair = |keys: &str, names: &str, equal| (keys.to_owned(), names.to_owned(), equal);
    assert_eq!(
        changed("a-tiny-distilbert-fp32", "a-tiny-distilbert-fp16"),
        pair("created_at precision", "engine_plan config.json", 2)
    );
    assert_eq!(changed("a-mini", "a-mini-other-plan"), pair("", "engine_plan", 2));
    assert_eq!(changed("b-mini", "b-mini-other-plan"), pair("", "engine_plan", 2));
    let (keys, names, equal) = changed("a-mini", "b-mini");
    assert!(keys.contains("format") && names.is_empty() && equal == 3);
    assert_eq!(changed("a-tiny-distilbert-fp32", "killed-during-write").0, "created_at");
}
