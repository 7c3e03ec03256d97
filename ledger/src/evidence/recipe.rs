//! The recipe file: how a bundle was built, in TOML or JSON. Every key is known or refused; what may be left out is a
//! hold, never a guess.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a bundle was built, as a person states it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recipe {
    /// The recipe's name.
    pub name: String,
    /// The account of the person who states all this; none is --by.
    pub stated_by: Option<String>,
    /// The officially documented model family that it follows.
    pub documented_family: Option<String>,
    /// The commands, in order.
    #[serde(default)]
    pub build_commands: Vec<String>,
    /// Like `fp16`.
    pub precision: Option<String>,
    /// Like `fp8`, or `none`.
    pub quantization: Option<String>,
    /// How it is spread over devices, or `none`.
    pub topology: Option<String>,
    /// Over how many devices tensors are split; 1 is not at all.
    pub tensor_parallelism: Option<u32>,
    /// Where it was built.
    #[serde(default)]
    pub environment: RecipeEnvironment,
    /// What was relied on.
    #[serde(default)]
    pub sources: Vec<CanonicalSource>,
    /// Kernels that are not the vendor's; an empty list says that there are none.
    pub custom_kernels: Option<Vec<Boundary>>,
    /// Places where code is called through TVM's interface; an empty list says that there are none.
    pub tvm_ffi_boundaries: Option<Vec<Boundary>>,
}

/// Where it was built. What the run measured counts more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecipeEnvironment {
    /// The container's image, by digest.
    pub container: Option<String>,
    /// The operating system.
    pub os: Option<String>,
    /// Python's version, or `none`.
    pub python: Option<String>,
    /// Model Connect's revision or version.
    pub model_connect: Option<String>,
    /// TensorRT's version.
    pub tensorrt: Option<String>,
    /// CUDA's version.
    pub cuda: Option<String>,
    /// The GPU, or `none`.
    pub gpu: Option<String>,
    /// The driver's version, or `none`.
    pub driver: Option<String>,
}

/// A page or a revision that was relied on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanonicalSource {
    /// Where.
    pub url: String,
    /// When it was read, as a day.
    pub date: Option<String>,
    /// The digest of what was read, or the commit.
    pub digest: Option<String>,
    /// What it is.
    pub title: Option<String>,
}

/// A kernel, or a boundary to foreign code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Boundary {
    /// Its name.
    pub name: String,
    /// Where its source is, by revision.
    pub source: Option<String>,
    /// What it was compiled with; an empty list says with nothing.
    pub flags: Option<Vec<String>>,
    /// Versions of what it was compiled with and against.
    pub versions: Option<BTreeMap<String, String>>,
    /// Who reviewed it and where that stands.
    pub review: Option<String>,
    /// Where its scan stands.
    pub scan: Option<String>,
    /// Its signature.
    pub signature: Option<String>,
    /// What is used where it cannot be.
    pub fallback: Option<String>,
    /// Who owns it.
    pub owner: Option<String>,
}

impl Boundary {
    /// What it does not say.
    pub fn lacks(&self) -> Vec<&'static str> {
        let blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
        [
            (self.name.trim().is_empty(), "name"),
            (blank(&self.source), "source"),
            (self.flags.is_none(), "flags"),
            (self.versions.as_ref().is_none_or(BTreeMap::is_empty), "versions"),
            (blank(&self.review), "review"),
            (blank(&self.scan) && blank(&self.signature), "scan or signature"),
            (blank(&self.fallback), "fallback"),
            (blank(&self.owner), "owner"),
        ]
        .into_iter()
        .filter_map(|(lacks, what)| lacks.then_some(what))
        .collect()
    }
}

impl CanonicalSource {
    /// What is wrong with it.
    pub fn lacks(&self) -> Vec<&'static str> {
        let url = self.url.strip_prefix("https://").or_else(|| self.url.strip_prefix("http://"));
        let day = self.date.as_ref().is_some_and(|day| {
            day.len() == 10 && format!("{day}T00:00:00Z").parse::<crate::log::timestamp::Timestamp>().is_ok()
        });
        let digest = self.digest.as_deref().is_some_and(|digest| {
            let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
            matches!(hex.len(), 40 | 64) && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        [
            (url.is_none_or(str::is_empty), "url (https://...)"),
            (!day, "date (a day like 2026-11-29)"),
            (!digest, "digest (sha256:..., or a commit)"),
        ]
        .into_iter()
        .filter_map(|(lacks, what)| lacks.then_some(what))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_and_a_source_lack_is_named() {
        let text = |text: &str| Some(text.to_owned());
        let whole = Boundary {
            name: "attn".to_owned(),
            source: text("git@1234"),
            flags: Some(Vec::new()),
            versions: Some(BTreeMap::from([("nvcc".to_owned(), "13.0".to_owned())])),
            review: text("ana, 2026-11-01"),
            scan: None,
            signature: text("sig"),
            fallback: text("the vendor's"),
            owner: text("ben"),
        };
        assert!(whole.lacks().is_empty());
        assert_eq!(Boundary { owner: text(" "), ..whole.clone() }.lacks(), ["owner"]);
        assert_eq!(
            Boundary { signature: None, flags: None, ..whole }.lacks(),
            ["flags", "scan or signature"]
        );
        let source = CanonicalSource {
            url: "https://docs.example/x".to_owned(),
            date: text("2026-11-29"),
            digest: text(&"0f".repeat(20)),
            title: None,
        };
        assert!(source.lacks().is_empty());
        let wrong =
            CanonicalSource { url: "docs".to_owned(), date: text("May"), digest: text("1"), title: None };
        assert_eq!(wrong.lacks().len(), 3);
    }
}
