//! A route's policy file: who may approve, how many it takes, and what is asked of a bundle. Unknown keys are refused,
//! so that a misspelt rule is never silently absent.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::super::pin::Pins;
use crate::{
    evidence::number::Count64,
    log::jcs::{self, JsonError},
};

/// Who approves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approvals {
    /// How many persons must approve.
    pub needed: u32,
    /// Who may, by account; none for everybody with the role.
    #[serde(default)]
    pub approvers: Option<BTreeSet<String>>,
}

/// Whether, and for how long, two persons may let a gate pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverridePolicy {
    /// Whether they may at all.
    pub allowed: bool,
    /// For how many days at most.
    pub max_days: u32,
}

/// What gate 5 asks of the measurements; what is absent is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Thresholds {
    /// The median latency at most.
    #[serde(default)]
    pub p50_ms: Option<f64>,
    /// The 95th percentile at most.
    #[serde(default)]
    pub p95_ms: Option<f64>,
    /// The 99th percentile at most.
    #[serde(default)]
    pub p99_ms: Option<f64>,
    /// Requests a second at least.
    #[serde(default)]
    pub throughput_per_s: Option<f64>,
    /// Memory at most.
    #[serde(default)]
    pub memory_bytes: Option<Count64>,
    /// The share of failed requests at most, 0 to 1.
    #[serde(default)]
    pub error_rate: Option<f64>,
}

/// What a canary must keep.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanaryPolicy {
    /// How many requests it needs for a verdict.
    pub min_samples: u32,
    /// What it must keep.
    pub thresholds: Thresholds,
}

/// Whether a rollback needs a second person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    /// Every rollback does.
    Required,
    /// Every rollback does but the one that cannot wait: the canary of what is live failed, and it leads to the bundle
    /// that the way back leads to. That one was prepared and drilled beforehand, and minutes count.
    #[default]
    UnlessCanaryFailed,
    /// No rollback does.
    NotRequired,
}

/// What is asked of a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RollbackPolicy {
    /// Whether a second person must confirm it.
    #[serde(default)]
    pub confirmation: Confirmation,
}

/// The policy of a route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Who approves.
    pub approvals: Approvals,
    /// Licences that allow the use, by their SPDX identifiers.
    pub licences: BTreeSet<String>,
    /// Whether gates may be overridden.
    pub overrides: OverridePolicy,
    /// What gate 5 asks.
    #[serde(default)]
    pub thresholds: Thresholds,
    /// What a canary must keep.
    pub canary: CanaryPolicy,
    /// What is asked of a rollback.
    #[serde(default)]
    pub rollback: RollbackPolicy,
    /// The facts that an approval rests on.
    #[serde(default)]
    pub pins: Pins,
    /// For how many days a drill counts.
    pub drill_valid_days: u32,
    /// For how many days a replaced bundle is retained.
    pub retention_days: u32,
}

