//! Bundles: the `.bundle` file of Model Connect, read once as a stream with flat memory.
//!
//! ```text
//! 0..8      "BUNDLE" 01 00
//! 8..16     length L of the header, 64 bits, little-endian
//! 16..16+L  header: a JSON object with a table of sections
//! 16+L..    payload: the sections, by offset and length
//! ```
//! The format carries no digest of its own, so one pass hashes the whole file and every section. Whatever a length
//! field claims, memory follows only what the file really holds: a chunk, the section table, one header text and the
//! few small sections that are read. The rules are those of [`Rule`], stricter than the format's own readers.

mod artifact_tree;
mod dialect;
mod diff;
mod header;
mod kernel_slot;
mod rule;
mod section;
mod stream;
mod text;

use std::{
    collections::BTreeMap,
    io::{self, Read},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use artifact_tree::OptimizedRuntime;
pub use dialect::Dialect;
pub use diff::{BundleDiff, FieldChange, Manifest, SectionChange, SectionDifference, diff, differences};
pub use header::{MAX_DEPTH, MAX_KEPT_BYTES, MAX_MEMBERS, MAX_SECTIONS};
pub use kernel_slot::KernelSlot;
pub use rule::{Finding, FindingKind, Level, MAX_KEPT, Rule, Violation};
pub use section::{MAX_NAME_BYTES, Section, SectionRole, is_engine, unsafe_name};
pub use text::visible;

use self::{
    header::Header,
    rule::Notes,
    section::Stretch,
    stream::{CHUNK, Source},
};
use super::number::Count64;
use crate::log::digest::{Hasher, Sha256Digest};

/// The first eight bytes.
pub const MAGIC: [u8; 8] = *b"BUNDLE\x01\x00";
/// The longest header: 100 MiB.
pub const MAX_HEADER_BYTES: u64 = 100 << 20;
/// The shortest header: `{}`.
pub const MIN_HEADER_BYTES: u64 = 2;
/// What TensorRT plans begin with: Enterprise TensorRT and TensorRT-RTX.
pub const PLAN_MAGICS: [[u8; 4]; 2] = [*b"ftrt", *b"vtrt"];

/// Why a bundle could not be read to its end. What is wrong *in* a bundle is no such error.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The reader failed.
    #[error("reading the bundle failed: {0}")]
    Io(#[from] io::Error),
    /// The file became shorter than it was said to be.
    #[error("the bundle ended after {found} of {expected} bytes while it was read")]
    Ended {
        /// How long it was said to be.
        expected: u64,
        /// How much there was.
        found: u64,
    },
    /// The file became longer than it was said to be.
    #[error("the bundle grew beyond {expected} bytes while it was read")]
    Longer {
        /// How long it was said to be.
        expected: u64,
    },
}

/// Whether every rule of the format holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every rule holds; there may be findings.
    Valid,
    /// At least one rule is broken.
    Invalid,
}

/// What kind of runtime a bundle is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BundleClass {
    /// Engines for Model Connect's own runtime.
    Native,
    /// An implementation library with its artifact tree (section `optimized_runtime.json`).
    Optimized,
    /// Engines with a slot for a kernel from outside (section `kernel_slots.json`).
    Byok,
}

/// Everything that one pass over a bundle finds out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// The digest of the whole file.
    pub digest: Sha256Digest,
    /// The file's length.
    pub bytes: Count64,
    /// Whether every rule holds.
    pub verdict: Verdict,
    /// Whether it is valid and nothing was found that somebody should look at.
    pub clean: bool,
    /// How the header is written; none where it cannot be read.
    pub dialect: Option<Dialect>,
    /// What it is made for; none where the header cannot be read.
    pub class: Option<BundleClass>,
    /// The header's length; none where the file is too short to say it.
    pub header_bytes: Option<Count64>,
    /// What follows the header.
    pub payload_bytes: Option<Count64>,
    /// The header's values but `sections`, as the bundle states them: foreign text. Integers beyond 2^53 are texts.
    pub header: BTreeMap<String, Value>,
    /// The section table in the order of the header.
    pub sections: Vec<Section>,
    /// The optimized runtime's descriptor, where there is a readable one.
    pub optimized: Option<OptimizedRuntime>,
    /// The kernel slot, where there is a readable one.
    pub kernel_slot: Option<KernelSlot>,
    /// Broken rules, at most [`MAX_KEPT`].
    pub errors: Vec<Violation>,
    /// Findings, at most [`MAX_KEPT`].
    pub findings: Vec<Finding>,
    /// How many errors and findings were counted but not kept.
    pub left_out: u64,
}

