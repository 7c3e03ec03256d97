//! The rules of the format and the findings beside it, each with a name that never changes.
//!
//! A broken **rule** makes a bundle invalid. A **finding** is something that a correct bundle may have and that a person
//! should know; a valid bundle whose findings are all notes is called clean.

use serde::{Deserialize, Serialize};

use crate::evidence::number::Count64;

/// Makes an enum whose variants have a stable code, for JSON, for exit messages and for catalogues of translations.
macro_rules! coded {
    ($(#[$outer:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $code:literal,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable name.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)*
                }
            }
        }
    };
}

coded! {
    /// A rule of the format.
    Rule {
        /// The file ends before the 16 bytes of magic and header length.
        TooShort = "too_short",
        /// The first eight bytes are not those of this format and version.
        Magic = "magic",
        /// The header length is below two bytes.
        HeaderLengthTooSmall = "header_length_too_small",
        /// The header length is over 100 MiB.
        HeaderLengthTooLarge = "header_length_too_large",
        /// The header would end after the file.
        HeaderBeyondFile = "header_beyond_file",
        /// The header is not UTF-8.
        HeaderNotUtf8 = "header_not_utf8",
        /// The header is not JSON.
        HeaderNotJson = "header_not_json",
        /// The header is JSON, but not an object.
        HeaderNotObject = "header_not_object",
        /// The header's JSON is nested too deep.
        HeaderTooDeep = "header_too_deep",
        /// The header's objects have too many members.
        HeaderTooManyMembers = "header_too_many_members",
        /// A key stands twice in one object of the header.
        DuplicateKey = "duplicate_key",
        /// The header has no object `sections`.
        SectionsMissing = "sections_missing",
        /// `sections` is not an object.
        SectionsNotObject = "sections_not_object",
        /// There are more sections than the format's readers take.
        TooManySections = "too_many_sections",
        /// Two sections have one name.
        DuplicateSection = "duplicate_section",
        /// A section is not described by an object.
        SectionNotObject = "section_not_object",
        /// A section has an empty name.
        SectionNameEmpty = "section_name_empty",
        /// A section's name holds U+0000.
        SectionNameNul = "section_name_nul",
        /// A section's name is too long.
        SectionNameTooLong = "section_name_too_long",
        /// A section lacks its offset or its length.
        SectionKeyMissing = "section_key_missing",
        /// A section has the length key of the other dialect.
        SectionKeyOfOtherDialect = "section_key_of_other_dialect",
        /// A section of dialect B has a key beside its two.
        SectionKeyUnsupported = "section_key_unsupported",
        /// An offset or length is not an unsigned integer.
        NumberNotUnsigned = "number_not_unsigned",
        /// An offset or length does not fit into 64 bits.
        NumberTooLarge = "number_too_large",
        /// Offset and length together do not fit into 64 bits.
        SectionOverflow = "section_overflow",
        /// A section ends after the file.
        SectionBeyondFile = "section_beyond_file",
        /// Two sections share bytes.
        SectionOverlap = "section_overlap",
        /// Dialect B: a key is missing.
        HeaderKeyMissing = "header_key_missing",
        /// Dialect B: a key beside the five.
        HeaderKeyUnsupported = "header_key_unsupported",
        /// Dialect B: a text is empty.
        HeaderValueEmpty = "header_value_empty",
        /// Dialect B: a value is not a text.
        HeaderValueNotText = "header_value_not_text",
        /// Dialect B: `format` is not an integer.
        FormatNotInteger = "format_not_integer",
        /// Dialect B: `format` is another than 1.
        FormatUnsupported = "format_unsupported",
        /// The optimized runtime's descriptor is too long, not strict JSON or not of its exact shape.
        DescriptorMalformed = "descriptor_malformed",
        /// The descriptor has another version or factory interface than the one that is known.
        DescriptorVersion = "descriptor_version",
        /// The descriptor's model is not the header's.
        DescriptorModelId = "descriptor_model_id",
        /// The descriptor's runtime library is not a plain `libtrtmc_impl_*.so`.
        DescriptorRuntimeLibrary = "descriptor_runtime_library",
        /// The implementation's metadata section is missing or too long.
        DescriptorMetadataSection = "descriptor_metadata_section",
        /// The artifact tree has too many entries or too many bytes.
        ArtifactLimits = "artifact_limits",
        /// A path of the artifact tree is not a plain relative path.
        ArtifactPath = "artifact_path",
        /// A path of the artifact tree is a file and a directory, or stands twice.
        ArtifactCollision = "artifact_collision",
        /// The descriptor counts other files than there are.
        ArtifactFileCount = "artifact_file_count",
        /// The descriptor's total size is not that of the files.
        ArtifactTotalSize = "artifact_total_size",
        /// The artifact tree's digest is another than the descriptor says.
        ArtifactTreeDigest = "artifact_tree_digest",
        /// The kernel slots are too long, not strict JSON or not of their exact shape.
        KernelSlotsMalformed = "kernel_slots_malformed",
    }
}

