//! The section table: names, extents, overlaps and gaps.

use serde::{Deserialize, Serialize};

use super::{
    dialect::Dialect,
    header::{Extent, RawSection},
    rule::{FindingKind, Level, Notes, Rule},
    text,
};
use crate::{evidence::number::Count64, log::digest::Sha256Digest};

/// The longest name, in bytes.
pub const MAX_NAME_BYTES: usize = 4096;

/// What a section holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionRole {
    /// A serialized engine: `engine_plan`, or a name that ends in `_plan`.
    Engine,
    /// A file of the optimized runtime's artifact tree.
    Artifact,
    /// Anything else.
    Other,
}

/// One section of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    /// Its name as it is written in the file: foreign text, never a path.
    pub name: String,
    /// Where it begins, counted from the payload's first byte; none where the header does not say it.
    pub offset: Option<Count64>,
    /// How long it is; none where the header does not say it.
    pub bytes: Option<Count64>,
    /// What it holds.
    pub role: SectionRole,
    /// The digest of its bytes; none where they are not in the file or shared with a section before it.
    pub digest: Option<Sha256Digest>,
}

impl Section {
    /// Offset and length, where the header says both and they can be added.
    pub(super) fn extent(&self) -> Option<(u64, u64)> {
        let (offset, bytes) = (self.offset?.0, self.bytes?.0);
        offset.checked_add(bytes).map(|_| (offset, bytes))
    }
}

/// Whether a section with this name holds an engine.
pub fn is_engine(name: &str) -> bool {
    name == "engine_plan" || name.ends_with("_plan")
}

/// Why a name would be dangerous as a path, or misleading on a screen.
pub fn unsafe_name(name: &str) -> Option<&'static str> {
    if name.chars().any(text::is_unusual) {
        Some("it holds control or invisible characters")
    } else if name.starts_with('/') || name.contains('\\') {
        Some("it is an absolute path or holds a backslash")
    } else if name.split('/').any(|part| part == ".." || part == ".") {
        Some("it leads out of its folder")
    } else if name.contains("//") || name.ends_with('/') {
        Some("it is not a plain path")
    } else {
        None
    }
}

/// Judges each section by itself.
pub(super) fn read(raw: Vec<RawSection>, dialect: Dialect, payload: u64, notes: &mut Notes) -> Vec<Section> {
    let mut empty = 0_u64;
    let sections: Vec<Section> = raw
        .into_iter()
        .map(|raw| {
            check_name(&raw.name, notes);
            let (offset, bytes) = check_keys(&raw, dialect, notes);
            if let (Some(offset), Some(bytes)) = (offset, bytes) {
                check_extent(&raw.name, offset, bytes, payload, notes);
            }
            empty += u64::from(bytes == Some(0));
            let role = if is_engine(&raw.name) { SectionRole::Engine } else { SectionRole::Other };
            let (offset, bytes) = (offset.map(Count64), bytes.map(Count64));
            Section { name: raw.name, offset, bytes, role, digest: None }
        })
        .collect();
    if empty > 0 {
        let text = format!("{empty} sections are empty");
        notes.finding(FindingKind::EmptySections, Level::Note, None, Some(empty), text);
    }
    sections
}

fn check_name(name: &str, notes: &mut Notes) {
    if name.is_empty() {
        notes.error(Rule::SectionNameEmpty, Some(name), None, "a section has an empty name".to_owned());
    } else if name.len() > MAX_NAME_BYTES {
        let text = format!("a section's name has {} bytes, at most {MAX_NAME_BYTES} are taken", name.len());
        notes.error(Rule::SectionNameTooLong, Some(name), Some(name.len() as u64), text);
    } else if name.contains('\0') {
        let text = format!("the section name \"{}\" holds U+0000", text::name(name));
        notes.error(Rule::SectionNameNul, Some(name), None, text);
    } else if let Some(why) = unsafe_name(name) {
        let text = format!("the section name \"{}\" is unsafe: {why}", text::name(name));
        notes.finding(FindingKind::UnsafeSectionName, Level::High, Some(name), None, text);
    }
}

