//! What a build for production could go back to: engines and bundles for the same purpose that this agent has on record,
//! read where they are now. What that means is written in [`acta_ledger::judge::window`].

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        artifact::Artifact,
        build::{BuildSummary, Outcome},
        retention::RetentionRecord,
    },
    judge::window::WayBack,
    log::digest::Sha256Digest,
};

use crate::{
    blob::{BlobStore, digest_file},
    clock,
    error::Result,
    history::MAX_RUNS,
    home::Home,
    runs::RunNote,
    statements,
};

/// How many files are read: each may be gigabytes long.
const MAX_READ: usize = 8;

/// What stands at each place: several runs on record may have written to one.
type Read = BTreeMap<PathBuf, Option<Sha256Digest>>;

/// Looks for ways back, newest first, until one is found whose bytes are those on record. `outputs` are the paths at
/// which the build's engine will stand.
pub fn look(home: &Home, route: Option<&str>, outputs: &[PathBuf]) -> Result<Vec<WayBack>> {
    let outputs: Vec<PathBuf> = outputs.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
    let (mut found, mut read) = (Vec::new(), Read::new());
    if let Some(route) = route {
        let now = clock::now();
        let retained = statements::newest_own(home, |record: &RetentionRecord| {
            record.route == route && record.is_kept(now)
        })?;
        if let Some(retained) = retained {
            let recorded = retained.bundle.digest;
            let bundle = BlobStore::new(home.blobs()).path(&recorded);
            found.push(WayBack { recorded, found: digest_file(&bundle).ok().map(|(digest, _)| digest) });
        }
    }
    for (summary, _) in statements::own_summaries(home, MAX_RUNS)? {
        if read.len() >= MAX_READ || found.iter().any(|way| way.found == Some(way.recorded)) {
            break;
        }
        if summary.outcome != Outcome::Completed {
            continue;
        }
        // Of a run of an older agent it is not known where it was started.
        let folder = RunNote::load(home, summary.run.id)?.and_then(|note| note.order).map(|order| order.cwd);
        let folder = folder.unwrap_or_default();
        let engines = summary.artifacts.iter().filter(|made| made.is_product());
        found.extend(engines.filter_map(|engine| way(&summary, engine, &folder, route, &outputs, &mut read)));
    }
    Ok(found)
}

/// The engine as a way back; none where it was built for something else.
fn way(
    summary: &BuildSummary,
    engine: &Artifact,
    folder: &Path,
    route: Option<&str>,
    outputs: &[PathBuf],
    read: &mut Read,
) -> Option<WayBack> {
    let place = folder.join(&engine.name);
    let same_route = route.is_some() && route == summary.run.route.as_deref();
    if !same_route && !outputs.contains(&place) {
        return None;
    }
    let recorded = engine.digest?;
    let found =
        read.entry(place).or_insert_with_key(|place| digest_file(place).ok().map(|(digest, _)| digest));
    Some(WayBack { recorded, found: *found })
}