impl Inspection {
    /// A text that the header states.
    pub fn stated(&self, key: &str) -> Option<&str> {
        self.header.get(key)?.as_str()
    }

    /// Whether a rule is broken.
    pub fn breaks(&self, rule: Rule) -> bool {
        self.errors.iter().any(|error| error.rule == rule)
    }

    /// Whether something was found.
    pub fn has(&self, finding: FindingKind) -> bool {
        self.findings.iter().any(|it| it.finding == finding)
    }
}

/// Reads a bundle of `bytes` bytes once, from its first byte to its last.
pub fn inspect<R: Read>(reader: R, bytes: u64) -> Result<Inspection, InspectError> {
    let mut source = Source::new(reader, bytes);
    let mut notes = Notes::default();
    let mut body = Body::default();
    let header_bytes = read_prefix(&mut source, &mut notes)?;
    if let Some(length) = header_bytes.filter(|_| notes.errors.is_empty())
        && let Some(header) = header::read(&mut source, length, &mut notes)?
    {
        body = read_body(&mut source, header, &mut notes)?;
    }
    let digest = source.finish(&mut vec![0; CHUNK])?;
    let valid = notes.errors.is_empty();
    Ok(Inspection {
        digest,
        bytes: Count64(bytes),
        verdict: if valid { Verdict::Valid } else { Verdict::Invalid },
        clean: valid && !notes.unclean,
        dialect: body.dialect,
        class: body.class,
        header_bytes: header_bytes.map(Count64),
        payload_bytes: header_bytes.and_then(|it| bytes.checked_sub(16)?.checked_sub(it)).map(Count64),
        header: body.header,
        sections: body.sections,
        optimized: body.optimized,
        kernel_slot: body.kernel_slot,
        errors: notes.errors,
        findings: notes.findings,
        left_out: notes.left_out,
    })
}

/// Reads magic and header length.
fn read_prefix<R: Read>(source: &mut Source<R>, notes: &mut Notes) -> Result<Option<u64>, InspectError> {
    let mut prefix = [0; 16];
    let got = source.read_full(&mut prefix)?;
    let (magic, length) = prefix.split_at(8);
    if got >= 8 && magic != MAGIC {
        let text = format!("the file begins with {magic:02x?}, not with the magic of a bundle");
        notes.error(Rule::Magic, None, None, text);
        return Ok(None);
    }
    if got < prefix.len() {
        let text = format!("the file has {got} bytes, magic and header length need 16");
        notes.error(Rule::TooShort, None, Some(got as u64), text);
        return Ok(None);
    }
    let length = length.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let (rule, why) = if length < MIN_HEADER_BYTES {
        (Rule::HeaderLengthTooSmall, "is below 2 bytes")
    } else if length > MAX_HEADER_BYTES {
        (Rule::HeaderLengthTooLarge, "is over 100 MiB")
    } else if length > source.left() {
        (Rule::HeaderBeyondFile, "leads beyond the end of the file")
    } else {
        return Ok(Some(length));
    };
    notes.error(rule, None, Some(length), format!("the header length {length} {why}"));
    Ok(Some(length))
}

/// What the header and the payload say.
#[derive(Default)]
struct Body {
    dialect: Option<Dialect>,
    class: Option<BundleClass>,
    header: BTreeMap<String, Value>,
    sections: Vec<Section>,
    optimized: Option<OptimizedRuntime>,
    kernel_slot: Option<KernelSlot>,
}

