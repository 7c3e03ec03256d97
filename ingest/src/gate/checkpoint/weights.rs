//! The weights: every safetensors header, and every shard that an index names.

use std::{
    collections::{BTreeMap, HashSet},
    fs::File,
};

use acta_ledger::evidence::gate::{Check, CheckVerdict};
use serde::Deserialize;
use serde_json::json;

use super::{
    super::{check, read_bounded},
    Scanned,
    files::CheckpointFile,
    safetensors,
};
use crate::{builder::framing::cut, error::Result, ui::visible_line};

/// How long an index may be.
const MAX_INDEX_BYTES: u64 = 64 << 20;
/// How many problems are named.
const MAX_PROBLEMS: usize = 16;

/// An index of shards; what else stands in it says nothing about files.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// Judges the weights.
pub fn judge(scanned: &Scanned) -> Result<Check> {
    let weights: Vec<&CheckpointFile> = scanned.files.iter().filter(|file| file.is_weights()).collect();
    let mut problems: Vec<String> = Vec::new();
    let mut headers: BTreeMap<&str, HashSet<String>> = BTreeMap::new();
    for file in weights.iter().filter(|file| file.is_safetensors()) {
        let opened = File::open(scanned.path(file)).map_err(|error| format!("it cannot be read: {error}"));
        match opened.and_then(|mut opened| safetensors::check(&mut opened, file.bytes.0)) {
            Ok(header) => {
                headers.insert(&file.path, header.tensors);
            }
            Err(problem) => problems.push(format!("{}: {problem}", file.path)),
        }
    }
    for index in scanned.files.iter().filter(|file| file.name().ends_with(".index.json")) {
        problems.extend(missing_shards(scanned, index, &headers)?);
    }
    let tensors: usize = headers.values().map(HashSet::len).sum();
    let bytes: u64 = weights.iter().map(|file| file.bytes.0).sum();
    let named: Vec<&str> = problems.iter().take(MAX_PROBLEMS).map(|problem| cut(problem, 300)).collect();
    let value = json!({
        "files": weights.len(),
        "bytes": bytes.to_string(),
        "safetensors": headers.len(),
        "tensors": tensors,
        "problems": named,
    });
    let judged = |verdict| check("weight_files", verdict, value.clone());
    Ok(if let Some(first) = problems.first() {
        let more = problems.len() - 1;
        let more = if more == 0 { String::new() } else { format!("; and {more} more problems") };
        judged(CheckVerdict::Fail).because(format!("{first}{more}"))
    } else if weights.is_empty() {
        judged(CheckVerdict::Fail).because("there are no weights")
    } else if headers.is_empty() && weights.iter().all(|file| file.pickle.is_some()) {
        judged(CheckVerdict::Hold)
            .because("all weights are pickles: their tensors cannot be known without running them")
    } else {
        judged(CheckVerdict::Pass)
    })
}

/// What an index names and the checkpoint does not hold.
fn missing_shards(
    scanned: &Scanned,
    index: &CheckpointFile,
    headers: &BTreeMap<&str, HashSet<String>>,
) -> Result<Vec<String>> {
    let path = &index.path;
    if index.bytes.0 > MAX_INDEX_BYTES {
        return Ok(vec![format!("{path}: it is longer than {MAX_INDEX_BYTES} bytes")]);
    }
    let bytes = read_bounded("--checkpoint", &scanned.path(index), MAX_INDEX_BYTES)?;
    let parsed: Index = match serde_json::from_slice(&bytes) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(vec![format!("{path}: it is no index of shards: {error}")]),
    };
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let there: HashSet<&str> = scanned.files.iter().map(|file| file.path.as_str()).collect();
    let mut problems = BTreeMap::new();
    for (tensor, shard) in &parsed.weight_map {
        let name = format!("{folder}{shard}");
        let shown = visible_line(cut(shard, 120));
        if !there.contains(name.as_str()) {
            problems.entry(shard).or_insert(format!("{path}: the shard {shown} is not there"));
        } else if headers.get(name.as_str()).is_some_and(|tensors| !tensors.contains(tensor)) {
            let tensor = visible_line(cut(tensor, 120));
            problems.entry(shard).or_insert(format!("{path}: {shown} has no tensor {tensor}"));
        }
    }
    Ok(problems.into_values().collect())
}
