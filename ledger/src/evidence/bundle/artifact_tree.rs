//! The optimized runtime's artifact tree: the only integrity that is built into a bundle, recomputed here.
//!
//! The descriptor (`optimized_runtime.json`) lists the directories, counts the files and states one digest over them.
//! Each file is a section `<prefix>/<path>`. The tree's digest is SHA-256 over, for each directory in order,
//! `"directory" 00 path 00`, and then, for each file in order, `"file" 00 path 00 size 00 sha256`, where the size is
//! written in decimal and the file's own digest is 32 raw bytes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    rule::{FindingKind, Level, Notes, Rule},
    section::{MAX_NAME_BYTES, Section, SectionRole},
    text,
};
use crate::{
    evidence::number::Count64,
    log::{
        digest::{Hasher, Sha256Digest},
        jcs,
    },
};

/// The descriptor's section.
pub const DESCRIPTOR: &str = "optimized_runtime.json";
/// How long the descriptor may be.
pub const MAX_DESCRIPTOR_BYTES: u64 = 1 << 20;
/// How long the implementation's metadata may be.
pub const MAX_METADATA_BYTES: u64 = 16 << 20;
/// How many files and directories the tree may have.
pub const MAX_ENTRIES: usize = 65_536;
/// How many bytes its files may have together: 1 TiB.
pub const MAX_TOTAL_BYTES: u64 = 1 << 40;
/// What every artifact's section name begins with.
pub const PREFIX: &str = "optimized_runtime_artifacts";

/// The descriptor as it is written: exactly these keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Descriptor {
    schema_version: u64,
    implementation_id: String,
    model_id: String,
    profile_id: String,
    runtime_library: String,
    factory_abi: u64,
    implementation_metadata_section: String,
    runtime: Runtime,
    artifact: ArtifactDescriptor,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Runtime {
    name: String,
    version: String,
    commit: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArtifactDescriptor {
    section_prefix: String,
    directories: Vec<String>,
    file_count: u64,
    total_size: u64,
    tree_sha256: Sha256Digest,
}

/// What an optimized bundle says of its runtime, with the digest that its files really have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OptimizedRuntime {
    /// The implementation that the bundle is made for.
    pub implementation_id: String,
    /// The model that the descriptor is made for.
    pub model_id: String,
    /// The profile that it was built for.
    pub profile_id: String,
    /// The library's file name.
    pub runtime_library: String,
    /// The runtime's name.
    pub runtime_name: String,
    /// Its version.
    pub runtime_version: String,
    /// Its commit.
    pub runtime_commit: String,
    /// How many directories the descriptor lists.
    pub directories: u64,
    /// How many files there are.
    pub files: u64,
    /// How many bytes they have together.
    pub bytes: Count64,
    /// The digest that the descriptor states.
    pub stated_tree: Sha256Digest,
    /// The digest that the files have; none where one of them cannot be hashed.
    pub computed_tree: Option<Sha256Digest>,
}

/// Judges the descriptor against the sections, and marks those that are artifacts.
pub(super) fn read(
    content: &[u8],
    model_id: Option<&str>,
    sections: &mut [Section],
    notes: &mut Notes,
) -> Option<OptimizedRuntime> {
    let descriptor = match jcs::parse(content)
        .map_err(|error| error.to_string())
        .and_then(|value| serde_json::from_value::<Descriptor>(value).map_err(|error| error.to_string()))
    {
        Ok(descriptor) => descriptor,
        Err(why) => {
            error(notes, Rule::DescriptorMalformed, why);
            return None;
        }
    };
    check_identity(&descriptor, model_id, notes);
    check_metadata(&descriptor.implementation_metadata_section, sections, notes);

    let mut files = BTreeMap::new();
    for section in sections.iter_mut() {
        let Some(path) = section.name.strip_prefix(PREFIX).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        section.role = SectionRole::Artifact;
        files.insert(path.to_owned(), (section.bytes.unwrap_or_default().0, section.digest));
    }
    let artifact = descriptor.artifact;
    check_paths(&artifact.directories, &files, notes);
    let bytes = files.values().fold(0_u64, |sum, (bytes, _)| sum.saturating_add(*bytes));
    if artifact.file_count != files.len() as u64 {
        let text =
            format!("file_count is {}, there are {} artifact sections", artifact.file_count, files.len());
        error(notes, Rule::ArtifactFileCount, text);
    }
    if artifact.total_size != bytes {
        let text = format!("total_size is {}, the artifacts have {bytes} bytes", artifact.total_size);
        error(notes, Rule::ArtifactTotalSize, text);
    }
    if files.len() + artifact.directories.len() > MAX_ENTRIES || bytes > MAX_TOTAL_BYTES {
        let text = format!("more than {MAX_ENTRIES} entries or {MAX_TOTAL_BYTES} bytes");
        error(notes, Rule::ArtifactLimits, text);
    }
    let library = &descriptor.runtime_library;
    if !files.keys().any(|path| path.rsplit('/').next() == Some(library)) {
        let text = format!("{} is not among the artifacts", text::name(library));
        notes.finding(FindingKind::RuntimeLibraryAbsent, Level::Attention, Some(library), None, text);
    }
    let computed_tree = tree_digest(&artifact.directories, &files);
    if computed_tree.is_some_and(|computed| computed != artifact.tree_sha256) {
        let text = "the artifacts' digest is another than tree_sha256".to_owned();
        error(notes, Rule::ArtifactTreeDigest, text);
    }
    Some(OptimizedRuntime {
        implementation_id: descriptor.implementation_id,
        model_id: descriptor.model_id,
        profile_id: descriptor.profile_id,
        runtime_library: descriptor.runtime_library,
        runtime_name: descriptor.runtime.name,
        runtime_version: descriptor.runtime.version,
        runtime_commit: descriptor.runtime.commit,
        directories: artifact.directories.len() as u64,
        files: files.len() as u64,
        bytes: Count64(bytes),
        stated_tree: artifact.tree_sha256,
        computed_tree,
    })
}

