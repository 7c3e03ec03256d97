//! What is different between two bundles.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{BundleClass, Dialect, Inspection, Section};
use crate::{evidence::number::Count64, log::digest::Sha256Digest};

/// A header value that is not the same in both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// The header's key.
    pub key: String,
    /// Its value in the first; none where it has none.
    pub before: Option<Value>,
    /// Its value in the second.
    pub after: Option<Value>,
}

/// In what way a section differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionDifference {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// Its bytes are others.
    Changed,
    /// One of the two cannot be hashed, so nothing is known.
    Unknown,
}

/// A section that is not the same in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SectionChange {
    /// Its name.
    pub name: String,
    /// In what way it differs.
    pub difference: SectionDifference,
    /// Its length in the first.
    pub bytes_before: Option<Count64>,
    /// Its length in the second.
    pub bytes_after: Option<Count64>,
    /// Its digest in the first.
    pub before: Option<Sha256Digest>,
    /// Its digest in the second.
    pub after: Option<Sha256Digest>,
}

/// The differences of two bundles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleDiff {
    /// The first file.
    pub before: Sha256Digest,
    /// The second.
    pub after: Sha256Digest,
    /// Whether they are one and the same.
    pub same: bool,
    /// The dialects, where they differ.
    pub dialect: Option<(Option<Dialect>, Option<Dialect>)>,
    /// The classes, where they differ.
    pub class: Option<(Option<BundleClass>, Option<BundleClass>)>,
    /// Header values that differ, by key.
    pub header: Vec<FieldChange>,
    /// Sections that differ, in the order of the first and then of the second.
    pub sections: Vec<SectionChange>,
    /// How many sections are equal, byte for byte.
    pub equal_sections: u64,
}

/// Compares two bundles by header values and by the digests of their sections.
pub fn diff(before: &Inspection, after: &Inspection) -> BundleDiff {
    let keys: BTreeSet<&String> = before.header.keys().chain(after.header.keys()).collect();
    let header = keys
        .into_iter()
        .filter(|key| before.header.get(*key) != after.header.get(*key))
        .map(|key| FieldChange {
            key: key.clone(),
            before: before.header.get(key).cloned(),
            after: after.header.get(key).cloned(),
        })
        .collect();
    let by_name = |inspection: &'_ Inspection| -> BTreeMap<String, usize> {
        inspection.sections.iter().enumerate().map(|(i, section)| (section.name.clone(), i)).collect()
    };
    let (old, new) = (by_name(before), by_name(after));
    let mut equal_sections = 0;
    let mut sections = Vec::new();
    for section in &before.sections {
        match compare(Some(section), new.get(&section.name).map(|&i| &after.sections[i])) {
            Some(change) => sections.push(change),
            None => equal_sections += 1,
        }
    }
    for section in after.sections.iter().filter(|section| !old.contains_key(&section.name)) {
        sections.extend(compare(None, Some(section)));
    }
    BundleDiff {
        before: before.digest,
        after: after.digest,
        same: before.digest == after.digest,
        dialect: (before.dialect != after.dialect).then_some((before.dialect, after.dialect)),
        class: (before.class != after.class).then_some((before.class, after.class)),
        header,
        sections,
        equal_sections,
    }
}

/// How a section differs; none where it does not.
fn compare(before: Option<&Section>, after: Option<&Section>) -> Option<SectionChange> {
    let difference = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => SectionDifference::Added,
        (Some(_), None) => SectionDifference::Removed,
        (Some(before), Some(after)) => match (before.digest, after.digest) {
            (Some(old), Some(new)) if old == new => return None,
            (Some(_), Some(_)) => SectionDifference::Changed,
            _ => SectionDifference::Unknown,
        },
    };
    Some(SectionChange {
        name: before.or(after)?.name.clone(),
        difference,
        bytes_before: before.and_then(|section| section.bytes),
        bytes_after: after.and_then(|section| section.bytes),
        before: before.and_then(|section| section.digest),
        after: after.and_then(|section| section.digest),
    })
}
