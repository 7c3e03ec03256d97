//! What is different between two bundles.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{BundleClass, Dialect, Inspection, Section};
use crate::{
    evidence::{
        gate::{Check, Gate, GateRecord},
        number::Count64,
    },
    log::digest::Sha256Digest,
};

/// What two bundles are compared by: the header and the section table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The file's digest.
    pub digest: Sha256Digest,
    /// How the header is written; none where it cannot be read.
    pub dialect: Option<Dialect>,
    /// What it is made for; none where the header cannot be read.
    pub class: Option<BundleClass>,
    /// The header's values.
    pub header: BTreeMap<String, Value>,
    /// The section table.
    pub sections: Vec<Section>,
}

impl From<&Inspection> for Manifest {
    fn from(inspection: &Inspection) -> Self {
        Self {
            digest: inspection.digest,
            dialect: inspection.dialect,
            class: inspection.class,
            header: inspection.header.clone(),
            sections: inspection.sections.clone(),
        }
    }
}

impl Manifest {
    /// The manifest that a record of gate 3 holds in its checks `header` and `section_table`; none where it is of another
    /// gate, or its agent could not read the header.
    pub fn of_gate(record: &GateRecord) -> Option<Self> {
        #[derive(Deserialize)]
        struct Header {
            dialect: Option<Dialect>,
            class: Option<BundleClass>,
            stated: BTreeMap<String, Value>,
        }
        let value = |name: &str| {
            let named = |check: &&Check| check.name == name;
            record.checks.iter().find(named).map(|check| &check.value)
        };
        if record.gate != Gate::Bundle {
            return None;
        }
        let header = Header::deserialize(value("header")?).ok()?;
        let sections = Vec::<Section>::deserialize(value("section_table")?).ok()?;
        let Header { dialect, class, stated } = header;
        Some(Self { digest: record.bundle?, dialect, class, header: stated, sections })
    }
}

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

/// Compares two inspected bundles.
pub fn diff(before: &Inspection, after: &Inspection) -> BundleDiff {
    differences(&before.into(), &after.into())
}

/// Compares two bundles by header values and by the digests of their sections.
pub fn differences(before: &Manifest, after: &Manifest) -> BundleDiff {
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
    let by_name = |manifest: &Manifest| -> BTreeMap<String, usize> {
        manifest.sections.iter().enumerate().map(|(i, section)| (section.name.clone(), i)).collect()
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
