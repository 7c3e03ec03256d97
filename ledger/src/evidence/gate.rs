//! The five gates of the Checkpoint-to-Bundle Acceptance Test (`urn:acta:cbat-gate:v1`): what one run of a gate found.

mod requirement;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use requirement::{Need, Requirement, requirements};

use super::{build::BuilderKind, chain::ChainLink, pin::Pins};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// One of the five gates, written as its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub enum Gate {
    /// 1, source and checkpoint.
    Source,
    /// 2, build environment and recipe.
    Build,
    /// 3, bundle and manifest.
    Bundle,
    /// 4, native C++ parity.
    Parity,
    /// 5, release, canary, rollback.
    Release,
}

/// A number that is no gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are gates 1 to 5, not {0}")]
pub struct NoSuchGate(u8);

impl Gate {
    /// All five in order.
    pub const ALL: [Self; 5] = [Self::Source, Self::Build, Self::Bundle, Self::Parity, Self::Release];

    /// Its number.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Whether its evidence must come from the route's runtime target.
    pub fn is_at_runtime(self) -> bool {
        matches!(self, Self::Parity | Self::Release)
    }

    /// The gate that must be passed before this one runs.
    pub fn after(self) -> Option<Self> {
        match self {
            Self::Parity => Some(Self::Bundle),
            Self::Release => Some(Self::Parity),
            Self::Source | Self::Build | Self::Bundle => None,
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

impl From<Gate> for u8 {
    fn from(gate: Gate) -> Self {
        gate.number()
    }
}

impl TryFrom<u8> for Gate {
    type Error = NoSuchGate;
    fn try_from(number: u8) -> Result<Self, NoSuchGate> {
        Self::ALL.into_iter().find(|gate| gate.number() == number).ok_or(NoSuchGate(number))
    }
}

/// How a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactClass {
    /// The agent measured it.
    Measured,
    /// The bundle's header or descriptor says it.
    StatedByBundle,
    /// A person says it, by name.
    StatedByPerson,
    /// A vendor claims it. It never satisfies a gate.
    VendorClaim,
}

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It holds.
    Pass,
    /// It does not apply here, for the reason that stands beside it.
    NotApplicable,
    /// It was not looked at, or there was too little to judge it.
    NotRun,
    /// A person has to decide.
    Hold,
    /// It does not hold.
    Fail,
    /// The check itself failed.
    Error,
}

/// One check of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Check {
    /// Which check, by its fixed name.
    pub name: String,
    /// What was found.
    pub value: Value,
    /// How it is known.
    pub class: FactClass,
    /// What it means.
    pub verdict: CheckVerdict,
    /// Why it does not apply, is on hold, failed or was not run; a rule's name or a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who says it, where a person does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// The blobs that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Sha256Digest>,
}

/// A check that the agent measured.
pub fn check(name: &str, verdict: CheckVerdict, value: Value) -> Check {
    Check {
        name: name.to_owned(),
        value,
        class: FactClass::Measured,
        verdict,
        reason: None,
        stated_by: None,
        evidence: Vec::new(),
    }
}

impl Check {
    /// Says why.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Says that a person states it.
    #[must_use]
    pub fn stated_by(mut self, account: &str) -> Self {
        self.class = FactClass::StatedByPerson;
        self.stated_by = Some(account.to_owned());
        self
    }

    /// Says how it is known.
    #[must_use]
    pub fn class(mut self, class: FactClass) -> Self {
        self.class = class;
        self
    }

    /// Names a blob that it rests on.
    #[must_use]
    pub fn resting_on(mut self, digest: Sha256Digest) -> Self {
        if !self.evidence.contains(&digest) {
            self.evidence.push(digest);
        }
        self
    }
}

/// Where a gate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// Nothing is on record.
    Missing,
    /// Something is on record and it is not enough, or not good.
    Unsatisfied,
    /// Everything that must be on record is there and holds.
    Satisfied,
    /// Two persons let it pass, for a time, visibly.
    Overridden,
    /// It was satisfied under other pinned facts.
    Outdated,
    /// Nothing of it applies. It does not open the route: only an override does.
    NotApplicable,
    /// A check itself failed.
    Error,
}

impl GateState {
    /// Whether the route may pass.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Satisfied | Self::Overridden)
    }
}

/// What one run of a gate found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateRecord {
    /// The route.
    pub route: String,
    /// Which gate.
    pub gate: Gate,
    /// The checkpoint revision that it speaks about; gate 1 is bound by it.
    pub checkpoint_revision: Option<String>,
    /// The bundle that it speaks about; gates 3 to 5 are bound by it.
    pub bundle: Option<Sha256Digest>,
    /// The run that built the bundle; gate 2 is bound by it where it names no bundle.
    pub run: Option<Uuid>,
    /// What built, where the evidence rests on a build.
    pub builder: Option<BuilderKind>,
    /// Where it was measured, as `<interface>_on_<verified gpu>`; gates 4 and 5 must say it.
    pub runtime_target: Option<String>,
    /// The facts as they were where it was measured.
    pub observed: Pins,
    /// The checks, each by its name.
    pub checks: Vec<Check>,
    /// Persons who contributed evidence to it: they may not approve what rests on it.
    pub authors: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it had ended.
    pub finished_at: Timestamp,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for GateRecord {
    const TYPE: &'static str = "urn:acta:cbat-gate:v1";
}

impl GateRecord {
    /// The blobs that the record names: they must be stored before it is logged.
    pub fn blobs(&self) -> Vec<Sha256Digest> {
        self.checks.iter().flat_map(|check| check.evidence.iter().copied()).collect()
    }

    /// Everybody who contributed: the authors and whoever stated a fact.
    pub fn contributors(&self) -> impl Iterator<Item = &str> {
        self.authors
            .iter()
            .chain(self.checks.iter().filter_map(|check| check.stated_by.as_ref()))
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_its_number() {
        for gate in Gate::ALL {
            let json = serde_json::to_string(&gate).unwrap();
            assert_eq!(json, gate.to_string());
            assert_eq!(serde_json::from_str::<Gate>(&json).unwrap(), gate);
        }
        assert_eq!((Gate::Source.number(), Gate::Release.number()), (1, 5));
        for wrong in ["0", "6", "\"1\"", "256"] {
            assert!(serde_json::from_str::<Gate>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_check_with_an_unknown_key_is_refused() {
        let good = r#"{"name":"licence","value":"apache-2.0","class":"measured","verdict":"pass"}"#;
        assert!(serde_json::from_str::<Check>(good).is_ok());
        let error = serde_json::from_str::<Check>(&good.replace("class", "klass")).unwrap_err();
        assert!(error.to_string().contains("unknown field `klass`"), "{error}");
    }
}