fn check_keys(raw: &RawSection, dialect: Dialect, notes: &mut Notes) -> (Option<u64>, Option<u64>) {
    let name = text::name(&raw.name);
    if !raw.is_object {
        let text = format!("section \"{name}\" is not described by an object");
        notes.error(Rule::SectionNotObject, Some(&raw.name), None, text);
        return (None, None);
    }
    let (own_key, own, other_key, other) = match dialect {
        Dialect::A => ("size", raw.size, "length", raw.length),
        Dialect::B => ("length", raw.length, "size", raw.size),
    };
    if other != Extent::Missing {
        let text =
            format!("section \"{name}\" of dialect {dialect:?} has the other dialect's key {other_key}");
        notes.error(Rule::SectionKeyOfOtherDialect, Some(&raw.name), None, text);
    }
    if let Some(key) = &raw.other_key {
        let text = format!("section \"{name}\" has the key {}, which is not its dialect's", text::name(key));
        match dialect {
            Dialect::A => {
                notes.finding(FindingKind::SectionKeyUnknown, Level::Attention, Some(&raw.name), None, text)
            }
            Dialect::B => notes.error(Rule::SectionKeyUnsupported, Some(&raw.name), None, text),
        }
    }
    let mut number = |key: &str, extent, ambiguous: bool| match extent {
        Extent::Is(value) => (!ambiguous).then_some(value),
        Extent::Missing => {
            // The other dialect's key has been named already.
            if key == "offset" || other == Extent::Missing {
                let text = format!("section \"{name}\" has no {key}");
                notes.error(Rule::SectionKeyMissing, Some(&raw.name), None, text);
            }
            None
        }
        Extent::NotUnsigned => {
            let text = format!("section \"{name}\": {key} is not an unsigned integer");
            notes.error(Rule::NumberNotUnsigned, Some(&raw.name), None, text);
            None
        }
        Extent::TooLarge => {
            let text = format!("section \"{name}\": {key} does not fit into 64 bits");
            notes.error(Rule::NumberTooLarge, Some(&raw.name), None, text);
            None
        }
    };
    (number("offset", raw.offset, false), number(own_key, own, other != Extent::Missing))
}

fn check_extent(name: &str, offset: u64, bytes: u64, payload: u64, notes: &mut Notes) {
    match offset.checked_add(bytes) {
        None => {
            let text = format!("section \"{}\": offset and length overflow 64 bits", text::name(name));
            notes.error(Rule::SectionOverflow, Some(name), None, text);
        }
        Some(end) if end > payload => {
            let short = end - payload;
            let text = format!("section \"{}\" ends {short} bytes after the file", text::name(name));
            notes.error(Rule::SectionBeyondFile, Some(name), Some(short), text);
        }
        Some(_) => {}
    }
}

/// A stretch of the payload that is hashed as one section.
pub(super) struct Stretch {
    /// Which section.
    pub(super) section: usize,
    /// Where it begins in the payload.
    pub(super) offset: u64,
    /// How long it is.
    pub(super) bytes: u64,
}