fn read_body<R: Read>(
    source: &mut Source<R>,
    header: Header,
    notes: &mut Notes,
) -> Result<Body, InspectError> {
    let payload = source.left();
    let dialect = dialect::of(&header);
    dialect::check(&header, dialect, notes);
    let mut sections = section::read(header.sections, dialect, payload, notes);
    let stretches = section::lay_out(&sections, payload, notes);
    let content = read_payload(source, &stretches, &mut sections, notes)?;

    let has = |name: &str| sections.iter().any(|section| section.name == name);
    let (optimized, byok) = (has(artifact_tree::DESCRIPTOR), has(kernel_slot::KERNEL_SLOTS));
    let class = match (optimized, byok) {
        (true, _) => BundleClass::Optimized,
        (false, true) => BundleClass::Byok,
        (false, false) => BundleClass::Native,
    };
    if optimized && byok {
        let text = "the bundle has an optimized runtime's descriptor and kernel slots".to_owned();
        notes.finding(FindingKind::ClassAmbiguous, Level::Attention, None, None, text);
    }
    check_engines(&sections, class, notes);

    let model_id = header.fields.get("model_id").and_then(Value::as_str);
    let optimized = match content.get(artifact_tree::DESCRIPTOR) {
        Some(Some(bytes)) => artifact_tree::read(bytes, model_id, &mut sections, notes),
        Some(None) => {
            let text = format!("{} is longer than 1 MiB", artifact_tree::DESCRIPTOR);
            notes.error(Rule::DescriptorMalformed, Some(artifact_tree::DESCRIPTOR), None, text);
            None
        }
        None => None,
    };
    let kernel_slot = match content.get(kernel_slot::KERNEL_SLOTS) {
        Some(Some(bytes)) => kernel_slot::read(bytes, notes),
        Some(None) => {
            let text = format!("{} is longer than 1 MiB", kernel_slot::KERNEL_SLOTS);
            notes.error(Rule::KernelSlotsMalformed, Some(kernel_slot::KERNEL_SLOTS), None, text);
            None
        }
        None => None,
    };
    let (dialect, class) = (Some(dialect), Some(class));
    Ok(Body { dialect, class, header: header.fields, sections, optimized, kernel_slot })
}

/// Hashes every section, judges how plans begin, and returns the small sections that are read; none for one too long.
fn read_payload<R: Read>(
    source: &mut Source<R>,
    stretches: &[Stretch],
    sections: &mut [Section],
    notes: &mut Notes,
) -> Result<BTreeMap<&'static str, Option<Vec<u8>>>, InspectError> {
    let mut content = BTreeMap::new();
    let mut buffer = vec![0; CHUNK];
    let payload = source.left();
    for stretch in stretches {
        let at = payload - source.left();
        source.pass(stretch.offset.saturating_sub(at), &mut buffer, |_| {})?;
        let section = &mut sections[stretch.section];
        let wanted = match section.name.as_str() {
            artifact_tree::DESCRIPTOR => {
                Some((artifact_tree::DESCRIPTOR, artifact_tree::MAX_DESCRIPTOR_BYTES))
            }
            kernel_slot::KERNEL_SLOTS => Some((kernel_slot::KERNEL_SLOTS, kernel_slot::MAX_BYTES)),
            _ => None,
        };
        let keep = wanted.is_some_and(|(_, most)| stretch.bytes <= most);
        let mut hasher = Hasher::default();
        let mut kept = Vec::new();
        let mut magic = Vec::with_capacity(4);
        source.pass(stretch.bytes, &mut buffer, |piece| {
            hasher.update(piece);
            magic.extend(piece.iter().take(4 - magic.len()));
            if keep {
                kept.extend_from_slice(piece);
            }
        })?;
        section.digest = Some(hasher.finish());
        if let Some((name, _)) = wanted {
            content.insert(name, keep.then_some(kept));
        }
        if section.role == SectionRole::Engine {
            check_plan(&section.name, &magic, stretch.bytes, notes);
        }
    }
    Ok(content)
}

fn check_plan(name: &str, magic: &[u8], bytes: u64, notes: &mut Notes) {
    let shown = text::name(name);
    if bytes == 0 {
        let text = format!("section \"{shown}\" is empty: no usable engine");
        notes.finding(FindingKind::PlanEmpty, Level::High, Some(name), None, text);
    } else if !PLAN_MAGICS.iter().any(|known| known == magic) {
        let text = format!("section \"{shown}\" does not begin like a TensorRT plan");
        notes.finding(FindingKind::PlanMagic, Level::Attention, Some(name), None, text);
    }
}

fn check_engines(sections: &[Section], class: BundleClass, notes: &mut Notes) {
    let engines = sections.iter().filter(|section| section.role == SectionRole::Engine).count() as u64;
    if engines == 0 {
        let level = if class == BundleClass::Optimized { Level::Note } else { Level::Attention };
        let text = "no section holds an engine".to_owned();
        notes.finding(FindingKind::NoEngineSection, level, None, None, text);
    } else if engines > 1 {
        let text = format!("{engines} sections hold engines");
        notes.finding(FindingKind::SeveralEngineSections, Level::Note, None, Some(engines), text);
    }
}
