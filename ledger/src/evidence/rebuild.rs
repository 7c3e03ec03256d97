//! Rebuilds (`urn:acta:rebuild:v1`): somebody built again what a run recorded, and says what came of it.
//!
//! TensorRT-RTX plans that are built ahead of time are the same bytes for the same inputs. So a rebuild by somebody else
//! shows that a plan is what its run says it is made of, without trust in whoever ran it. The rebuild is a run of its
//! own with a build summary of its own; this statement ties the two together. Whoever has both summaries judges again,
//! see [`crate::judge::rebuild`]: what is stated here counts only where that agrees.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{chain::ChainLink, number::Count64};
use crate::log::{
    digest::Sha256Digest,
    statement::{Predicate, Subject},
    timestamp::Timestamp,
};

/// How many differing settings a record names at most.
pub const MAX_DIFFERING: usize = 16;

/// The longest value of a setting that a record holds, in bytes; a longer one is cut.
pub const MAX_VALUE_BYTES: usize = 200;

/// What a rebuild came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The plan came out again, byte for byte.
    Reproduced,
    /// Another plan came out of the recorded inputs.
    NotReproduced,
    /// Nothing can be compared; this says nothing for or against the run.
    NotComparable,
}

/// Why nothing can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObstacleKind {
    /// The run has no plan: it was cancelled, failed, or its plan was never read.
    NoPlan,
    /// No library built: a simulation.
    Simulated,
    /// Another program built, and was watched from outside: what it set up is not wholly on record.
    WatchedFromOutside,
    /// The library chose tactics by timing them on a GPU: two such builds need not give the same bytes.
    NotAheadOfTime,
    /// The model that is here is not the one that was built.
    OtherModel,
    /// The files of weights beside the model are not those that were built, or are missing.
    OtherWeights,
    /// A recorded setting cannot be asked for by this program.
    UnknownSetting,
    /// The library that is here is another, or of another build number.
    OtherLibrary,
    /// The rebuild gave no plan.
    RebuildFailed,
}

/// What stands in the way of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Obstacle {
    /// Which.
    pub kind: ObstacleKind,
    /// What the run's record has: a digest, a version, a code, a list of files.
    pub expected: Option<String>,
    /// What is here.
    pub found: Option<String>,
}

/// A setting that is not the same in both builds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DifferingSetting {
    /// Its name in the build summary, like `settings.targets` or `library.digest`.
    pub name: String,
    /// The run's value as canonical JSON, cut to [`MAX_VALUE_BYTES`]; none where the run has none.
    pub expected: Option<String>,
    /// The rebuild's.
    pub found: Option<String>,
}

/// How two plans differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanDifference {
    /// The length of the run's plan in bytes.
    pub expected_bytes: Count64,
    /// The length of the rebuild's.
    pub found_bytes: Count64,
    /// The digest of the rebuild's.
    pub found: Sha256Digest,
    /// The first byte that differs, counted from 0; the shorter length where one plan begins with the other. None
    /// where the run's plan itself was not at hand.
    pub first_offset: Option<Count64>,
}

/// The run in which it was built again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RebuiltRun {
    /// Its id.
    pub run: Uuid,
    /// The entry of its summary, by its digest.
    pub entry: Sha256Digest,
}

/// One rebuild.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RebuildRecord {
    /// The run that was built again.
    pub run: Uuid,
    /// The entry of its summary, by its digest.
    pub entry: Sha256Digest,
    /// The plan that its summary names; none where it names none.
    pub plan: Option<Sha256Digest>,
    /// The run in which it was built again; none where that was seen to be of no use before.
    pub rebuilt: Option<RebuiltRun>,
    /// What it came to.
    pub verdict: Verdict,
    /// Why nothing can be compared; stands with `not_comparable` alone.
    pub obstacle: Option<Obstacle>,
    /// The settings that are not the same, in the order of [`crate::judge::rebuild`]; at most [`MAX_DIFFERING`].
    pub differing: Vec<DifferingSetting>,
    /// How the plans differ; stands with `not_reproduced` alone.
    pub plans: Option<PlanDifference>,
    /// When.
    pub at: Timestamp,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for RebuildRecord {
    const TYPE: &'static str = "urn:acta:rebuild:v1";
}

impl RebuildRecord {
    /// The subjects of the statement: the summary that it speaks about, and the plan.
    pub fn subjects(&self) -> Vec<Subject> {
        let plan = self.plan.map(|plan| Subject::new("plan", plan));
        std::iter::once(Subject::new(format!("run {}", self.run), self.entry)).chain(plan).collect()
    }