/// Judges how the sections lie beside each other; the stretches to hash, in the order of the file.
pub(super) fn lay_out(sections: &[Section], payload: u64, notes: &mut Notes) -> Vec<Stretch> {
    let mut placed: Vec<Stretch> = sections
        .iter()
        .enumerate()
        .filter_map(|(section, it)| it.extent().map(|(offset, bytes)| Stretch { section, offset, bytes }))
        .collect();
    let in_order = placed.is_sorted_by_key(|stretch| stretch.offset);
    placed.sort_by_key(|stretch| (stretch.offset, stretch.bytes));

    let mut stretches = Vec::with_capacity(placed.len());
    let (mut end, mut last) = (0_u64, None::<usize>);
    let mut sum = 0_u128;
    for stretch in placed {
        let name = &sections[stretch.section].name;
        sum += u128::from(stretch.bytes);
        let overlaps = stretch.bytes > 0 && stretch.offset < end;
        if let Some(before) = last.filter(|_| overlaps) {
            let shared = (end - stretch.offset).min(stretch.bytes);
            let before = text::name(&sections[before].name);
            let text =
                format!("sections \"{before}\" and \"{}\" overlap by {shared} bytes", text::name(name));
            notes.error(Rule::SectionOverlap, Some(name), Some(shared), text);
        }
        if stretch.offset > end && stretch.offset <= payload && stretch.bytes > 0 {
            let gap = stretch.offset - end;
            let text = format!("{gap} bytes before section \"{}\" belong to no section", text::name(name));
            notes.finding(FindingKind::Gap, Level::Attention, Some(name), Some(gap), text);
        }
        // Extents were checked for overflow when they were placed.
        let stretch_end = stretch.offset + stretch.bytes;
        if stretch.bytes > 0 && stretch_end >= end {
            (end, last) = (stretch_end, Some(stretch.section));
        }
        if !overlaps && stretch_end <= payload {
            stretches.push(stretch);
        }
    }
    if end < payload {
        let trailing = payload - end;
        let text = format!("{trailing} bytes after the last section belong to none");
        notes.finding(FindingKind::TrailingBytes, Level::Attention, None, Some(trailing), text);
    }
    if sum != u128::from(payload) {
        let text = format!("the sections have {sum} bytes together, the payload has {payload}");
        notes.finding(FindingKind::NonContiguous, Level::Attention, None, None, text);
    }
    if !in_order {
        let text = "the sections are not listed in the order of their offsets".to_owned();
        notes.finding(FindingKind::OutOfOrder, Level::Note, None, None, text);
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, offset: u64, bytes: u64) -> Section {
        let (offset, bytes) = (Some(Count64(offset)), Some(Count64(bytes)));
        Section { name: name.to_owned(), offset, bytes, role: SectionRole::Other, digest: None }
    }

    /// Which sections are hashed, which rules are broken, what is found.
    fn layout(table: &[(u64, u64)], payload: u64) -> (Vec<usize>, Vec<Rule>, Vec<(FindingKind, u64)>) {
        let sections: Vec<_> =
            table.iter().enumerate().map(|(i, &(at, bytes))| section(&format!("s{i}"), at, bytes)).collect();
        let mut notes = Notes::default();
        let stretches = lay_out(&sections, payload, &mut notes);
        (
            stretches.iter().map(|stretch| stretch.section).collect(),
            notes.errors.iter().map(|error| error.rule).collect(),
            notes.findings.iter().map(|it| (it.finding, it.count.map_or(0, |count| count.0))).collect(),
        )
    }

    #[test]
    fn layouts() {
        use FindingKind::{Gap, NonContiguous, OutOfOrder, TrailingBytes};
        let overlap = Rule::SectionOverlap;
        for (table, payload, hashed, errors, findings) in [
            (&[(0, 4), (4, 6)][..], 10, vec![0, 1], vec![], vec![]),
            (&[(4, 6), (0, 4)], 10, vec![1, 0], vec![], vec![(OutOfOrder, 0)]),
            (&[(0, 4), (5, 5)], 10, vec![0, 1], vec![], vec![(Gap, 1), (NonContiguous, 0)]),
            (&[(0, 4)], 10, vec![0], vec![], vec![(TrailingBytes, 6), (NonContiguous, 0)]),
            (&[(0, 6), (4, 6)], 10, vec![0], vec![overlap], vec![(NonContiguous, 0)]),
            (&[(0, 10), (2, 2), (4, 2)], 10, vec![0], vec![overlap, overlap], vec![(NonContiguous, 0)]),
            // Empty sections may lie anywhere in the payload, within others too.
            (&[(0, 10), (0, 0), (3, 0), (10, 0)], 10, vec![1, 0, 2, 3], vec![], vec![]),
            // What lies beyond the file is named when each section is judged by itself.
            (&[(0, 4), (4, 60)], 10, vec![0], vec![], vec![(NonContiguous, 0)]),
            (&[], 0, vec![], vec![], vec![]),
        ] {
            let (got_hashed, got_errors, got_findings) = layout(table, payload);
            assert_eq!(got_errors, errors, "{table:?}");
            assert_eq!(got_findings.len(), findings.len(), "{table:?} {got_findings:?}");
            assert!(
                findings.iter().all(|finding| got_findings.contains(finding)),
                "{table:?} {got_findings:?}"
            );
            assert_eq!(got_hashed, hashed, "{table:?}");
        }
    }

    #[test]
    fn unsafe_names() {
        for (name, is_unsafe) in [
            ("engine_plan", false),
            ("optimized_runtime_artifacts/engines/decode/rank0.engine", false),
            ("a..b", false),
            ("../../etc/passwd", true),
            ("/etc/passwd", true),
            ("a/./b", true),
            ("a\\b", true),
            ("a//b", true),
            ("a/", true),
            ("a\u{202e}b", true),
            ("a\nb", true),
        ] {
            assert_eq!(unsafe_name(name).is_some(), is_unsafe, "{name:?}");
        }
        assert!(is_engine("engine_plan") && is_engine("prefill_engine_plan") && !is_engine("plan.json"));
    }
}
