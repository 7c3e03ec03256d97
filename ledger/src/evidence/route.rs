//! Routes: the way from one checkpoint to a served bundle. The record's seven names are fixed, other tools read them.

mod policy;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

pub use policy::{
    Approvals, CanaryPolicy, Confirmation, OverridePolicy, Policy, PolicyError, RollbackPolicy, Thresholds,
};

use super::person::Signatory;
use crate::log::{
    digest::{DigestError, Sha256Digest},
    statement::Predicate,
    timestamp::Timestamp,
};

/// A bundle's digest, written as `sha256:<hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundleDigest(pub Sha256Digest);

impl fmt::Display for BundleDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl fmt::Debug for BundleDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BundleDigest {
    type Err = DigestError;
    fn from_str(text: &str) -> Result<Self, DigestError> {
        text.strip_prefix("sha256:").unwrap_or("").parse().map(Self)
    }
}

impl Serialize for BundleDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BundleDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| {
            de::Error::custom(format_args!(
                "a bundle is named as sha256:<64 hexadecimal digits>, found {text:?}"
            ))
        })
    }
}

/// Whether a route may be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationStatus {
    /// It may.
    Pass,
    /// Not now: something is missing, outdated or held. It is not a failure.
    Hold,
    /// This route may not. The research goes on.
    Reject,
}

/// Where the canary stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CanaryStatus {
    /// It has not begun.
    NotStarted,
    /// It takes traffic and has no verdict.
    Running,
    /// It kept its thresholds.
    Pass,
    /// It broke one.
    Failed,
}

/// Whether the way back is known to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RollbackStatus {
    /// A drill restored the retained bundle on the target, and it still counts.
    Tested,
    /// It is not.
    Blocked,
}

/// The route record: exactly these names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteRecord {
    /// The route's name.
    pub route_name: String,
    /// The pinned hub or local revision; none before the route is defined.
    pub checkpoint_revision: Option<String>,
    /// The bundle that is spoken about; none before there is one.
    pub bundle_digest: Option<BundleDigest>,
    /// Where it is to run; none before the route is defined.
    pub runtime_target: Option<String>,
    /// Whether it may be served.
    pub validation_status: ValidationStatus,
    /// Where the canary stands.
    pub canary_status: CanaryStatus,
    /// Whether the way back is known to work.
    pub rollback_status: RollbackStatus,
}

/// A route as it is set up (`urn:acta:route-definition:v1`). Each change is an entry; the last one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RouteDefinition {
    /// The route's name.
    pub route: String,
    /// The checkpoint, like `acme/mini`.
    pub checkpoint: String,
    /// Its pinned revision.
    pub checkpoint_revision: String,
    /// Where it is to run, as `<interface>_on_<verified gpu>`.
    pub runtime_target: String,
    /// The rules that it is held to.
    pub policy: Policy,
    /// Who set it up.
    pub by: Signatory,
    /// When.
    pub at: Timestamp,
}

impl Predicate for RouteDefinition {
    const TYPE: &'static str = "urn:acta:route-definition:v1";
}

/// The name of a runtime target: the interface and the GPU that was really found, in lower case with underscores.
pub fn runtime_target(interface: &str, gpu: &str) -> String {
    let slug = |text: &str| -> String {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("_")
    };
    format!("{}_on_{}", slug(interface), slug(gpu))
}

/// Whether a name can be a route's: lower-case letters, digits and single hyphens, at most 100 characters.
pub fn is_route_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= 100 && name.split('-').all(|word| !word.is_empty() && word.chars().all(plain))
}

/// Whether a revision moves: branch and tag names do, commits and digests do not.
pub fn is_moving_revision(revision: &str) -> bool {
    let hex = revision.strip_prefix("sha256:").unwrap_or(revision);
    !(matches!(hex.len(), 40 | 64) && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_has_exactly_its_seven_names() {
        let record = RouteRecord {
            route_name: "tensorrt-model-connect-cbat".to_owned(),
            checkpoint_revision: Some("a".repeat(40)),
            bundle_digest: Some(BundleDigest(Sha256Digest([0xab; 32]))),
            runtime_target: Some(runtime_target("native_cpp_task_api", "NVIDIA H200")),
            validation_status: ValidationStatus::Hold,
            canary_status: CanaryStatus::NotStarted,
            rollback_status: RollbackStatus::Blocked,
        };
        let json = serde_json::to_string(&record).unwrap();
        let (revision, digest) = ("a".repeat(40), "ab".repeat(32));
        assert_eq!(
            json,
            format!(
                concat!(
                    r#"{{"route_name":"tensorrt-model-connect-cbat","checkpoint_revision":"{}","#,
                    r#""bundle_digest":"sha256:{}","runtime_target":"native_cpp_task_api_on_nvidia_h200","#,
                    r#""validation_status":"hold","canary_status":"not_started","rollback_status":"blocked"}}"#
                ),
                revision, digest
            )
        );
        assert_eq!(serde_json::from_str::<RouteRecord>(&json).unwrap(), record);
        assert!(serde_json::from_str::<RouteRecord>(&json.replace("canary_", "kanary_")).is_err());
        assert!(serde_json::from_str::<RouteRecord>(&json.replace("sha256:", "")).is_err());
    }

    #[test]
    fn names() {
        assert_eq!(
            runtime_target("native_cpp_task_api", "NVIDIA RTX PRO 6000"),
            "native_cpp_task_api_on_nvidia_rtx_pro_6000"
        );
        for (name, good) in [
            ("tensorrt-model-connect-cbat", true),
            ("a", true),
            ("", false),
            ("A", false),
            ("a--b", false),
            ("a/b", false),
        ] {
            assert_eq!(is_route_name(name), good, "{name:?}");
        }
        for (revision, moving) in [("main", true), ("v1.0", true), ("", true), ("abc", true)] {
            assert_eq!(is_moving_revision(revision), moving, "{revision:?}");
        }
        assert!(
            !is_moving_revision(&"0f".repeat(20))
                && !is_moving_revision(&format!("sha256:{}", "0f".repeat(32)))
        );
        assert!(is_moving_revision(&"0F".repeat(20)));
    }
}
