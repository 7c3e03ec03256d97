//! The blobs: what the log names must be there; deep, with the digest under which it lies.

use std::{fs::File, io, path::Path};

use acta_ledger::log::digest::{Hasher, Sha256Digest};

use super::{Depth, Finding, LogFacts, named};
use crate::{blob, config::DataConfig};

pub(super) async fn check(
    data: &DataConfig,
    facts: &LogFacts,
    depth: Depth,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<Vec<Finding>> {
    let folder = data.blobs();
    let needed: Vec<(Sha256Digest, u64)> = facts.custody.needed().collect();
    let (mut missing, mut damaged) = (Vec::new(), Vec::new());
    for (done, (digest, entry)) in needed.iter().enumerate() {
        let path = blob::file(&folder, digest);
        if !path.is_file() {
            missing.push(format!("{digest} (entry {entry})"));
        } else if depth.deep {
            match tokio::task::spawn_blocking(move || digest_of(&path)).await? {
                Ok(found) if found == *digest => {}
                Ok(found) => damaged.push(format!("{digest} (entry {entry}) now has the digest {found}")),
                Err(error) => damaged.push(format!("{digest} (entry {entry}) cannot be read: {error}")),
            }
        }
        progress("blobs", done as u64 + 1, needed.len() as u64);
    }
    let mut findings = Vec::new();
    let advice =
        "put it back from a backup, or have the agent push it again (PUT /api/v1/blobs/sha256/DIGEST)";
    if !missing.is_empty() {
        findings.push(Finding::wrong("blobs", format!("missing: {}", named(&missing)), advice));
    }
    if !damaged.is_empty() {
        let advice = format!("remove the file; then {advice}");
        findings.push(Finding::wrong("blobs", format!("damaged: {}", named(&damaged)), advice));
    }
    if findings.is_empty() {
        let how = if depth.deep { "there, with the right digest" } else { "there (digests: --deep)" };
        let said = format!("all {} that the log names are {how}", needed.len());
        findings.push(Finding::ok("blobs", said));
    }
    Ok(findings)
}

/// The digest of a file's bytes.
pub(crate) fn digest_of(path: &Path) -> io::Result<Sha256Digest> {
    let mut hasher = Hasher::default();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hasher.finish())
}