impl Rule {
    /// Whether it is a rule of the outer format, that is of header and section table rather than of what sections hold.
    pub fn is_outer(self) -> bool {
        self < Self::DescriptorMalformed
    }
}

coded! {
    /// What a correct bundle may have and a person should know.
    FindingKind {
        /// Bytes before a section belong to none.
        Gap = "gap",
        /// Bytes after the last section belong to none.
        TrailingBytes = "trailing_bytes",
        /// The sections' lengths do not sum up to the payload.
        NonContiguous = "non_contiguous",
        /// The sections are not listed in the order of their offsets.
        OutOfOrder = "out_of_order",
        /// Some sections are empty.
        EmptySections = "empty_sections",
        /// A section's name would be dangerous as a path or misleading on a screen.
        UnsafeSectionName = "unsafe_section_name",
        /// A section of dialect A has a key that its writer never writes.
        SectionKeyUnknown = "section_key_unknown",
        /// A header value holds control, bidirectional or invisible characters.
        UnusualText = "unusual_text",
        /// Dialect A: a key that its writer always writes is missing.
        HeaderKeyAbsent = "header_key_absent",
        /// Dialect A: a key that its writer never writes.
        HeaderKeyUnknown = "header_key_unknown",
        /// Dialect A: a value that should be a text is none.
        HeaderValueType = "header_value_type",
        /// Dialect A: a text is empty.
        HeaderValueBlank = "header_value_blank",
        /// Dialect B: family, task or backend is not written as its writer writes it.
        HeaderValueUnusual = "header_value_unusual",
        /// The header's values are too big to be kept whole.
        HeaderValuesNotKept = "header_values_not_kept",
        /// The header says nothing of model, TensorRT version, GPU and date.
        ProvenanceUnknown = "provenance_unknown",
        /// No section holds an engine.
        NoEngineSection = "no_engine_section",
        /// Several sections hold engines.
        SeveralEngineSections = "several_engine_sections",
        /// An engine section is empty: what a failed build leaves.
        PlanEmpty = "plan_empty",
        /// An engine section does not begin like a TensorRT plan.
        PlanMagic = "plan_magic",
        /// The bundle asks for a kernel that is not in it.
        KernelOutside = "kernel_outside",
        /// The bundle has the marks of two classes.
        ClassAmbiguous = "class_ambiguous",
        /// The optimized runtime's library is not among the artifacts.
        RuntimeLibraryAbsent = "runtime_library_absent",
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Good to know.
    Note,
    /// Somebody should look: the bundle is not clean.
    Attention,
    /// Somebody must look.
    High,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The section or key that breaks it, as it is written in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// How many bytes it is about, where it is about bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Count64>,
    /// The violation in English; every foreign text in it is escaped and cut.
    pub text: String,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What was found.
    pub finding: FindingKind,
    /// How much it matters.
    pub level: Level,
    /// The section or key that it is about, as it is written in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// How many bytes or sections it is about, where it is about such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count64>,
    /// The finding in English; every foreign text in it is escaped and cut.
    pub text: String,
}

/// How many violations, and how many findings, are kept; the rest is counted.
pub const MAX_KEPT: usize = 256;

/// The violations and findings of one bundle, bounded.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) errors: Vec<Violation>,
    pub(super) findings: Vec<Finding>,
    pub(super) left_out: u64,
    pub(super) unclean: bool,
}

impl Notes {
    pub(super) fn error(&mut self, rule: Rule, about: Option<&str>, bytes: Option<u64>, text: String) {
        if self.errors.len() < MAX_KEPT {
            let about = about.map(super::text::clip);
            self.errors.push(Violation { rule, about, bytes: bytes.map(Count64), text });
        } else {
            self.left_out += 1;
        }
    }

    pub(super) fn finding(
        &mut self,
        finding: FindingKind,
        level: Level,
        about: Option<&str>,
        count: Option<u64>,
        text: String,
    ) {
        self.unclean |= level > Level::Note;
        if self.findings.len() < MAX_KEPT {
            let about = about.map(super::text::clip);
            self.findings.push(Finding { finding, level, about, count: count.map(Count64), text });
        } else {
            self.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_are_what_json_holds() {
        let rules: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        assert_eq!(rules.len(), Rule::ALL.len());
        let findings: BTreeSet<_> = FindingKind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(findings.len(), FindingKind::ALL.len());
        for rule in Rule::ALL {
            assert_eq!(crate::evidence::code(rule), rule.code());
        }
        assert!(Rule::FormatUnsupported.is_outer() && !Rule::ArtifactFileCount.is_outer());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut notes = Notes::default();
        for _ in 0..1000 {
            notes.error(Rule::DuplicateKey, Some("a"), None, String::new());
            notes.finding(FindingKind::Gap, Level::Note, None, Some(1), String::new());
        }
        assert_eq!((notes.errors.len(), notes.findings.len()), (MAX_KEPT, MAX_KEPT));
        assert_eq!(notes.left_out, 2 * (1000 - MAX_KEPT as u64));
        assert!(!notes.unclean);
    }
}