/// Why a text is no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// It is not strict JSON.
    #[error("the policy is {0}")]
    Json(#[from] JsonError),
    /// It does not have a policy's shape.
    #[error("the policy: {0}")]
    Shape(#[source] serde_json::Error),
    /// A value makes no sense.
    #[error("the policy's {key} {why}")]
    Value {
        /// Which value.
        key: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl Policy {
    /// Reads a policy file.
    pub fn parse(bytes: &[u8]) -> Result<Self, PolicyError> {
        // Strict first; then from the text itself, so that the message names line and column.
        jcs::parse(bytes)?;
        let policy: Self = serde_json::from_slice(bytes).map_err(PolicyError::Shape)?;
        policy.check()?;
        Ok(policy)
    }

    /// Says whether every value makes sense.
    pub fn check(&self) -> Result<(), PolicyError> {
        let value = |good: bool, key, why| if good { Ok(()) } else { Err(PolicyError::Value { key, why }) };
        let needed = self.approvals.needed;
        value(needed >= 1, "approvals.needed", "must be at least 1")?;
        let enough = |approvers: &BTreeSet<String>| approvers.len() as u64 >= u64::from(needed);
        value(
            self.approvals.approvers.as_ref().is_none_or(enough),
            "approvals.approvers",
            "has fewer persons than are needed",
        )?;
        value(!self.licences.is_empty(), "licences", "is empty: no checkpoint could pass")?;
        value(
            !self.overrides.allowed || self.overrides.max_days >= 1,
            "overrides.maxDays",
            "must be at least 1",
        )?;
        value(self.canary.min_samples >= 1, "canary.minSamples", "must be at least 1")?;
        value(self.drill_valid_days >= 1, "drillValidDays", "must be at least 1")?;
        value(self.retention_days >= 1, "retentionDays", "must be at least 1")?;
        value(self.pins.0.values().all(|pin| !pin.is_empty()), "pins", "holds an empty value")?;
        self.thresholds.check("thresholds")?;
        self.canary.thresholds.check("canary.thresholds")
    }
}

impl Thresholds {
    fn check(&self, key: &'static str) -> Result<(), PolicyError> {
        let positive = [self.p50_ms, self.p95_ms, self.p99_ms, self.throughput_per_s];
        if positive.into_iter().flatten().any(|value| !(value.is_finite() && value > 0.0)) {
            return Err(PolicyError::Value {
                key,
                why: "holds a latency or throughput that is not positive",
            });
        }
        if self.error_rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
            return Err(PolicyError::Value { key, why: "holds an error rate outside 0 to 1" });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{
        "approvals": {"needed": 2, "approvers": ["ana", "ben"]},
        "licences": ["apache-2.0"],
        "overrides": {"allowed": true, "maxDays": 7},
        "thresholds": {"p99Ms": 30.0, "memoryBytes": "8589934592"},
        "canary": {"minSamples": 100, "thresholds": {"p95Ms": 25.0, "errorRate": 0.01}},
        "pins": {"tensorrt": "1.7.1.116", "gpu_sku": "NVIDIA H200"},
        "drillValidDays": 30,
        "retentionDays": 90
    }"#;

    #[test]
    fn a_policy_is_read() {
        let policy = Policy::parse(GOOD.as_bytes()).unwrap();
        assert_eq!(policy.approvals.needed, 2);
        assert_eq!(policy.thresholds.memory_bytes, Some(Count64(8 << 30)));
        assert_eq!(policy.rollback.confirmation, Confirmation::UnlessCanaryFailed);
        let again = Policy::parse(&jcs::to_vec(&policy).unwrap()).unwrap();
        assert_eq!(again, policy);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, expected) in [
            ("retentionDays", "retentionDaze", "unknown field `retentionDaze`"),
            ("errorRate", "errorrate", "unknown field `errorrate`"),
            ("\"tensorrt\"", "\"tensorRT\"", "tensorRT"),
            ("\"needed\": 2", "\"needed\": 0", "approvals.needed must be at least 1"),
            ("\"needed\": 2", "\"needed\": 3", "fewer persons"),
            ("\"needed\": 2", "\"needed\": -1", "integer `-1`, expected u32 at line 2 column 34"),
            ("\"needed\": 2,", "\"needed\": 2, \"needed\": 1,", "stands twice"),
            ("[\"apache-2.0\"]", "[]", "licences is empty"),
            ("0.01", "1.5", "canary.thresholds holds an error rate"),
            ("30.0", "0", "thresholds holds a latency"),
            ("\"drillValidDays\": 30,", "", "missing field `drillValidDays`"),
            ("{\n", "{\"rollback\": {\"confirmation\": \"sometimes\"},\n", "unknown variant `sometimes`"),
            ("{\n", "{\"rollback\": {\"confirm\": \"required\"},\n", "unknown field `confirm`"),
            ("{\n", "[\n", "not acceptable JSON"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = Policy::parse(GOOD.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        }
    }
}
