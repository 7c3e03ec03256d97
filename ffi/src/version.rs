//! Families and versions, and which library fits which headers.

use std::fmt;

use crate::shim;

/// One of the two products that share the NvInfer API, with tables of virtual functions that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// TensorRT-RTX: `libtensorrt_rtx`, builds ahead of time without a GPU.
    Rtx,
    /// TensorRT Enterprise: `libnvinfer`.
    Enterprise,
}

impl Family {
    /// Both families, in the order in which they are looked for.
    pub const ALL: [Self; 2] = [Self::Rtx, Self::Enterprise];

    /// The product's name.
    #[must_use]
    pub fn product(self) -> &'static str {
        match self {
            Self::Rtx => "TensorRT-RTX",
            Self::Enterprise => "TensorRT",
        }
    }

    /// The library's file name, without what follows `.so`.
    #[must_use]
    pub fn library_stem(self) -> &'static str {
        match self {
            Self::Rtx => "libtensorrt_rtx.so",
            Self::Enterprise => "libnvinfer.so",
        }
    }

    /// The ONNX parser library's file name, without what follows `.so`.
    #[must_use]
    pub fn parser_stem(self) -> &'static str {
        match self {
            Self::Rtx => "libtensorrt_onnxparser_rtx.so",
            Self::Enterprise => "libnvonnxparser.so",
        }
    }

    /// The folder of the family's Python wheel that holds the libraries.
    #[must_use]
    pub fn wheel_folder(self) -> &'static str {
        match self {
            Self::Rtx => "tensorrt_rtx_libs",
            Self::Enterprise => "tensorrt_libs",
        }
    }

    /// The family that a library's file name tells: the two products export the same symbols.
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| name.starts_with(family.library_stem()))
    }

    /// The version of the headers that this program was compiled with, if it knows the family at all.
    #[must_use]
    pub fn header_version(self) -> Option<Version> {
        shim::table(self).map(shim::header_version)
    }

    /// Whether a library of this version can be used through headers of that version. TensorRT itself does not check:
    /// a wrong one would be called through the wrong virtual function.
    #[must_use]
    pub fn accepts(self, headers: Version, library: Version) -> bool {
        match self {
            Self::Rtx => (headers.major, headers.minor) == (library.major, library.minor),
            Self::Enterprise => headers.major == library.major,
        }
    }

    /// What a library must be, in words.
    pub(crate) fn expected(self, headers: Version) -> String {
        let product = self.product();
        match self {
            Self::Rtx => format!("{product} {}.{} (compiled with {headers})", headers.major, headers.minor),
            Self::Enterprise => format!("{product} {} (compiled with {headers})", headers.major),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.product())
    }
}

/// The four numbers of a TensorRT version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Major number.
    pub major: i32,
    /// Minor number.
    pub minor: i32,
    /// Patch number.
    pub patch: i32,
    /// Build number.
    pub build: i32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor, patch, build } = self;
        write!(f, "{major}.{minor}.{patch}.{build}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(major: i32, minor: i32) -> Version {
        Version { major, minor, patch: 0, build: 0 }
    }

    #[test]
    fn a_file_name_tells_the_family() {
        assert_eq!(Family::of_file_name("libtensorrt_rtx.so.1.7.1"), Some(Family::Rtx));
        assert_eq!(Family::of_file_name("libnvinfer.so.11"), Some(Family::Enterprise));
        assert_eq!(Family::of_file_name("libnvinfer_plugin.so.11"), None);
        assert_eq!(Family::of_file_name("libtensorrt_onnxparser_rtx.so.1"), None);
    }

    #[test]
    fn rtx_needs_the_same_minor_and_enterprise_the_same_major() {
        assert!(Family::Rtx.accepts(version(1, 7), version(1, 7)));
        assert!(!Family::Rtx.accepts(version(1, 7), version(1, 6)));
        assert!(Family::Enterprise.accepts(version(11, 4), version(11, 2)));
        assert!(!Family::Enterprise.accepts(version(11, 4), version(10, 4)));
    }
}
