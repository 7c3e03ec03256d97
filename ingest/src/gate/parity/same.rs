//! What must be the same on both sides, byte by byte; a tokenizer also as the bundle holds it.

use acta_ledger::{
    evidence::{
        bundle::Inspection,
        gate::{Check, CheckVerdict},
    },
    log::digest::Sha256Digest,
};
use serde_json::{Value, json};

use super::{content::Folder, spec::Same};
use crate::gate::check;

/// The five checks.
pub fn checks(same: &Same, reference: &Folder, candidate: &Folder, bundle: &Inspection) -> Vec<Check> {
    [
        ("same_tokenizer", &same.tokenizer, true),
        ("same_processor", &same.processor, true),
        ("same_prompts", &same.prompts, false),
        ("same_batch_shapes", &same.batch_shapes, false),
        ("same_runtime_config", &same.runtime_config, false),
    ]
    .into_iter()
    .map(|(name, files, in_bundle)| one(name, files, reference, candidate, in_bundle.then_some(bundle)))
    .collect()
}

fn one(
    name: &str,
    files: &[String],
    reference: &Folder,
    candidate: &Folder,
    bundle: Option<&Inspection>,
) -> Check {
    if files.is_empty() {
        let list = name.trim_start_matches("same_");
        return check(name, CheckVerdict::NotRun, Value::Null)
            .because(format!("the specification names no file of it: same.{list}"));
    }
    let mut digests = serde_json::Map::new();
    let mut failure = None;
    for file in files {
        let digest = |folder: &Folder| folder.bytes(file).map(|bytes| Sha256Digest::of(&bytes));
        match (digest(reference), digest(candidate)) {
            (Ok(left), Ok(right)) if left == right => {
                digests.insert(file.clone(), json!(left));
                failure = failure.or_else(|| Some((CheckVerdict::Hold, in_bundle(file, left, bundle?)?)));
            }
            (Ok(left), Ok(right)) => {
                let text = format!(
                    "{file}: the reference has sha256 {}, the candidate {}",
                    left.short(),
                    right.short()
                );
                failure = failure.or(Some((CheckVerdict::Fail, text)));
            }
            (Err(error), _) | (_, Err(error)) => failure = failure.or(Some((CheckVerdict::Fail, error))),
        }
    }
    let value = json!({ "files": files.len(), "sha256": digests });
    match failure {
        None => check(name, CheckVerdict::Pass, value),
        Some((verdict, why)) => check(name, verdict, value).because(why),
    }
}

/// The bundle's section of that name, where it has one, should be that file: the builder may have written it anew.
fn in_bundle(file: &str, digest: Sha256Digest, bundle: &Inspection) -> Option<String> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let section = bundle.sections.iter().find(|section| section.name == name)?;
    let held = section.digest.filter(|held| *held != digest)?;
    Some(format!(
        "{file}: both sides have sha256 {}, the bundle's section has {}",
        digest.short(),
        held.short()
    ))
}