    /// Whether the fields agree with the verdict; the error names the field, what was found and what is expected.
    pub fn check(&self) -> Result<(), String> {
        let verdict = super::code(&self.verdict);
        let must = |holds: bool, field: &str, expected: &str| {
            if holds { Ok(()) } else { Err(format!("{field}: with the verdict {verdict}, {expected}")) }
        };
        let compared = self.verdict != Verdict::NotComparable;
        must(
            self.obstacle.is_some() != compared,
            "obstacle",
            "it stands with not_comparable, and only there",
        )?;
        must(
            self.plans.is_some() == (self.verdict == Verdict::NotReproduced),
            "plans",
            "it stands with not_reproduced, and only there",
        )?;
        must(!compared || self.plan.is_some(), "plan", "the run's plan must be named")?;
        must(!compared || self.rebuilt.is_some(), "rebuilt", "the rebuild's own run must be named")?;
        must(compared || self.differing.is_empty(), "differing", "nothing was compared")?;
        if self.rebuilt.is_some_and(|rebuilt| rebuilt.run == self.run) {
            return Err("rebuilt.run: it is the run itself, and a run rebuilds nothing of its own".to_owned());
        }
        if self.plans.is_some_and(|plans| Some(plans.found) == self.plan) {
            return Err(
                "plans.found: it is the digest of the run's plan, which then was reproduced".to_owned()
            );
        }
        if self.differing.len() > MAX_DIFFERING {
            let found = self.differing.len();
            return Err(format!("differing: {found} settings, expected at most {MAX_DIFFERING}"));
        }
        let values = self.differing.iter().flat_map(|it| [&it.expected, &it.found]);
        let values = values.chain(self.obstacle.iter().flat_map(|it| [&it.expected, &it.found])).flatten();
        let names = self.differing.iter().map(|it| &it.name);
        match values.chain(names).find(|text| text.len() > MAX_VALUE_BYTES) {
            Some(long) => Err(format!("a text of {} bytes, expected at most {MAX_VALUE_BYTES}", long.len())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reproduced() -> RebuildRecord {
        RebuildRecord {
            run: Uuid::from_u128(1),
            entry: Sha256Digest::of(b"summary"),
            plan: Some(Sha256Digest::of(b"plan")),
            rebuilt: Some(RebuiltRun {
                run: Uuid::from_u128(2),
                entry: Sha256Digest::of(b"another summary"),
            }),
            verdict: Verdict::Reproduced,
            obstacle: None,
            differing: Vec::new(),
            plans: None,
            at: "2026-11-30T10:00:00Z".parse().unwrap(),
            chain: ChainLink::new(1, None),
        }
    }

    fn plans(found: &[u8]) -> Option<PlanDifference> {
        let (expected_bytes, found_bytes) = (Count64(4), Count64(found.len() as u64));
        Some(PlanDifference {
            expected_bytes,
            found_bytes,
            found: Sha256Digest::of(found),
            first_offset: None,
        })
    }

    fn obstacle(found: Option<String>) -> Option<Obstacle> {
        Some(Obstacle { kind: ObstacleKind::OtherModel, expected: None, found })
    }

    #[test]
    fn what_belongs_to_each_verdict_must_stand_and_nothing_else() {
        type Change = fn(&mut RebuildRecord);

        let cases: [(Change, Option<&str>); 14] = [
            (|_| {}, None),
            (
                |it| {
                    it.differing =
                        vec![DifferingSetting { name: "a".to_owned(), expected: None, found: None }]
                },
                None,
            ),
            (|it| (it.verdict, it.plans) = (Verdict::NotReproduced, plans(b"other")), None),
            (|it| (it.verdict, it.obstacle) = (Verdict::NotComparable, obstacle(None)), None),
            (
                |it| {
                    (it.verdict, it.obstacle, it.rebuilt, it.plan) =
                        (Verdict::NotComparable, obstacle(None), None, None)
                },
                None,
            ),
            (|it| it.verdict = Verdict::NotComparable, Some("obstacle")),
            (|it| it.obstacle = obstacle(None), Some("obstacle")),
            (|it| it.verdict = Verdict::NotReproduced, Some("plans")),
            (|it| it.plans = plans(b"other"), Some("plans")),
            (|it| (it.verdict, it.plans) = (Verdict::NotReproduced, plans(b"plan")), Some("plans.found")),
            (|it| it.plan = None, Some("plan:")),
            (|it| it.rebuilt = None, Some("rebuilt")),
            (|it| it.run = Uuid::from_u128(2), Some("rebuilt.run")),
            (
                |it| (it.verdict, it.obstacle) = (Verdict::NotComparable, obstacle(Some("x".repeat(201)))),
                Some("201 bytes"),
            ),
        ];
        for (change, wrong) in cases {
            let mut record = reproduced();
            change(&mut record);
            match (record.check(), wrong) {
                (Ok(()), None) => {}
                (Err(error), Some(words)) => assert!(error.contains(words), "{error}"),
                (found, _) => panic!("{found:?}, expected {wrong:?}: {record:?}"),
            }
        }
    }

    #[test]
    fn it_is_found_by_the_summary_and_by_the_plan() {
        let digests: Vec<_> = reproduced().subjects().iter().filter_map(Subject::sha256).collect();
        assert_eq!(digests, [Sha256Digest::of(b"summary"), Sha256Digest::of(b"plan")]);
        assert_eq!(RebuildRecord { plan: None, ..reproduced() }.subjects().len(), 1);
    }
}