fn error(notes: &mut Notes, rule: Rule, why: String) {
    notes.error(rule, Some(DESCRIPTOR), None, format!("{DESCRIPTOR}: {why}"));
}

fn check_identity(descriptor: &Descriptor, model_id: Option<&str>, notes: &mut Notes) {
    if descriptor.schema_version != 2 || descriptor.factory_abi != 1 {
        let text = format!(
            "schema_version {} with factory_abi {} is not known, only 2 with 1 is",
            descriptor.schema_version, descriptor.factory_abi
        );
        error(notes, Rule::DescriptorVersion, text);
    }
    if let Some(header) = model_id.filter(|header| *header != descriptor.model_id) {
        let (ours, theirs) = (text::name(&descriptor.model_id), text::name(header));
        error(
            notes,
            Rule::DescriptorModelId,
            format!("model_id is \"{ours}\", the header's is \"{theirs}\""),
        );
    }
    let library = &descriptor.runtime_library;
    let middle = library.strip_prefix("libtrtmc_impl_").and_then(|rest| rest.strip_suffix(".so"));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !middle.is_some_and(|middle| !middle.is_empty() && middle.chars().all(plain)) {
        let text = format!("runtime_library \"{}\" is not a plain libtrtmc_impl_*.so", text::name(library));
        error(notes, Rule::DescriptorRuntimeLibrary, text);
    }
    let Runtime { name, version, commit } = &descriptor.runtime;
    let texts = [&descriptor.implementation_id, &descriptor.profile_id, name, version, commit];
    if texts.iter().any(|text| text.is_empty()) {
        error(notes, Rule::DescriptorMalformed, "a required text is empty".to_owned());
    }
    if descriptor.artifact.section_prefix != PREFIX {
        error(notes, Rule::DescriptorMalformed, format!("section_prefix is not {PREFIX}"));
    }
}

fn check_metadata(name: &str, sections: &[Section], notes: &mut Notes) {
    let why = match sections.iter().find(|section| section.name == name) {
        Some(section) if section.bytes.is_some_and(|bytes| bytes.0 <= MAX_METADATA_BYTES) => return,
        Some(_) => "is longer than 16 MiB",
        None => "is not there",
    };
    let text = format!("the implementation's metadata section \"{}\" {why}", text::name(name));
    error(notes, Rule::DescriptorMetadataSection, text);
}

fn check_paths(
    directories: &[String],
    files: &BTreeMap<String, (u64, Option<Sha256Digest>)>,
    notes: &mut Notes,
) {
    let plain = |path: &str| {
        !path.is_empty()
            && path.len() <= MAX_NAME_BYTES
            && !path.contains('\0')
            && super::section::unsafe_name(path).is_none()
    };
    for path in directories.iter().chain(files.keys()).filter(|path| !plain(path)) {
        error(
            notes,
            Rule::ArtifactPath,
            format!("the path \"{}\" is not plain and relative", text::name(path)),
        );
    }
    let unique: BTreeSet<&str> = directories.iter().map(String::as_str).collect();
    if unique.len() != directories.len() {
        error(notes, Rule::ArtifactCollision, "a directory is listed twice".to_owned());
    }
    for path in directories.iter().chain(files.keys()) {
        let mut parents = path.match_indices('/').map(|(end, _)| &path[..end]);
        let is_both = files.contains_key(path) && unique.contains(path.as_str());
        if is_both || parents.any(|parent| files.contains_key(parent)) {
            let text = format!("\"{}\" is, or lies under, a file and a directory at once", text::name(path));
            error(notes, Rule::ArtifactCollision, text);
        }
    }
}

/// The digest over directories and files, each sorted by the bytes of their paths.
fn tree_digest(
    directories: &[String],
    files: &BTreeMap<String, (u64, Option<Sha256Digest>)>,
) -> Option<Sha256Digest> {
    let mut hasher = Hasher::default();
    let mut directories: Vec<_> = directories.iter().collect();
    directories.sort_unstable();
    for path in directories {
        hasher.update(b"directory\0");
        hasher.update(path.as_bytes());
        hasher.update(b"\0");
    }
    for (path, (bytes, digest)) in files {
        hasher.update(b"file\0");
        hasher.update(path.as_bytes());
        hasher.update(format!("\0{bytes}\0").as_bytes());
        hasher.update((*digest)?.as_bytes());
    }
    Some(hasher.finish())
}
